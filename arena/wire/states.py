"""What the arena's end of a connection reports, and its state machine: two tables, `HEARD` and `SAID`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, Final, TypeAlias

import msgspec

# What it reports about what it received.


class Introduced(msgspec.Struct, frozen=True):
    """The bot said who it is; occurs at most once.  The name is not checked: see `check_name`."""

    name: str | None
    token: str | None
    protocol: int | None
    """The version of the protocol; None: a plain bot."""


class Refused(msgspec.Struct, frozen=True):
    """The bot introduced itself in a way that we cannot accept: say bye and close."""

    reason: str


class Answered(msgspec.Struct, frozen=True):
    """The answer to the open question; the move is any JSON value, uninterpreted."""

    message_id: str
    move: Any


class Malformed(msgspec.Struct, frozen=True):
    """Something that is not an answer came while a question was open; it settles the question."""

    reason: str
    settles: bool = True


class Noted(msgspec.Struct, frozen=True):
    """Something without consequences, for the log."""

    reason: str


Received: TypeAlias = Introduced | Refused | Answered | Malformed | Noted


# The state machine.


class State(Enum):
    """The state of the arena's end of a connection."""

    NAMING = auto()
    """The bot has not said who it is."""
    READY = auto()
    """No question is open."""
    ASKED = auto()
    """A question is open."""
    OWING = auto()
    """A plain bot still owes the answer to a question that was given up."""
    REFUSED = auto()
    """The introduction was refused; all that is left is to say bye."""
    CLOSED = auto()
    """One side has closed."""

    # Enum's own hash is computed in Python, and every message looks something up in the tables.
    __hash__ = object.__hash__


class Heard(Enum):
    """What kind of value came from the other side."""

    INTRODUCTION = auto()
    """A name, token or hello before the first answer."""
    BAD_INTRODUCTION = auto()
    """The first introduction, with an unknown protocol or wrong types."""
    ANSWER = auto()
    """An answer to the question that is open, or whose answer is owed."""
    OLD = auto()
    """An answer to an older question."""
    WRONG = auto()
    """An object that does not answer any question given out."""
    BROKEN = auto()
    """A value that is not a JSON object."""
    END = auto()
    """The other side has closed."""

    __hash__ = object.__hash__


class Effect(Enum):
    """How a value is reported."""

    INTRODUCED = auto()
    REFUSED = auto()
    ANSWERED = auto()
    MALFORMED = auto()
    NOTED = auto()


HEARD: Final[Mapping[State, Mapping[Heard, tuple[State, Effect]]]] = {
    State.NAMING: {
        Heard.INTRODUCTION: (State.READY, Effect.INTRODUCED),
        Heard.BAD_INTRODUCTION: (State.REFUSED, Effect.REFUSED),
        Heard.WRONG: (State.READY, Effect.NOTED),  # a plain bot that sends no name
        Heard.BROKEN: (State.NAMING, Effect.NOTED),
        Heard.END: (State.CLOSED, Effect.NOTED),
    },
    State.READY: {
        Heard.INTRODUCTION: (State.READY, Effect.NOTED),
        Heard.OLD: (State.READY, Effect.NOTED),
        Heard.WRONG: (State.READY, Effect.NOTED),
        Heard.BROKEN: (State.READY, Effect.NOTED),
        Heard.END: (State.CLOSED, Effect.NOTED),
    },
    State.ASKED: {
        Heard.INTRODUCTION: (State.ASKED, Effect.NOTED),
        Heard.ANSWER: (State.READY, Effect.ANSWERED),
        Heard.OLD: (State.ASKED, Effect.NOTED),
        Heard.WRONG: (State.READY, Effect.MALFORMED),
        Heard.BROKEN: (State.READY, Effect.MALFORMED),
        Heard.END: (State.CLOSED, Effect.NOTED),
    },
    State.OWING: {
        Heard.INTRODUCTION: (State.OWING, Effect.NOTED),
        Heard.ANSWER: (State.READY, Effect.NOTED),
        Heard.OLD: (State.OWING, Effect.NOTED),
        # Anything wrong counts as the answer owed: a bot that answers wrongly must not wait forever.
        Heard.WRONG: (State.READY, Effect.NOTED),
        Heard.BROKEN: (State.READY, Effect.NOTED),
        Heard.END: (State.CLOSED, Effect.NOTED),
    },
    State.REFUSED: {Heard.END: (State.CLOSED, Effect.NOTED)},  # anything else is not even read
    State.CLOSED: {},
}
"""The next state and the effect of what was heard.  Combinations without an entry cannot occur."""


class Said(Enum):
    """What we do with the connection."""

    ENTER = auto()
    WELCOME = auto()
    BEGIN_MATCH = auto()
    ASK = auto()
    GIVE_UP = auto()
    TELL = auto()
    """An event, a fault or a result."""
    BYE = auto()

    __hash__ = object.__hash__


SAID: Final[Mapping[State, Mapping[Said, State]]] = {
    State.NAMING: {Said.ENTER: State.READY, Said.BYE: State.CLOSED},
    State.READY: {
        Said.WELCOME: State.READY,
        Said.BEGIN_MATCH: State.READY,
        Said.ASK: State.ASKED,
        Said.TELL: State.READY,
        Said.BYE: State.CLOSED,
    },
    State.ASKED: {
        Said.GIVE_UP: State.READY,  # a plain bot: OWING
        Said.TELL: State.ASKED,
        Said.BYE: State.CLOSED,
    },
    State.OWING: {Said.BEGIN_MATCH: State.OWING, Said.TELL: State.OWING, Said.BYE: State.CLOSED},
    State.REFUSED: {Said.BYE: State.CLOSED},
    # The other side may close at any moment, so what we say after that is lost, but not a mistake.  A
    # question would be one: nobody can answer it.
    State.CLOSED: dict.fromkeys(
        (Said.WELCOME, Said.BEGIN_MATCH, Said.GIVE_UP, Said.TELL, Said.BYE), State.CLOSED
    ),
}
"""The next state after what we say.  Combinations without an entry raise LocalProtocolError."""
