"""The rule that settles a goal: a bound that holds at every look, however long the schedule becomes.

**The promise.**  The leaders by mean score are declared the true best; the chance that the declared
set is wrong is at most 1 − P, however often one looked and however long it went on.  True means: if all
sets of bots went on meeting, equally often, for ever.

**Looks.**  If there is no difference, its z is that of a Brownian motion at a time that is its information.
The chance that such a z is ever beyond ±√((1 + 1/x)·ln((1 + x)/α²)), where x is the information, is exactly α
(Robbins, Ann. Math. Stat. 41, 1970: there the likelihood ratio, averaged over normally distributed true
differences, reaches 1/α).  There is no last look.  The unit of x is the information in `TYPICAL_SERIES`
series of each bot, if all sets play equally often.  With unequal numbers of series, too, the covariance of a
mean over sets with a later one is the variance of the later one, which is what makes z that of a Brownian
motion.

**Pairs.**  Every pair of a leader and another bot must be beyond the bound of one pair, two-sided: α = 1 − P.
That is enough for all, as the leaders of a wrong set must be ahead of all other bots at once.  Only two sets
can do so as easily as one bot gets ahead of another: those at the two ends, if all differ along one line.
METHOD.md has the argument and the simulations.

**Errors of differences.**  They are computed by `meetings`: within sets, with Student's t at Satterthwaite's
degrees of freedom, moderated by the spread within all sets, and with some unseen series at the extremes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import comb, inf

import attrs
import numpy as np

from arena.analysis.spread import Floats, Spread
from arena.analysis.stopping.goal import Goal
from arena.analysis.strength.meetings import Meetings
from arena.analysis.strength.open_sets import open_shares
from arena.analysis.strength.sure_cycle import shortest_circle

CYCLES_MIN = 5
"""The fewest cycles before a look: fewer do not show the spread within a set of bots."""
TYPICAL_SERIES = 6.0
"""The unit of information: the bound is lowest at 8 times as many series of each bot, and within 6 % of that
(in series) from 20 to 200 of them."""
CYCLE_ERROR = 0.05
"""The chance that bots are ever said to beat each other in a circle if they do not."""
_RATIO_MAX = 1e6


def error_levels(margins: Floats, series: Floats) -> Floats:
    """The smallest α at which the two-sided mixture bound of one pair is crossed; above 1 if none is."""
    information = series / TYPICAL_SERIES
    return np.sqrt(1 + information) * np.exp(-(margins**2) * information / (2 * (1 + information)))


def margins_at(level: float, series: Floats) -> Floats:
    """The margin at which `error_levels` is this level: the half-width of a confidence sequence, in errors.

    The chance that an estimate is ever further from the truth, at whatever look, is at most `level`.
    """
    information = series / TYPICAL_SERIES
    return np.sqrt((1 + 1 / information) * np.log((1 + information) / level**2))


class Mixture:
    """Decides whether the goal has been reached, from every closed series in schedule order.

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
        a leader before it has one (nine wins to one loss nine times as high: wrong in 43 % at 80 %, not 20).
        """
        goal.check(len(bots))
        self.goal = goal
        self.cycles = 0
        """How many cycles are closed."""
        self.cycles_planned = cycles
        """The planned number of cycles; the same for every look and for a resumed run."""
        self.leaders: tuple[str, ...] = ()
        """The leading bots, best first, as of the last look or as declared."""
        self.sureness = 0.0
        """The highest confidence at which the goal would have been settled by the last look, 0 to 1."""
        self.margin = 0.0
        """How many standard errors lie between that leader and other bot that are hardest to tell apart."""
        self.settled = False
        self.cycle: tuple[str, ...] = ()
        """Bots of which each surely beats the next, and the last the first; empty if none are known."""
        self._bots = tuple(bots)
        self._place = {bot: place for place, bot in enumerate(bots)}
        self._lowest, self._highest = extremes or (inf, -inf)
        self._sets: dict[tuple[int, ...], Spread] = {}
        self.seen: Meetings | None = None
        """The meetings as of the last look."""
        self._series_before: Floats = np.zeros(0)
        """How many series each set had one look earlier."""

    def add(self, series: Mapping[str, tuple[float, int]]) -> None:
        """Counts a closed series: for each bot the sum of its scores and its matches."""
        if self.settled:
            return
        scores = sorted((self._place[bot], total / many) for bot, (total, many) in series.items() if many)
        if not scores:
            return  # none of its matches counts
        self._lowest = min(self._lowest, *(score for _, score in scores))
        self._highest = max(self._highest, *(score for _, score in scores))
        key = tuple(place for place, _ in scores)
        self._sets.setdefault(key, Spread(len(key))).add(np.array([score for _, score in scores]))

    def look(self) -> bool:
        """Looks, and returns whether the set of leaders is settled; called once after each closed cycle."""
        if self.settled:
            return True
        self.cycles += 1
        if self.cycles >= CYCLES_MIN and self._everybody_played():
            self._weigh()
        self.settled = self.sureness >= self.goal.confidence
        return self.settled

    def cycles_left(self) -> float | None:
        """About how many more cycles it takes; None: more than planned, or unknown.

        It assumes that the squared margin and the series that it stands for grow in proportion, as in the
        last cycle.
        """
        if self.settled:
            return 0.0
        seen = self.seen
        if seen is None or self.margin <= 0:
            return None
        margins, series = seen.margins(self._extremes)
        levels = np.where(self._pairs(seen), _levels_ahead(margins, series), -inf)
        pair = np.unravel_index(int(levels.argmax()), levels.shape)
        _, before = attrs.evolve(seen, series=self._series_before).margins(self._extremes)
        growth = float(series[pair] - before[pair])
        times = _times_as_many(float(margins[pair]), float(series[pair]), 1 - self.goal.confidence)
        if times is None or growth <= 0:
            return None
        left = max((times - 1) * float(series[pair]) / growth, 1.0)
        return left if self.cycles + left <= self.cycles_planned else None

    def shares(self) -> Mapping[frozenset[str], float] | None:
        """The weight of each set of bots in the next batch, by the last look; None: all play equally often.

        None before the first look that weighs, once settled, and in a field with a sure cycle, where no bot's
        place says how it would do against another.
        """
        if self.seen is None or self.settled or self.cycle:
            return None
        leads = np.array([float(bot in self.leaders) for bot in self._bots])
        shares = open_shares(self.seen, leads, self._extremes).tolist()
        names = (frozenset(self._bots[place] for place in key) for key in self._sets)
        return dict(zip(names, shares, strict=False))

    def _everybody_played(self) -> bool:
        """Whether every bot has a match that counts: otherwise it may be the best."""
        return len(set(chain.from_iterable(self._sets))) == len(self._bots)

    def _weigh(self) -> None:
        """Finds out who leads, by how much, and how certain that is."""
        seen = self._meetings()
        scores = seen.scores
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], self._bots[place]))
        self.leaders = tuple(self._bots[place] for place in order[: self.goal.top])
        before = self.seen.series if self.seen is not None else np.maximum(1.0, seen.series - 1)
        self._series_before = np.concatenate([before, np.ones(len(seen.series) - len(before))])
        self.seen = seen
        margins, series = seen.margins(self._extremes)
        levels = _levels_ahead(margins, series)
        worst = int(np.where(self._pairs(seen), levels, -inf).argmax())
        self.margin = float(margins.ravel()[worst])
        self.sureness = max(0.0, 1 - float(levels.ravel()[worst]))
        if not self.cycle:
            self.cycle = tuple(self._bots[place] for place in self._circle(seen))

    def _pairs(self, seen: Meetings) -> Floats:
        """A matrix, bot × bot, with 1 for each pair of a leader and another bot."""
        leads = np.array([bot in self.leaders for bot in self._bots])
        return np.outer(leads, ~leads).astype(float)

    def _circle(self, seen: Meetings) -> tuple[int, ...]:
        """Bots that surely beat each other in a circle: each step at the error of one pair among all."""
        margins, series = seen.head_to_head(self._highest - self._lowest)
        beats = _levels_ahead(margins, series) <= CYCLE_ERROR / comb(len(self._bots), 2)
        return shortest_circle(beats)

    def _meetings(self) -> Meetings:
        """The meetings as arrays; a set's only series counts as far apart as it is from its bots' scores."""
        keys, spreads = list(self._sets), list(self._sets.values())
        longest, bots = max(map(len, keys)), len(self._bots)
        places = np.full((len(keys), longest), bots)
        means = np.zeros((len(keys), longest))
        covariance = np.zeros((len(keys), longest, longest))
        for row, (key, spread) in enumerate(self._sets.items()):
            places[row, : len(key)], means[row, : len(key)] = key, spread.mean
        series = np.array([float(spread.series) for spread in spreads])
        seen = Meetings(bots, places, series, means, covariance)
        expected = np.append(seen.scores, 0.0)[places]
        for row, spread in enumerate(spreads):
            size = len(keys[row])
            covariance[row, :size, :size] = spread.covariance(expected[row, :size]) / spread.series
        return seen

    @property
    def _extremes(self) -> tuple[float, float]:
        return self._lowest, self._highest


def _levels_ahead(margins: Floats, series: Floats) -> Floats:
    """The `error_levels` of bots that are ahead, and infinity for the others."""
    return np.where(margins > 0, error_levels(margins, series), inf)


def _times_as_many(margin: float, series: float, error: float) -> float | None:
    """The factor by which series must grow for the margin to cross the bound."""
    low, high = 0.0, np.log(_RATIO_MAX)
    if _level_after(margin, series, high) > error:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _level_after(margin, series, middle) <= error else (middle, high)
    return float(np.exp(high))


def _level_after(margin: float, series: float, logarithm: float) -> float:
    times = np.exp(logarithm)
    return float(error_levels(np.array(margin * np.sqrt(times)), np.array(series * times)))
