"""What is remembered of a match: decisions, moves for replay, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import attrs

from arena.game import Game, Seat
from arena.schedule import Pairing

FaultKind: TypeAlias = Literal["too_late", "malformed", "illegal", "gone"]
FAULT_KINDS: tuple[FaultKind, ...] = ("too_late", "malformed", "illegal", "gone")

Turn: TypeAlias = Mapping[Seat, Any]
"""The moves of one `apply`, by seat; chance's under CHANCE."""


@attrs.frozen
class Decision:
    """What one seat did at one turn, and how."""

    turn: int
    """0-based index into the match's turns, chance included."""
    seat: Seat
    move: Any
    elapsed_s: float
    """From the question's write to the stamp of the whole answer, or the time waited in vain; 0.0 if not asked."""
    fault: FaultKind | None = None
    reason: str = ""
    """One clause for people; empty without fault."""
    asked: bool = True
    """False: the seat is not asked any more in this match, or its bot is withdrawn; no fault."""
    lagged: bool = False
    """The arena was late itself while this seat was thinking; the time, or the fault, may be its doing."""


@attrs.frozen
class Capsule:
    """The evidence of one fault: what was said last, both ways, with times."""

    decision: Decision
    number: int
    """0-based, counting the faults of this seat in this match."""
    lines: tuple[Mapping[str, Any], ...]
    """JSON objects, oldest first."""


@attrs.frozen
class MatchRecord:
    """One match as played by the referee."""

    turns: tuple[Turn, ...]
    decisions: tuple[Decision, ...]
    ranks: tuple[int, ...]
    returns: tuple[float, ...]
    abandoned: tuple[bool, ...]
    """By seat: it reached `faults_max` and was not asked any more."""
    capsules: tuple[Capsule, ...] = ()
    duration_s: float = 0.0
    error: str | None = None
    """The traceback, if the rules or the arena broke; ranks and returns are empty then."""


@attrs.frozen
class Entry:
    """One match as the store keeps it: planned, played, scored."""

    match_id: str
    """Opaque: 12 hexadecimal digits."""
    pairing: Pairing
    deals: str
    """`same` or `fresh`: whether the rotations of its series share their luck."""
    versions: tuple[str, ...]
    """The bots' versions, by seat."""
    withdrawn: tuple[bool, ...]
    """By seat: the bot was withdrawn before, and played by default moves."""
    record: MatchRecord
    points: tuple[float, ...]
    """By seat; empty if the match was aborted."""
    packed: bytes
    """`pack(game, record.turns)`."""
    decisions: tuple[Decision, ...]
    """Those that get a row of their own; `move` is its JSON text with the bots' names."""
    started_at: float
    """Unix time."""


def pack(game: Game[Any, Any], turns: Sequence[Turn]) -> bytes:
    """The moves of a match in few bytes; `unpack` gives them back."""
    raise NotImplementedError


def unpack(game: Game[Any, Any], packed: bytes) -> tuple[Turn, ...]:
    """The moves that `pack` was given."""
    raise NotImplementedError
