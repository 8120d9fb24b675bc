"""How often `--until` declares wrong leaders, and how many series it takes, beside the fewest of any rule.

Many tournaments between the same bots at two seats at once, as arrays: with the bounds, shares and looks of a
run, its batches and turns, and its lag (batch t + 1 is planned from batches up to t − 1).
What has been drawn of a set is how often each score of a series occurred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import comb
from typing import TypeAlias

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from arena.analysis.spread import Floats
from arena.analysis.stopping.mixture import CYCLE_ERROR, CYCLES_MIN, error_levels
from arena.analysis.strength.meetings import Meetings
from arena.analysis.strength.open_sets import open_shares
from arena.bench.measures import Measure, at_most
from arena.schedule.allocation import TURNS, batch_size, batches_of

from .until_bound import fewest_series
from .until_covariances import largest_error
from .until_fields import (
    Field,
    by_elo,
    in_circles,
    of_liars_dice,
    with_rare_losses,
)

ERROR = 0.05
"""That is declared: at 95 %."""
ERROR_MAX = 0.06
"""That may be observed in `RUNS` tournaments."""
RUNS = 2000
RUNS_OF_MEANS = 400
"""Enough for the mean number of series with equal schedules, to 2 %."""
SEED = 1
EXTREMES = (0.0, 1.0)
"""The lowest and the highest score of a match, in all fields here."""

Alarms: TypeAlias = NDArray[np.bool_]
Bound: TypeAlias = Callable[[Meetings, Alarms, int], Alarms]
"""Meetings, … × bot × bot whether it is a pair of a leader and another, cycle -> … whether it is settled."""


@attrs.frozen
class Outcome:
    """What came of the tournaments of one design."""

    cycles: float
    """Mean number of laps' worth of series when they ended."""
    settled: float
    wrong: float
    """The share of all that declared a wrong set; with a tie at the last place every set is wrong."""


def mixture_bound(seen: Meetings, pairs: Alarms, cycle: int) -> Alarms:
    """The rule of a run, at whatever cycle."""
    margins, series = seen.margins(EXTREMES)
    levels = np.where(margins > 0, error_levels(margins, series), 1.0)
    return np.asarray(np.where(pairs, levels, 0.0).max((-2, -1)) <= ERROR)


BOUNDS: Mapping[str, tuple[Callable[[], Field], int, float]] = {
    "best of 2, 70 Elo apart": (lambda: by_elo([70, 0]), 1, 2.0),
    "best of 4, 60 to 160 Elo behind": (lambda: by_elo([100, 40, 0, -60]), 1, 2.0),
    "best of 6, five even, 60 Elo behind": (lambda: by_elo([60, *[0.0] * 5]), 1, 2.8),
    "best of 12, 60 Elo apart": (lambda: by_elo(np.linspace(330, -330, 12).tolist()), 1, 2.4),
    "top 3 of 20, 50 Elo apart": (lambda: by_elo(np.linspace(475, -475, 20).tolist()), 3, 2.6),
    "best of 11 real": (of_liars_dice, 1, 3.5),
    "top 4 of 11 real": (of_liars_dice, 4, 3.5),
}
"""Field, leaders, and how many times the fewest series may be taken.  Twice was aimed at in all but the real
field; METHOD.md says why three fields take more, and here they must not get worse."""
CYCLES_LONG = 3000
"""Enough for each of these to be settled."""

ERRORS: Mapping[str, tuple[Callable[[], Field], int, int]] = {
    "two even bots": (lambda: by_elo([0, 0]), 1, 300),
    "best of 4, two even before two": (lambda: by_elo([100, 100, 0, 0]), 1, 150),
    "best of 12, two even before ten": (lambda: by_elo([100, 100, *[0.0] * 10]), 1, 60),
    "best of 6, all even": (lambda: by_elo([0.0] * 6), 1, 100),
    "top 3 of 6, all even": (lambda: by_elo([0.0] * 6), 3, 100),
    "top 3 of 8, 4 Elo between third and fourth": (
        lambda: by_elo([200, 150, 54, 50, -50, -100, -150, -200]),
        3,
        100,
    ),
    "top 3 of 11 real, 0.004 between third and fourth": (of_liars_dice, 3, 40),
    "best of 3 in a circle": (lambda: in_circles(1, 0.8), 1, 150),
    "best of 6 in two circles": (lambda: in_circles(2, 0.65), 1, 100),
    "two even bots, one of rare large losses": (lambda: with_rare_losses(2), 1, 200),
    "best of 4 even, one of rare large losses": (lambda: with_rare_losses(4), 1, 100),
}
"""Field, leaders and cycles: what differs is hardest to tell, or not at all, and then every set is wrong."""


def until_rows() -> Iterator[Measure]:
    """Series ÷ the fewest that any rule takes, and how often wrong leaders are declared."""
    for name, (make, top, most) in BOUNDS.items():
        yield from _against_bound(name, make(), top, most)
    for name, (make, top, cycles) in ERRORS.items():
        found = simulated(make(), top, mixture_bound, cycles, allocates=True)
        what = f"--until: {name}, {cycles} cycles: wrong at 95 %"
        yield Measure("trust", what, "share", (found.wrong,), at_most(ERROR_MAX))
    what = "--until: all even, arbitrary covariances, the largest error of the bound at 95 %"
    yield Measure("trust", what, "share", (largest_error(),), at_most(ERROR_MAX))


def _against_bound(name: str, field: Field, top: int, most: float) -> Iterator[Measure]:
    """How many series it takes, beside the fewest that any rule takes."""
    said, fewest = f"--until: {name}", fewest_series(field, top, ERROR)
    even = simulated(field, top, mixture_bound, CYCLES_LONG, runs=RUNS_OF_MEANS)
    found = simulated(field, top, mixture_bound, CYCLES_LONG, allocates=True)
    times = len(field.places) / fewest
    yield Measure("trust", f"{said}: the fewest series of any rule", "series", (fewest,))
    yield Measure("trust", f"{said}: series ÷ the fewest", "×", (found.cycles * times,), at_most(most))
    yield Measure("trust", f"{said}: with --allocate even, ÷ the fewest", "×", (even.cycles * times,))
    yield Measure("trust", f"{said}: wrong at 95 %", "share", (found.wrong,), at_most(ERROR_MAX))


class Tournaments:
    """Tournaments in progress that are not settled."""

    def __init__(self, field: Field, top: int, runs: int, rng: Generator, *, allocates: bool) -> None:
        self.field, self.top, self.rng, self.allocates = field, top, rng, allocates
        self.counts: Floats = np.zeros((runs, len(field.places), len(field.scores)))
        """Tournament × set × score of the first bot: how many series had it."""
        equal = np.full((runs, len(field.places)), 1 / len(field.places))
        self._next: Floats = equal
        self.after: Floats = equal
        self._is_cyclic: Alarms = np.zeros(runs, bool)
        self.planned = 0
        """How many series each tournament has had."""

    def play(self, cycle: int) -> Meetings:
        """Draws the next batch; gives all that is known then."""
        self.counts += drawn_scores(self.rng, self._batch(cycle), self.field.chances)
        self._next = self.after
        return self.field.meetings(self.counts)

    def plan(self, seen: Meetings, leads: Alarms) -> None:
        """The shares of the batch after the next one."""
        if not self.allocates:
            return
        self._is_cyclic |= has_sure_circle(seen)
        equal = np.full(seen.series.shape, 1 / seen.series.shape[-1])
        self.after = np.where(
            self._is_cyclic[:, None], equal, open_shares(seen, leads.astype(float), EXTREMES)
        )

    def keep(self, going: Alarms) -> None:
        self.counts, self._next, self.after = self.counts[going], self._next[going], self.after[going]
        self._is_cyclic = self._is_cyclic[going]

    def _batch(self, cycle: int) -> Floats:
        """Tournament × set: how many series each plays."""
        runs, sets = self._next.shape
        size = batch_size(sets, cycle - 1) if self.allocates else sets
        before, self.planned = self.planned, self.planned + size
        # Of a lap with equal shares every set has one, whatever the draw.
        is_equal = (self._next == self._next[:, :1]).all(-1) & (size == sets)
        turn = np.arange(before // TURNS, self.planned // TURNS) % sets
        turns = np.bincount(turn, minlength=sets)
        marks = self._next.cumsum(-1) * (size - len(turn)) + self.rng.random((runs, 1))
        drawn = np.diff(np.floor(marks + 1e-9), axis=-1, prepend=0.0)
        return np.where(is_equal[:, None], 1.0, turns + drawn)


def simulated(
    field: Field,
    top: int,
    bound: Bound,
    cycles: int,
    *,
    allocates: bool = False,
    runs: int = RUNS,
) -> Outcome:
    """Tournaments until each is settled, or all cycles are played."""
    going = Tournaments(field, top, runs, np.random.default_rng(SEED), allocates=allocates)
    truth, total, settled, wrong = field.leaders(top), 0.0, 0, 0
    sets = len(field.places)
    for cycle in range(1, (batches_of(sets, cycles) if allocates else cycles) + 1):
        before = going.planned
        seen = going.play(cycle)
        total += len(going.counts) * (going.planned - before) / sets
        if cycle < CYCLES_MIN:
            continue
        leads = leaders(seen.scores, top)
        done = bound(seen, leads[:, :, None] & ~leads[:, None, :], cycle)
        settled += int(done.sum())
        wrong += int((leads[done] != truth).any(-1).sum()) if truth is not None else int(done.sum())
        going.plan(seen, leads)
        going.keep(~done)
        if done.all():
            break
    return Outcome(total / runs, settled / runs, wrong / runs)


def leaders(scores: Floats, top: int) -> Alarms:
    """… × bot: whether it is among the first so many."""
    order = np.argsort(-scores, axis=-1, kind="stable")
    leads = np.zeros(scores.shape, bool)
    np.put_along_axis(leads, order[..., :top], True, -1)
    return leads


def drawn_scores(rng: Generator, series: Floats, chances: Floats) -> Floats:
    """Tournament × set × score: how many of the series have it; multinomial."""
    counts = np.zeros((*series.shape, chances.shape[1]))
    left, rest = series.astype(np.int64), np.ones(len(chances))
    for score, chance in enumerate(chances.T[:-1]):
        part = np.clip(np.divide(chance, rest, out=np.zeros_like(rest), where=rest > 1e-12), 0.0, 1.0)
        counts[..., score] = rng.binomial(left, part)
        left, rest = left - counts[..., score].astype(np.int64), rest - chance
    counts[..., -1] = left
    return counts


def has_sure_circle(seen: Meetings) -> Alarms:
    """Per tournament: whether some bots surely beat each other in a circle, as in `Mixture`."""
    margins, laps = seen.head_to_head(EXTREMES[1] - EXTREMES[0])
    beats = (margins > 0) & (error_levels(margins, laps) <= CYCLE_ERROR / comb(seen.bots, 2))
    reached = beats.copy()
    for _ in range(max(1, (seen.bots - 1).bit_length())):  # paths twice as long each time
        reached = reached | (reached.astype(float) @ reached.astype(float) > 0)
    return np.asarray(np.diagonal(reached, axis1=-2, axis2=-1).any(-1))
