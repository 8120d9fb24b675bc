"""All cases, in the order of the file."""

from __future__ import annotations

from .case import Case
from .rooms import cases as of_rooms
from .typed import cases as typed

CASES: tuple[Case, ...] = (*typed(), *of_rooms())
