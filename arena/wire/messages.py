"""Every message of the protocol as a frozen class, and functions that write and read them.

Both sides use the classes: what one encodes the other decodes.  If a caller has already encoded the JSON of a
field (rules, state, options, payload), the sending side passes it as `Raw`, and it is spliced
into the message as it is; the receiving side gets decoded values there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from msgspec import Raw as Raw  # rooms above that know no msgspec

from arena.errors import LocalProtocolError, RemoteProtocolError
from arena.wire.names import unseen

PROTOCOL: Final = 1
"""The version of the full protocol."""

NAME_LENGTH_MAX: Final = 64


def check_name(name: str, reserved: Collection[str] = ()) -> str | None:
    """Why a text cannot be a name, as one clause; None if it can.

    `reserved`: the reserved words of the game played.
    """
    if not name:
        return "a name cannot be empty"
    if len(name) > NAME_LENGTH_MAX:
        return f"a name has at most {NAME_LENGTH_MAX} characters, this one {len(name)}"
    if not name.isprintable():  # control and format characters, line breaks, halves of surrogate pairs
        return "a name can have only printable characters"
    if name != name.strip():
        return "a name cannot begin or end with a space"
    if (char := unseen(name)) is not None:
        return f"a name can have only characters that people can see and tell apart, not U+{ord(char):04X}"
    if name in reserved:
        return f"{name!r} is a reserved word"
    return None


class _Message(msgspec.Struct, frozen=True, tag_field="type"):
    """A JSON object with its `type`."""


# Bot to arena.


class Hello(_Message, frozen=True, tag="hello", omit_defaults=True):
    """The first message of a bot of the full protocol."""

    protocol: int
    name: str | None = None
    token: str | None = None


class Answer(msgspec.Struct, frozen=True):
    """A move, and the question it answers; the only message without a `type` in the full protocol."""

    message_id: str
    move: Any


# Arena to bot.


class Welcome(_Message, frozen=True, tag="welcome"):
    """The answer to Hello, with the name under which the bot plays."""

    name: str
    protocol: int = PROTOCOL
    token: str | UnsetType = UNSET
    """What to send in hello after the connection broke; left out where nobody else can connect."""


class Match(_Message, frozen=True, tag="match"):
    """A match begins."""

    match_id: str
    """An opaque id."""
    game_number: int
    """How many matches have begun on this connection, this one included."""
    game: str
    version: int
    """The version of the game's rules."""
    rules: Any
    """The house rules: a JSON object."""
    seat: int
    """The receiver's seat, 0-based: `names[seat]` is its name."""
    names: Sequence[str]
    """The name of each seat."""
    time_control: Mapping[str, Any]
    bot_seed: str
    """A number in decimal digits; a string, because it is longer than the 53 bits of a JavaScript number."""


class Ask(_Message, frozen=True, tag="ask"):
    """A question."""

    message_id: str
    game_number: int
    match_id: str
    time_s: float | None
    """How many seconds the answer may take; null: no limit."""
    bank_s: float | None
    """How many seconds are left for the whole match; null: there is no bank."""
    state: Any
    """Everything that the bot may know now: a JSON object."""
    options: Any
    """What the bot may do: a JSON list."""


class EventMessage(_Message, frozen=True, tag="event"):
    """Something happened in the match."""

    match_id: str
    kind: str
    payload: Any


class FaultMessage(_Message, frozen=True, tag="fault"):
    """The bot failed, and its default move was played."""

    match_id: str
    message_id: str | None
    """The question at which it failed; null if it was not asked."""
    kind: str
    """The kind of fault: `too_late`, `malformed`, `illegal` or `gone`."""
    reason: str


class Result(_Message, frozen=True, tag="result"):
    """The match is over."""

    match_id: str
    ranks: Mapping[str, int]
    """Each name's rank; 1 is best."""
    returns: Mapping[str, float]
    """Each name's returns, in the game's own unit."""


class Bye(_Message, frozen=True, tag="bye"):
    """The arena closes the connection, and says why."""

    reason: str


class PlainQuestion(msgspec.Struct, frozen=True):
    """A question to a plain bot; on the wire the state's fields stand beside the two of the envelope."""

    message_id: str
    game_number: int
    state: Mapping[str, Any]


FromArena: TypeAlias = Welcome | Match | Ask | EventMessage | FaultMessage | Result | Bye | PlainQuestion


# Writing.

_encode_into = msgspec.json.Encoder().encode


def encode(message: msgspec.Struct) -> bytes:
    """The message as one line."""
    return _encode_into(message) + b"\n"


def plain_question(message_id: str, game_number: int, state: bytes) -> bytes:
    """A plain question as one line; `state` is a JSON object.  Raises LocalProtocolError if it is not."""
    if state[:1] != b"{" or state[-1:] != b"}":
        raise LocalProtocolError(f"the state in a question must be a JSON object, not {state[:40]!r}")
    comma = b"" if state == b"{}" else b","
    return b'{"message_id":"%b","game_number":%d%b%b\n' % (message_id.encode(), game_number, comma, state[1:])


# Reading, on the bot's side.

_TYPES: dict[str, type[_Message]] = {
    "welcome": Welcome,
    "match": Match,
    "ask": Ask,
    "event": EventMessage,
    "fault": FaultMessage,
    "result": Result,
    "bye": Bye,
}


def from_arena(said: dict[str, Any]) -> FromArena | None:
    """The message in this object; None for a type of a later protocol; unknown keys are ignored.

    Raises RemoteProtocolError if fields are missing or wrong.
    """
    kind = said.get("type")
    try:
        if isinstance(kind, str) and kind in _TYPES:
            return msgspec.convert(said, _TYPES[kind])  # type: ignore[return-value]
        if "type" not in said and "message_id" in said:
            state = {key: value for key, value in said.items() if key not in ("message_id", "game_number")}
            return PlainQuestion(said["message_id"], said["game_number"], state)
    except (msgspec.ValidationError, KeyError) as error:
        raise RemoteProtocolError(
            f"the arena sent something that is not a message of the protocol: {error}"
        ) from None
    return None
