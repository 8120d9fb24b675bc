"""The instances of all bots: started when needed, used again for later matches, ended when there are too many.

An instance that has played rotation r of series with shared deals only ever
plays rotation r: one that remembered the first rotation would know its
opponents' cards in the second.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from arena.entrants import Entrant
from arena.players.base import GonePlayer, Player
from arena.players.lag import LagWatch
from arena.players.process import BotBroken, ProcessPlayer, run_process
from arena.players.stream import StreamPlayer
from arena.players.tcp import Lobby
from arena.schedule import Pairing

TRIED_AT_ONCE = 4
"""Bots started at the same time when all are tried; more would only get into each other's way."""


@attrs.define(eq=False)
class Instance:
    """One player of one bot, and what it may be used for."""

    player: Player
    bot: str
    rotation: int | None = None
    """The only rotation it may play; None: it has played none yet, or any will do."""
    series: str | None = None
    """The series it plays, where the bot wants a fresh start for every one."""
    is_busy: bool = False

    @property
    def is_process(self) -> bool:
        return isinstance(self.player, ProcessPlayer)


class Pool:
    """Who can be seated, and the seating."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        nursery: trio.Nursery,
        *,
        processes_max: int,
        shares_deals: bool,
        margin_s: Mapping[str, float],
        name_wait_s: float = 1.0,
        reconnect_s: float = 10.0,
        logs: Path | None = None,
        watch: LagWatch | None = None,
        lobby: Lobby | None = None,
    ) -> None:
        self.entrants = {entrant.name: entrant for entrant in entrants}
        self._nursery = nursery
        self._processes_max = processes_max
        self._shares_deals = shares_deals
        self._margin_s = margin_s
        self._name_wait_s = name_wait_s
        self._reconnect_s = reconnect_s
        self._logs = logs
        self._watch = watch
        self._lobby = lobby
        self._instances: list[Instance] = []
        self._processes = 0
        self._room = trio.Condition()
        self._started: dict[str, int] = {}
        self._busy: dict[str, int] = {}

    async def try_all(self, leave_out: Collection[str] = ()) -> list[BotBroken]:
        """Starts one instance of every bot that we start; gives those that are broken, in the entrants' order."""
        broken: dict[str, BotBroken] = {}
        turn = trio.CapacityLimiter(min(TRIED_AT_ONCE, self._processes_max))

        async def attempt(entrant: Entrant) -> None:
            async with turn:
                await self._make_room(entrant.name)
                try:
                    instance = await self._start(entrant)
                except BotBroken as error:
                    broken[entrant.name] = error
                else:
                    self._instances.append(instance)

        async with trio.open_nursery() as nursery:
            for entrant in self.entrants.values():
                if entrant.kind in ("process", "local") and entrant.name not in leave_out:
                    nursery.start_soon(attempt, entrant)
        return [broken[name] for name in self.entrants if name in broken]

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether every bot of the match has an instance to spare, or can get one."""
        return all(bot in without or self._capacity(bot) > self._busy.get(bot, 0) for bot in pairing.bots)

    def _capacity(self, bot: str) -> float:
        entrant = self.entrants.get(bot)
        if entrant is not None and entrant.kind == "process":
            return entrant.instances_max or float("inf")
        if entrant is not None and entrant.kind == "local":
            return float("inf")
        return len(self._connected(bot))

    def _connected(self, bot: str) -> list[StreamPlayer]:
        return [] if self._lobby is None else self._lobby.players.get(bot, [])

    def reserve(self, pairing: Pairing, without: frozenset[str]) -> None:
        """Counts the match's bots as busy, so that `can_seat` knows before `seat` is done."""
        for bot in set(pairing.bots) - without:
            self._busy[bot] = self._busy.get(bot, 0) + 1

    async def seat(self, pairing: Pairing, without: frozenset[str]) -> list[Instance | None]:
        """An instance for every seat of a reserved match; None for bots that do not play."""
        seated: list[Instance | None] = [None] * len(pairing.bots)

        async def take(seat: int, bot: str) -> None:
            seated[seat] = await self._take(bot, pairing)

        async with trio.open_nursery() as nursery:
            for seat, bot in enumerate(pairing.bots):
                if bot not in without:
                    nursery.start_soon(take, seat, bot)
        return seated

    async def _take(self, bot: str, pairing: Pairing) -> Instance:
        entrant = self.entrants.get(bot)
        if entrant is None or entrant.kind not in ("process", "local"):
            return self._take_connected(bot)
        rotation = pairing.rotation if self._shares_deals else None
        series = pairing.series if entrant.restart == "series" else None
        idle = [i for i in self._instances if i.bot == bot and not i.is_busy and not i.player.is_gone]
        fitting = [i for i in idle if i.rotation in (None, rotation) and i.series in (None, series)]
        instance = max(fitting, key=lambda i: i.rotation is not None, default=None)
        if instance is None:
            await self._make_room(bot)
            try:
                instance = await self._start(entrant)
            except BotBroken as error:
                instance = Instance(GonePlayer(bot, error.reason), bot)
            self._instances.append(instance)
        instance.is_busy, instance.rotation, instance.series = True, rotation, series
        return instance

    def _take_connected(self, bot: str) -> Instance:
        taken = {id(i.player) for i in self._instances if i.bot == bot}
        free = [player for player in self._connected(bot) if id(player) not in taken]
        player: Player = max(free, key=lambda p: p.is_connected)
        instance = Instance(player, bot, is_busy=True)
        self._instances.append(instance)
        return instance

    async def _make_room(self, bot: str) -> None:
        """Ends idle instances until a process of this bot may be started."""
        entrant = self.entrants[bot]
        if entrant.kind != "process":
            return
        while True:
            own = [i for i in self._instances if i.bot == bot and i.is_process]
            if entrant.instances_max is not None and len(own) >= entrant.instances_max:
                victims = [i for i in own if not i.is_busy]
            elif self._processes >= self._processes_max:
                victims = [i for i in self._instances if i.is_process and not i.is_busy]
            else:
                self._processes += 1
                return
            if victims:
                await self._end(victims[0])  # the list is in order of last use
            else:
                async with self._room:
                    await self._room.wait()

    async def _start(self, entrant: Entrant) -> Instance:
        """Starts an instance; a process has its place counted already, and gives it back if it is broken."""
        if entrant.kind == "local":
            from arena.players.local import LocalPlayer

            return Instance(LocalPlayer(entrant.name, load_bot(entrant)), entrant.name)
        number = self._started[entrant.name] = self._started.get(entrant.name, 0) + 1
        log_path = None if self._logs is None else self._logs / f"{file_name(entrant.name)}-{number}.log"

        async def run(task_status: trio.TaskStatus[ProcessPlayer]) -> None:
            try:
                await run_process(
                    entrant,
                    log_path=log_path,
                    margin_s=self._margin_s.get(entrant.name, 0.0),
                    name_wait_s=self._name_wait_s,
                    reconnect_s=self._reconnect_s,
                    watch=self._watch,
                    task_status=task_status,
                )
            finally:
                self._processes -= 1

        player: ProcessPlayer = await self._nursery.start(run)
        return Instance(player, entrant.name)

    async def _end(self, instance: Instance) -> None:
        self._instances.remove(instance)
        if isinstance(instance.player, ProcessPlayer):
            instance.player.close()
            await instance.player.ended.wait()
            await trio.lowlevel.checkpoint()  # its task gives its place back in the step after
        async with self._room:
            self._room.notify_all()

    async def release(self, seated: Sequence[Instance | None]) -> None:
        """The match is over: its instances are free for the next one, those that are gone are put away."""
        for instance in seated:
            if instance is None:
                continue
            self._busy[instance.bot] -= 1
            instance.is_busy = False
            self._instances.remove(instance)
            entrant = self.entrants.get(instance.bot)
            if isinstance(instance.player, StreamPlayer) and not instance.is_process:
                continue
            self._instances.append(instance)
            if instance.player.is_gone or (entrant is not None and entrant.restart == "match" and instance.is_process):
                await self._end(instance)
        async with self._room:
            self._room.notify_all()

    async def close(self) -> None:
        """Ends all instances, together."""
        async with trio.open_nursery() as nursery:
            for instance in list(self._instances):
                nursery.start_soon(self._end, instance)
        for players in {} if self._lobby is None else self._lobby.players.values():
            for player in players:
                player.dismiss("the tournament is over")


def file_name(bot: str) -> str:
    """A bot's name as part of a file name: anything but letters, digits, `-`, `_` and `.` becomes `_`."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in bot)


def load_bot(entrant: Entrant):  # type: ignore[no-untyped-def]
    """A new object of a bot's class, `module:Class`.  Raises BotBroken if there is none."""
    from arena.sdk import Bot

    module_name, _, class_name = (entrant.target or "").partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
        bot = found()
    except Exception as error:  # someone else's module: whatever it raises, that bot cannot be played
        raise BotBroken(entrant.name, f"cannot load {entrant.target}: {type(error).__name__}: {error}") from None
    if not isinstance(bot, Bot):
        raise BotBroken(entrant.name, f"{entrant.target} is no arena.sdk.Bot")
    return bot


__all__ = ["Instance", "Pool", "file_name", "load_bot"]
