"""The garbage collector, where it would look again and again through what is kept anyway."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG_MAX = 20_000
"""So many more objects than were dropped, and those are looked through: the matches that end in a fifth of a
second are thousands of objects, all of which are dropped when they are written."""


@contextmanager
def without_collector() -> Iterator[None]:
    """Without garbage collection: where nothing is dropped, the search takes up to half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Looks for garbage after many new objects, and not among those that are there now."""
    young, *others = gc.get_threshold()
    gc.set_threshold(max(young, YOUNG_MAX) if young else 0, *others)
    is_outer = not gc.get_freeze_count()
    if is_outer:
        gc.freeze()
    try:
        yield
    finally:
        if is_outer:
            gc.unfreeze()
        gc.set_threshold(young, *others)
