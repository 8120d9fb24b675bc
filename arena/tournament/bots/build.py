"""Builds a bot in a copy of its folder, in the box that it will run in."""

from __future__ import annotations

import errno
import os
import re
import tempfile
from functools import partial
from pathlib import Path

import attrs
import trio

from arena.box.box import Box, Running
from arena.box.packages import how_to_have
from arena.box.places import FileView
from arena.box.scratch import remove_folder
from arena.players.crash import error_in_build, last_line
from arena.players.entrant import Entrant
from arena.players.folders import FILES, build_folder
from arena.players.log import BotLog
from arena.players.start import (
    BotBroken,
    BuildFailed,
    CannotStart,
    ending,
    environment,
    settle,
    start_with_log,
)
from arena.tournament.bots.copies import alone_in, copy_anew, note_built
from arena.tournament.bots.fingerprints import is_built

BUILD_S_MAX = 600.0
NO_ROOM = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT))
"""What compilers print when a disk is full; afterwards it is not, as they remove what they have written."""
NOT_FOUND = "failed with exit code 127"
"""How a build fails if its shell does not find a program; the shell then says `sh: 1: cargo: not found`."""
_NOT_FOUND = re.compile(r": ([\w+.-]+): (?:command )?not found$")
IN_ENGLISH = {"LANGUAGE": "en"}
"""Has programs of the GNU kind print what `NO_ROOM` and `arena.players.crash` know, wherever they run."""


async def build(entrant: Entrant, box: Box, place: FileView, log_path: Path) -> Entrant:
    """Builds the bot in a copy of its folder, in which it will run; returns the entrant.

    Raises BotBroken if its folder cannot be copied, or the build fails.
    """
    assert entrant.folder is not None, "what is built has a folder"
    folder = build_folder(entrant)
    copy = partial(copy_anew, entrant.folder.resolve(), folder, place.hidden)
    try:
        async with alone_in(folder):
            if not is_built(folder):  # another run may have built it meanwhile
                await trio.to_thread.run_sync(copy)
                try:
                    await _build_copy(entrant, box, place, log_path)
                except BotBroken:
                    remove_folder(folder / FILES)
                    raise
                note_built(folder)
    except OSError as error:
        where = error.filename or folder
        raise BotBroken(entrant.name, f"cannot be built in {where}: {error.strerror or error}") from None
    return entrant


async def _build_copy(entrant: Entrant, box: Box, place: FileView, log_path: Path) -> None:
    """Runs the build in the copy.  Raises BotBroken if it fails."""
    command = " ".join(entrant.build)
    log = BotLog(log_path)
    try:
        failure = await _run_build(entrant, box, attrs.evolve(place, is_writable=True), log)
    finally:
        log.close()
    if failure:
        full, error = _disk_full(build_folder(entrant) / FILES, log.kept())
        missing = _missing_program(failure, log.kept())
        error = error or error_in_build(log.kept()) or (last_line(log.kept()) if missing else "")
        reason = f"its build {failure}{full}: {command}" + (f": {error}" if error else "")
        if missing:
            raise CannotStart(entrant.name, reason, how_to_have(missing), log.tail(), log_path)
        broken = BuildFailed(entrant.name, reason, log.tail(), log_path)
        broken.is_boxed = box.means != "limits"
        raise broken


async def _run_build(entrant: Entrant, box: Box, place: FileView, log: BotLog) -> str:
    """Runs the build, ends all that it started; returns what went wrong, if anything.  Raises BotBroken."""
    given = os.environ if box.level == "off" else environment(entrant.name, "")
    broken: BotBroken | None = None
    failure = ""
    async with trio.open_nursery() as nursery:
        try:
            running = await start_with_log(
                entrant,
                box,
                place,
                entrant.build,
                log,
                nursery,
                env={**given, **IN_ENGLISH},
                has_network=entrant.build_network,
            )
        except BotBroken as error:
            broken = error  # raised below: here the nursery would wrap it in a group
        else:
            try:
                with trio.move_on_after(BUILD_S_MAX) as time:
                    await running.ended.wait()
                failure = f"took more than {BUILD_S_MAX:g} s" if time.cancelled_caught else _failure(running)
            finally:
                with trio.CancelScope(shield=True):
                    await running.kill()
                    await settle()
                log.stop()
                running.close()
    if broken is not None:
        raise broken
    return failure


def _missing_program(failure: str, printed: str) -> str:
    """The program that the shell of a build did not find; empty if that is not why it failed."""
    found = _NOT_FOUND.search(last_line(printed)) if failure == NOT_FOUND else None
    return found[1] if found else ""


def _disk_full(folder: Path, printed: str) -> tuple[str, str]:
    """A clause about where a build found no room, and the line that says so; both empty if none does."""
    line = next((line for line in printed.splitlines() if any(text in line for text in NO_ROOM)), "")
    if not line:
        return "", ""
    temporary = tempfile.gettempdir()
    where = temporary if f"{temporary}/" in line else folder
    return f", as the disk is full (make room for {where})", last_line(line)


def _failure(running: Running) -> str:
    """What went wrong with a build that has ended, or nothing."""
    if running.excess:
        return running.excess
    if running.code is None:
        return "ended without an exit code"
    if running.code < 0:
        return ending(running.code)
    return f"failed with exit code {running.code}" if running.code else ""
