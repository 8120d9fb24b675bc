"""Before play every bot is tried: side by side, and who keeps the others waiting is told of."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import trio
from tournaments import terms

import arena.tournament.play.instances
from arena.box.spare import cpu_s_below
from arena.players.entrant import Entrant
from arena.players.log import BotLog
from arena.players.process import ProcessPlayer
from arena.players.start import BotBroken, NeverConnected
from arena.tournament.bots.attempts import STARTING_MAX, TOLD_MAX, WAITED_FOR_MAX, Attempts
from arena.tournament.play.instances import Instances

CONNECT_S = 30.2


def using(share):
    """How much processor time a program has used that began now and uses this share; None: nobody can tell."""
    began_at = trio.current_time()
    return lambda: None if share is None else share * (trio.current_time() - began_at)


class Class:
    """Bots that take so long to connect, each with the share of a core that its program uses."""

    def __init__(self, **bots):
        self.bots, self.lines, self.times, self.most = bots, [], {}, 0
        self._here, self.begun = 0, []

    async def start(self, attempt):
        self._here += 1
        self.most = max(self.most, self._here)
        try:
            self.begun.append(attempt.entrant.name)
            takes_s, share = self.bots[attempt.entrant.name]
            attempt.runs(using(share))
            await trio.sleep(min(takes_s, CONNECT_S))
            if takes_s > CONNECT_S:
                raise NeverConnected(
                    attempt.entrant.name, f"did not connect within {CONNECT_S:g} s", "; it last printed: x"
                )
        finally:
            self._here -= 1

    def tell(self, line):
        self.lines.append((trio.current_time() - self.began_at, line))

    async def tried(self, language="Python"):
        self.began_at = trio.current_time()
        entrants = [Entrant(name=name, kind="process", language=language) for name in self.bots]
        broken = await Attempts(self.start, STARTING_MAX, self.tell).run(entrants)
        self.took_s = trio.current_time() - self.began_at
        return {error.name: error.reason for error in broken}


async def test_one_that_loops_costs_its_time_once(autojump_clock):
    """Forty bots at half a second each: all but one have been tried long before."""
    bots = {f"student{number:02}": (0.5, 0.5) for number in range(39)}
    course = Class(looping=(99, 1.0), **bots)
    assert {
        "looping": "did not connect within 30.2 s: it was computing (30.0 s of CPU); it last printed: x"
    } == await course.tried()
    assert course.took_s == pytest.approx(CONNECT_S)


async def test_many_that_hang_cost_it_together(autojump_clock):
    """Each holds a place among those that start for a second, and sixteen of them are waited for at once."""
    course = Class(**{f"hanging{number}": (99, 0.0) for number in range(16)}, good=(0.5, 0.5))
    assert 16 == len(await course.tried())
    assert 30.0 < course.took_s < 35.0
    course = Class(**{f"hanging{number}": (99, 0.0) for number in range(40)})
    assert 40 == len(await course.tried())
    assert (True, STARTING_MAX + WAITED_FOR_MAX) == (course.took_s < 70.0, course.most)


async def test_no_more_start_at_once_than_a_machine_can_bear(autojump_clock):
    """As long as they are quick."""
    course = Class(**{f"quick{number}": (0.9, 1.0) for number in range(12)})
    assert {} == await course.tried()
    assert STARTING_MAX == course.most


async def test_who_is_waited_for_is_told(autojump_clock):
    """After two seconds and then more and more rarely, with what it does; a quick one never.

    What its author may have forgotten is asked once.
    """
    course = Class(busy=(99, 0.95), idle=(99, 0.0), quick=(1.9, 0.5), dark=(9, None))
    expected = {
        "busy": "did not connect within 30.2 s: it was computing (28.5 s of CPU); it last printed: x",
        "idle": "did not connect within 30.2 s: it did nothing; does the file call run()?; it last printed: x",
    }
    assert expected == await course.tried()
    assert [
        (2.0, "waiting for busy, which is computing (1.9 s of CPU)"),
        (2.0, "waiting for idle, which does nothing; does the file call run()?"),
        (2.0, "waiting for dark, for 2 s now"),
        (8.0, "waiting for busy, which is computing (7.6 s of CPU)"),
        (8.0, "waiting for idle, for 8 s now, which does nothing"),
        (8.0, "waiting for dark, for 8 s now"),
    ] == course.lines


async def test_what_is_asked_depends_on_the_language(autojump_clock):
    """Not every program has a run()."""
    course = Class(idle=(99, 0.0))
    said = await course.tried(language="C++")
    assert "it did nothing; does the program connect to ARENA_PORT?" in said["idle"]


async def test_hundreds_that_hang_fill_no_screen(autojump_clock):
    """The first ones are told of."""
    course = Class(**{f"hanging{number}": (99, 0.0) for number in range(120)})
    assert 120 == len(await course.tried())
    assert TOLD_MAX == len(course.lines)


async def test_bots_are_tried_in_their_order(autojump_clock):
    """So that the same command does the same."""
    course = Class(**{f"quick{number}": (0.5, 0.5) for number in range(40)})
    await course.tried()
    assert list(course.bots) == course.begun


@pytest.mark.parametrize("language", ["Python", "Rust"])
async def test_one_that_ends_as_if_all_were_well(language, autojump_clock):
    """Has perhaps forgotten what its last line is for; one that fails says so itself."""

    async def start(attempt):
        if attempt.entrant.name == "failed":
            raise BotBroken("failed", "its process ended with exit code 1")
        raise NeverConnected(
            "forgot", "its process ended with exit code 0, and never connected", has_ended=True
        )

    entrants = [Entrant(name=name, kind="process", language=language) for name in ("failed", "forgot")]
    failed, forgot = await Attempts(start, 4, print).run(entrants)
    asked = "does the file call run()?" if language == "Python" else "does the program connect to ARENA_PORT?"
    assert "its process ended with exit code 1" == failed.reason
    assert f"its process ended with exit code 0, and never connected; {asked}" == forgot.reason


# The places of processes.


async def test_who_hangs_holds_no_place_that_others_need(autojump_clock, monkeypatch, tmp_path):
    """With room for two processes: each that is slow makes room, and takes it again once it has connected."""
    takes_s = {"hangs": 30.0, "slow": 5.0, **{f"quick{number}": 0.3 for number in range(6)}, "late": 1.5}
    began_at, connected_at, alive = trio.current_time(), {}, set()

    async def run_process(entrant, *, note_running, task_status, **_):
        note_running(0)
        await trio.sleep(takes_s[entrant.name])
        if entrant.name == "hangs":
            raise NeverConnected("hangs", "did not connect within 30 s")
        player = ProcessPlayer(entrant, BotLog(None))
        connected_at[entrant.name] = trio.current_time() - began_at
        alive.add(entrant.name)
        task_status.started(player)
        await player.wait_closing()
        alive.discard(entrant.name)
        player.ended.set()

    monkeypatch.setattr(arena.tournament.play.instances, "run_process", run_process)
    entrants = [Entrant(name=name, kind="process") for name in takes_s]
    async with trio.open_nursery() as nursery:
        setting = terms(entrants, tmp_path, processes_max=2)
        here = Instances(setting, nursery, lambda idle: idle[0], free_memory_share=lambda: 0.0)
        assert ["hangs"] == [error.name for error in await here.try_all()]
        assert takes_s.keys() - {"hangs"} == connected_at.keys()
        assert max(connected_at.values()) < 7.0
        assert (2, 2) == (len(alive), len(here._places))
        here.end_all()
        await here.all_gone()
        assert (set(), set()) == (alive, here._places)


def test_the_processor_time_below_a_process():
    """Of all its descendants; where there is none, or nobody tells, it is unknown."""
    code = "import time\nwhile time.process_time() < 0.1: pass\nprint(flush=True); input()"
    before_s = cpu_s_below(os.getpid()) or 0.0  # a browser may be open here
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        used_s = cpu_s_below(os.getpid())
        child.communicate(b"\n")
    if used_s is None:
        pytest.skip("no /proc here: the processor time of a bot is unknown")
    assert 0.05 < used_s - before_s < 60
    assert cpu_s_below(child.pid) is None
