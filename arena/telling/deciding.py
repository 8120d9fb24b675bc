"""The step that decided a match, and why in one sentence, as everybody may know both."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from arena.match.game import Event, Seat
from arena.telling.replay import Moment, Showing
from arena.words import number


@attrs.frozen
class Decided:
    """What decided a match."""

    turn: int
    """The turn with which it was decided, as records number them."""
    said: str
    """Why, in one clause: `bob challenged a true bid of three 5s: there were four`."""


@attrs.frozen
class _Loss:
    """A step with which seats lost something, or were put out of the match."""

    turn: int
    events: tuple[Event, ...]
    lost: tuple[tuple[Seat, float], ...]
    out: tuple[Seat, ...]


class Deciding:
    """Looks for the step that decides a match: each moment once and in order, none left out."""

    def __init__(self, showing: Showing) -> None:
        self._showing = showing
        self._out: frozenset[Seat] = frozenset()
        self._last: _Loss | None = None
        """The last step with which somebody was put out."""
        self._largest: dict[Seat, tuple[float, _Loss]] = {}
        """How much each seat lost at once, the most and the last, with the step."""

    def note(self, moment: Moment, lost: tuple[tuple[Seat, float], ...]) -> None:
        """Looks at a moment, with which these seats lost so much."""
        if moment.step is None:
            return
        out = self._showing.game.eliminated(moment.step.state)
        gone = tuple([seat for seat in out if seat not in self._out])
        self._out = frozenset(out)
        if not (lost or gone):
            return
        loss = _Loss(moment.turn, moment.step.events, lost, gone)
        if gone:
            self._last = loss
        for seat, amount in lost:
            if seat not in self._largest or amount >= self._largest[seat][0]:
                self._largest[seat] = amount, loss

    def decided(self, ranks: Sequence[int] | None) -> Decided | None:
        """What decided the match that ended so: the last elimination, else the largest loss of one who lost.

        None: nobody lost it, or the game does not say what is lost in it.
        """
        lost = [each for seat, each in self._largest.items() if ranks is not None and ranks[seat] > 1]
        if self._last is not None and ranks is not None:
            loss = self._last
        elif lost:
            loss = max(lost, key=lambda each: (each[0], each[1].turn))[1]
        else:
            return None
        return Decided(loss.turn, self._said(loss))

    def _said(self, loss: _Loss) -> str:
        public = [Event(event.kind, event.public) for event in loss.events if event.public is not None]
        return self._showing.game.tell_why(public, self._name) or self._usual(loss)

    def _usual(self, loss: _Loss) -> str:
        """Who lost what, for games that do not say why."""
        if not loss.lost:
            return f"{self._name(loss.out[0])} was out"
        seat, amount = max(loss.lost, key=lambda each: (each[0] in loss.out, each[1]))
        one, many = self._showing.game.holding
        if seat in loss.out:
            return f"{self._name(seat)} lost their last {one}"
        said = number(amount, 0 if float(amount).is_integer() else 2)
        return f"{self._name(seat)} lost {said} {one if amount == 1 else many}"

    def _name(self, seat: Seat) -> str:
        return self._showing.names[seat]
