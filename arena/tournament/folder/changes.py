"""What changes in the store while a run goes on, as data: the bookkeeper decides it, the writer does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import attrs

from arena.match.record import Entry
from arena.schedule import Pairing, PairingId
from arena.store import StoredBot
from arena.tournament.folder.seal import Seal


@attrs.frozen
class Remove:
    """Remove these matches: they are played again, or were played past the end."""

    match_ids: tuple[str, ...]


@attrs.frozen
class SetStatus:
    """Mark a bot as withdrawn (`withdrawn`), or as not withdrawn after all (`ok`)."""

    bot: str
    status: str


@attrs.frozen
class Publish:
    """Publish the capsules of these matches, as their series is over."""

    match_ids: tuple[str, ...]


@attrs.frozen
class ExtendSchedule:
    """Add these pairings, in order of play, which results have decided."""

    planned: tuple[Pairing, ...]


@attrs.frozen
class SetPlaces:
    """Keep the bots' places after a cycle, in a format that ranks by how far a bot has come."""

    places: Mapping[str, int]


@attrs.frozen
class AddBot:
    """Add a bot, which joins while others play."""

    bot: StoredBot


@attrs.frozen
class OpenBatch:
    """Keep a batch of a ladder with the pairings that it begins with, all or nothing."""

    row: Mapping[str, object]
    planned: tuple[Pairing, ...]
    dropped: tuple[PairingId, ...] = ()
    """Matches that were planned, and will not be played any more."""


@attrs.frozen
class BeginEpoch:
    """End the epoch of a ladder, and begin the next one under this seal."""

    began_at: float
    seal: Seal


Change: TypeAlias = (
    Entry | Remove | SetStatus | Publish | ExtendSchedule | SetPlaces | AddBot | OpenBatch | BeginEpoch
)
"""A match to be kept, or another change of the store."""
Changes: TypeAlias = Sequence[Change]
"""Changes that belong together, in order: those of another match come before or after, never between."""
