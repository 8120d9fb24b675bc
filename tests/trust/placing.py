"""How soon a newcomer of a ladder is placed, and how often its interval misses the truth at some look.

Thirty bots of a ladder that has settled so far, and newcomers that arrive one after the other, play, and leave.
Matches are won by Plackett and Luce's model; a series counts in its batch.  How long that takes follows from how
many matches a machine plays in a minute (`arena bench`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum, log
from random import Random

import attrs
import numpy as np

from arena.analysis.strength.placing import LadderRatings
from arena.analysis.strength.ratings import ANCHOR
from arena.bench.measures import Measure, at_most
from arena.schedule import Pairing, Terms, derive_seed
from arena.schedule.course import MatchResult
from arena.schedule.ladder import Ladder
from arena.schedule.ladder_rows import BatchRow, LadderMatch, LadderSettings, PresentBot
from arena.schedule.withdrawals import BotOutcome

FIELD, NEWCOMERS, SEED = 30, 40, 29
SPREAD = 150.0
"""The standard deviation of true strengths in Elo."""
SERIES = 120
"""Open series at most; all close in their batch."""
BATCHES = 10
"""For how many batches each newcomer stays, and is looked at after each."""
WARM_UP = 16
SEATS = (2, 4)
MISSED_MAX = 5.0
MATCHES_MAX = 2_000
"""Of all bots, until a newcomer is placed: a few minutes where bots think no time (`arena bench`)."""


@attrs.frozen
class PlacedNewcomer:
    """How it went for one newcomer."""

    batches: int
    """In how many batches it was placed."""
    matches: int
    """How many matches it had played by then."""
    all_matches: int
    """How many matches all bots had played by then, since it came."""
    is_placed: bool = True


class LadderOfNewcomers:
    """A ladder in which time is counted in matches."""

    def __init__(self, seats: int, seed: int, bots: int = FIELD, warm_up: int = WARM_UP) -> None:
        rng = np.random.default_rng([seed, seats])
        self._strengths = {f"b{number}@1": float(rng.normal(0, SPREAD)) for number in range(bots)}
        self._field = list(self._strengths)
        self._new = {f"n{number}@1": float(rng.normal(0, SPREAD)) for number in range(NEWCOMERS)}
        self._strengths |= self._new
        self._judge = LadderRatings()
        terms = Terms(game="any", seats=seats, series=1, seed=seed, deals="same")
        self.ladder = Ladder(LadderSettings(series_most=SERIES), terms, self._judge)
        self._arrived: dict[str, int] = {}
        self._results: dict[str, LadderMatch] = {}
        self._closed: tuple[str, ...] = ()
        self._spent: dict[str, float] = {}
        self._batch = 0
        self.matches = 0
        self.own = Counter[str]()
        """Bot -> how many matches it has played."""
        self.missed = set[str]()
        """The bots of which some interval did not hold the truth."""
        for _ in range(warm_up):
            self.play(self._field)

    def until_sure(self, apart: float, share: float) -> int:
        """How many matches are played until so many of the pairs so far apart are in a sure order."""
        strengths = np.array([self._strengths[bot] for bot in self._field])
        is_far = strengths[:, None] - strengths >= apart
        while True:
            self.play(self._field)
            if all(map(self._judge._bots.__contains__, self._field)):
                known = self._judge._known(self._field)
                if np.mean((known.leads > known.bounds)[is_far]) >= share:
                    return self.matches

    def newcomers(self) -> Iterator[PlacedNewcomer]:
        """Each of them, one after the other."""
        for bot in self._new:
            before, placed = self.matches, None
            for batch in range(BATCHES):
                played = batch, self.own[bot], self.matches - before
                self.play([*self._field, bot])
                if placed is None and self.ladder.is_placed(bot):
                    placed = PlacedNewcomer(*played)
            yield placed or PlacedNewcomer(*played, is_placed=False)

    def play(self, present: Sequence[str]) -> None:
        """Plans a batch, looks at what counts by then, and plays it to its end."""
        here = tuple(
            PresentBot(bot, f"of {bot}", self._arrived.setdefault(bot, self._batch)) for bot in present
        )
        row = BatchRow(batch=self._batch, present=here, closed=self._closed, spent=self._spent)
        planned = self.ladder.open_batch(row, self._results)
        self._look(present)
        self._results = {pairing.id: self._result(pairing) for pairing in planned}
        self._closed = tuple(dict.fromkeys(pairing.series for pairing in planned))
        self._spent = {
            f"of {bot}": float(many)
            for bot, many in Counter(bot for pairing in planned for bot in pairing.bots).items()
        }
        self._batch += 1
        self.own.update(bot for pairing in planned for bot in pairing.bots)
        self.matches += len(planned)

    def _look(self, present: Sequence[str]) -> None:
        """Notes whose interval does not hold the truth."""
        places = self._judge.places(present)
        mean = fsum(self._strengths[place.bot] for place in places) / max(1, len(places))
        for place in places:
            truth = ANCHOR + self._strengths[place.bot] - mean
            if abs(place.rating - truth) > place.error:
                self.missed.add(place.bot)

    def _result(self, pairing: Pairing) -> LadderMatch:
        rng = Random(derive_seed(SEED, "result", pairing.id))
        times = [-log(1 - rng.random()) / 10 ** (self._strengths[bot] / 400) for bot in pairing.bots]
        points = tuple(sum(other > time for other in times) / (len(times) - 1) for time in times)
        result = MatchResult(points=points, returns=points, faults=(0,) * len(points))
        return LadderMatch(result, dict.fromkeys(pairing.bots, BotOutcome()))


def placing_rows() -> Iterator[Measure]:
    """How many matches it takes, and how often an interval misses the truth at some look."""
    for seats in SEATS:
        ladder = LadderOfNewcomers(seats, SEED)
        found = list(ladder.newcomers())
        what = f"a newcomer among {FIELD} bots at {seats} seats, placed within 100 Elo"
        own = tuple(float(each.matches) for each in found)
        every = tuple(float(each.all_matches) for each in found)
        yield Measure("trust", f"{what}: its matches", "matches", own)
        yield Measure("trust", f"{what}: matches of all bots", "matches", every, at_most(MATCHES_MAX))
        yield Measure(
            "trust",
            f"{what}: not in {BATCHES} batches",
            "%",
            (100 * sum(not each.is_placed for each in found) / len(found),),
        )
        share = 100 * len(ladder.missed) / (FIELD + NEWCOMERS)
        what = f"ratings of a ladder at {seats} seats: the truth is outside at some look"
        yield Measure("trust", what, "%", (share,), at_most(MISSED_MAX))
