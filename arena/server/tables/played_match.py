"""A match at a table of either kind while it is played: what has happened, what each viewer may know of it.

It keeps itself: how it began, each answer and turn as it comes, and its end.  Tables say who plays, and what
follows for those who sit there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Any

import attrs
import trio

from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Seat, Step
from arena.match.record import Decision, MatchRecord, Turn
from arena.players.base import GonePlayer, Player
from arena.players.desk import Slot
from arena.referee import Conduct, Resumption, Seating, no_lag, play_match
from arena.schedule import bot_seed
from arena.server.kept.archive import FinishedTable
from arena.server.services import ServerServices
from arena.server.tables.pauses import PacedPlayer, Pauses
from arena.server.tables.seat import SeatPlayer
from arena.server.tables.table import MatchTerms, Notice
from arena.server.tables.windows import Windows
from arena.telling.replay import LiveShowing, Moment, Viewer, replay


@attrs.frozen
class LiveScene(Notice):
    """A step of the match, just made."""

    moment: Moment
    version: int
    """The version of the table."""


class PlayedMatch:
    """One match, played by the referee, step by step."""

    def __init__(
        self,
        hall: ServerServices,
        table_id: str,
        game: Game[Any, Any],
        terms: MatchTerms,
        *,
        note: Callable[[Moment], None] = lambda moment: None,
        note_asked: Callable[[], None] = lambda: None,
        resumption: Resumption | None = None,
        given: Mapping[int, Sequence[Any]] | None = None,
    ) -> None:
        """`note` is told each new step as it is made, before the next questions are asked, and `note_asked`
        whenever questions have been asked; they must not raise or wait.

        `resumption`: what was played of it before it fell asleep, or the server was started again.  `given`:
        by seat the moves that had come then for the turn that was open, and for the next one.
        """
        self._hall = hall
        self._table_id = table_id
        self.game = game
        self.terms = terms
        self.showing = LiveShowing(game, terms.names)
        self.turns: list[Turn] = []
        self.decisions: list[Decision] = []
        self.moments: list[Moment] = [Moment(-1, {}, Step(game.start(len(terms.names))))]
        """All so far, with events; only the last one has its state."""
        self.rounds: list[int] = []
        """The index in `moments` at which each round begins."""
        self.players: Sequence[PacedPlayer] = ()
        self.record: MatchRecord | None = None
        """Its record, once it is over."""
        self._note = note
        self._note_asked = note_asked
        self._counted = 0
        self._resumption = resumption
        self._pauses: Pauses | None = None
        if resumption is not None:
            self._recall(resumption)
        self.is_resuming = resumption is not None and bool(self.to_act)
        """Whether it goes on from earlier moves, and nobody has been asked yet: its bots are started."""
        self._given = {number: (self.turn, moves) for number, moves in (given or {}).items()}
        """Each seat's latest moves, and the turn for which the first of them is."""

    def _recall(self, resumption: Resumption) -> None:
        """Remembers the moments of what was played before, and tells nobody."""
        for decision in resumption.decisions:
            self.showing.decisions[decision.turn, decision.seat] = decision
        self._counted = len(resumption.decisions)
        for moment in islice(moments_of(self.game, len(self.terms.names), resumption.turns), 1, None):
            self._add(moment)

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
    def given(self) -> dict[int, Sequence[Any]]:
        """Each seat's moves that have come for this turn and the next, for which nobody is asked again."""
        left = {number: moves[self.turn - first :] for number, (first, moves) in self._given.items()}
        return {number: moves for number, moves in left.items() if moves}

    @property
    def is_over(self) -> bool:
        return self.record is not None

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """The seats asked now that may not stay silent."""
        options = ((seat, self.game.options(self.state, seat)) for seat in self.to_act)
        return tuple(seat for seat, may in options if not self.game.may_be_silent(may))

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

    def begin(self, rules: Mapping[str, Any]) -> None:
        """Keeps how it began.  `rules`: from which its game can be made again."""
        records, terms = self._hall.records, self.terms
        records.begin_match(self._table_id, self.game, terms, rules)
        for number, turn in enumerate(() if self._resumption is None else self._resumption.turns):
            records.keep_turn(terms.match_id, self.game, number, turn, ())

    def answer(self, player_id: str, seat: SeatPlayer, move: Any) -> None:
        """Makes the move of somebody who plays, which is kept once the records say so.

        The match may have gone on before this returns.
        """
        number = self.terms.seating.index(player_id)
        answers = seat.answers(move)
        for ahead, each in enumerate(answers):
            self._hall.records.keep_answer(self.terms.match_id, self.game, self.turn + ahead, number, each)
        self._given[number] = self.turn, answers
        seat.play(move)

    async def play(
        self, players: Sequence[Player], pauses: Pauses | None, windows: Windows | None = None
    ) -> MatchRecord:
        """Plays it to its end.  `windows`: when silence is a move of those who are people."""
        self._pauses = pauses
        async with trio.open_nursery() as nursery:
            self.players = [
                PacedPlayer(player, pauses, nursery, is_bot=not is_person, windows=windows)
                for player, is_person in zip(players, self.terms.are_people, strict=True)
            ]
            self.record = await self._refereed(pauses, windows)
            nursery.cancel_scope.cancel()
        return self.record

    async def _refereed(self, pauses: Pauses | None, windows: Windows | None) -> MatchRecord:
        terms, lag_watch = self.terms, self._hall.lag_watch

        def note_asked() -> None:
            if windows is not None:
                asked = {seat: slot for seat in self.to_act if (slot := self._asked(seat)) is not None}
                windows.begin(self.state, asked)
            self._note_asked()
            self.is_resuming = False

        def watch(moves: Turn, step: Step[Any]) -> None:
            if pauses is not None:
                pauses.note(step)
            for decision in self.decisions[self._counted :]:
                self.showing.decisions[decision.turn, decision.seat] = decision
            self._counted = len(self.decisions)
            moment = Moment(len(self.turns) - 1, moves, step)
            self._add(moment)
            number, decisions = moment.turn, self.decisions_of(moment.turn)
            self._hall.records.keep_turn(terms.match_id, self.game, number, moves, decisions)
            self._note(moment)

        return await play_match(
            self.game,
            self.players,
            seed=terms.seed,
            control=Control(move_s=terms.move_s, margin_s=0.0),
            conduct=Conduct(),
            seating=Seating(
                terms.match_id,
                terms.names,
                tuple(bot_seed(terms.seed, terms.match_id, seat) for seat in range(len(terms.names))),
            ),
            watch=watch,
            lag=no_lag if lag_watch is None else lag_watch.since,
            turns=self.turns,
            decisions=self.decisions,
            resumption=self._resumption,
            note_asked=note_asked,
        )

    async def conclude(self) -> None:
        """Makes the record of a match that was played to its end before the server was started again."""
        assert not self.game.to_act(self.state), "it was played to its end"
        gone = [GonePlayer(name, "the match is over") for name in self.terms.names]
        for player, is_person in zip(gone, self.terms.are_people, strict=True):
            player.is_forgiven = is_person
        await self.play(gone, None)

    async def archive(self) -> None:
        """Moves it, which is over, from what is kept to the archive."""
        assert self.record is not None, "it is over"
        terms = self.terms
        finished = FinishedTable(
            match_id=terms.match_id,
            table_id=self._table_id,
            game=self.game,
            names=terms.names,
            kinds=tuple("person" if is_person else "bot" for is_person in terms.are_people),
            seed=terms.seed,
            record=self.record,
            started_at=terms.started_at,
        )
        await self._hall.records.end_match(finished)

    def forget(self) -> None:
        """It is played no further: nothing of it is kept."""
        self._hall.records.forget_match(self.terms.match_id)

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
        """The decisions of one turn."""
        found: list[Decision] = []
        for decision in reversed(self.decisions):
            if decision.turn < turn:
                break
            found.append(decision)
        return found[::-1]


def moments_of(game: Game[Any, Any], seats: int, turns: Sequence[Turn]) -> Iterator[Moment]:
    """The moments of a match from its moves, the start first."""
    steps = replay(game, seats, turns)
    yield Moment(-1, {}, next(steps))
    for turn, (moves, step) in enumerate(zip(turns, steps, strict=True)):
        yield Moment(turn, moves, step)
