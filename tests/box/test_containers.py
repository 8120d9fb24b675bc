"""Boxes where processes are numbered from 1, as in a container whose entry point is the arena."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from boxes import SHIELD, need

pytestmark = pytest.mark.slow

OPENED = """
import os
import trio
from arena.box.box import open_box

for _ in range(30):  # the keeper's number is a large one
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


async def main():
    async with open_box("shield") as box:
        print(os.getpid() < 16, box.means)


trio.run(main)
"""


def test_a_box_that_numbers_its_processes_like_the_arena_is_not_taken_for_open() -> None:
    """The arena has a number there that a process of the box has too; to signal that one is no escape."""
    need(SHIELD)
    if os.geteuid():
        pytest.skip("not tried: only root makes a process namespace without another one")
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    ended = subprocess.run(
        [*words, sys.executable, "-c", OPENED], capture_output=True, text=True, timeout=60, check=False
    )
    assert "True bubblewrap\n" == ended.stdout, ended.stderr
