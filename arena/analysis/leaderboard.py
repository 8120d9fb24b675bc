"""The leaderboard: what every bot did over the matches that count, and how sure that is.

Counted are the series before the first one that is not closed, in schedule order:
a series that ends early is a short one, and counting it before the slow ones are
in would favour whoever ends matches quickly.  A series with an aborted match is
left out whole, so that no bot gains by the seat in which the rules broke.

Bots are ranked by their score: points a match, or, where a game is rated by returns,
mean returns in the unit in which the game shows them.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from math import ceil, fsum, sqrt
from typing import Any, TypeAlias

import attrs

from arena.record import FAULT_KINDS
from arena.store import Column, SeriesState, Store, StoredBot, Table

CONFIDENCE = 0.95
MANY_TIMES = 20_000
"""From here on importing numpy (0.1 s) is cheaper than sorting in Python."""

Tally: TypeAlias = tuple[float, int]
"""Of one series: a sum over its matches, and how many they are."""


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
class Progress:
    """Which series count; how many matches do, and what becomes of the others."""

    series: frozenset[str]
    """The ids of those that count."""
    spoilt: tuple[str, ...]
    """The ids of those that would, had no match of theirs been aborted."""
    planned: int
    counted: int
    left_out: int
    """In a series that is spoilt."""
    waiting: int
    """Played, but their series, or one before it, is not closed."""
    unplanned: int
    """There, but not in the schedule."""

    @property
    def note(self) -> str:
        """What is not counted and why, in one line; empty if everything is."""
        reasons = {
            "played, waiting for their series or one before it": self.waiting,
            f"left out with a match that was aborted (series {', '.join(self.spoilt)})": self.left_out,
            "not in the schedule": self.unplanned,
        }
        parts = [f"{matches} {reason}" for reason, matches in reasons.items() if matches]
        if not parts and self.counted == self.planned:
            return ""
        return "; ".join([f"{self.counted} of {self.planned} matches counted", *parts])


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


def progress_of(series: Sequence[SeriesState]) -> Progress:
    """What counts, from all series in schedule order; without a schedule all are as good as planned."""
    planned = [state for state in series if state.planned] or list(series)
    closed = list(takewhile(lambda state: state.is_closed, planned))
    whole = [state for state in closed if not state.aborted]
    spoilt = [state for state in closed if state.aborted]

    def stored(states: Iterable[SeriesState]) -> int:
        return sum(state.stored for state in states)

    return Progress(
        series=frozenset(state.series_id for state in whole),
        spoilt=tuple(state.series_id for state in spoilt),
        planned=sum(state.planned or state.stored for state in planned),
        counted=stored(whole),
        left_out=stored(spoilt),
        waiting=stored(planned) - stored(closed),
        unplanned=stored(series) - stored(planned),
    )


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


def win_rate_interval(series: Iterable[Tally]) -> tuple[float, float]:
    """The 95 % interval of wins ÷ matches, from (wins, matches) of each series.

    Points do as well for wins: they too are 0 to 1 a match.

    Series are the independent units.  The variance V of the ratio is the
    between-clusters one, k/(k−1) · Σ(wᵢ − p·mᵢ)² / (Σmᵢ)²; it gives the number of
    independent matches that would be as good, n = p(1−p)/V; and n goes into the
    Wilson interval, with Student's t of k−1 degrees of freedom for the normal
    quantile (the modified Wilson interval for complex samples: Dean & Pagano,
    J. Survey Stat. Methodol. 3, 2015, 484–503).

    V and n count one series more, half of it all won and half all lost: else series
    that all went alike would claim certainty.  All won then gives n = k, and a
    single series nearly [0, 1].  In simulations of 3 to 400 series of two matches,
    independent, alike or mirrored, at true rates from 0.5 to 0.99, it held the
    truth in 92 to 100 %.
    """
    tallies = list(series)
    k = len(tallies)
    if k == 0:
        return 0.0, 1.0
    wins, matches = fsum(won for won, _ in tallies), sum(played for _, played in tallies)
    extra = matches / k
    p = (wins + extra / 2) / (matches + extra)
    spread = fsum((won - p * played) ** 2 for won, played in tallies)
    spread += (p**2 + (1 - p) ** 2) * extra**2 / 2
    variance = (k + 1) / k * spread / (matches + extra) ** 2
    return _wilson(wins / matches, p * (1 - p) / variance, student_t(max(1, k - 1)))


def _wilson(p: float, n: float, t: float) -> tuple[float, float]:
    c = t * t / n
    middle, half = (p + c / 2) / (1 + c), t * sqrt(p * (1 - p) / n + c / (4 * n)) / (1 + c)
    return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def mean_interval(series: Iterable[Tally], largest: float) -> tuple[float, float]:
    """The 95 % interval of returns ÷ matches, symmetric about it, from (returns, matches) of each series.

    Student's t of k−1 degrees of freedom, and V as above: where all series have equally
    many matches that is the textbook's interval for the mean of k series means.

    One series, or several that all went alike, do not show how much series differ: half
    of it is then 19/k times `largest`, the largest return of a match without its sign.
    For one series this holds the centre of any symmetric distribution with a single peak
    in 95 % or more: x ± c·|x| misses it at most once in c + 1 times (after Edelman, Am.
    Statistician 44, 1990).  For k alike it is wider than the rule of three: what never came
    in k series may still come in 3/k of them, and then cost up to twice `largest`.

    Without any series it is 0 to 0, as there is no number that would be wide enough.
    """
    tallies = list(series)
    k, matches = len(tallies), sum(played for _, played in tallies)
    if k == 0:
        return 0.0, 0.0
    mean = fsum(total for total, _ in tallies) / matches
    means = [total / played for total, played in tallies]
    if max(means) - min(means) <= 1e-9 * largest:  # alike but for rounding
        half = 19 / k * largest
    else:
        spread = fsum((total - mean * played) ** 2 for total, played in tallies)
        half = student_t(k - 1) * sqrt(k / (k - 1) * spread) / matches
    return mean - half + 0.0, mean + half + 0.0


def student_t(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's t, to 0.2 %.

    Cornish–Fisher expansion, Abramowitz & Stegun 26.7.5; it fails below 3 degrees, which are exact.
    """
    if freedom < 3:
        return (12.706204736432095, 4.302652729911275)[freedom - 1]
    z = 1.959963984540054
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / freedom**power for power, term in enumerate(terms))


def quantiles(times: array[float], *shares: float) -> tuple[float, ...]:
    """For each share the smallest time that at least this share of them does not exceed; 0.0 of none."""
    if not times:
        return (0.0,) * len(shares)
    places = [max(0, ceil(share * len(times)) - 1) for share in shares]
    if len(times) < MANY_TIMES:
        ordered = sorted(times)
        return tuple(ordered[place] for place in places)
    import numpy

    parted = numpy.partition(numpy.frombuffer(times, dtype=numpy.float32), places)
    return tuple(float(parted[place]) for place in places)
