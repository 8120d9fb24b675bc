"""Stops a tournament before its schedule ends (`--until`), and keeps the goal in its folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any

import attrs

from arena.analysis.stopping.goal import RULE, Goal, parse_goal
from arena.errors import START_OVER, ConfigError, Hint
from arena.match.game import Game
from arena.reading.units import shown
from arena.schedule.allocation import Shares
from arena.schedule.course import ClosedSeries, Course
from arena.terminal.text import as_time
from arena.tournament.folder.membership import OTHERWISE
from arena.tournament.folder.run import Run
from arena.tournament.tournament import Tournament

if TYPE_CHECKING:
    from arena.analysis.stopping.mixture import Mixture

GOAL = "until"
"""The store's key for the goal of `--until` and the series planned for it."""
GOAL_RULE = "until_rule"
"""The store's key for the number of the rule that settles the goal: `RULE`."""
GOAL_LEFT = "until_left"
"""The store's key for whether play went on without the goal: matches past its end are then not removed."""


def until_rule(tournament: Tournament) -> UntilRule | None:
    """The rule for the goal of `--until`.  Raises ConfigError if it is no goal for this many bots."""
    if tournament.plan.until is None:
        return None
    goal = parse_goal(tournament.plan.until)
    goal.check(tournament.bots)
    return _rule_of(goal, tournament.game, tournament.plan.seats)


def kept_goal(meta: Mapping[str, Any], game: Game[Any, Any]) -> UntilRule | None:
    """The rule under which a folder was played; None if there was none, or play went on without it."""
    if meta.get(GOAL) is None or meta.get(GOAL_LEFT):
        return None
    goal, _ = meta[GOAL]
    check_rule(meta)
    return _rule_of(parse_goal(goal), game, meta["identity"]["seats"])


def check_rule(meta: Mapping[str, Any]) -> None:
    """Raises ConfigError if a folder began with a goal that another rule than this arena's settles."""
    if GOAL in meta and (rule := meta.get(GOAL_RULE, 1)) != RULE:
        raise ConfigError(
            f"--until goes by rule {shown(rule)} in this folder, and by {RULE} in this arena: use the "
            "version of the arena that began it",
            hints=(START_OVER,),
        )


def _rule_of(goal: Goal, game: Game[Any, Any], seats: int) -> UntilRule:
    return UntilRule(goal, rated_by=game.rated_by, returns_bounds=game.returns_reach(seats))


class UntilRule:
    """A stop rule: enough is played when the goal is settled."""

    def __init__(
        self, goal: Goal, *, rated_by: str, returns_bounds: tuple[float, float] | None = None
    ) -> None:
        self.goal = goal
        self._by_returns = rated_by == "returns"
        self._extremes = returns_bounds if self._by_returns else (0.0, 1.0)
        """The lowest and the highest score of a match; None: the game does not say."""
        self.until: Mixture | None = None
        self._allocates = False
        """Whether the sets of bots whose order is open play more than others."""
        self._steps = "cycles"
        """What is counted until it is settled; batches, where a lap has several of them."""
        self._began_at = 0.0
        self._cycles_before = 0
        """How many cycles were played before this run: they do not tell how long a cycle takes."""

    def begins(self, course: Course) -> None:
        """Begins, or begins again, with a course: forgets what was told before."""
        from arena.analysis.stopping.mixture import Mixture  # numpy takes a tenth of a second

        self._allocates = course.is_adaptive
        self.until = Mixture(self.goal, course.names, course.cycles, extremes=self._extremes)
        self._steps = "batches" if course.cycles > course.terms.series else "cycles"
        self._began_at, self._cycles_before = time.monotonic(), 0

    def goes_on(self) -> None:
        """Notes that the folder's series have been told, and play begins."""
        assert self.until is not None, "the course has begun"
        self._began_at, self._cycles_before = time.monotonic(), self.until.cycles

    def closed(self, series: ClosedSeries) -> bool:
        """Takes in the next series that counts; returns whether the goal was settled at a cycle's end."""
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

    def shares(self) -> Shares:
        """How the next batch that is planned is divided among the sets of bots."""
        assert self.until is not None, "play has begun"
        return self.until.shares()

    def state(self) -> str:
        """How sure it is who leads, and about how long it will take to settle that."""
        until = self.until
        if until is None or not until.cycles:
            return ""
        if until.settled:
            return f"{self.goal}: settled"
        return f"{self.goal}: {until.sureness:.0%} now, {self._left(until)}{self._even_again(until)}"

    def _even_again(self, until: Mixture) -> str:
        """Why all sets of bots play equally often again, after some had played more; empty if they do not."""
        if not (self._allocates and until.cycle):
            return ""
        circle = " > ".join((*until.cycle, until.cycle[0]))
        return f"; {circle}, so that all meet equally often again"

    def _left(self, until: Mixture) -> str:
        cycles, played = until.cycles_left(), until.cycles - self._cycles_before
        if cycles is None:
            return "perhaps not within this schedule"
        if not played:
            return f"settled in about {cycles:.0f} {self._steps}"
        return f"settled in about {as_time(cycles * (time.monotonic() - self._began_at) / played)}"

    def conclusion(self) -> str:
        """What became of the goal, in one sentence."""
        until = self.until
        if until is None:
            return ""
        steps = f"{until.cycles} of {until.cycles_planned} {self._steps}"
        if not until.settled:
            return f"{self.goal}: not settled after {steps}{self._even_again(until)}"
        settled = f"{self.goal}: settled after {steps}: {', '.join(until.leaders)}"
        if self._extremes is None:  # tests/analysis/test_until.py shows how far that can go
            settled += "; returns that are rare and large, and have not come yet, may still change that"
        return settled + self._even_again(until)


def with_goal(run: Run) -> Run:
    """The run, which will keep the goal in its folder once play begins.

    Raises ConfigError if the folder was begun with another goal.
    """
    store, rule = run.store, run.stop_rule
    meta, has_matches = store.meta(), bool(store.size())
    kept = meta.get(GOAL)
    if not isinstance(rule, UntilRule):
        if kept is not None:
            run.when_begun.append(partial(store.set_meta, GOAL_LEFT, True))
        return run
    if has_matches:
        check_rule(meta)
        if kept is not None:
            goal, _ = kept
            _check_same_goal(run, rule, goal)
    for key, value in ((GOAL, [str(rule.goal), run.plan.series]), (GOAL_RULE, RULE), (GOAL_LEFT, False)):
        run.when_begun.append(partial(store.set_meta, key, value))
    return attrs.evolve(run, may_cut=not has_matches or (kept is not None and not meta.get(GOAL_LEFT)))


def _check_same_goal(run: Run, rule: UntilRule, goal: str) -> None:
    """Raises ConfigError if the folder was begun with another goal."""
    begun = f'{run.folder} was begun with --until "{goal}"'
    is_other = goal != str(rule.goal)
    if is_other and run.plan.allocate == "open":
        raise ConfigError(
            f"{begun}, and gave its matches to the bots whose order was open for it; another goal would "
            "have given them to others",
            hints=OTHERWISE,
        )
    if is_other:
        raise ConfigError(
            f"{begun}, and a goal that is chosen when results are known errs more often than it says",
            hints=(Hint("until", "continues without it", "none"), *OTHERWISE),
        )
