"""All cases, in the order of the file."""

from __future__ import annotations

from . import bots, games, handin, plans, typed
from .case import Case

CASES: tuple[Case, ...] = tuple(
    case for module in (typed, plans, games, bots, handin) for case in module.cases()
)
