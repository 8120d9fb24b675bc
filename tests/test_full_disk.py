"""A disk without room: one sentence says where and what helps, nothing is lost, and play goes on later."""

from __future__ import annotations

import errno
import sqlite3
from collections import namedtuple
from pathlib import Path

import pytest
from calls import call

from arena.box.box import open_box
from arena.errors import ConfigError, DiskFull
from arena.players.access import place_of
from arena.players.folders import working_folder
from arena.players.log import BotLog
from arena.players.start import BotBroken
from arena.store import Store
from arena.store.files import sentences
from arena.tournament.bots.build import build
from arena.tournament.bots.entrants import resolve


def no_room(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_run_that_has_no_room_to_begin_leaves_nothing(tmp_path, monkeypatch, capsys):
    """There is no folder to continue then, and nobody is told to."""
    monkeypatch.chdir(tmp_path)

    def full(folder, meta):
        with sentences(folder / "arena.db"):
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    monkeypatch.setattr(Store, "create", full)
    code, _, said = call(capsys, monkeypatch, "run", "truthful", "random", "--out", "out")
    assert (2, "arena: the disk is full: make room for out; nothing was played\n") == (code, said)
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("free", "said"), [(0, "the disk is full: "), (1 << 20, "the disk reports an error")]
)
def test_sqlite_without_room_beside_its_file_is_a_full_disk(tmp_path, monkeypatch, free, said):
    """It has a number of its own for that, the one of disks that are broken."""
    usage = namedtuple("usage", "free")(free)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    with pytest.raises(ConfigError, match=said) as raised, sentences(tmp_path / "arena.db"):
        raise error
    assert (free == 0) == isinstance(raised.value, DiskFull)


def test_a_log_without_room_is_told_with_what_helps(tmp_path, monkeypatch):
    """Before a match: in one, a full disk ends no bot."""
    monkeypatch.setattr(Path, "open", no_room)
    with pytest.raises(DiskFull, match=r"ann-1\.log cannot be written: the disk is full, make room there"):
        BotLog(tmp_path / "ann-1.log")


@pytest.mark.slow
async def test_a_build_without_room_is_told_as_that(tmp_path):
    """With the line that says so: the linker's last one says only that it has failed.  Its log says the rest."""
    folder = tmp_path / "bot"
    folder.mkdir()
    compiler = "echo compiling in $LANGUAGE; cat bot.toml > /dev/full; echo error: ld returned 1; exit 7"
    (folder / "bot.toml").write_text(f'name = "bot"\nbuild = "{compiler}"\nrun = "./made"\n')
    entrant = resolve(str(folder), base=tmp_path)
    async with open_box("shield") as box:
        with pytest.raises(BotBroken) as raised:
            await build(entrant, box, place_of(entrant, (), ()), tmp_path / "log")
    assert raised.value.reason.startswith(
        f"its build failed with exit code 7, as the disk is full (make room for {working_folder(entrant)}): "
    )
    assert raised.value.reason.endswith("No space left on device")
    assert "compiling in en" in raised.value.log, "else the system's sentence has other words"
