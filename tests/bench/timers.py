"""Timers around functions of the house: to which stage each moment belongs, and what the timers cost.

Every moment counts for one stage only, the innermost that is timed: a timed function takes the clock over
from its caller, and gives it back.  A leaf's time is all its own, whatever timed functions it calls.  What
remains is what nobody timed.

The clock is that of the wall, because asking for processor time takes microseconds.  Where a call wakes
somebody else, who may take the processor at once, processor time is asked for nevertheless.  Elsewhere
stretches in which it was plainly taken from us are left out; shorter ones make stages too long on a machine
that is busy.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from time import perf_counter, thread_time
from typing import Any
from unittest.mock import patch

import attrs

TAKEN_AWAY_S = 0.001
"""A stretch of a stage longer than this was not its own: no function called at a decision takes so long."""
CALLS = 20_000
"""By which the timers' own cost is measured."""
REST = "rest"
"""The stage of all that is not timed."""


@attrs.frozen
class Seam:
    """A function of the house at which a stage begins."""

    place: str
    """`module:Class`, or a module."""
    name: str
    stage: str
    wakes: bool = False
    """Whether it wakes other processes: then what they take of the processor meanwhile is not counted."""

    def owner(self) -> Any:
        """The class or module that has it; raises LookupError if nothing there is called so any more."""
        module, _, kind = self.place.partition(":")
        found: Any = importlib.import_module(module)
        found = getattr(found, kind, None) if kind else found
        if not hasattr(found, self.name):
            raise LookupError(f"{self.place} has no {self.name} any more: name in SEAMS what took its place")
        return found


@attrs.frozen
class TimerCost:
    """What a timed call costs more than a plain one, in seconds."""

    inside_s: float
    """Counted for the function's own stage."""
    outside_s: float
    """Counted for its caller's stage."""
    passed_s: float
    """Counted for a leaf that calls it."""
    waking_s: float
    """Counted, besides, for the stage of a function that wakes others."""
    waking_whole_s: float
    """What that takes, counted or not."""

    def mean(self, other: TimerCost) -> TimerCost:
        """Between this one and another, measured before and after."""
        pairs = zip(attrs.astuple(self), attrs.astuple(other), strict=True)
        return TimerCost(*[(one + two) / 2 for one, two in pairs])


class Stopwatch:
    """The time of each stage so far, and how often its functions were called."""

    def __init__(
        self,
        stages: Sequence[str],
        leaves: frozenset[str] = frozenset(),
        long: frozenset[str] = frozenset(),
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        """`long`: stages whose stretches count however long they are."""
        self._names = (*stages, REST)
        self._rest = len(stages)
        self._are_leaves = [name in leaves for name in self._names]
        self._most_s = [inf if name in long else TAKEN_AWAY_S for name in self._names]
        self._clock = clock
        self._spent_s = [0.0 for _ in self._names]
        self._calls = [[0 for _ in self._names] for _ in self._names]
        self._passed = [0 for _ in self._names]
        self._woke = [0 for _ in self._names]
        self._stage, self._since = self._rest, clock()

    @property
    def spent_s(self) -> dict[str, float]:
        """The time of each stage, with what the timers cost."""
        return dict(zip(self._names, self._spent_s, strict=True))

    def _turn(self, stage: int) -> None:
        """What passed since the last turn was the present stage's; from now on it is this one's."""
        now = self._clock()
        passed, present = now - self._since, self._stage
        if passed <= self._most_s[present]:
            self._spent_s[present] += passed
        self._stage, self._since = stage, now

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time counted for this stage."""
        own, turn, are_leaves = self._names.index(stage), self._turn, self._are_leaves
        calls, passed = self._calls, self._passed

        def run(*arguments: Any, **named: Any) -> Any:
            caller = self._stage
            if are_leaves[caller]:
                passed[caller] += 1
                return function(*arguments, **named)
            calls[caller][own] += 1
            turn(own)
            try:
                return function(*arguments, **named)
            finally:
                turn(caller)

        return run

    def waking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, without what others took of the processor meanwhile."""
        clock, woke = self._clock, self._woke

        def run(*arguments: Any, **named: Any) -> Any:
            wall, cpu = clock(), thread_time()
            try:
                return function(*arguments, **named)
            finally:
                spent = thread_time() - cpu
                self._since += max(0.0, clock() - wall - spent)
                woke[self._stage] += 1

        return run

    @contextmanager
    def running(self, seams: Sequence[Seam]) -> Iterator[None]:
        """With all these functions timed."""
        with ExitStack() as stack:
            for seam in seams:
                owner = seam.owner()
                function = getattr(owner, seam.name)
                timed = self.timed(seam.stage, self.waking(function) if seam.wakes else function)
                stack.enter_context(patch.object(owner, seam.name, timed))
            self._stage, self._since = self._rest, self._clock()
            yield
            self._turn(self._rest)

    def net_s(self, cost: TimerCost) -> dict[str, float]:
        """The time of each stage without what the timers cost."""
        net = list(self._spent_s)
        for caller, counts in enumerate(self._calls):
            net[caller] -= sum(counts) * cost.outside_s + self._passed[caller] * cost.passed_s
            net[caller] -= self._woke[caller] * cost.waking_s
            for stage, count in enumerate(counts):
                net[stage] -= count * cost.inside_s
        return dict(zip(self._names, net, strict=True))

    def cost_s(self, cost: TimerCost) -> float:
        """What the timers cost altogether."""
        calls = sum(map(sum, self._calls)) * (cost.inside_s + cost.outside_s)
        return calls + sum(self._passed) * cost.passed_s + sum(self._woke) * cost.waking_whole_s


def timer_cost() -> TimerCost:
    """Measured just now, on a function that does nothing."""
    plain = _loop_s()
    call = plain - _empty_loop_s()
    watch = Stopwatch(["some"])
    with patch.object(_Nothing, "do", watch.timed("some", _Nothing.do)):
        timed = _loop_s()
    inside = watch.spent_s["some"] / CALLS - call
    leaf = Stopwatch(["leaf"], leaves=frozenset({"leaf"}), long=frozenset({"leaf"}))
    with patch.object(_Nothing, "do", leaf.timed("leaf", _Nothing.do)):
        within = leaf.timed("leaf", _loop_s)()
    waking = Stopwatch(["some"])
    with patch.object(_Nothing, "do", waking.timed("some", waking.waking(_Nothing.do))):
        waking_loop = _loop_s()
    woken = waking.spent_s["some"] / CALLS - call - inside
    return TimerCost(inside, timed - plain - inside, within - plain, woken, waking_loop - timed)


class _Nothing:
    def do(self, one: int, other: int) -> int:
        return one


def _loop_s() -> float:
    """Seconds of one turn of a loop with a call."""
    nothing = _Nothing()
    began = perf_counter()
    for _ in range(CALLS):
        nothing.do(1, 2)
    return (perf_counter() - began) / CALLS


def _empty_loop_s() -> float:
    began = perf_counter()
    for _ in range(CALLS):
        pass
    return (perf_counter() - began) / CALLS
