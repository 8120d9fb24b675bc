"""Where instances of a checked bot come from, and how they end: a process in a box, or an object here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import trio

from arena.box.box import Box
from arena.box.processes import descendants, memory_bytes
from arena.check.findings import Ending, Printed, Way
from arena.players.base import Player
from arena.players.crash import exception_in
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.local import LocalPlayer, load_bot
from arena.players.process import GRACE_S, ProcessPlayer, run_process

STRAY = "arena: printed to stdout"
"""How the log tells of what came over standard output and was no answer."""


class BotHost(Protocol):
    """Starts and ends the instances of one bot."""

    way: Way

    async def start(self) -> Player:
        """A new instance.  Raises BotBroken."""

    async def end(self, player: Player) -> Ending | None:
        """Tells it to end, and says how it did; None where there is nothing to end."""

    def memory_bytes(self, player: Player) -> int | None:
        """How much memory it holds with all its children; None where nobody can tell."""

    def printed(self, player: Player) -> Printed:
        """What it has printed so far."""


class ProcessHost:
    """Instances that are processes in a box, as in a run."""

    def __init__(
        self,
        entrant: Entrant,
        box: Box,
        nursery: trio.Nursery,
        watch: LagWatch,
        note_bug: Callable[[str], None],
    ) -> None:
        self.way: Way = entrant.transport
        self._entrant = entrant
        self._box = box
        self._nursery = nursery
        self._watch = watch
        self._note_bug = note_bug
        self._sticky = 0

    async def start(self) -> ProcessPlayer:
        run = partial(
            run_process,
            self._entrant,
            box=self._box,
            log_path=None,
            watch=self._watch,
            note_sticky=self._note_sticky,
            note_bug=self._note_bug,
        )
        player: ProcessPlayer = await self._nursery.start(run)
        return player

    def _note_sticky(self) -> None:
        self._sticky += 1

    async def end(self, player: Player) -> Ending | None:
        assert isinstance(player, ProcessPlayer)
        was_sticky = self._sticky
        player.log.mark()
        began_at = trio.current_time()
        player.close()
        await player.ended.wait()
        took_s = trio.current_time() - began_at
        exception = exception_in(player.log.since_mark())
        if self._sticky > was_sticky:
            return Ending(took_s=took_s, by="SIGKILL", exception=exception)
        return Ending(took_s=took_s, by="itself" if took_s < GRACE_S else "SIGTERM", exception=exception)

    def memory_bytes(self, player: Player) -> int | None:
        assert isinstance(player, ProcessPlayer)
        return memory_bytes(descendants(player.guard)) or None

    def printed(self, player: Player) -> Printed:
        assert isinstance(player, ProcessPlayer)
        log = player.log
        lines = log.kept().splitlines()
        stray = sum(line.startswith(STRAY) for line in lines)
        said = [line for line in lines if line.strip() and not line.startswith(STRAY)]
        return Printed(octets=log.total, stray=stray, last=said[-1] if said else "")


class LocalHost:
    """Instances that are objects of a class in this process."""

    way: Way = "local"

    def __init__(self, entrant: Entrant) -> None:
        self._entrant = entrant

    async def start(self) -> LocalPlayer:
        return LocalPlayer(self._entrant.name, load_bot(self._entrant))

    async def end(self, player: Player) -> Ending | None:
        return None

    def memory_bytes(self, player: Player) -> int | None:
        return None

    def printed(self, player: Player) -> Printed:
        return Printed()
