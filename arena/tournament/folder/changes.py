"""What changes in the store while a run goes on, as data: the bookkeeper decides it, the writer does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import attrs

from arena.match.record import Entry
from arena.schedule import Pairing


@attrs.frozen
class Remove:
    """Remove these matches: they are played again, or were played past the end."""

    match_ids: tuple[str, ...]


@attrs.frozen
class SetStatus:
    """A bot is withdrawn (`withdrawn`), or not after all (`ok`)."""

    bot: str
    status: str


@attrs.frozen
class Publish:
    """The series of these matches is over: their capsules may be seen."""

    match_ids: tuple[str, ...]


@attrs.frozen
class ExtendSchedule:
    """Results have decided what is played next: more pairings, in order of play."""

    planned: tuple[Pairing, ...]


@attrs.frozen
class SetPlaces:
    """A cycle is over, in a format that ranks by how far a bot has come."""

    places: Mapping[str, int]


Change: TypeAlias = Entry | Remove | SetStatus | Publish | ExtendSchedule | SetPlaces
"""A match to be kept, or another change of the store."""
Changes: TypeAlias = Sequence[Change]
"""Changes that belong together, in order: those of another match come before or after, never between."""
