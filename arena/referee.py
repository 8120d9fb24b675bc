"""The only turn loop in the arena: ask the seats, apply their moves, tell everyone.

A bot's failure is data here: a fault, and the game's default move.  This module does not know how a
player is reached, or what a result is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from math import inf
from typing import Any, TypeVar

import attrs
import trio

from arena.match.clock import Control, Limit, SeatClock
from arena.match.game import CHANCE, Game, Seat, Step, explain, is_legal
from arena.match.record import Capsule, Decision, MatchRecord, Turn
from arena.match.rulings import Ruling, draw_of, is_given_up, less_luck, lucks_of, ruling_on
from arena.players.base import MatchStart, Player
from arena.players.desk import Desk, Question, Slot

S = TypeVar("S")

TURNS_BETWEEN_CHECKPOINTS = 64
"""Bots in this process answer without waiting; after this many turns everyone else gets to run."""
LAG_SHARE = 0.05
"""A `too_late` is marked as lagged if the arena was late meanwhile by more than this share of the limit."""
REASON_MAX = 400
"""Characters of a reason, which bots can influence."""

Watch = Callable[[Turn, Step[Any]], None]
"""Is given every turn's moves and what followed, as it happens."""


@attrs.frozen
class Conduct:
    """How many faults a player may commit before it is not asked any more, unless it is forgiven."""

    faults_max: int = 5


@attrs.frozen
class Seating:
    """What players are told about their match: its opaque id, the names by seat, and each bot's own seed."""

    match_id: str
    names: tuple[str, ...]
    bot_seeds: tuple[int, ...]


@attrs.frozen
class Resumption:
    """What was played of a match before it was cut short, by a kill for instance; it goes on from there."""

    turns: tuple[Turn, ...]
    decisions: tuple[Decision, ...]
    """The decisions of these turns, in order."""
    had_answered: tuple[bool, ...] = ()
    """For each seat, whether its instance had answered before the match began, so that its bank has paid for
    its first answer in the match as well.  Empty: none had."""
    is_told: bool = False
    """Whether the players, who were not there, are told of these turns as if they had been."""


def no_lag(since: float) -> float:
    """The lag watch of an arena that is never late (virtual time)."""
    return 0.0


async def play_match(
    game: Game[S, Any],
    players: Sequence[Player | None],
    *,
    seed: int,
    control: Control,
    conduct: Conduct,
    seating: Seating,
    watch: Watch | None = None,
    lag: Callable[[float], float] = no_lag,
    turns: list[Turn] | None = None,
    decisions: list[Decision] | None = None,
    resumption: Resumption | None = None,
    note_asked: Callable[[], None] | None = None,
) -> MatchRecord:
    """Plays one match to its end; a player that is None is not asked, its default moves are played.

    `lag` returns the worst lateness of the arena itself since a given time, in seconds.
    `turns` and `decisions` are filled as the match goes: if the rules raise (which is our bug and
    propagates), they hold the moves so far, including those at which they failed.  When `watch` is
    called, both have all of that turn.
    `note_asked` is called whenever the questions of a turn have been handed over; some may be answered then.
    With a `resumption` its turns are applied first, chance's as they are, without a word to `watch`, and to
    players only if it asks for that.  Banks, faults and who is abandoned follow from its decisions; open
    questions are asked anew with all their time.  An instance that is new has the time of its first answer
    once more.  The record holds all turns and decisions, but the capsules of new faults only.
    """
    turns = [] if turns is None else turns
    decisions = [] if decisions is None else decisions
    started_at = trio.current_time()
    match = _Match(game, players, control, conduct, seating, lag, decisions, note_asked)
    try:
        await match.desk.carry(match.play(seed, turns, watch, resumption))
    except BaseException:
        match.break_off()
        raise
    finally:
        match.desk.close()
    duration_s = trio.current_time() - started_at
    return MatchRecord(
        turns=tuple(turns),
        decisions=tuple(decisions),
        ranks=match.ranks,
        returns=match.returns,
        abandoned=tuple(chair.is_abandoned for chair in match.chairs),
        capsules=tuple(match.capsules),
        duration_s=duration_s,
        adjusted=await _adjusted(game, match.state, seed, match.returns),
    )


async def _adjusted(
    game: Game[Any, Any], state: Any, seed: int, returns: tuple[float, ...]
) -> tuple[float, ...]:
    """The returns of a finished match without luck; while that takes its time, everyone else gets to run."""
    lucks = []
    for luck in lucks_of(game, state, seed):
        lucks.append(luck)
        await trio.lowlevel.checkpoint()
    return less_luck(returns, lucks) if lucks else returns


class _Chair:
    """One seat of a match: who sits there, its clock, its faults."""

    __slots__ = ("clock", "faults", "is_abandoned", "limit", "player", "seat")

    def __init__(self, seat: Seat, player: Player | None, control: Control) -> None:
        self.seat = seat
        self.player = player
        if player is not None and player.margin_s != control.margin_s:
            control = attrs.evolve(control, margin_s=player.margin_s)
        self.clock = SeatClock(control)
        self.faults = 0
        self.is_abandoned = False
        self.limit = None if control.bank_s is not None else self.clock.limit()
        """The limit of every question after the first answer, if there is no bank to change it."""

    def next_limit(self, player: Player) -> Limit:
        """The limit of the next question."""
        if self.limit is not None and player.has_answered:
            return self.limit
        return self.clock.limit(first=not player.has_answered)

    def recall(self, decisions: Sequence[Decision], conduct: Conduct, had_answered: bool) -> None:
        """Sets bank and faults to what the seat's decisions so far have made of them."""
        for decision in decisions:
            if decision.asked:
                self.clock.spend(decision.elapsed_s, self.clock.limit(first=not had_answered))
                had_answered = had_answered or decision.fault != "gone"
            if decision.fault is not None:
                self.count_fault(conduct)

    def note_answer(self, player: Player, ruling: Ruling, charged_s: float, limit: Limit) -> None:
        """Takes its time from the bank, and notes that the player has answered."""
        if not player.has_answered and ruling.fault != "gone":
            player.has_answered, player.first_answer_s = True, charged_s
        if self.limit is None:  # there is a bank
            self.clock.spend(charged_s, limit)

    def count_fault(self, conduct: Conduct) -> None:
        """Counts a fault; with the last one that is allowed the seat is abandoned."""
        self.faults += 1
        is_forgiven = self.player is not None and self.player.is_forgiven
        self.is_abandoned = is_given_up(self.faults, conduct.faults_max) and not is_forgiven


class _Match:
    """The seats of one match, and what is recorded of it."""

    def __init__(
        self,
        game: Game[Any, Any],
        players: Sequence[Player | None],
        control: Control,
        conduct: Conduct,
        seating: Seating,
        lag: Callable[[float], float],
        decisions: list[Decision],
        note_asked: Callable[[], None] | None,
    ) -> None:
        self.game = game
        self.conduct = conduct
        self.lag = lag
        self.note_asked = note_asked
        self.names = seating.names
        self.desk = Desk()
        self.chairs = [_Chair(Seat(index), player, control) for index, player in enumerate(players)]
        self.decisions = decisions
        self.capsules: list[Capsule] = []
        self.ranks: tuple[int, ...] = ()
        self.returns: tuple[float, ...] = ()
        self.state: Any = None
        """The last state of the match, when it is over."""
        self._since_checkpoint = 0
        for chair, bot_seed in zip(self.chairs, seating.bot_seeds, strict=True):
            if chair.player is not None:
                chair.player.begin(
                    MatchStart(
                        match_id=seating.match_id,
                        game=game,
                        seat=chair.seat,
                        names=seating.names,
                        control=chair.clock.control,
                        bot_seed=bot_seed,
                    )
                )

    def play(
        self, seed: int, turns: list[Turn], watch: Watch | None, resumption: Resumption | None
    ) -> Iterator[Sequence[Slot]]:
        """The turn loop; yields the slots that must be waited for, and sets `ranks` and `returns` at the end.

        A generator, because it resumes where the last answer came in: see `Desk.carry`.
        """
        game = self.game
        state = game.start(len(self.chairs))
        if resumption is not None:
            state = yield from self._resume(state, resumption, turns)
        while asked := game.to_act(state):
            moves: Turn
            if asked[0] == CHANCE:
                moves = {CHANCE: draw_of(game, state, seed)}
            else:
                moves = yield from self._decide(state, asked, len(turns))
            turns.append(moves)
            step = game.apply(state, moves)
            state = step.state
            self._tell(step)
            if watch is not None:
                watch(moves, step)
        self.state, self.ranks, self.returns = state, game.ranks(state), game.returns(state)
        self._end(self.ranks, self.returns)

    def _resume(
        self, state: Any, resumption: Resumption, turns: list[Turn]
    ) -> Generator[Sequence[Slot], None, Any]:
        """The state after the turns that were played before, with every chair as it was then."""
        for chair in self.chairs:
            had_answered = bool(resumption.had_answered) and resumption.had_answered[chair.seat]
            own = [decision for decision in resumption.decisions if decision.seat == chair.seat]
            chair.recall(own, self.conduct, had_answered)
        self.decisions.extend(resumption.decisions)
        for moves in resumption.turns:
            turns.append(moves)
            step = self.game.apply(state, moves)
            state = step.state
            if resumption.is_told:
                self._tell(step)
            if len(turns) % TURNS_BETWEEN_CHECKPOINTS == 0:
                yield ()
        return state

    # A turn: all seats are asked, waited for once, and judged each by its own limit; then faults are told.

    def _decide(self, state: Any, asked: Sequence[Seat], turn: int) -> Generator[Sequence[Slot], None, Turn]:
        """The moves of the seats asked."""
        slots = [self._ask(state, seat) for seat in asked]
        if self.note_asked is not None:
            self.note_asked()
        yield from self._wait(asked, slots)
        moves = {}
        faulty = []
        for seat, slot in zip(asked, slots, strict=True):
            if slot is None:
                decision = Decision(turn, seat, self.game.default(state, seat), 0.0, None, "", False)
            else:
                decision = self._judge(turn, state, seat, slot)
                if decision.fault is not None:
                    faulty.append(decision)
            self.decisions.append(decision)
            moves[seat] = decision.move
        for decision in faulty:
            self._note_fault(decision)
        return moves

    def _ask(self, state: Any, seat: Seat) -> Slot | None:
        """Hands the question over; None for a seat that is not asked any more."""
        chair = self.chairs[seat]
        player = chair.player
        if player is None or chair.is_abandoned:
            return None
        game, desk = self.game, self.desk
        limit = chair.next_limit(player)
        question = Question(game.observe(state, seat), game.options(state, seat), limit, chair.clock.bank_s)
        slot = desk.slot(question, desk.now())
        player.ask(question, slot)
        return slot

    def _wait(self, asked: Sequence[Seat], slots: Sequence[Slot | None]) -> Iterator[Sequence[Slot]]:
        """Returns when every question is settled, by an answer or because its time is up."""
        if len(asked) < len(self.chairs) or None in slots:  # a question flushes all that was said before it
            for chair in self.chairs:
                if chair.player is not None:
                    chair.player.flush()
        if not self.desk.missing:
            self._since_checkpoint += 1
            if self._since_checkpoint >= TURNS_BETWEEN_CHECKPOINTS:
                self._since_checkpoint = 0
                yield ()
            return
        self._since_checkpoint = 0
        yield [slot for slot in slots if slot is not None]
        if self.desk.missing:
            for seat, slot in zip(asked, slots, strict=True):
                player = self.chairs[seat].player
                if slot is not None and slot.reply is None and player is not None:
                    slot.fail(*player.expire())

    def _judge(self, turn: int, state: Any, seat: Seat, slot: Slot) -> Decision:
        """The decision that a seat's reply makes, by its own limit and the rules."""
        chair, reply, question = self.chairs[seat], slot.reply, slot.question
        player, limit = chair.player, question.limit
        assert player is not None
        assert reply is not None, "the wait ends when every question is settled"
        began_at = slot.asked_at if slot.sent_at is None else slot.sent_at
        elapsed_s = reply.arrived_at - began_at if reply.arrived_at > began_at else 0.0
        fault, reason, move = reply.fault, reply.reason, reply.move
        if fault is None and not is_legal(question.options, move):
            fault = "illegal"
        limit_s = limit.total_s if player.enforces_time else inf
        ruling = ruling_on(fault, elapsed_s, reply.heard_since - began_at, limit_s, slot.sent_at is not None)
        charged_s = limit.total_s if ruling.is_charged_limit else elapsed_s
        if chair.limit is None or not player.has_answered:
            chair.note_answer(player, ruling, charged_s, limit)
        is_lagged = ruling.is_lagged
        if is_lagged is None:
            is_lagged = self.lag(began_at) > LAG_SHARE * limit.time_s
        if ruling.fault is None:
            return Decision(turn, seat, move, charged_s, None, "", True, is_lagged)
        if ruling.fault == "illegal":
            reason = self._with_names(explain(question.options, move))
        reason = _clause(ruling.reason_for(fault, reason, elapsed_s, limit))
        default = self.game.default(state, seat)
        return Decision(turn, seat, default, charged_s, ruling.fault, reason, True, is_lagged)

    def _with_names(self, reason: str) -> str:
        """The reason with the bots' names: games write seats, bots and people read names."""
        for seat, name in enumerate(self.names):
            reason = reason.replace(repr(Seat(seat)), name)
        return reason

    def _note_fault(self, decision: Decision) -> None:
        chair = self.chairs[decision.seat]
        assert chair.player is not None
        chair.player.blame(decision)
        self.capsules.append(Capsule(decision, chair.faults, chair.player.evidence()))
        chair.count_fault(self.conduct)

    # What everyone is told.

    def _tell(self, step: Step[Any]) -> None:
        """Tells each seat what it may know of what happened."""
        for chair in self.chairs:
            if chair.player is not None and chair.player.hears_events:
                for event in step.events:
                    payload = event.seen_by(chair.seat)
                    if payload is not None:
                        chair.player.tell(event.kind, payload)

    def _end(self, ranks: Sequence[int], returns: Sequence[float]) -> None:
        by_rank = {Seat(seat): rank for seat, rank in enumerate(ranks)}
        by_return = {Seat(seat): value for seat, value in enumerate(returns)}
        for chair in self.chairs:
            if chair.player is not None:
                chair.player.end(by_rank, by_return)
                chair.player.flush()

    def break_off(self) -> None:
        """Ends the match without a result."""
        for chair in self.chairs:
            if chair.player is not None:
                chair.player.break_off()


def _clause(reason: str) -> str:
    """A reason that is safe to show in tables and terminals: bots can influence its text."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in reason[: REASON_MAX + 1])
    return shown if len(shown) <= REASON_MAX else shown[: REASON_MAX - 1] + "…"
