"""When a tournament may stop before its schedule ends: `--until`, and what a folder remembers of it."""

from __future__ import annotations

import time
from functools import partial
from math import fsum

import attrs

from arena.analysis.until import Goal, Until, parse_goal
from arena.errors import ConfigError
from arena.schedule.course import ClosedSeries, Course
from arena.show.text import as_time
from arena.tournament.prepare import Tournament
from arena.tournament.run import Run

GOAL = "until"
"""Where the store keeps the goal of `--until` and the series planned for it."""
GOAL_LEFT = "until_left"
"""And whether there was play without it since: what is past its end was wanted then, and is not removed."""


def until_rule(tournament: Tournament) -> UntilRule | None:
    """The rule that `--until` names.  Raises ConfigError if it is not a goal, or not one for so many bots."""
    if tournament.plan.until is None:
        return None
    goal = parse_goal(tournament.plan.until)
    Until(goal, [str(number) for number in range(tournament.bots)], 1)
    return UntilRule(goal, rated_by=tournament.game.rated_by)


class UntilRule:
    """A stop rule: enough is played when the goal is settled."""

    def __init__(self, goal: Goal, *, rated_by: str) -> None:
        self.goal = goal
        self._by_returns = rated_by == "returns"
        self.until: Until | None = None
        self._began_at = 0.0
        self._cycles_before = 0
        """How many were there before this run: they say nothing of how long a cycle takes."""

    def begins(self, course: Course) -> None:
        """A course begins, or begins again: what was told before is forgotten."""
        extremes = None if self._by_returns else (0.0, 1.0)
        self.until = Until(self.goal, course.names, course.order[-1].cycle + 1, extremes=extremes)
        self._began_at, self._cycles_before = time.monotonic(), 0

    def goes_on(self) -> None:
        """What is there has been told; play begins."""
        assert self.until is not None, "the course has begun"
        self._began_at, self._cycles_before = time.monotonic(), self.until.cycles

    def closed(self, series: ClosedSeries) -> bool:
        """Takes in the next series that counts; after the last of a cycle it looks."""
        assert self.until is not None, "play has begun"
        if not series.is_spoilt:
            scores: dict[str, list[float]] = {}
            for pairing, result in series.matches:
                given = result.returns if self._by_returns else result.points
                for bot, score in zip(pairing.bots, given, strict=True):
                    scores.setdefault(bot, []).append(score)
            self.until.add({bot: (fsum(values), len(values)) for bot, values in scores.items()})
        if series.ends_cycle:
            self.until.look()
        return self.until.settled

    def state(self) -> str:
        """How sure the leaders are, and about how long it will take."""
        until = self.until
        if until is None or not until.cycles:
            return ""
        if until.settled:
            return f"{self.goal}: settled"
        return f"{self.goal}: {until.sureness:.0%} now, {self._left(until)}"

    def _left(self, until: Until) -> str:
        cycles, played = until.cycles_left(), until.cycles - self._cycles_before
        if cycles is None:
            return "perhaps not within this schedule"
        if not played:
            return f"settled in about {cycles:.0f} cycles"
        return f"settled in about {as_time(cycles * (time.monotonic() - self._began_at) / played)}"

    def conclusion(self) -> str:
        """What came of the goal, in one sentence."""
        until = self.until
        if until is None:
            return ""
        if not until.settled:
            return f"{self.goal}: not settled after {until.cycles} of {until.cycles_planned} cycles"
        leaders = ", ".join(until.leaders)
        settled = f"{self.goal}: settled after {until.cycles} of {until.cycles_planned} cycles: {leaders}"
        if self._by_returns:  # tests/analysis/test_until.py shows how far that can go
            settled += "; returns that are rare and large, and have not come yet, may still change that"
        return settled


def with_goal(run: Run, rule: UntilRule | None) -> Run:
    """The run, which will keep the goal in its folder once play begins.

    Raises ConfigError if the folder was begun with another goal.
    """
    store = run.store
    meta, has_matches = store.meta(), bool(store.finished())
    kept = meta.get(GOAL)
    if rule is None:
        if kept is not None:
            run.when_begun.append(partial(store.set_meta, GOAL_LEFT, True))
        return run
    asked = [str(rule.goal), run.plan.series]
    if kept is not None and kept != asked and has_matches:
        goal, series = kept
        raise ConfigError(
            f'{run.folder} was begun with --until "{goal}" over {series} series, and to look again for '
            "another goal or in a longer schedule would err more often than it says: --until none continues "
            "without it, --fresh starts over, --out DIR plays elsewhere"
        )
    run.when_begun.append(partial(store.set_meta, GOAL, asked))
    run.when_begun.append(partial(store.set_meta, GOAL_LEFT, False))
    return attrs.evolve(run, may_cut=not has_matches or (kept == asked and not meta.get(GOAL_LEFT)))
