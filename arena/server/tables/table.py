"""A table as a value: its game, its members, its chat, the terms of its match; and what its members are told.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import attrs

from arena.refusal import Refusal
from arena.schedule import derive_seed
from arena.server.limits import CHAT_AT_ONCE

Way: TypeAlias = Literal["person", "program", "house"]
"""How somebody plays: over HTTP or a WebSocket, as a bot over TCP, or as a bot that the server starts."""
MISSED_MAX = 2
"""How many missed turns in a row make a player away."""
Status: TypeAlias = Literal["waiting", "playing", "finished"]


@attrs.frozen
class Member:
    """Somebody at a table, with a seat or as a spectator."""

    player_id: str
    """A GUID, known to everybody."""
    nickname: str
    way: Way
    joined_at: float
    key_hash: str = ""
    """SHA-256 of the secret that proves who it is, in hexadecimal digits; empty for a house bot."""
    bot: str = ""
    """Which house bot it is, or the name of the guest, if the host gave it the seat."""
    is_spectator: bool = False
    is_ready: bool = False
    has_left: bool = False
    """It left in the middle of a match, in which its seat keeps playing, with default moves."""
    missed: int = 0
    """How many turns of the match it has missed in a row."""
    seen_at: float = attrs.field(default=0.0, eq=False)
    """When the holder of its key was last there."""
    chat_credit: float = float(CHAT_AT_ONCE)
    """Messages that it may send now."""
    spoke_at: float = 0.0

    @property
    def is_person(self) -> bool:
        return self.way == "person"

    @property
    def is_given(self) -> bool:
        """Whether it was given its seat: it is never host, always ready, and no table stays open for it."""
        return self.way == "house" or bool(self.bot)

    @property
    def is_away(self) -> bool:
        """Whether it has let several turns go by; it is waited for all the same."""
        return self.missed >= MISSED_MAX


@attrs.frozen
class ChatLine:
    """A message in the chat."""

    number: int
    """The message's number, from 1."""
    nickname: str
    """Empty: the server says it."""
    player_id: str
    message: str
    timestamp: float


@attrs.frozen
class Table:
    """A game, its seats, and who is there."""

    id: str
    game: str
    rules: Mapping[str, Any]
    """House rules that differ from the game's own."""
    seats: tuple[int, int]
    """The fewest and the most who can play."""
    move_s: float | None
    """The limit of every move where people play each other; None: there is none."""
    active_at: float
    """When something last happened here."""
    reserved: frozenset[str] = frozenset()
    """Words of the game, which nobody can be called."""
    is_clock_chosen: bool = True
    """Whether this limit was asked for: otherwise there is none for one person against house bots."""
    bots_pause_s: float = 0.0
    """How long each turn takes at least in a match of bots alone."""
    status: Status = "waiting"
    asleep_at: float | None = None
    """When its match fell asleep, whose only person was away for long; it goes on when that one is back."""
    is_public: bool = False
    members: tuple[Member, ...] = ()
    """Everybody at the table, in the order in which they joined."""
    host: str | None = None
    """The player_id of who may start and change the table."""
    matches: int = 0
    """How many have begun."""
    seating: tuple[str, ...] = ()
    """Who plays or played in the latest match: player_ids by seat."""
    names: tuple[str, ...] = ()
    """Their nicknames, which the table knows also when they have gone."""
    chat: tuple[ChatLine, ...] = ()
    """The latest messages."""
    is_closed: bool = False
    is_standing: bool = False
    """It has no host, begins its matches by itself, and stays open and public; who comes in the middle of a
    match plays in the next one."""
    is_lobby: bool = False
    """It is the table that everybody finds under the address of its game's service."""

    @property
    def players(self) -> tuple[Member, ...]:
        """The members with a seat."""
        return tuple(member for member in self.members if not member.is_spectator)

    @property
    def spectators(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.is_spectator)

    @property
    def has_sitters(self) -> bool:
        """Whether somebody has a seat who took it, and has not left."""
        return any(not each.is_given and not each.has_left for each in self.players)

    @property
    def host_member(self) -> Member | None:
        return self.find(self.host)

    @property
    def is_playing(self) -> bool:
        return self.status == "playing"

    @property
    def is_asleep(self) -> bool:
        return self.asleep_at is not None

    def find(self, player_id: str | None) -> Member | None:
        """The member with this id, also one who has left a match that is still played."""
        return next((each for each in self.members if each.player_id == player_id), None)

    def present(self, player_id: str | None) -> Member | None:
        """The member with this id, unless it has left."""
        found = self.find(player_id)
        return None if found is None or found.has_left else found

    def member(self, player_id: str) -> Member:
        """The member with this id.  Raises Refusal if nobody here has it."""
        if (found := self.find(player_id)) is None:
            raise Refusal("not_found", "nobody at this table has this playerID", field="playerID")
        return found

    def with_member(self, changed: Member) -> Table:
        """The table with this member in place of its former self."""
        members = [changed if each.player_id == changed.player_id else each for each in self.members]
        return attrs.evolve(self, members=tuple(members))

    def without(self, gone: Member) -> Table:
        """The table without a member."""
        return attrs.evolve(self, members=tuple(each for each in self.members if each is not gone))


@attrs.frozen
class MatchTerms:
    """What is settled about a match before its first move; kept, so that it goes on after a restart."""

    match_id: str
    """12 hexadecimal digits, drawn: nothing follows from it."""
    seed: int
    """Hidden until the match is over, and after."""
    seating: tuple[str, ...]
    """The player_id of each seat."""
    names: tuple[str, ...]
    """The nickname of each seat."""
    move_s: float | None
    started_at: float
    """Unix time."""
    are_people: tuple[bool, ...]
    """Whether each seat is a person's; the others are bots'."""


def drawn_match_id(seed: int) -> str:
    """The id of the match at a table that has this seed."""
    return f"{derive_seed(seed, 'table match'):032x}"[:12]


@attrs.frozen
class Notice:
    """What members are told."""


@attrs.frozen
class Came(Notice):
    member: Member


@attrs.frozen
class Went(Notice):
    member: Member


@attrs.frozen
class HostSet(Notice):
    member: Member | None
    """None: nobody is host any more."""


@attrs.frozen
class GotReady(Notice):
    member: Member


@attrs.frozen
class Began(Notice):
    """A match begins; who sits where is in the table."""


@attrs.frozen
class QuestionsAsked(Notice):
    """The questions of the next turn have been asked, or wait until a pause is over."""


@attrs.frozen
class Resumed(Notice):
    """The clocks run: after a pause, in which people could read a showdown, the next questions have been
    asked, or it is settled how long silence takes to be a move."""


@attrs.frozen
class Ended(Notice):
    """The match is over."""


@attrs.frozen
class FellAsleep(Notice):
    """The match stops, and its bots end, as its only person is away."""


@attrs.frozen
class Woke(Notice):
    """That person is back, and the match goes on from its moves."""


@attrs.frozen
class Published(Notice):
    is_public: bool


@attrs.frozen
class Spoke(Notice):
    line: ChatLine


@attrs.frozen
class Stopped(Notice):
    """The server ends; the table is there again when it starts."""


@attrs.frozen
class Alerted(Notice):
    """Something that people should read."""

    text: str


@attrs.frozen
class Closed(Notice):
    """The table is closed, and nobody is at it any more."""

    reason: str


After: TypeAlias = tuple[Table, tuple[Notice, ...]]
"""The table after something was done, and what is told about it."""
