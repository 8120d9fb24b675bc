"""The tables of a run in virtual time, on a machine of two cores that computing bots share."""

from __future__ import annotations

import statistics
from random import Random

import attrs
import pytest
import trio
from tournaments import Record, local, opened

from arena.games.liars_dice import LiarsDice
from arena.schedule.admission import Capacity
from arena.testing import After, ScriptedPlayer
from arena.tournament.play.instances import Instance, Instances
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament

CORES = 2


class Machine:
    """A few cores, shared equally by those that compute."""

    def __init__(self) -> None:
        self._computing = 0
        self._changed = trio.Event()

    async def compute(self, work_s: float) -> float:
        """Returns when so much is done; gives the time that was wanted for it, used or waited for."""
        began_at = trio.current_time()
        self._note(1)
        while work_s > 1e-9:
            since, rate = trio.current_time(), min(1.0, CORES / self._computing)
            with trio.move_on_after(work_s / rate):
                await self._changed.wait()
            work_s -= (trio.current_time() - since) * rate
        self._note(-1)
        return trio.current_time() - began_at

    def _note(self, more: int) -> None:
        self._computing += more
        self._changed.set()
        self._changed = trio.Event()


def doubts(question):
    """The last family of moves that is allowed, so that matches are short."""
    return question.options[-1].sample(Random(0))


class Fake(ScriptedPlayer):
    """Computes for some time at every question, and sleeps for some more."""

    def __init__(self, name: str, machine: Machine, nursery: trio.Nursery) -> None:
        super().__init__(name, doubts, nursery=nursery)
        self._machine = machine
        self._wanted_s = 0.0
        self._works_s, self._sleeps_s = (0.0, 0.5) if name.startswith("sleeper") else (0.02, 0.0)

    def demand_s(self) -> float:
        return self._wanted_s

    def ask(self, question, slot):
        slot.note_sent(trio.current_time())
        self._slot = slot
        self._nursery.start_soon(self._think, slot, self._script(question))

    async def _think(self, slot, move):
        if self._works_s:
            self._wanted_s += await self._machine.compute(self._works_s)
        await self._answer_later(slot, After(self._sleeps_s, move))


async def played(folder, monkeypatch, bots, capacity) -> tuple[float, float]:
    """How long a tournament takes, and how long the others than the sleeper think at a question."""
    machine = Machine()
    thought_s = []

    async def start(instances, entrant, *_):
        return Instance(Fake(entrant.name, machine, instances._nursery), entrant.name)

    def note(entry):
        thought_s.extend(
            decision.elapsed_s
            for decision in entry.record.decisions
            if not entry.pairing.bots[decision.seat].startswith("sleeper")
        )

    monkeypatch.setattr(Instances, "_start", start)
    began_at = trio.current_time()
    with opened(folder, [local(name, Fake) for name in bots], game=LiarsDice(dice=2), series=1) as setup:

        async def in_step(act):
            act()

        setup = attrs.evolve(setup, capacity=capacity, in_thread=in_step)
        summary = Summary()
        await run_tournament(setup, Record(note), summary)
    assert len(bots) * (len(bots) - 1) == summary.played
    return trio.current_time() - began_at, statistics.median(thought_s)


WORKERS = [f"worker-{number:02}" for number in range(14)]
MEASURED = Capacity(first=1, most=16, cores=CORES)


@pytest.mark.slow
async def test_a_sleeper_is_alone_in_waiting(tmp_path, monkeypatch, autojump_clock):
    """With it the whole takes at most 1.3 times as long as without, and nobody's thinking 1.1 times.

    At one table its matches alone take longer than all the others.
    """
    without_s, alone_s = await played(tmp_path / "without", monkeypatch, WORKERS, MEASURED)
    with_s, beside_s = await played(tmp_path / "with", monkeypatch, [*WORKERS, "sleeper"], MEASURED)
    waiting_s, _ = await played(tmp_path / "one", monkeypatch, [*WORKERS, "sleeper"], Capacity.fixed(1))
    assert with_s <= 1.3 * without_s
    assert beside_s <= 1.1 * alone_s
    assert waiting_s > 2 * without_s


async def test_computing_bots_get_the_cores_that_they_need_and_no_more(tmp_path, monkeypatch, autojump_clock):
    """Their thinking takes no longer than at one table."""
    _, alone_s = await played(tmp_path / "one", monkeypatch, WORKERS[:5], Capacity.fixed(1))
    _, beside_s = await played(tmp_path / "measured", monkeypatch, WORKERS[:5], MEASURED)
    _, crowded_s = await played(tmp_path / "many", monkeypatch, WORKERS[:5], Capacity.fixed(8))
    assert alone_s == pytest.approx(0.02)
    assert beside_s <= 1.1 * alone_s
    assert crowded_s >= 1.5 * alone_s
