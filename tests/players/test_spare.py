"""Instances that wait: kept while memory is free, and ended if they compute."""

from __future__ import annotations

import os
import time

import pytest
import trio
from tournaments import honest, terms

from arena.box.spare import TICKS_PER_S, cpu_s, free_memory_share
from arena.players.log import BotLog
from arena.players.process import ProcessPlayer
from arena.tournament.play import instances
from arena.tournament.play.instances import KEPT_MAX, Instance, Instances

MEMINFO = "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\n"


def machine(folder, group, limits):
    """What `/proc` and the control groups say, in a folder."""
    (folder / "proc" / "self").mkdir(parents=True)
    (folder / "proc" / "meminfo").write_text(MEMINFO)
    (folder / "proc" / "self" / "cgroup").write_text(group)
    for name, text in limits.items():
        path = folder / "cgroups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {"proc": str(folder / "proc"), "cgroups": str(folder / "cgroups")}


@pytest.mark.parametrize(
    ("group", "limits", "share"),
    [
        pytest.param("0::/\n", {}, 0.6, id="no limit"),
        pytest.param(
            "0::/own\n",
            {
                "own/memory.max": "100",
                "own/memory.current": "90",
                "own/memory.stat": "anon 1\ninactive_file 20\n",
            },
            0.3,
            id="version 2",
        ),
        pytest.param(
            "0::/own\n", {"own/memory.max": "max\n", "own/memory.current": "90"}, 0.6, id="no number"
        ),
        pytest.param(
            "4:cpu,memory:/host/path\n",
            {
                "memory/memory.limit_in_bytes": "200",
                "memory/memory.usage_in_bytes": "190",
                "memory/memory.stat": "total_inactive_file 0\n",
            },
            0.05,
            id="version 1, in a container",
        ),
    ],
)
def test_the_tightest_limit_says_how_much_is_free(tmp_path, group, limits, share):
    """The machine's memory, or a control group's; what is cached counts as free."""
    assert free_memory_share(**machine(tmp_path, group, limits)) == pytest.approx(share)


def test_nobody_tells(tmp_path):
    """As on macOS."""
    assert free_memory_share(proc=str(tmp_path)) is None


def test_processor_time_is_the_systems():
    """Of this very process: at least what it burns here, at most what the system has counted."""
    before = cpu_s([os.getpid()])
    burnt_until = time.process_time() + 0.05
    while time.process_time() < burnt_until:
        pass
    after = cpu_s([os.getpid()])
    assert 0.05 - 2 / TICKS_PER_S <= after - before
    assert after <= sum(os.times()[:4]) + 2 / TICKS_PER_S


# Instances


def waiting(name):
    entrant = honest(name)
    return Instance(ProcessPlayer(entrant, BotLog(None)), name, place=object())


def some(nursery, *, processes_max=2, share=None):
    return Instances(
        terms(processes_max=processes_max),
        nursery,
        lambda idle: idle[0],
        free_memory_share=lambda: share,
    )


@pytest.mark.parametrize(
    ("share", "kept"), [pytest.param(0.5, 3, id="free"), (0.49, 2), pytest.param(None, 2, id="unknown")]
)
async def test_an_idle_instance_makes_room_only_when_memory_is_short(autojump_clock, share, kept):
    """With room for two, the third process lives beside the others or in place of the first."""
    async with trio.open_nursery() as nursery:
        here = some(nursery, share=share)
        for name in "ab":
            instance = waiting(name)
            instance.place = await here._make_room(honest(name))
            here._here.append(instance)
        await here._make_room(honest("c"))
        assert kept - 1 == len(here.idle("a")) + len(here.idle("b"))


async def test_there_is_an_end_to_it(autojump_clock):
    """However much memory is free."""
    async with trio.open_nursery() as nursery:
        here = some(nursery, share=1.0)
        for _ in range(KEPT_MAX):
            await here._make_room(honest("many"))
        with trio.move_on_after(1) as waits:
            await here._make_room(honest("many"))
        assert waits.cancelled_caught


@pytest.mark.parametrize(("cores", "is_ended"), [(0.02, False), (0.5, True)])
async def test_who_computes_while_it_waits_is_ended(autojump_clock, monkeypatch, cores, is_ended):
    """It would take the time of those that play; a tenth of a core is allowed."""
    restless = waiting("restless")
    restless.player.guard = 7
    monkeypatch.setattr(instances, "descendants", lambda pid: [pid])
    monkeypatch.setattr(instances, "cpu_s", lambda pids: cores * trio.current_time() * (7 in pids))
    async with trio.open_nursery() as nursery:
        here, quiet = some(nursery), waiting("quiet")
        here._here += [restless, quiet]
        for _ in range(20):  # matches of others end
            quiet.is_busy = True
            here.release(quiet)
            await trio.sleep(0.1)
        assert is_ended == (not here.idle("restless"))
        assert here.idle("quiet")
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("share", "kept"), [(0.5, 3), (0.49, 2), (None, 2)])
async def test_when_memory_becomes_short_the_waiting_end(autojump_clock, share, kept):
    """One after a match, down to as many as always may live."""
    shares = [1.0] * 3 + [share] * 10
    async with trio.open_nursery() as nursery:
        here = some(nursery)
        here._free_memory_share = lambda: shares.pop(0)
        for name in "abc":
            instance = waiting(name)
            instance.place = await here._make_room(honest(name))
            here._here.append(instance)
        last = here.idle("c")[0]
        for _ in range(5):
            here.release(last)
            await trio.sleep(0.5)
        assert kept == sum(len(here.idle(name)) for name in "abc")
