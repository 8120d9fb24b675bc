"""An epoch of a ladder, as its folder has it."""

from __future__ import annotations

import attrs


@attrs.frozen
class StoredEpoch:
    """A stretch of a ladder that has a seed of its own."""

    number: int
    """From 0."""
    began_at: float
    """Unix time."""
    ended_at: float | None
    """None while it is played: until then its opening is secret."""
    first_batch: int
    """The number of its first batch, and of its first match."""
    first_match: int
    sha256: str
    """Its seal."""
    opening: str
