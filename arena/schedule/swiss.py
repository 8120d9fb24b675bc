"""Swiss: in every cycle each bot plays neighbours in the standings that it has not met.  Pure.

These standings are used for pairing only: the sum over cycles of a bot's mean points in the cycle, then its
opponents' sums (Buchholz), then a keyed hash.  A bye counts as a win.  Nobody is ranked by them: opponents
differ, and only a rating adjusts for that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from math import fsum
from typing import TypeAlias

from arena.schedule.pairing import Pairing, derive_seed
from arena.schedule.terms import (
    FinishedPoints,
    FormatKind,
    ScheduleSize,
    Terms,
    Withdrawn,
    series_of,
    sets_in_words,
    size_in_sets,
    too_few,
)
from arena.words import counted

BYES_TRIED = 5
"""How many bots are tried for the bye, to find one whose bye lets the others avoid repeating a pairing."""
STEPS_MAX = 4_000
"""Steps of a search for pairs that have not met: exhaustive up to 10 bots; more bots hardly ever need it."""

Bots: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[str, str]
Met: TypeAlias = Mapping[str, Counter[str]]
_Exchange: TypeAlias = tuple[int, int, int, tuple[Pair, Pair]]


def pairings(
    entrants: Sequence[str], terms: Terms, results: FinishedPoints, withdrawn: Withdrawn
) -> Iterator[Pairing]:
    """In every cycle each bot is in one set, which plays `series` series; bots left over have a bye.

    In order of play: by cycle, by series, by set from the top of the standings, by rotation.  The entrants'
    order does not matter.
    """
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    standings = _Standings(sorted(entrants), terms)
    for cycle in range(cycles_of(len(entrants), terms)):
        playing = [bot for bot in standings.order() if cycle <= withdrawn.get(bot, cycle)]
        if len(playing) < terms.seats:
            return
        sets, byes = _drawn(playing, standings, terms.seats)
        planned = list(_lap(sets, cycle, terms))
        yield from planned
        if any(pairing.id not in results for pairing in planned):
            return
        standings.add(sets, byes, planned, results)


def cycles_of(entrants: int, terms: Terms) -> int:
    """How many cycles are played: enough that only one bot can win them all, and one more.

    At two seats at most one per opponent, unless more are asked for.
    """
    if terms.cycles is not None:
        return terms.cycles
    cycles = (entrants - 1).bit_length() + 1
    return min(cycles, entrants - 1) if terms.seats == 2 else cycles


def size(entrants: int, terms: Terms) -> ScheduleSize:
    """How many matches are planned if nobody is withdrawn."""
    cycles, sets = cycles_of(entrants, terms), entrants // terms.seats
    words = f"{counted(cycles, 'cycle')} × {sets_in_words(sets, terms.seats)}"
    return size_in_sets(cycles * sets, words, terms)


KIND = FormatKind(
    name="swiss",
    summary="in every cycle each bot meets a neighbour in the standings: few matches for many bots",
    pairings=pairings,
    is_adaptive=True,
    size=size,
    refusal=too_few,
    ranked_by="rating",
)


def _lap(sets: Sequence[Bots], cycle: int, terms: Terms) -> Iterator[Pairing]:
    for series in range(terms.series):
        for bots in sets:
            yield from series_of(terms, bots, cycle * terms.series + series, cycle=cycle)


class _Standings:
    """Every bot's score, opponents and byes after the cycles added so far."""

    def __init__(self, bots: Sequence[str], terms: Terms) -> None:
        self.byes = dict.fromkeys(bots, 0)
        self.met: dict[str, Counter[str]] = {bot: Counter() for bot in bots}
        """Bot -> the others -> in how many cycles they met."""
        self._scores = dict.fromkeys(bots, 0.0)
        # By keyed hash: fair, and the same whatever the order of the entrants.
        self._lots = {bot: derive_seed(terms.seed, "swiss", bot) for bot in bots}

    def add(
        self, sets: Sequence[Bots], byes: Sequence[str], planned: Sequence[Pairing], results: FinishedPoints
    ) -> None:
        """Records a finished cycle."""
        points: dict[str, list[float]] = defaultdict(list)
        for pairing in planned:
            # An aborted match favours nobody: as if all had tied.
            gained = results[pairing.id] or (0.5,) * len(pairing.bots)
            for bot, share in zip(pairing.bots, gained, strict=True):
                points[bot].append(share)
        for bot, shares in points.items():
            self._scores[bot] += fsum(shares) / len(shares)
        for bot in byes:
            self._scores[bot] += 1
            self.byes[bot] += 1
        for one, other in (pair for bots in sets for pair in permutations(bots, 2)):
            self.met[one][other] += 1

    def order(self) -> list[str]:
        """All bots, the best first."""
        return sorted(self._scores, key=self._place)

    def _place(self, bot: str) -> tuple[float, float, int]:
        buchholz = fsum(self._scores[other] * times for other, times in self.met[bot].items())
        # Rounded, so that equal sums of thirds are equal whatever their order.
        return -round(self._scores[bot], 9), -round(buchholz, 9), self._lots[bot]


def _drawn(playing: Sequence[str], standings: _Standings, seats: int) -> tuple[list[Bots], Bots]:
    """Sets of neighbours in the standings that have met least, and the bots that have a bye.

    A bye goes to the lowest of the bots that had fewest; at two seats to a higher one if that avoids a
    repetition.
    """
    upwards = playing[::-1]
    waiting = sorted(upwards, key=standings.byes.__getitem__)  # stable: the lowest first
    byes = waiting[: len(playing) % seats]
    if seats > 2:
        return _tables(_without(byes, playing), standings.met, seats), tuple(byes)
    fewest = [bot for bot in waiting if standings.byes[bot] == standings.byes[waiting[0]]]
    for choice in [(bot,) for bot in fewest[:BYES_TRIED]] if byes else [()]:
        pairs = _unmet(_without(choice, playing), standings.met)
        if pairs is not None:
            return pairs, choice
    return _least_met(_without(byes, playing), standings.met), tuple(byes)


def _without(out: Sequence[str], bots: Sequence[str]) -> list[str]:
    return [bot for bot in bots if bot not in out]


def _tables(ranked: Sequence[str], met: Met, seats: int) -> list[Bots]:
    """Sets from the top of the standings: the highest bot left, with those that met the table least."""
    free, tables = list(ranked), []
    while free:
        table = [free.pop(0)]
        while len(table) < seats:
            # `min` takes the first of equals, which is the highest in the standings.
            chosen = min(free, key=lambda bot: sum(met[bot][other] for other in table))
            free.remove(chosen)
            table.append(chosen)
        tables.append(tuple(table))
    return tables


def _unmet(ranked: Sequence[str], met: Met) -> list[Bots] | None:
    """Pairs of neighbours that have not met; None if there are none, or none were found within STEPS_MAX.

    Backtracks from the top: if the rest cannot be paired, the last pair is split again.
    """
    free, pairs, least = list(range(len(ranked))), list[tuple[int, int]](), 1
    for _ in range(STEPS_MAX):
        if not free:
            return [(ranked[one], ranked[other]) for one, other in pairs]
        opponents = met[ranked[free[0]]]
        place = next((i for i in range(least, len(free)) if not opponents[ranked[free[i]]]), None)
        if place is not None:
            pairs.append((free[0], free[place]))
            free, least = [*free[1:place], *free[place + 1 :]], 1
        elif pairs:
            one, other = pairs.pop()
            free = sorted((one, other, *free))
            least = free.index(other) + 1
        else:
            return None
    return None


def _least_met(ranked: Sequence[str], met: Met) -> list[Bots]:
    """Pairs of neighbours, exchanging partners as long as that avoids repetitions."""
    pairs = list(zip(ranked[::2], ranked[1::2], strict=True))
    while True:
        repeated = [place for place, (a, b) in enumerate(pairs) if met[a][b]]
        places = ((one, other) for one in repeated for other in range(len(pairs)) if other != one)
        gains = (_exchange(one, other, pairs, met) for one, other in places)
        best = max(gains, default=None, key=lambda exchange: exchange[0])
        if best is None or best[0] <= 0:
            return [*pairs]
        _, one, other, changed = best
        pairs[one], pairs[other] = changed


def _exchange(one: int, other: int, pairs: Sequence[Pair], met: Met) -> _Exchange:
    """The best exchange of partners between two pairs, and how many repetitions it avoids."""
    (a, b), (c, d) = pairs[one], pairs[other]
    now = met[a][b] + met[c][d]
    crossed, straight = now - met[a][d] - met[c][b], now - met[a][c] - met[b][d]
    if crossed > straight:
        return crossed, one, other, ((a, d), (b, c))
    return straight, one, other, ((a, c), (b, d))
