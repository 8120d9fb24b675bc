"""The hands of a match of one hand by `push_or_fold`, and what is expected of two that are all in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any, Final

from arena.errors import ConfigError
from arena.game import HiddenHands
from arena.games.cards import DECK, shuffled, sort_cards
from arena.games.holdem.checks import PUSHED_MAX, PUSHED_MIN
from arena.games.holdem.classes import CLASSES, class_of
from arena.games.holdem.equities import equities
from arena.games.holdem.moves import Deal
from arena.games.holdem.state import State
from arena.games.holdem.view import Observation
from arena.games.states import changed

_STRIDE: Final = 277
"""Coprime to 1,326, so that the first hands are of all kinds: whoever asks for a few meets many."""
_SORTED: Final = tuple(combinations(DECK, 2))
HANDS: Final = tuple(_SORTED[place * _STRIDE % len(_SORTED)] for place in range(len(_SORTED)))
_KINDS: Final = tuple(CLASSES.index(class_of(hand)) for hand in HANDS)
_HOLDING: Final = {card: tuple(place for place, hand in enumerate(HANDS) if card in hand) for card in DECK}
"""By card, the hands that hold it."""


class PushedHands(HiddenHands):
    """All hands of two cards; all in, two are worth what their classes are: the mean over the suits."""

    alike = tuple(
        tuple(hand for hand, kind in enumerate(_KINDS) if kind == each) for each in range(len(CLASSES))
    )

    def deal(self, seat: int, hand: int, rng: Random | None = None) -> Deal:
        """The hand in the seat's places of the deck, and all other cards; in order, or in any."""
        own: tuple[str, ...] = HANDS[hand]
        rest = tuple(card for card in DECK if card not in own)
        if rng is not None:
            own, rest = shuffled(rng, own), shuffled(rng, rest)
        return Deal((*rest[: 2 * seat], *own, *rest[2 * seat :]))

    def plain(self, observation: Observation) -> Observation:
        """The point with the cards of the hand in the order of the deck."""
        cards = observation.cards
        hole = cards.hole and sort_cards(cards.hole)
        return changed(observation, cards=changed(cards, hole=hole))

    def chances(self, hand: int) -> Sequence[float]:
        """1 ÷ 1,225 for every hand that has no card in common with this one."""
        found = [1 / 1_225] * len(HANDS)
        for card in HANDS[hand]:
            for blocked in _HOLDING[card]:
                found[blocked] = 0.0
        return found

    def returns(self, end: State, seat: int, hand: int) -> Sequence[float]:
        """What was folded, or what two stacks are worth by the equity of both hands."""
        if not end.run_outs:
            return [float(end.results[seat])] * len(HANDS)
        return _all_in(end.stacks[0], _KINDS[hand])


@lru_cache(len(CLASSES))
def _all_in(stack: int, own: int) -> Sequence[float]:
    """What a hand of this class wins on average where both are all in, by the other's hand."""
    shares = equities()[own]
    return [stack * (2 * shares[kind] - 1) for kind in _KINDS]


def pushed_hands(game: Any) -> PushedHands:
    """The hands of a game of Hold'em.  Raises ConfigError if its house rules leave more to be worked out."""
    if not game.push_or_fold:
        raise ConfigError(
            f"{game.title} as asked is too large to be worked out: set push_or_fold to true, hands to 1 and "
            f"stack to {PUSHED_MIN} to {PUSHED_MAX} times big_blind."
        )
    if game.hands > 1:
        raise ConfigError(
            f"House rule hands of {game.name} is {game.hands}, but only a match of one hand can be worked "
            f"out: set it to 1."
        )
    return PushedHands()
