"""All cases, in the order of the file."""

from __future__ import annotations

from . import bots, games, plans, typed
from .case import Case

CASES: tuple[Case, ...] = tuple(case for module in (typed, plans, games, bots) for case in module.cases())
