"""What is kept of a match: decisions, moves for replay, and the result."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from math import fsum
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import attrs

from arena.errors import FAULT_KINDS, FaultKind
from arena.match.game import CHANCE, Game, Seat
from arena.schedule import Pairing

Turn: TypeAlias = Mapping[Seat, Any]
"""The moves of one `apply`, by seat; a move of chance under CHANCE."""


TIME_BYTES = 4
"""The bytes of one decision's time where the times of a seat are kept together."""
KNOWN_MAX = 20_000
"""How many rows of packed moves are remembered: a few MB."""


class Decision(NamedTuple):
    """What one seat did at one turn, and how.  A named tuple: it is made in a quarter of the time."""

    turn: int
    """The 0-based index into the match's turns, chance included."""
    seat: Seat
    move: Any
    elapsed_s: float
    """Seconds from sending the question to receiving the whole answer, or to giving up; 0.0 if not asked."""
    fault: FaultKind | None = None
    reason: str = ""
    """One clause for people; empty without fault."""
    asked: bool = True
    """False if the seat is no longer asked in this match, or its bot is withdrawn; that is no fault."""
    lagged: bool = False
    """Whether the arena itself was late while this seat was thinking, and may have caused time or fault."""


UNPACKED_BYTES_MAX, UNPACKED_LISTS_MAX = 1 << 24, 1 << 20
"""The most bytes of moves that are unpacked, and the most lists in them, each 0.1 kB in memory.

Most matches take some hundreds of kilobytes; 10,000 hands of Hold'em have half a million lists in 5 MB.
"""


@attrs.frozen
class Capsule:
    """The evidence of one fault: the last messages both ways, with times."""

    decision: Decision
    number: int
    """The 0-based number among the faults of this seat in this match."""
    lines: tuple[Mapping[str, Any], ...]
    """JSON objects, oldest first."""


@attrs.frozen
class MatchRecord:
    """One match as played by the referee."""

    turns: Sequence[Turn]
    decisions: tuple[Decision, ...]
    """All decisions; empty if a worker played the match: `Entry` then has their totals."""
    ranks: tuple[int, ...]
    returns: tuple[float, ...]
    abandoned: tuple[bool, ...]
    """Whether each seat reached `faults_max` and was not asked any more."""
    capsules: tuple[Capsule, ...] = ()
    duration_s: float = 0.0
    error: str | None = None
    """The traceback, if the rules or the arena failed; ranks and returns are empty then."""
    adjusted: tuple[float, ...] = attrs.field()
    """The returns without luck, where the game declares it (`Game.luck`); else the returns."""

    @adjusted.default
    def _no_luck_is_known(self) -> tuple[float, ...]:
        return self.returns


@attrs.frozen
class SeatTotals:
    """The faults and times of one seat's decisions in a match, added up."""

    decisions: int
    not_asked: int
    lagged: int
    faults: tuple[int, ...]
    """How many faults of each kind, in the order of FAULT_KINDS."""
    think_s: float
    """The time in seconds of all decisions for which the seat was asked."""
    think_max_s: float
    """The longest time of one decision; 0.0 if there was none."""
    times: bytes
    """The time of each decision in seconds, a float of TIME_BYTES in the machine's byte order."""

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> SeatTotals:
        """The totals of these decisions, which are all of one seat."""
        faults = [decision.fault for decision in decisions if decision.fault is not None]
        times = [decision.elapsed_s for decision in decisions if decision.asked]
        return cls(
            decisions=len(decisions),
            not_asked=len(decisions) - len(times),
            lagged=sum([decision.lagged for decision in decisions]),
            faults=tuple(map(faults.count, FAULT_KINDS)) if faults else _NO_FAULTS,
            think_s=fsum(times),
            think_max_s=max(times, default=0.0),
            times=array("f", times).tobytes(),
        )


def is_lagged(faults: int, too_late: int, lagged: int) -> bool:
    """Whether at least half of a seat's faults in a match may have been caused by the arena's own lag.

    It uses only what is kept of every match: lag excuses only late answers, and `lagged` may also count
    answers that cost nothing, so that too many are excused where there was lag, rather than too few.
    """
    return 0 < faults <= 2 * min(too_late, lagged)


_NO_FAULTS = (0,) * len(FAULT_KINDS)


@attrs.frozen
class OwnGame:
    """The game of a match that is kept beside matches of other games, as at a server's tables."""

    version: int
    """The version of the game."""
    rules: Mapping[str, Any]
    """All house rules as JSON values."""
    kinds: tuple[str, ...]
    """Who sits in each seat: `person` or `bot`."""


@attrs.frozen
class Place:
    """Where a match was played, if not by the run itself."""

    host: str
    """The machine's name."""
    worker: str


@attrs.frozen
class Entry:
    """One match as the store keeps it: planned, played, scored."""

    match_id: str
    """Opaque: 12 hexadecimal digits, or 16 in a ladder."""
    pairing: Pairing
    deals: str
    """How luck is dealt, `same` or `fresh`: whether the rotations of its series share their luck."""
    versions: tuple[str, ...]
    """The version of each seat's bot."""
    withdrawn: tuple[bool, ...]
    """Whether each seat's bot was withdrawn before the match, and default moves were played for it."""
    record: MatchRecord
    points: tuple[float, ...]
    """Each seat's points; empty if the match was aborted."""
    packed: bytes
    """The moves: `pack(game, record.turns)`."""
    decisions: tuple[Decision, ...]
    """The decisions that get a row of their own; `move` is JSON text with the bots' names."""
    started_at: float
    """When the match started, in Unix time."""
    own_game: OwnGame | None = None
    """The game that was played; None: the folder's."""
    place: Place | None = None
    """Where the match was played; None: in the run's own process."""
    faults: tuple[Decision, ...] = attrs.field()
    """The decisions of the record that have a fault."""
    totals: tuple[SeatTotals, ...] = attrs.field()
    """Each seat's totals over the decisions of the record."""

    # If the match was played elsewhere, both are passed in and the record has no decisions.

    @faults.default
    def _faults_of_the_record(self) -> tuple[Decision, ...]:
        return tuple([decision for decision in self.record.decisions if decision.fault is not None])

    @totals.default
    def _totals_of_the_record(self) -> tuple[SeatTotals, ...]:
        own: list[list[Decision]] = [[] for _ in self.pairing.bots]
        for decision in self.record.decisions:
            own[decision.seat].append(decision)
        return tuple(map(SeatTotals.of, own))


def pack(game: Game[Any, Any], turns: Sequence[Turn]) -> bytes:
    """The moves of a match in few bytes; `unpack` restores them.

    Deflated JSON: a list of turns, each a list of `[seat, index in game.moves, *fields]`.
    """
    import zlib

    import msgspec

    rows = _row_writers(type(game))
    lists = [[(int(seat), *rows[type(move)](move)) for seat, move in turn.items()] for turn in turns]
    return zlib.compress(msgspec.json.encode(lists, enc_hook=int))


def unpack(game: Game[Any, Any], packed: bytes) -> tuple[Turn, ...]:
    """The moves that `pack` was given.  Raises ValueError for bytes not packed for this game."""
    import zlib

    import msgspec

    readers = _row_readers(type(game))
    try:
        lists = msgspec.json.decode(_unpacked(packed), type=list[list[list[Any]]])
        return tuple({_seat(Seat, row[0]): readers[row[1]](row[2:]) for row in rows} for rows in lists)
    except (zlib.error, msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"these are not packed moves of {game.name}: {error}") from error


class PackedMoves:
    """Packed moves of one game, turn by turn, as bytes that are read one at a time.

    Matches repeat their moves: each row is read once, and known by its bytes from then on.
    """

    def __init__(self, game: Game[Any, Any]) -> None:
        import msgspec

        self._name = game.name
        self._writers = _row_writers(type(game))
        self._moves = game.moves
        self._decoders = [msgspec.json.Decoder(_row_shape(move), dec_hook=_seat) for move in game.moves]
        self._beginnings = {
            b"[%d,%d%c" % (seat, index, end): (Seat(seat), move, self._decoders[index].decode)
            for seat, (index, move) in product(range(10), enumerate(game.moves[:10]))
            for end in b",]"
        }
        """The first bytes of nearly all rows (as many as the shortest row has), and how to read such rows."""
        self.known: dict[bytes, tuple[Seat, Any]] = {}
        """What `move` returned for earlier rows."""
        self._encode = msgspec.json.Encoder(enc_hook=int).encode
        self._split = msgspec.json.Decoder(list[list[msgspec.Raw]]).decode

    def turns(self, packed: bytes) -> list[list[bytes]]:
        """The rows of each turn.  Raises ValueError for bytes that are not packed moves."""
        import zlib

        try:
            return [[bytes(row) for row in rows] for rows in self._split(_unpacked(packed))]
        except (zlib.error, ValueError, TypeError) as error:  # msgspec's own are ValueErrors
            raise ValueError(f"these are not packed moves of {self._name}: {error}") from error

    def row(self, seat: Seat, move: Any) -> bytes:
        """The row of a move."""
        return self._encode((int(seat), *self._writers[type(move)](move)))

    def move(self, row: bytes) -> tuple[Seat, Any]:
        """The seat that moved, and its move.  Raises ValueError for a row that is not of this game."""
        found = self.known.get(row)
        if found is None:
            try:
                if (begins := self._beginnings.get(row[:5])) is not None:
                    who, move, decode = begins
                    found = who, move(*decode(row)[2:])
                else:
                    found = self._read(row)
            except (LookupError, TypeError, ValueError) as error:
                raise ValueError(f"this is not a move of {self._name}: {error}") from error
            if len(self.known) >= KNOWN_MAX:
                self.known.clear()
            self.known[row] = found
        return found

    def _read(self, row: bytes) -> tuple[Seat, Any]:
        """The seat and the move of a row with a rare beginning."""
        who, index, *fields = self._decoders[int(row.split(b",", 2)[1].rstrip(b"]"))].decode(row)
        return _seat(Seat, who), self._moves[index](*fields)


@cache
def _row_writers(game: type[Game[Any, Any]]) -> Mapping[type[Any], Callable[[Any], tuple[Any, ...]]]:
    """For each class of move, the function that returns its index and fields."""
    return {move: _row_writer(index, tuple(attrs.fields_dict(move))) for index, move in enumerate(game.moves)}


def _row_writer(index: int, names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda move: (index,)
    fields = attrgetter(*names)
    if len(names) == 1:  # for one name, attrgetter returns no tuple
        return lambda move: (index, fields(move))
    return lambda move: (index, *fields(move))


@cache
def _row_readers(game: type[Game[Any, Any]]) -> Mapping[int, Callable[[list[Any]], Any]]:
    """For each index in `game.moves`, the function that builds the move, checking fields by annotation."""
    return {index: _row_reader(move) for index, move in enumerate(game.moves)}


def _row_shape(move: type[Any]) -> Any:
    """The type of a whole row for this class of move: who moved, the index of the class, the fields."""
    hints = get_type_hints(move)
    return tuple.__class_getitem__((int, int, *(hints[name] for name in attrs.fields_dict(move))))


def _row_reader(move: type[Any]) -> Callable[[list[Any]], Any]:
    import msgspec

    hints = get_type_hints(move)
    shape = tuple.__class_getitem__(tuple(hints[name] for name in attrs.fields_dict(move)))
    return lambda fields: move(*msgspec.convert(fields, shape, dec_hook=_seat))


def _seat(wanted: type[Any], value: Any) -> Seat:
    """The seat for a number: the one type in a move that JSON cannot tell from an integer."""
    if wanted is Seat and type(value) is int and value >= CHANCE:
        return Seat(value)
    raise ValueError(f"{value!r} is not a {wanted.__name__}")


def _unpacked(packed: bytes) -> bytes:
    """The JSON that was packed.  Raises ValueError if it is larger than that of any match."""
    import zlib

    unpacker = zlib.decompressobj()
    octets = unpacker.decompress(packed, UNPACKED_BYTES_MAX)
    if not unpacker.eof:
        raise ValueError(f"cut short, or larger than {UNPACKED_BYTES_MAX:,} bytes")
    if octets.count(b"[") > UNPACKED_LISTS_MAX:
        raise ValueError(f"more than {UNPACKED_LISTS_MAX:,} lists")
    return octets
