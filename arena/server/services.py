"""What tables need of the server around them: who keeps what happens, who starts bots, who comes over TCP."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import attrs
import trio

from arena.match.game import Game
from arena.match.record import Decision, Turn
from arena.players.base import GonePlayer, Player
from arena.players.lag import LagWatch
from arena.server.kept.archive import FinishedTable
from arena.server.ring.ring import Ring
from arena.server.tables.bots import BotPlaces
from arena.server.tables.pauses import Pauses
from arena.server.tables.table import MatchTerms, Member, Table
from arena.server.tables.visitors import Visitors


class Records:
    """Keeps what happens at tables, and says when it is kept.

    This one keeps nothing; the open table and tests use it.
    """

    def keep_table(self, table: Table) -> None:
        """The table has changed."""

    def drop_table(self, table: Table) -> None:
        """The table is closed."""

    def keep_ring(self, ring: Ring) -> None:
        """The ring table has changed."""

    def begin_match(
        self, table_id: str, game: Game[Any, Any], terms: MatchTerms, rules: Mapping[str, Any]
    ) -> None:
        """A match begins at a table, in place of the one before."""

    def keep_answer(self, match_id: str, game: Game[Any, Any], number: int, seat: int, move: Any) -> None:
        """A move has come for the turn with this number, which is not made yet."""

    def keep_turn(
        self, match_id: str, game: Game[Any, Any], number: int, turn: Turn, decisions: Sequence[Decision]
    ) -> None:
        """The turn with this number was made."""

    async def end_match(self, match: FinishedTable) -> None:
        """Archives a match, and then forgets it; a restart between does it again."""

    def forget_match(self, match_id: str) -> None:
        """A match has broken off."""

    async def kept(self) -> None:
        """Returns once all of this is kept.  Raises Refusal if the disk fails."""

    def check(self) -> None:
        """Raises Refusal while the disk fails, so that nothing is done that cannot be kept."""


@attrs.frozen
class Guest:
    """A bot that came over TCP by itself, and waits for a match."""

    key_hash: str
    """The hash of the secret with which it may come back; empty if it has none."""
    move_to: Callable[[str, str], None]
    """Has it play from now on at the table with this id, for the member with this player_id."""


@attrs.frozen(kw_only=True)
class ServerServices:
    """What tables need of the server around them."""

    nursery: trio.Nursery
    records: Records
    open_bot: Callable[[str, str], AbstractAsyncContextManager[Player]]
    """An instance of a house bot, from the bot's name and its nickname at the table."""
    bot_places: BotPlaces = attrs.field(factory=BotPlaces)
    """Places for the house bots of a match."""
    check_bot: Callable[[str, str], None]
    """Raises Refusal if there is no such house bot for a game."""
    now: Callable[[], float]
    """Unix time."""
    open_program: Callable[[str, Member], Player] = lambda table, member: GonePlayer(
        member.nickname, "is not connected"
    )
    """The bot that connects, or may connect, with the key of a seat at a table."""
    find_guest: Callable[[str, str], Guest | None] = lambda name, game: None
    """The guest of this name that waits to play a game; raises Refusal if it cannot be had now."""
    visitors: Visitors = attrs.field(factory=Visitors)
    """Where the people at the tables came from."""
    note_bug: Callable[[str], None] = lambda traceback_text: None
    lag_watch: LagWatch | None = None
    draw_seed: Callable[[], int] = lambda: secrets.randbits(128)
    pauses: Callable[[frozenset[str]], Pauses] = Pauses
    """The pauses of a match at which people sit, from the kinds of its showdowns."""

    async def bot_for(self, table_id: str, member: Member, bots: AsyncExitStack) -> Player:
        """The bot that plays for a member; a house bot is started, and ends with `bots`."""
        if member.way == "house":
            return await bots.enter_async_context(self.open_bot(member.bot, member.nickname))
        return self.open_program(table_id, member)
