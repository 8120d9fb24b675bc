"""A toy game with every kind of move, in which everyone is asked at once and knows one secret."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

import attrs

from arena.errors import ConfigError
from arena.game import (
    CHANCE,
    Bare,
    Between,
    Event,
    Form,
    Game,
    IllegalMove,
    Items,
    Literal,
    OneOf,
    Option,
    Seat,
    Step,
    Subset,
    Tagged,
    is_legal,
    shared_returns,
)


@attrs.frozen
class Deal:
    secrets: tuple[int, ...]


@attrs.frozen
class Nothing:
    form: ClassVar[Form] = Literal("nothing")


@attrs.frozen
class Hut:
    form: ClassVar[Form] = Literal(88)


@attrs.frozen
class Pair:
    form: ClassVar[Form] = Items(("face", "count"))
    face: int
    count: int


@attrs.frozen
class Bet:
    form: ClassVar[Form] = Bare("amount")
    amount: int


@attrs.frozen
class Shoot:
    form: ClassVar[Form] = Tagged({"packet": "Shoot"}, {"target": "username"})
    target: Seat
    loud: bool = False


@attrs.frozen
class Play:
    form: ClassVar[Form] = Tagged({"packet": "Play"}, {"cards": "play"})
    cards: tuple[str, ...]
    claim: str | None = None


@attrs.frozen
class Forfeit:
    pass


@attrs.frozen
class State:
    secrets: tuple[int, ...]
    turn: int
    forfeits: tuple[int, ...]


@attrs.frozen
class Seen:
    turn: int
    secret: int
    seats: tuple[Seat, ...]


@attrs.frozen
class Dealt:
    pass


@attrs.frozen
class Secret:
    secret: int


@attrs.frozen
class Said:
    turn: int
    forfeited: tuple[Seat, ...]


@attrs.frozen
class Toy(Game[State, Any]):
    """Says `turns` times what it likes; who forfeits least is first."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Toy"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 6)
    rated_by: ClassVar[str] = "ranks"
    moves: ClassVar[tuple[type[Any], ...]] = (Deal, Nothing, Hut, Pair, Bet, Shoot, Play, Forfeit)
    reveals: ClassVar[frozenset[str]] = frozenset({"said"})
    """Who forfeited is told, and no observation says it."""
    own_name: ClassVar[str | None] = "yourself"
    reserved_names: ClassVar[frozenset[str]] = frozenset({"yourself", "nothing"})

    turns: int = 3
    breaks_at: int = -1
    """The rules raise when this turn is applied."""

    def start(self, seats: int) -> State:
        return State((), 0, (0,) * seats)

    def to_act(self, state: State) -> tuple[Seat, ...]:
        if not state.secrets:
            return (CHANCE,)
        return tuple(Seat(seat) for seat in range(len(state.secrets))) if state.turn < self.turns else ()

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        return ("deal",)

    def draw(self, state: State, rng: Random) -> Deal:
        return Deal(tuple(1 + int(rng.random() * 1000) for _ in state.forfeits))

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        others = tuple(Seat(other) for other in range(len(state.secrets)) if other != seat)
        return (
            Option(Nothing),
            Option(Hut),
            Option(Pair, {"face": Between(1, 6), "count": Between(1, 3)}),
            Option(Bet, {"amount": Between(0, 10)}),
            Option(Shoot, {"target": OneOf(others), "loud": OneOf((True, False))}),
            Option(Play, {"cards": Subset(("AS", "TC", "9H"), 1, 2), "claim": OneOf((None, "A"))}),
            Option(Play, {"cards": Subset(("AS",), 1, 1), "claim": OneOf(("T",))}),
        )

    def apply(self, state: State, moves: Mapping[Seat, Any]) -> Step[State]:
        if state.secrets and state.turn == self.breaks_at:
            raise ZeroDivisionError("the rules broke")
        if CHANCE in moves:
            secrets = moves[CHANCE].secrets
            private = {Seat(seat): Secret(secret) for seat, secret in enumerate(secrets)}
            return Step(attrs.evolve(state, secrets=secrets), (Event("secret", Dealt(), private),))
        for seat, move in moves.items():
            if type(move) is not Forfeit and not is_legal(self.options(state, seat), move):
                raise IllegalMove(f"seat {int(seat)}: {move}")
        failed = tuple(seat for seat, move in moves.items() if type(move) is Forfeit)
        forfeits = tuple(count + (Seat(seat) in failed) for seat, count in enumerate(state.forfeits))
        after = State(state.secrets, state.turn + 1, forfeits)
        return Step(after, (Event("said", Said(state.turn, failed)),))

    def default(self, state: State, seat: Seat) -> Forfeit:
        return Forfeit()

    def observe(self, state: State, seat: Seat | None) -> Seen:
        secret = state.secrets[seat] if seat is not None and state.secrets else 0
        return Seen(state.turn, secret, tuple(Seat(other) for other in range(len(state.forfeits))))

    def returns(self, state: State) -> tuple[float, ...]:
        return shared_returns(self.ranks(state))

    def ranks(self, state: State) -> tuple[int, ...]:
        if self.to_act(state):
            raise ValueError("the match is not over")
        return tuple(1 + sum(other < own for other in state.forfeits) for own in state.forfeits)


@attrs.frozen
class Ruled(Game[Any, Any]):
    """A game that is nothing but its house rules."""

    name: ClassVar[str] = "toy"
    version: ClassVar[int] = 3
    seats: ClassVar[range] = range(2, 5)

    dice: int = 5
    wild_ones: bool = False
    challenge: typing.Literal["anyone", "next"] = "anyone"
    motto: str = "have fun"
    bound: int | None = None
    chips: tuple[int, ...] = ()

    def __attrs_post_init__(self) -> None:
        if not 1 <= self.dice <= 9:
            raise ConfigError(f"dice: found {self.dice}, expected 1 to 9")

    start = to_act = chance_key = draw = options = apply = default = observe = returns = ranks = None  # type: ignore
