"""Rates a ladder while it is played: in a thread, now and then, from all series that count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

import attrs
import trio

from arena.analysis.strength.placing import LadderPlace, LadderRatings
from arena.ladder.messages import LadderRow
from arena.schedule.course import ClosedSeries
from arena.schedule.ladder_rows import LadderStanding


@attrs.frozen
class Rated:
    """What ratings say at one time."""

    standing: LadderStanding
    """For the schedule."""
    rows: tuple[LadderRow, ...]
    """For people."""


@attrs.define(eq=False)
class Rater:
    """The ratings of a ladder."""

    _ratings: LadderRatings = attrs.field(factory=LadderRatings)
    _untold: list[ClosedSeries] = attrs.field(factory=list)
    """Series that the ratings have not been told yet: they must not be while a thread reads them."""
    _is_read: bool = False
    """Whether a thread reads the ratings."""
    _series: Counter[str] = attrs.field(factory=Counter)

    def add(self, series: Iterable[ClosedSeries]) -> None:
        """Takes in more series that count."""
        for one in series:
            if self._is_read:
                self._untold.append(one)
            else:
                self._take_in(one)

    async def rate(self, bots: Sequence[str]) -> Rated:
        """What is known about these bots by now."""
        self._is_read = True
        try:
            standing, places = await trio.to_thread.run_sync(partial(self._rated, tuple(bots)))
        finally:
            self._is_read = False
            untold, self._untold = self._untold, []
            self.add(untold)
        return Rated(standing, tuple(map(self._row, places)))

    def _take_in(self, series: ClosedSeries) -> None:
        self._ratings.add(series)
        self._series.update({bot for pairing, _ in series.matches for bot in pairing.bots})

    def _rated(self, bots: tuple[str, ...]) -> tuple[LadderStanding, list[LadderPlace]]:
        return self._ratings.standing(bots), self._ratings.places(bots)

    def _row(self, place: LadderPlace) -> LadderRow:
        error = None if place.error == float("inf") else round(place.error, 1)
        rating, series = round(place.rating, 1), self._series[place.bot]
        return LadderRow(place.bot, place.best, place.worst, rating, error, series)
