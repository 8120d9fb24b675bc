"""A planned match: its name, its seats and its seeds.  Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, TypeAlias

import attrs

PairingId = str
Deals: TypeAlias = Literal["same", "fresh"]
"""Whether the rotations of a series share their luck, or each has its own."""
Points = tuple[float, ...]
"""The points of a match by seat, each from 0 to 1; () if it was aborted."""


@attrs.frozen
class Pairing:
    """A planned match."""

    id: PairingId
    """Names its set of bots, its repetition and its rotation; the same in every schedule that contains it."""
    game: str
    bots: tuple[str, ...]
    """The names of the bots, by seat."""
    seed: int
    """The seed of the match's deals; never leaves the arena."""
    series: str
    """The id of its series: its set of bots and its repetition."""
    rotation: int
    """0-based; how far the series' cyclic order of bots is rotated."""
    cycle: int
    """0-based lap of the tournament."""


def rotations(
    bots: Sequence[str], repetition: int | str, *, cycle: int, game: str, seed: int, deals: Deals
) -> Iterator[Pairing]:
    """One series: the bots, named in any order, sit once in every seat.

    Everything but the cycle follows from the set of bots and the repetition, so that every format plans the
    same match under the same id.
    """
    series = series_id(bots, repetition)
    circle = circle_of(bots, series, seed)
    deal = derive_seed(seed, "deals", series) if deals == "same" else None
    for rotation in range(len(circle)):
        seated = circle[rotation:] + circle[:rotation]
        own = derive_seed(seed, "deals", series, rotation) if deal is None else deal
        yield Pairing(f"{series}/{rotation}", game, seated, own, series, rotation, cycle)


def circle_of(bots: Sequence[str], series: str, seed: int) -> tuple[str, ...]:
    """The cyclic order in which these bots sit in a series."""
    # Sorting by keyed hashes is a fair shuffle that no version of Python's `random` can change.
    keys = {bot: derive_seed(seed, "circle", series, bot) for bot in bots}
    return tuple(sorted(bots, key=keys.__getitem__))


def series_id(bots: Sequence[str], repetition: int | str) -> str:
    """The unique name of a set of bots, in any order, and a repetition: `odds+random#3`.

    In a ladder the epoch is before it: `#2.3`.
    """
    return f"{joined(sorted(bots))}#{repetition}"


def joined(bots: Sequence[str]) -> str:
    """The names as part of an id, escaped so that no two lists of names make the same: `odds+random`."""
    return "+".join(map(_escape, bots))


def deals_in(pairing: Pairing, seed: int) -> Deals:
    """Whether this match shares its luck with the other rotations of its series.

    In a ladder series of bots that connect do not, while others do.
    """
    return "same" if pairing.seed == derive_seed(seed, "deals", pairing.series) else "fresh"


SEEDING = 2
"""The number of the way in which seeds are derived, here and in `bot_seeds`; a tournament's folder keeps it.

A folder with another way is not continued: its matches would differ.  A better way gets a new number.
"""


def derive_seed(seed: int, *key: str | int) -> int:
    """A 128-bit seed for what `key` names, from a seed of at most 512 bits.

    By keyed BLAKE2b, so that it reveals nothing about `seed`.
    """
    text = "\x1f".join(
        ["s" + part if type(part) is str else f"{type(part).__name__[0]}{part}" for part in key]
    )
    keyed = _keyed(seed).copy()
    keyed.update(text.encode())
    return int.from_bytes(keyed.digest(), "big")


_IN_EPOCH = re.compile(r"#\d+\.")
"""What ids of a ladder's pairings have, and no other."""


@lru_cache(maxsize=8)
def _keyed(seed: int) -> blake2b:
    """The keyed hash before it has read anything; cached, as a large schedule derives a million seeds."""
    return blake2b(key=seed.to_bytes(64, "big"), digest_size=16)


def match_id(seed: int, pairing: PairingId) -> str:
    """12 hexadecimal digits that stand for a pairing where the plan must stay hidden: in tables, on the wire.

    48 bits: of 100,000 matches two share one with probability 2e-5.  A ladder never ends, and the second of
    two that share one could not be stored: its matches have 16 digits: of 100 million, two do with 3e-4.
    """
    keyed = _before_match(seed).copy()
    keyed.update(pairing.encode())
    return keyed.hexdigest()[: 16 if _IN_EPOCH.search(pairing) else 12]


@lru_cache(maxsize=8)
def _before_match(seed: int) -> blake2b:
    """The hash that has read what the keys of all matches begin with: each then takes half as long."""
    keyed = _keyed(seed).copy()
    keyed.update(b"smatch\x1fs")
    return keyed


def derive_bot_seed(seed: int, *key: str | int) -> int:
    """63 bits for a bot's own randomness, by a key as in `derive_seed`; fits a signed 64-bit int."""
    return derive_seed(seed, *key) >> 65


def bot_seed(seed: int, match: str, seat: int) -> int:
    """The seed of a bot's own randomness in one match, independent of the deals."""
    return derive_bot_seed(seed, "bot", match, seat)


def bot_seeds(seed: int, match: str, series: str, seats: int, deals: Deals) -> tuple[int, ...]:
    """The bots' own seeds in a match of a tournament, by seat.

    Where the rotations of a series share their deals, a seat has one seed in all of them: two bots that sit
    there are dealt the same, and draw the same.
    """
    return tuple(bot_seed(seed, series if deals == "same" else match, seat) for seat in range(seats))


@lru_cache(maxsize=4096)
def _escape(name: str) -> str:
    """The name without the marks that ids are built with."""
    for mark in "%+#/":  # first the one that escapes the others
        name = name.replace(mark, f"%{ord(mark):02X}")
    return name
