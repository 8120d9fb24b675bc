"""What a run and its workers say to each other, as data.

The worker speaks first, so that a run knows whom it talks to before it says anything:

    worker  WorkerHello                 which arena it is
    run     BeginWork                   the setting: plan, game, bots, its share of tables and instances
    worker  WorkerReady, WorkRefused    the fingerprints of what it found; or why it cannot play
    run     PlayMatches, DropMatches, WithdrawBot
    worker  MatchesPlayed, MatchesDropped, WantsMatches, WorkerBug
    run     closes its end              the worker ends its bots
    worker  WorkerBye                   and it closes its own end

An order is a planned match and who is withdrawn from it.  Each is answered once: by `MatchesPlayed`, or by
`MatchesDropped` if it was to be dropped and had not begun.  A run that loses a worker gives what that one has
not answered to another one: a match may be played twice, and is told once.

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
    """One of the messages."""


class _Row(msgspec.Struct, array_like=True):
    """A part of a message of which there are many: without the names of its fields."""


# From the worker, before play.


class WorkerHello(_Message):
    """Who speaks."""

    pipe: int
    """The version of these messages."""
    arena: str
    python: str
    seeding: int
    """The way in which it derives seeds."""


class WorkerReady(_Message):
    """The worker has the game and the bots."""

    game: str
    """The fingerprint of the game's files; empty for a built-in game."""
    bots: Mapping[str, str]
    """The fingerprints of the bots' files."""
    wanted: int
    """How many matches it could have now."""
    loop_ms: float = 0.0
    """What a fixed loop takes there, if that was asked."""


class WorkRefused(_Message):
    """The worker cannot play this."""

    why: str
    """A sentence for people."""


# From the run.


class GameSaid(_Row):
    """A game, and where it comes from."""

    name: str
    version: int
    origin: Mapping[str, str] | None
    """As `game_source.as_kept` gives it; None: it is built in."""


class BeginWork(_Message):
    """Everything that a worker must know before it plays."""

    plan: str
    """The plan in JSON, without seed and bots."""
    seed: bytes
    game: GameSaid
    entrants: tuple[Entrant, ...]
    playing: frozenset[str]
    """Those of them that may be seated here."""
    versions: Mapping[str, str]
    folder: str
    paths: tuple[str, ...]
    """Where modules are looked for after all places that the worker has itself."""
    box: Means | None
    """By which means bots are confined, as the run has found out; None: the worker has to."""
    debugged: frozenset[str]
    tables: tuple[int, int, float]
    """First, most, cores: a `Capacity`."""
    place: int
    of: int
    """The worker's `Share`."""
    builds: bool = False
    """Whether the worker builds the bots that must be built: it has files of its own."""
    calibrates: bool = False
    """Whether it says how fast its machine is."""


class MatchOrder(_Row):
    """A match to be played."""

    number: int
    """Names it on this pipe."""
    id: str
    bots: tuple[str, ...]
    seed: bytes
    series: str
    rotation: int
    cycle: int
    without: tuple[str, ...]
    """Its bots that are withdrawn."""


class PlayMatches(_Message):
    """These matches, in this order as far as possible."""

    orders: tuple[MatchOrder, ...]


class DropMatches(_Message):
    """Leave out these matches, if they have not begun."""

    numbers: tuple[int, ...]


class WithdrawBot(_Message):
    """This bot plays no more, but in matches that have begun."""

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
    """Its JSON objects, as one JSON list."""


class RowSaid(_Row):
    """A decision that gets a row of its own."""

    decision: DecisionSaid
    move: str
    """JSON text."""


class TotalsSaid(_Row):
    """A `SeatTotals`."""

    decisions: int
    not_asked: int
    lagged: int
    faults: tuple[int, ...]
    think_s: float
    think_max_s: float
    times: bytes


class RecordSaid(_Row):
    """A finished match, without what the run knows of it; of its decisions what tables keep."""

    turns: int
    totals: tuple[TotalsSaid, ...]
    faults: tuple[DecisionSaid, ...]
    ranks: tuple[int, ...]
    returns: tuple[float, ...]
    abandoned: tuple[bool, ...]
    capsules: tuple[CapsuleSaid, ...]
    duration_s: float
    error: str | None
    points: tuple[float, ...]
    packed: bytes
    rows: tuple[RowSaid, ...]
    started_at: float


class MatchesPlayed(_Message):
    """Matches are over."""

    numbers: tuple[int, ...]
    records: tuple[RecordSaid, ...]
    """One for each of these numbers."""
    wanted: int
    """How many matches the worker could have now."""


class WantsMatches(_Message):
    """The worker could have more matches than it said last."""

    matches: int


class MatchesDropped(_Message):
    """These matches were left out."""

    numbers: tuple[int, ...]


class WorkerBug(_Message):
    """A bug of ours that ended a connection, or the worker."""

    traceback: str


class WorkerBye(_Message):
    """All bots are gone."""

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
"""What a run may have to say to a worker in play; orders are bundled on the way."""
FromRun: TypeAlias = BeginWork | PlayMatches | DropMatches | WithdrawBot


def encoded(message: object) -> bytes:
    """A message in bytes."""
    return _ENCODER.encode(message)


def decoded(kind: object) -> msgspec.msgpack.Decoder[Any]:
    """What reads the messages of this kind."""
    return msgspec.msgpack.Decoder(kind, dec_hook=_from_text)


def _as_text(value: object) -> str:
    """The one type in messages that MessagePack has not."""
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is in no message")


def _from_text(kind: type[Any], value: Any) -> Any:
    if issubclass(kind, Path) and isinstance(value, str):
        return Path(value)
    raise ValueError(f"found {type(value).__name__}, expected {kind.__name__}")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_as_text)
