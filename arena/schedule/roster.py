"""Who takes part in a tournament whose bots change while it goes on: a list that only grows.  Pure.

Every bot plays in a slot.  A new version of a bot is a bot of its own, with a name of its own, in the slot of
the old one: `student26@2` after `student26`.  The schedule is planned for slots, so that a replaced bot gets
its predecessor's opponents and nobody else's matches change.  Matches between bots that are all still there
stay; what was planned for a bot that has left is not played any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import attrs

Act: TypeAlias = Literal["join", "replace", "without", "readmit"]

LEFT = ("replaced", "without")
"""The statuses of bots that do not take part any more."""
VERSION_MARK = "@"
_VERSION = re.compile(r"@[0-9]+$")


@attrs.frozen
class RosterEntry:
    """Something that happened to a slot."""

    act: Act
    slot: str
    """The name of the first bot in it."""
    fingerprint: str = ""
    """The fingerprint of the bot that joins or replaces; empty for one that connects."""
    matches: int = 0
    """How many matches the folder held when it happened."""


@attrs.frozen
class RosterSlot:
    """A place in the tournament, and who has it now."""

    name: str
    version: int = 1
    """The number of the bot in it, from 1."""
    fingerprint: str = ""
    is_out: bool = False
    """Whether its bot is excluded for the time being."""
    forgiven: int = 0
    """How often its present bot was readmitted after it had been withdrawn."""

    @property
    def bot(self) -> str:
        """The name of the bot in it, as in the tables."""
        return self.name if self.version == 1 else f"{self.name}{VERSION_MARK}{self.version}"


class Roster:
    """The slots of a tournament, in the order in which they were first taken."""

    def __init__(self, entries: Iterable[RosterEntry] = ()) -> None:
        self.entries = tuple(entries)
        """Everything that happened, in order."""
        self._slots: dict[str, RosterSlot] = {}
        for entry in self.entries:
            self._take(entry)

    def _take(self, entry: RosterEntry) -> None:
        slot = self._slots.get(entry.slot)
        if entry.act == "join":
            assert slot is None, "a slot is joined once"
            self._slots[entry.slot] = RosterSlot(entry.slot, fingerprint=entry.fingerprint)
            return
        assert slot is not None, "nothing happens to a slot before somebody joins it"
        if entry.act == "replace":
            new = RosterSlot(slot.name, slot.version + 1, entry.fingerprint, slot.is_out)
        elif entry.act == "without":
            new = attrs.evolve(slot, is_out=True)
        elif slot.is_out:
            new = attrs.evolve(slot, is_out=False)
        else:
            new = attrs.evolve(slot, forgiven=slot.forgiven + 1)
        self._slots[slot.name] = new

    @property
    def slots(self) -> Mapping[str, RosterSlot]:
        """Name -> slot, in the order in which they were first taken."""
        return self._slots

    def slot_of(self, name: str) -> RosterSlot | None:
        """The slot with this name, or whose present bot has it; None if there is none."""
        found = self._slots.get(name)
        return found or next((slot for slot in self._slots.values() if slot.bot == name), None)

    def extended(self, entries: Iterable[RosterEntry]) -> Roster:
        """The roster after these entries as well."""
        return Roster((*self.entries, *entries))

    @property
    def present(self) -> Mapping[str, str]:
        """Bot -> slot, for all bots that play."""
        return {slot.bot: slot.name for slot in self._slots.values() if not slot.is_out}

    @property
    def vacant(self) -> tuple[str, ...]:
        """The slots whose bot is excluded."""
        return tuple(slot.name for slot in self._slots.values() if slot.is_out)

    @property
    def left(self) -> Mapping[str, str]:
        """Bot -> `replaced` or `without`, for all bots that do not play any more."""
        gone = {slot.bot: "without" for slot in self._slots.values() if slot.is_out}
        for slot in self._slots.values():
            gone |= {attrs.evolve(slot, version=old).bot: "replaced" for old in range(1, slot.version)}
        return gone

    @property
    def forgiven(self) -> Mapping[str, int]:
        """Bot -> how often it was readmitted after it had been withdrawn."""
        return {slot.bot: slot.forgiven for slot in self._slots.values() if slot.forgiven}


def is_version_name(name: str) -> bool:
    """Whether a name is of the kind that only new versions get, such as `student26@2`."""
    return _VERSION.search(name) is not None


def slot_name(name: str) -> str:
    """The slot of a bot that is named with or without its version."""
    return _VERSION.sub("", name)


def by_version(name: str) -> tuple[int, str]:
    """The sort key that puts the bots of a slot in the order of their versions, however long the numbers."""
    return len(name), name


def by_slot(name: str) -> tuple[str, int, str]:
    """The sort key that keeps the bots of a slot together, in the order of their versions."""
    return slot_name(name), *by_version(name)


def successors(statuses: Mapping[str, str]) -> dict[str, str]:
    """Old version -> the bot that has its slot now, from the statuses of all bots of a folder.

    A new version that could not be started is left out, and has taken nobody's place.
    """
    newest_first = sorted(statuses, key=by_version, reverse=True)
    # The oldest that is not replaced stays: newer ones of its slot were left out.
    present = {slot_name(bot): bot for bot in newest_first if statuses[bot] != "replaced"}
    replaced = (bot for bot, status in statuses.items() if status == "replaced")
    return {bot: present[slot_name(bot)] for bot in replaced if slot_name(bot) in present}
