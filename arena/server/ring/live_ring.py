"""A ring table as it lives: hand after hand, each a match by the referee, for whoever sits there.

The rules of `ring` say who plays; this file deals, waits, removes who stays silent, and brings the house bot.
What people do are synchronous methods, each one step, as at every table.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias
from uuid import uuid4

import attrs
import msgspec
import trio

from arena.errors import FaultKind, MalformedAnswer
from arena.match.game import Game, Seat
from arena.match.record import MatchRecord
from arena.players.base import Player
from arena.refusal import Refusal
from arena.server.kept.records import Unfinished
from arena.server.ring import ring as rules
from arena.server.ring.poker_view import act_at_stake, observed_in, poker_game, shown_at_end
from arena.server.ring.ring import Hand, Occupant, Ring, is_seated, occupant_of, seated
from arena.server.services import ServerServices
from arena.server.tables.played_match import PlayedMatch
from arena.server.tables.seat import SeatPlayer
from arena.server.tables.table import MatchTerms, drawn_match_id
from arena.server.tables.versioned import Versioned
from arena.telling.replay import Moment

MOVE_S = 15.0
"""The time for an act; then the player is folded and removed, as the document says."""
BETWEEN_S = 1.0
"""The pause between two hands, so that who polls sees that one is over; longer after a showdown."""

GameFor: TypeAlias = Callable[[tuple[int, ...]], Game[Any, Any]]
"""The game of one hand, from the chips at stake by seat."""


class RingSeat(SeatPlayer):
    """Whoever acts over HTTP; the first silence is the last."""

    def __init__(self, name: str, note_silent: Callable[[], None]) -> None:
        super().__init__(name)
        self._note_silent = note_silent

    def read_any(self, value: Any) -> Any:
        """The move that a JSON value means, legal or not.  Raises Refusal if it means none."""
        assert self._codec is not None, "it plays a match"
        try:
            return self._codec.move(value)
        except MalformedAnswer as error:
            raise Refusal("bad_request", str(error)) from None

    def expire(self) -> tuple[FaultKind, str]:
        fault = super().expire()
        self._note_silent()
        return fault


class LiveRing(Versioned):
    """One ring table, open for as long as the server runs."""

    def __init__(self, ring: Ring, game_for: GameFor, hall: ServerServices, *, bot: str) -> None:
        """`bot`: which house bot keeps somebody company who is alone."""
        super().__init__(hall.now, version=1)
        self.ring = ring
        self.match: PlayedMatch | None = None
        """The hand under way."""
        self.showdown = b"null"
        """What was shown at the end of the last hand, in JSON."""
        self._game_for = game_for
        self._hall = hall
        self._bot = bot
        self._seats: dict[str, RingSeat] = {}
        """The people of the hand under way, by player_id."""
        self._pauses = hall.pauses(frozenset())  # those of the latest hand
        self._bots: dict[str, Player] = {}
        """House bots that are ready, by player_id."""
        self._opening: set[str] = set()
        self._nursery: trio.Nursery | None = None
        self._views: tuple[int, dict[Seat | None, bytes]] = (0, {})
        self._expiry: tuple[float, str] = (0.0, "")
        self._is_resuming = False
        """Whether a hand that was under way before the server was started again waits for its house bots."""

    # What people do

    def join(self, owner: str, handle: str) -> Occupant:
        """The owner's player, a new one if there is none.  Raises Refusal if there is no room."""
        self._hall.records.check()
        now, player_id = self._hall.now(), str(uuid4())
        self._apply(rules.join_ring(self.ring, owner=owner, handle=handle, player_id=player_id, now=now))
        found = occupant_of(self.ring, owner)
        assert found is not None, "it has joined"
        return found

    def leave(self, player_id: str, owner: str) -> None:
        """The owner's player folds and is gone.  Raises Refusal if it is not there."""
        rules.find_player(self.ring, player_id, owner)
        self._hall.records.check()
        self._remove(player_id)
        if (seat := self._seats.get(player_id)) is not None:
            seat.leave()

    def check_turn(self, player_id: str, owner: str) -> tuple[PlayedMatch, RingSeat]:
        """The hand in which the owner's player is asked now.  Raises Refusal if nothing is asked of it."""
        rules.find_player(self.ring, player_id, owner)
        if not is_seated(self.ring, player_id):
            raise Refusal("forbidden", "all places are taken: your player waits for one and plays then")
        seat = self._seats.get(player_id)
        if self.match is None or seat is None:
            raise Refusal("forbidden", "your player is not in a hand now: it plays from the next one on")
        if seat.open is None:
            raise Refusal("forbidden", "it is not your player's turn: ask for the game to see whose it is")
        return self.match, seat

    def act(self, player_id: str, owner: str, value: Mapping[str, Any]) -> None:
        """The owner's player makes the move that a JSON value means; if it is not legal it folds.

        Raises Refusal if nothing is asked of it now, or the value means no move.
        """
        match, seat = self.check_turn(player_id, owner)
        move = seat.read_any(act_at_stake(self.ring, observed_in(match, None), player_id, value))
        self._hall.records.check()
        match.answer(player_id, seat, move)

    async def resumed(self) -> None:
        """Returns once a hand goes on that was under way before the server was started again, if one was."""
        while self._is_resuming:
            await self._changed.wait()

    async def kept(self) -> None:
        """Returns once all that has happened here is committed."""
        await self._hall.records.kept()

    # What they see

    def view(self, owner: str | None) -> bytes:
        """The document's Game as this owner may see it; None: somebody who said no name."""
        mine = None if owner is None else occupant_of(self.ring, owner)
        match = self.match
        seat = None if match is None or mine is None else match.viewer(mine.player_id).seat
        if self._views[0] != self.version:
            self._views = (self.version, {})
        views = self._views[1]
        if seat not in views:
            views[seat] = self._made_view(match, seat)
        return views[seat]

    def _made_view(self, match: PlayedMatch | None, seat: Seat | None) -> bytes:
        if match is None or self.ring.hand is None:
            return msgspec.json.encode(poker_game(self.ring, None, None))
        return msgspec.json.encode(poker_game(self.ring, observed_in(match, seat), self._expiry_of(match)))

    def _expiry_of(self, match: PlayedMatch) -> str | None:
        """When the time of whoever is asked is over: the same text for all who look, whenever they do."""
        asked = match.players[match.to_act[0]].asked if match.to_act and match.players else None
        if asked is None:
            return None
        if self._expiry[0] != asked.deadline:
            at = self._hall.now() + asked.deadline - trio.current_time()
            until = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
            self._expiry = (asked.deadline, until)
        return self._expiry[1]

    # What happens by itself

    async def run(
        self,
        unfinished: Unfinished | None = None,
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Plays hand after hand until it is cancelled.

        `unfinished`: what was played of the hand under way before the server was started again; without it
        that hand did not happen.
        """
        async with trio.open_nursery() as self._nursery:
            if self.ring.hand is not None and unfinished is None:
                self._apply(rules.drop_hand(self.ring, now=self._hall.now()))
            self._is_resuming = self.ring.hand is not None
            self._welcome_bots()
            self._nursery.start_soon(self._keep_company)
            task_status.started()
            if self.ring.hand is not None and unfinished is not None:
                while not self._has_bots:
                    await self._changed.wait()
                await self._play_hand(self.ring.hand, unfinished.kept.terms, unfinished)
                self._note_resumed()  # if it was at its end already, nobody was asked
                await self._rest()
            while True:
                while not (rules.can_begin(self.ring) and self._has_bots):
                    await self._changed.wait()
                ring, hand = rules.begin_hand(self.ring)
                terms = self._terms(hand)
                hand = attrs.evolve(hand, match_id=terms.match_id)
                self.ring = attrs.evolve(ring, hand=hand)
                await self._play_hand(hand, terms)
                await self._rest()

    async def _rest(self) -> None:
        """Waits between two hands until people have read what was shown."""
        await trio.sleep(max(BETWEEN_S, self._pauses.pause_s))

    @property
    def _has_bots(self) -> bool:
        """Whether the house bots that sit there have been started."""
        return all(each.player_id in self._bots for each in seated(self.ring) if each.is_house)

    async def _keep_company(self) -> None:
        """Has a house bot sit down with who is alone."""
        while True:
            due_at, changed = rules.house_due_at(self.ring), self._changed
            if due_at is None:
                await changed.wait()
                continue
            with trio.move_on_after(max(0.0, due_at - self._hall.now())):
                await changed.wait()
            if not changed.is_set():
                bot, now = str(uuid4()), self._hall.now()
                self._apply(rules.house_joins(self.ring, handle=self._bot, player_id=bot, now=now))

    def _welcome_bots(self) -> None:
        """Starts the house bots that have sat down."""
        for occupant in seated(self.ring):
            if occupant.is_house and occupant.player_id not in self._opening and self._nursery is not None:
                self._opening.add(occupant.player_id)
                self._nursery.start_soon(self._host_bot, occupant)

    async def _host_bot(self, occupant: Occupant) -> None:
        """Runs a house bot for as long as it has a place."""
        async with self._hall.open_bot(self._bot, occupant.handle) as player:
            self._bots[occupant.player_id] = player
            self._bump()
            while any(each is not None and each.player_id == occupant.player_id for each in self.ring.places):
                await self._changed.wait()
            del self._bots[occupant.player_id]
        self._opening.discard(occupant.player_id)

    # One hand

    async def _play_hand(self, hand: Hand, terms: MatchTerms, before: Unfinished | None = None) -> None:
        """Plays a hand; what came of it is committed with its last step."""
        try:
            record = await self._played(hand, terms, before)
        except Exception:  # our bug, or that of the game's rules: it costs this hand and no other
            self._hall.note_bug(traceback.format_exc())
            self._end(rules.drop_hand(self.ring, now=self._hall.now()))
            self._hall.records.forget_match(terms.match_id)
        else:
            if self.ring.hand is hand:  # it was at its end already when the server was started again
                self._count(hand, record.returns)
        for player_id, player in tuple(self._bots.items()):
            if player.is_gone and is_seated(self.ring, player_id):
                self._remove(player_id)

    async def _played(self, hand: Hand, terms: MatchTerms, before: Unfinished | None) -> MatchRecord:
        """Plays the hand to its end."""
        game = self._game_for(hand.stacks) if before is None else before.game
        match = self.match = PlayedMatch(
            self._hall,
            self.ring.id,
            game,
            terms,
            note=self._note,
            note_asked=self._note_resumed,
            resumption=None if before is None else before.resumption,
            given=None if before is None else before.answers,
        )
        if before is None:
            match.begin(attrs.asdict(game))
            self._hall.records.keep_ring(self.ring)
        self._pauses = self._hall.pauses(game.showdowns)
        record = await match.play(self._players(hand, match), self._pauses)
        if self._nursery is not None:  # the disk may be slow, and the next hand need not wait for it
            self._nursery.start_soon(match.archive)
        return record

    def _players(self, hand: Hand, match: PlayedMatch) -> list[Player]:
        """Who sits in each seat, for the referee."""
        present = {occupant.player_id for occupant in seated(self.ring)}
        self._seats = {}
        for number, (player_id, name) in enumerate(zip(hand.player_ids, match.terms.names, strict=True)):
            if player_id in self._bots:
                continue
            seat = self._seats[player_id] = RingSeat(name, partial(self._remove, player_id))
            if player_id not in present:
                seat.leave()
            elif number in match.given:
                seat.expect(match.given[number])
        return [self._bots.get(player_id) or self._seats[player_id] for player_id in hand.player_ids]

    def _terms(self, hand: Hand) -> MatchTerms:
        seed = self._hall.draw_seed()
        there = {each.player_id: each for each in self.ring.places if each is not None}
        return MatchTerms(
            match_id=drawn_match_id(seed),
            seed=seed,
            seating=hand.player_ids,
            names=rules.names_in_hand([there[player_id].handle for player_id in hand.player_ids]),
            move_s=MOVE_S,
            started_at=self._hall.now(),
            are_people=tuple(not there[player_id].is_house for player_id in hand.player_ids),
        )

    def _note_resumed(self) -> None:
        """Notes that the first questions of a hand that goes on have been asked."""
        if self._is_resuming:
            self._is_resuming = False
            self._bump()

    def _note(self, moment: Moment) -> None:
        """Takes note of a step of the hand."""
        match, hand = self.match, self.ring.hand
        assert match is not None, "it is played"
        assert hand is not None, "it is played"
        if match.game.to_act(match.state):
            self._bump()
        else:  # nobody may see the hand over and its chips not counted
            self.showdown = shown_at_end(match, moment)
            self._count(hand, match.game.returns(match.state))

    def _count(self, hand: Hand, returns: Sequence[float]) -> None:
        """Ends the hand: its chips go where they belong."""
        stacks = [chips + int(won) for chips, won in zip(hand.stacks, returns, strict=True)]
        self._end(rules.end_hand(self.ring, stacks, now=self._hall.now()))

    def _end(self, changed: Ring) -> None:
        self.match, self._seats = None, {}
        self._apply(changed)

    # What follows from every change

    def _remove(self, player_id: str) -> None:
        self._apply(rules.leave_ring(self.ring, player_id, now=self._hall.now()))

    def _apply(self, changed: Ring) -> None:
        """Replaces the table with what it is after something was done, and keeps it."""
        if changed is self.ring:
            return
        self.ring = changed
        self._hall.records.keep_ring(changed)
        self._welcome_bots()
        self._bump()
