"""A table as it lives: its people, its audience, its bots, and the match that is played there.

What members do are synchronous methods, each one step: the rules of `tables` say what follows, it is kept,
and everybody who listens is told.  Whoever waits for the table to change waits for its version, which counts
what all can see; it says nothing of who has answered a question.
"""

from __future__ import annotations

import hmac
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import Any, TypeAlias
from uuid import uuid4

import attrs
import trio

from arena.game import Game
from arena.players.base import Player
from arena.referee import Resumption
from arena.replay import Moment
from arena.schedule import derive_seed
from arena.server import tables
from arena.server.hall import Guest, Hall, Records
from arena.server.keys import hash_of, new_key
from arena.server.live_match import LiveMatch, LiveScene, MatchTerms
from arena.server.refusal import Refusal
from arena.server.seat import SeatPlayer, seated_people
from arena.server.table import (
    After,
    Began,
    Closed,
    Member,
    Notice,
    QuestionsAsked,
    Resumed,
    Stopped,
    Table,
    Way,
)
from arena.server.tables import free_name

Listener: TypeAlias = Callable[[Notice | LiveScene], None]
"""Is told at once what happens at a table; it must not raise or wait, and sees the table as it is then."""


class LiveTable:
    """One table, open."""

    def __init__(
        self, table: Table, game: Game[Any, Any], hall: Hall, *, address: str = "", version: int = 1
    ) -> None:
        """`address`: of who made it."""
        self.table = table
        self.game = game
        self.address = address
        self.version = version
        self.modified_at = hall.now()
        """Unix time of this version."""
        self.match: LiveMatch | None = None
        """The latest one."""
        self.seats: Mapping[str, SeatPlayer] = {}
        """The people who play it, by player_id."""
        self._hall = hall
        self._listeners: list[Listener] = []
        self._changed = trio.Event()
        self._playing: trio.CancelScope | None = None
        self._answers: Mapping[int, Any] = {}
        """Moves that came before a restart, for the questions that are asked anew."""

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
        newcomer = Member(str(uuid4()), nickname, way, self._hall.now(), hash_of(key), is_spectator=spectate)
        self._apply(tables.join(self.table, newcomer, or_watch=or_watch))
        return self.table.member(newcomer.player_id), key

    def give_seat(self, by: Member, bot: str) -> Member:
        """A house bot, or a guest that waits, takes a seat, under its own name or with a number behind."""
        self._hall.records.check()
        guest = self._hall.find_guest(bot, self.game.name)
        if guest is None:
            self._hall.check_bot(bot, self.game.name)
        newcomer = Member(
            str(uuid4()),
            free_name(self.table, bot),
            "house" if guest is None else "program",
            self._hall.now(),
            "" if guest is None else guest.key_hash,
            bot=bot,
        )
        self._apply(tables.give_seat(self.table, by.player_id, newcomer))
        if guest is not None:
            guest.move_to(self.table.id, newcomer.player_id)
        return self.table.member(newcomer.player_id)

    def seat_house_bot(self, bot: str) -> Member:
        """A house bot takes a seat that nobody gave it, at a table without a host."""
        newcomer = Member(str(uuid4()), free_name(self.table, bot), "house", self._hall.now(), bot=bot)
        self._apply(tables.join(self.table, newcomer))
        return self.table.member(newcomer.player_id)

    def use_program(self, member: Member) -> None:
        """From now on a bot plays for this member, which connects with its key."""
        self._apply(tables.use_program(self.table, member.player_id, self._hall.now()))

    def take_back(self, member: Member) -> None:
        """Whoever has just joined has not, as that could not be kept."""
        if member in self.table.members:
            self._apply(tables.take_back(self.table, member.player_id, self._hall.now()))

    # What members do; all but leaving needs a disk that works

    def leave(self, member: Member) -> None:
        """It goes; in a match its seat keeps playing, with default moves."""
        seed = self._hall.draw_seed()
        self._apply(tables.leave(self.table, member.player_id, self._hall.now(), _shuffle(seed)), seed)
        if (seat := self.seats.get(member.player_id)) is not None:
            seat.leave()

    def ready(self, member: Member) -> None:
        self._hall.records.check()
        seed = self._hall.draw_seed()
        self._begin(tables.ready(self.table, member.player_id, _shuffle(seed), self._hall.now()), seed)

    def begin(self, member: Member) -> None:
        """The host starts."""
        self._hall.records.check()
        seed = self._hall.draw_seed()
        self._begin(tables.begin(self.table, member.player_id, _shuffle(seed), self._hall.now()), seed)

    def begin_standing(self) -> None:
        """A standing table begins with all who are seated."""
        seed = self._hall.draw_seed()
        self._apply(tables.begin_standing(self.table, _shuffle(seed), self._hall.now()), seed)

    def rematch(self, member: Member) -> None:
        self._hall.records.check()
        seed = self._hall.draw_seed()
        self._begin(tables.rematch(self.table, member.player_id, _shuffle(seed), self._hall.now()), seed)

    def _begin(self, after: After, seed: int) -> None:
        """What was done may begin a match, for which there must be places for its house bots."""
        if any(isinstance(notice, Began) for notice in after[1]):
            self._hall.bot_places.check(_house_bots(after[0].players), self.address)
        self._apply(after, seed)

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

    def close(self, reason: str) -> None:
        self._apply(tables.close(self.table, reason))

    def stop(self) -> None:
        """The server ends: who waits for something to change is answered, and who listens is told."""
        self._bump()
        self._tell(Stopped())

    def alert(self, notice: Notice) -> None:
        """Tells all at the table something that changes nothing."""
        self._tell(notice)

    def note_presence(self, member: Member) -> None:
        """Its holder is there: a seat that was away is asked again."""
        if (seat := self.seats.get(member.player_id)) is not None:
            seat.speak()

    def play(self, member: Member, value: Any, turn: int | None = None) -> None:
        """A member's move, as JSON.  Raises Refusal if it cannot be made now.

        `turn`: for which turn of the match it is meant, if it says so: a request that comes twice is then
        refused the second time, whatever is asked meanwhile.

        It is kept once `kept` returns; the match may have gone on before this returns.
        """
        self.note_presence(member)
        match, seat = self.match, self.seats.get(member.player_id)
        if match is None or match.is_over:
            raise Refusal("conflict", "no match is being played here")
        if seat is None and member.way == "program":
            raise Refusal("conflict", f"a bot that connects over TCP plays for {member.nickname}")
        if seat is None and not self.seats and member.player_id in match.terms.seating:
            raise Refusal("conflict", "the match has not begun yet: nothing is asked of you")
        if seat is None:
            raise Refusal("forbidden", f"{member.nickname} does not play in this match")
        if turn is not None and turn != match.turn:
            raise Refusal("conflict", f"this is turn {match.turn} of the match", field="turn")
        move = seat.read(value)
        self._hall.records.check()
        self.table = attrs.evolve(self.table, active_at=self._hall.now())
        number = match.terms.seating.index(member.player_id)
        self._hall.records.keep_answer(match, number, move)
        seat.play(move)

    async def kept(self) -> None:
        """Returns once all that has happened here is committed."""
        await self._hall.records.kept()

    # The audience

    def attach(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def detach(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    async def changed(self, after: int) -> None:
        """Returns once the version is another than `after`."""
        while self.version == after:
            await self._changed.wait()

    def _tell(self, news: Notice | LiveScene) -> None:
        for listener in tuple(self._listeners):
            listener(news)

    def _bump(self) -> None:
        self.version += 1
        self.modified_at = self._hall.now()
        self._changed.set()
        self._changed = trio.Event()

    def _apply(self, after: After, seed: int | None = None) -> None:
        """Makes the table what it is after something was done; keeps and tells it, and begins a match."""
        changed, notices = after
        if changed is self.table:
            return
        self.table = changed
        if changed.is_closed:
            self._hall.records.drop_table(changed)
        else:
            self._hall.records.keep_table(changed)
        self._bump()
        begins = any(isinstance(notice, Began) for notice in notices)
        if begins:
            assert seed is not None, "who begins a match has drawn its seed"
            self._sit_down(seed)
        for notice in notices:
            self._tell(notice)
        if begins:
            self._hall.nursery.start_soon(self._play)
        if any(isinstance(notice, Closed) for notice in notices) and self._playing is not None:
            self._playing.cancel()

    def _note_missed(self, player_id: str, missed: int) -> None:
        """How many turns in a row a player has missed, which is kept: who is away stays so over a restart."""
        before = self.table
        if not before.is_closed:
            self.table = tables.note_missed(before, player_id, missed)
            self._hall.records.keep_table(self.table)
            if self.table.member(player_id).is_away != before.member(player_id).is_away:
                self._bump()

    # The match

    def _sit_down(self, seed: int) -> None:
        table = self.table
        terms = MatchTerms(
            match_id=f"{derive_seed(seed, 'table match'):032x}"[:12],
            seed=seed,
            seating=table.seating,
            names=table.names,
            move_s=table.move_s,
            started_at=self._hall.now(),
            are_people=tuple(table.member(player_id).is_person for player_id in table.seating),
        )
        self.match = self._new_match(terms)
        self.seats = {}
        self._hall.records.begin_match(table, self.game, terms)

    def resume(self, terms: MatchTerms, resumption: Resumption, answers: Mapping[int, Any]) -> None:
        """Goes on with a match that was being played when the server ended.

        `answers`: moves of the open turn that had come already, by seat.
        """
        self.match = self._new_match(terms, resumption)
        self._answers = answers
        self._hall.nursery.start_soon(self._play)

    def _new_match(self, terms: MatchTerms, resumption: Resumption | None = None) -> LiveMatch:
        return LiveMatch(
            self.game,
            terms,
            note=self._note,
            note_asked=lambda: self._tell(QuestionsAsked()),
            lag_watch=self._hall.lag_watch,
            resumption=resumption,
        )

    def recall(self, terms: MatchTerms, resumption: Resumption) -> None:
        """Shows the last match, which was over when the server ended."""
        self.match = LiveMatch(self.game, terms, note=self._note, resumption=resumption)
        self._hall.nursery.start_soon(self._conclude, self.match)

    async def _conclude(self, match: LiveMatch) -> None:
        await match.conclude()
        self._bump()
        await self._hall.records.end_match(self.table.id, match)

    def abandon(self, reason: str) -> None:
        """The match that was being played cannot go on, and the table waits for the next one."""
        self._apply(tables.break_off(self.table, reason, self._hall.now()))

    async def _play(self) -> None:
        """Plays the match that has begun, and ends it."""
        match = self.match
        assert match is not None, "it has begun"
        with trio.CancelScope() as self._playing:
            try:
                if not self.table.is_closed:
                    await self._play_out(match)
            except Exception:  # our bug, or that of a game's rules: it costs this table and no other
                self._hall.note_bug(traceback.format_exc())
                self.close("the server made a mistake in this match, and noted it")
        self._playing = None
        self.seats = {}
        if self.table.is_closed and not match.is_over:
            self._hall.records.forget_match(match.terms.match_id)
        if not self.table.is_closed and match.is_over:
            self._apply(tables.finish(self.table, self._hall.now()))

    async def _play_out(self, match: LiveMatch) -> None:
        members = [self.table.member(player_id) for player_id in match.terms.seating]
        has_people = any(member.is_person for member in members)
        pauses = self._hall.pauses(self.game.showdowns) if has_people else None
        if pauses is not None:
            pauses.note_resumed = self._resume_play
        async with (
            self._hall.bot_places.taken(_house_bots(members), self.address),
            AsyncExitStack() as bots,
            trio.open_nursery() as nursery,
        ):
            players = await self._players(members, nursery, bots)
            await match.play(players, pauses, nursery, [not member.is_person for member in members])
            nursery.cancel_scope.cancel()
        await self._hall.records.end_match(self.table.id, match)

    async def _players(
        self, members: Sequence[Member], nursery: trio.Nursery, bots: AsyncExitStack
    ) -> list[Player]:
        """Who sits in each seat, for the referee."""
        self.seats = seats = seated_people(members, self._answers, nursery, self._note_missed)
        self._answers = {}
        return [
            seats.get(member.player_id) or await self._hall.bot_for(self.table.id, member, bots)
            for member in members
        ]

    def _resume_play(self) -> None:
        """A pause is over, and those who are next have been asked."""
        self._bump()
        self._tell(Resumed())

    def _note(self, moment: Moment) -> None:
        """A step of the match, just made."""
        assert self.match is not None, "it is played"
        self._hall.records.keep_turn(self.match)
        self._bump()
        self._tell(LiveScene(moment, self.version))


def _house_bots(members: Iterable[Member]) -> int:
    return sum(member.way == "house" for member in members)


def _shuffle(seed: int) -> Random:
    """The luck of who sits where, from the seed of the match."""
    return Random(derive_seed(seed, "seating"))


__all__ = ["Guest", "Hall", "Listener", "LiveTable", "Records"]
