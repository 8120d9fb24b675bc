"""Workers as real processes, and as a part of runs to which bots connect."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import trio
from crews import enlisting, play_with
from tournaments import Doubter, Record, Steady, exact, faults, honest_move, local, play, program, rows

from arena.analysis.tables import COLUMNS
from arena.reading.units import Address

CHATTY = """
import os, sys
from arena.sdk import Bot
from tournaments import honest_move

print("imported")

class Chatty(Bot):
    def move(self, state, options):
        print("my move")
        os.write(1, b"\\xff\\xff\\xff\\xff")
        assert sys.stdin.read() == "", "there is nothing to be read"
        return honest_move(state)
"""


def arena(folder, *words):
    """A run in a process of its own: exit code, standard output, standard error."""
    ended = subprocess.run(
        [sys.executable, "-m", "arena", "run", "a=chatty:Chatty", "b=chatty:Chatty", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(os.path.dirname(__file__))])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow
def test_what_bots_print_never_gets_onto_the_pipe(tmp_path):
    """Nor is it read from there: in a worker, standard output is standard error, and standard input is empty."""
    (tmp_path / "chatty.py").write_text(CHATTY)
    words = ("--series", "4", "--seed", "7", "--rule", "dice=2", "--quiet", "--json")
    code, out, said = arena(tmp_path, *words, "--out", "two", "--workers", "2")
    assert code == 0, said
    assert {"a", "b"} == {
        row["bot"] for row in json.loads(out.removeprefix("imported\n"))
    }  # tried in the run
    assert 8 <= said.count("my move")
    assert 2 == json.loads((tmp_path / "two" / "run.json").read_text())["workers"]
    assert {"a": {}, "b": {}} == faults(tmp_path / "two")
    code, _, said = arena(tmp_path, *words, "--out", "one")
    assert code == 0, said
    assert exact(tmp_path / "one", COLUMNS) == exact(tmp_path / "two", COLUMNS)


class Called(Record):
    """Has a plain bot connect as soon as the run waits for one."""

    def __init__(self, nursery):
        super().__init__()
        self.nursery = nursery

    def waiting(self, address, missing):
        if not self.waits:
            self.nursery.start_soon(self.connect, int(address.rpartition(":")[2]))
        super().waiting(address, missing)

    async def connect(self, port):
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(b'{"name": "guest"}')
            while chunk := await stream.receive_some(65536):
                question = json.loads(chunk)
                answer = {"message_id": question["message_id"], "move": honest_move(question)}
                await stream.send_all(json.dumps(answer).encode())


@pytest.mark.slow
async def test_bots_that_connect_play_in_the_run_itself(tmp_path):
    """The others meet in workers meanwhile, and nobody waits for the other half."""
    field = (local("ann", Steady), local("bob", Doubter), program("cat", "-c", PROGRAM, instances_max=1))
    log = []
    plan = {"expect": 1, "listen": Address("127.0.0.1", 0), "series": 3, "seed": 1 << 100}
    async with trio.open_nursery() as nursery:
        reporter = Called(nursery)
        await play_with(tmp_path, entrants=field, reporter=reporter, enlist=enlisting(log=log), **plan)
    assert 2 == len(log)
    assert {"ann": {}, "bob": {}, "cat": {}, "guest": {}} == faults(tmp_path)
    assert 36 == len(rows(tmp_path, "matches")) == len(reporter.entries)


PROGRAM = """
from honest import *
for question, _ in questions():
    answer(question, move(question))
"""


@pytest.mark.slow
async def test_programs_of_workers_keep_the_limits_of_the_run(tmp_path):
    """One with a single instance plays in one worker alone, one that is started for each match is in both alike."""
    field = (
        program("ann", "-c", PROGRAM, instances_max=1),
        program("bob", "-c", PROGRAM, restart="match"),
        program("cat", "-c", PROGRAM, instances_max=3),
    )
    plan = {"series": 2, "sandbox": "off"}
    await play(tmp_path / "one", field, **plan)
    summary, _ = await play_with(tmp_path / "two", entrants=field, **plan)
    assert exact(tmp_path / "one") == exact(tmp_path / "two")
    assert 12 == summary.played
    logs = sorted(path.name for path in (tmp_path / "two" / "logs").glob("*.log"))
    assert 8 + 1 == sum(name.startswith("bob-") for name in logs)  # and once it was tried
    assert {0, 1} == {int(name[4:-4]) % 2 for name in logs if name.startswith("bob-")}
