"""The CSVs are written anew where the store has changed or somebody touched them, and left alone where not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from synthetic import play

from arena.analysis import export
from arena.analysis.tables import COLUMNS
from arena.store import Store, StoredBot, erase
from arena.store.files import STAMP, TABLE_FILES

LASTING = ("matches.csv", "seats.csv", "bots.csv", "decisions.csv", "series.csv")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


def written(folder: Path) -> dict[str, int]:
    return {name: (folder / name).stat().st_ino for name in LASTING}


def test_nothing_new_nothing_written(played):
    """The tables of matches stay the very same files; head to head and leaderboard are made again."""
    export(played)
    before, was = written(played.folder), contents(played.folder)
    (played.folder / "leaderboard.csv").unlink()
    with Store.open(played.folder) as reader:
        export(reader)
    assert before == written(played.folder)
    assert was == contents(played.folder)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda store: store.add(play(9, 0)), id="a match more"),
        pytest.param(lambda store: store.remove([f"{2:08x}{1:04x}"]), id="a match less"),
        pytest.param(lambda store: store.put_bots([StoredBot("ann", margin_s=0.5)]), id="a bot changed"),
        pytest.param(lambda store: store.set_schedule([]), id="another schedule"),
        pytest.param(lambda store: store.set_meta("game_version", 7), id="another version"),
    ],
)
def test_what_changed_is_written(played, change):
    """Whatever it was: the tables are those of a folder that was never written before."""
    export(played)
    change(played)
    export(played)
    is_now = contents(played.folder)
    for name in (*TABLE_FILES, STAMP):
        (played.folder / name).unlink()
    export(played)
    assert contents(played.folder) == is_now


def test_a_match_played_again_is_written(played):
    """Though there are as many matches as before, and the last has the same number."""
    export(played)
    played.remove([f"{2:08x}{1:04x}"])
    played.add(play(2, 1, ranks=(1, 2)))
    export(played)
    assert b",too_late," not in (played.folder / "decisions.csv").read_bytes()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def edit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"ann", b"ANN"))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


@pytest.mark.parametrize("spoil", [Path.unlink, cut, edit], ids=["gone", "cut", "edited"])
@pytest.mark.parametrize("name", ["matches.csv", "seats.csv", "series.csv"])
def test_a_table_that_somebody_touched_is_written(played, spoil, name):
    """Missing, half written, or edited by hand without a change of its length."""
    export(played)
    was = contents(played.folder)
    spoil(played.folder / name)
    export(played)
    assert was == contents(played.folder)


@pytest.mark.parametrize("stamp", [b"", b"{", b"[]", b'{"mark": null, "files": {}}', b"\xff"])
def test_a_broken_stamp_is_no_stamp(played, stamp):
    """Then everything is written."""
    export(played)
    before = written(played.folder)
    (played.folder / STAMP).write_bytes(stamp)
    export(played)
    assert all(before[name] != inode for name, inode in written(played.folder).items())


def test_a_folder_of_an_older_arena_is_always_written(played):
    """Its database has no mark, so nothing tells whether it has changed."""
    export(played)
    played.connection.execute("DELETE FROM meta WHERE key = 'mark'")
    before = written(played.folder)
    export(played)
    assert before != written(played.folder)


def test_another_folder_gets_all_tables(played, tmp_path):
    """And again only what must be."""
    (tmp_path / "copy").mkdir()
    export(played, tmp_path / "copy")
    before = written(tmp_path / "copy")
    export(played, tmp_path / "copy")
    assert before == written(tmp_path / "copy")
    assert set(TABLE_FILES) == set(contents(tmp_path / "copy")) == {f"{name}.csv" for name in COLUMNS}


def test_erasing_takes_the_stamp_too(played):
    """Or a new tournament might be taken for the old one."""
    export(played)
    played.close()
    erase(played.folder)
    assert not list(played.folder.glob("*.csv"))
    assert not (played.folder / STAMP).exists()


def test_the_mark_is_nobody_elses_business(played):
    """It is another after every change, and stands in no meta."""
    before = played.mark()
    assert before == played.mark()
    played.set_meta("x", 1)
    assert played.mark() not in (before, None)
    assert "mark" not in played.meta()
