"""The order in which the sets of bots play within a lap, so that everybody plays early.  Pure.

At two seats the circle method: rounds in which every bot plays once, or all but one do.  At more seats the
sets are taken greedily, first those of the bots that have played least; of a sample, few are left to choose
from at the end, so that a search (`beam`) may be needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, islice, product
from random import Random
from typing import TypeAlias

from arena.schedule.beam import Points, ordered

BotSets: TypeAlias = Sequence[tuple[str, ...]]

WINDOWS = (256, 128, 512)
"""Among how many sets the next one is chosen: with the first, 100,000 matches are ordered in half a second.
The others are for the few sizes at which that ends with one bot 3 ahead of another."""
DRAWN_TRIED_MAX = 6000
"""BotSets ordered at most in search of the best order of a sample: a tenth of a second."""
LEAD_USUAL = 2
"""By how many series one bot is ahead of another in most orders; a smaller lead is not searched for."""
SEARCHED_MAX = 5000
"""Sets of a sample for which a better order is searched."""
SEARCHES_MAX = 8
"""Searches at most for an order with a given lead.  The first one usually finds it, in less than a second."""


ORDER = 3
"""The number of the order that `nobody_far_ahead` gives, which the folder of a tournament keeps.

Withdrawals and goals are decided in schedule order, so a folder of another order is not continued.  A
better order gets a new number.
"""


def nobody_far_ahead(bots: Sequence[str], seats: int, drawn: BotSets | None) -> BotSets:
    """The sets that were drawn from sorted bots, or all, in order of play: nobody is ever far ahead.

    Of all sets, no bot has ever played more than 2 more than any other, at up to 12 seats.  Where a bot of a
    sample would get 3 ahead of another if those that have played least always came first, a better order is
    searched for.
    So, at all seeds that were tried, nobody has ever played more than 2 more than anybody else in a sample of
    up to 40 bots at up to 10 seats, except in eight that have as many sets as bots, any two of which share
    equally many bots.  No order keeps these within 2: a test tries them all.  11 bots at 5 or 6 seats, 13 at
    4 or 9, 15 at 7 or 8, and 21 at 5 are kept within 3, the least that is possible; 31 at 6 within 4, and
    whether 3 is possible is not known.
    """
    if drawn is not None:
        points = _sample_searched(_numbered(bots, drawn), len(bots))
    elif seats == 2:
        points = tuple(_circle(len(bots)))
    else:
        points = _all_evenly(len(bots), seats)
    return _named(bots, points)


def _numbered(bots: Sequence[str], drawn: BotSets) -> tuple[Points, ...]:
    number = {bot: index for index, bot in enumerate(bots)}
    return tuple(tuple(number[bot] for bot in chosen) for chosen in drawn)


def _named(bots: Sequence[str], points: Iterable[Points]) -> BotSets:
    return tuple([tuple([bots[point] for point in chosen]) for chosen in points])


def _circle(count: int) -> Iterator[Points]:
    """All pairs, in rounds: one point stays, the others move round it; an odd one sits out each time."""
    moving = count - 1 if count % 2 == 0 else count
    for turn in range(moving):
        if count % 2 == 0:
            yield turn, moving
        for step in range(1, (moving + 1) // 2):
            one, other = (turn + step) % moving, (turn - step) % moving
            yield min(one, other), max(one, other)


@cache
def _all_evenly(count: int, size: int) -> tuple[Points, ...]:
    """All sets of `size` points."""
    sets = list(_in_orbits(count, size))
    return _best(_evenly(sets, count, window) for window in WINDOWS)


def _sample_evenly(sets: Sequence[Points], count: int) -> tuple[Points, ...]:
    """These sets, in which all points occur equally often."""
    tries = max(1, DRAWN_TRIED_MAX // max(1, len(sets)))
    return _best(_evenly(_shuffled(sets, seed), count, WINDOWS[-1]) for seed in range(tries))


@cache
def _sample_searched(sets: tuple[Points, ...], count: int) -> tuple[Points, ...]:
    """These sets, in which all points occur equally often, with the smallest lead that is found."""
    order = _sample_evenly(sets, count)
    if len(sets) <= SEARCHED_MAX:
        seeds = range(max(2, min(SEARCHES_MAX, DRAWN_TRIED_MAX // len(sets))))
        for lead, seed in product(range(LEAD_USUAL, _lead(order, count)), seeds):
            found = ordered(_shuffled(sets, seed), count, lead)
            if found is not None:
                return tuple(found)
    return order


def _lead(order: Iterable[Points], count: int) -> int:
    """By how many sets a point is ahead of another at most, after any number of them."""
    had, lead = [0] * count, 0
    for chosen in order:
        for point in chosen:
            had[point] += 1
        lead = max(lead, max(had) - min(had))
    return lead


def _best(orders: Iterable[tuple[int, tuple[Points, ...]]]) -> tuple[Points, ...]:
    """The first order in which nobody is ever 3 ahead, or the one in which that is rarest."""
    rarest, best = -1, tuple[Points, ...]()
    for times, order in orders:
        if rarest < 0 or times < rarest:
            rarest, best = times, order
        if not rarest:
            break
    return best


def _evenly(sets: Iterable[Points], count: int, window: int) -> tuple[int, tuple[Points, ...]]:
    """The sets in an even order, and after how many of them one point is 3 or more ahead of another.

    Always the set that takes the fewest points to a count they should not have yet, among the next ones.
    """
    every = (1 << count) - 1
    once = twice = thrice = 0  # the points that are so far ahead of the last one, as bits
    by_mask = {sum(1 << point for point in chosen): chosen for chosen in sets}
    later = iter(by_mask)
    near, order, times = list(islice(later, window)), [], 0
    size = len(by_mask[near[0]]) if near else 0
    while near:
        # At best, the set has all the points that are last, and no others unless they are too few.
        fewest = max(0, size - count + once.bit_count())
        best, cost = 0, count << 10
        for place, mask in enumerate(near):
            found = ((mask & twice).bit_count() << 10) + (mask & once).bit_count()
            if found < cost:
                best, cost = place, found
                if cost <= fewest:
                    break
        chosen, following = near[best], next(later, None)
        if following is None:
            del near[best]
        else:
            near[best] = following
        order.append(by_mask[chosen])
        once, twice, thrice = once | chosen, twice | once & chosen, thrice | twice & chosen
        if once == every:
            once, twice, thrice = twice, thrice, 0
        times += thrice != 0
    return times, tuple(order)


def _in_orbits(count: int, size: int) -> Iterator[Points]:
    """All sets; shifts of one another, in which all points are equally often, come together."""
    for others in combinations(range(1, count), size - 1):
        first = (0, *others)
        gaps = [after - point for point, after in zip(first, (*others, count), strict=True)]
        turned = [gaps[turn:] + gaps[:turn] for turn in range(1, size)]
        if gaps > min(turned, default=gaps):
            continue  # it is a shift of another one
        period = next((turn for turn, same in enumerate(turned, 1) if same == gaps), size)
        for shift in range(sum(gaps[:period])):
            yield tuple(sorted((point + shift) % count for point in first))


def _shuffled(sets: Sequence[Points], seed: int) -> list[Points]:
    """The sets in a random order, the same in every version of Python."""
    rng = Random(seed)
    return [chosen for _, chosen in sorted((rng.random(), chosen) for chosen in sets)]


__all__ = ["ORDER", "nobody_far_ahead"]
