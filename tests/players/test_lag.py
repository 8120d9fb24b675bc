"""How late the arena was: two polls bracket what came in, and lateness is remembered while it matters."""

from __future__ import annotations

import time

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from arena.players.lag import LAG_NOTED_S, LAGS_KEPT, LagWatch


class Clock:
    """A clock that the test sets, in the place of Trio's and the machine's."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(trio, "current_time", lambda: self.now)
        monkeypatch.setattr("arena.players.lag.perf_counter", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def poll(watch, clock, *, work_s, timeout_s, waited_s):
    """One turn of the loop: tasks work, then the poll waits."""
    clock.now += work_s
    watch.before_io_wait(timeout_s)
    clock.now += waited_s
    watch.after_io_wait(timeout_s)


def test_the_two_polls(clock):
    """`polled_at` is when the latest poll returned, `polled_before` when the one before began.

    Not when it returned: one that was stopped meanwhile (Ctrl-Z) may have returned empty though data was there.
    """
    watch = LagWatch()
    poll(watch, clock, work_s=1.0, timeout_s=1.0, waited_s=0.5)
    poll(watch, clock, work_s=0.25, timeout_s=1.0, waited_s=0.5)
    assert (1.0, 2.25) == (watch.polled_before, watch.polled_at)


@pytest.mark.parametrize(
    ("work_s", "timeout_s", "waited_s", "lag_s"),
    [
        (0.0, 1.0, 1.0, 0.0),
        (LAG_NOTED_S / 2, 1.0, 0.3, 0.0),
        (0.050, 1.0, 0.3, 0.050),
        (0.0, 0.010, 0.045, 0.035),
        (0.020, 0.010, 0.045, 0.035),
        (0.040, 0.010, 0.045, 0.040),
    ],
    ids=[
        "on time",
        "the normal course",
        "busy tasks",
        "overslept",
        "both, overslept more",
        "both, busy more",
    ],
)
def test_what_counts_as_lag(work_s, timeout_s, waited_s, lag_s, clock):
    """Deafness while tasks run, and a poll that returns later than it was asked to."""
    watch = LagWatch()
    poll(watch, clock, work_s=0.0, timeout_s=0.0, waited_s=0.0)
    poll(watch, clock, work_s=work_s, timeout_s=timeout_s, waited_s=waited_s)
    assert lag_s == pytest.approx(watch.since(0.0))
    assert lag_s == pytest.approx(watch.worst_s)


def test_only_what_came_since(clock):
    """Lag before the question was asked is not its excuse."""
    watch = LagWatch()
    poll(watch, clock, work_s=0.0, timeout_s=0.0, waited_s=0.0)
    poll(watch, clock, work_s=0.5, timeout_s=1.0, waited_s=0.5)
    poll(watch, clock, work_s=0.1, timeout_s=1.0, waited_s=0.5)
    assert [0.5, 0.1, 0.0] == pytest.approx([watch.since(0.0), watch.since(0.6), watch.since(2.0)])
    assert 0.5 == pytest.approx(watch.worst_s)


@given(st.lists(st.floats(0.002, 10.0), max_size=100), st.integers(0, 100))
def test_the_worst_since_any_moment(lags, moment):
    """Forgetting what can never be the worst one loses nothing."""
    watch = LagWatch()
    for at, lag_s in enumerate(lags):
        watch._note(float(at), lag_s)
    assert max(lags[moment:], default=0.0) == watch.since(float(moment))


def test_it_remembers_little():
    """However long the run, the watch stays small."""
    watch = LagWatch()
    for at in range(10 * LAGS_KEPT):
        watch._note(float(at), 1e6 - at)
    assert LAGS_KEPT == len(watch._lags)


async def test_in_virtual_time_nothing_is_late(autojump_clock):
    """A jump of the clock is no lag."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    await trio.sleep(1000)
    trio.lowlevel.remove_instrument(watch)
    assert 0.0 == watch.since(0.0)


async def test_a_busy_task_is_seen():
    """In real time: who blocks the arena for 20 ms makes it 20 ms late."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    await trio.lowlevel.checkpoint()
    began = trio.current_time()
    time.sleep(0.02)  # noqa: ASYNC251 - that is what is tested
    await trio.lowlevel.checkpoint()
    trio.lowlevel.remove_instrument(watch)
    assert watch.since(began) >= 0.02
