"""Who is charged for time, measured against the kernel: `python tests/fairness.py --trouble quota-10`.

A load in C++ answers every question after 15 of 20 ms, at many tables, and stamps each answer when `write` has
returned: from then on the kernel has it.  Meanwhile the arena, which is this process, is in trouble: other programs
take its cores, the system gives it a tenth of one, or it is stopped and goes on.  However late it looks then, an
answer that the kernel had before its deadline is never `too_late`, and nobody who reads is `gone`.

Prints one JSON object; `unfair` lists the decisions that break the promise.
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
HOGS = 4


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
def pauses() -> Iterator[None]:
    """Another process stops this one at random moments, and lets it go on."""
    child = subprocess.Popen([sys.executable, "-c", _STOPPER, str(os.getpid())])
    try:
        yield
    finally:
        child.kill()
        child.wait()
        os.kill(os.getpid(), signal.SIGCONT)


_STOPPER = """
import os, random, signal, sys, time
arena, rng = int(sys.argv[1]), random.Random(1)
while os.getppid() == arena:
    time.sleep(rng.uniform(0.01, 0.2))
    os.kill(arena, signal.SIGSTOP)
    time.sleep(rng.uniform(0.005, 0.3))
    os.kill(arena, signal.SIGCONT)
"""


@contextmanager
def none() -> Iterator[None]:
    """The machine as it is."""
    yield


TROUBLES: dict[str, Callable] = {
    "none": none,
    "hogs": hogs,
    "quota-25": lambda: quota(25),
    "quota-10": lambda: quota(10),
    "pauses": pauses,
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


async def measure(folder: Path, *, trouble: str, matches: int, tables: int, dice: int) -> dict:
    """Two entrants of `tables` connections each, all of them in the load."""
    tokens = {"left-token": "left", "right-token": "right"}
    program, stamps = compiled(folder), folder / "stamps"
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
    said = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:

        async def run() -> dict:
            return await measure(Path(folder), **said)

        print(json.dumps(trio.run(run), indent=1))


if __name__ == "__main__":
    main()
