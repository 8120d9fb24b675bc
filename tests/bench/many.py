"""A round-robin of 500 bots: how long its schedule, its standings during play and its tables take.

Nothing is played: who wins is drawn by the bots' places in the field.  Times are by the wall clock:
numpy's threads wait busily, which processor time would count.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from random import Random

import attrs
import numpy as np

from arena.analysis.counted import progress_of
from arena.analysis.leaderboard import Scale
from arena.analysis.live import Standings
from arena.analysis.ranking import ranked
from arena.analysis.sheet import Sheet
from arena.analysis.strength.ratings import rate
from arena.bench.measures import Effort, Measure, at_most
from arena.schedule import FORMATS, Terms
from arena.schedule.course import ClosedSeries, Course, MatchResult
from arena.store import StoredBot

BOTS = 500
"""Bots if a repeat takes a second; otherwise in proportion."""
BOTS_MIN = 8
FAR_APART = 150.0
"""By so many places a bot must be ahead to win 73 % of its matches."""
GOAL_S = 2.0


@attrs.frozen(eq=False)
class LargeField:
    """A round-robin in which every two bots met in one series, with its results."""

    names: tuple[str, ...]
    series: tuple[ClosedSeries, ...]

    @classmethod
    def drawn(cls, names: tuple[str, ...]) -> LargeField:
        rng, place = Random(1), {name: number for number, name in enumerate(names)}
        found = []
        for series, pairings in groupby(_course(names).order, attrgetter("series")):
            matches = []
            for pairing in pairings:
                ahead = place[pairing.bots[1]] - place[pairing.bots[0]]
                won = rng.random() < 1 / (1 + np.exp(-ahead / FAR_APART))
                points, returns = ((1.0, 0.0), (1.0, -1.0)) if won else ((0.0, 1.0), (-1.0, 1.0))
                matches.append((pairing, MatchResult(points=points, returns=returns, faults=(0, 0))))
            found.append(ClosedSeries(series, 0, False, tuple(matches)))
        return cls(names, tuple(found))

    def standings(self) -> Standings:
        """Those of a run that has played all this, with ratings."""
        standings = Standings(by_rating=True)
        standings.enter(self.names)
        for each in self.series:
            standings.add(each)
        return standings

    def sheet(self) -> Sheet:
        """What is read of a folder that holds all this."""
        place = {name: number for number, name in enumerate(self.names)}
        played = [(number, *match) for number, each in enumerate(self.series) for match in each.matches]
        series, pairings, results = zip(*played, strict=True)
        win = np.array([result.points for result in results]).ravel() == 1.0
        seats, nothing = 2 * len(played), np.zeros(2 * len(played), np.int32)
        return Sheet(
            progress=progress_of([]),
            bots=self.names,
            versions=("1",) * len(self.names),
            series_ids=tuple(each.id for each in self.series),
            cycles=np.zeros(len(self.series), np.int32),
            match_ids=tuple(pairing.id for pairing in pairings),
            match=np.repeat(np.arange(len(played)), 2),
            series=np.repeat(np.array(series, np.int32), 2),
            bot=np.array([place[bot] for pairing in pairings for bot in pairing.bots], np.int32),
            rotation=np.repeat(np.array([pairing.rotation for pairing in pairings], np.int32), 2),
            seat=np.tile(np.arange(2, dtype=np.int16), len(played)),
            rank=np.where(win, 1, 2).astype(np.int16),
            points=win.astype(np.float64),
            returns=np.where(win, 1.0, -1.0),
            win=win,
            tie=np.zeros(seats, np.bool_),
            too_late=nothing,
            malformed=nothing,
            illegal=nothing,
            gone=nothing,
            decisions=nothing + 1,
            think_max_s=np.zeros(seats),
            times=(np.zeros(1, np.float32),) * len(self.names),
        )


def measure_many(effort: Effort) -> list[Measure]:
    """The schedule when a run begins; a refresh of its standings, without and with ratings; its tables."""
    bots = max(BOTS_MIN, round(BOTS * min(1.0, effort.seconds)))
    return [
        Measure("many", f"{what}, {bots} bots", "s", _timed(work, effort.repeats), at_most(GOAL_S))
        for what, work in _works(bots)
    ]


def _works(bots: int) -> Iterator[tuple[str, Callable[[], object]]]:
    names = tuple(f"bot-{number:03}" for number in range(bots))
    yield "schedule", lambda: _course(names)  # first: what is kept beside it would slow it down
    field = LargeField.drawn(names)
    standings = field.standings()
    yield "live standings", standings.rows
    yield "live ratings", lambda: _rated(standings)
    sheet, stored = field.sheet(), [StoredBot(name, "1") for name in names]
    columns = [column.astype(np.int64) for column in (sheet.match, sheet.series, sheet.bot, sheet.rank)]
    yield "ratings and errors", lambda: rate(sheet.bots, *columns)
    yield "leaderboard and head to head", lambda: ranked(sheet, stored, Scale())


def _course(names: tuple[str, ...]) -> Course:
    terms = Terms(game="", seats=2, series=1, seed=1 << 100, deals="same")
    return Course(names, FORMATS["round-robin"], terms, withdrawn_after=3, restarts_max=3)


def _rated(standings: Standings) -> object:
    unrated = standings.unrated()
    assert unrated is not None, "all have played"
    return unrated.ratings()


def _timed(work: Callable[[], object], repeats: int) -> tuple[float, ...]:
    """Seconds, each time."""
    spent = []
    for _ in range(repeats):
        gc.collect()
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return tuple(spent)
