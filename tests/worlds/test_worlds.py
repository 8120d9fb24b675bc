"""A cover of the worlds: each cell is a real use of the arena on a machine that lacks something."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product

import pytest

from .cells import GROUPS, INSTALLS, Cell, all_cells, cover
from .entering import USERS, WORLDS
from .errands import ERRANDS
from .ground import Ground, a_ground
from .playing import lacking, play_cell

CELLS_MAX = 40


def test_the_cover_leaves_no_pair_out():
    """Every errand meets both users and both ways to install, every group of errands every world."""
    cells = cover()
    assert len(set(cells)) == len(cells) <= CELLS_MAX
    assert set(cells) <= set(all_cells())
    group_of = {errand: name for name, group in GROUPS.items() for errand in group}
    assert set(ERRANDS) == set(group_of)
    assert set(product(ERRANDS, USERS)) == {(cell.errand, cell.user) for cell in cells}
    assert set(product(ERRANDS, INSTALLS)) == {(cell.errand, cell.install) for cell in cells}
    assert set(product(GROUPS, WORLDS)) == {(group_of[cell.errand], cell.world) for cell in cells}
    assert set(product(WORLDS, USERS)) == {(cell.world, cell.user) for cell in cells}
    assert set(product(WORLDS, INSTALLS)) == {(cell.world, cell.install) for cell in cells}
    assert set(product(USERS, INSTALLS)) == {(cell.user, cell.install) for cell in cells}


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    with a_ground(os.environ.get("PYTEST_XDIST_TESTRUNUID", "")) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("cell", cover(), ids=lambda cell: cell.name)
def test_a_cell(cell: Cell, ground: Ground) -> None:
    """It does there what it does elsewhere, in the best box that there is."""
    if reason := lacking(cell, ground):
        pytest.skip(reason)
    play_cell(cell, ground)
