"""The contract of a game: rules as pure functions over frozen states.

A game knows no clock, no JSON, no bots and no points.  Chance is just another
actor: where the rules roll or deal, `to_act` names CHANCE and `draw` makes the
move, so that a list of moves alone rebuilds every state.

A game defines house rules (the fields of its frozen attrs class), moves, states,
observations, events, and the rules: games/README.md says in which files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import attrs

from arena.errors import IllegalMove
from arena.words import spelt, spelt_list

__all__ = [
    "CHANCE",
    "Bare",
    "Between",
    "Domain",
    "Event",
    "Form",
    "Game",
    "IllegalMove",
    "Items",
    "Literal",
    "Names",
    "OneOf",
    "Option",
    "Seat",
    "Step",
    "Subset",
    "Tagged",
    "explain",
    "is_legal",
    "shared_returns",
]

S = TypeVar("S")
M = TypeVar("M")


class Seat(int):
    """A 0-based place in a match: a type of its own, so that the codec can write who sits there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Seat({int(self)})"


CHANCE = Seat(-1)
"""The actor that rolls, shuffles and deals."""

Names: TypeAlias = Callable[[Seat], str]
"""Gives the name of who sits in a seat."""


# How a move looks in JSON: declared beside the move class, read by players/codec.


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


# What a seat may do: options and the domains of their fields.


@attrs.frozen
class OneOf:
    """Any one of `values`."""

    values: tuple[Any, ...]

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def sample(self, rng: Random) -> Any:
        return rng.choice(self.values)

    def __str__(self) -> str:
        return f"one of {spelt_list(self.values)}" if len(self.values) != 1 else spelt(self.values[0])


@attrs.frozen
class Between:
    """Any integer from `low` to `high`, both included."""

    low: int
    high: int

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high

    def sample(self, rng: Random) -> int:
        return rng.randint(self.low, self.high)

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" if self.low < self.high else str(self.low)


@attrs.frozen
class Subset:
    """A tuple of distinct members of `of`, at least `least` and at most `most` of them, in any order."""

    of: tuple[Any, ...]
    least: int
    most: int

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, tuple)
            and self.least <= len(value) <= self.most
            and len(members := set(value)) == len(value)
            and members.issubset(self.of)
        )

    def sample(self, rng: Random) -> tuple[Any, ...]:
        """A subset: first its size, uniformly, then its members."""
        return tuple(rng.sample(self.of, rng.randint(self.least, self.most)))

    def __str__(self) -> str:
        return f"{self.least} to {self.most} different ones of {spelt_list(self.of)}"

    def wrong_in(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """The members that make `value` illegal: those that are not in `of`, or named twice.

        Looks at one more than `of` has, among which at least one must be wrong: a bot may name 20,000.
        """
        head, known = value[: len(self.of) + 1], set(self.of)
        times = Counter(head)
        return tuple([each for each in head if each not in known or times[each] > 1])


Domain = OneOf | Between | Subset


@attrs.frozen
class Option:
    """A family of legal moves: every `move(**fields)` with each field in its domain.

    A rule that ties two fields together takes several options.
    """

    move: type[Any]
    fields: Mapping[str, Domain] = attrs.field(factory=dict)

    def __contains__(self, move: object) -> bool:
        if type(move) is not self.move:
            return False
        # A loop: this runs for every move, and `all(...)` costs twice as much.
        for name, domain in self.fields.items():  # noqa: SIM110
            if getattr(move, name) not in domain:
                return False
        return True

    def sample(self, rng: Random) -> Any:
        """A move of this family, each field drawn uniformly."""
        return self.move(**{name: domain.sample(rng) for name, domain in self.fields.items()})

    def __str__(self) -> str:
        fields = ", ".join(f"{name} {domain}" for name, domain in self.fields.items())
        return f"{self.move.__name__}({fields})" if fields else self.move.__name__


def is_legal(options: Sequence[Option], move: object) -> bool:
    """Whether some option contains the move."""
    for option in options:  # noqa: SIM110 - see Option.__contains__
        if move in option:
            return True
    return False


def explain(options: Sequence[Option], move: object) -> str:
    """Why `move` is not legal: one clause that names the field and the accepted values."""
    same = [option for option in options if option.move is type(move)]
    if not same:
        kinds = ", ".join(dict.fromkeys(option.move.__name__ for option in options))
        return f"{type(move).__name__} is not possible here; possible: {kinds}"
    wrong = [
        [
            f"{name} {_wrong(domain, getattr(move, name))} is not {domain}"
            for name, domain in option.fields.items()
            if getattr(move, name) not in domain
        ]
        for option in same
    ]
    least = min(map(len, wrong))  # the families nearest to the move best show what was meant
    clauses = [" and ".join(each) for each in wrong if len(each) == least]
    return f"{type(move).__name__}: " + "; or ".join(clauses)


def _wrong(domain: Domain, value: object) -> str:
    """What is wrong in a value, in readable form; of a long list only its wrong members."""
    if isinstance(domain, Subset) and isinstance(value, tuple):
        wrong = spelt_list(domain.wrong_in(value) or value) or "nothing"
        return wrong if len(value) <= len(domain.of) else f"{wrong} (among {len(value)})"
    return spelt(value)


@attrs.frozen
class Event:
    """Something that happened, and who may know what about it.

    `public` and each payload in `private` is a frozen attrs class with
    annotated fields, or None where there is nothing to tell.
    """

    kind: str
    public: Any = None
    private: Mapping[Seat, Any] = attrs.field(factory=dict)

    def seen_by(self, seat: Seat | None) -> Any:
        """The payload that this seat (None: a spectator) may know, or None."""
        return self.private.get(seat, self.public) if seat is not None else self.public


@attrs.frozen
class Step(Generic[S]):
    """The state after a move, and the events that led to it."""

    state: S
    events: tuple[Event, ...] = ()


@attrs.frozen
class Game(ABC, Generic[S, M]):
    """A game with its house rules, which are the fields of the frozen attrs class."""

    name: ClassVar[str]
    """Its name on the command line and in tables, e.g. `liars-dice`."""
    title: ClassVar[str]
    """What people call it, e.g. `Liar's Dice`."""
    version: ClassVar[int]
    """Raised whenever a rule changes."""
    seats: ClassVar[range]
    """How many bots can play."""
    rated_by: ClassVar[str]
    """`"ranks"` or `"returns"`."""
    moves: ClassVar[tuple[type[Any], ...]]
    """Every move class, those of chance and of `default` included; records rely on the order.

    Each is a frozen attrs class with annotated fields; only those that bots may send have a class attribute
    `form: ClassVar[Form]`.
    """
    reveals: ClassVar[frozenset[str]] = frozenset()
    """Kinds of events that reveal what no observation says, such as a showdown of all hands.

    All other events tell a seat (or the spectators) nothing that does not follow from its own moves and its
    observations, including the one after the event.  `check_game` tests that.
    """
    showdowns: ClassVar[frozenset[str]] = frozenset()
    """Kinds of public events that show, as a round ends, what was hidden: people need time to read them."""
    round_begins: ClassVar[str | None] = None
    """The kind of public event with which a round or hand begins; None: every move of chance begins one."""
    turn_begins: ClassVar[str | None] = None
    """The kind of public event whose first field is who is on turn now; None: whoever alone is asked is."""
    silent_move: ClassVar[type[Any] | None] = None
    """The move that says nothing, `Pass`: who stays silent where it is legal, and is a person, has made it.
    None: the game has none, and silence is a fault everywhere."""
    people_move_s: ClassVar[float] = 30.0
    """The usual limit of a move, in seconds, at a table with people."""
    own_name: ClassVar[str | None] = None
    """The word for the receiver's own name, if the game's document has one."""
    reserved_names: ClassVar[frozenset[str]] = frozenset()
    """Words that appear where a name could, `own_name` among them, and moves that are words: no bot that
    plays the game can have one as its name."""

    @property
    def returns_unit(self) -> tuple[str, float]:
        """The unit in which people are shown the returns of a match, and how many returns one unit is.

        Only games rated by returns need one: `("bb/100", 20.0)` shows returns of 30 as 1.5 bb/100.
        """
        return "", 1.0

    def at_table(self, seats: int) -> Self:
        """The same with every number that a house rule leaves open, for so many seats; bots are told it."""
        return self

    @abstractmethod
    def start(self, seats: int) -> S:
        """The state before anything has happened."""

    @abstractmethod
    def to_act(self, state: S) -> tuple[Seat, ...]:
        """The seats asked now, in playing order, all at once; `(CHANCE,)`; or `()` when the match is over.

        Depends on public information only.
        """

    def eliminated(self, state: S) -> tuple[Seat, ...]:
        """The seats that take no part in the rest of the match, which everybody knows."""
        return ()

    @abstractmethod
    def chance_key(self, state: S) -> tuple[str | int, ...]:
        """Names the chance move that is due, e.g. `("roll", 3)`; the key of its rng within the match."""

    @abstractmethod
    def draw(self, state: S, rng: Random) -> M:
        """The move chance makes: the only place where an rng appears."""

    @abstractmethod
    def options(self, state: S, seat: Seat) -> tuple[Option, ...]:
        """Everything an asked seat may do: the only source of legality."""

    @abstractmethod
    def apply(self, state: S, moves: Mapping[Seat, M]) -> Step[S]:
        """What follows from one move for each seat of `to_act`; deterministic.

        Raises IllegalMove for a move that is neither in the options nor the default.
        """

    @abstractmethod
    def default(self, state: S, seat: Seat) -> M:
        """What is played for a seat that failed; may be a move that no option contains."""

    @abstractmethod
    def observe(self, state: S, seat: Seat | None) -> Any:
        """What one seat (None: a spectator) may know now, in the field names of the game's document.

        A frozen attrs class (`slots=False`, so that its fields are sent in their order).
        Built from permitted pieces, never by removing hidden ones.
        """

    def tell_move(self, seat: Seat, move: M, name: Names) -> str | None:
        """What people who may know the move are told about it: `bob bids five 3s`.

        One clause without a full stop, which begins with the seat that moved.  Of a move of chance (seat
        CHANCE) it says nothing of what was drawn, and may be empty.  None: the game has no sentences of its
        own, and moves and events are shown by the names of their fields.
        """
        return None

    def tell_event(self, kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
        """What people who may know this payload of an event are told about it, made from nothing else.

        `seat`: who alone is told it; None: it is the public one.  None as for `tell_move`.
        """
        return None

    @abstractmethod
    def returns(self, state: S) -> tuple[float, ...]:
        """The result in the game's own unit, by seat.  Raises ValueError before the match is over."""

    @abstractmethod
    def ranks(self, state: S) -> tuple[int, ...]:
        """The 1-based places, by seat, ties allowed.  Raises ValueError before the match is over."""


def shared_returns(ranks: Sequence[int]) -> tuple[float, ...]:
    """Returns of a game without chips: k firsts get (1 − (k−1)/(n−1))/k each, all others −1/(n−1).

    Sums to zero; a lone winner gets +1.  (RULES.md, "Common to all five".)
    """
    seats, first = len(ranks), list(ranks).count(1)
    share = (1 - (first - 1) / (seats - 1)) / first
    return tuple(share if rank == 1 else -1 / (seats - 1) for rank in ranks)
