"""The cells: a world, a user, a way to install, an errand; all of them, and the cover that the suite plays."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from arena.starter import LANGUAGES

from .entering import USERS, WORLDS

INSTALLS = ("editable", "wheel")
GROUPS = {
    "house bots": ("house-clone", "house-empty"),
    "new": tuple(f"new-{language}" for language in LANGUAGES),
    "own": ("own-inside", "own-outside"),
    "tried": ("check", "compare"),
    "people": ("play", "server"),
    "places": ("venv", "link", "names", "tmp"),
}
"""Errands that reach the same parts of the arena: in the cover a group, not each of it, meets every world."""


class Cell(NamedTuple):
    world: str
    user: str
    install: str
    errand: str

    @property
    def name(self) -> str:
        return "-".join(self)


def all_cells() -> list[Cell]:
    errands = [errand for group in GROUPS.values() for errand in group]
    return [Cell(*words) for words in product(WORLDS, USERS, INSTALLS, errands)]


def cover() -> list[Cell]:
    """Every errand by both users and both ways to install; every group in every world: what `by_day` leaves out is nightly."""
    cells = []
    for turn, group in enumerate(GROUPS.values()):
        for number, errand in enumerate(group):
            for index, user in enumerate(USERS):
                world = list(WORLDS)[(2 * number + index + turn) % len(WORLDS)]
                cells.append(Cell(world, user, INSTALLS[(number // 2 + index + turn // 2) % 2], errand))
    return cells


def by_day() -> list[Cell]:
    """Of the cover, an errand for each world of every group: as one user or the other, in turns that leave out no pair.

    A group of fewer errands is in as many worlds; of more, such as the languages, the rest is nightly.  The pairs are
    those of world, user and install.
    """
    cells, errands = cover(), list(enumerate(GROUPS.values()))
    return [
        next(
            cell
            for cell in cells
            if (cell.errand, cell.user) == (errand, USERS[((number + 1) // 2 + turn // 3) % 2])
        )
        for turn, group in errands
        for number, errand in enumerate(group[: len(WORLDS)])
    ]
