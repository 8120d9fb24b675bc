"""The packets `TurnEnd` and `TurnStart`: whose turn ends and begins in a match."""

from __future__ import annotations

from collections.abc import Callable

from arena.server.packets.packets import packet, turn_begun
from arena.server.tables.played_match import PlayedMatch
from arena.telling.replay import Moment


class TurnTeller:
    """Follows one match.

    Where the game itself says whose turn begins, a turn has ended once its `turnCount` is another one, and
    begins when the game says so.  In other games whoever alone is asked is on turn, until it has moved.
    """

    def __init__(self) -> None:
        self._on_turn: str | None = None
        """The player of the TurnStart that was told last."""
        self._turn_count: object = None
        self._has_ended = False
        self._next: str | None = None
        """The player whose turn begins with the next questions."""

    def note(self, match: PlayedMatch, moment: Moment, turn_count: Callable[[], object]) -> None:
        """Takes a step, which may end a turn and begin one; `turn_count` returns the game's count now."""
        if match.game.turn_begins is None:
            moved = {match.terms.names[seat] for seat in moment.moves if seat >= 0}
            self._has_ended |= self._on_turn in moved
        else:
            self._next = turn_begun(match, moment) or self._next
            before, self._turn_count = self._turn_count, turn_count()
            self._has_ended |= before != self._turn_count
        self._has_ended |= not match.game.to_act(match.state)

    def after_act(self) -> list[str]:
        """The end of a turn, if it has ended."""
        ended, self._has_ended = self._has_ended and self._on_turn, False
        if not ended:
            return []
        self._on_turn = None
        return [packet("TurnEnd", username=ended)]

    def after_questions(self, match: PlayedMatch) -> list[str]:
        """The end of a turn, and the beginning of the next one unless people are still reading."""
        frames = self.after_act()
        if match.game.turn_begins is None and len(match.to_act) == 1 and self._on_turn is None:
            self._next = match.terms.names[match.to_act[0]]
        if self._next is not None and not match.is_paused:
            self._on_turn, self._next = self._next, None
            frames.append(packet("TurnStart", username=self._on_turn))
        return frames
