"""Who is charged for time, measured against the kernel: `python tests/fairness.py --trouble quota-10`.

A load in C++ answers every question after 15 of 20 ms, at many tables, and stamps each answer when `write` has
returned: from then on the kernel has it.  Meanwhile the arena, which is this process, is in trouble: it is deaf or
stopped for longer than a bot has time, ten times a second whatever else runs here (`deaf`, `stopped`); or other
programs take its cores, or the system gives it a tenth of one.  However late it looks then, an answer that the kernel
had before its deadline is never `too_late`, and nobody who reads is `gone`.

Prints one JSON object; `troubled` counts how often the arena was deaf by our doing, `unfair` lists the decisions that
break the promise.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs
import trio
from tournaments import Record, opened

from arena.games.liars_dice import LiarsDice
from arena.referee import _Match
from arena.tournament.entrants import remote
from arena.tournament.runner import run_tournament
from arena.tournament.summary import Summary

SOURCE = Path(__file__).with_name("sleepers.cpp")
SLEEP_S, LIMIT_S = 0.015, 0.020
DEAF_S, HEARS_S = 0.030, 0.070
"""Whatever was asked before the arena is deaf is answered, and its time over, when it listens again."""
HOGS = 4
TROUBLED: list[float] = []
"""When the arena was kept from listening, by our doing."""


@attrs.define
class Charges:
    """Decisions that somebody was charged for, and the stamps of all answers."""

    deadlines: dict[tuple[int, int], tuple[str, float]] = attrs.field(factory=dict)
    """(port, question) -> the fault, and the deadline by CLOCK_MONOTONIC."""

    def unfair(self, stamps: Path) -> list[str]:
        """The charges that break the promise, in words."""
        found = [
            f"gone: question {question} from port {port}"
            for (port, question), (fault, _) in self.deadlines.items()
            if fault == "gone"
        ]
        for line in stamps.read_text().splitlines():
            port, question, stamp_ns = map(int, line.split())
            fault, deadline = self.deadlines.get((port, question), ("", 0.0))
            if fault == "too_late" and stamp_ns / 1e9 < deadline:
                early_ms = (deadline - stamp_ns / 1e9) * 1e3
                found.append(f"too_late: question {question} from port {port}, there {early_ms:.3f} ms early")
        return found


@contextmanager
def listening_to_the_judge(charges: Charges) -> Iterator[None]:
    """Notes each fault for time with the deadline that it was judged by."""
    judge = _Match._judge

    def note(match, turn, state, seat, slot):
        decision = judge(match, turn, state, seat, slot)
        if decision.fault in ("too_late", "gone"):
            player = match.chairs[seat].player
            transport, connection = player._transport, player.connection
            port = 0 if transport is None else transport._socket.getpeername()[1]
            asked = 0 if connection is None else connection._asked
            offset = trio.lowlevel.current_clock().offset  # trio's clock is CLOCK_MONOTONIC and this
            charges.deadlines[port, asked] = (decision.fault, slot.deadline - offset)
        return decision

    _Match._judge = note
    try:
        yield
    finally:
        _Match._judge = judge


# Trouble.


@contextmanager
def hogs() -> Iterator[None]:
    """Programs that take all the time they can get."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(HOGS)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@contextmanager
def quota(percent: int) -> Iterator[None]:
    """So much of every 100 ms, and nothing more; OSError where control groups may not be written."""
    group = Path(f"/sys/fs/cgroup/cpu/arena-fairness-{os.getpid()}")
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text(str(percent * 1000))
        (group / "cgroup.procs").write_text(str(os.getpid()))
        yield
    finally:
        (group.parent / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


@contextmanager
def deaf() -> Iterator[None]:
    """Now and then the arena's only thread does something else for longer than a bot has time."""
    with now_and_then(lambda: time.sleep(DEAF_S)):
        yield


@contextmanager
def stopped() -> Iterator[None]:
    """Now and then the whole process is stopped for longer than a bot has time, and goes on (Ctrl-Z, `fg`)."""
    words = [sys.executable, "-c", _WAKER, str(os.getpid()), str(DEAF_S)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as waker:

        def stop() -> None:
            waker.stdin.write(b"\n")
            waker.stdin.flush()
            os.kill(os.getpid(), signal.SIGSTOP)

        with now_and_then(stop):
            yield
        waker.stdin.close()


_WAKER = """
import os, pathlib, signal, sys, time
arena, deaf_s = int(sys.argv[1]), float(sys.argv[2])
for _ in sys.stdin:
    while pathlib.Path(f"/proc/{arena}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        time.sleep(0.001)
    time.sleep(deaf_s)
    os.kill(arena, signal.SIGCONT)
"""


@contextmanager
def now_and_then(trouble: Callable[[], None]) -> Iterator[None]:
    """Calls `trouble`, which keeps the arena from listening, and lets the arena listen for a while in between."""
    scope = trio.CancelScope()

    async def again_and_again() -> None:
        with scope:
            while True:
                await trio.sleep(HEARS_S)
                TROUBLED.append(trio.current_time())
                trouble()

    trio.lowlevel.spawn_system_task(again_and_again)
    try:
        yield
    finally:
        scope.cancel()


@contextmanager
def none() -> Iterator[None]:
    """The machine as it is."""
    yield


TROUBLES: dict[str, Callable] = {
    "none": none,
    "deaf": deaf,
    "stopped": stopped,
    "hogs": hogs,
    "quota-25": lambda: quota(25),
    "quota-10": lambda: quota(10),
}


# The measurement.


def compiled(folder: Path) -> Path:
    """The load.  Raises RuntimeError without a compiler: in Python it would be late itself."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise RuntimeError("fairness is measured with a load in C++: install g++")
    program = folder / "sleepers"
    subprocess.run([compiler, "-O2", "-std=c++17", "-o", program, SOURCE], check=True)
    return program


async def measure(
    folder: Path, *, program: Path | None, trouble: str, matches: int, tables: int, dice: int
) -> dict:
    """Two entrants of `tables` connections each, all of them in the load."""
    tokens = {"left-token": "left", "right-token": "right"}
    program, stamps = program or compiled(folder), folder / "stamps"
    summary, charges, told = Summary(), Charges(), []

    async def load(address: str) -> None:
        words = [program, stamps, address.rpartition(":")[2], str(SLEEP_S)]
        words += [f"{token}:{tables}" for token in tokens]
        result = await trio.run_process(words, capture_stdout=True)
        told.append(json.loads(result.stdout))

    plan = {"series": matches // 2, "move_time": LIMIT_S, "margin": 0.0, "remote": ("left", "right")}
    plan |= {"faults_max": 10**6, "withdrawn_after": 10**6}  # that all are asked to the end
    game = LiarsDice(dice=dice)
    entrants = map(remote, plan["remote"])
    with ExitStack() as stack:
        stack.enter_context(listening_to_the_judge(charges))
        setup = stack.enter_context(
            opened(folder / "out", entrants, tokens=tokens, concurrency=tables, game=game, **plan)
        )
        async with trio.open_nursery() as nursery:

            class Starter(Record):
                def waiting(self, address, missing):
                    if not self.waits:
                        nursery.start_soon(load, address)
                    super().waiting(address, missing)

                def begins(self, course, done):
                    self.began_at = time.perf_counter()
                    stack.enter_context(TROUBLES[trouble]())

            reporter = Starter()
            await run_tournament(setup, reporter, summary)
            seconds = time.perf_counter() - reporter.began_at
    decisions = [decision for entry in reporter.entries for decision in entry.record.decisions]
    return {
        "trouble": trouble,
        "matches": summary.played,
        "questions": len(decisions),
        "seconds": round(seconds, 2),
        "too_late": sum(decision.fault == "too_late" for decision in decisions),
        "gone": sum(decision.fault == "gone" for decision in decisions),
        "other faults": sum(decision.fault in ("malformed", "illegal") for decision in decisions),
        "troubled": len(TROUBLED),
        "lagged": summary.lagged,
        "worst_lag_s": round(summary.lag_worst_s, 4),
        "load": told[0],
        "unfair": charges.unfair(stamps),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trouble", choices=TROUBLES, default="none")
    parser.add_argument("--matches", type=int, default=1280)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--dice", type=int, default=2)
    parser.add_argument("--program", type=Path, help="the load, if it is compiled already")
    said = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:

        async def run() -> dict:
            return await measure(Path(folder), **said)

        print(json.dumps(trio.run(run), indent=1))


if __name__ == "__main__":
    main()
