"""The leaderboard that was made last is said again only where nothing has changed at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from synthetic import play

from arena.analysis import export, exported_before
from arena.analysis.ranking import leaderboard
from arena.store import DATABASE, Store, erase
from arena.store.checksums import note_all, stored_rows
from arena.store.files import KEPT_BOARD
from arena.store.kept import digest


@pytest.fixture
def folder(played: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as large, with all its CSVs, of which a leaderboard was asked for once."""
    monkeypatch.setattr(digest, "LARGE_BYTES", 0)
    played.close()
    with Store.checked(played.folder) as store:
        export(store)
    return played.folder


def again(folder: Path, anchor: str | None = None) -> object:
    """What the next `arena leaderboard` would say without computing anything."""
    with Store.checked(folder) as store:
        found = exported_before(store, anchor=anchor)
        if found is not None:
            made = leaderboard(store, anchor=anchor)
            assert (made.rows, made.notes, made.scale) == (found.rows, found.notes, found.scale)
            assert (made.is_ordered, made.leader_is_best) == (found.is_ordered, found.leader_is_best)
            assert made.progress.note == found.progress.note
            assert made.table == found.table
        return found


def test_what_was_made_is_said_again(folder):
    """To the last digit, in rows, remarks and the line about what is not counted."""
    assert again(folder) is not None


def test_of_matches_that_do_not_count_too(folder):
    """The line about them is the same."""
    with Store.open(folder, write=True) as writer:
        writer.set_schedule([play(series, turn).pairing for series in range(9) for turn in range(2)])
        writer.add(play(4, 0))
    with Store.checked(folder) as store:
        assert "1 played, waiting" in export(store).progress.note
    assert again(folder) is not None


def test_another_anchor_is_another_leaderboard(folder):
    """The one that was kept is of the mean."""
    assert again(folder, "ann") is None
    with Store.checked(folder) as store:
        export(store, anchor="ann")
    assert again(folder, "ann") is not None
    assert again(folder) is None


def edit(folder: Path, *, mends_checksums: bool) -> None:
    """Gives ann's rows other returns, behind the arena's back."""
    db = Store.open(folder).connection
    db.execute("PRAGMA query_only = 0")
    db.execute("UPDATE seats SET \"returns\" = 7.0 WHERE bot = 'ann' AND rank = 1")
    if mends_checksums:
        sums = [(rows.checksum, number) for number, _, rows in stored_rows(db)]
        db.executemany("UPDATE matches SET checksum = ? WHERE number = ?", sums)
        note_all(db)
    db.close()


@pytest.mark.parametrize("mends_digest", [False, True], ids=["digest as it was", "digest mended"])
def test_an_edited_row_does_not_hide(folder, mends_digest):
    """Even if whoever edited it knew all about checksums and digest."""
    edit(folder, mends_checksums=True)
    if mends_digest:
        digest.write_digest(folder / DATABASE)
    assert again(folder) is None
    with Store.checked(folder) as store:
        assert 7.0 in [row.returns_mean for row in leaderboard(store).rows] or store.damage is None


def test_a_damaged_row_is_told(folder):
    """What was kept does not keep damage from being found."""
    edit(folder, mends_checksums=False)
    with Store.checked(folder) as store:
        assert store.damage is not None
        assert exported_before(store) is None


def touch(folder: Path) -> None:
    path = folder / "leaderboard.csv"
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def spoil(change: object) -> object:
    """Changes what is kept; the rest of it is as it was."""

    def spoilt(folder: Path) -> None:
        path = folder / KEPT_BOARD
        said = json.loads(path.read_text())
        assert callable(change)
        change(said)
        path.write_text(json.dumps(said, ensure_ascii=False))

    return spoilt


CHANGES = {
    "a match more": lambda folder: add(folder),
    "a table gone": lambda folder: (folder / "head_to_head.csv").unlink(),
    "a table touched": touch,
    "no digest": lambda folder: digest.digest_path(folder / DATABASE).unlink(),
    "gone": lambda folder: (folder / KEPT_BOARD).unlink(),
    "not JSON": lambda folder: (folder / KEPT_BOARD).write_text("{"),
    "something else": lambda folder: (folder / KEPT_BOARD).write_text("[1]"),
    "a row too short": spoil(lambda said: said["rows"][0].pop()),
    "a word for a number": spoil(lambda said: said["rows"][0].__setitem__(0, "first")),
    "a number of series": spoil(lambda said: said["progress"].update(planned="many")),
    "an escape sequence": spoil(lambda said: said["notes"].append("\x1b[2J")),
    "of another arena": spoil(lambda said: said["of"].__setitem__(1, "0.0.0 1 0")),
}


def add(folder: Path) -> None:
    with Store.open(folder, write=True) as writer:
        writer.add(play(9, 0))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_said_of_what_changed(folder, change):
    """Nor of a file that is not what the arena writes."""
    change(folder)
    assert again(folder) is None


def test_a_run_that_writes_meanwhile_keeps_nothing(folder):
    """The digest would be that of another state."""
    (folder / KEPT_BOARD).unlink()
    with Store.checked(folder) as store:
        add(folder)
        export(store)
    assert not (folder / KEPT_BOARD).exists()


def test_small_folders_keep_none(played):
    """They have no digest, and are read in no time."""
    played.close()
    with Store.checked(played.folder) as store:
        export(store)
    assert not (played.folder / KEPT_BOARD).exists()


def test_a_fresh_start_takes_it_too(folder):
    """What is said of nothing is nothing."""
    erase(folder)
    assert not (folder / KEPT_BOARD).exists()
