"""However an arena ends, no process of its bots is left: daemons, deaf ones, and those that turned on their keeper."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from boxes import LANDLOCK, OFF, SHIELD, STRICT, alive, need
from daily import NIGHTLY, crossed

pytestmark = pytest.mark.slow

ARENA = """
import sys, trio
from pathlib import Path
sys.path.insert(0, {tests!r})
from arena.box.box import open_box
from arena.box.places import FileView
from boxes import program

async def main():
    own = Path({own!r})
    place = FileView(folder=own, own=(own,), is_writable={level!r} != "strict")
    async with open_box({level!r}, means={means!r}) as box:
        async with trio.open_nursery() as nursery:
            for act in {acts!r}:
                async def run(act=act):
                    async with program(box, place, *act):
                        await trio.sleep_forever()
                nursery.start_soon(run)

trio.run(main)
"""
# ARENA_TEST_DAEMONS=500 pytest tests/box/test_orphans.py
DAEMONS = int(os.environ.get("ARENA_TEST_DAEMONS", "20"))
GONE_S_MAX = 10.0


def arena(folder: Path, box, *acts) -> subprocess.Popen[bytes]:
    """An arena that runs these programs in a box, until it is ended."""
    level, means = box
    here = str(Path(__file__).parent)
    code = ARENA.format(tests=here, own=str(folder), level=level, means=means, acts=acts)
    return subprocess.Popen([sys.executable, "-c", code])


def wait_for(mark: str, count: int) -> None:
    """Until so many processes carry the mark."""
    ends_at = time.monotonic() + 20 + DAEMONS / 10
    while len(alive(mark)) < count:
        assert time.monotonic() < ends_at, f"{len(alive(mark))} of {count} are there"
        time.sleep(0.05)


def left(mark: str) -> int:
    """How many are there when they have had some seconds to go."""
    ends_at = time.monotonic() + GONE_S_MAX
    while (there := alive(mark)) and time.monotonic() < ends_at:
        time.sleep(0.05)
    for pid in there:
        os.kill(pid, signal.SIGKILL)
    return len(there)


@pytest.mark.parametrize(
    ("box", "number"),
    [
        pytest.param(
            box,
            number,
            id=f"{'-'.join(box)}-{number.name}",
            marks=() if number == signal.SIGKILL or (x + y) % 2 == 0 else NIGHTLY,
        )
        for x, box in enumerate([STRICT, SHIELD, LANDLOCK, OFF])
        for y, number in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
    ],
)
def test_no_daemon_outlives_the_arena(tmp_path, box, number):
    """Sessions of their own, no environment, deaf to SIGTERM; the arena is killed, or dies of a signal."""
    need(box)
    mark = f"600.{secrets.randbits(40)}"
    bots = [("daemons", "20", mark)] * (DAEMONS // 20)
    process = arena(tmp_path, box, *bots, ("ignore", mark))
    try:
        wait_for(mark, DAEMONS + 1)
        process.send_signal(number)
        process.wait(20)
    finally:
        process.kill()
        process.wait()
    assert 0 == left(mark)


@pytest.mark.parametrize(
    ("act", "box"),
    crossed(["stop_parent", "kill_parent"], [("-".join(box), box) for box in (SHIELD, OFF)]),
)
def test_nor_one_that_turned_on_its_guard(tmp_path, box, act):
    """A guard that was stopped is woken by the arena's death; of one that was killed the keeper ends the rest."""
    need(box)
    mark = f"600.{secrets.randbits(40)}"
    process = arena(tmp_path, box, ("daemons", "5", mark), (act, mark))
    try:
        wait_for(mark, 5)
        time.sleep(0.3)
    finally:
        process.kill()
        process.wait()
    assert 0 == left(mark)


@pytest.mark.parametrize(
    "end", [(signal.SIGINT, signal.SIGINT), (signal.SIGKILL,)], ids=["at once", "killed"]
)
def test_a_run_that_is_ended_at_once(tmp_path, end):
    """A second Ctrl-C while deaf bots are given time, or `kill -9`: nobody is left, and no temporary folder."""
    mark = f"600.{secrets.randbits(40)}"
    script = tmp_path / "deaf.py"
    script.write_text(
        "import os, signal, socket, sys, time\n"
        "signal.signal(15, signal.SIG_IGN)\n"
        f"if os.fork() == 0: os.setsid(); os.execve('/bin/sleep', ['sleep', '{mark}'], {{}})\n"
        "s = socket.create_connection((os.environ['ARENA_HOST'], int(os.environ['ARENA_PORT'])))\n"
        's.sendall(b\'{"name": "deaf"}\')\n'
        "time.sleep(600)\n"
    )
    command = [
        sys.executable,
        "-m",
        "arena.cli",
        "run",
        str(script),
        "random",
        "--out",
        str(tmp_path / "out"),
    ]
    (scratch := tmp_path / "scratch").mkdir()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    try:
        wait_for(mark, 1)
        assert any(scratch.glob("arena-*"))
        process.send_signal(end[0])
        for again in end[1:]:  # while the deaf bot is given its time
            assert any(b"ends at once" in line for line in process.stderr)
            process.send_signal(again)
        assert {signal.SIGINT: 130, signal.SIGKILL: -9}[end[0]] == process.wait(20)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert 0 == left(mark)
    ends_at = time.monotonic() + GONE_S_MAX
    while any(scratch.glob("arena-*")) and time.monotonic() < ends_at:
        time.sleep(0.05)
    assert [] == list(scratch.glob("arena-*"))
