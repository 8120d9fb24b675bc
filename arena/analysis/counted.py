"""Which matches count: those of the series before the first one that is not closed, in schedule order.

In a ladder, whose rows say in which batch a series closed, those of all closed series.

A series that ends early is a short one, and counting it before the slow ones have finished
would favour bots that end matches quickly.  A series with an aborted match is left out
entirely, so that no bot gains from the seat in which the rules failed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile

import attrs

from arena.store import SeriesState

ONE_LOOK = "95 % intervals hold for one look"
"""What is to be known of intervals that somebody may look at again when more has been played."""


@attrs.frozen
class Coverage:
    """Which series count, how many matches do, and why the others do not."""

    series: frozenset[str]
    """The ids of the series that count."""
    spoilt: tuple[str, ...]
    """The ids of the series that would count if none of their matches had been aborted."""
    planned: int
    counted: int
    left_out: int
    """How many matches are in spoilt series."""
    waiting: int
    """How many matches were played whose series, or one before it, is not closed."""
    unplanned: int
    """How many matches are stored, but not in the schedule."""

    @property
    def note(self) -> str:
        """What is not counted and why, in one line; empty if everything counts."""
        reasons = {
            "played, waiting for their series or one before it": self.waiting,
            f"left out with a match that was aborted (series {', '.join(self.spoilt)})": self.left_out,
            "belong to replaced or excluded bots": self.unplanned,
        }
        parts = [f"{matches} {reason}" for reason, matches in reasons.items() if matches]
        if not parts and self.counted == self.planned:
            return ""
        if 0 < self.counted < self.planned - self.left_out:
            parts.append(ONE_LOOK)
        return "; ".join([f"{self.counted:,} of {self.planned:,} matches counted", *parts])


def progress_of(series: Sequence[SeriesState], closed_apart: Collection[str] | None = None) -> Coverage:
    """Which series count, from all series in schedule order; without a schedule all count as planned.

    `closed_apart`: the ids of those that have closed, where each does by itself, as in a ladder.
    """
    planned = [state for state in series if state.planned] or list(series)
    if closed_apart is None:
        closed = list(takewhile(lambda state: state.is_closed, planned))
    else:
        closed = [state for state in planned if state.series_id in closed_apart]
    whole = [state for state in closed if not state.aborted]
    spoilt = [state for state in closed if state.aborted]

    def stored(states: Iterable[SeriesState]) -> int:
        return sum(state.stored for state in states)

    return Coverage(
        series=frozenset(state.series_id for state in whole),
        spoilt=tuple(state.series_id for state in spoilt),
        planned=sum(state.planned or state.stored for state in planned),
        counted=stored(whole),
        left_out=stored(spoilt),
        waiting=stored(planned) - stored(closed),
        unplanned=stored(series) - stored(planned),
    )
