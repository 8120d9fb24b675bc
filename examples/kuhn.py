"""Kuhn poker: three cards, one bet.  `arena run --game examples/kuhn.py random random` plays it.

The deck is a jack, a queen and a king.  Each of two players antes a chip and is dealt a card; the third stays
hidden.  In turn, from seat 0 on, they say "pass" or "bet", which puts a chip in.  After two passes, or two
bets, the cards are shown and the higher one takes the pot.  Passing after a bet is folding, unseen.

Source: H. W. Kuhn, "A Simplified Two-Person Poker", Contributions to the Theory of Games I, Annals of
Mathematics Studies 24, Princeton 1950, pp. 97–103: with best play by both, seat 0 loses 1/18 chip a match.
House rule: a player that fails to answer passes.
"""

from collections.abc import Mapping
from itertools import permutations
from random import Random
from typing import ClassVar, TypeAlias

import attrs

from arena.game import CHANCE, Event, Form, Game, IllegalMove, Literal, Option, Seat, Step, is_legal
from arena.games.cards import shuffled

CARDS = ("J", "Q", "K")


@attrs.frozen(slots=False)
class Cards:
    # Dealt: all three, by seat, the hidden one last; told: a seat's own, or those shown.
    cards: tuple[str, ...]


@attrs.frozen
class Pass:
    form: ClassVar[Form] = Literal("pass")


@attrs.frozen
class Bet:
    form: ClassVar[Form] = Literal("bet")


Move: TypeAlias = Cards | Pass | Bet


@attrs.frozen(slots=False)
class State:
    cards: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


@attrs.frozen(slots=False)
class Observation:
    your_card: str | None  # None for a spectator, and before the deal
    said: tuple[str, ...]  # by both in turn, seat 0 first


@attrs.frozen(slots=False)
class Said:
    seat: Seat
    word: str


@attrs.frozen
class Kuhn(Game[State, Move]):
    name: ClassVar[str] = "kuhn"
    title: ClassVar[str] = "Kuhn Poker"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 3)
    rated_by: ClassVar[str] = "returns"
    returns_unit: ClassVar[tuple[str, float]] = ("chips", 1.0)
    moves: ClassVar[tuple[type[Move], ...]] = (Cards, Pass, Bet)
    reveals: ClassVar[frozenset[str]] = frozenset({"showdown"})
    reserved_names: ClassVar[frozenset[str]] = frozenset({"pass", "bet"})  # no bot can be called so

    def returns_bounds(self, seats: int) -> tuple[float, float]:
        return -2.0, 2.0

    def start(self, seats: int) -> State:
        return State()

    def to_act(self, state: State) -> tuple[Seat, ...]:
        if not state.cards:
            return (CHANCE,)
        is_over = len(state.said) > 1 and state.said[-2:] != ("pass", "bet")
        return () if is_over else (Seat(len(state.said) % 2),)

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        return ("deal",)

    def draw(self, state: State, rng: Random) -> Cards:
        return Cards(shuffled(rng, CARDS))

    def chances(self, state: State) -> tuple[tuple[Cards, float], ...]:
        return tuple((Cards(deal), 1 / 6) for deal in permutations(CARDS))

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        return (Option(Pass), Option(Bet)) if seat in self.to_act(state) else ()

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        ((seat, move),) = moves.items()
        if isinstance(move, Cards) and not state.cards:
            dealt = {Seat(place): Cards((card,)) for place, card in enumerate(move.cards[:2])}
            return Step(State(move.cards), (Event("dealt", Cards(()), dealt),))
        if not is_legal(self.options(state, seat), move):
            raise IllegalMove(f"{move} is not possible here")
        word = "bet" if isinstance(move, Bet) else "pass"
        after, said = State(state.cards, (*state.said, word)), Event("said", Said(seat, word))
        is_showdown = not self.to_act(after) and word == state.said[-1]
        return Step(after, (said, Event("showdown", Cards(state.cards[:2]))) if is_showdown else (said,))

    def default(self, state: State, seat: Seat) -> Pass:
        return Pass()

    def observe(self, state: State, seat: Seat | None) -> Observation:
        return Observation(state.cards[seat] if seat is not None and state.cards else None, state.said)

    def returns(self, state: State) -> tuple[float, ...]:
        if self.to_act(state):
            raise ValueError("the match is not over")
        *_, before, last = state.said
        higher = 0 if CARDS.index(state.cards[0]) > CARDS.index(state.cards[1]) else 1
        winner = higher if before == last else len(state.said) % 2  # else the other one has folded
        chips = 2.0 if last == "bet" else 1.0
        return (chips, -chips) if winner == 0 else (-chips, chips)

    def ranks(self, state: State) -> tuple[int, ...]:
        return (1, 2) if self.returns(state)[0] > 0 else (2, 1)
