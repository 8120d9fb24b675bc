"""The only turn loop in the house: decide the asked seats, apply, tell; and the same from a record.

A bot's failure is data here: a fault, and the game's default move.  How a
player is reached, and what a result is worth, is not known on this floor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, TypeVar

import attrs
import trio

from arena.clock import Control, SeatClock
from arena.game import CHANCE, Game, Seat, Step, explain, is_legal
from arena.players.base import Desk, MatchStart, Player, Question, Slot
from arena.record import Capsule, Decision, FaultKind, MatchRecord, Turn
from arena.schedule import derive_seed

S = TypeVar("S")

TURNS_BETWEEN_CHECKPOINTS = 64
"""Bots of this process answer without waiting; so often everyone else gets a turn all the same."""
LAG_SHARE = 0.05
"""A fault for time is marked when the arena itself was late by more than this share of the limit meanwhile."""

Watch = Callable[[Turn, Step[Any]], None]
"""Is shown every turn's moves and what followed, as it happens."""


@attrs.frozen
class Conduct:
    """What a bot may do wrong before it is not asked any more."""

    faults_max: int = 5


@attrs.frozen
class Seating:
    """What players are told of their match: its opaque id, the names by seat, and each bot's own seed."""

    match_id: str
    names: tuple[str, ...]
    bot_seeds: tuple[int, ...]


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
) -> MatchRecord:
    """Plays one match to its end; a player that is None is not asked, its default moves are played.

    `lag` gives the worst lateness of the arena itself since a moment, in seconds.
    `turns` is filled as the match goes: if the rules raise (which is our bug and
    travels), it holds the moves so far, those that broke them included.
    """
    match = _Match(game, players, control, conduct, seating, lag)
    turns = [] if turns is None else turns
    started_at = trio.current_time()
    state = game.start(len(players))
    while asked := game.to_act(state):
        moves: Turn
        if asked[0] == CHANCE:
            rng = Random(derive_seed(seed, *game.chance_key(state)))
            moves = {CHANCE: game.draw(state, rng)}
        else:
            moves = await match.decide(state, asked, len(turns))
        turns.append(moves)
        step = game.apply(state, moves)
        state = step.state
        match.tell(step)
        if watch is not None:
            watch(moves, step)
    ranks, returns = game.ranks(state), game.returns(state)
    match.end(ranks, returns)
    return MatchRecord(
        turns=tuple(turns),
        decisions=tuple(match.decisions),
        ranks=ranks,
        returns=returns,
        abandoned=tuple(match.abandoned),
        capsules=tuple(match.capsules),
        duration_s=trio.current_time() - started_at,
    )


def replay(game: Game[S, Any], seats: int, turns: Sequence[Turn]) -> Iterator[Step[S]]:
    """The steps of a match rebuilt from its moves alone, beginning with the start."""
    step: Step[S] = Step(game.start(seats))
    yield step
    for moves in turns:
        step = game.apply(step.state, moves)
        yield step


class _Match:
    """The players of one match, their clocks and faults."""

    def __init__(
        self,
        game: Game[Any, Any],
        players: Sequence[Player | None],
        control: Control,
        conduct: Conduct,
        seating: Seating,
        lag: Callable[[float], float],
    ) -> None:
        self.game = game
        self.players = players
        self.conduct = conduct
        self.lag = lag
        self.desk = Desk()
        self.clocks = [
            SeatClock(attrs.evolve(control, margin_s=control.margin_s if player is None else player.margin_s))
            for player in players
        ]
        self.faults = [0] * len(players)
        self.abandoned = [False] * len(players)
        self.decisions: list[Decision] = []
        self.capsules: list[Capsule] = []
        self._since_checkpoint = 0
        for index, player in enumerate(players):
            if player is not None:
                seat = Seat(index)
                bot_seed = seating.bot_seeds[index]
                player.begin(MatchStart(seating.match_id, game, seat, seating.names, self.clocks[index].control, bot_seed))

    async def decide(self, state: Any, asked: Sequence[Seat], turn: int) -> Turn:
        """The moves of the seats asked, all asked at once and waited for once."""
        slots: dict[Seat, Slot] = {}
        options = {}
        for seat in asked:
            player = self.players[seat]
            if player is not None and not self.abandoned[seat]:
                options[seat] = self.game.options(state, seat)
                clock = self.clocks[seat]
                limit = clock.limit(first=not player.has_answered)
                slot = slots[seat] = self.desk.slot(trio.current_time(), limit)
                player.ask(Question(self.game.observe(state, seat), options[seat], limit, clock.bank_s), slot)
        await self._wait(slots)
        decisions = [
            self._judge(state, seat, turn, slots[seat], options[seat])
            if seat in slots
            else Decision(turn, seat, self.game.default(state, seat), 0.0, asked=False)
            for seat in asked
        ]
        for decision in decisions:
            self.decisions.append(decision)
            if decision.fault is not None:
                self._note_fault(decision)
        return {decision.seat: decision.move for decision in decisions}

    async def _wait(self, slots: dict[Seat, Slot]) -> None:
        if any(slot.reply is None for slot in slots.values()):
            self._since_checkpoint = 0
            await self.desk.wait(tuple(slots.values()))
        else:
            self._since_checkpoint += 1
            if self._since_checkpoint >= TURNS_BETWEEN_CHECKPOINTS:
                self._since_checkpoint = 0
                await trio.lowlevel.checkpoint()
        for seat, slot in slots.items():
            if slot.reply is None:
                player = self.players[seat]
                assert player is not None
                slot.fail(*player.expire())

    def _judge(self, state: Any, seat: Seat, turn: int, slot: Slot, options: Sequence[Any]) -> Decision:
        """One seat's reply by its own limit and the rules."""
        player, reply, limit = self.players[seat], slot.reply, slot.limit
        assert player is not None
        assert reply is not None
        began_at = slot.asked_at if slot.sent_at is None else slot.sent_at
        elapsed_s = max(0.0, reply.arrived_at - began_at)
        fault, reason, lagged = reply.fault, reply.reason, False
        if fault is None or fault == "malformed":
            player.has_answered = True
            if elapsed_s > limit.total_s and player.enforces_time:
                if reply.heard_since - began_at > limit.total_s:
                    fault, reason = "too_late", _late(elapsed_s, limit.time_s)
                else:  # it may well have come in time: the arena was not listening then
                    elapsed_s, lagged = limit.total_s, True
        if fault is None and not is_legal(options, reply.move):
            fault, reason = "illegal", explain(options, reply.move)
        if fault == "too_late":
            elapsed_s = max(elapsed_s, limit.total_s)
            if not reason:
                reason = _late(elapsed_s, limit.time_s)
            lagged = self.lag(began_at) > LAG_SHARE * limit.time_s
        self.clocks[seat].spend(elapsed_s, limit)
        move = reply.move if fault is None else self.game.default(state, seat)
        return Decision(turn, seat, move, elapsed_s, fault, reason, True, lagged)

    def _note_fault(self, decision: Decision) -> None:
        player = self.players[decision.seat]
        assert player is not None
        player.blame(decision)
        number = self.faults[decision.seat]
        self.capsules.append(Capsule(decision, number, player.evidence()))
        self.faults[decision.seat] += 1
        if self.faults[decision.seat] >= self.conduct.faults_max:
            self.abandoned[decision.seat] = True

    def tell(self, step: Step[Any]) -> None:
        """Tells everyone what each may know of what happened."""
        for event in step.events:
            for index, player in enumerate(self.players):
                if player is not None:
                    payload = event.seen_by(Seat(index))
                    if payload is not None:
                        player.tell(event.kind, payload)

    def end(self, ranks: Sequence[int], returns: Sequence[float]) -> None:
        by_rank = {Seat(seat): rank for seat, rank in enumerate(ranks)}
        by_return = {Seat(seat): value for seat, value in enumerate(returns)}
        for player in self.players:
            if player is not None:
                player.end(by_rank, by_return)


def _late(elapsed_s: float, limit_s: float) -> str:
    return f"no answer within {limit_s:g} s" if elapsed_s <= limit_s else f"answered after {elapsed_s:.3f} s; the limit is {limit_s:g} s"


