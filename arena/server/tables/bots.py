"""House bots at tables: processes in a box, started for a match and ended after it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import trio

from arena.box.box import Box
from arena.box.processes import descendants, give_way
from arena.players.base import GonePlayer, Player
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.process import run_process
from arena.players.start import BotBroken
from arena.refusal import Refusal
from arena.server.http.quotas import Quota
from arena.server.tables.table import Member
from arena.tournament.bots.entrants import bot_at, builtin_bots
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.bots.grants import granted
from arena.tournament.plan import NOTHING
from arena.tournament.sparring import house_bots
from arena.words import counted, listed, without_folders

PROCESSES_MAX = 32
"""House bots that play at once, at all tables."""
PROCESSES_PER_ADDRESS = 16
"""The same at the tables that one address has made; loopback has no such limit."""


@attrs.frozen(eq=False)
class HouseBots:
    """The bots that the server starts when a host, or an empty table, asks for them."""

    _nursery: trio.Nursery
    _box: Box
    _data: Path
    """The server's folder, which no bot may see."""
    _watch: LagWatch | None = None
    _note: Callable[[str], None] = lambda sentence: None
    """Is told which bot could not be started."""
    _note_bug: Callable[[str], None] = lambda traceback_text: None
    _entrants: dict[str, Entrant] = attrs.field(init=False, factory=dict)
    _names: dict[str, tuple[str, ...]] = attrs.field(init=False, factory=dict)

    def names(self, game: str) -> tuple[str, ...]:
        """The bots that can play this game here, the best to play against first: no others are started.

        What must be compiled, and was not when the server was asked first, is left out.
        """
        if game not in self._names:
            ready = (bot for bot in house_bots(game) if not needs_build(self._entrant(bot)))
            self._names[game] = tuple(ready)
        return self._names[game]

    def check(self, bot: str, game: str) -> None:
        """Raises Refusal if there is no such bot for this game."""
        if bot not in (names := self.names(game)):
            raise Refusal(
                "bad_request", f"no house bot of this name plays {game}: choose {listed(names)}", field="bot"
            )

    def _entrant(self, name: str) -> Entrant:
        if name not in self._entrants:
            entrant = bot_at(builtin_bots()[name])
            assert entrant is not None, "the house bots can be found"
            (self._entrants[name],) = granted([entrant], NOTHING, hidden=[self._data])
        return self._entrants[name]

    @asynccontextmanager
    async def seated(self, bot: str, name: str, *, gives_way: bool = False) -> AsyncIterator[Player]:
        """An instance of a bot under a name, until this ends; one that is gone if it cannot be started.

        `gives_way`: it yields to everything else that runs.
        """

        def note_running(guard: int) -> None:
            if gives_way:
                give_way([guard, *descendants(guard)])

        entrant = attrs.evolve(self._entrant(bot), name=name)
        run = partial(
            run_process,
            entrant,
            box=self._box,
            field=(entrant,),
            results=(self._data,),
            log_path=None,
            watch=self._watch,
            note_running=note_running,
            note_sticky=lambda: None,
            note_bug=self._note_bug,
        )
        try:
            player = await self._nursery.start(run)
        except BotBroken as error:
            self._note(f"the house bot {bot} could not be started: {error.reason}")
            yield GonePlayer(name, _for_everybody(error.reason, entrant))
            return
        try:
            yield player
        finally:
            player.close()


class BotPlaces:
    """How many house bots play at once, in all and at the tables that one address has made.

    A match takes all its places in one step: two that had half of what they need would wait for each other
    for ever.  It has asked before it began whether there are enough, so that it hardly ever waits.
    """

    def __init__(self, most: int = PROCESSES_MAX, per_address: int = PROCESSES_PER_ADDRESS) -> None:
        self._playing = Quota(per_address, total=most)
        self._changed = trio.Event()

    def check(self, bots: int, address: str) -> None:
        """Raises Refusal if `bots` more house bots cannot play now."""
        if self._is_short(bots, address):
            raise Refusal(
                "too_many",
                f"{counted(bots, 'more house bot')} cannot play now: begin with fewer, or later",
                key="house_bots",
                seconds=10.0,
            )

    def _is_short(self, bots: int, address: str) -> bool:
        return bots > 0 and self._playing.shortage(address, bots) is not None

    @asynccontextmanager
    async def taken(self, bots: int, address: str) -> AsyncIterator[None]:
        """Places for `bots` house bots until this ends; waits for them if need be."""
        while self._is_short(bots, address):
            await self._changed.wait()
        try:
            with self._playing.counted(address, bots):
                yield
        finally:
            self._changed.set()
            self._changed = trio.Event()


def _for_everybody(reason: str, entrant: Entrant) -> str:
    """The reason without the folders of this machine, which are nobody's business at a table."""
    own = reason if entrant.folder is None else reason.replace(f"{entrant.folder}{os.sep}", "")
    return without_folders(own)


def unstarted(members: Sequence[Member], players: Sequence[Player]) -> dict[Member, str]:
    """The house bots of a match that could not be started, each with the reason."""
    both = zip(members, players, strict=True)
    return {
        member: player.reason
        for member, player in both
        if member.way == "house" and isinstance(player, GonePlayer)
    }


def why_called_off(broken: Mapping[Member, str]) -> str:
    """What people are told when house bots could not be started."""
    told = "; ".join(f"{bot.nickname} could not be started: {reason}" for bot, reason in broken.items())
    return f"the match is called off, as {told}"
