"""A match at a table while it is played: what has happened, and what each viewer may know of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import attrs
import trio

from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Seat, Step
from arena.match.record import Decision, MatchRecord, Turn
from arena.players.base import GonePlayer, Player
from arena.players.desk import Slot
from arena.players.lag import LagWatch
from arena.referee import Conduct, Resumption, Seating, no_lag, play_match
from arena.schedule import bot_seed
from arena.server.tables.pauses import PacedPlayer, Pauses
from arena.server.tables.windows import Windows
from arena.telling.replay import LiveShowing, Moment, Viewer, replay


@attrs.frozen
class MatchTerms:
    """What is settled about a match before its first move; kept, so that it goes on after a restart."""

    match_id: str
    """12 hexadecimal digits, drawn: nothing follows from it."""
    seed: int
    """Hidden until the match is over, and after."""
    seating: tuple[str, ...]
    """player_ids by seat."""
    names: tuple[str, ...]
    """Nicknames by seat."""
    move_s: float | None
    started_at: float
    """Unix time."""
    are_people: tuple[bool, ...] = ()
    """By seat; the others are bots."""


@attrs.frozen
class LiveScene:
    """A step of the match, just made."""

    moment: Moment
    version: int
    """The table's."""


class LiveMatch:
    """One match, played by the referee, step by step."""

    def __init__(
        self,
        game: Game[Any, Any],
        terms: MatchTerms,
        *,
        note: Callable[[Moment], None],
        note_asked: Callable[[], None] | None = None,
        lag_watch: LagWatch | None = None,
        resumption: Resumption | None = None,
    ) -> None:
        """`note` is told each new step as it is made, before the next questions are asked, and `note_asked`
        whenever questions have been asked; they must not raise or wait.

        `resumption`: what was played of it before the server was started again.
        """
        self.game = game
        self.terms = terms
        self.showing = LiveShowing(game, terms.names)
        self.turns: list[Turn] = []
        self.decisions: list[Decision] = []
        self.moments: list[Moment] = [Moment(-1, {}, Step(game.start(len(terms.names))))]
        """All so far, with events; only the last one has its state."""
        self.rounds: list[int] = []
        """For each round the place in `moments` at which it begins."""
        self.players: Sequence[PacedPlayer] = ()
        self.record: MatchRecord | None = None
        """Once it is over."""
        self._note = note
        self._note_asked = note_asked
        self._lag_watch = lag_watch
        self._counted = 0
        self._resumption = resumption
        self._pauses: Pauses | None = None
        if resumption is not None:
            self._recall(resumption)

    def _recall(self, resumption: Resumption) -> None:
        """Has the moments of what was played before, without a word to anybody."""
        for decision in resumption.decisions:
            self.showing.decisions[decision.turn, decision.seat] = decision
        self._counted = len(resumption.decisions)
        steps = replay(self.game, len(self.terms.names), resumption.turns)
        next(steps)
        for turn, (moves, step) in enumerate(zip(resumption.turns, steps, strict=True)):
            self._add(Moment(turn, moves, step))

    @property
    def state(self) -> Any:
        """The game's state now."""
        step = self.moments[-1].step
        assert step is not None, "a match at a table ends when its rules fail"
        return step.state

    @property
    def turn(self) -> int:
        """How many turns were played, those of chance too: the place of the next one."""
        return len(self.moments) - 1

    @property
    def so_far(self) -> Resumption:
        """What was played of it, from which it can go on."""
        if self._resumption is not None and len(self.turns) < self.turn:  # it has not gone on from there
            return self._resumption
        return Resumption(tuple(self.turns), tuple(self.decisions), (True,) * len(self.terms.names))

    @property
    def is_over(self) -> bool:
        return self.record is not None

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that are asked now; nobody while chance moves, or when the match is over."""
        return tuple(seat for seat in self.game.to_act(self.state) if seat != CHANCE)

    @property
    def is_paused(self) -> bool:
        """Whether the next questions wait until people could read what was shown."""
        return self.resumes_in_s is not None

    @property
    def resumes_in_s(self) -> float | None:
        """After how many seconds the questions that wait are asked; None: none wait."""
        pause_s = 0.0 if self._pauses is None or not self.to_act else self._pauses.pause_s
        return pause_s or None

    def remaining_s(self, seat: Seat) -> float | None:
        """The time that this seat has left, if it is asked and has a clock: of an answered question too.

        Whoever is asked may answer for as long as any of those who are asked with it has time.
        """
        slots = {each: slot for each in self.to_act if (slot := self._asked(each)) is not None}
        if (slot := slots.get(seat)) is None:
            return None
        until, now = slot.deadline, max(slot.asked_at, trio.current_time())
        if until <= now:
            until = max(each.deadline for each in slots.values())
        return None if until == inf else max(0.0, min(until - now, slot.question.limit.time_s))

    def _asked(self, seat: Seat) -> Slot | None:
        return self.players[seat].asked if self.players else None

    def viewer(self, player_id: str | None) -> Viewer:
        """The viewer that somebody at the table is."""
        if player_id in self.terms.seating:
            seat = self.terms.seating.index(player_id)
            return Viewer(self.terms.names[seat], Seat(seat))
        return Viewer("spectator")

    async def play(
        self,
        players: Sequence[Player],
        pauses: Pauses | None,
        nursery: trio.Nursery,
        are_bots: Sequence[bool],
        margin_s: float = 0.0,
        windows: Windows | None = None,
    ) -> MatchRecord:
        """Plays it to its end.  `windows`: when silence is a move of those who are people."""
        terms = self.terms
        self._pauses = pauses
        self.players = [
            PacedPlayer(player, pauses, nursery, is_bot=is_bot, windows=windows)
            for player, is_bot in zip(players, are_bots, strict=True)
        ]

        def note_asked() -> None:
            if windows is not None:
                asked = {seat: slot for seat in self.to_act if (slot := self._asked(seat)) is not None}
                windows.begin(self.state, asked)
            if self._note_asked is not None:
                self._note_asked()

        def watch(moves: Turn, step: Step[Any]) -> None:
            if pauses is not None:
                pauses.note(step)
            for decision in self.decisions[self._counted :]:
                self.showing.decisions[decision.turn, decision.seat] = decision
            self._counted = len(self.decisions)
            moment = Moment(len(self.turns) - 1, moves, step)
            self._add(moment)
            self._note(moment)

        self.record = await play_match(
            self.game,
            self.players,
            seed=terms.seed,
            control=Control(move_s=terms.move_s, margin_s=margin_s),
            conduct=Conduct(),
            seating=Seating(
                terms.match_id,
                terms.names,
                tuple(bot_seed(terms.seed, terms.match_id, seat) for seat in range(len(terms.names))),
            ),
            watch=watch,
            lag=no_lag if self._lag_watch is None else self._lag_watch.since,
            turns=self.turns,
            decisions=self.decisions,
            resumption=self._resumption,
            note_asked=note_asked,
        )
        return self.record

    async def conclude(self) -> MatchRecord:
        """The record of a match that was played to its end before the server was started again."""
        assert not self.game.to_act(self.state), "it was played to its end"
        are_people = self.terms.are_people or (False,) * len(self.terms.names)
        gone = [GonePlayer(name, "the match is over") for name in self.terms.names]
        for player, is_person in zip(gone, are_people, strict=True):
            player.is_forgiven = is_person
        async with trio.open_nursery() as nursery:
            return await self.play(gone, None, nursery, [not is_person for is_person in are_people])

    def _add(self, moment: Moment) -> None:
        before = self.moments[-1]
        self.moments[-1] = attrs.evolve(before, step=Step(None, before.step.events if before.step else ()))
        self.moments.append(moment)
        if self._begins_round(moment):
            self.rounds.append(len(self.moments) - 1)

    def round_moments(self, number: int) -> list[Moment]:
        """The moments of a round, from 1."""
        starts = [*self.rounds, len(self.moments)]
        return self.moments[starts[number - 1] : starts[number]]

    def _begins_round(self, moment: Moment) -> bool:
        kind = self.game.round_begins
        if kind is None:
            return moment.is_of_chance
        return moment.step is not None and any(event.kind == kind for event in moment.step.events)

    def decisions_of(self, turn: int) -> list[Decision]:
        """Those of one turn."""
        found: list[Decision] = []
        for decision in reversed(self.decisions):
            if decision.turn < turn:
                break
            found.append(decision)
        return found[::-1]


__all__ = ["LiveMatch", "LiveScene", "MatchTerms"]
