"""When a fixed schedule may stop: `--until "top 3 at 95%"`, the error rate held over all looks.

**The promise.**  The leaders by mean score are declared the true best; the chance that the declared
set is wrong is at most 1 − P, however often one looked.  True means: if the schedule went on for ever.

**Pairs.**  A wrong set has a leader `a` that should be out, and leaves out a bot `b` that should be in.  So
it is enough that each of the K·(n−K) statements "this leader is better than that other bot" is wrong
with a chance of at most (1 − P) / (K·(n−K)): the sum is a bound, whatever depends on what.

**Looks.**  The share spent up to look t (cycles closed ÷ planned) is O'Brien and Fleming's in the form of Lan
and DeMets, 2·(1 − Φ(z / √t)): next to nothing early, nearly all at the end.  That is exactly the chance
that a Brownian motion was ever above z before t, so z / √t is a bound that holds with looks at any
time, without integration.  The bound that integrates over the looks is lower, as fewer looks err less:
with a look per cycle by about 0.58·√(1 / cycles) (Siegmund, Sequential Analysis, 1985), at z = 2.58 and
100 planned cycles 2 % of z, which costs about 4.5 % more cycles.

**Errors of differences.**  Series are independent; matches of one series are not.  Every set of bots has
equally many series in a cycle, so the variance is that within sets, of the difference of the two bots' sums
if they share the series; Student's t with Satterthwaite's degrees of freedom.

Measured with two equal bots, 20,000 runs, coin tosses and normal scores, 40 to 1,000 planned cycles: wrong
in 12 to 19.5 % at 80 %, in 2 to 4.7 % at 95 %, in 0.3 to 1.1 % at 99 %.  With more pairs it is wrong less
often, as leaders must be ahead of all others at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf, sqrt
from statistics import NormalDist
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.errors import ConfigError
from arena.units import unexpected

CYCLES_MIN = 5
"""There is no look before: fewer do not show the spread within a set of bots."""

A_GOAL = 'a goal such as "top 3 at 95%" or "best at 99%" (from 50% to 99.99%)'

_GOAL = re.compile(
    r"(?:top\s+([0-9]{1,6})|best)\s+at\s+([0-9]{2}(?:\.[0-9]{1,2})?)\s?%", re.ASCII | re.IGNORECASE
)
_NORMAL = NormalDist()

Floats: TypeAlias = NDArray[np.float64]


@attrs.frozen
class Goal:
    """How many leaders must be known, and how certainly."""

    top: int
    confidence: float
    """From 0.5 to 0.9999."""

    def __str__(self) -> str:
        return f"top {self.top} at {100 * self.confidence:.6g}%"


def parse_goal(text: str) -> Goal:
    """The goal given to `--until`.  Raises ConfigError if it is not one."""
    found = _GOAL.fullmatch(text.strip())
    top = int(found[1] or 1) if found else 0
    confidence = float(found[2]) / 100 if found else 0.0
    if not top or not 0.5 <= confidence < 1:
        raise ConfigError(f"--until: {unexpected(text, A_GOAL)}")
    return Goal(top, confidence)


class Until:
    """Whether the goal has been reached, given every closed series in schedule order.

    It looks after each closed cycle.  Once settled it stays settled, whatever comes later.
    """

    def __init__(
        self,
        goal: Goal,
        bots: Sequence[str],
        cycles: int,
        *,
        extremes: tuple[float, float] | None = None,
    ) -> None:
        """Raises ConfigError if the goal names as many leaders as there are bots.

        `extremes` are the lowest and highest score of a match, 0 and 1 for points; None if they are not
        known (returns): then those seen so far are used, and a bot with rare large losses may be declared
        a leader before it has one (nine wins to one loss nine times as high: wrong in 45 % at 80 %, not 20).
        """
        if goal.top >= len(bots):
            raise ConfigError(f"--until: found top {goal.top} of {len(bots)} bots, expected fewer than all")
        self.goal = goal
        self.cycles = 0
        """How many are closed."""
        self.cycles_planned = cycles
        """The planned end, at which everything is known; the same for every look and for a resumed run."""
        self.leaders: tuple[str, ...] = ()
        """The leading bots, best first: as of the last look, or as declared."""
        self.sureness = 0.0
        """The highest confidence at which the goal would have been settled by the last look, 0 to 1."""
        self.margin = 0.0
        """How many standard errors separated the closest leader and other bot at the last look."""
        self.settled = False
        self._bots = tuple(bots)
        self._place = {bot: place for place, bot in enumerate(bots)}
        self._sums, self._matches = np.zeros(len(bots)), np.zeros(len(bots))
        self._sets: dict[tuple[tuple[int, ...], tuple[int, ...]], _Spread] = {}
        self._lowest, self._highest = extremes or (inf, -inf)
        self._longest = 0

    def add(self, series: Mapping[str, tuple[float, int]]) -> None:
        """Counts a closed series: for each bot the sum of its scores and its matches."""
        if self.settled:
            return
        places = sorted((self._place[bot], *tally) for bot, tally in series.items() if tally[1])
        if not places:
            return  # none of its matches counts
        for place, total, matches in places:
            self._sums[place] += total
            self._matches[place] += matches
            self._lowest = min(self._lowest, total / matches)
            self._highest = max(self._highest, total / matches)
            self._longest = max(self._longest, matches)
        key = tuple(place for place, _, _ in places), tuple(matches for _, _, matches in places)
        self._sets.setdefault(key, _Spread(len(places))).add(np.array([total for _, total, _ in places]))

    def look(self) -> bool:
        """Whether the set of leaders is settled now; call it once after each closed cycle."""
        if self.settled or self.cycles >= self.cycles_planned:
            return self.settled  # past the plan all error is spent
        self.cycles += 1
        if self.cycles >= CYCLES_MIN and self._matches.all():
            self._weigh()
        self.settled = self.sureness >= self.goal.confidence
        return self.settled

    def cycles_left(self) -> float | None:
        """About how many more cycles it takes at this rate; None: more than planned, or unknown.

        The margin grows with the square root of the cycles while the bound falls with it.
        """
        if self.settled:
            return 0.0
        if self.margin <= 0:
            return None
        total = self._bound() * sqrt(self.cycles * self.cycles_planned) / self.margin
        return max(total - self.cycles, 1.0) if total <= self.cycles_planned else None

    def _weigh(self) -> None:
        """Finds who leads, by how much, and how certain that is."""
        means = self._sums / self._matches
        order = sorted(range(len(means)), key=lambda place: (-means[place], self._bots[place]))
        leaders, others = order[: self.goal.top], order[self.goal.top :]
        self.margin = float(self._margins(means)[np.ix_(leaders, others)].min())
        self.leaders = tuple(self._bots[place] for place in leaders)
        crossed = self.margin * sqrt(self.cycles / self.cycles_planned)
        self.sureness = max(0.0, 1 - self._pairs * 2 * _NORMAL.cdf(-crossed))

    def _margins(self, means: Floats) -> Floats:
        """By how many standard errors each bot is better than each other, on the normal scale."""
        variances, freedom = self._variances(means)
        ahead = np.subtract.outer(means, means)
        t = np.divide(ahead, np.sqrt(variances), out=np.zeros_like(ahead), where=variances > 0)
        return as_normal(t, freedom)

    def _variances(self, means: Floats) -> tuple[Floats, Floats]:
        """The variance of the difference between every two bots' means, and its degrees of freedom."""
        variances = np.zeros((len(means), len(means)))
        squares = np.zeros_like(variances)
        for (places, matches), spread in self._sets.items():
            expected = means[list(places)] * matches
            own = _of_differences(places, spread.covariance(expected), self._matches)
            variances += own
            squares += own**2 / max(1, spread.series - 1)
        # A set has one series per cycle, so the degrees of freedom are never fewer than this.
        freedom = np.full_like(variances, float(self.cycles - 1))
        np.divide(variances**2, squares, out=freedom, where=squares > 0)
        return variances + self._unseen(), freedom

    def _unseen(self) -> Floats:
        """What one series at either extreme of the scores seen would add to the variances.

        Without it a few series would separate, with certainty, bots that always scored the same.
        """
        extreme = (self._highest - self._lowest) * self._longest / self._matches
        return np.add.outer(extreme**2, extreme**2)

    def _bound(self) -> float:
        """The z that keeps the promise for one pair, at the end of the schedule."""
        return -_NORMAL.inv_cdf((1 - self.goal.confidence) / (2 * self._pairs))

    @property
    def _pairs(self) -> int:
        return self.goal.top * (len(self._bots) - self.goal.top)


class _Spread:
    """How the series of one set of bots differ: their number, mean and co-moments (Welford's recurrence)."""

    def __init__(self, bots: int) -> None:
        self.series = 0
        self._mean = np.zeros(bots)
        self._moments = np.zeros((bots, bots))

    def add(self, totals: Floats) -> None:
        self.series += 1
        gap = totals - self._mean
        self._mean += gap / self.series
        self._moments += np.outer(gap, totals - self._mean)

    def covariance(self, expected: Floats) -> Floats:
        """The covariance of the sum of its series; of a single one, from the bots' means elsewhere."""
        if self.series == 1:
            return np.outer(self._mean - expected, self._mean - expected)
        return self._moments * (self.series / (self.series - 1))


def _of_differences(places: tuple[int, ...], covariance: Floats, matches: Floats) -> Floats:
    """The part of the variance of the difference between every two bots' means from one set of bots."""
    rows = np.array(places)
    scaled = np.zeros((len(matches), len(matches)))
    scaled[rows[:, None], rows] = covariance / np.outer(matches[rows], matches[rows])
    own = scaled.diagonal()
    return np.maximum(0.0, np.add.outer(own, own) - 2 * scaled)


def as_normal(t: Floats, freedom: Floats) -> Floats:
    """The z that is as unlikely as Student's t; from t = 2 on slightly closer to 0.

    Wallace's approximation (Ann. Math. Stat. 30, 1959).
    """
    z = np.sqrt(freedom * np.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return np.copysign(z, t)
