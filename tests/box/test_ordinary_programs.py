"""What ordinary programs use works in every box: shared memory and semaphores."""

from __future__ import annotations

import secrets
import shutil
import sys
from multiprocessing import shared_memory
from pathlib import Path

import pytest
import trio
from boxes import LANDLOCK, SHIELD, STRICT, by_means_or_none, need, program

from arena.box.box import open_box
from arena.box.places import FileView

pytestmark = pytest.mark.slow


@pytest.fixture
def own():
    """A bot's folder; not in /tmp, where each box has one of its own."""
    top = Path(__file__).resolve().parents[2] / ".arena" / f"ordinary-{secrets.token_hex(4)}"
    top.mkdir(parents=True)
    yield top
    shutil.rmtree(top)


async def said(box: tuple[str, str], own: Path, code: str) -> str:
    """The first line that this Python program prints in the box."""
    need(box)
    level, means = box
    (own / "bot.py").write_text(code)
    place = FileView(folder=own, own=(own,))
    with trio.fail_after(30):
        async with (
            open_box(level, means=means) as opened,
            program(opened, place, sys.executable, "bot.py") as started,
        ):
            return started.text.partition("\n")[0]


WORKERS = """
from multiprocessing import Lock, Pool, shared_memory
def put(name):
    block = shared_memory.SharedMemory(name)
    block.buf[0] += 1
    block.close()
if __name__ == "__main__":
    with Lock(), Pool(2) as pool:
        block = shared_memory.SharedMemory(create=True, size=8)
        pool.map(put, [block.name])
        print("shared", block.buf[0], flush=True)
        block.close()
        block.unlink()
"""


@by_means_or_none
async def test_a_bot_shares_memory_and_semaphores_with_its_own_processes(own, box):
    """Python's multiprocessing needs /dev/shm for both."""
    assert "shared 1" == await said(box, own, WORKERS)


STRANGER = """
import os
for name, act in (
    ("list", lambda: os.listdir("/dev/shm")),
    ("open", lambda: open("/dev/shm/{name}", "rb")),
    ("folder", lambda: os.mkdir("/dev/shm/{name}-folder")),
    ("link", lambda: os.symlink("/etc/passwd", "/dev/shm/{name}-link")),
):
    try:
        act()
    except OSError:
        continue
    print(name, end=" ")
print("done", flush=True)
"""


@pytest.mark.parametrize(
    ("box", "expected"),
    [(STRICT, "list folder link done"), (SHIELD, "list folder link done"), (LANDLOCK, "open done")],
)
async def test_whose_shared_memory_a_bot_sees(own, box, expected):
    """Its own where it has a /dev/shm of its own; under Landlock any of this user, but only by name."""
    block = shared_memory.SharedMemory(create=True, size=8)
    try:
        assert expected == await said(box, own, STRANGER.format(name=block.name))
    finally:
        block.close()
        block.unlink()


LOOKS = """
import os, subprocess, sys
def sees(name, act):
    try:
        act()
    except (OSError, subprocess.CalledProcessError):
        return
    print(name, end=" ")
sees("top", lambda: os.listdir("/"))
sees("self", lambda: open("/proc/self/status").close())
child = [sys.executable, "-c", "open('/proc/self/status').close()"]
sees("child", lambda: subprocess.run(child, stderr=subprocess.DEVNULL, check=True))
print("done", flush=True)
"""


@pytest.mark.parametrize(
    ("box", "expected"),
    [(STRICT, "top self child done"), (SHIELD, "top self child done"), (LANDLOCK, "self done")],
)
async def test_what_a_bot_sees_of_the_system(own, box, expected):
    """Landlock's rules are made before the bot starts, for folders with all that is below them.

    A process that the bot starts has no rule for its own /proc, and one for `/` would show everything.
    """
    assert expected == await said(box, own, LOOKS)
