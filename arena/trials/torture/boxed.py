"""Runs a program in a box for the first line that it prints."""

from __future__ import annotations

from collections.abc import Sequence

import trio

from arena.box.box import Box, Job
from arena.box.environment import inherited
from arena.box.places import FileView

LIMIT_S = 30.0
"""How long a program may take to print a line before it is ended."""


async def first_line(box: Box, place: FileView, words: Sequence[str]) -> str:
    """The first line that a program prints; empty if it ends, or its time does, before that."""
    job = Job(argv=tuple(words), env=inherited(), place=place)
    async with trio.open_nursery() as nursery:
        said = await box.printed_by(job, nursery, limit_s=LIMIT_S, first_line_only=True)
    return said.partition("\n")[0].strip()
