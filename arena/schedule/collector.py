"""Keeps the garbage collector from looking again and again through what is kept anyway."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG_MAX = 20_000
"""How many more objects are made than dropped before the collector runs: the matches that end in a fifth of
a second are thousands of objects, and all of them are dropped once they are written."""


@contextmanager
def without_collector() -> Iterator[None]:
    """Turns garbage collection off: where nothing is dropped, it takes up to half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Collects garbage only after many new objects, and not among those that exist now."""
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
