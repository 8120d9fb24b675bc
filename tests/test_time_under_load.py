"""Whatever keeps the arena from running, an answer that the kernel had in time is in time: `tests/fairness.py`.

One run each, and the promise without exception.  How much the load itself was late does not matter: its answers are
stamped when `write` has returned, and judged by that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CAN_SET_QUOTAS = os.access("/sys/fs/cgroup/cpu/cgroup.procs", os.W_OK)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="the load is a C++ program: no g++ here"),
]


def quota(percent: int):
    mark = pytest.mark.skipif(not CAN_SET_QUOTAS, reason="control groups may not be written: no quota tried")
    return pytest.param(f"quota-{percent}", 20, marks=mark)


@pytest.mark.parametrize(
    ("trouble", "lagged_least"), [("none", 0), ("hogs", 20), quota(25), quota(10), ("pauses", 20)]
)
def test_nobody_is_charged_for_what_the_kernel_had_in_time(trouble, lagged_least):
    """32 connections at 16 tables that use 15 ms of 20, in every trouble that stops an arena."""
    words = [sys.executable, "tests/fairness.py", "--trouble", trouble, "--matches", "100", "--tables", "16"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert 0 == ended.returncode, ended.stderr
    found = json.loads(ended.stdout)
    assert (100, 0, 0) == (found["matches"], found["gone"], found["other faults"])
    assert [] == found["unfair"]
    assert found["lagged"] >= lagged_least, "the trouble was none: nothing was tried"
