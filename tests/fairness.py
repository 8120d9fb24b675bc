"""Who is charged for time, measured against the kernel: `python tests/fairness.py --trouble quota-10`.

A load in C++ answers every question after 15 of 20 ms, at many tables, and stamps each answer when `write` has
returned: from then on the kernel has it.  Meanwhile the arena, which is this process, is in trouble: it is deaf or
stopped for longer than a bot has time, ten times a second whatever else runs here (`deaf`, `stopped`); or other
programs take its cores, or the system gives it a tenth of one.  However late it looks then, an answer that the kernel
had before its deadline is never `too_late`, and nobody who reads is `gone`.

With `--workers N` the load is a program for each seat, started by workers.  What happens to this process costs no bot
any time then: compare `took_ms` and `lagged` of `none`, `deaf` and `stopped`.  With `worker-stopped` the workers are
stopped, in turn.  Troubles add up: `--workers 2 --trouble hogs stopped worker-stopped`.

Prints one JSON object; `troubled` counts how often the arena was deaf by our doing, `lagged` the answers that may have
been late but for the arena's own lag, `took_ms` the times that bots were charged with; `unfair` lists the decisions
that break the promise.
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from itertools import cycle
from pathlib import Path
from statistics import quantiles

import attrs
import trio
from tournaments import Record, opened

from arena.games.liars_dice import LiarsDice
from arena.players.entrant import Entrant
from arena.referee import _Match
from arena.tournament.bots.entrants import remote
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament
from arena.tournament.workers.hiring import CHILDREN, Hiring
from arena.tournament.workers.local import enlist_child

SOURCE = Path(__file__).with_name("sleepers.cpp")
WORKER = Path(__file__).with_name("fair_worker.py")
SLEEP_S, LIMIT_S = 0.015, 0.020
DEAF_S, HEARS_S = 0.030, 0.070
"""Whatever was asked before the arena is deaf is answered, and its time over, when it listens again."""
HOGS = 4
TROUBLED: list[float] = []
"""When the arena was kept from listening, by our doing."""


STAFF: list[int] = []
"""The processes of the workers."""

Answer = tuple[int, int, int]
"""The ports of a connection, the arena's first, and a question that was put there."""


@attrs.frozen
class Charge:
    """A decision that somebody was charged for."""

    answer: Answer
    fault: str
    deadline: float
    """By CLOCK_MONOTONIC."""

    def __str__(self) -> str:
        return " ".join(map(str, (*self.answer, self.fault, self.deadline)))

    @classmethod
    def read(cls, line: str) -> Charge:
        *answer, fault, deadline = line.split()
        return cls(tuple(map(int, answer)), fault, float(deadline))


def unfair(charges: Sequence[Charge], stamps: Iterable[Path]) -> list[str]:
    """The charges that break the promise, in words."""
    found = [
        f"gone: question {question} from port {port}"
        for (_, port, question), fault in ((charge.answer, charge.fault) for charge in charges)
        if fault == "gone"
    ]
    deadlines = {charge.answer: charge.deadline for charge in charges if charge.fault == "too_late"}
    for line in "".join(path.read_text() for path in stamps).splitlines():
        *answer, stamp_ns = map(int, line.split())
        early_s = deadlines.get(tuple(answer), 0.0) - stamp_ns / 1e9
        if early_s > 0.0:
            _, port, question = answer
            found.append(
                f"too_late: question {question} from port {port}, there {early_s * 1e3:.3f} ms early"
            )
    return found


@contextmanager
def listening_to_the_judge(note: Callable[[Charge], object]) -> Iterator[None]:
    """Notes each fault for time with the deadline that it was judged by."""
    judge = _Match._judge

    def listen(match, turn, state, seat, slot):
        decision = judge(match, turn, state, seat, slot)
        if decision.fault in ("too_late", "gone"):
            player = match.chairs[seat].player
            transport, connection = player._transport, player.connection
            socket = None if transport is None else transport._socket
            ports = (0, 0) if socket is None else (socket.getsockname()[1], socket.getpeername()[1])
            asked = 0 if connection is None else connection._asked
            offset = trio.lowlevel.current_clock().offset  # trio's clock is CLOCK_MONOTONIC and this
            note(Charge((*ports, asked), decision.fault, slot.deadline - offset))
        return decision

    _Match._judge = listen
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
def stopped(*processes: int) -> Iterator[None]:
    """Now and then a whole process is stopped for longer than a bot has time, and goes on (Ctrl-Z, `fg`).

    It is this one, or each of these in turn.
    """
    whom = cycle(processes or (os.getpid(),))
    words = [sys.executable, "-c", _WAKER, str(DEAF_S)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as waker:

        def stop() -> None:
            process = next(whom)
            waker.stdin.write(b"%d\n" % process)
            waker.stdin.flush()
            if process == os.getpid():
                os.kill(process, signal.SIGSTOP)

        with now_and_then(stop):
            yield
        waker.stdin.close()


_WAKER = """
import os, pathlib, signal, sys, time
deaf_s = float(sys.argv[1])
for line in sys.stdin:
    process = int(line)
    if process != os.getppid():  # by nobody else: one that is stopped twice at once would be awaited for ever
        os.kill(process, signal.SIGSTOP)
    while pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "TZ":
        time.sleep(0.001)
    time.sleep(deaf_s)
    os.kill(process, signal.SIGCONT)
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
    "worker-stopped": lambda: stopped(*STAFF),  # for runs with workers
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


PLAN = {"move_time": LIMIT_S, "margin": 0.0, "decisions": "all", "sandbox": "shield"}
PLAN |= {"faults_max": 10**6, "withdrawn_after": 10**6}
"""All are asked to the end."""
TOKENS = {"left-token": "left", "right-token": "right"}


async def measure(
    folder: Path,
    *,
    program: Path | None,
    trouble: Sequence[str],
    matches: int,
    tables: int,
    dice: int,
    workers: int,
) -> dict:
    """Two entrants, at so many tables: connections of one load, or programs of workers."""
    program = program or compiled(folder)
    summary, charges, told = Summary(), [], []
    plan = PLAN | {"series": matches // 2}
    how = {"concurrency": tables, "game": LiarsDice(dice=dice)}
    with ExitStack() as stack, ExitStack() as troubled:
        async with trio.open_nursery() as nursery:

            async def load(address: str) -> None:
                words = [program, folder / "stamps", address.rpartition(":")[2], str(SLEEP_S)]
                words += [f"{token}:{tables}" for token in TOKENS]
                result = await trio.run_process(words, capture_stdout=True)
                told.append(json.loads(result.stdout))

            class Starter(Record):
                def waiting(self, address, missing):
                    if not self.waits:
                        nursery.start_soon(load, address)
                    super().waiting(address, missing)

                def begins(self, course, done):
                    self.planned, self.began_at = course.size, time.perf_counter()
                    for each in trouble:
                        troubled.enter_context(TROUBLES[each]())

                def played(self, entry):
                    super().played(entry)
                    if len(self.entries) == self.planned:
                        troubled.close()  # before workers end

            reporter = Starter()
            if workers == 1:
                stack.enter_context(listening_to_the_judge(charges.append))
                plan |= {"remote": tuple(TOKENS.values())}
                entrants, hiring = map(remote, plan["remote"]), CHILDREN
                setup = stack.enter_context(opened(folder / "out", entrants, tokens=TOKENS, **how, **plan))
            else:
                entrants, hiring = started(program, folder), noting(folder)
                setup = stack.enter_context(opened(folder / "out", entrants, **how, **plan))
                setup = attrs.evolve(setup, workers=workers)
            await run_tournament(setup, reporter, summary, hiring=hiring)
            seconds = time.perf_counter() - reporter.began_at
    charges += charges_in(folder)
    decisions = [decision for entry in reporter.entries for decision in entry.decisions]
    took_ms = quantiles((decision.elapsed_s * 1e3 for decision in decisions), n=100)
    return {
        "trouble": " ".join(trouble),
        "workers": len(STAFF),
        "matches": summary.played,
        "questions": len(decisions),
        "seconds": round(seconds, 2),
        "too_late": sum(decision.fault == "too_late" for decision in decisions),
        "gone": sum(decision.fault == "gone" for decision in decisions),
        "other faults": sum(decision.fault in ("malformed", "illegal") for decision in decisions),
        "charges": len(charges),
        "troubled": len(TROUBLED),
        "lagged": summary.lagged,
        "worst_lag_s": round(summary.lag_worst_s, 4),
        "took_ms": {f"p{part}": round(took_ms[part - 1], 2) for part in (50, 90, 99)},
        "load": told,
        "stamps": sum(len(path.read_text().splitlines()) for path in stamps_in(folder)),
        "unfair": unfair(charges, stamps_in(folder)),
    }


def started(program: Path, folder: Path) -> list[Entrant]:
    """The load as programs that a worker starts.  They write to a folder that the arena keeps for them."""
    home = folder / "bots"
    home.mkdir()
    run = (str(shutil.copy(program, home / "sleeper")), "stamps", str(SLEEP_S))
    kept = folder / "kept"
    return [
        Entrant(name=name, kind="process", version="1", run=run, folder=home, arena_folder=kept)
        for name in TOKENS.values()
    ]


def noting(folder: Path) -> Hiring:
    """Workers whose judges are listened to."""

    @asynccontextmanager
    async def enlist(name):
        async with enlist_child(name, (str(WORKER), str(folder))) as child:
            STAFF.append(child.pid)
            yield child

    return Hiring(enlist)


def charges_in(folder: Path) -> list[Charge]:
    """What workers have noted."""
    return [Charge.read(line) for path in folder.glob("charges-*") for line in path.read_text().splitlines()]


def stamps_in(folder: Path) -> list[Path]:
    """Where the stamps are."""
    return [*folder.glob("stamps"), *folder.glob("kept/**/stamps-*")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trouble", nargs="+", choices=TROUBLES, default=["none"])
    parser.add_argument("--matches", type=int, default=1280)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--dice", type=int, default=2)
    parser.add_argument("--program", type=Path, help="the load, if it is compiled already")
    said = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:

        async def run() -> dict:
            return await measure(Path(folder), **said)

        print(json.dumps(trio.run(run), indent=1))


if __name__ == "__main__":
    main()
