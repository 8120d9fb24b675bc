"""The instances of all bots: started when needed, used again for later matches, ended when too many.

An instance that has played rotation r of series with shared deals only ever
plays rotation r: one that remembered the first rotation would know its
opponents' cards in the second.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import attrs
import trio

from arena.box.box import Box
from arena.box.places import Place
from arena.players.access import place_of
from arena.players.base import GonePlayer, Player
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.process import ProcessPlayer, run_process
from arena.players.start import BotBroken
from arena.players.stream import StreamPlayer
from arena.schedule import Pairing
from arena.tournament.lobby import Lobby
from arena.tournament.startup import StartUps

TRIED_AT_ONCE = 4
"""Bots started at the same time when all are tried; more would only get into each other's way."""
UPCOMING = 500
"""So many matches ahead are looked at for who is needed next."""
PLACE_S = 0.25
"""An instance that is told to end holds its place among the processes no longer than this: others play on."""
FILE_NAME_MAX = 150
"""Characters of a bot's name in that of a file, which may have 255 with what else stands there."""
LOGS_KEPT = 100
"""Of each bot the logs of its last instances; one that is started for every match has thousands."""


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
    place: object = None
    """Its place among the processes that may live at once."""

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
        box: Box | None = None,
        results: Path | None = None,
        move_s: float | None = None,
        name_wait_s: float = 1.0,
        reconnect_s: float = 10.0,
        logs: Path | None = None,
        watch: LagWatch | None = None,
        lobby: Lobby | None = None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
    ) -> None:
        self.entrants = {entrant.name: entrant for entrant in entrants}
        self.upcoming: Callable[[], Iterable[Pairing]] = tuple
        """The matches that will be played next, in order: who is needed last is ended first."""
        self._nursery = nursery
        self._processes_max = processes_max
        self._shares_deals = shares_deals
        self._margin_s = margin_s
        self.box = box
        """What processes are started in; None: there are none."""
        self._results = results
        """What no bot may see."""
        self._startups = StartUps(move_s)
        self._name_wait_s = name_wait_s
        self._reconnect_s = reconnect_s
        self._logs = logs
        self._watch = watch
        self._lobby = lobby
        self._note_bug = note_bug
        self._instances: list[Instance] = []
        self._alive: Counter[str] = Counter()
        """Processes by bot, from before their start until the last child is gone."""
        self._places: set[object] = set()
        """Of the processes that count together; one that is told to end gives its own back soon."""
        self._sticky: set[str] = set()
        """Bots of which an instance did not end by itself: the next ones are given no time for it."""
        self._room = trio.Event()
        self._started: Counter[str] = Counter()
        self._busy: Counter[str] = Counter()
        self._withdrawn: set[str] = set()

    async def try_all(self, leave_out: Collection[str] = ()) -> list[BotBroken]:
        """Starts one instance of every bot that we start; gives the broken ones, in the entrants' order."""
        broken: dict[str, BotBroken] = {}
        turn = trio.CapacityLimiter(min(TRIED_AT_ONCE, self._processes_max))

        async def attempt(entrant: Entrant) -> None:
            async with turn:
                try:
                    self._instances.append(await self._start(entrant))
                except BotBroken as error:
                    broken[entrant.name] = error

        async with trio.open_nursery() as nursery:
            for entrant in self.entrants.values():
                if is_ours(entrant) and entrant.name not in leave_out:
                    nursery.start_soon(attempt, entrant)
        return [broken[name] for name in self.entrants if name in broken]

    # Who can be seated

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether every bot of the match has an instance to spare, or can get one."""
        return all(bot in without or self.is_free(bot) for bot in pairing.bots)

    def is_free(self, bot: str) -> bool:
        """Whether the bot can be seated at one more table."""
        return self._capacity(bot) > self._busy[bot]

    def _capacity(self, bot: str) -> float:
        entrant = self.entrants.get(bot)
        if entrant is not None and is_ours(entrant):
            return entrant.instances_max or float("inf")
        # One that lost all its connections plays on: it is given time to come back, and fails if it does not.
        return max(1, sum(player.is_connected for player in self._connected(bot)))

    def _connected(self, bot: str) -> list[StreamPlayer]:
        return [] if self._lobby is None else self._lobby.players.get(bot, [])

    def reserve(self, pairing: Pairing, without: frozenset[str]) -> None:
        """Counts the match's bots as busy, so that `can_seat` knows before `seat` is done."""
        self._busy.update(set(pairing.bots) - without)

    def withdraw(self, bot: str) -> None:
        """No match is left that the bot plays in: its instances end, those at a table when they leave it."""
        self._withdrawn.add(bot)
        for instance in [i for i in self._instances if i.bot == bot and not i.is_busy]:
            self._end(instance)
        if self._lobby is not None and not self._busy[bot]:
            self._lobby.withdraw(bot)

    def free(self, pairing: Pairing, without: frozenset[str]) -> None:
        """Takes back `reserve`, after `release`."""
        self._busy.subtract(set(pairing.bots) - without)
        for bot in self._withdrawn.intersection(pairing.bots):
            self.withdraw(bot)

    # The seating

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
        if entrant is None or not is_ours(entrant):
            return await self._take_connected(bot)
        rotation = pairing.rotation if self._shares_deals else None
        series = pairing.series if entrant.restart == "series" else None
        self._put_away_lost()
        idle = [instance for instance in self._instances if instance.bot == bot and not instance.is_busy]
        fitting = [i for i in idle if i.rotation in (None, rotation) and i.series in (None, series)]
        instance = max(fitting, key=lambda i: i.rotation is not None, default=None)
        if instance is None:
            try:
                instance = await self._start(entrant)
            except BotBroken as error:
                instance = Instance(GonePlayer(bot, error.reason), bot)
            self._instances.append(instance)
        instance.is_busy, instance.rotation, instance.series = True, rotation, series
        return instance

    async def _take_connected(self, bot: str) -> Instance:
        """A connection of the bot; one that was just lost gets its time to come back."""
        assert self._lobby is not None, "nobody connects without a lobby"
        with trio.move_on_at(self._back_by(bot)):
            while not any(player.is_connected for player in self._free(bot)):
                await self._lobby.arrived()
        player: Player = max(self._free(bot), key=lambda player: player.is_connected)
        instance = Instance(player, bot, is_busy=True)
        self._instances.append(instance)
        return instance

    def _free(self, bot: str) -> list[StreamPlayer]:
        taken = {id(instance.player) for instance in self._instances if instance.bot == bot}
        return [player for player in self._connected(bot) if id(player) not in taken]

    def _back_by(self, bot: str) -> float:
        """Until when the bot's lost connections may come back."""
        lost_at = (player.lost_at for player in self._free(bot) if player.lost_at is not None)
        return max(lost_at, default=-float("inf")) + self._reconnect_s

    def release(self, seated: Sequence[Instance | None], *, are_spoilt: bool = False) -> None:
        """The match is over: its instances are free for the next one.

        Those that cannot play again are put away, of a match that was broken off (`are_spoilt`) all of them.
        """
        for instance in seated:
            if instance is None:
                continue
            instance.is_busy = False
            self._startups.note_first_answer(instance.bot, instance.player)
            self._instances.remove(instance)
            entrant = self.entrants.get(instance.bot)
            if entrant is None or not is_ours(entrant):
                continue
            self._instances.append(instance)  # the list is in order of last use
            if are_spoilt or self._is_spent(instance, entrant):
                self._end(instance)
        self._make_known()

    def _is_spent(self, instance: Instance, entrant: Entrant) -> bool:
        """Whether no match is left that this instance may play."""
        is_last = entrant.restart == "match" or (entrant.restart == "series" and self._shares_deals)
        return is_last or _is_lost(instance.player)

    def _put_away_lost(self) -> None:
        for instance in [i for i in self._instances if not i.is_busy and _is_lost(i.player)]:
            self._end(instance)

    # Starting and ending

    async def _start(self, entrant: Entrant) -> Instance:
        """A new instance, once there is room for it.  Raises BotBroken if it cannot be had."""
        if entrant.kind == "local":
            from arena.players.local import LocalPlayer

            return Instance(LocalPlayer(entrant.name, load_bot(entrant)), entrant.name)
        place = await self._make_room(entrant)
        began_at = trio.current_time()
        try:
            player: ProcessPlayer = await self._nursery.start(self._run, entrant, place)
        finally:
            self._startups.note_start(entrant, trio.current_time() - began_at)
        self._startups.limit(entrant, player)
        return Instance(player, entrant.name, place=place)

    async def _make_room(self, entrant: Entrant) -> object:
        """A place for one more process of this bot; idle ones are ended where there are too many."""
        while True:
            room = self._room
            idle = [instance for instance in self._instances if instance.is_process and not instance.is_busy]
            if entrant.instances_max is not None and self._alive[entrant.name] >= entrant.instances_max:
                idle = [instance for instance in idle if instance.bot == entrant.name]
            elif len(self._places) < self._processes_max:
                self._alive[entrant.name] += 1
                place = object()
                self._places.add(place)
                return place
            if idle:
                self._end(self._needed_last(idle))
            await room.wait()

    def _needed_last(self, idle: Sequence[Instance]) -> Instance:
        """Which of these instances is best done without; of equals the one that was used first."""
        next_use: dict[tuple[str, int | None], int] = {}
        for index, pairing in enumerate(islice(self.upcoming(), UPCOMING)):
            rotation = pairing.rotation if self._shares_deals else None
            for bot in pairing.bots:
                next_use.setdefault((bot, rotation), index)
        return max(
            idle,
            key=lambda i: UPCOMING if _is_lost(i.player) else next_use.get((i.bot, i.rotation), UPCOMING),
        )

    async def _run(
        self, entrant: Entrant, place: object, task_status: trio.TaskStatus[ProcessPlayer]
    ) -> None:
        """One process from start to end; its place is counted already."""
        try:
            await run_process(
                entrant,
                box=self.box,
                field=tuple(self.entrants.values()),
                results=self._results,
                log_path=self._log_path(entrant.name),
                margin_s=self._margin_s.get(entrant.name, 0.0),
                name_wait_s=self._name_wait_s,
                reconnect_s=self._reconnect_s,
                connect_s=self._startups.connect_s(entrant),
                is_patient=entrant.name not in self._sticky,
                note_sticky=partial(self._sticky.add, entrant.name),
                watch=self._watch,
                note_bug=self._note_bug,
                task_status=task_status,
            )
        finally:
            self._alive[entrant.name] -= 1
            self._give_back(place)

    def place_of(self, entrant: Entrant) -> Place:
        """What a bot sees of the file system."""
        return place_of(entrant, tuple(self.entrants.values()), self._results)

    def _give_back(self, place: object) -> None:
        self._places.discard(place)
        self._make_known()

    def _log_path(self, bot: str) -> Path | None:
        """Where the next instance logs; the log of an old one makes room for it."""
        if self._logs is None:
            return None
        self._started[bot] += 1
        number = self._started[bot]
        with suppress(OSError):
            (self._logs / f"{file_name(bot)}-{number - LOGS_KEPT}.log").unlink(missing_ok=True)
        return self._logs / f"{file_name(bot)}-{number}.log"

    def _make_known(self) -> None:
        """Wakes who waits for room."""
        self._room.set()
        self._room = trio.Event()

    def _end(self, instance: Instance) -> None:
        """Has an instance ended, beside play."""
        self._instances.remove(instance)
        if isinstance(instance.player, ProcessPlayer):
            instance.player.close()
            self._nursery.start_soon(self._see_off, instance.player, instance.place)

    async def _see_off(self, player: ProcessPlayer, place: object) -> None:
        """Gives back the place of an instance that ends when it is gone, or after a short time."""
        with trio.move_on_after(PLACE_S):
            await player.ended.wait()
        self._give_back(place)

    async def close(self) -> None:
        """Ends all instances, together, and says goodbye to those that connected."""
        for instance in list(self._instances):
            self._end(instance)
        for players in {} if self._lobby is None else self._lobby.players.values():
            for player in players:
                player.dismiss("the tournament is over")
        while self._alive.total():
            await self._room.wait()


def is_ours(entrant: Entrant) -> bool:
    """Whether the arena makes its instances: a process or an object, no connection from elsewhere."""
    return entrant.kind in ("process", "local")


def _is_lost(player: Player) -> bool:
    """Whether an instance of ours will not play again: gone, or without the connection it had."""
    return player.is_gone or (isinstance(player, StreamPlayer) and not player.is_connected)


def file_name(bot: str) -> str:
    """A bot's name as part of a file name, which no other name becomes.

    Anything but letters, digits, `-`, `_` and `.` is written as in a URL; a name that would be too long
    then ends in a digest of it.
    """
    written = quote(bot, safe="").replace("~", "%7E")
    if len(written) <= FILE_NAME_MAX:
        return written
    return f"{written[: FILE_NAME_MAX - 17]}~{blake2b(bot.encode(), digest_size=8).hexdigest()}"


def load_bot(entrant: Entrant):  # type: ignore[no-untyped-def]
    """A new object of a bot's class, `module:Class`.  Raises BotBroken if there is none."""
    from arena.sdk import Bot

    module_name, _, class_name = (entrant.target or "").partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
        bot = found()
    except Exception as error:  # someone else's module: whatever it raises, that bot cannot be played
        raise BotBroken(
            entrant.name, f"cannot load {entrant.target}: {type(error).__name__}: {error}"
        ) from None
    if not isinstance(bot, Bot):
        raise BotBroken(entrant.name, f"{entrant.target} is no arena.sdk.Bot")
    return bot


__all__ = ["Instance", "Pool", "file_name", "is_ours", "load_bot"]
