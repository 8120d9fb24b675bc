"""The latest steps of a match that is played, as one viewer may see them: encoded once for all who look.

A match keeps the state of its last step alone, so that what was before is rebuilt from the moves: a slice at
a time, as nobody who plays should wait for somebody who comes late.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec

from arena.match.game import Step
from arena.page.film import Filming, FilmStep, Watcher, changes_of, film_result, head_of
from arena.server.tables.played_match import PlayedMatch
from arena.telling.replay import Moment, Viewer

HISTORY_MAX = 300
"""How many steps somebody who comes late is shown."""
SLICE = 20
"""Steps that are made at once: about 5 ms."""

_encode = msgspec.json.Encoder().encode


class FilmBuffer:
    """One match for one viewer."""

    def __init__(self, match: PlayedMatch, viewer: Viewer) -> None:
        self.match = match
        self.viewer = viewer
        self.first = max(0, len(match.moments) - HISTORY_MAX)
        """The index in the match of the first step that is here."""
        self.count = 0
        """The index after the last step that was looked at."""
        self._filming = Filming(match.showing, viewer)
        self._watcher = Watcher(match.showing)
        self._state: Any = None
        """The state after the last step that was looked at."""
        self._last: FilmStep | None = None
        self._whole: dict[str, Any] = {}
        """The first step here, whole."""
        self._changes: deque[bytes] = deque()
        """The steps after it, each as what is different from the one before."""
        self._parts: dict[int, bytes] = {}
        """Steps as they are sent, by the first of them, until there is a new one."""

    @property
    def missing(self) -> int:
        """How many steps have been made that are not here."""
        return len(self.match.moments) - self.count

    def advance(self, most: int) -> bool:
        """Looks at up to `most` more steps of the match; returns whether that is all of it."""
        for _ in range(min(most, self.missing)):
            self._look_at(self._moment(self.count))
        return not self.missing

    def _moment(self, place: int) -> Moment:
        """A moment with its state, which follows from the one before."""
        moment, game = self.match.moments[place], self.match.game
        assert moment.step is not None, "a match at a table ends when its rules fail"
        if moment.step.state is not None:
            return moment
        step: Step[Any]
        step = (
            game.apply(self._state, moment.moves) if place else Step(game.start(len(self.match.terms.names)))
        )
        return Moment(moment.turn, moment.moves, step)

    def _look_at(self, moment: Moment) -> None:
        assert moment.step is not None
        self._state = moment.step.state
        watched = self._watcher.note(moment)
        if self.count >= self.first:
            self._add(self._filming.step(watched))
        self.count += 1

    def _add(self, step: FilmStep) -> None:
        (changes,) = changes_of([step], self._last)
        self._parts.clear()
        if self._last is None:
            self._whole = changes
        else:
            self._changes.append(_encode(changes))
        self._last = step
        if len(self._changes) >= HISTORY_MAX:
            self._whole = _applied(self._whole, msgspec.json.decode(self._changes.popleft()))
            self.first += 1

    # As JSON

    def has_after(self, steps: int) -> bool:
        """Whether somebody who has the first `steps` steps of the match can be sent only the others."""
        return self.first < steps <= self.count

    def steps(self, after: int) -> bytes:
        """The steps after the first `after` steps, as a JSON array."""
        if after not in self._parts:
            found = list(self._changes)[after - self.first - 1 :]
            self._parts[after] = b"[%b]" % b",".join(found)
        return self._parts[after]

    def film(self) -> bytes:
        """All that is here, with the head of the film, as a JSON object."""
        result = self.result()
        place = -1 if result is None else -2
        if place not in self._parts:
            terms = self.match.terms
            head = head_of(self.match.showing, terms.match_id, self.viewer, move_s=terms.move_s)
            head |= {"first": self.first, "steps_in_all": self.count, "note": self._note()} | (result or {})
            steps = b",".join((_encode(self._whole), *self._changes))
            self._parts[place] = b'%b,"steps":[%b]}' % (_encode(head)[:-1], steps)
        return self._parts[place]

    def result(self) -> dict[str, Any] | None:
        """How the match ended; None while it is played."""
        record = self.match.record
        if record is None or record.error:
            return None
        return film_result(record.ranks, record.returns) | {"decided": self._watcher.decided(record.ranks)}

    def _note(self) -> str:
        return f"what happened before step {self.first} is shown once the match is over" if self.first else ""


def _applied(whole: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The whole step that these changes make of the one before."""
    kept: dict[str, Any] = {name: whole[name] for name in ("out", "holdings") if name in whole}
    return {**kept, **changes, "state": {**whole["state"], **changes.get("state", {})}}
