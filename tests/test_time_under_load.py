"""Whatever keeps the arena from running, an answer that the kernel had in time is in time: `tests/fairness.py`.

One run each, and the promise without exception.  The arena is kept from listening by the test itself, at known moments
and for longer than a bot has time, so that something is tried however quick or busy the machine is.  How much the load
was late does not matter: its answers are stamped when `write` has returned, and judged by that.  What share of answers
is spoilt when other programs take the cores is for who wants to know: `python tests/fairness.py --trouble hogs`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from daily import nightly
from fairness import compiled
from needs import needs

ROOT = Path(__file__).parent.parent
CONNECTIONS = 32
CAN_SET_QUOTAS = os.access("/sys/fs/cgroup/cpu/cgroup.procs", os.W_OK)

pytestmark = [pytest.mark.slow, needs("g++")]


NEEDS_QUOTA = pytest.mark.skipif(
    not CAN_SET_QUOTAS, reason="control groups may not be written: no quota tried"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    return compiled(tmp_path_factory.mktemp("load"))


def measured(program: Path, *words: str) -> dict:
    """What `tests/fairness.py` says about 100 matches at 16 tables."""
    command = [sys.executable, "tests/fairness.py", "--matches", "100", "--tables", "16", *words]
    ended = subprocess.run(
        [*command, "--program", str(program)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert 0 == ended.returncode, ended.stderr
    found = json.loads(ended.stdout)
    assert (100, 0, 0) == (found["matches"], found["gone"], found["other faults"])
    due = found["questions"] - found["stamps"]
    # What was too late may never be answered: a load that has a tenth of a core owes several answers in the end.
    most = CONNECTIONS + found["too_late"]
    assert 0 <= due <= most, "every answer is stamped; a late one may be due when its match is over"
    assert found["too_late"] == found["charges"], "the judges are listened to"
    return found


@pytest.mark.parametrize(
    "trouble",
    ["stopped", *nightly("none", "deaf"), pytest.param("quota-10", marks=(NEEDS_QUOTA, pytest.mark.nightly))],
)
def test_nobody_is_charged_for_what_the_kernel_had_in_time(program, trouble):
    """32 connections at 16 tables that use 15 ms of 20, in every trouble that stops an arena.

    Whenever the arena is deaf somebody's time is over before it listens again: at least that answer may be lagged.
    """
    found = measured(program, "--trouble", trouble)
    assert [] == found["unfair"]
    assert (trouble in ("deaf", "stopped")) == (found["troubled"] > 0)
    assert trouble == "none" or found["lagged"] >= max(1, found["troubled"]), "it listened all the same"


@pytest.mark.nightly
@pytest.mark.slow
def test_workers_charge_nobody_for_what_the_kernel_had_in_time(program):
    """Meanwhile the run and its workers are stopped again and again, and other programs want all cores.

    Every second trouble is a worker's.
    """
    found = measured(program, "--workers", "2", "--trouble", "hogs", "stopped", "worker-stopped")
    assert [] == found["unfair"]
    assert 2 == found["workers"]
    assert 1 <= found["troubled"] // 2 <= found["lagged"], "they listened all the same"
