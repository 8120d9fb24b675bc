"""A whole tournament by a user without rights: it has its box, plays, and leaves nobody behind."""

from __future__ import annotations

import csv
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from as_user import USER, need_user, run_as_user, user_home
from daily import nightly
from tournaments import BAD

pytestmark = pytest.mark.slow

WHO = """
import os
print("bot of", os.getuid(), flush=True)
if os.fork() == 0:
    os.setsid()
    os.execve("/bin/sleep", ["sleep", "600"], {})
"""
GONE_S_MAX = 5.0


@pytest.fixture
def home():
    """A folder of that user's with two bots."""
    with user_home() as made:
        for name in ("mine.py", "yours.py"):
            (made / name).write_text(WHO + (BAD / "honest.py").read_text())
        yield made


def table(home: Path, name: str) -> list[dict[str, str]]:
    with (home / "out" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("level", ["strict", *nightly("shield")])
def test_a_tournament_of_a_user_without_rights(home, level):
    """Exit code 0, all tables, the box that was asked for, bots of the same user, and no process left."""
    need_user(home)
    before = processes()
    words = ("run", "mine.py", "yours.py", "--series", "2", "--sandbox", level, "-q", "--out", "out")
    ended = run_as_user(home, sys.executable, "-m", "arena.cli", *words)
    assert (0, "") == (ended.returncode, ended.stderr)
    assert {f"{level} (bubblewrap)"} == {row["box"] for row in table(home, "bots")}
    assert [4, 8, 2] == [len(table(home, name)) for name in ("matches", "seats", "bots")]
    assert {"0"} == {row["gone"] for row in table(home, "seats")}
    assert {USER} == {path.stat().st_uid for path in (home / "out").rglob("*")}
    said = (home / "out" / "logs" / "mine-1.log").read_text()
    assert f"bot of {USER}\n" == said
    ends_at = time.monotonic() + GONE_S_MAX
    while (left := processes() - before) and time.monotonic() < ends_at:
        time.sleep(0.05)
    assert set() == left


def processes() -> set[int]:
    """Those of that user."""
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if place.stat().st_uid == USER:
                found.add(int(place.name))
    return found
