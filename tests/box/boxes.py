"""Boxes for tests, and programs in them."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path

import attrs
import pytest
import trio

from arena.box.box import Job, open_box
from arena.box.places import FileView
from arena.errors import ConfigError

HOSTILE = Path(__file__).with_name("hostile.py")
BAD = Path(__file__).parents[2] / "bots" / "misbehaving"
STRICT, SHIELD, LANDLOCK, OFF = (
    ("strict", "bubblewrap"),
    ("shield", "bubblewrap"),
    ("shield", "landlock"),
    ("off", "limits"),
)
_AT_NIGHT = pytest.param(SHIELD, marks=pytest.mark.nightly)
"""Its means, bubblewrap, is that of the strict box."""
by_means = pytest.mark.parametrize("box", [STRICT, _AT_NIGHT, LANDLOCK], ids="-".join)
by_means_or_none = pytest.mark.parametrize("box", [STRICT, _AT_NIGHT, LANDLOCK, OFF], ids="-".join)

TRIES = f"""
import os, sys
sys.path.insert(0, {str(HOSTILE.parent)!r})
import hostile
def tries(*acts):
    for act, *words in acts:
        try:
            getattr(hostile, act)(*words)
        except (OSError, AssertionError):
            print("held", act, flush=True)
        else:
            print("escaped", act, flush=True)
"""
"""Defines `tries`, for programs of bots that have acts of `hostile.py` to try."""
PLAYS = f"""
sys.path.insert(0, {str(BAD)!r})
from honest import *
print("plays", flush=True)
for question, _ in questions(): answer(question, move(question))
"""
"""How such a program goes on: as an honest bot."""


@lru_cache
def holds(level: str, means: str) -> str:
    """Why this box is not to be had on this machine; empty if it is."""
    said: list[str] = []

    async def attempt():
        from arena.box import box as rooms

        old = rooms._means
        rooms._means = lambda level: (means,)
        try:
            async with open_box(level, say=said.append) as box:
                assert box.means == means, said
        finally:
            rooms._means = old

    try:
        if level != "off":
            with ThreadPoolExecutor(1) as apart:  # the test has a loop of its own
                apart.submit(trio.run, attempt).result()
    except (ConfigError, AssertionError) as error:
        return f"not tried: {level} by {means}: {error}"
    return ""


def need(box: tuple[str, str]) -> None:
    """Skips the test where there is no such box, and says so."""
    if box[1] == "bubblewrap":
        import needs  # here: programs that tests start import this module too, without the tests' own folder

        needs.need("bubblewrap")
    if reason := holds(*box):
        pytest.skip(reason)


@attrs.define
class Said:
    """A program in a box, and what it printed."""

    running: object
    text: str = ""


@asynccontextmanager
async def program(box, place: FileView, *words: str, env=(), **more):
    """Runs a program in the box, by default a hostile one; gives what it said first, and ends it afterwards."""
    argv = words if words[0].startswith("/") else (sys.executable, str(HOSTILE), *words)
    place = attrs.evolve(place, read=(*place.read, HOSTILE))
    read_fd, write_fd = os.pipe()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.set_blocking(read_fd, False)
    async with trio.open_nursery() as nursery:
        try:
            job = Job(argv=argv, env={"PATH": os.environ["PATH"], **dict(env)}, place=place, **more)
            running = await box.start(job, (nowhere, write_fd, write_fd), nursery)
        finally:
            os.close(write_fd)
            os.close(nowhere)
        said = Said(running)
        try:
            with trio.move_on_after(15):
                while "\n" not in said.text:
                    is_over, heard = running.ended.is_set(), ""  # and then all it said is in the pipe
                    with trio.move_on_after(0.05):
                        await trio.lowlevel.wait_readable(read_fd)
                        heard = os.read(read_fd, 4096).decode()
                    said.text += heard
                    if is_over and not heard:
                        break
            yield said
        finally:
            with trio.CancelScope(shield=True):
                await running.kill()
            running.close()
            trio.lowlevel.notify_closing(read_fd)
            os.close(read_fd)


def alive(word: str) -> list[int]:
    """The processes with this word in their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (place / "cmdline").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found
