"""What is kept in columns is what the rows say, or it is not used."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator

import attrs
import numpy as np
import pytest
from synthetic import play

from arena.analysis import export, exported
from arena.analysis import sheet as sheet_module
from arena.analysis.ranking import leaderboard
from arena.analysis.sheet import Sheet, read_sheet
from arena.match.game import Seat
from arena.match.record import Decision, Entry
from arena.store import Store, StoredBot, erase, exports
from arena.store.files import COLUMNS_FOLDER
from arena.store.kept import columns, kept_lines, ranges
from arena.store.kept.keeping_ranges import RangeKeeper
from arena.store.lines import TableLines, quoted_text
from arena.tournament.folder.contents import contents_of, put_aside


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three matches to a file."""
    monkeypatch.setattr(ranges, "SIZE", 3)


def entries(rng: random.Random) -> list[Entry]:
    """Tables of two and three; one aborted match, some with faults, times of their own."""
    found = []
    for series in range(8):
        bots = rng.sample(("ann", "bob", "cat", "dan"), 2 + series % 2)
        for rotation in range(len(bots)):
            told = [
                Decision(1, Seat(rng.randrange(len(bots))), "0", rng.random(), fault, "")
                for fault in rng.choices((None, "too_late", "gone"), k=rng.randrange(1, 5))
            ]
            ranks = rng.sample(range(1, len(bots) + 1), len(bots))
            error = "boom" if (series, rotation) == (3, 0) else None
            entry = play(series, rotation, bots, ranks, decisions=told, error=error)
            adjusted = tuple(won / 2 for won in entry.record.returns)  # told apart from returns
            found.append(attrs.evolve(entry, record=attrs.evolve(entry.record, adjusted=adjusted)))
    return found


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with open and aborted series, a match outside of the schedule, and a bot that left."""
    rng = random.Random(5)
    planned = entries(rng)
    store.set_schedule(entry.pairing for entry in [*planned, play(8, 0, ("dan", "ann"))])
    store.add_many([*rng.sample(planned, len(planned) - 1), play(99, 0, ("eve", "bob"))])
    store.put_bots([StoredBot("eve", "1", status="replaced"), StoredBot("zoe", "3")])
    RangeKeeper(store, 0).keep()
    return store


def files(store: Store) -> list[str]:
    return sorted(path.name for path in (store.folder / COLUMNS_FOLDER).glob("*") if not path.suffix)


def values_of(sheet: Sheet) -> dict[str, object]:
    """All of a sheet, to be compared; times are in no order."""
    values = {name: getattr(sheet, name) for name in attrs.fields_dict(Sheet)}
    values["times"] = [sorted(times.tolist()) for times in sheet.times]
    return {
        name: (value.dtype, value.tolist()) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def assert_alike(store: Store, **how: bool) -> None:
    """From columns and from rows comes the same, to the last digit."""
    kept, rows = read_sheet(store, **how), read_sheet(store, from_rows=True)
    assert values_of(rows) == values_of(kept)
    board, other = leaderboard(store, sheet=rows), leaderboard(store, sheet=kept)
    assert (board.table, list(board.meetings)) == (other.table, list(other.meetings))


def used(store: Store) -> int:
    """How many files are used."""
    return len(list(columns.kept_chunks(store)))


def test_columns_are_what_rows_are(filled):
    """Whatever counts, and what was played after the last file."""
    assert filled.last_number() // 3 == used(filled) > 5
    assert filled.last_number() % 3, "some matches are in no file"
    assert_alike(filled)


def test_rows_in_columns_are_not_read(filled, monkeypatch):
    """That is what they are for; unless somebody verifies."""
    asked = []
    seats = sheet_module.chunks.seats
    monkeypatch.setattr(sheet_module.chunks, "seats", lambda *of: asked.append(of[1]) or seats(*of))
    read_sheet(filled)
    exported(filled)
    (later, _), everything = asked
    assert (3 * used(filled) + 1, sheet_module.ALL) == (later, everything)


CHANGES: dict[str, Callable[[Store], object]] = {
    "a match more": lambda store: store.add(play(50, 0)),
    "many more": lambda store: store.add_many([play(50, turn) for turn in range(7)]),
    "a match less": lambda store: store.remove(["000000020000"]),
    "the last one played again": lambda store: again(store),
    "the schedule cut": lambda store: store.set_schedule([play(0, 0).pairing]),
    "no schedule": lambda store: store.set_schedule([]),
    "the schedule extended": lambda store: store.extend_schedule([play(99, 0).pairing]),
    "a bot back": lambda store: store.set_status("eve", "ok"),
    "a bot withdrawn": lambda store: store.set_status("ann", "withdrawn"),
}


def again(store: Store) -> None:
    """The last match gives its number to another one."""
    store.remove([f"{99:08x}{0:04x}"])
    store.add(play(99, 0, ("eve", "bob"), (2, 1)))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changed_is_read_again(filled, change):
    """By whoever only reads, and by an export, which keeps it; then all of it is kept."""
    change(filled)
    assert_alike(filled)
    assert_alike(filled, keeps=True)
    assert filled.last_number() // 3 == used(filled)
    assert_alike(filled)


def test_a_row_with_a_new_checksum_is_another_row(filled):
    """What was kept of it is of no use."""
    before = used(filled)
    filled.connection.execute("UPDATE matches SET checksum = x'0000000000000000' WHERE number = 5")
    assert 1 == used(filled) < before


SPOILED: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda octets: octets[:-1],
    "a flipped bit": lambda octets: octets[:99] + bytes([octets[99] ^ 1]) + octets[100:],
    "no columns": lambda _: ranges.hashed(b"\x90") + b"\x90",
    "columns of another length": lambda octets: shortened(octets),
}


def shortened(octets: bytes) -> bytes:
    chunk = columns._decoder.decode(octets[16:])
    cut = columns._encoder.encode(columns.msgspec.structs.replace(chunk, returns=chunk.returns[:-8]))
    return ranges.hashed(cut) + cut


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_file_that_is_not_as_written_is_not_used(filled, spoil):
    """Nor those after it, until they are written again."""
    path = filled.folder / COLUMNS_FOLDER / "000001"
    path.write_bytes(spoil(path.read_bytes()))
    assert 1 == used(filled)
    assert_alike(filled)
    assert_alike(filled, keeps=True)
    assert filled.last_number() // 3 == used(filled)


def test_what_cannot_be_kept_is_read(filled):
    """As in a folder that nobody may write to."""
    erase_columns(filled)
    (filled.folder / COLUMNS_FOLDER).write_text("in the way")
    assert_alike(filled, keeps=True)


def erase_columns(store: Store) -> None:
    shutil.rmtree(store.folder / COLUMNS_FOLDER)


def test_an_export_keeps_them_and_a_fresh_start_drops_them(filled):
    """Who only looks writes nothing."""
    erase_columns(filled)
    read_sheet(filled)
    assert [] == files(filled)
    export(filled)
    assert filled.last_number() // 3 == len(files(filled))
    filled.close()
    erase(filled.folder)
    assert not (filled.folder / COLUMNS_FOLDER).exists()


def test_a_fresh_start_of_a_run_drops_them_when_play_begins(filled):
    """With the other files of the tournament that was there."""
    export(filled)
    kept = [filled.folder / COLUMNS_FOLDER / name for name in ("000001", "000001.seats")]
    filled.close()
    with put_aside(filled.folder, contents_of(filled.folder)) as forget:
        assert all(path.exists() for path in kept)
        forget()
    assert not any(path.exists() for path in kept)


def test_a_run_keeps_what_is_whole(store):
    """When the last match of a range is stored, and not before; also after matches were taken back."""
    keeper = RangeKeeper(store)
    seen = []

    def stored() -> Iterator[int]:
        for turn in range(5):
            store.add(play(0, turn))
            keeper.keep()
            yield len(files(store))

    seen += stored()
    assert [0, 0, 1, 1, 1] == seen
    store.remove([f"{0:08x}{turn:04x}" for turn in (2, 3, 4)])
    keeper.keep()
    store.add(play(1, 0))
    keeper.keep()
    assert 1 == used(store)
    assert_alike(store)


# Lines


def assert_lines_are_rows(store: Store) -> None:
    """What is put in order is what `csv.writer` makes of the rows."""
    for name in kept_lines.IN_LINES:
        _, rows = exports.table(store, name, as_cells=True)
        assert isinstance(rows, TableLines)
        assert quoted_text(rows) == "".join(rows.texts())


def made(store: Store, monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The first numbers of the ranges whose lines are made, and not only put in order."""
    first, make = set(), kept_lines._made
    with monkeypatch.context() as patch:
        patch.setattr(kept_lines, "_made", lambda *of: first.add(of[2][0]) or make(*of))
        assert_lines_are_rows(store)
    return first


OF_LINES: dict[str, Callable[[Store], object]] = {
    **CHANGES,
    "a margin": lambda store: store.put_bots([StoredBot("ann", "1.0", margin_s=0.5)]),
    "a version of the game": lambda store: store.set_meta("game_version", 7),
}


@pytest.mark.parametrize("change", OF_LINES.values(), ids=OF_LINES)
def test_lines_of_what_changed_are_made_again(filled, change, monkeypatch):
    """In whatever order they stand now; then only those of the last matches are made for every export."""
    change(filled)
    assert_lines_are_rows(filled)
    assert {filled.last_number() // 3 * 3 + 1} == made(filled, monkeypatch)


@pytest.mark.parametrize("spoil", [*SPOILED.values()][:4], ids=[*SPOILED][:4])
def test_lines_that_are_not_as_written_are_made_again(filled, spoil, monkeypatch):
    """Those of this range alone."""
    path = filled.folder / COLUMNS_FOLDER / "000001.seats"
    path.write_bytes(spoil(path.read_bytes()))
    assert {4, filled.last_number() // 3 * 3 + 1} == made(filled, monkeypatch)


def test_lines_of_a_run_are_there_before_any_export(filled, monkeypatch):
    """That is what they are for."""
    assert {filled.last_number() // 3 * 3 + 1} == made(filled, monkeypatch)
