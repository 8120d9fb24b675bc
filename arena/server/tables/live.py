"""A table as it lives: its people, its audience, its bots, and the match that is played there.

What members do are synchronous methods, each one step: the rules of `tables` say what follows, it is kept,
and everybody who listens is told.  Whoever waits for the table to change waits for its version, which counts
what all can see; it says nothing of who has answered a question.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import Any, TypeAlias

import attrs
import trio

from arena.match.game import Game, Seat
from arena.referee import Resumption
from arena.refusal import Refusal
from arena.schedule import derive_seed
from arena.server.kept.past_turn import PastTurn
from arena.server.services import ServerServices
from arena.server.tables import absence
from arena.server.tables import rules as tables
from arena.server.tables.bots import unstarted, why_called_off
from arena.server.tables.gathering import Gathering
from arena.server.tables.pauses import Pauses
from arena.server.tables.played_match import LiveScene, PlayedMatch
from arena.server.tables.seat import SeatPlayer, seated_people
from arena.server.tables.table import (
    After,
    Began,
    Closed,
    FellAsleep,
    MatchTerms,
    Member,
    QuestionsAsked,
    Resumed,
    Table,
    Woke,
    drawn_match_id,
)
from arena.server.tables.windows import Windows
from arena.telling.replay import Moment

Beginning: TypeAlias = Callable[[Table, str, Random, float], After]
"""A rule that may begin a match, of the table, the member's id, the luck of the seating, and the time."""


class LiveTable(Gathering):
    """One table, open."""

    def __init__(
        self, table: Table, game: Game[Any, Any], hall: ServerServices, *, address: str = "", version: int = 1
    ) -> None:
        """`address`: where the table was made from."""
        super().__init__(table, game, hall, address=address, version=version)
        self.match: PlayedMatch | None = None
        """The latest match."""
        self.seats: Mapping[str, SeatPlayer] = {}
        """The people who play it, by player_id."""
        self.closed_because = ""
        """Why the table was closed; empty while it is open."""
        self._playing: trio.CancelScope | None = None

    # What members do; all but leaving needs a disk that works

    def leave(self, member: Member) -> None:
        """The member goes; in a match its seat keeps playing, with default moves."""
        seed = self._hall.draw_seed()
        self._apply(tables.leave(self.table, member.player_id, self._hall.now(), _shuffle(seed)), seed)
        if (seat := self.seats.get(member.player_id)) is not None:
            seat.leave()

    def ready(self, member: Member) -> None:
        self._begin(tables.ready, member)

    def begin(self, member: Member) -> None:
        """The host starts."""
        self._begin(tables.begin, member)

    def begin_from(self, member: Member, turn: PastTurn) -> None:
        """The host starts where somebody was asked in a match that is over, and has that one's seat.

        Chance is drawn anew from there.  Raises Refusal if the table does not fit that match.
        """
        others = [each.player_id for each in self.table.players if each.player_id != member.player_id]
        if self.game != turn.game:
            raise Refusal("conflict", "this table has another game, or other house rules, than that match")
        if member.is_spectator or len(others) + 1 != len(turn.names):
            raise Refusal(
                "conflict", f"{len(turn.names)} played there: as many must be seated, you among them"
            )
        seating = [*others[: turn.seat], member.player_id, *others[turn.seat :]]
        self._begin(
            lambda table, by, _, now: tables.begin_seated(table, by, seating, now),
            member,
            Resumption(turn.turns, (), is_told=True),
        )

    def rematch(self, member: Member) -> None:
        self._begin(tables.rematch, member)

    def begin_standing(self) -> None:
        """A standing table begins with all who are seated."""
        seed = self._hall.draw_seed()
        self._apply(tables.begin_standing(self.table, _shuffle(seed), self._hall.now()), seed)

    def _begin(self, rule: Beginning, member: Member, opening: Resumption | None = None) -> None:
        """Applies a rule that may begin a match, if there are places for its house bots.

        `opening`: what that match goes on from.
        """
        self._hall.records.check()
        seed = self._hall.draw_seed()
        after = rule(self.table, member.player_id, _shuffle(seed), self._hall.now())
        if any(isinstance(notice, Began) for notice in after[1]):
            self._hall.bot_places.check(_house_bots(after[0].players), self.address)
        self._apply(after, seed, opening)

    def note_presence(self, member: Member) -> None:
        """The member is there and does something: it is not away any more."""
        self.note_seen(member)
        if (seat := self.seats.get(member.player_id)) is not None:
            seat.speak()

    def note_seen(self, member: Member) -> None:
        """The member's key came; a match that slept until then goes on."""
        after = absence.note_seen(self.table, member.player_id, self._hall.now())
        if after[1]:
            self._apply(after)
        else:
            self.table = after[0]  # which need not be kept

    def look(self) -> None:
        """Sees who is there; a match whose only person has been away for long falls asleep."""
        person = absence.only_person(self.table)
        if person is None or self.match is None or self.match.is_over:
            return
        if any(is_here(person.player_id) for is_here in self.attendance):
            self.note_seen(person)
        self._apply(absence.fall_asleep(self.table, self._hall.now()))

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
        match.answer(member.player_id, seat, move)

    async def resumed(self) -> None:
        """Returns once play goes on, if people are reading a showdown or the match's bots are being started
        again; at once if the server ends.

        Whoever moves meanwhile is answered then: until then it is still theirs to move, as a program sees it.
        """
        match = self.match
        while match is self.match and self._is_held and not self.is_stopped:
            await self.changed(self.version)

    @property
    def _is_held(self) -> bool:
        """Whether a move that is made now is answered later."""
        match = self.match
        if match is None or match.is_over or self.table.is_closed:
            return False
        return match.is_paused or match.is_resuming

    def is_out(self, member: Member) -> bool:
        """Whether a member is eliminated from the match that is played."""
        match = self.match
        if match is None or not self.table.is_playing or member.player_id not in match.terms.seating:
            return False
        return match.terms.seating.index(member.player_id) in match.game.eliminated(match.state)

    def only_watches(self, member: Member) -> bool:
        """Whether a member has no seat, or is eliminated."""
        return member.is_spectator or self.is_out(member)

    # What follows from it

    def _apply(self, after: After, seed: int | None = None, opening: Resumption | None = None) -> None:
        """Replaces the table with what it has become; tells it, and begins a match."""
        changed, notices = after
        if changed is self.table:
            return
        self.table = changed
        if changed.is_closed:
            self._hall.records.drop_table(changed)
        else:
            self._hall.records.keep_table(changed)
        self._bump()
        kinds = {type(notice) for notice in notices}
        if Began in kinds:
            assert seed is not None, "who begins a match has drawn its seed"
            self._sit_down(seed, opening)
        elif Woke in kinds and self.match is not None:
            self.match = self._new_match(self.match.terms, self.match.so_far, self.match.given)
            self._sit_down_again(self.match)
        elif FellAsleep in kinds and self.match is not None:
            self.match.players, self.seats = (), {}
        for notice in notices:
            if isinstance(notice, Closed):
                self.closed_because = notice.reason
            self._tell(notice)
        if kinds & {Began, Woke}:
            self._hall.nursery.start_soon(self._play)
        if kinds & {Closed, FellAsleep} and self._playing is not None:
            self._playing.cancel()

    def _note_missed(self, player_id: str, missed: int) -> None:
        """Keeps how many turns in a row a player has missed: who is away stays so over a restart."""
        before = self.table
        if not before.is_closed:
            self.table = absence.note_missed(before, player_id, missed)
            self._hall.records.keep_table(self.table)
            if self.table.member(player_id).is_away != before.member(player_id).is_away:
                self._bump()

    # The match

    def _sit_down(self, seed: int, opening: Resumption | None) -> None:
        table = self.table
        terms = MatchTerms(
            match_id=drawn_match_id(seed),
            seed=seed,
            seating=table.seating,
            names=table.names,
            move_s=absence.limit_s(table),
            started_at=self._hall.now(),
            are_people=tuple(table.member(player_id).is_person for player_id in table.seating),
        )
        self.match, self.seats = self._new_match(terms, opening), {}
        self.match.begin(table.rules)

    def resume(self, terms: MatchTerms, resumption: Resumption, answers: Mapping[int, Sequence[Any]]) -> None:
        """Goes on with a match that was being played when the server ended, or keeps it asleep.

        `answers`: each seat's moves of the open turn that had come already.
        """
        self.match = self._new_match(terms, resumption, answers)
        if not self.table.is_asleep:
            self._sit_down_again(self.match)
            self._hall.nursery.start_soon(self._play)

    def _sit_down_again(self, match: PlayedMatch) -> None:
        """Seats the people of a match that goes on; who is to act may move before its bots run."""
        members = [self.table.member(player_id) for player_id in match.terms.seating]
        self.seats = seated_people(members, match.given, self._note_missed)
        for number in match.to_act:
            seat = self.seats.get(match.terms.seating[number])
            if seat is not None:
                options = match.game.options(match.state, number)
                seat.await_question(match.game, match.terms.names, number, options)

    def _new_match(
        self,
        terms: MatchTerms,
        resumption: Resumption | None = None,
        given: Mapping[int, Sequence[Any]] | None = None,
    ) -> PlayedMatch:
        return PlayedMatch(
            self._hall,
            self.table.id,
            self.game,
            terms,
            note=self._note,
            note_asked=self._note_asked,
            resumption=resumption,
            given=given,
        )

    def recall(self, terms: MatchTerms, resumption: Resumption) -> None:
        """Shows the last match, which was over when the server ended."""
        self.match = self._new_match(terms, resumption)
        self._hall.nursery.start_soon(self._conclude, self.match)

    async def _conclude(self, match: PlayedMatch) -> None:
        await match.conclude()
        self._bump()
        await match.archive()

    def abandon(self, reason: str, broken: Iterable[Member] = ()) -> None:
        """The match cannot be played any further, and the table waits for the next one.

        `broken`: the bots because of which it cannot; they lose their seats.
        """
        ids = frozenset(bot.player_id for bot in broken)
        if self.match is not None:
            self.match.forget()
        self.match = None
        self._apply(tables.break_off(self.table, reason, self._hall.now(), ids))

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
        if self.match is match or self.match is None:
            self._playing = None
            self.seats = {}
        if self.table.is_closed and not match.is_over:
            match.forget()
        if not self.table.is_closed and match.is_over:
            self._apply(tables.finish(self.table, self._hall.now()))

    async def _play_out(self, match: PlayedMatch) -> None:
        members = [self.table.member(player_id) for player_id in match.terms.seating]
        has_people = any(member.is_person for member in members)
        pauses = self._hall.pauses(self.game.showdowns) if has_people else None
        if not has_people and self.table.bots_pause_s:
            pauses = Pauses(frozenset(), bot_s=self.table.bots_pause_s)
        if pauses is not None:
            pauses.note_resumed = self._resume_play
        async with self._hall.bot_places.taken(_house_bots(members), self.address), AsyncExitStack() as bots:
            seats = self.seats = self.seats or seated_people(members, match.given, self._note_missed)
            players = [
                seats.get(member.player_id) or await self._hall.bot_for(self.table.id, member, bots)
                for member in members
            ]
            broken = unstarted(members, players)
            if not broken:
                await match.play(players, pauses, self._windows())
        if broken:
            self.abandon(why_called_off(broken), broken)
        else:
            await match.archive()

    def _windows(self) -> Windows:
        """The times at which silence is a move of the people who play."""
        seats = {Seat(self.table.seating.index(player_id)): seat for player_id, seat in self.seats.items()}
        return Windows(self.game, seats, self._resume_play)

    def _resume_play(self) -> None:
        """A pause is over, and those who are next have been asked; or a window has opened."""
        self._bump()
        self._tell(Resumed())

    def _note_asked(self) -> None:
        """The questions of a turn have been asked; no step told of the first ones of a match that resumes."""
        if self.match is not None and self.match.is_resuming:
            self._bump()
        self._tell(QuestionsAsked())

    def _note(self, moment: Moment) -> None:
        """Takes note of a step of the match."""
        self._bump()
        self._tell(LiveScene(moment, self.version))


def _house_bots(members: Iterable[Member]) -> int:
    return sum(member.way == "house" for member in members)


def _shuffle(seed: int) -> Random:
    """The luck of who sits where, from the seed of the match."""
    return Random(derive_seed(seed, "seating"))
