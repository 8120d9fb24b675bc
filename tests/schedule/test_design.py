"""Designs: balanced exactly, smaller than all sets, the same everywhere."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from arena.schedule.design import blocks, sample


def meetings(design):
    return Counter(pair for block in design for pair in combinations(sorted(block), 2))


def assert_balanced(design, points, size):
    """All blocks differ and have the size; every two points are together equally often, in fewer than all sets."""
    assert {size} == {len(set(block)) for block in design}
    assert len(design) == len({frozenset(block) for block in design}) < comb(points, size)
    together = meetings(design)
    assert set(combinations(range(points), 2)) == set(together)
    assert 1 == len(set(together.values()))
    assert 1 == len(set(Counter(point for block in design for point in block).values()))


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_designs_are_balanced_exactly(size):
    """Up to 24 bots a design is found wherever all sets are more than 56, and what is found is balanced."""
    for points in range(4, 25):
        design = blocks(points, size)
        if comb(points, size) > 56:
            assert design is not None, f"{points} points, blocks of {size}"
        if design is not None:
            assert_balanced(design, points, size)


@pytest.mark.slow
@pytest.mark.parametrize(("points", "size"), [(30, 6), (40, 4), (40, 6), (60, 3)])
def test_designs_of_many_points_are_found(points, size):
    """Larger tournaments have designs too, a small part of all sets."""
    design = blocks(points, size)
    assert_balanced(design, points, size)
    assert len(design) < comb(points, size) / 10


@pytest.mark.parametrize(
    ("points", "size", "sets"),
    [
        (7, 3, 7),  # the Fano plane
        (13, 4, 13),  # the projective plane of order 3
        (11, 5, 11),  # the biplane of order 3
        (6, 3, 10),  # the 2-(6, 3, 2) design, with a point that never moves
        (9, 3, 24),  # the affine plane of order 3 has 12, but no cycle of 9 or 8 gives it
    ],
)
def test_known_designs_have_their_size(points, size, sets):
    """Where the smallest cyclic design is known, it is found."""
    design = blocks(points, size)
    assert_balanced(design, points, size)
    assert sets == len(design)


@pytest.mark.parametrize(
    ("points", "size"), [(2, 2), (9, 2), (3, 3), (4, 3), (5, 3), (6, 4), (7, 5), (7, 6), (2, 3), (0, 3)]
)
def test_where_nothing_is_smaller_than_all_sets_there_is_no_design(points, size):
    """Pairs, and few bots in large sets: then all sets are the smallest balanced choice, and none is drawn."""
    assert blocks(points, size) is None
    assert sample([f"bot-{number}" for number in range(points)], size, 5) is None


def test_designs_are_kept_for_good():
    """The same sets on every machine and in every version: a folder begun with them must be continued.

    Recorded from this code on its first day; their order is that of a lap, which has a number of its own.
    """
    recorded = (
        [(0, 1, 5), (0, 2, 3), (0, 4, 6), (1, 2, 6), (1, 3, 4), (2, 4, 5), (3, 5, 6)],
        [(0, 1, 3), (0, 1, 5), (0, 2, 3), (0, 2, 4)],
        [
            ("a", "b", "d"),
            ("a", "c", "f"),
            ("a", "e", "g"),
            ("b", "c", "e"),
            ("b", "f", "g"),
            ("c", "d", "g"),
            ("d", "e", "f"),
        ],
    )
    assert recorded == (sorted(blocks(7, 3)), sorted(blocks(6, 3))[:4], sorted(sample("gfedcba", 3, 5)))


def test_the_sets_of_a_sample_have_their_names_sorted():
    """Whatever the order of the bots; every two meet."""
    drawn = sample(["g", "b", "a", "f", "c", "e", "d"], 3, 5)
    assert drawn == [tuple(sorted(bots)) for bots in drawn]
    assert {1} == set(meetings(drawn).values())
