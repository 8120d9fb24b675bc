"""Who plays whom: pairings, the seeds they are played from, and the formats that yield them.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b

import attrs

PairingId = str
Points = tuple[float, ...]
"""What a match gave to each seat, by seat, each from 0 to 1."""


@attrs.frozen
class Pairing:
    """A planned match."""

    id: PairingId
    """Names its set of bots, its repetition and its rotation; the same in every schedule that contains it."""
    game: str
    bots: tuple[str, ...]
    """The names of the bots, by seat."""
    seed: int
    """Where the match's luck comes from; never leaves the house."""
    series: str
    """The id of its series: its set of bots and its repetition."""
    rotation: int
    """0-based; how far the series' cyclic order of bots is turned."""
    cycle: int
    """0-based lap of the tournament."""


Format = Callable[[Sequence[str], Mapping[PairingId, Points]], Iterator[Pairing]]
"""A format: entrants' names and the points of what is finished -> pairings, in order of play.

Calling it again with more results continues the schedule: that is all that resuming takes.
Adaptive formats look at finished cycles only.
"""


def derive_seed(seed: int, *key: str | int) -> int:
    """A 128-bit seed for what `key` names, from a seed of at most 512 bits; keyed BLAKE2b, so that it tells nothing of `seed`."""
    text = "\x1f".join(f"{type(part).__name__[0]}{part}" for part in key)
    secret = seed.to_bytes(64, "big")
    return int.from_bytes(blake2b(text.encode(), key=secret, digest_size=16).digest(), "big")
