"""Runs where temporary files may not be executed, or where nobody can write to the home folder."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from daily import nightly
from needs import need

pytestmark = pytest.mark.slow

RUN = [sys.executable, "-m", "arena", "run", "odds", "anvil", "--series", "1", "--quiet", "--out", "out"]
"""A Python bot, and one that is built first."""
NO_EXEC = (
    'mount -t tmpfs -o noexec none "$TMPDIR" && printf "#!/bin/sh" > "$TMPDIR/no" && chmod +x "$TMPDIR/no" '
)
NO_EXEC += '&& ! "$TMPDIR/no" 2>/dev/null && exec "$@"'


def played(words, folder, **env):
    return subprocess.run(
        words, cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False, timeout=120
    )


def leaderboard(folder):
    return {line.split(",")[1] for line in (folder / "out" / "leaderboard.csv").read_text().splitlines()[1:]}


def test_temporary_files_that_may_not_be_executed(tmp_path):
    """Nothing that is run lies there: neither a bot's program nor the arena's own."""
    need("g++")
    if os.getuid() != 0:
        pytest.skip("only root can mount")
    (tmp_path / "temporary").mkdir()
    words = ["unshare", "--mount", "sh", "-c", NO_EXEC, "sh", *RUN]
    done = played(words, tmp_path, TMPDIR=str(tmp_path / "temporary"))
    assert (0, {"odds", "anvil"}) == (done.returncode, leaderboard(tmp_path)), done.stderr


@pytest.mark.parametrize("home", ["/proc", *nightly("/nowhere")])
def test_a_home_folder_that_cannot_be_written(tmp_path, home):
    """No bot of the house, and nothing of the arena, writes there."""
    need("g++")
    done = played(RUN, tmp_path, HOME=home)
    assert (0, {"odds", "anvil"}) == (done.returncode, leaderboard(tmp_path)), done.stderr
