"""The bots that play over TCP: which seat each of them has, at whichever table, connected or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import attrs
import trio

from arena.players.base import GonePlayer, Player
from arena.players.lag import LagWatch
from arena.players.stream import StreamPlayer
from arena.players.tcp import Absences
from arena.refusal import Refusal
from arena.server.tables.live import LiveTable
from arena.server.tables.table import Closed, Ended, Member, Notice, Went

MARGIN_S = 0.2
"""Granted on top of every limit, for the way to the bot and back."""
RECONNECT_S = 10.0
"""How long to wait in a match for a bot that is not connected."""
LEFT = "it has left the table"


@attrs.define(eq=False)
class ProgramPlace:
    """A member of a table for whom a bot plays; at the open table every bot is a guest."""

    live: LiveTable
    player_id: str
    player: StreamPlayer
    peer: str = ""
    """The address of a guest."""
    said: str | None = None
    """What a guest called itself, if anything."""
    is_guest: bool = False
    """It came by itself, and goes when it is not connected any more."""
    is_plain: bool = False
    """A guest of the plain protocol has no token: it comes back with its name, from its address."""

    @property
    def member(self) -> Member | None:
        """The member for whom it plays; None if that one is not at the table any more."""
        return self.live.table.find(self.player_id)

    @property
    def is_in_match(self) -> bool:
        return self.live.table.is_playing and self.player_id in self.live.table.seating

    @property
    def is_lost(self) -> bool:
        """Whether it had a connection, has none, and may come back."""
        return self.player.lost_at is not None and not self.player.is_connected and not self.player.is_gone


class Programs:
    """All bots that play over TCP."""

    def __init__(
        self,
        nursery: trio.Nursery,
        find_table: Callable[[str], LiveTable],
        *,
        watch: LagWatch | None = None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
    ) -> None:
        """`find_table` returns the open table with an id, or raises Refusal."""
        self._nursery = nursery
        self._find_table = find_table
        self._watch = watch
        self._note_bug = note_bug
        self._places: dict[StreamPlayer, ProgramPlace] = {}
        self._heard: dict[LiveTable, Callable[[Notice], None]] = {}
        """The tables that are listened to."""
        self.absences = Absences(RECONNECT_S)
        self.go_home: Callable[[ProgramPlace], bool] = lambda place: False
        """Takes a guest, whose table is closed, back to the open table; returns whether it could."""

    def __iter__(self) -> Iterator[ProgramPlace]:
        return iter(tuple(self._places.values()))

    def of(self, player: StreamPlayer) -> ProgramPlace | None:
        return self._places.get(player)

    def at(self, live: LiveTable, player_id: str) -> ProgramPlace | None:
        """The place of a member, if a bot has played for it."""
        found = (each for each in self if each.live is live and each.player_id == player_id)
        return next(found, None)

    def add(self, live: LiveTable, member: Member, *, is_forgiven: bool = True) -> ProgramPlace:
        """A new bot for a member, not connected so far."""
        player = StreamPlayer(
            member.nickname,
            margin_s=MARGIN_S,
            reconnect_s=RECONNECT_S,
            watch=self._watch,
            note_bug=self._note_bug,
        )
        player.is_forgiven = is_forgiven
        place = self._places[player] = ProgramPlace(live, member.player_id, player)
        self._hear(live)
        return place

    def open(self, table_id: str, member: Member) -> Player:
        """The bot that plays for a member in the match that begins; it may still be on its way."""
        try:
            live = self._find_table(table_id)
        except Refusal as refusal:
            return GonePlayer(member.nickname, str(refusal))
        if member.has_left:
            return GonePlayer(member.nickname, LEFT)
        place = self.at(live, member.player_id) or self.add(live, member)
        if not place.player.is_connected:
            place.player.lost_at = trio.current_time()  # it has RECONNECT_S from now on
            self._nursery.start_soon(self._wait_for, place.player)
        return place.player

    async def _wait_for(self, player: StreamPlayer) -> None:
        if await self.absences.wait(player):
            player.stop_waiting()

    async def miss(self, player: StreamPlayer) -> None:
        """Its connection is lost: waits for it in a match; a guest that stays away leaves."""
        place = self.of(player)
        if place is None or player.is_connected:
            return
        if place.is_in_match:
            await self._wait_for(player)
            while place.is_in_match and not player.is_connected:
                await place.live.changed(place.live.version)
        if place.is_guest and not player.is_connected:
            self.send_away(place, player.gone_reason)

    def send_away(self, place: ProgramPlace, reason: str) -> None:
        """The bot leaves its table, and is told why."""
        member = place.member
        self._places.pop(place.player, None)
        place.player.dismiss(reason)
        if member is not None and not member.has_left and not place.live.table.is_closed:
            place.live.leave(member)

    def move(self, place: ProgramPlace, table_id: str, player_id: str) -> None:
        """A guest plays for a member of another table from now on, and leaves its own."""
        before, member = place.live, place.member
        live = self._find_table(table_id)
        place.live, place.player_id = live, player_id
        place.player.is_forgiven = True
        self._hear(live)
        if member is not None and not member.has_left:
            before.leave(member)

    # Who has left, and which tables are closed

    def _hear(self, live: LiveTable) -> None:
        if live not in self._heard:
            self._heard[live] = partial(self._note, live)
            live.attach(self._heard[live])

    def _note(self, live: LiveTable, news: Notice) -> None:
        if isinstance(news, Went | Ended | Closed):
            self._nursery.start_soon(self._tidy, live)  # not now: a listener changes nothing at the table

    async def _tidy(self, live: LiveTable) -> None:
        """Sends away bots whose members are not at the table any more."""
        for place in self:
            member = place.member
            if place.live is not live or (member is not None and not member.has_left):
                continue
            may_go_home = place.is_guest and place.player.is_connected and live.table.is_closed
            if not (may_go_home and self.go_home(place)):
                self.send_away(place, LEFT if not live.table.is_closed else "the table is closed")
        if live.table.is_closed:
            self._heard.pop(live, None)
