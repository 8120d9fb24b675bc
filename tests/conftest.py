"""What all tests share: Hypothesis without a deadline (machines are shared and noisy), and signals that are heard."""

from __future__ import annotations

import compileall
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from browsers import chromium, tabs, watched  # noqa: F401  fixtures for all folders: one browser serves a whole run
from hypothesis import settings
from needs import to_install

HOUSE = Path(__file__).parent.parent
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Programs that tests start import numpy by the hundred: threads that it need not start are a tenth of a second each."""
SKIPS = "ARENA_TEST_SKIPS"
"""Set to `fail` where a skipped test is a mistake of whoever set up the machine."""

settings.register_profile("house", deadline=None)
settings.register_profile("daily", settings.get_profile("house"), max_examples=30)
settings.load_profile("house")


def _keep_plugins_compiled() -> None:
    """Has another pytest keep the plugins that it rewrote, once for this environment: more than a second in each process."""
    (plugin,) = entry_points(group="pytest11", name="hypothesispytest")
    rewritten = plugin.dist.locate_file("__pycache__")
    if not list(Path(str(rewritten)).glob(f"{plugin.module}.*-pytest-{pytest.__version__}.pyc")):
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        words = [sys.executable, "-m", "pytest", "--version", "--version"]
        subprocess.run(words, cwd=Path(__file__).anchor, env=env, capture_output=True, check=False)


def pytest_configure(config: pytest.Config) -> None:
    """Sets up the process: how often properties are tried, what children need to start quickly, Ctrl-C."""
    if config.option.markexpr == "not slow":
        settings.load_profile("daily")  # the whole suite tries 100 examples
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        # Hundreds of programs are started that import the arena.  Where none of them may keep it compiled
        # (PYTHONDONTWRITEBYTECODE, as in many containers), each start would cost 0.2 s more.
        compileall.compile_dir(HOUSE / "arena", quiet=2)
        _keep_plugins_compiled()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # What ignores Ctrl-C (a script's `pytest &`) hands that on to all it starts: tests of Ctrl-C would wait
        # for ever.  The arena keeps what its parent wants ignored (`test_signals_that_are_ignored_stay_ignored`).
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int | None:
    """What `-n auto` means: one worker more than there are cores (`--maxprocesses` bounds it).

    A third of the time of the suite is waiting: for limits to pass, for programs and browsers that start.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # who says how many has it so
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begins with the worlds: one worker then has them all, where it would wait for another one's installation.

    xdist gives each worker one long run of tests, so that files share what is made for them, and whoever has
    nothing left to do takes half of what another one has not begun (`--dist worksteal`).

    What is nightly is slow too: `-m "not slow"` is said in place of the `-m` of pyproject.toml.
    """
    items.sort(key=lambda item: "worlds" not in item.path.parts)
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Has garbage looked for where there may be some: not among eight thousand tests and what they import.

    Measured: a sixth of the time of tests that compute in this process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps the test modules compiled too: pytest rewrites their assertions, which takes 8 s in every worker.

    While tests run, nothing is kept that was not asked for: some write the same module twice within a second.
    """
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    gc.disable()  # nothing that is collected becomes garbage: looking for some took 0.3 s of 4.6
    try:
        return (yield)
    finally:
        gc.enable()
        sys.dont_write_bytecode = before


def _latest() -> tuple[int, str] | None:
    """The folder's link to the last run, which is made anew by each."""
    latest = HOUSE / "results" / "latest"
    return (latest.lstat().st_ino, os.readlink(latest)) if latest.is_symlink() else None


@pytest.fixture(autouse=True)
def _leaves_the_house_alone() -> Iterator[None]:
    """Whoever runs the tests has results of their own: a test that plays does it in a folder of its own."""
    before = _latest()
    yield
    assert before == _latest(), (
        "this test pointed results/latest of the house to its own run: monkeypatch.chdir"
    )


def _skipped(config: pytest.Config) -> list[str]:
    """Why tests were skipped, each reason once."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = () if reporter is None else reporter.stats.get("skipped", ())
    return list(dict.fromkeys(str(report.longrepr[-1]) for report in reports))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where `.ci/run` has installed everything, nothing may be skipped."""
    if os.environ.get(SKIPS) == "fail" and exitstatus == 0 and _skipped(session.config):
        session.exitstatus = 1


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line says what to install, to try what was skipped."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not (reasons := _skipped(config)):
        return
    if os.environ.get(SKIPS) == "fail":
        reporter.write_line(f"skipped tests count as failed ({SKIPS}=fail): see `pytest -rs`", red=True)
    if command := to_install(reasons):
        reporter.write_line(f"to try what was skipped for want of a program: {command}")
