"""The leaderboard: what every bot did over the matches that count, and how sure that is.

Counted are the series before the first one that is not closed, in schedule order:
a series that ends early is a short one, and counting it before the slow ones are
in would favour whoever ends matches quickly.  A series with an aborted match is
left out whole, so that no bot gains by the seat in which the rules broke.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from math import ceil, fsum, sqrt

import attrs

from arena.record import FAULT_KINDS
from arena.store import Column, SeriesState, Store, StoredBot, Table

CONFIDENCE = 0.95
MANY_TIMES = 20_000
"""From here on importing numpy (0.1 s) is cheaper than sorting in Python."""


@attrs.frozen
class Row:
    """A row of leaderboard.csv: one bot.  Without a counted match its numbers are 0, its interval 0 to 1."""

    rank: int
    """By points per match; equal points share a place."""
    bot: str
    version: str
    matches: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    points_mean: float
    returns_mean: float
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


def leaderboard(store: Store) -> Leaderboard:
    """The leaderboard of what the store holds now."""
    progress = progress_of(store.series())
    sums: defaultdict[str, _Sums] = defaultdict(_Sums)
    keys = ("series_id", "bot", "version", "win", "tie", "points", "returns", "times", *FAULT_KINDS)
    for series_id, bot, *row in store.seat_rows(*keys):
        if series_id in progress.series:
            sums[bot].add(series_id, *row)
    bots = {bot.bot: bot for bot in store.bots()}
    for name in sums.keys() - bots.keys():
        bots[name] = StoredBot(name, sums[name].version)
    rows = [_row(bot, sums[name]) for name, bot in bots.items()]
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
        self.series: dict[str, list[int]] = {}
        """Wins and matches by series."""
        self.points = array("d")
        self.returns = array("d")
        self.times = array("f")
        self.faults = [0] * len(FAULT_KINDS)

    def add(
        self,
        series_id: str,
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
        tally = self.series.setdefault(series_id, [0, 0])
        tally[0] += win
        tally[1] += 1
        self.points.append(points)
        self.returns.append(returns)
        self.times.frombytes(times)
        if any(faults):
            self.faults = [total + more for total, more in zip(self.faults, faults, strict=True)]


def _row(bot: StoredBot, sums: _Sums) -> Row:
    matches = len(sums.points)
    wins = sum(won for won, _ in sums.series.values())
    low, high = win_rate_interval(sums.series.values())
    median_s, p99_s = quantiles(sums.times, 0.5, 0.99)
    return Row(
        rank=0,
        bot=bot.bot,
        version=bot.version,
        matches=matches,
        wins=wins,
        ties=sums.ties,
        losses=matches - wins - sums.ties,
        win_rate=wins / max(1, matches),
        win_rate_low=low,
        win_rate_high=high,
        points_mean=fsum(sums.points) / max(1, matches),
        returns_mean=fsum(sums.returns) / max(1, matches) + 0.0,
        **dict(zip(FAULT_KINDS, sums.faults, strict=True)),
        move_time_median_s=round(median_s, 6),
        move_time_p99_s=round(p99_s, 6),
        status=bot.status,
    )


def _ranked(rows: Iterable[Row]) -> list[Row]:
    """Best first; bots without a match last."""

    def key(row: Row) -> tuple[bool, float]:
        return (row.matches == 0, -row.points_mean)

    ordered = sorted(rows, key=lambda row: (*key(row), -row.win_rate, row.bot))
    first: dict[tuple[bool, float], int] = {}
    return [attrs.evolve(row, rank=first.setdefault(key(row), place)) for place, row in enumerate(ordered, 1)]


def win_rate_interval(series: Iterable[Iterable[int]]) -> tuple[float, float]:
    """The 95 % interval of wins ÷ matches, from (wins, matches) of each series.

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
    tallies = [(wins, matches) for wins, matches in series]
    k = len(tallies)
    if k == 0:
        return 0.0, 1.0
    wins, matches = sum(won for won, _ in tallies), sum(played for _, played in tallies)
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
