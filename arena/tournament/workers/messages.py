"""The messages that a run and its workers send each other.

The worker speaks first, so that the run knows who it is before it sends anything:

    worker  WorkerHello                 which arena it is
    run     BeginWork                   the tournament: plan, game, bots, its share of tables and instances
    worker  WorkerReady, WorkRefused    the fingerprints of what it found; or why it cannot play
    run     PlayMatches, DropMatches, WithdrawBot
    worker  MatchesPlayed, MatchesDropped, WantsMatches, WorkerBug
    run     closes its end              the worker ends its bots
    worker  WorkerBye                   and it closes its own end

An order is a planned match and who is withdrawn from it.  Each is answered once: by `MatchesPlayed`, or by
`MatchesDropped` if it was to be dropped and had not begun.  If a run loses a worker, it gives the orders that
were not answered to another one: a match may be played twice, but is reported once.

Seeds have more bits than MessagePack's integers, so they are bytes.  A change of these messages that an
older side would misread gets a new PIPE_VERSION.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from arena.box.box import Means
from arena.players.entrant import Entrant

PIPE_VERSION = 4


class _Message(msgspec.Struct, tag=True):
    """The base of all messages."""


class _Row(msgspec.Struct, array_like=True):
    """A part that occurs often in messages, so it is sent without the names of its fields."""


# From the worker, before play.


class WorkerHello(_Message):
    """The worker says which arena it is."""

    pipe: int
    """The version of these messages."""
    arena: str
    python: str
    seeding: int
    """The version of the way in which it derives seeds."""


class WorkerReady(_Message):
    """The worker has the game and the bots, and is ready to play."""

    game: str
    """The fingerprint of the game's files; empty for a built-in game."""
    bots: Mapping[str, str]
    """Name of a bot -> the fingerprint of its files."""
    wanted: int
    """How many matches the worker can use now."""
    loop_ms: float = 0.0
    """How long a fixed loop takes there (ms); 0 if that was not asked."""


class WorkRefused(_Message):
    """The worker cannot play for this run."""

    why: str
    """The reason, as a sentence for people."""


# From the run.


class GameSaid(_Row):
    """A game, and where it comes from."""

    name: str
    version: int
    origin: Mapping[str, str] | None
    """Where it comes from, as `game_source.as_kept` returns it; None: it is built in."""


class BeginWork(_Message):
    """Everything that a worker must know before it plays."""

    plan: str
    """The plan in JSON, without seed and bots."""
    seed: bytes
    game: GameSaid
    entrants: tuple[Entrant, ...]
    playing: frozenset[str]
    """The entrants that may be seated at this worker."""
    versions: Mapping[str, str]
    folder: str
    paths: tuple[str, ...]
    """Folders in which modules are looked for, after all of the worker's own."""
    box: Means | None
    """The means by which bots are confined, if the run has found out; None: the worker must find out."""
    debugged: frozenset[str]
    tables: tuple[int, int, float]
    """The fields `first`, `most` and `cores` of a `Capacity`."""
    place: int
    of: int
    """How many processes share the run, as in `Share`."""
    builds: bool = False
    """Whether the worker, which has files of its own, builds the bots that must be built."""
    calibrates: bool = False
    """Whether the worker says how fast its machine is."""


class MatchOrder(_Row):
    """An order to play a match."""

    number: int
    """The order's number on this pipe."""
    id: str
    bots: tuple[str, ...]
    seed: bytes
    series: str
    rotation: int
    cycle: int
    without: tuple[str, ...]
    """The bots of the match that are withdrawn."""


class PlayMatches(_Message):
    """The run orders matches, to be played in this order as far as possible."""

    orders: tuple[MatchOrder, ...]


class DropMatches(_Message):
    """The run wants these matches left out, if they have not begun."""

    numbers: tuple[int, ...]


class WithdrawBot(_Message):
    """The run withdraws a bot, which plays no more except in matches that have begun."""

    bot: str


# From the worker, in play.


class DecisionSaid(_Row):
    """A decision without its move, which is among the packed moves."""

    turn: int
    seat: int
    elapsed_s: float
    fault: str | None
    reason: str
    asked: bool
    lagged: bool


class CapsuleSaid(_Row):
    """The evidence of a fault."""

    decision: DecisionSaid
    number: int
    lines: bytes
    """The JSON objects of the evidence, as one JSON list."""


class RowSaid(_Row):
    """A decision that gets a row of its own."""

    decision: DecisionSaid
    move: str
    """The move as JSON text."""


class TotalsSaid(_Row):
    """A seat's `SeatTotals`."""

    decisions: int
    not_asked: int
    lagged: int
    faults: tuple[int, ...]
    think_s: float
    think_max_s: float
    times: bytes


class RecordSaid(_Row):
    """A finished match, without what the run knows already; of its decisions, only what tables keep."""

    turns: int
    totals: tuple[TotalsSaid, ...]
    faults: tuple[DecisionSaid, ...]
    ranks: tuple[int, ...]
    returns: tuple[float, ...]
    adjusted: tuple[float, ...]
    abandoned: tuple[bool, ...]
    capsules: tuple[CapsuleSaid, ...]
    duration_s: float
    error: str | None
    points: tuple[float, ...]
    packed: bytes
    rows: tuple[RowSaid, ...]
    started_at: float


class MatchesPlayed(_Message):
    """The worker reports matches that are over."""

    numbers: tuple[int, ...]
    records: tuple[RecordSaid, ...]
    """The record of each of these numbers."""
    wanted: int
    """How many matches the worker can use now."""


class WantsMatches(_Message):
    """The worker can use more matches than it said last."""

    matches: int


class MatchesDropped(_Message):
    """The worker has left these matches out."""

    numbers: tuple[int, ...]


class WorkerBug(_Message):
    """The worker reports a bug of ours that ended a connection, or the worker itself."""

    traceback: str


class WorkerBye(_Message):
    """The worker says goodbye: all its bots are gone."""

    lag_worst_s: float


FromWorker: TypeAlias = (
    WorkerHello
    | WorkerReady
    | WorkRefused
    | MatchesPlayed
    | MatchesDropped
    | WantsMatches
    | WorkerBug
    | WorkerBye
)
Errand: TypeAlias = MatchOrder | DropMatches | WithdrawBot
"""What a run tells a worker in play; orders are bundled before they are sent."""
FromRun: TypeAlias = BeginWork | PlayMatches | DropMatches | WithdrawBot


def encoded(message: object) -> bytes:
    """A message as bytes."""
    return _ENCODER.encode(message)


def decoded(kind: object) -> msgspec.msgpack.Decoder[Any]:
    """A decoder for messages of this kind."""
    return msgspec.msgpack.Decoder(kind, dec_hook=_from_text)


def _as_text(value: object) -> str:
    """Encodes the one type in messages that MessagePack lacks, a path, as text."""
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"no message holds a {type(value).__name__}")


def _from_text(kind: type[Any], value: Any) -> Any:
    if issubclass(kind, Path) and isinstance(value, str):
        return Path(value)
    raise ValueError(f"found {type(value).__name__}, expected {kind.__name__}")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_as_text)
