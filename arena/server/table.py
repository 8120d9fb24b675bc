"""A table as a value: its game, its members, its chat; and what its members are told.  Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import attrs

from arena.server.limits import CHAT_AT_ONCE
from arena.server.refusal import Refusal

Way: TypeAlias = Literal["person", "program", "house"]
"""Somebody at HTTP or a WebSocket, a bot that connects over TCP, a bot that the server starts."""
MISSED_MAX = 2
"""After so many missed turns in a row a player is away."""
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
        """Whether its turns are not waited for."""
        return self.missed >= MISSED_MAX


@attrs.frozen
class ChatLine:
    """A message in the chat."""

    number: int
    """From 1."""
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
    """The limit of every move; None: there is none."""
    created_at: float
    active_at: float
    """When something last happened here."""
    reserved: frozenset[str] = frozenset()
    """Words of the game, which nobody can be called."""
    status: Status = "waiting"
    is_public: bool = False
    members: tuple[Member, ...] = ()
    """In the order in which they joined."""
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
    def host_member(self) -> Member | None:
        return next((member for member in self.members if member.player_id == self.host), None)

    @property
    def is_playing(self) -> bool:
        return self.status == "playing"

    def member(self, player_id: str) -> Member:
        """Raises Refusal if nobody here has this id."""
        for member in self.members:
            if member.player_id == player_id:
                return member
        raise Refusal("not_found", "nobody at this table has this playerID", field="playerID")


# What members are told.


@attrs.frozen
class Came:
    member: Member


@attrs.frozen
class Went:
    member: Member


@attrs.frozen
class HostSet:
    member: Member | None
    """None: nobody is host any more."""


@attrs.frozen
class GotReady:
    member: Member


@attrs.frozen
class Began:
    """A match begins; who sits where is in the table."""


@attrs.frozen
class QuestionsAsked:
    """The questions of the next turn have been asked, or wait until a pause is over."""


@attrs.frozen
class Resumed:
    """After a pause, in which people could read a showdown, the next questions have been asked."""


@attrs.frozen
class Ended:
    """The match is over."""


@attrs.frozen
class Published:
    is_public: bool


@attrs.frozen
class Spoke:
    line: ChatLine


@attrs.frozen
class Stopped:
    """The server ends; the table is there again when it starts."""


@attrs.frozen
class Alerted:
    """Something that people should read."""

    text: str


@attrs.frozen
class Closed:
    """The table is closed, and nobody is at it any more."""

    reason: str


Notice: TypeAlias = (
    Came
    | Went
    | HostSet
    | GotReady
    | Began
    | QuestionsAsked
    | Resumed
    | Ended
    | Published
    | Spoke
    | Stopped
    | Alerted
    | Closed
)
After: TypeAlias = tuple[Table, tuple[Notice, ...]]
"""The table after something was done, and what is told about it."""
