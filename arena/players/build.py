"""Building a bot, in the box that it will run in."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import trio

from arena.box.box import Box
from arena.box.places import Place
from arena.entrants import Entrant, made_since, mark_built, snapshot
from arena.players.log import BotLog
from arena.players.start import BotBroken, settle, start_with_log

BUILD_S_MAX = 600.0


async def build(entrant: Entrant, box: Box, place: Place, log_path: Path) -> Entrant:
    """Builds the bot in its folder and records what that made; gives the entrant as it is now.

    Raises BotBroken if the build fails.
    """
    assert entrant.folder is not None, "what is built has a folder"
    before = snapshot(entrant.folder)
    command = " ".join(entrant.build)
    log = BotLog(log_path)
    try:
        code = await _run_build(entrant, box, attrs.evolve(place, is_writable=True), log)
    finally:
        log.close()
    if code != 0:
        ending = f"took more than {BUILD_S_MAX:g} s" if code is None else f"failed with exit code {code}"
        raise BotBroken(entrant.name, f"its build {ending}: {command}", log.tail())
    return mark_built(entrant, made_since(entrant.folder, before))


async def _run_build(entrant: Entrant, box: Box, place: Place, log: BotLog) -> int | None:
    """The exit code of the build; None if it took too long and was killed."""
    env = dict(os.environ) if box.level != "strict" else None
    broken: BotBroken | None = None
    code: int | None = None
    async with trio.open_nursery() as nursery:
        try:
            running = await start_with_log(
                entrant, box, place, entrant.build, log, nursery, env=env, has_network=entrant.build_network
            )
        except BotBroken as error:
            broken = error  # raised below, where no nursery makes a group of it
        else:
            try:
                with trio.move_on_after(BUILD_S_MAX):
                    await running.ended.wait()
                    code = running.code
            finally:
                with trio.CancelScope(shield=True):
                    await running.kill()
                    await settle()
                log.stop()
                running.close()
    if broken is not None:
        raise broken
    return code
