"""The order in which the sets of bots play within a lap, so that everybody plays early.  Pure.

At two seats the circle method: rounds in which every bot plays once, or all but one do.  At more seats the
sets are taken greedily, first those whose bots have played least.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, islice
from typing import TypeAlias

BotSets: TypeAlias = Sequence[tuple[str, ...]]

Points: TypeAlias = tuple[int, ...]
"""A set of bots by their numbers."""

WINDOW = 256
"""How many sets the next one is chosen from: 32,509 sets of 3 are ordered in less than a second.

With 128, one of 39 bots in a sample at 4 seats would get 6 ahead of another.
"""

ORDER = 4
"""The number of the order in which a lap is played, kept in the folder of a tournament.

Withdrawals and goals are decided in schedule order, so a folder with another order is not continued.  A
better order gets a new number.
"""


def all_sets(bots: Sequence[str], seats: int) -> BotSets:
    """All sets of `seats` of the sorted bots, in order of play: nobody is ever far ahead.

    At two seats, nobody has ever played more than 2 more than anybody else; at more, see `evenly`.
    """
    points = tuple(_circle(len(bots))) if seats == 2 else _all_evenly(len(bots), seats)
    return named(bots, points)


def named(bots: Sequence[str], sets: Iterable[Points]) -> BotSets:
    """The sets of bots that have these numbers."""
    return [tuple([bots[point] for point in chosen]) for chosen in sets]


def evenly(sets: Iterable[Points], count: int) -> Iterator[Points]:
    """Different sets of one size out of `count` points, so that no point is ever in many more than another.

    The next set is always the one whose points have been in the fewest so far, all together: of the next
    `WINDOW` sets, and the first of several.

    Measured on every field of 3 to 40 bots at 3 to 6 seats, whose order depends neither on names nor on the
    seed: in all sets, where these are at most 200,000, and in balanced samples, no bot is ever more than 3
    ahead of another.  Only in the samples of 21 bots at 5 seats and of 31 at 6 is one 4 ahead for a while:
    they are projective planes, any two of whose sets share a bot.
    """
    by_mask = {sum(1 << point for point in chosen): chosen for chosen in sets}
    every = (1 << count) - 1
    # As bits, the points that have been in at least 1 set more than the last one, in 2 more, and so on.
    ahead: list[int] = []
    later = iter(by_mask)
    near = list(islice(later, WINDOW))
    while near:
        place = _least(near, ahead, count)
        mask = near[place]
        near[place : place + 1] = islice(later, 1)
        yield by_mask[mask]
        for level, points in enumerate(ahead):
            ahead[level], mask = points | mask, points & mask
        if mask:
            ahead.append(mask)
        if ahead[0] == every:
            del ahead[0]


def _least(near: Sequence[int], ahead: Sequence[int], count: int) -> int:
    """The index of the first set whose points are ahead by the least, all together."""
    size = near[0].bit_count()
    # No set can do better than one of those that are furthest behind; the search ends where one is as good.
    least = sum(max(0, size - count + points.bit_count()) for points in ahead)
    best, lowest = 0, size * len(ahead) + 1
    for place, mask in enumerate(near):
        total = 0
        for points in ahead:
            total += (mask & points).bit_count()
        if total < lowest:
            best, lowest = place, total
            if total == least:
                break
    return best


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
    return tuple(evenly(_in_orbits(count, size), count))


def _in_orbits(count: int, size: int) -> Iterator[Points]:
    """All sets; sets that are shifts of one another, and use all points equally often, come together."""
    for others in combinations(range(1, count), size - 1):
        first = (0, *others)
        gaps = [after - point for point, after in zip(first, (*others, count), strict=True)]
        turned = [gaps[turn:] + gaps[:turn] for turn in range(1, size)]
        if gaps > min(turned, default=gaps):
            continue  # it is a shift of another one
        period = next((turn for turn, same in enumerate(turned, 1) if same == gaps), size)
        for shift in range(sum(gaps[:period])):
            yield tuple(sorted((point + shift) % count for point in first))
