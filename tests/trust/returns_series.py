"""Real series of a game rated by returns, between bots in this process: what conclusions are tried on.

The bots are functions of what their seat sees, without clocks or JSON, so that thousands of series take
seconds: quick enough to play them afresh in every measurement, and real enough to have the tails of returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import fsum
from random import Random
from typing import Any, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.games import GAMES
from arena.games.cards import DECK
from arena.games.hands import strength
from arena.match.game import CHANCE, Game, Option, Seat
from arena.match.rulings import less_luck

OTHERS = 24
"""With so many other hands a hand is compared to see what it is worth."""

Floats: TypeAlias = NDArray[np.float64]


@attrs.frozen
class SeenHand:
    """What a bot sees when it is asked."""

    hole: tuple[str, ...]
    board: tuple[str, ...]
    pot: int
    wealth: int
    fold: Option
    call: Option
    bet: Option | None

    @property
    def price(self) -> int:
        """The chips that it takes to stay in."""
        return int(self.call.fields["amount"].low)  # type: ignore[union-attr]


Policy: TypeAlias = Callable[[SeenHand, Random], tuple[Option, float]]
"""An option, and how far towards its largest amount."""


def careful(value: float) -> Policy:
    """Stays in where its hand is worth the price, and bets with more than this share of the pot."""

    def decide(seen: SeenHand, rng: Random) -> tuple[Option, float]:
        worth, price = worth_of(seen.hole, seen.board), seen.price
        needed = price / (seen.pot + price) + 0.3 * price / (seen.wealth + 1) if price else 0.0
        if seen.bet is not None and worth > max(value, needed + 0.1) and rng.random() < 0.7:
            return seen.bet, min(1.0, 0.75 * seen.pot / seen.wealth)
        return (seen.call, 0.0) if worth > needed or not price else (seen.fold, 0.0)

    return decide


def shoving(seen: SeenHand, rng: Random) -> tuple[Option, float]:
    """All its chips, always."""
    return seen.bet or seen.call, 1.0


def fish(seen: SeenHand, rng: Random) -> tuple[Option, float]:
    """Calls nearly everything, and now and then bets a little, or all."""
    luck = rng.random()
    if seen.bet is not None and luck < 0.15:
        return seen.bet, float(luck < 0.03)
    return (seen.call, 0.0) if luck < 0.9 or not seen.price else (seen.fold, 0.0)


@cache
def worth_of(hole: tuple[str, ...], board: tuple[str, ...]) -> float:
    """About the share of other hands that this one beats; before the flop from its ranks."""
    if not board:
        low, high = sorted("23456789TJQKA".index(card[0]) for card in hole)
        is_suited = hole[0][1] == hole[1][1]
        return 0.5 + 0.03 * low if low == high else 0.28 + 0.016 * high + 0.01 * low + 0.03 * is_suited
    rest = [card for card in DECK if card not in hole and card not in board]
    rng, mine = Random(repr((hole, board))), strength(hole + board)
    others = [strength((*rng.sample(rest, 2), *board)) for _ in range(OTHERS)]
    return sum((mine > other) + 0.5 * (mine == other) for other in others) / OTHERS


def poker(**rules: Any) -> Game[Any, Any]:
    """The game that is rated by returns, with these house rules."""
    (found,) = (game for game in GAMES.values() if game.rated_by == "returns")
    return found(**rules)


@attrs.frozen
class Played:
    """Series that were played."""

    values: Floats
    """What NEW won per match, in the unit of the game; with a field, by how much that is more than OLD's."""
    scores: Floats
    """The share of its matches that NEW won."""


def head_to_head(game: Game[Any, Any], new: Policy, old: Policy, series: int) -> Played:
    """So many series of two matches: both seats, on the same deals."""
    return _played(game, [(new, old)], series)


def matches_of(game: Game[Any, Any], bot: Policy, rival: Policy, series: int) -> Floats:
    """(series, 2): what the first bot won in each match of so many series, in chips."""
    return both_of(game, bot, rival, series)[0]


def both_of(game: Game[Any, Any], bot: Policy, rival: Policy, series: int) -> tuple[Floats, Floats]:
    """What `matches_of` returns, as it was played and without luck."""
    halves = [(0, (bot, rival)), (1, (rival, bot))]
    as_played, adjusted = np.zeros((2, series, 2))
    for number in range(series):
        for seat, pair in halves:
            state = _last_state(game, pair, number, seat)
            returns = game.returns(state)
            lucks = game.luck(state, lambda key, deals=number: Random(f"{deals}/luck/{key}"))
            as_played[number, seat] = returns[seat]
            adjusted[number, seat] = less_luck(returns, lucks)[seat]
    return as_played, adjusted


def against_field(game: Game[Any, Any], new: Policy, old: Policy, other: Policy, series: int) -> Played:
    """So many series of four: NEW and OLD against the other, in both seats, on the same deals."""
    return _played(game, [(new, other), (old, other)], series)


def _played(game: Game[Any, Any], halves: Sequence[tuple[Policy, Policy]], series: int) -> Played:
    values, scores = [], []
    for number in range(series):
        halved = []
        for half, (bot, rival) in enumerate(halves):
            first = _returns(game, (bot, rival), number, 2 * half)[0]
            halved.append((first, _returns(game, (rival, bot), number, 2 * half + 1)[1]))
        new, *old = (fsum(won) / 2 for won in halved)
        values.append((new - fsum(old)) / game.returns_unit[1])
        scores.append(fsum((won > 0) + (won == 0) / 2 for won in halved[0]) / 2)
    return Played(np.array(values), np.array(scores))


def _returns(game: Game[Any, Any], bots: Sequence[Policy], deals: int, rotation: int) -> tuple[float, ...]:
    return game.returns(_last_state(game, bots, deals, rotation))


def _last_state(game: Game[Any, Any], bots: Sequence[Policy], deals: int, rotation: int) -> Any:
    """One match; its deals are those of its series, what the bots draw is its own."""
    state, own = game.start(len(bots)), Random(f"bots/{deals}/{rotation}")
    while asked := game.to_act(state):
        if asked == (CHANCE,):
            move = game.draw(state, Random(f"{deals}/{game.chance_key(state)}"))
        else:
            option, share = bots[asked[0]](seen_hand(game, state, asked[0]), own)
            move = option.move(**{name: amount_at(domain, share) for name, domain in option.fields.items()})
        state = game.apply(state, {asked[0]: move}).state
    return state


def amount_at(domain: Any, share: float) -> int:
    return int(domain.low + share * (domain.high - domain.low))


def seen_hand(game: Game[Any, Any], state: Any, seat: Seat) -> SeenHand:
    seen = game.observe(state, seat)
    fold, call, *bets = game.options(state, seat)
    cards = seen.cards
    board = (*(cards.flop or ()), *(cards.turn or ()), *(cards.river or ()))
    pot, wealth = sum(each.size for each in seen.pots), seen.table[seat].wealth
    return SeenHand(cards.hole, board, pot, wealth, fold, call, bets[0] if bets else None)
