"""The suite itself: it passes however it was started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_suite_may_run_in_the_background_of_a_script():
    """What a shell starts with `&` ignores Ctrl-C, and hands that on; tests of Ctrl-C pass there too."""
    tests = "tests/test_session.py::test_a_run_is_cancelled_by_the_first_signal"
    words = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-m", "pytest", tests]
    ended = subprocess.run(words, cwd=HOUSE, capture_output=True, text=True, timeout=60, check=False)
    assert 0 == ended.returncode, ended.stdout
