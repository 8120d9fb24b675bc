"""The places that bots have in a lobby, and whose they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hmac import compare_digest
from typing import TypeVar

import attrs

from arena.players.stream import StreamPlayer
from arena.wire.messages import NAME_LENGTH_MAX

T = TypeVar("T")


@attrs.define(eq=False)
class Place:
    """A connection's place at the table, which it has until the run is over."""

    player: StreamPlayer
    peer: str
    said: str | None
    """What it called itself, if anything."""
    token: str | None
    """What proves that it is the same bot that comes back; None: a plain bot without one."""
    is_told: bool = False
    """Whether people know already that it comes now."""


def is_lost(place: Place) -> bool:
    """Whether its bot had a connection, has none, and may come back; one that is just coming is not lost."""
    return place.player.lost_at is not None and not place.player.is_gone


def stand_of(place: Place) -> str:
    return "is connected already" if place.player.is_connected else "plays no more"


def last_lost(places: Iterable[Place]) -> StreamPlayer:
    return max(places, key=lambda place: place.player.lost_at or 0.0).player


def owner_of(token: str, owners: Iterable[tuple[str, T]]) -> T | None:
    """Whose token it is; how long it takes does not tell how much of it is right."""
    octets = token.encode("utf-8", "surrogatepass")
    found = [owner for known, owner in owners if compare_digest(known.encode(), octets)]
    return found[0] if found else None


def unique_name(said: str | None, taken: Collection[str]) -> str:
    """The name that a bot said, or that one, `bot` if it said none, with the first number that is free."""
    if said is not None and said not in taken:
        return said
    stem, number = ("bot", 1) if said is None else (said[: NAME_LENGTH_MAX - 5], 2)
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"
