"""Landlock's first versions know fewer rights: what they know is used, and nothing else."""

from __future__ import annotations

import struct
import subprocess
import sys

import pytest
from boxes import LANDLOCK, need

RIGHTS = {1: 13, 2: 14, 3: 15}
"""How many rights over files each version knows (`linux/landlock.h`)."""
RESTRICTED = """
import os, struct, sys
from arena.box.kernel import landlock

class Kernel:
    def syscall(self, number, *words):
        if number == landlock._CREATE_RULESET:
            print(words[0].hex())
        elif number == landlock._ADD_RULE:
            print(struct.pack("=Q", struct.unpack("=Qi", words[2])[0]).hex())
        return real.syscall(number, *words)

real, landlock.libc = landlock.libc, Kernel()
landlock.version = lambda: int(sys.argv[1])
shown, own = sys.argv[2:4]
landlock.restrict([shown], [own], [], os.getpid())
open(shown + "/file").close()
open(own + "/made", "w").close()
for path, mode in ((own + "/../hidden", "r"), (shown + "/file", "w")):
    try:
        open(path, mode)
    except PermissionError:
        print("held")
"""


@pytest.mark.parametrize("version", RIGHTS)
def test_an_early_version_is_asked_only_for_what_it_knows(version, tmp_path):
    """It hides files and keeps them from being changed; no rule names a right of a later version."""
    need(LANDLOCK)
    for name in ("shown", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "hidden").touch()
    (tmp_path / "shown" / "file").touch()
    ended = subprocess.run(
        [sys.executable, "-c", RESTRICTED, str(version), str(tmp_path / "shown"), str(tmp_path / "own")],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert 0 == ended.returncode, ended.stderr
    *asked, first, second = ended.stdout.split()
    assert ("held", "held") == (first, second)
    assert 4 == len(asked)
    for rights in asked:
        assert 0 == struct.unpack("=Q", bytes.fromhex(rights))[0] >> RIGHTS[version]
