"""The timers of `python -m tests.bench --only stages`: whose every moment is, what is subtracted, and that they find the code."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from time import thread_time
from typing import Any

import pytest

from arena.bench.measures import Effort, Measure
from arena.games import GAMES

from . import stages, timers
from .command import MEASURINGS
from .lines import line_of
from .stages import LEAVES, SEAMS, STAGES, measure_stages, seams_of
from .timers import REST, TAKEN_AWAY_S, Seam, Stopwatch, TimerCost, timer_cost

TICK_S = 0.0001


class Parts:
    """Functions that call each other; each look at the clock takes a tick, and nothing else takes time."""

    def outer(self) -> int:
        return self.inner() + self.inner()

    def inner(self) -> int:
        return 1

    def fails(self) -> int:
        raise ValueError("broken")


SPLIT = (Seam(f"{__name__}:Parts", "outer", "judge"), Seam(f"{__name__}:Parts", "inner", "check"))


def stopwatch(
    *leaves: str, ticks: Iterator[float] | None = None, long: frozenset[str] = frozenset()
) -> Stopwatch:
    """With a clock that gives one tick after the other."""
    clock = accumulate(iter(lambda: TICK_S, None)) if ticks is None else ticks
    return Stopwatch(("judge", "check"), frozenset(leaves), long, lambda: next(clock))


def spent(watch: Stopwatch) -> dict[str, int]:
    return {stage: round(seconds / TICK_S) for stage, seconds in watch.spent_s.items()}


def test_a_moment_counts_for_the_innermost_stage() -> None:
    """Before, between and after its two calls the outer function has the clock; within them the inner one."""
    watch = stopwatch()
    with watch.running(SPLIT):
        assert 2 == Parts().outer()
    assert {"judge": 3, "check": 2, REST: 2} == spent(watch)
    assert 1 == Parts().inner(), "nothing is timed any more"
    assert {"judge": 3, "check": 2, REST: 2} == spent(watch)


def test_a_leaf_keeps_what_it_calls() -> None:
    """Its timed functions pass: the clock stays with it."""
    watch = stopwatch("judge")
    with watch.running(SPLIT):
        Parts().outer()
    assert {"judge": 1, "check": 0, REST: 2} == spent(watch)


def test_an_exception_gives_the_clock_back() -> None:
    """What a timed function raises ends its stage, and travels on."""
    watch = stopwatch()
    fails = Seam(f"{__name__}:Parts", "fails", "judge")
    with watch.running((fails,)), pytest.raises(ValueError, match="broken"):
        Parts().fails()
    assert {"judge": 1, "check": 0, REST: 2} == spent(watch)


def test_a_stretch_without_the_processor_is_left_out() -> None:
    """Longer than any function takes, it was somebody else's; but not where a stage may take long."""
    moments = [0.0, 1.0, 2.0, 2.0 + 2 * TAKEN_AWAY_S, 3.0]
    for long, kept in ((frozenset[str](), 0.0), (frozenset({"judge"}), 2 * TAKEN_AWAY_S)):
        watch = stopwatch(ticks=iter(moments), long=long)
        with watch.running((Seam(f"{__name__}:Parts", "inner", "judge"),)):
            Parts().inner()
        assert kept == pytest.approx(watch.spent_s["judge"])


def test_what_timers_cost_is_subtracted_where_it_was_counted() -> None:
    """Inside: from the stage; outside: from its caller's; a call that passed a leaf: from the leaf."""
    cost = TimerCost(inside_s=0.1, outside_s=0.01, passed_s=0.001, waking_s=0.0, waking_whole_s=0.0)
    watch = stopwatch()
    with watch.running(SPLIT):
        Parts().outer()
    net = {stage: watch.spent_s[stage] - seconds for stage, seconds in watch.net_s(cost).items()}
    assert pytest.approx({"judge": 0.1 + 2 * 0.01, "check": 2 * 0.1, REST: 0.01}) == net
    assert pytest.approx(sum(net.values())) == watch.cost_s(cost)
    leaf = stopwatch("judge")
    with leaf.running(SPLIT):
        Parts().outer()
    net = {stage: leaf.spent_s[stage] - seconds for stage, seconds in leaf.net_s(cost).items()}
    assert pytest.approx({"judge": 0.1 + 2 * 0.001, "check": 0.0, REST: 0.01}) == net
    assert pytest.approx(sum(net.values())) == leaf.cost_s(cost)


def test_who_is_woken_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a call that wakes others, only our own processor time counts: 1 ms of 4 ms here."""
    processor = iter([0.0, 1.0])
    monkeypatch.setattr(timers, "thread_time", lambda: next(processor))
    watch = stopwatch(ticks=iter([0.0, 0.0, 10.0, 10.0, 14.0, 14.0, 14.0]), long=frozenset({"judge"}))
    with watch.running((Seam(f"{__name__}:Parts", "inner", "judge", wakes=True),)):
        Parts().inner()
    assert 1.0 == watch.spent_s["judge"]
    cost = TimerCost(inside_s=0.0, outside_s=0.0, passed_s=0.0, waking_s=0.25, waking_whole_s=0.5)
    assert (0.75, 0.5) == (watch.net_s(cost)["judge"], watch.cost_s(cost))


def test_the_cost_of_a_timer_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs something, and less than a millisecond."""
    monkeypatch.setattr(timers, "CALLS", 200)
    monkeypatch.setattr(timers, "perf_counter", thread_time)  # others take the processor meanwhile
    cost = timer_cost()
    assert 0 < cost.inside_s + cost.outside_s < 0.001


def test_a_function_that_went_away_is_told() -> None:
    """Whoever renames a function of the house is told where to say so."""
    with pytest.raises(LookupError, match=r"^arena\.referee has no judged any more: name in SEAMS"):
        Seam("arena.referee", "judged", "judge").owner()


def test_every_seam_is_there() -> None:
    """Each function that is timed exists, at a stage that is printed, and every stage has one or a codec."""
    seams = [*SEAMS, *(seam for name in GAMES for seam in seams_of(GAMES[name]()))]
    for seam in seams:
        assert callable(getattr(seam.owner(), seam.name))
    assert STAGES.keys() == {seam.stage for seam in seams}
    assert LEAVES <= STAGES.keys()
    assert MEASURINGS["stages"] is measure_stages


@pytest.mark.slow
def test_stages_and_rest_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every sample, to the last digit; each stage of a decision over TCP takes some time."""
    monkeypatch.setattr(stages, "GAMES", {"liars-dice": None})
    found = measure_stages(Effort(repeats=2, seconds=0.01))
    what = line_of("liars-dice").what
    by_row: dict[str, Any] = {row.what.removeprefix(f"{what}: "): row for row in found}
    assert [*STAGES, "the rest", "the whole", "with timers, less their cost ÷ the whole"] == list(by_row)
    parts: list[Measure] = [by_row[row] for row in (*STAGES, "the rest")]
    for number, whole in enumerate(by_row["the whole"].samples):
        assert whole == pytest.approx(sum(part.samples[number] for part in parts))
    always = ("rules", "observe", "encode", "write", "decode", "record", "store")
    assert all(by_row[stage].value > 0 for stage in always)
