"""How certain a mean over matches in series is: 95 % intervals clustered by series; quantiles of times."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import ceil, fsum, inf, sqrt
from typing import TypeAlias

from arena.analysis.student import student_t

MANY_TIMES = 20_000
"""From this many times on, importing numpy (0.1 s) is cheaper than sorting in Python."""

ALIKE = 19.0
"""The half-width for k series that do not show how they differ, times k, ÷ the largest value of a match."""

Tally: TypeAlias = tuple[float, int]
"""For one series: a sum over its matches, and their number."""


def win_rate_interval(series: Iterable[Tally]) -> tuple[float, float]:
    """The 95 % interval of wins ÷ matches, from (wins, matches) of each series.

    It also serves for points, which are 0 to 1 per match too.

    Series are the independent units.  The variance V of the ratio is the
    between-clusters one, k/(k−1) · Σ(wᵢ − p·mᵢ)² / (Σmᵢ)²; it gives the equivalent
    number of independent matches, n = p(1−p)/V; and n goes into the
    Wilson interval, with Student's t of k−1 degrees of freedom for the normal
    quantile (the modified Wilson interval for complex samples: Dean & Pagano,
    J. Survey Stat. Methodol. 3, 2015, 484–503).

    V and n include one extra series, half of it all won and half all lost: otherwise
    series that all went alike would claim certainty.  If all are won, n = k, and a
    single series gives nearly [0, 1].  In simulations of 3 to 400 series of two matches,
    independent, alike or mirrored, at true rates from 0.5 to 0.99, it covered the
    truth in 92 to 100 %.
    """
    tallies = list(series)
    if not tallies:
        return 0.0, 1.0
    wins, matches = fsum(won for won, _ in tallies), sum(played for _, played in tallies)
    p = rate_of(len(tallies), wins, matches)
    spread = fsum((won - p * played) ** 2 for won, played in tallies)
    return rate_interval(len(tallies), wins, matches, spread)


def rate_of(k: int, wins: float, matches: float) -> float:
    """Wins ÷ matches of k series and the extra one."""
    extra = matches / k
    return (wins + extra / 2) / (matches + extra)


def rate_interval(k: int, wins: float, matches: float, spread: float) -> tuple[float, float]:
    """`spread`: Σ(wᵢ − p·mᵢ)² without the extra series."""
    extra, p = matches / k, rate_of(k, wins, matches)
    spread += (p**2 + (1 - p) ** 2) * extra**2 / 2
    variance = (k + 1) / k * spread / (matches + extra) ** 2
    return _wilson(wins / matches, p * (1 - p) / variance, student_t(max(1, k - 1)))


def _wilson(p: float, n: float, t: float) -> tuple[float, float]:
    c = t * t / n
    middle, half = (p + c / 2) / (1 + c), t * sqrt(p * (1 - p) / n + c / (4 * n)) / (1 + c)
    return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def interval_of_mean(
    k: int, mean: float, matches: float, spread: float | None, largest: float
) -> tuple[float, float]:
    """The 95 % interval of returns ÷ matches of k series, symmetric about it.

    `spread`: Σ(returnsᵢ − mean·mᵢ)²; None if all series went alike (`are_alike`).

    Student's t of k−1 degrees of freedom, and V as in `win_rate_interval`: if all series have
    equally many matches, this is the textbook interval for the mean of k series means.

    One series, or several that all went alike, do not show how much series differ: the
    half-width is then 19/k times `largest`, the largest absolute return of a match.
    For one series this covers the centre of any symmetric distribution with a single peak
    in 95 % or more: x ± c·|x| misses it at most once in c + 1 times (after Edelman, Am.
    Statistician 44, 1990).  For k alike it is wider than the rule of three: what never occurred
    in k series may still occur in 3/k of them, and then cost up to twice `largest`.

    Without any series it is 0 to 0, as no number would be wide enough.
    """
    if k == 0:
        return 0.0, 0.0
    half = ALIKE / k * largest
    if spread is not None:
        half = student_t(k - 1) * sqrt(k / (k - 1) * spread) / matches
    return mean - half + 0.0, mean + half + 0.0


def are_alike(least: float, most: float, largest: float) -> bool:
    """Whether series went alike, but for rounding, from the least and the largest mean of a series."""
    return most - least <= 1e-9 * largest


class Moments:
    """Tallies as running sums, for frequent queries while series are added; exact but for rounding.

    Squares are of differences from the first series: for large returns that are nearly alike,
    sums of the returns' own squares would keep only rounding errors.
    """

    def __init__(self) -> None:
        self.series = self.matches = 0
        self.total = 0.0
        self._first = 0.0
        """The mean of the first series."""
        self._squares = self._products = self._sizes = 0.0
        self._least, self._most = inf, -inf

    def add(self, total: float, played: int) -> None:
        """Adds one more series."""
        mean = total / played
        self._first = self._first if self.series else mean
        self.series += 1
        self.matches += played
        self.total += total
        apart = total - self._first * played
        self._squares += apart * apart
        self._products += apart * played
        self._sizes += played * played
        self._least, self._most = min(self._least, mean), max(self._most, mean)

    @property
    def mean(self) -> float:
        """The mean per match; 0.0 without any."""
        return self.total / max(1, self.matches)

    def win_rate_interval(self) -> tuple[float, float]:
        """The same as the function `win_rate_interval`."""
        if not self.series:
            return 0.0, 1.0
        spread = self._spread(rate_of(self.series, self.total, self.matches))
        return rate_interval(self.series, self.total, self.matches, spread)

    def mean_interval(self, largest: float) -> tuple[float, float]:
        """The same as the function `interval_of_mean`."""
        is_alike = are_alike(self._least, self._most, largest)
        spread = None if is_alike else self._spread(self.mean)
        return interval_of_mean(self.series, self.mean, self.matches, spread, largest)

    def _spread(self, rate: float) -> float:
        """Σ(totalᵢ − rate·playedᵢ)²."""
        apart = rate - self._first
        return max(0.0, self._squares - 2 * apart * self._products + apart * apart * self._sizes)


def quantiles(times: array[float], *shares: float) -> tuple[float, ...]:
    """For each share, the smallest time that at least this share of times does not exceed; 0.0 if none."""
    if not times:
        return (0.0,) * len(shares)
    places = [max(0, ceil(share * len(times)) - 1) for share in shares]
    if len(times) < MANY_TIMES:
        ordered = sorted(times)
        return tuple(ordered[place] for place in places)
    import numpy

    parted = numpy.partition(numpy.frombuffer(times, dtype=numpy.float32), places)
    return tuple(float(parted[place]) for place in places)
