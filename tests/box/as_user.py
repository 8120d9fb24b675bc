"""Tries of hostile programs by a user without rights, in a process of that user: `as_user.py HOUSE TRIES`.

Prints for each try what the program said, and why it was ended.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
import trio

from arena.trials.torture import user

USER = user.USER_ID


def need_root() -> None:
    """Skips the test where this process cannot become another user."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user; the other tests are those of a user without rights")


@contextmanager
def user_home(where: str | None = None):
    """A folder of that user's; those of pytest are shut to others."""
    need_root()
    made = Path(tempfile.mkdtemp(prefix="user-", dir=where))
    os.chown(made, USER, USER)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def run_as_user(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What this command says as a user without rights."""
    return user.run_as_user(home, words, stderr=subprocess.PIPE, timeout_s=120)


def need_user(home: Path) -> None:
    """Skips the test where this process cannot become that user, and says what is missing."""
    need_root()
    for wanted, words in (
        ("read the interpreter and this package", [sys.executable, "-c", "import arena.cli"]),
        ("make user namespaces", ["bwrap", "--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]),
    ):
        tried = run_as_user(home, *words)
        if tried.returncode:
            pytest.skip(f"a user without rights cannot {wanted}: {tried.stderr.strip()[-300:]}")


class Try(NamedTuple):
    """A hostile program in a box."""

    box: tuple[str, str]
    act: str
    words: tuple[str, ...] = ()
    memory_mb: int = 2048
    is_ended: bool = False
    """Whether to wait until it is ended for what it did."""


class Outcome(NamedTuple):
    """What came of a try."""

    said: str
    """Its first word: `held` or `escaped`."""
    excess: str


def outcomes_of(tries: Sequence[Try]) -> list[Outcome]:
    """What came of each try, made by a user without rights."""
    with user_home("/var/tmp") as home:  # not in /tmp, where each box has one of its own
        need_user(home)
        ended = run_as_user(home, sys.executable, __file__, str(home), json.dumps(tries))
        assert (0, "") == (ended.returncode, ended.stderr)
        return [Outcome(*pair) for pair in json.loads(ended.stdout)]


# By that user.


async def _tried(own: Path, one: Try) -> Outcome:
    from boxes import program

    from arena.box.box import open_box
    from arena.box.places import FileView

    level, means = one.box
    place = FileView(folder=own, own=(own,), is_writable=level != "strict")
    async with (
        open_box(level, means=means) as box,
        program(box, place, one.act, *one.words, memory_mb=one.memory_mb) as said,
    ):
        if one.is_ended:
            await said.running.ended.wait()
        await said.running.kill()
        return Outcome(said.text.partition(" ")[0].strip(), said.running.excess)


async def try_all(house: Path, tries: Sequence[Try]) -> list[Outcome]:
    """What came of each try, all made at once, by the user of this process; `house` is an empty folder."""
    found: dict[int, Outcome] = {}

    async def note(number: int, one: Try) -> None:
        found[number] = await _tried(house / f"own-{number}", one)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for number, one in enumerate(tries):
                os.mkdir(house / f"own-{number}")
                nursery.start_soon(note, number, one)
    return [found[number] for number in range(len(tries))]


if __name__ == "__main__":
    made = [Try(tuple(box), act, tuple(words), *more) for box, act, words, *more in json.loads(sys.argv[2])]
    print(json.dumps(trio.run(try_all, Path(sys.argv[1]), made)))
