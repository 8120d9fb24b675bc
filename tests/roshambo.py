"""Rock, paper, scissors as a game of the arena, with a bot for each, for tests of circles."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

import attrs

from arena.match.game import Event, Form, Game, Literal, Option, Seat, Step, shared_returns
from arena.sdk import Bot


@attrs.frozen
class Rock:
    form: ClassVar[Form] = Literal("rock")


@attrs.frozen
class Paper:
    form: ClassVar[Form] = Literal("paper")


@attrs.frozen
class Scissors:
    form: ClassVar[Form] = Literal("scissors")


THROWS = (Rock, Paper, Scissors)
"""Each is beaten by the next, and the last by the first."""


@attrs.frozen
class Shown:
    throws: tuple[str, ...]


@attrs.frozen
class Roshambo(Game[Shown, Any]):
    """Both throw at once; who fails throws rock."""

    name: ClassVar[str] = "roshambo"
    title: ClassVar[str] = "Rock, paper, scissors"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 3)
    rated_by: ClassVar[str] = "ranks"
    moves: ClassVar[tuple[type[Any], ...]] = THROWS
    reveals: ClassVar[frozenset[str]] = frozenset({"shown"})

    def start(self, seats: int) -> Shown:
        return Shown(())

    def to_act(self, state: Shown) -> tuple[Seat, ...]:
        return () if state.throws else (Seat(0), Seat(1))

    def chance_key(self, state: Shown) -> tuple[str | int, ...]:
        raise ValueError("there is no chance")

    def draw(self, state: Shown, rng: Random) -> Any:
        raise ValueError("there is no chance")

    def options(self, state: Shown, seat: Seat) -> tuple[Option, ...]:
        return () if state.throws else tuple(map(Option, THROWS))

    def apply(self, state: Shown, moves: Mapping[Seat, Any]) -> Step[Shown]:
        after = Shown(tuple(type(moves[Seat(seat)]).__name__.lower() for seat in (0, 1)))
        return Step(after, (Event("shown", after),))

    def default(self, state: Shown, seat: Seat) -> Rock:
        return Rock()

    def observe(self, state: Shown, seat: Seat | None) -> Shown:
        return state

    def returns(self, state: Shown) -> tuple[float, ...]:
        return shared_returns(self.ranks(state))

    def ranks(self, state: Shown) -> tuple[int, ...]:
        if not state.throws:
            raise ValueError("the match is not over")
        one, other = (("rock", "paper", "scissors").index(throw) for throw in state.throws)
        return (1, 1) if one == other else (1, 2) if (one - other) % 3 == 1 else (2, 1)


class Thrower(Bot):
    """Throws its own in four of five matches, or else anything."""

    favourite = "rock"

    def move(self, state, options):
        return self.favourite if self.rng.random() < 0.8 else self.rng.choice(["rock", "paper", "scissors"])


class Papers(Thrower):
    favourite = "paper"


class Scissorers(Thrower):
    favourite = "scissors"
