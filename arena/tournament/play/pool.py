"""Decides which bots can be seated, and which instance of a bot plays which match.

An instance that has played rotation r of series with shared deals only ever plays rotation r: one that
remembered the first rotation would know its opponents' cards in the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Protocol

import trio

from arena.box.box import Box
from arena.players.base import Player
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.schedule import Pairing
from arena.tournament.play.instances import Instance, Instances
from arena.tournament.tournament import Tournament

UPCOMING = 500
"""How many matches ahead to look for the instances needed next."""


class Callers(Protocol):
    """The bots that connect by themselves: a run's lobby, or the visitors of a league."""

    @property
    def players(self) -> Mapping[str, Sequence[StreamPlayer]]:
        """Name of each bot -> its connections, lost ones included."""

    async def arrived(self) -> None:
        """Waits until some connection comes in."""

    def withdraw(self, name: str) -> None:
        """Ends the connections of a bot that plays no more."""


class Pool:
    """The bots of a run, both those that we start and those that connect, as matches need them."""

    def __init__(
        self,
        tournament: Tournament,
        nursery: trio.Nursery,
        *,
        box: Box | None = None,
        watch: LagWatch | None = None,
        lobby: Callers | None = None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
    ) -> None:
        self.upcoming: Callable[[], Iterable[Pairing]] = tuple
        """The matches that will be played next, in order: the instance needed last is ended first."""
        self.instances = Instances(
            tournament, nursery, self._needed_last, box=box, watch=watch, note_bug=note_bug
        )
        """The instances of the bots that we start."""
        self._ours = {entrant.name: entrant for entrant in tournament.entrants if entrant.is_ours}
        self._shares_deals = tournament.shares_deals
        self._reconnect_s = tournament.plan.reconnect_s
        self._lobby = lobby
        self._visitors: list[Instance] = []
        """Connections that sit at a table."""
        self._busy: Counter[str] = Counter()
        self._withdrawn: set[str] = set()

    def enter(self, entrant: Entrant) -> None:
        """Adds a bot that we start, while others play."""
        self._ours[entrant.name] = entrant
        self.admit(entrant.name)
        self.instances.enter(entrant)

    def admit(self, bot: str) -> None:
        """Lets a bot play that may have been withdrawn before."""
        self._withdrawn.discard(bot)

    # Who can be seated

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        """Whether every bot of the match has an instance to spare, or can get one."""
        return all(bot in without or self.is_free(bot) for bot in pairing.bots)

    def is_free(self, bot: str) -> bool:
        """Whether the bot can be seated at one more table."""
        return self._capacity(bot) > self._busy[bot]

    def _capacity(self, bot: str) -> float:
        if (entrant := self._ours.get(bot)) is not None:
            return entrant.instances_max or float("inf")
        # A bot that lost all its connections plays on: it gets time to come back, and fails if it does not.
        return max(1, sum(player.is_connected for player in self._connected(bot)))

    def _connected(self, bot: str) -> Sequence[StreamPlayer]:
        return () if self._lobby is None else self._lobby.players.get(bot, ())

    def reserve(self, pairing: Pairing, without: frozenset[str]) -> None:
        """Counts the match's bots as busy, so that `can_seat` knows before `seat` has finished."""
        self._busy.update(set(pairing.bots) - without)

    def withdraw(self, bot: str) -> None:
        """Ends the instances of a bot that plays no more, those at a table when they leave it."""
        self._withdrawn.add(bot)
        for instance in self.instances.idle(bot):
            self.instances.end(instance)
        if self._lobby is not None and not self._busy[bot]:
            self._lobby.withdraw(bot)

    def free(self, pairing: Pairing, without: frozenset[str]) -> None:
        """Undoes `reserve`, after `release`."""
        self._busy.subtract(set(pairing.bots) - without)
        for bot in self._withdrawn.intersection(pairing.bots):
            self.withdraw(bot)

    # The seating

    async def seat(self, pairing: Pairing, without: frozenset[str]) -> list[Instance | None]:
        """Gets an instance for every seat of a reserved match; None for bots that do not play."""
        seated: list[Instance | None] = [None] * len(pairing.bots)

        async def take(seat: int, bot: str) -> None:
            seated[seat] = await self._take(bot, pairing)

        async with trio.open_nursery() as nursery:
            for seat, bot in enumerate(pairing.bots):
                if bot not in without:
                    nursery.start_soon(take, seat, bot)
        return seated

    async def _take(self, bot: str, pairing: Pairing) -> Instance:
        entrant = self._ours.get(bot)
        if entrant is None:
            return await self._take_connected(bot)
        rotation = pairing.rotation if self._shares_deals else None
        series = pairing.series if entrant.restart == "series" else None
        self.instances.end_lost()
        idle = self.instances.idle(bot)
        fitting = [i for i in idle if i.rotation in (None, rotation) and i.series in (None, series)]
        instance = max(fitting, key=lambda i: i.rotation is not None, default=None)
        if instance is None:
            began_at = trio.current_time()
            instance = await self.instances.add(entrant)
            instance.tab.wall_s = trio.current_time() - began_at
        instance.is_busy, instance.rotation, instance.series = True, rotation, series
        return instance

    async def _take_connected(self, bot: str) -> Instance:
        """Gets a connection of the bot; one that was just lost gets time to come back."""
        assert self._lobby is not None, "nobody connects without a lobby"
        with trio.move_on_at(self._back_by(bot)):
            while not any(player.is_connected for player in self._free(bot)):
                await self._lobby.arrived()
        player: Player = max(self._free(bot), key=lambda player: player.is_connected)
        instance = Instance(player, bot, is_busy=True)
        self._visitors.append(instance)
        return instance

    def _free(self, bot: str) -> list[StreamPlayer]:
        taken = {id(instance.player) for instance in self._visitors if instance.bot == bot}
        return [player for player in self._connected(bot) if id(player) not in taken]

    def _back_by(self, bot: str) -> float:
        """The time until which the bot's lost connections may come back."""
        lost_at = (player.lost_at for player in self._free(bot) if player.lost_at is not None)
        return max(lost_at, default=-float("inf")) + self._reconnect_s

    def release(self, seated: Sequence[Instance | None], *, are_spoilt: bool = False) -> None:
        """Frees the instances of a match that is over for the next one.

        Ends those that cannot play again, or all of them if the match was broken off (`are_spoilt`).
        """
        for instance in filter(None, seated):
            self.instances.note_first_answer(instance)
            if (entrant := self._ours.get(instance.bot)) is None:
                self._visitors.remove(instance)
                if isinstance(instance.player, StreamPlayer):
                    instance.player.forget_match()
                continue
            self.instances.release(instance)
            if are_spoilt or self._is_spent(instance, entrant):
                self.instances.end(instance)

    def _is_spent(self, instance: Instance, entrant: Entrant) -> bool:
        """Whether no match is left that this instance may play."""
        is_last = entrant.restart == "match" or (entrant.restart == "series" and self._shares_deals)
        return is_last or instance.is_lost

    def _needed_last(self, idle: Sequence[Instance]) -> Instance:
        """The one of these instances that will be missed least; among equals, the least recently used."""
        next_use: dict[tuple[str, int | None], int] = {}
        for index, pairing in enumerate(islice(self.upcoming(), UPCOMING)):
            rotation = pairing.rotation if self._shares_deals else None
            for bot in pairing.bots:
                next_use.setdefault((bot, rotation), index)
        return max(idle, key=lambda i: UPCOMING if i.is_lost else next_use.get((i.bot, i.rotation), UPCOMING))

    async def close(self) -> None:
        """Ends all instances, together, and says goodbye to those that connected."""
        self.instances.end_all()
        for players in {} if self._lobby is None else self._lobby.players.values():
            for player in players:
                player.dismiss("the tournament is over")
        await self.instances.all_gone()
