"""The table of series, the unit of all errors: what each bot did in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any

import attrs

from arena.errors import FAULT_KINDS
from arena.store import Store, Table, as_columns, exports
from arena.store.cells import harmless, harmless_rows
from arena.store.lines import TableLines, is_plain, quoted_text

if TYPE_CHECKING:
    from arena.analysis.sheet import Sheet

ROWS_AT_ONCE = 20_000
"""How many rows exist as Python objects at a time."""


@attrs.frozen
class SeriesRow:
    """A row of series.csv: one bot in one series."""

    series_id: str
    cycle: int
    game: str
    bot: str
    version: str
    counted: bool
    """Whether the series counts; else a match is missing or aborted, or an earlier series is not closed."""
    matches: int
    """How many matches were played to the end."""
    aborted: int
    """In how many matches the rules or the arena failed."""
    wins: int
    ties: int
    points_mean: float
    returns_mean: float
    luck_adjusted_returns_mean: float
    faults: int


COLUMNS = as_columns(SeriesRow)
_LINE = ",".join("%r" if column.type == "real" else "%s" for column in COLUMNS) + "\n"


def series_table(store: Store, sheet: Sheet) -> Table:
    """The header and the rows: the series that count in schedule order, each by bot; then the others."""
    return [column.name for column in COLUMNS], _rows(store, sheet)


def series_cells(store: Store, sheet: Sheet) -> Table:
    """The table of series as it is written to CSV, with its texts made harmless."""
    header = [column.name for column in COLUMNS]
    return header, TableLines(lambda: harmless_rows(_rows(store, sheet)), lambda: _texts(store, sheet))


def _rows(store: Store, sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    for rows in _counted(store.game(), sheet):
        yield from rows
    yield from _others(store, sheet)


def _texts(store: Store, sheet: Sheet) -> Iterator[str]:
    columns = len(COLUMNS)
    for rows in _counted(*_harmless(store.game(), sheet)):
        text = "".join([_LINE % row for row in rows])
        yield text if is_plain(text, len(rows), columns) else quoted_text(rows)
    yield quoted_text(harmless_rows(_others(store, sheet)))


def _harmless(game: str, sheet: Sheet) -> tuple[str, Sheet]:
    """The sheet with its texts made harmless, once each and not for every row."""
    bots, versions, series = (
        tuple(map(harmless, names)) for names in (sheet.bots, sheet.versions, sheet.series_ids)
    )
    return harmless(game), attrs.evolve(sheet, bots=bots, versions=versions, series_ids=series)


def _counted(game: str, sheet: Sheet) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of series that count, many at a time."""
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
        summed(sheet.adjusted) / matches + 0.0,
        summed(sheet.faults).astype(int),
    ]
    for begin in range(0, len(cells), ROWS_AT_ONCE):
        part = slice(begin, begin + ROWS_AT_ONCE)
        lists = [column[part].tolist() for column in columns]
        series, bot = (place.tolist() for place in np.divmod(cells[part], max(1, size)))
        yield list(
            zip(
                [sheet.series_ids[place] for place in series],
                sheet.cycles[series].tolist(),
                repeat(game),
                [sheet.bots[place] for place in bot],
                [sheet.versions[place] for place in bot],
                repeat(1),
                *lists,
                strict=False,  # two of them have no end
            )
        )


def _others(store: Store, sheet: Sheet) -> Iterator[tuple[Any, ...]]:
    """The rows of the series that do not count; they are few once the tournament is over."""
    progress = sheet.progress
    if not (progress.left_out or progress.waiting or progress.unplanned):
        return
    names = ["series_id", "cycle", "game", "bot", "version", "status", "win", "tie", "points", "returns"]
    names.append("luck_adjusted_returns")
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
        *(mean(name) for name in ("points", "returns", "luck_adjusted_returns")),
        sum(seat[kind] for seat in seats for kind in FAULT_KINDS),
    )
