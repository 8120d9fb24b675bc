"""The ladder as a format among others: how it is named, and what a folder keeps of its batches.  Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.schedule.terms import FormatKind, ScheduleSize

BATCH = "batch "
"""What the keys begin with under which a folder keeps the rows of its batches; their numbers follow."""


def batch_key(number: int) -> str:
    """The key of a batch, with as many digits as keep a year of them in order."""
    return f"{BATCH}{number:09}"


def closed_in(meta: Mapping[str, Any]) -> frozenset[str] | None:
    """The ids of all series that have closed, by the batches among what a folder keeps; None: it has none."""
    rows = [value for key, value in meta.items() if key.startswith(BATCH)]
    return frozenset(series for row in rows for series in row["closed"]) if rows else None


KIND = FormatKind(
    name="ladder",
    summary="bots come and go, and play on and on",
    pairings=lambda entrants, terms, results, withdrawn: iter(()),
    is_adaptive=True,
    size=lambda entrants, terms: ScheduleSize(0, "matches without end", is_exact=False),
    refusal=lambda entrants, terms: "a ladder has no end: a league plays it",
    ranked_by="rating",
    is_endless=True,
    is_offered=False,
)
