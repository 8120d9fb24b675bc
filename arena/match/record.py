"""What is kept of a match: decisions, moves for replay, the result."""

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
"""The moves of one `apply`, by seat; chance's under CHANCE."""


TIME_BYTES = 4
"""Of each time of a decision, where those of a seat are kept together."""
KNOWN_MAX = 20_000
"""Rows of packed moves that are remembered: a few MB."""


class Decision(NamedTuple):
    """What one seat did at one turn, and how.  A named tuple: made in a quarter of the time."""

    turn: int
    """0-based index into the match's turns, chance included."""
    seat: Seat
    move: Any
    elapsed_s: float
    """From sending the question to receiving the whole answer, or to giving up; 0.0 if not asked."""
    fault: FaultKind | None = None
    reason: str = ""
    """One clause for people; empty without fault."""
    asked: bool = True
    """False: the seat is not asked any more in this match, or its bot is withdrawn; no fault."""
    lagged: bool = False
    """The arena itself was late while this seat was thinking, and may have caused the time or the fault."""


UNPACKED_BYTES_MAX, UNPACKED_LISTS_MAX = 1 << 24, 1 << 20
"""The largest moves that are unpacked, and how many lists they may be: a tenth of a kB in memory for each.

Most matches take some hundreds of kilobytes; 10,000 hands of Hold'em have half a million lists in 5 MB.
"""


@attrs.frozen
class Capsule:
    """The evidence of one fault: the last messages both ways, with times."""

    decision: Decision
    number: int
    """0-based, counting the faults of this seat in this match."""
    lines: tuple[Mapping[str, Any], ...]
    """JSON objects, oldest first."""


@attrs.frozen
class MatchRecord:
    """One match as played by the referee."""

    turns: Sequence[Turn]
    decisions: tuple[Decision, ...]
    """None of a match that a worker played: what they came to is in its `Entry`."""
    ranks: tuple[int, ...]
    returns: tuple[float, ...]
    abandoned: tuple[bool, ...]
    """By seat: it reached `faults_max` and was not asked any more."""
    capsules: tuple[Capsule, ...] = ()
    duration_s: float = 0.0
    error: str | None = None
    """The traceback, if the rules or the arena failed; ranks and returns are empty then."""


@attrs.frozen
class SeatTotals:
    """What the decisions of one seat in a match came to."""

    decisions: int
    not_asked: int
    lagged: int
    faults: tuple[int, ...]
    """How many of each kind, in the order of FAULT_KINDS."""
    think_s: float
    """The time of all decisions for which it was asked."""
    think_max_s: float
    """The longest of them; 0.0 if there was none."""
    times: bytes
    """The time of each of them in seconds, TIME_BYTES each: a float in the machine's order."""

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> SeatTotals:
        """What these decisions, all of one seat, come to."""
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

    From what is kept of every match: only late answers are excused by lag, and `lagged` may also count
    answers that cost nothing, so that where there was lag, rather too many are excused than too few.
    """
    return 0 < faults <= 2 * min(too_late, lagged)


_NO_FAULTS = (0,) * len(FAULT_KINDS)


@attrs.frozen
class OwnGame:
    """How a match was played that is kept beside matches of other games, as at a server's tables."""

    version: int
    """Of its game."""
    rules: Mapping[str, Any]
    """All house rules, in JSON's types."""
    kinds: tuple[str, ...]
    """By seat: `person` or `bot`."""


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
    """Those that get a row of their own; `move` is JSON text with the bots' names."""
    started_at: float
    """Unix time."""
    own_game: OwnGame | None = None
    """None: the one of the folder."""
    place: Place | None = None
    """None: it was played by the run itself."""
    faults: tuple[Decision, ...] = attrs.field()
    """The decisions of the record that have a fault."""
    totals: tuple[SeatTotals, ...] = attrs.field()
    """By seat, what the decisions of the record came to."""

    # Where a match was played elsewhere, both are told and the record has no decisions.

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
    """The moves of a match in few bytes; `unpack` gives them back.

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
        """How nearly all rows begin, in as many bytes as the shortest row has."""
        self.known: dict[bytes, tuple[Seat, Any]] = {}
        """What `move` gave for rows that came before."""
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
        """Who moved, and the move.  Raises ValueError for a row that is not of this game."""
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
        """What a row says that begins as few do."""
        who, index, *fields = self._decoders[int(row.split(b",", 2)[1].rstrip(b"]"))].decode(row)
        return _seat(Seat, who), self._moves[index](*fields)


@cache
def _row_writers(game: type[Game[Any, Any]]) -> Mapping[type[Any], Callable[[Any], tuple[Any, ...]]]:
    """For each class of move, the function that gives its index and fields."""
    return {move: _row_writer(index, tuple(attrs.fields_dict(move))) for index, move in enumerate(game.moves)}


def _row_writer(index: int, names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda move: (index,)
    fields = attrgetter(*names)
    if len(names) == 1:  # it gives no tuple then
        return lambda move: (index, fields(move))
    return lambda move: (index, *fields(move))


@cache
def _row_readers(game: type[Game[Any, Any]]) -> Mapping[int, Callable[[list[Any]], Any]]:
    """For each index in `game.moves`, the function that builds the move, checking fields by annotation."""
    return {index: _row_reader(move) for index, move in enumerate(game.moves)}


def _row_shape(move: type[Any]) -> Any:
    """What a whole row of this class of move is: who moved, the index of the class, the fields."""
    hints = get_type_hints(move)
    return tuple.__class_getitem__((int, int, *(hints[name] for name in attrs.fields_dict(move))))


def _row_reader(move: type[Any]) -> Callable[[list[Any]], Any]:
    import msgspec

    hints = get_type_hints(move)
    shape = tuple.__class_getitem__(tuple(hints[name] for name in attrs.fields_dict(move)))
    return lambda fields: move(*msgspec.convert(fields, shape, dec_hook=_seat))


def _seat(wanted: type[Any], value: Any) -> Seat:
    """The seat of a number: the one type in a move that JSON cannot tell from an integer."""
    if wanted is Seat and type(value) is int and value >= CHANCE:
        return Seat(value)
    raise ValueError(f"{value!r} is not a {wanted.__name__}")


def _unpacked(packed: bytes) -> bytes:
    """What was packed.  Raises ValueError if it is larger than any match."""
    import zlib

    unpacker = zlib.decompressobj()
    octets = unpacker.decompress(packed, UNPACKED_BYTES_MAX)
    if not unpacker.eof:
        raise ValueError(f"cut short, or larger than {UNPACKED_BYTES_MAX:,} bytes")
    if octets.count(b"[") > UNPACKED_LISTS_MAX:
        raise ValueError(f"more than {UNPACKED_LISTS_MAX:,} lists")
    return octets
