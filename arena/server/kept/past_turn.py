"""One question of a finished match as the seat met it: what it had been told, what it saw and could do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import msgspec

from arena.match.game import Event, Game, Option, Seat, Told
from arena.match.information import told_to
from arena.match.record import Turn
from arena.players.codec import codec_of
from arena.refusal import Refusal
from arena.server.limits import QUESTION_TOLD_MAX
from arena.telling.replay import Moment, Showing
from arena.words import counted, listed


@attrs.frozen(kw_only=True)
class PastTurn:
    """A question that was put in a match that is over."""

    match_id: str
    step: int
    """The place of its step among those of the match, from 0."""
    game: Game[Any, Any]
    names: tuple[str, ...]
    seat: Seat
    told: tuple[Told, ...]
    """What the seat was told until then."""
    observation: Any
    options: tuple[Option, ...]
    turns: tuple[Turn, ...]
    """The moves that led there."""
    played: Any
    """The move that was made; None if the match ended before."""

    def told_json(self) -> tuple[tuple[str, msgspec.Raw], ...]:
        """What the seat was told until then: kinds and payloads, as JSON.

        Called in a thread, as there may be much of it.  Raises Refusal if it is too much to tell a bot.
        """
        if len(self.told) > QUESTION_TOLD_MAX:
            why = f"{counted(len(self.told), 'event')} led to this step, too many to tell them to a bot"
            raise Refusal("conflict", f"{why}: choose an earlier one", field="step")
        encode = codec_of(self.game, self.names, self.seat).encode
        return tuple((each.kind, msgspec.Raw(encode(each.payload))) for each in self.told)


@attrs.frozen
class TurnWanted:
    """Which question of a match is meant."""

    step: int
    name: str | None
    """Who was asked; None: whoever comes first in the order of play."""

    def found(self, match_id: str, showing: Showing, moments: Iterable[Moment]) -> PastTurn:
        """The question; goes through the match, in a thread.  Raises Refusal if nobody was asked there."""
        events, turns = list[tuple[Event, ...]](), list[Turn]()
        here: Moment | None = None
        played: Turn = {}
        for number, moment in enumerate(moments):
            if number > self.step:
                played = moment.moves
                break
            here = moment
            turns += [moment.moves] if moment.turn >= 0 else []
            events.append(() if moment.step is None else moment.step.events)
        if here is None or len(events) <= self.step:
            raise Refusal("bad_request", f"the match has {counted(len(events), 'step')}", field="step")
        seat = self._seat(showing, here)
        assert here.step is not None, "somebody is asked"
        state = here.step.state
        return PastTurn(
            match_id=match_id,
            step=self.step,
            game=showing.game,
            names=showing.names,
            seat=seat,
            told=tuple(each for step in events for each in told_to(step, seat)),
            observation=showing.game.observe(state, seat),
            options=showing.game.options(state, seat),
            turns=tuple(turns),
            played=played.get(seat),
        )

    def _seat(self, showing: Showing, here: Moment) -> Seat:
        asked = showing.asked(here)
        names = [showing.names[seat] for seat in asked]
        if not asked:
            raise Refusal("conflict", "nobody is asked at this step: choose one at which somebody is to move")
        if self.name is None:
            return asked[0]
        if self.name not in names:
            raise Refusal("bad_request", f"at this step {listed(names, 'or')} is asked", field="name")
        return asked[names.index(self.name)]
