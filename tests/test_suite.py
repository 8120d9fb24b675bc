"""The suite itself: it passes however it was started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worlds.entering import entered, unavailable

HOUSE = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_suite_may_run_in_the_background_of_a_script():
    """What a shell starts with `&` ignores Ctrl-C, and hands that on; tests of Ctrl-C pass there too."""
    tests = "tests/test_session.py::test_a_run_is_cancelled_by_the_first_signal"
    words = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-m", "pytest", tests]
    ended = subprocess.run(words, cwd=HOUSE, capture_output=True, text=True, timeout=60, check=False)
    assert 0 == ended.returncode, ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("skips", "code"), [("", 0), ("fail", 1)])
def test_what_a_machine_lacks_is_skipped_and_the_last_line_says_what_to_install(skips, code):
    """Without bubblewrap and node the suite is green, but where a machine is said to have everything."""
    if reason := unavailable("bare"):
        pytest.skip(reason)
    tests = ("tests/box/test_listener.py", "tests/bots/test_scout_blef.py")
    ended = subprocess.run(
        entered("bare", None, sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", *tests),
        cwd=HOUSE,
        env={**os.environ, "ARENA_TEST_SKIPS": skips},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert code == ended.returncode, ended.stdout
    last = ended.stdout.splitlines()[-1]
    assert "to try what was skipped for want of a program: apt-get install bubblewrap nodejs" == last


@pytest.mark.slow
def test_quick_tests_are_not_nightly():
    """`-m "not slow"`, the guide's daily loop, is in place of the `-m` by which nightly tests are left out."""
    file = Path("tests/analysis/test_normal.py")
    text = (HOUSE / file).read_text()
    nightly, quick = "test_it_takes_about_as_long_as_said", "test_an_unseen_loss_is_allowed_for"
    assert f"@pytest.mark.nightly\ndef {nightly}(" in text, "nightly, and not marked as slow"
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-n0",
        "--collect-only",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
    ]
    ended = subprocess.run([*words, file], cwd=HOUSE, capture_output=True, text=True, timeout=60, check=False)
    assert quick in ended.stdout
    assert nightly not in ended.stdout
