"""The round-robin of all sets, by its settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.schedule import FORMATS, Pairing, Terms


def round_robin(entrants: Sequence[str], **settings: Any) -> Iterator[Pairing]:
    """Its matches in order of play."""
    return FORMATS["round-robin"].pairings(entrants, Terms(**settings, sets="all"), {}, {})


def round_robin_size(entrants: int, **settings: Any) -> int:
    """How many matches it has, without planning them."""
    return FORMATS["round-robin"].size(entrants, Terms(**settings, sets="all")).matches
