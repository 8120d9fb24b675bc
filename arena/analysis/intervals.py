"""How certain a mean over matches is: 95 % intervals by series and set of bots; quantiles of times."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import ceil, fsum, sqrt
from typing import TypeAlias

import attrs

from arena.analysis.student import student_t

MANY_TIMES = 20_000
"""The number of times from which importing numpy (0.1 s) is cheaper than sorting in Python."""

ALIKE = 19.0
"""k times the half-width for k series that do not show how they differ, ÷ the largest value of a match."""

NEAR = 4.0
"""A match is near the bound of returns if it is beyond the bound ÷ this."""

Tally: TypeAlias = tuple[float, int]
"""A sum over the matches of one series, and their number."""


@attrs.frozen
class Estimate:
    """A mean per match, and what its series show about its error.

    It is a weighted mean over strata, the sets of bots that met: see `strata`.
    """

    series: int
    mean: float = 0.0
    variance: float = 0.0
    """Σ v, where v is what a stratum adds to the variance; also 0 if series do not show how they differ."""
    squares: float = 0.0
    """Σ v² ÷ (ν + 2), where ν are the degrees of freedom of v."""
    freedom: float = 1.0
    """Σ ν, at least 1."""
    weight: float = 1.0
    """The largest weight of a series in the mean: 1 / k for k series of equal weight."""

    def freedom_of(self, variance: float) -> float:
        """Satterthwaite's degrees of freedom of this variance, of which only Σ v was estimated.

        An estimated v² is too high by the factor (ν + 2) / ν on average, which the 2 corrects.
        """
        if variance**2 >= (self.freedom + 2) * self.squares:
            return self.freedom
        return max(1.0, variance**2 / self.squares - 2)


NOTHING = Estimate(0)
"""The estimate without any series."""


def bound_of(reach: tuple[float, float]) -> float:
    """The largest absolute returns of a match, from the lowest and the highest."""
    return max(-reach[0], reach[1])


@attrs.define
class Extremes:
    """The most extreme returns of the series that were seen, and what a match may have at most.

    Where near-copies meet on shared luck most series are 0 and a few are huge, so that a dozen say little of
    how much series differ: the interval allows for two that were not seen.  In one of them a match goes to
    the bound; it counts the less, the more series have come near it.  The other one is as far from the mean
    as the farthest one seen.  Without a declared bound nothing is known of such series, and nothing is added.
    """

    bound: float | None = None
    """The largest absolute returns of a match as the game declares it (`Game.returns_reach`)."""
    series: int = 0
    matches: int = 0
    largest: float = 0.0
    """The largest absolute returns of a match."""
    near: int = 0
    """How many series had a match near the bound."""
    low: float = 0.0
    """The lowest mean per match of a series."""
    high: float = 0.0

    def note(self, mean: float, largest: float, matches: int) -> None:
        """Adds a series: its mean per match, and the largest absolute returns of one."""
        self.low, self.high = (min(self.low, mean), max(self.high, mean)) if self.series else (mean, mean)
        self.series += 1
        self.matches += matches
        self.largest = max(self.largest, largest)
        self.near += self.bound is not None and largest > self.bound / NEAR

    def unseen(self, mean: float, *, is_lessened: bool = True) -> float:
        """The variance of the mean that two unseen series would add if each were all there is.

        `is_lessened`: series that came near the bound make the first one count less.
        """
        if self.bound is None or not self.series:
            return 0.0
        most = self.bound * self.series / self.matches
        apart = max(self.high - mean, mean - self.low)
        return float((most / (1 + self.near * is_lessened)) ** 2 + apart**2)


def of_alike(series: int, total: float, matches: float, spread: float) -> Estimate:
    """The estimate if all series are of one stratum; `spread`: Σ(xᵢ − mean·mᵢ)²."""
    freedom = max(1, series - 1)
    variance = series / freedom * spread / matches**2 if series > 1 else 0.0
    squares = variance**2 / (freedom + 2)
    return Estimate(series, total / matches + 0.0, variance, squares, freedom, 1 / series)


def win_rate_interval(series: Iterable[Tally]) -> tuple[float, float]:
    """The `interval_of_share` of wins ÷ matches, from (wins, matches) of each series of one set of bots."""
    tallies = list(series)
    if not tallies:
        return interval_of_share(NOTHING)
    wins, matches = fsum(won for won, _ in tallies), sum(played for _, played in tallies)
    spread = fsum((won - wins / matches * played) ** 2 for won, played in tallies)
    return interval_of_share(of_alike(len(tallies), wins, matches, spread))


def interval_of_share(estimate: Estimate) -> tuple[float, float]:
    """The 95 % interval of a share of matches; also of points, which are 0 to 1 per match too.

    From the variance V follows the equivalent number of independent matches, n = p(1−p)/V; n goes into the
    Wilson interval, with Student's t for the normal quantile (the modified Wilson interval for complex
    samples: Dean & Pagano, J. Survey Stat. Methodol. 3, 2015, 484–503).

    V and n include one extra series, half of it all won and half all lost, with the largest weight that a
    series has: otherwise series that all went alike would claim certainty.  If all are won, n is the number
    of series, and a single one leads to nearly [0, 1].
    """
    if not estimate.series:
        return 0.0, 1.0
    mean, weight = estimate.mean, estimate.weight
    p = (mean + weight / 2) / (1 + weight)
    extra = (p**2 + (1 - p) ** 2) / 2 * weight**2
    variance = ((1 - weight) * estimate.variance + weight * (mean - p) ** 2 + extra) / (1 + weight)
    t = student_t(estimate.freedom_of(estimate.variance + extra))
    return _wilson(mean, p * (1 - p) / variance, t)


def _wilson(p: float, n: float, t: float) -> tuple[float, float]:
    c = t * t / n
    middle, half = (p + c / 2) / (1 + c), t * sqrt(max(0.0, p * (1 - p) / n + c / (4 * n))) / (1 + c)
    return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def interval_of_mean(estimate: Estimate, extremes: Extremes) -> tuple[float, float]:
    """The 95 % interval of mean returns, symmetric about them.

    It uses Student's t with V and what `Extremes` adds to it: two unseen series with the largest weight that
    a series has.  Without these, and if all series are of one stratum and have equally many matches, it would
    be the textbook interval for the mean of k series means.

    One series, or several that all went alike, do not show how much series differ: the
    half-width is then at least 19/k times the largest absolute return of a match.
    For one series this covers the centre of any symmetric distribution with a single peak
    in 95 % or more: x ± c·|x| misses it at most once in c + 1 times (after Edelman, Am.
    Statistician 44, 1990).  For k alike it is wider than the rule of three: what never occurred
    in k series may still occur in 3/k of them, and then cost up to twice the largest.

    Without any series it is 0 to 0, as no interval would be wide enough.
    """
    if not estimate.series:
        return 0.0, 0.0
    mean, largest = estimate.mean, extremes.largest
    variance = estimate.variance + estimate.weight**2 * extremes.unseen(mean)
    half = student_t(estimate.freedom_of(estimate.variance)) * sqrt(variance)
    if sqrt(estimate.variance) <= 1e-9 * largest:
        half = max(half, ALIKE * estimate.weight * largest)
    return mean - half + 0.0, mean + half + 0.0


def quantiles(times: array[float], *shares: float) -> tuple[float, ...]:
    """For each share, the smallest time that at least this share of the times do not exceed; 0.0 if none."""
    if not times:
        return (0.0,) * len(shares)
    places = [max(0, ceil(share * len(times)) - 1) for share in shares]
    if len(times) < MANY_TIMES:
        ordered = sorted(times)
        return tuple(ordered[place] for place in places)
    import numpy

    parted = numpy.partition(numpy.frombuffer(times, dtype=numpy.float32), places)
    return tuple(float(parted[place]) for place in places)
