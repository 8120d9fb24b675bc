"""The leaderboard: what every bot did over the matches that count, and how sure that is.

Which matches count, `counted` says.

Bots are ranked by their score: points a match, or, where a game is rated by returns,
mean returns in the unit in which the game shows them.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any

import attrs

from arena.analysis.counted import Progress, progress_of
from arena.analysis.intervals import Tally, mean_interval, quantiles, win_rate_interval
from arena.record import FAULT_KINDS
from arena.store import Column, Store, StoredBot, Table

CONFIDENCE = 0.95


@attrs.frozen
class Row:
    """A row of leaderboard.csv: one bot.

    Without a counted match its numbers are 0, and the intervals of its win rate and of points 0 to 1.
    """

    rank: int
    """By score; equal scores share a place."""
    bot: str
    version: str
    score: float
    """`points_mean`, or `returns_mean` in the game's unit for them."""
    score_low: float
    score_high: float
    score_unit: str
    """`points`, or the game's unit for returns."""
    matches: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    points_mean: float
    returns_mean: float
    returns_low: float
    returns_high: float
    too_late: int
    malformed: int
    illegal: int
    gone: int
    move_time_median_s: float
    move_time_p99_s: float
    status: str
    """`ok`, `withdrawn` or `left out`."""


_TYPES = {"int": "integer", "str": "text", "float": "real"}
COLUMNS = tuple(
    Column(field.name, _TYPES[field.type], not field.name.startswith("move_time"))  # type: ignore[arg-type, index]
    for field in attrs.fields(Row)
)


@attrs.frozen
class Leaderboard:
    """The rows, best first, and how much of the tournament they stand on, in matches."""

    rows: tuple[Row, ...]
    progress: Progress

    @property
    def table(self) -> Table:
        return [column.name for column in COLUMNS], [attrs.astuple(row) for row in self.rows]


@attrs.frozen
class Scale:
    """On what a game is rated, as `arena.prepare` kept it."""

    rated_by: str = "ranks"
    """`ranks` or `returns`."""
    returns_unit: str = ""
    returns_per_unit: float = 1.0

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Scale:
        """That of a store; a folder that is older than this choice was rated by ranks."""
        return cls(meta.get("rated_by", "ranks"), *meta.get("returns_unit", ("", 1.0)))

    @property
    def score_unit(self) -> str:
        return "points" if self.rated_by == "ranks" else self.returns_unit or "returns"


def leaderboard(store: Store) -> Leaderboard:
    """The leaderboard of what the store holds now."""
    progress, scale = progress_of(store.series()), Scale.of(store.meta())
    sums: defaultdict[str, _Sums] = defaultdict(_Sums)
    numbers = {series_id: number for number, series_id in enumerate(sorted(progress.series))}
    keys = ("series_id", "bot", "version", "win", "tie", "points", "returns", "times", *FAULT_KINDS)
    for series_id, bot, *row in store.seat_rows(*keys):
        if series_id in numbers:
            sums[bot].add(numbers[series_id], *row)
    bots = {bot.bot: bot for bot in store.bots()}
    for name in sums.keys() - bots.keys():
        bots[name] = StoredBot(name, sums[name].version)
    rows = [_row(bot, sums[name], scale) for name, bot in bots.items()]
    return Leaderboard(tuple(_ranked(rows)), progress)


class _Sums:
    """What is gathered of one bot; sums of floats are exact (`fsum`), so that their order does not matter."""

    def __init__(self) -> None:
        self.version = ""
        self.ties = 0
        self.series = array("l")
        """Of each match the number of its series; the next three go with it."""
        self.wins = array("b")
        self.points = array("d")
        self.returns = array("d")
        self.times = array("f")
        self.faults = [0] * len(FAULT_KINDS)

    def add(
        self,
        series: int,
        version: str,
        win: int,
        tie: int,
        points: float,
        returns: float,
        times: bytes,
        *faults: int,
    ) -> None:
        self.version = version
        self.ties += tie
        self.series.append(series)
        self.wins.append(win)
        self.points.append(points)
        self.returns.append(returns)
        self.times.frombytes(times)
        if any(faults):
            self.faults = [total + more for total, more in zip(self.faults, faults, strict=True)]

    def by_series(self, values: Iterable[float]) -> list[Tally]:
        """Of each series the sum of these values of its matches, and how many they are."""
        parts: defaultdict[int, list[float]] = defaultdict(list)
        for series, value in zip(self.series, values, strict=True):
            parts[series].append(value)
        return [(fsum(part), len(part)) for part in parts.values()]


def _row(bot: StoredBot, sums: _Sums, scale: Scale) -> Row:
    matches, wins = len(sums.series), sum(sums.wins)
    low, high = win_rate_interval(sums.by_series(sums.wins))
    points = (fsum(sums.points) / max(1, matches), *win_rate_interval(sums.by_series(sums.points)))
    largest = max(map(abs, sums.returns), default=0.0)
    returns = (
        fsum(sums.returns) / max(1, matches) + 0.0,
        *mean_interval(sums.by_series(sums.returns), largest),
    )
    score = points if scale.rated_by == "ranks" else [value / scale.returns_per_unit for value in returns]
    median_s, p99_s = quantiles(sums.times, 0.5, 0.99)
    return Row(
        rank=0,
        bot=bot.bot,
        version=bot.version,
        score=score[0],
        score_low=score[1],
        score_high=score[2],
        score_unit=scale.score_unit,
        matches=matches,
        wins=wins,
        ties=sums.ties,
        losses=matches - wins - sums.ties,
        win_rate=wins / max(1, matches),
        win_rate_low=low,
        win_rate_high=high,
        points_mean=points[0],
        returns_mean=returns[0],
        returns_low=returns[1],
        returns_high=returns[2],
        **dict(zip(FAULT_KINDS, sums.faults, strict=True)),
        move_time_median_s=round(median_s, 6),
        move_time_p99_s=round(p99_s, 6),
        status=bot.status,
    )


def _ranked(rows: Iterable[Row]) -> list[Row]:
    """Best first; bots without a match last."""

    def key(row: Row) -> tuple[bool, float]:
        return (row.matches == 0, -row.score)

    ordered = sorted(rows, key=lambda row: (*key(row), -row.win_rate, row.bot))
    first: dict[tuple[bool, float], int] = {}
    return [attrs.evolve(row, rank=first.setdefault(key(row), place)) for place, row in enumerate(ordered, 1)]
