"""The contract of a game: rules as pure functions over frozen states.

A game knows no clock, no JSON, no bots and no points.  Chance is just another actor: where the rules roll
or deal, `to_act` names CHANCE and `draw` makes the move, so that a list of moves alone rebuilds every state.

games/README.md says in which files a game defines house rules, moves, states, observations, events and rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeAlias, TypeVar

import attrs

from arena.errors import ConfigError, IllegalMove
from arena.match.forms import Bare, Form, Items, Literal, Tagged
from arena.match.hands import HiddenHands
from arena.match.options import Between, Domain, OneOf, Option, Subset, explain, is_legal, moves_of

__all__ = [
    "CHANCE",
    "CHANCES_MAX",
    "TOLD_IF_SET",
    "Acted",
    "Bare",
    "Between",
    "Domain",
    "Event",
    "Form",
    "Game",
    "HiddenHands",
    "IllegalMove",
    "Information",
    "Items",
    "Literal",
    "Names",
    "OneOf",
    "Option",
    "Seat",
    "Step",
    "Subset",
    "Tagged",
    "Told",
    "explain",
    "is_legal",
    "moves_of",
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

CHANCES_MAX = 10_000
"""The most moves of chance that a game lists for one state: applying them all takes a tenth of a second."""

TOLD_IF_SET = "told if set"
"""Marks a later house rule, in its field's metadata: bots are told it and folders hold it only if set."""

Names: TypeAlias = Callable[[Seat], str]
"""Returns the name of the bot or person in a seat."""


@attrs.frozen
class Event:
    """Something that happened, with what each viewer may know about it.

    `public` and each payload of `private`: a frozen attrs class with annotated fields, or None for nothing.
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


class Acted(NamedTuple):
    """What a seat saw when it was asked, and what it did."""

    observation: Any
    move: Any


class Told(NamedTuple):
    """An event, with what a seat was told of it."""

    kind: str
    payload: Any


@attrs.frozen(cache_hash=True)
class Information:
    """What a seat knows at a moment: all that a bot there could remember, and nothing else.

    `match.information` gives it for a match.  Equal information is equal as a value, and hashable where the
    game's payloads are.
    """

    seat: Seat
    seats: int
    observation: Any
    """What the seat may see now, asked or not."""
    past: tuple[Acted | Told, ...] = ()
    """What the seat did and was told since the match began, in order."""

    def told(self, *kinds: str) -> tuple[Told, ...]:
        """The events of these kinds that the seat was told, in order; without kinds all."""
        told = [each for each in self.past if isinstance(each, Told)]
        return tuple([each for each in told if not kinds or each.kind in kinds])


@attrs.frozen
class Game(ABC, Generic[S, M]):
    """A game with its house rules, which are the fields of the frozen attrs class."""

    name: ClassVar[str]
    """The game's name on the command line and in tables, e.g. `liars-dice`."""
    title: ClassVar[str]
    """What people call the game, e.g. `Liar's Dice`."""
    version: ClassVar[int]
    """Raised whenever a rule changes."""
    seats: ClassVar[range]
    """How many bots can play."""
    rated_by: ClassVar[str]
    """What bots are rated by: `"ranks"` or `"returns"`."""
    moves: ClassVar[tuple[type[Any], ...]]
    """Every move class, those of chance and of `default` included; records rely on the order.  Each is a
    frozen attrs class with annotated fields; only those that bots may send have a class attribute `form`."""
    reveals: ClassVar[frozenset[str]] = frozenset()
    """Kinds of events that reveal what no observation shows, such as a showdown of all hands.  All others
    tell a seat (or the spectators) only what follows from its own moves and observations, including the one
    after the event.  `check_game` tests that."""
    showdowns: ClassVar[frozenset[str]] = frozenset()
    """Kinds of public events that show what was hidden as a round ends: people need time to read them."""
    round_begins: ClassVar[str | None] = None
    """The kind of public event with which a round or hand begins; None: every move of chance begins one."""
    holding: ClassVar[tuple[str, str]] = ("", "")
    """What a seat loses and wins, singular and plural: `("die", "dice")`.  Empty: nothing is declared."""
    turn_begins: ClassVar[str | None] = None
    """The kind of public event whose first field is the seat now on turn; None: the seat asked alone is."""
    silent_move: ClassVar[type[Any] | None] = None
    """The move that says nothing, `Pass`: a person who stays silent where it is legal has made it.  None: the
    game has no such move, and silence is a fault everywhere."""
    silence_s: ClassVar[float] = 5.0
    """After how many seconds a person's silence counts as that move, once all have answered who must."""
    default_is_legal: ClassVar[bool] = False
    """Whether the options of a seat always contain its default, so that checking a finished match need not
    tell them apart.  `check_game` tests that."""
    people_move_s: ClassVar[float] = 30.0
    """The usual limit of a move, in seconds, at a table with people."""
    lengths: ClassVar[tuple[str, tuple[int, ...]]] = ("", ())
    """The house rule for how long a match is, and what people are offered: `("hands", (10, 30, 100))`."""
    own_name: ClassVar[str | None] = None
    """The word for the receiver's own name, if the game's document has one."""
    reserved_names: ClassVar[frozenset[str]] = frozenset()
    """Words that appear where a name could, such as `own_name`, and moves that are words: no bot that plays
    the game can have one as its name."""

    @property
    def returns_unit(self) -> tuple[str, float]:
        """The unit in which people are shown returns, for games rated by them, and its size:
        `("bb/100", 20.0)` shows returns of 30 as 1.5 bb/100."""
        return "", 1.0

    def returns_bounds(self, seats: int) -> tuple[float, float] | None:
        """The lowest and the highest returns of a seat in a match of `seats`, under these house rules.

        Rules that stop a run early rely on them: rare large returns yet to come are no larger.  None: not
        declared.
        """
        return None

    @property
    def fresh_rounds(self) -> int:
        """The most rounds, each from the same start, whose sum a match's returns are: see `returns_reach`."""
        return 1

    def returns_reach(self, seats: int) -> tuple[float, float] | None:
        """The `returns_bounds` ÷ √`fresh_rounds`: if rounds are independent, no returns have a larger
        standard deviation."""
        bounds = self.returns_bounds(seats)
        return bounds and (bounds[0] / self.fresh_rounds**0.5, bounds[1] / self.fresh_rounds**0.5)

    @property
    def adjusts_luck(self) -> bool:
        """Whether `luck` is declared under these house rules; then bots are rated by returns without it."""
        return False

    def at_table(self, seats: int) -> Self:
        """The game with every number that its house rules leave to the table's size; bots are told these."""
        return self

    @abstractmethod
    def start(self, seats: int) -> S:
        """The state before anything has happened."""

    @abstractmethod
    def to_act(self, state: S) -> tuple[Seat, ...]:
        """The seats asked now, at once and in playing order; `(CHANCE,)`; or `()` at the end.
        Depends on public information only."""

    def eliminated(self, state: S) -> tuple[Seat, ...]:
        """The seats that take no part in the rest of the match, as everybody knows."""
        return ()

    def holdings(self, state: S) -> tuple[float, ...] | None:
        """How much each seat has of what `holding` names, as everybody may know; more is better.

        A drop from one step to the next is a loss, and people are shown where a bot's largest one was.  So
        what a seat would rather not have is counted negative, and what is decided only later (bets, before
        the hand is over) is not taken off yet.  A game without a `holding` always returns None.
        """
        return None

    @abstractmethod
    def chance_key(self, state: S) -> tuple[str | int, ...]:
        """Identifies the chance move that is due, e.g. `("roll", 3)`: the key of its rng within the match."""

    @abstractmethod
    def draw(self, state: S, rng: Random) -> M:
        """The move that chance makes: the only place where a match uses an rng."""

    def chances(self, state: S) -> tuple[tuple[M, float], ...] | None:
        """Every move that `draw` may make where chance is due, each once, with its probability (more than 0).

        The order is always the same.  None: the game does not list them, or they are more than CHANCES_MAX.
        """
        return None

    def hidden_hands(self) -> HiddenHands | None:
        """The hands of a match for two, if they are what is hidden from the seats; None: not offered.

        For chance that is too much to be listed.  Raises ConfigError where only another rule is in the way.
        """
        return None

    @abstractmethod
    def options(self, state: S, seat: Seat) -> tuple[Option, ...]:
        """Everything that a seat may do when it is asked: the only source of legality."""

    @abstractmethod
    def apply(self, state: S, moves: Mapping[Seat, M]) -> Step[S]:
        """The step that follows from one move for each seat of `to_act`; deterministic.

        Raises IllegalMove for a move that is neither in the options nor the default.
        """

    def numbered_moves(self, seats: int) -> tuple[M, ...]:
        """Moves that people type by the same numbers in every match, in order; it may leave out some."""
        return ()

    def may_be_silent(self, options: Sequence[Option]) -> bool:
        """Whether the move that says nothing is among the options; everybody may know this of every seat."""
        return any(option.move is self.silent_move for option in options)

    def plays_next(self, state: S) -> Seat | None:
        """The seat, among those that may stay silent, that is asked alone next, whatever they answer.

        A person in that seat is not hurried: all may answer until its own next move, which it may send at
        once.  None: nobody is known to be next, and silence counts after `silence_s`.
        """
        return None

    def past_round(self, payloads: Sequence[Any], seats: int) -> Any:
        """A finished round as the game's document shows it, made from its public payloads, so that it tells
        nobody more than they do; None if it is not over, or the document shows none."""
        return None

    @abstractmethod
    def default(self, state: S, seat: Seat) -> M:
        """The move played for a seat that failed; may be one that no option contains."""

    @abstractmethod
    def observe(self, state: S, seat: Seat | None) -> Any:
        """What one seat (None: a spectator) may know now, in the field names of the game's document.

        A frozen attrs class (`slots=False`, so that its fields are sent in their order).
        Built from permitted pieces, never by removing hidden ones.
        """

    def tell_move(self, seat: Seat, move: M, name: Names) -> str | None:
        """What people who may know the move are told about it: `bob bids five 3s`.

        One clause without a full stop, which begins with the seat that moved.  For a move of chance (seat
        CHANCE) it says nothing about what was drawn, and may be empty.  None: the game has no sentences of
        its own, and moves and events are shown by the names of their fields.
        """
        return None

    def tell_event(self, kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
        """What people who may know an event's payload are told about it, made from nothing else.

        `seat`: the only one that is told; None: the payload is public.  Returns None as `tell_move` does.
        """
        return None

    def tell_mark(self, kind: str, payload: Any) -> str:
        """The word (at most 20 characters) under which a timeline marks a public payload; most have none.

        Eliminations and faults are marked by the viewer, from `eliminated` and the decisions.
        """
        return "showdown" if kind in self.showdowns else ""

    def tell_why(self, events: Sequence[Event], name: Names) -> str | None:
        """Why a seat lost something with a step: `bob challenged a true bid of three 5s: there were four`.

        One clause in the past tense, from the public payloads of the step's events alone.  None: nothing.
        """
        return None

    def tell_seen(self, observation: Any, seat: Seat | None, name: Names) -> tuple[str, ...] | None:
        """What a person in this seat (None: a spectator) needs to see in order to decide: a few clauses.

        Made from an observation of that seat alone; each card, die or the like stands in brackets, `[5C]`, so
        that viewers can draw it.  Returns None as `tell_move` does.
        """
        return None

    def tell_option(self, observation: Any, seat: Seat, move: M, name: Names) -> str | None:
        """What a move would be now for the seat that sees this: `bob calls 10`, not `bob puts 10 in`.

        One clause, as from `tell_move`.  None: the words of `tell_move` will do.
        """
        return None

    def sample_state(self, information: Information, rng: Random) -> S | None:
        """A state in which this seat would know exactly this.

        What is hidden from the seat is drawn as chance deals it, given all that the seat was shown; where
        others chose what is hidden, as if they had chosen blindly.  So no bid or claim is taken as a sign of
        what somebody holds.  None: the game does not offer it, here or at all.
        """
        return None

    @abstractmethod
    def returns(self, state: S) -> tuple[float, ...]:
        """Each seat's result in the game's own unit.  Raises ValueError before the match is over."""

    def luck(self, state: S, rng_of: Callable[[str | int], Random]) -> Iterator[tuple[float, ...]]:
        """How much more each seat got than expected, for each stretch in which only chance was left.

        The match is over.  What is expected is the mean given all that moves until then can depend on: then
        the returns less their luck have the same mean, whoever plays, and remain within `returns_bounds`.
        Where the mean is estimated, `rng_of` returns a stretch's rng by its key: none of them made the match.
        """
        raise NotImplementedError(f"{self.name} does not adjust returns for luck")

    @abstractmethod
    def ranks(self, state: S) -> tuple[int, ...]:
        """Each seat's place from 1, ties allowed.  Raises ValueError before the match is over."""


def playable_seats(game: Game[Any, Any]) -> tuple[int, ...]:
    """The numbers of seats that a game and its house rules allow.  Raises ConfigError if there are none."""
    found, refused = [], None
    for seats in game.seats:
        try:
            game.start(seats)
            found.append(seats)
        except ConfigError as error:
            refused = error
    if not found and refused is not None:
        raise refused
    return tuple(found)


def shared_returns(ranks: Sequence[int]) -> tuple[float, ...]:
    """The returns of a game without chips: k firsts get (1 − (k−1)/(n−1))/k each, all others −1/(n−1).

    Sums to zero; a lone winner gets +1.  (RULES.md, "Common to all five".)
    """
    seats, first = len(ranks), list(ranks).count(1)
    share = (1 - (first - 1) / (seats - 1)) / first
    return tuple(share if rank == 1 else -1 / (seats - 1) for rank in ranks)
