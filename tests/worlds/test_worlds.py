"""A cover of the worlds: each cell is a real use of the arena on a machine that lacks something."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product

import pytest
from daily import daily

from .cells import GROUPS, INSTALLS, Cell, all_cells, by_day, cover
from .entering import USERS, WORLDS
from .errands import ERRANDS
from .ground import Ground, a_ground
from .playing import lacking, play_cell

CELLS_MAX = 40


GROUP_OF = {errand: name for name, group in GROUPS.items() for errand in group}


def test_the_cover_leaves_no_pair_out():
    """Every errand meets both users and both ways to install."""
    cells = cover()
    assert len(set(cells)) == len(cells) <= CELLS_MAX
    assert set(cells) <= set(all_cells())
    assert set(ERRANDS) == set(GROUP_OF)
    assert set(product(ERRANDS, USERS)) == {(cell.errand, cell.user) for cell in cells}
    assert set(product(ERRANDS, INSTALLS)) == {(cell.errand, cell.install) for cell in cells}


def test_what_is_played_by_day_leaves_no_group_world_user_and_install_out():
    """No errand is there twice; every two of world, user and install meet; every group meets both of the latter.

    A group meets as many worlds as it has errands: the others are nightly.  What a world lacks, all errands lack there.
    """
    cells = by_day()
    assert len(set(cells)) == len(cells)
    assert set(cells) <= set(cover())
    assert len({cell.errand for cell in cells}) == len(cells)
    for name, group in GROUPS.items():
        worlds = {cell.world for cell in cells if cell.errand in group}
        assert len(worlds) == min(len(WORLDS), len(group)), name
    assert set(product(GROUPS, USERS)) == {(GROUP_OF[cell.errand], cell.user) for cell in cells}
    assert set(product(GROUPS, INSTALLS)) == {(GROUP_OF[cell.errand], cell.install) for cell in cells}
    assert set(product(WORLDS, USERS)) == {(cell.world, cell.user) for cell in cells}
    assert set(product(WORLDS, INSTALLS)) == {(cell.world, cell.install) for cell in cells}
    assert set(product(USERS, INSTALLS)) == {(cell.user, cell.install) for cell in cells}


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    with a_ground(os.environ.get("PYTEST_XDIST_TESTRUNUID", "")) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("cell", daily(set(by_day()).__contains__, cover()), ids=lambda cell: cell.name)
def test_a_cell(cell: Cell, ground: Ground) -> None:
    """It does there what it does elsewhere, in the best box that there is."""
    if reason := lacking(cell, ground):
        pytest.skip(reason)
    play_cell(cell, ground)
