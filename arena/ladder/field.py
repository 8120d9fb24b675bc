"""The versions of a ladder: which are to be tried next, which play, which could not.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from arena.ladder.messages import FieldVersion, State, VersionSaid
from arena.schedule.ladder import FailureReason
from arena.schedule.roster import slot_name

FAILURES: dict[FailureReason, str] = {
    "abandoned": "it failed in match after match: its log and the moments of its faults say how",
    "crashed": "it crashed too often: its log says how",
}
"""How a version failed in play, as a sentence for its owner."""


@attrs.define(eq=False)
class Field:
    """All versions that the server wants to be tried or to play, and how far each is."""

    wanted: dict[str, FieldVersion] = attrs.field(factory=dict)
    """By id."""
    playing: dict[str, str] = attrs.field(factory=dict)
    """Those that play -> their owners."""
    known: set[str] = attrs.field(factory=set)
    """Those that have played before."""
    is_told: bool = False
    """Whether it is known who is wanted."""
    _said: dict[str, VersionSaid] = attrs.field(factory=dict)

    def set(self, versions: Iterable[FieldVersion]) -> dict[str, str]:
        """Takes in what is wanted from now on; returns the versions that stop -> their status from now on."""
        self.wanted, self.is_told = {version.id: version for version in versions}, True
        slots = {slot_name(id) for id in self.wanted}
        gone = {
            id: "replaced" if slot_name(id) in slots else "without"
            for id, said in self._said.items()
            if id not in self.wanted and said.state in ("playing", "failed")
        }
        self.playing = {id: owner for id, owner in self.playing.items() if id in self.wanted}
        self._said = {id: said for id, said in self._said.items() if id in self.wanted}
        return gone

    def next_to_try(self) -> FieldVersion | None:
        """The version that is tried next: those that have played before, then of each owner the newest.

        Among these who has waited longest comes first.
        """
        waiting = [version for id, version in self.wanted.items() if self._is_waiting(id)]
        if back := [version for version in waiting if version.id in self.known]:
            return back[0]
        newest: dict[str, FieldVersion] = {}
        for version in waiting:
            before = newest.get(version.owner)
            if before is None or version.received_at > before.received_at:
                newest[version.owner] = version
        first = sorted(newest.values(), key=lambda one: (not one.is_house, one.received_at, one.id))
        return first[0] if first else None

    @property
    def are_back(self) -> bool:
        """Whether all who have played before, and are wanted, are here again, or cannot be."""
        return self.is_told and not any(id in self.known and self._is_waiting(id) for id in self.wanted)

    def _is_waiting(self, id: str) -> bool:
        said = self._said.get(id)
        if self.wanted[id].connects:
            return False  # it is not tried, and comes when it comes
        return said is None or said.state == "waiting"

    def say(self, id: str, state: State, reason: str = "") -> VersionSaid:
        """Notes how far a version is; returns the message that says it."""
        self._said[id] = said = VersionSaid(id, state, reason)
        return said

    def enter(self, version: FieldVersion) -> None:
        """Has a version play from the next batch on."""
        self.playing[version.id] = version.owner

    def fail(self, id: str, why: str) -> VersionSaid:
        """Has a version stop, as it failed in play."""
        self.playing.pop(id, None)
        return self.say(id, "failed", why)

    @property
    def said(self) -> Mapping[str, VersionSaid]:
        """What was said last of each version."""
        return self._said
