"""The table of series, the unit of all errors: what each bot did in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from arena.errors import FAULT_KINDS
from arena.store import Store, Table, as_columns, exports

if TYPE_CHECKING:
    from arena.analysis.sheet import Sheet

SERIES_AT_ONCE = 20_000
"""How many series are Python objects at one time."""


@attrs.frozen
class SeriesRow:
    """A row of series.csv: one bot in one series."""

    series_id: str
    cycle: int
    game: str
    bot: str
    version: str
    counted: bool
    """Whether the series counts; if not, a match is missing or aborted, or an earlier series not closed."""
    matches: int
    """How many were played to the end."""
    aborted: int
    """In how many the rules or the arena failed."""
    wins: int
    ties: int
    points_mean: float
    returns_mean: float
    faults: int


COLUMNS = as_columns(SeriesRow)


def series_table(store: Store, sheet: Sheet) -> Table:
    """A header and the rows: counted series in schedule order, each by bot; then the others likewise."""
    return [column.name for column in COLUMNS], _rows(store, sheet)


def _rows(store: Store, sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    yield from _counted(store.game(), sheet)
    progress = sheet.progress
    if progress.left_out or progress.waiting or progress.unplanned:
        yield from _others(store, sheet)


def _counted(game: str, sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    import numpy as np

    size = len(sheet.bots)
    cells, cell = np.unique(sheet.series.astype(np.int64) * size + sheet.bot, return_inverse=True)

    def summed(values: Any) -> Any:
        return np.bincount(cell, values, len(cells))

    matches = summed(None)
    columns = [
        matches,
        np.zeros(len(cells), dtype=int),
        *(summed(values).astype(int) for values in (sheet.win, sheet.tie)),
        summed(sheet.points) / matches,
        summed(sheet.returns) / matches + 0.0,
        summed(sheet.faults).astype(int),
    ]
    for begin in range(0, len(cells), SERIES_AT_ONCE):
        part = slice(begin, begin + SERIES_AT_ONCE)
        lists = [column[part].tolist() for column in columns]
        for code, *numbers in zip(cells[part].tolist(), *lists, strict=True):
            series, bot = divmod(code, size)
            keys = sheet.series_ids[series], int(sheet.cycles[series]), game
            yield (*keys, sheet.bots[bot], sheet.versions[bot], 1, *numbers)


def _others(store: Store, sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    """The rows of the series that do not count; they are few, unless the tournament is not over."""
    names = ["series_id", "cycle", "game", "bot", "version", "status", "win", "tie", "points", "returns"]
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    header, rows = exports.table(store, "seats")
    places = [header.index(name) for name in (*names, *FAULT_KINDS)]
    for row in rows:
        if row[places[0]] not in sheet.progress.series:
            seat = dict(zip((*names, *FAULT_KINDS), (row[place] for place in places), strict=True))
            found.setdefault(seat["series_id"], {}).setdefault(seat["bot"], []).append(seat)
    for bots in found.values():
        for _, seats in sorted(bots.items()):
            yield _other(seats)


def _other(seats: list[dict[str, Any]]) -> tuple[Any, ...]:
    """The row from the seats of one bot in one series."""
    done = [seat for seat in seats if seat["status"] == "done"]
    first: Mapping[str, Any] = seats[0]

    def mean(name: str) -> float:
        return float(sum(seat[name] for seat in done)) / max(1, len(done)) + 0.0

    return (
        *(first[name] for name in ("series_id", "cycle", "game", "bot", "version")),
        *(0, len(done), len(seats) - len(done)),
        *(sum(seat["win"] for seat in done), sum(seat["tie"] for seat in done)),
        *(mean("points"), mean("returns")),
        sum(seat[kind] for seat in seats for kind in FAULT_KINDS),
    )
