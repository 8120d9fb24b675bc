"""Who is at a table: who holds which key, who comes and goes, and what else changes except the match.

What members do are synchronous methods, each one step: the rules of `tables` say what follows, it is kept,
and everybody who listens is told.
"""

from __future__ import annotations

import hmac
import secrets
from abc import ABC, abstractmethod
from hashlib import sha256
from typing import Any
from uuid import uuid4

from arena.match.game import Game
from arena.refusal import Refusal
from arena.server.services import ServerServices
from arena.server.tables import rules as tables
from arena.server.tables.rules import free_name
from arena.server.tables.table import After, Member, Notice, Stopped, Table, Way
from arena.server.tables.versioned import Versioned

KEY_BYTES = 24
"""The length of a key: the secret of a seat, told once, of which only a hash is kept."""


class Gathering(Versioned, ABC):
    """The members of one table that is open."""

    def __init__(
        self, table: Table, game: Game[Any, Any], hall: ServerServices, *, address: str = "", version: int = 1
    ) -> None:
        """`address`: where the table was made from."""
        super().__init__(hall.now, version)
        self.table = table
        self.game = game
        self.address = address
        self._hall = hall

    @abstractmethod
    def note_presence(self, member: Member) -> None:
        """The member is there and does something."""

    @abstractmethod
    def _apply(self, after: After, seed: int | None = None) -> None:
        """Replaces the table with what it is after something was done."""

    # Who is who

    def holder(self, key: str) -> Member:
        """The member with this key.  Raises Refusal if nobody here has it."""
        hashed = hash_of(key)
        found = [each for each in self.table.members if hmac.compare_digest(each.key_hash, hashed)]
        if not found or not key or found[0].has_left:
            raise Refusal(
                "unauthorized", "nobody at this table has this key: join, and send the key you are given"
            )
        return found[0]

    def join(
        self, nickname: str, *, way: Way = "person", spectate: bool = False, or_watch: bool = False
    ) -> tuple[Member, str]:
        """A newcomer and its key, which is told once."""
        self._hall.records.check()
        key = new_key()
        newcomer = self._newcomer(nickname, way, hash_of(key), is_spectator=spectate)
        self._apply(tables.join(self.table, newcomer, or_watch=or_watch))
        return self.table.member(newcomer.player_id), key

    def _newcomer(self, nickname: str, way: Way, key_hash: str = "", **more: Any) -> Member:
        return Member(str(uuid4()), nickname, way, self._hall.now(), key_hash, **more)

    def give_seat(self, by: Member, bot: str) -> Member:
        """Seats a house bot, or a guest that waits, under its name, followed by a number if taken."""
        self._hall.records.check()
        guest = self._hall.find_guest(bot, self.game.name)
        if guest is None:
            self._hall.check_bot(bot, self.game.name)
        way: Way = "house" if guest is None else "program"
        key_hash = "" if guest is None else guest.key_hash
        newcomer = self._newcomer(free_name(self.table, bot), way, key_hash, bot=bot)
        self._apply(tables.give_seat(self.table, by.player_id, newcomer))
        if guest is not None:
            guest.move_to(self.table.id, newcomer.player_id)
        return self.table.member(newcomer.player_id)

    def seat_house_bot(self, bot: str) -> Member:
        """A house bot takes a seat that nobody gave it, at a table without a host."""
        newcomer = self._newcomer(free_name(self.table, bot), "house", bot=bot)
        self._apply(tables.join(self.table, newcomer))
        return self.table.member(newcomer.player_id)

    def use_program(self, member: Member) -> None:
        """Has a bot that connects with the member's key play for it from now on."""
        self._apply(tables.use_program(self.table, member.player_id, self._hall.now()))

    def take_back(self, member: Member) -> None:
        """Undoes a member's joining, as it could not be kept."""
        if member in self.table.members:
            self._apply(tables.take_back(self.table, member.player_id, self._hall.now()))

    # What changes nothing but the table

    def make_public(self, member: Member, is_public: bool) -> None:
        self._hall.records.check()
        self._apply(tables.make_public(self.table, member.player_id, is_public, self._hall.now()))

    def hand_over(self, member: Member, to: str) -> None:
        self._hall.records.check()
        self._apply(tables.hand_over(self.table, member.player_id, to, self._hall.now()))

    def speak(self, member: Member, message: str) -> None:
        self._hall.records.check()
        self.note_presence(member)
        self._apply(tables.speak(self.table, member.player_id, message, self._hall.now()))

    def announce(self, message: str) -> None:
        """The server says something to all at the table."""
        self._apply(tables.announce(self.table, message, self._hall.now()))

    def close(self, reason: str) -> None:
        self._apply(tables.close(self.table, reason))

    def stop(self) -> None:
        """The server ends: who waits for something to change is answered, and who listens is told."""
        self.is_stopped = True
        self._bump()
        self._tell(Stopped())

    def alert(self, notice: Notice) -> None:
        """Tells all at the table something that changes nothing."""
        self._tell(notice)

    async def kept(self) -> None:
        """Returns once all that has happened here is committed."""
        await self._hall.records.kept()


def new_key() -> str:
    """A key that nobody can guess."""
    return secrets.token_urlsafe(KEY_BYTES)


def hash_of(key: str) -> str:
    """What is kept of a key: its SHA-256, in hexadecimal digits."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
