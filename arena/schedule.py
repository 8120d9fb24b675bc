"""Who plays whom: pairings, the seeds they are played from, and the formats that yield them.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from math import comb
from typing import Literal, TypeAlias

import attrs

PairingId = str
Deals: TypeAlias = Literal["same", "fresh"]
"""Whether the rotations of a series share their luck, or each has its own."""
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
    """A 128-bit seed for what `key` names, from a seed of at most 512 bits.

    By keyed BLAKE2b, so that it tells nothing of `seed`.
    """
    text = "\x1f".join(f"{type(part).__name__[0]}{part}" for part in key)
    secret = seed.to_bytes(64, "big")
    return int.from_bytes(blake2b(text.encode(), key=secret, digest_size=16).digest(), "big")


def match_id(seed: int, pairing: PairingId) -> str:
    """12 hexadecimal digits that stand for a pairing where the plan must not be seen: in tables, on the wire.

    48 bits: of 100,000 matches two share one with probability 2e-5.
    """
    return f"{derive_seed(seed, 'match', pairing):032x}"[:12]


def bot_seed(seed: int, match: str, seat: int) -> int:
    """63 bits for a bot's own chance in one match, independent of the deals; fits a signed 64-bit integer."""
    return derive_seed(seed, "bot", match, seat) >> 65


# Round-robin.


def round_robin(
    entrants: Sequence[str],
    results: Mapping[PairingId, Points],
    *,
    game: str,
    seats: int,
    series: int,
    seed: int,
    deals: Deals,
) -> Iterator[Pairing]:
    """Every set of `seats` entrants meets in `series` series, and in each every bot sits once in every seat.

    In order of play: by cycle (lap `n` has every set's `n`th series), then by set, then by rotation.
    What is planned for a set depends on that set alone: another entrant, another series or another
    order of the entrants adds pairings or moves them, and never changes one.
    """
    assert len(set(entrants)) == len(entrants), "two entrants of one name would be one bot in the tables"
    for cycle in range(series):
        for bots in combinations(sorted(entrants), seats):
            yield from _series(bots, cycle, game=game, seed=seed, deals=deals)


def round_robin_size(entrants: int, seats: int, series: int) -> int:
    """How many matches `round_robin` plans, without planning them."""
    return comb(entrants, seats) * series * seats


def series_id(bots: Sequence[str], cycle: int) -> str:
    """Names a set of bots, in whatever order, and a repetition: `odds+random#3`; no two have the same."""
    return "+".join(_escape(bot) for bot in sorted(bots)) + f"#{cycle}"


def _series(bots: tuple[str, ...], cycle: int, *, game: str, seed: int, deals: Deals) -> Iterator[Pairing]:
    """The rotations of one series."""
    series = series_id(bots, cycle)
    # Sorting by keyed hashes is a fair shuffle that no version of Python's `random` can change.
    circle = sorted(bots, key=lambda bot: derive_seed(seed, "circle", series, bot))
    for rotation in range(len(bots)):
        own = () if deals == "same" else (rotation,)
        yield Pairing(
            id=f"{series}/{rotation}",
            game=game,
            bots=(*circle[rotation:], *circle[:rotation]),
            seed=derive_seed(seed, "deals", series, *own),
            series=series,
            rotation=rotation,
            cycle=cycle,
        )


def _escape(name: str) -> str:
    """The name without the marks that ids are built with, so that the id of one plan is never another's."""
    for mark in "%+#/":  # first the one that escapes the others
        name = name.replace(mark, f"%{ord(mark):02X}")
    return name
