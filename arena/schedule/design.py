"""A balanced sample of the sets of bots: every two bots meet in equally many of them.  Pure.

A balanced incomplete block design, developed cyclically (Bose 1939; Colbourn and Dinitz, Handbook of
Combinatorial Designs, II.3): the points are the residues of a modulus, and shifting a few base blocks through
all of them makes the sets.  Two points then meet as often as their difference occurs in the base blocks, so
it is enough that every difference occurs equally often.  There are as many residues as points, or one fewer
and a point that no shift moves: whichever takes fewer sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from math import comb, gcd
from operator import length_hint
from random import Random

import attrs

from arena.schedule.laps import BotSets, Points, evenly, named
from arena.schedule.pairing import derive_seed

FRAMES_MAX = 6
"""How many ways to build a design are tried, those with the fewest sets first."""
STEPS_MAX = 60_000
"""Steps per frame, in all its climbs; half a second.  Up to 40 bots and 6 seats most take under 10,000."""
CLIMB_STEPS_MAX = 20_000
"""Steps of one climb: more do not save one that is stuck on a plateau."""
SIZE_USUAL = 10
"""If there are more seats than this, fewer steps are made, as each takes longer."""
CLIMBS_MAX = 200
"""Climbs per frame: with few sets to choose from, most end with a set that occurs twice."""

Block = list[int]


def sample(bots: Sequence[str], seats: int, seed: int) -> BotSets | None:
    """A balanced sample of all sets of `seats` bots, in order of play; None if none is found.

    It is smaller than the set of all.  The bots' order does not matter.  One more bot makes a different
    sample: designs do not grow.
    """
    design = blocks(len(bots), seats)
    if design is None:
        return None
    drawn = sorted(bots, key=lambda bot: derive_seed(seed, "design", bot))
    return [tuple(sorted(chosen)) for chosen in named(drawn, design)]


@cache
def blocks(points: int, size: int) -> tuple[Points, ...] | None:
    """Sets of `size` out of `points` points, in which every two meet equally often; None if none is found.

    They are all different, fewer than all sets of that size, in order of play (see `evenly`), and the same
    on every machine.
    """
    for frame in islice(_frames(points, size), FRAMES_MAX):
        base = _base(frame)
        if base is not None:
            return tuple(evenly(_developed(base, frame, size), points))
    return None


@attrs.frozen(order=True)
class _Frame:
    """What to search for: base blocks of these sizes in which every difference occurs equally often."""

    sets: int
    """How many sets the design has; the first field, so that frames sort by it."""
    modulus: int
    sizes: tuple[int, ...]
    """The sizes of the base blocks; one less than a set's if the fixed point belongs to the block."""
    each: int
    """How often every difference must occur."""


def _frames(points: int, size: int) -> Iterator[_Frame]:
    """All frames with fewer sets than all, the smallest first."""
    found: list[_Frame] = []
    for times in range(1, FRAMES_MAX + 1) if points > size else ():
        found += [_cyclic(points, size, times), _fixed(points, size, times)]
    return iter(sorted(frame for frame in found if frame.sets < comb(points, size)))


def _cyclic(points: int, size: int, times: int) -> _Frame:
    """The frame in which every point moves."""
    base = times * (points - 1) // gcd(points - 1, size * (size - 1))
    return _Frame(base * points, points, (size,) * base, base * size * (size - 1) // (points - 1))


def _fixed(points: int, size: int, times: int) -> _Frame:
    """The frame in which one point never moves: in some base blocks, it meets the others equally often."""
    with_it = times * size // gcd(points, size)
    base = with_it * (points - size) // size
    sizes = (size,) * base + (size - 1,) * with_it
    return _Frame(len(sizes) * (points - 1), points - 1, sizes, with_it * (size - 1))


def _base(frame: _Frame) -> list[Block] | None:
    """Base blocks of such a design; None if none are found."""
    rng, left = Random(0), STEPS_MAX * SIZE_USUAL // max(SIZE_USUAL, *frame.sizes)
    for _ in range(CLIMBS_MAX):
        steps = iter(range(min(left, CLIMB_STEPS_MAX)))
        base = _climb(frame, rng, steps)
        if base is not None and _are_apart(base, frame.modulus):
            return base
        left -= min(left, CLIMB_STEPS_MAX) - length_hint(steps)
        if not left:  # a climb begins by drawing all blocks, which is pointless without a step to follow
            break
    return None


def _climb(frame: _Frame, rng: Random, steps: Iterator[int]) -> list[Block] | None:
    """Base blocks with every difference `each` times, by moving a point at a time, never for the worse."""
    base = [_drawn(size, frame.modulus, rng) for size in frame.sizes]
    excess = [-frame.each] * frame.modulus
    for block in base:
        for place, point in enumerate(block):
            _count(_differences(point, block[:place], frame.modulus), 1, excess)
    off = sum(count**2 for count in excess[1:])
    for _ in steps:
        if off == 0:
            return base
        block = base[_below(len(base), rng)]
        place, point = _below(len(block), rng), _below(frame.modulus, rng)
        if point not in block:
            off -= _move(block, place, point, excess)
    return None


def _move(block: Block, place: int, point: int, excess: list[int]) -> int:
    """Puts this point at that place unless that is worse; returns the gain."""
    others = block[:place] + block[place + 1 :]
    lost = _differences(block[place], others, len(excess))
    won = _differences(point, others, len(excess))
    gain = _count(lost, -1, excess) + _count(won, 1, excess)
    if gain >= 0:
        block[place] = point
        return gain
    _count(won, -1, excess)
    _count(lost, 1, excess)
    return 0


def _count(differences: Iterable[int], by: int, excess: list[int]) -> int:
    """Counts these differences in (1) or out (-1); returns by how much the sum of squares falls."""
    gain = 0
    for difference in differences:
        gain -= 2 * by * excess[difference] + 1
        excess[difference] += by
    return gain


def _differences(point: int, others: Iterable[int], modulus: int) -> list[int]:
    """The differences between the point and each of the others, in both directions."""
    return [way % modulus for other in others for way in (point - other, other - point)]


def _are_apart(base: Sequence[Block], modulus: int) -> bool:
    """Whether all shifts of all blocks are different sets."""
    # A block that is a shift of another, or of itself, shows: shifted to begin with 0, it occurs twice.
    seen = [frozenset((point - first) % modulus for point in block) for block in base for first in block]
    return len(seen) == len(set(seen))


def _developed(base: Sequence[Block], frame: _Frame, size: int) -> Iterator[Points]:
    """Every shift of every base block; the point that never moves is the last one.

    Shift by shift, so that this point too occurs equally often all the time.
    """
    for turn in range(frame.modulus):
        for block in base:
            fixed = (frame.modulus,) * (size - len(block))
            yield (*sorted((point + turn) % frame.modulus for point in block), *fixed)


def _drawn(size: int, modulus: int, rng: Random) -> Block:
    """`size` distinct residues."""
    block: Block = []
    while len(block) < size:
        if (point := _below(modulus, rng)) not in block:
            block.append(point)
    return block


def _below(limit: int, rng: Random) -> int:
    """An integer below `limit`; Python promises only `Random.random` to stay the same in every version."""
    return int(rng.random() * limit)
