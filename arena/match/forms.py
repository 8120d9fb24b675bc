"""How a move looks in JSON: declared beside the move's class, read by players/codec."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Literal:
    """The whole move is this one JSON value, e.g. `"pass"` or `88`."""

    value: str | int


@attrs.frozen
class Items:
    """The move is a JSON list of these fields in this order, e.g. `[face, count]`."""

    fields: tuple[str, ...]


@attrs.frozen
class Bare:
    """The move is the JSON value of its only field, e.g. a bet's number."""

    field: str


@attrs.frozen
class Tagged:
    """The move is a JSON object: fixed `tags`, and each field under its key.

    `{"packet": "ShootPlayer", "username": …}` is
    `Tagged({"packet": "ShootPlayer"}, {"target": "username"})`.  A field with a
    default (in its attrs class) may be left out by the bot.
    """

    tags: Mapping[str, str | int]
    keys: Mapping[str, str] = attrs.field(factory=dict)


Form = Literal | Items | Bare | Tagged
