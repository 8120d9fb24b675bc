"""Rule 1 of `--until`, that of older folders: the error rate is held over all looks of a planned schedule.

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

from collections.abc import Mapping
from math import sqrt
from statistics import NormalDist

import numpy as np

from arena.analysis.spread import Spread
from arena.analysis.stopping.goal import Until
from arena.analysis.student import Floats, as_normal

_NORMAL = NormalDist()


class ObrienFleming(Until):
    """The rule of folders begun before there was `mixture`: its error is spread over the planned cycles."""

    has_horizon = True

    def _prepare(self) -> None:
        self._sums, self._matches = np.zeros(len(self._bots)), np.zeros(len(self._bots))
        self._sets: dict[tuple[tuple[int, ...], tuple[int, ...]], Spread] = {}
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
        self._sets.setdefault(key, Spread(len(places))).add(np.array([total for _, total, _ in places]))

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

    def _everybody_played(self) -> bool:
        return bool(self._matches.all())

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


def _of_differences(places: tuple[int, ...], covariance: Floats, matches: Floats) -> Floats:
    """The part of the variance of the difference between every two bots' means from one set of bots."""
    rows = np.array(places)
    scaled = np.zeros((len(matches), len(matches)))
    scaled[rows[:, None], rows] = covariance / np.outer(matches[rows], matches[rows])
    own = scaled.diagonal()
    return np.maximum(0.0, np.add.outer(own, own) - 2 * scaled)
