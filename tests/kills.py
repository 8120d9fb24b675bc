"""`kill -9` at random moments: `python tests/kills.py --kills 100 --seed 1` prints a table.

Every format, `--until` and `compare` are played by programs, once in one go and again by an arena that is killed
and started anew, as often as it takes.  Afterwards the exact columns of all tables must be equal, and after each
kill no process may be left: not of bots that ignore SIGTERM and the end of their connection, and not of daemons
that they started with an empty environment.  With `--workers N` up to N processes play, and some of them are
killed too: the run then goes on by itself.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).parent))

from tournaments import alive, exact

from arena.analysis.tables import COLUMNS
from arena.store import Store

PLAYER = """
import json, os, signal, socket, subprocess, sys, time

skill, habit, mark = sys.argv[1:]
if habit == "sticky":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if habit == "daemon":
    subprocess.Popen(["sleep", "600." + mark], env={}, start_new_session=True, cwd="/",
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

def move(state):
    hand, (face, count) = state["your_hand"], state["last_bid"]
    dice = sum(number for _, number in state["other_hands"])
    if state["other_hands"][0][0] != "yourself":
        return "pass"
    if skill == "rude" and state["move_number"] == 2 and hand[0] % 3 == 0:
        return "pass"
    if skill == "doubter" and count > 1:
        return "challenge"
    if skill == "reckless":
        return [6, dice] if (face, count) != (6, dice) else "challenge"
    if count == 0:
        face = max(set(hand), key=lambda die: (hand.count(die), die))
        return [face, hand.count(face)]
    if count > hand.count(face) + (dice - len(hand)) / 3 or count == dice:
        return "challenge"
    return max(([f, count + (f <= face)] for f in range(1, 7)), key=lambda bid: (hand.count(bid[0]) - bid[1], bid))

with socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"]))) as connection:
    hello = {"name": os.environ.get("ARENA_NAME", "player"), "token": os.environ.get("ARENA_TOKEN")}
    connection.sendall(json.dumps(hello).encode())
    for line in connection.makefile():
        question = json.loads(line)
        answer = {"message_id": question.get("message_id"), "move": move(question)}
        connection.sendall(json.dumps(answer).encode())
while habit == "sticky":
    time.sleep(60)
"""

BOTS = {
    "ann": ("steady", "sticky"),
    "bob": ("doubter", "daemon"),
    "cat": ("rude", "sticky"),
    "dan": ("steady", "plain"),
    "eve": ("reckless", "daemon"),
}
MORE = ("--rule", "dice=2", "--seed", "7", "--move-time", "20s")
PLANS: dict[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "round-robin": ("run", ["ann", "bob", "cat", "dan"], ("--series", "6")),
    "gauntlet": ("run", ["ann", "bob", "cat", "dan"], ("--tournament", "gauntlet", "--series", "10")),
    "swiss": ("run", ["ann", "bob", "cat", "dan"], ("--tournament", "swiss", "--series", "6")),
    "knockout": ("run", ["ann", "bob", "cat", "dan"], ("--tournament", "knockout", "--series", "8")),
    "until": ("run", ["ann", "bob", "eve"], ("--series", "60", "--until", "top 2 at 80%")),
    "compare": ("compare", ["dan", "cat"], ("--elo1", "100", "--max-series", "200")),
}
GONE_S = 10.0
"""Whoever is there so long after the kill stays."""
WORKER_SHARE = 0.5
"""In so many of the runs that are to be killed a worker is killed before."""
RUN_S = 300.0
"""A run that is not over by then hangs."""


@attrs.define
class Told:
    """What came of one format."""

    kills: int = 0
    before_play: int = 0
    """Kills before the first match."""
    past_play: int = 0
    """Kills when all matches were there."""
    tournaments: int = 0
    equal: int = 0
    orphans: int = 0
    workers: int = 0
    """Workers killed."""
    gone_s: float = 0.0
    """The longest time in which all processes were gone."""
    wrong: list[str] = attrs.field(factory=list)


class Arena:
    """Calls of the arena on one plan; its processes are known by a mark in their environment or words."""

    def __init__(self, place: Path, plan: str, sandbox: str) -> None:
        self.place = place
        self.mark = f"{random.SystemRandom().randrange(10**14, 10**15)}"
        command, names, self.more = PLANS[plan]
        player = place / "player.py"
        player.write_text(PLAYER)
        bots = [f"{name}={sys.executable} player.py {' '.join(BOTS[name])} {self.mark}" for name in names]
        self.words = [
            sys.executable,
            "-m",
            "arena.cli",
            command,
            *bots,
            *self.more,
            *MORE,
            "--sandbox",
            sandbox,
        ]

    @contextmanager
    def running(self, folder: str, tables: int, workers: int = 1) -> Iterator[subprocess.Popen[bytes]]:
        with (self.place / f"{folder}.said").open("ab") as said:
            process = subprocess.Popen(
                [
                    *self.words,
                    "--concurrency",
                    str(max(tables, workers)),
                    "--workers",
                    str(workers),
                    "--out",
                    folder,
                ],
                cwd=self.place,
                env={**os.environ, "ARENA_KILLS": self.mark},
                stdout=said,
                stderr=said,
            )
            try:
                yield process
            finally:
                process.kill()
                process.wait()

    def left(self) -> tuple[list[int], float]:
        """The processes that stay, and how long the others took to go; those that stay are ended."""
        began = time.monotonic()
        while (left := alive(self.mark)) and time.monotonic() - began < GONE_S:
            time.sleep(0.02)
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return left, time.monotonic() - began

    def to_the_end(self, folder: str, tables: int, workers: int = 1) -> tuple[int, float]:
        """Plays what is missing: exit code, seconds."""
        began = time.monotonic()
        with self.running(folder, tables, workers) as process:
            return process.wait(RUN_S), time.monotonic() - began

    def matches(self, folder: str) -> int:
        if not (self.place / folder / "arena.db").exists():
            return 0
        with suppress(Exception), Store.open(self.place / folder) as store:
            return store.size()
        return 0


def workers_of(run: int) -> list[int]:
    """The processes of a run's workers."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((place / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
            if parent == run and b"arena.worker" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return sorted(found)


def killed_worker(run: subprocess.Popen[bytes], rng: random.Random) -> bool:
    """Kills one of a run's workers, as soon as it has some; False if it ends before."""
    while not (there := workers_of(run.pid)) and run.poll() is None:
        time.sleep(0.02)
    if there:
        with suppress(OSError):
            os.kill(rng.choice(there), signal.SIGKILL)
    return bool(there)


def result_of(folder: Path) -> dict[str, list]:
    """All that must be equal: exact columns, the capsules that are shown, and what else lies there."""
    faults = sorted(path.name for path in (folder / "faults").glob("*"))
    files = sorted(path.name for path in folder.iterdir() if not path.name.startswith("arena.db"))
    return {**exact(folder, COLUMNS), "faults": faults, "files": files}


def differences(expected: dict[str, list], found: dict[str, list]) -> Iterator[str]:
    for name, rows in expected.items():
        if rows != found[name]:
            more = [row for row in found[name] if row not in rows]
            less = [row for row in rows if row not in found[name]]
            yield f"{name}: {len(rows)} rows, found {len(found[name])}; more {more[:3]}, less {less[:3]}"


def try_plan(plan: str, kills: int, rng: random.Random, told: Told, sandbox: str, workers: int = 1) -> None:
    """Kills and resumes tournaments of this plan, played by up to so many workers, until there were so many kills."""
    with tempfile.TemporaryDirectory(prefix="arena-kills-") as place:
        arena = Arena(Path(place), plan, sandbox)
        expected_code, _ = arena.to_the_end("whole", 1)
        _, took_s = arena.to_the_end("again", 4, workers)
        expected = result_of(Path(place) / "whole")
        whole = arena.matches("whole")
        _note_left(arena, told, "the run in one go")
        while told.kills < kills:
            folder = f"cut-{told.tournaments}"
            wanted = min(kills, told.kills + rng.randint(1, 8))
            there = 0
            while told.kills < wanted:
                wait_s = took_s * rng.uniform(0.05, 1.05) * (1 - 0.7 * there / whole)
                tables, processes = rng.randint(1, 4), rng.randint(1, workers)
                playing = arena.running(folder, tables, processes)
                with playing as process, suppress(subprocess.TimeoutExpired):
                    if processes > 1 and rng.random() < WORKER_SHARE:
                        before_s = wait_s * rng.random()
                        with suppress(subprocess.TimeoutExpired):
                            process.wait(before_s)
                        told.workers += killed_worker(process, rng)
                        wait_s -= before_s
                    process.wait(wait_s)
                    break  # it was over before
                told.kills += 1
                there = arena.matches(folder)
                told.before_play += there == 0
                told.past_play += there >= whole
                _note_left(arena, told, f"{folder} after kill {told.kills}")
                if there >= whole:
                    break  # one kill is enough for what comes after play
            code, _ = arena.to_the_end(folder, rng.randint(1, 4), rng.randint(1, workers))
            _note_left(arena, told, f"{folder} at its end")
            told.tournaments += 1
            found = result_of(Path(place) / folder)
            if (code, found) == (expected_code, expected):
                told.equal += 1
            else:
                said = (Path(place) / f"{folder}.said").read_text(errors="replace")[-2000:]
                differing = "; ".join(differences(expected, found))
                told.wrong.append(
                    f"{plan}, {folder}: exit code {code}, expected {expected_code}; {differing}\n{said}"
                )


def _note_left(arena: Arena, told: Told, when: str) -> None:
    left, took_s = arena.left()
    told.orphans += len(left)
    told.gone_s = max(told.gone_s, took_s)
    if left:
        told.wrong.append(f"{when}: {len(left)} processes stay")


def try_all(
    plans: Sequence[str], kills: int, seed: int, *, sandbox: str = "shield", workers: int = 1, say=print
) -> dict[str, Told]:
    """So many kills, shared among these plans."""
    rng, found = random.Random(seed), {plan: Told() for plan in plans}
    say(f"{'format':12} kills  before play  past play  tournaments  equal  orphans  all gone in")
    for place, (plan, told) in enumerate(found.items()):
        share = kills * (place + 1) // len(plans) - kills * place // len(plans)
        try_plan(plan, share, rng, told, sandbox, workers)
        say(
            f"{plan:12} {told.kills:5}  {told.before_play:11}  {told.past_play:9}  {told.tournaments:11}  "
            f"{told.equal:5}  {told.orphans:7}  {told.gone_s:8.2f} s"
        )
        for wrong in told.wrong:
            say(f"  {wrong}")
    return found


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--kills", type=int, default=100)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--sandbox", default="shield")
    words.add_argument("--workers", type=int, default=1)
    words.add_argument("--formats", default=",".join(PLANS))
    asked = words.parse_args()
    began = time.monotonic()
    plans = asked.formats.split(",")
    found = try_all(
        plans,
        asked.kills,
        asked.seed,
        sandbox=asked.sandbox,
        workers=asked.workers,
        say=partial(print, flush=True),
    )
    kills, workers = (sum(getattr(told, what) for told in found.values()) for what in ("kills", "workers"))
    print(f"{kills} kills, and {workers} of workers, in {time.monotonic() - began:.0f} s")
    return 1 if any(told.wrong for told in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
