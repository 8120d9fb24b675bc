"""What all tests share: Hypothesis without a deadline (machines are shared and noisy), and signals that are heard."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")


def pytest_configure() -> None:
    """What ignores Ctrl-C (a script's `pytest &`) hands that on to all it starts: tests of Ctrl-C would wait for ever.

    The arena keeps what its parent wants ignored, as it should: `test_signals_that_are_ignored_stay_ignored`.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI nothing may be skipped: what a machine lacks there, .ci/run must install."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped") and exitstatus == 0:
        reporter.write_line("skipped tests in CI count as failed: see `pytest -rs`", red=True)
        session.exitstatus = 1
