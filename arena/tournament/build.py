"""Building a bot, in the box that it will run in."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import attrs
import trio

from arena.box.box import Box, Running
from arena.box.places import FileView
from arena.errors import ConfigError
from arena.players.crash import error_in_build, last_line
from arena.players.entrant import Entrant
from arena.players.log import BotLog
from arena.players.start import BotBroken, ending, environment, settle, start_with_log
from arena.tournament.fingerprints import made_since, mark_built, snapshot

BUILD_S_MAX = 600.0
NO_ROOM = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT))
"""What compilers print where a disk is full; afterwards it is not, as they remove what they have written."""
IN_ENGLISH = {"LANGUAGE": "en"}
"""Has programs of the GNU kind print what `NO_ROOM` and `arena.players.crash` know, wherever they run."""


async def build(entrant: Entrant, box: Box, place: FileView, log_path: Path) -> Entrant:
    """Builds the bot in its folder and records what the build made; gives the entrant as it is now.

    Raises BotBroken if the build fails, or leaves more files than a bot's folder may have.
    """
    assert entrant.folder is not None, "what is built has a folder"
    before = snapshot(entrant.folder)
    command = " ".join(entrant.build)
    log = BotLog(log_path)
    try:
        failure = await _run_build(entrant, box, attrs.evolve(place, is_writable=True), log)
    finally:
        log.close()
    if failure:
        full, error = _disk_full(entrant.folder, log.kept())
        error = error or error_in_build(log.kept())
        reason = f"its build {failure}{full}: {command}" + (f": {error}" if error else "")
        raise BotBroken(entrant.name, reason, log.tail(), log_path)
    try:
        return mark_built(entrant, made_since(entrant.folder, before))
    except ConfigError as error:  # so that --leave-out-broken can play without this bot
        raise BotBroken(entrant.name, f"after its build: {error}", log.tail(), log_path) from None


async def _run_build(entrant: Entrant, box: Box, place: FileView, log: BotLog) -> str:
    """Runs the build and ends everything it started; gives what went wrong, or nothing.  Raises BotBroken."""
    given = environment(entrant.name, "") if box.level == "strict" else os.environ
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


def _disk_full(folder: Path, printed: str) -> tuple[str, str]:
    """That a build has found no room, and where, with the line that says so; empty if none does."""
    found = next((line for line in printed.splitlines() if any(said in line for said in NO_ROOM)), "")
    if not found:
        return "", ""
    temporary = tempfile.gettempdir()
    where = temporary if f"{temporary}/" in found else folder
    return f", as the disk is full (make room for {where})", last_line(found)


def _failure(running: Running) -> str:
    """What went wrong with a build that has ended, or nothing."""
    if running.excess:
        return running.excess
    if running.code is None:
        return "ended without an exit code"
    if running.code < 0:
        return ending(running.code)
    return f"failed with exit code {running.code}" if running.code else ""
