"""Runs a program in a box for the first line that it prints."""

from __future__ import annotations

import os
from collections.abc import Sequence

import trio

from arena.box.box import Box, CannotRun, Job
from arena.box.environment import inherited
from arena.box.places import FileView

LIMIT_S = 30.0
"""How long a program may take to print a line before it is ended."""
_LINE_BYTES_MAX = 4096


async def first_line(box: Box, place: FileView, words: Sequence[str]) -> str:
    """The first line that a program prints; empty if it ends, or its time does, before that."""
    read_fd, write_fd = os.pipe()
    nowhere = os.open(os.devnull, os.O_RDWR)
    said = b""
    async with trio.open_nursery() as nursery:
        try:
            job = Job(argv=tuple(words), env=inherited(), place=place)
            running = await box.start(job, (nowhere, write_fd, write_fd), nursery)
        except CannotRun as error:
            os.close(read_fd)
            return str(error)
        finally:
            os.close(nowhere)
            os.close(write_fd)
        try:
            with trio.move_on_after(LIMIT_S):
                while b"\n" not in said and len(said) < _LINE_BYTES_MAX:
                    await trio.lowlevel.wait_readable(read_fd)
                    more = os.read(read_fd, _LINE_BYTES_MAX)
                    if not more:
                        break
                    said += more
        finally:
            os.close(read_fd)
            with trio.CancelScope(shield=True):
                await running.kill()
            running.close()
    return said.decode("utf-8", "replace").partition("\n")[0].strip()
