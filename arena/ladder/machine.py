"""What a bot of a league finds on the machine: interpreters, compilers and libraries, with their versions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import trio

from arena.box.box import Box, Job
from arena.box.environment import inherited
from arena.box.places import FileView
from arena.ladder.messages import MachineSaid

PROGRAMS = (
    "python3",
    "node",
    "g++",
    "gcc",
    "clang",
    "make",
    "cmake",
    "go",
    "java",
    "javac",
    "cargo",
    "rustc",
)
"""Interpreters and compilers that are asked for their versions."""
ASKED_S = 20.0
"""How long all of them may take."""
LINE_MAX = 120
_PROGRAMS = f"""\
for name in {" ".join(PROGRAMS)}; do
  command -v "$name" > /dev/null || continue
  echo "$name: $({{ "$name" --version || "$name" version; }} 2> /dev/null | head -n 1)"
done"""
_LIBRARIES = """\
from importlib.metadata import distributions
print(*sorted({f"{found.metadata['Name']} {found.version}" for found in distributions()}), sep="\\n")"""


class MachineLooks:
    """Looks round in the box of a league, and says what is there, whenever somebody asks."""

    def __init__(self) -> None:
        self._asked = trio.Event()

    def ask(self) -> None:
        """Has it looked round soon."""
        self._asked.set()

    async def run(self, box: Box, say: Callable[[MachineSaid], None]) -> None:
        """Answers until it is cancelled."""
        while True:
            await self._asked.wait()
            self._asked = trio.Event()
            say(await found_by_bots(box))


async def found_by_bots(box: Box) -> MachineSaid:
    """What a program finds in the box in which bots play."""
    with tempfile.TemporaryDirectory(dir=_without_links()) as made:
        folder = Path(made)
        async with trio.open_nursery() as nursery:

            async def lines(*words: str) -> tuple[str, ...]:
                place = FileView(folder=folder, own=(folder,))
                job = Job(argv=words, env=inherited(), place=place)
                return tuple(_whole(await box.printed_by(job, nursery, limit_s=ASKED_S)))

            said = MachineSaid(await lines("sh", "-c", _PROGRAMS), await lines("python3", "-c", _LIBRARIES))
            nursery.cancel_scope.cancel()
    return said


def _without_links() -> str:
    """The folder for temporary files, as a box takes it."""
    return os.path.realpath(tempfile.gettempdir())


def _whole(text: str) -> Iterator[str]:
    """The lines that came completely; of what is printed a box keeps the first 4 KB."""
    for line in text.split("\n")[:-1]:
        yield line[:LINE_MAX].strip()
