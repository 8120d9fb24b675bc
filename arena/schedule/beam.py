"""A search for an order in which nobody is ever more than so many sets ahead of anybody else.  Pure.

A beam search.  It goes on from the one best beginning until that leads nowhere, because every set that is
left would take somebody too far ahead; then it goes back some sets and keeps twice as many beginnings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter
from random import Random
from typing import TypeAlias

import attrs

Points: TypeAlias = tuple[int, ...]
"""A set of bots by their numbers."""

WINDOW = 256
"""Among how many of the sets that are left the next one is chosen; twice as many where it is difficult."""
WIDTH_MAX = 16
"""Beginnings that are kept at most: where these lead nowhere, the same sets in another order are tried sooner
than more beginnings."""
BACK = 8
"""Sets that are taken back, for each beginning that is kept from then on."""
CALM = 16
"""So many sets after the last dead end one beginning is enough again."""
BEGINNINGS_MAX = 10_000
"""How many are extended in all: a second."""


def ordered(sets: Collection[Points], count: int, lead_max: int) -> list[Points] | None:
    """The sets of `count` points so that none is ever more than `lead_max` sets ahead of another; None if no
    such order is found."""
    by_mask = {sum(1 << point for point in chosen): chosen for chosen in sets}
    masks, every, rng = tuple(by_mask), (1 << count) - 1, Random(0)
    beams = [[_Beginning((1 << len(masks)) - 1, (0,) * lead_max)]]
    width, furthest, extended = 1, 0, 0
    while len(beams) <= len(masks):
        extended += len(beams[-1])
        if extended > BEGINNINGS_MAX or width > WIDTH_MAX:
            return None
        window = WINDOW * min(width, 2)
        longer = _extended(beams[-1], masks, window, every, rng)
        if longer:
            kept = longer[:width]
            beams.append([_Beginning(left, levels, mask, before) for _, left, levels, mask, before in kept])
            if len(beams) > furthest + CALM:
                width = 1
        else:
            furthest, width = max(furthest, len(beams)), 2 * width
            del beams[max(1, len(beams) - BACK * width) :]
    return [by_mask[mask] for mask in _masks_of(beams[-1][0])]


@attrs.frozen(eq=False)
class _Beginning:
    """Some of the sets, in an order that is good so far."""

    left: int
    """The sets that are left, as bits."""
    levels: tuple[int, ...]
    """The points that are 1 or more ahead of the last one, 2 or more, and so on, as bits."""
    mask: int = 0
    """Its last set; 0 if there is none."""
    before: _Beginning | None = None
    """What it was without that."""


_Longer: TypeAlias = tuple[float, int, tuple[int, ...], int, _Beginning]
"""How uneven it is, and the fields of a beginning."""


def _extended(
    beginnings: Sequence[_Beginning], masks: Sequence[int], window: int, every: int, rng: Random
) -> list[_Longer]:
    """Each beginning with one more set, the most even ones first."""
    found: dict[int, _Longer] = {}
    for beginning in beginnings:
        levels = beginning.levels
        first, last = levels[0], levels[-1]
        for bit in _bits(beginning.left, window):
            mask = masks[bit.bit_length() - 1]
            left = beginning.left ^ bit
            if (last & mask and first | mask != every) or left in found:
                continue
            risen = _risen(levels, mask, every)
            # By chance among those that are nearly as even: else all that are kept begin in the same way.
            cost = 3 * rng.random()
            for number, level in enumerate(risen):
                cost += level.bit_count() << 3 * number
            found[left] = cost, left, risen, mask, beginning
    return sorted(found.values(), key=itemgetter(0))


def _bits(number: int, count: int) -> Iterator[int]:
    """The lowest bits of a number, `count` at most."""
    for _ in range(count):
        if not number:
            return
        bit = number & -number
        number ^= bit
        yield bit


def _risen(levels: tuple[int, ...], mask: int, every: int) -> tuple[int, ...]:
    """The levels after one more set."""
    risen = []
    for level in levels:
        risen.append(level | mask)
        mask &= level
    return (*risen[1:], mask) if risen[0] == every else tuple(risen)


def _masks_of(beginning: _Beginning) -> list[int]:
    masks: list[int] = []
    last: _Beginning | None = beginning
    while last is not None and last.mask:
        masks.append(last.mask)
        last = last.before
    return masks[::-1]


__all__ = ["Points", "ordered"]
