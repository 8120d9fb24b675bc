"""The ladder as a format among others.  Pure."""

from __future__ import annotations

from arena.schedule.terms import FormatKind, ScheduleSize

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
