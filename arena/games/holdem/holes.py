"""The two cards of each seat in a match of one hand, and what they are worth against each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any, ClassVar, Final

import attrs

from arena.errors import ConfigError
from arena.game import HiddenHands
from arena.games.cards import DECK, shuffled, sort_cards
from arena.games.hands import codes, strengths_with
from arena.games.holdem.betting import BOARD_AT, bets_in, board, raises, to_call
from arena.games.holdem.classes import CLASSES, class_of
from arena.games.holdem.equities import equities
from arena.games.holdem.moves import Bet, Deal, Fold, Move
from arena.games.holdem.state import State
from arena.games.holdem.view import Cards, Observation
from arena.games.states import changed

FLOP_BOARDS = 120
"""How many boards are drawn on the flop, of 1,176: a share is then right to five in a hundred."""
_BOARD_CARDS: Final = 5
_STRIDE: Final = 277
"""Coprime to 1,326, so that the first hands are of all kinds: whoever asks for a few meets many."""
_SORTED: Final = tuple(combinations(DECK, 2))
HANDS: Final = tuple(_SORTED[place * _STRIDE % len(_SORTED)] for place in range(len(_SORTED)))
_NUMBERS: Final = {hand: number for number, hand in enumerate(HANDS)}
_KINDS: Final = tuple(CLASSES.index(class_of(hand)) for hand in HANDS)
_HOLDING: Final = {card: tuple(place for place, hand in enumerate(HANDS) if card in hand) for card in DECK}
"""By card, the hands that hold it."""


@attrs.frozen(slots=False)
class HoleCards(HiddenHands):
    """All hands of two cards; before the flop, two are worth what their classes are."""

    is_asked_once: bool
    alike: ClassVar[tuple[tuple[int, ...], ...]] = tuple(
        tuple(hand for hand, kind in enumerate(_KINDS) if kind == each) for each in range(len(CLASSES))
    )

    def deal(self, seat: int, hand: int, rng: Random | None = None, seen: Observation | None = None) -> Deal:
        """The hand in the seat's places of the deck, what is seen in its own, and all other cards."""
        own: tuple[str, ...] = HANDS[hand]
        places: dict[int, str] = {}
        if seen is not None:
            places |= enumerate(seen.cards.hole or (), 2 * (1 - seat))
            places |= enumerate(_opened(seen.cards), BOARD_AT)
        known = {*own, *places.values()}
        rest = tuple(card for card in DECK if card not in known)
        if rng is not None:
            own, rest = shuffled(rng, own), shuffled(rng, rest)
        places |= enumerate(own, 2 * seat)
        more = iter(rest)
        return Deal(tuple([places.get(place) or next(more) for place in range(len(DECK))]))

    def plain(self, observation: Observation) -> Observation:
        """The point with the cards of the hand in the order of the deck."""
        cards = observation.cards
        hole = cards.hole and sort_cards(cards.hole)
        return changed(observation, cards=changed(cards, hole=hole))

    def hand_of(self, observation: Observation) -> int:
        """The number of the two cards, in whatever order they came."""
        one, other = sort_cards(observation.cards.hole or ())
        return _NUMBERS[one, other]

    def chances(self, hand: int, seen: Observation | None = None) -> Sequence[float]:
        """The same for every hand that has no card in common with this one, or with the board."""
        opened = () if seen is None else _opened(seen.cards)
        left = len(DECK) - 2 - len(opened)
        found = [2 / (left * (left - 1))] * len(HANDS)
        for card in (*HANDS[hand], *opened):
            for blocked in _HOLDING[card]:
                found[blocked] = 0.0
        return found

    def returns(
        self, state: State, seat: int, hand: int, others: Sequence[int] | None = None
    ) -> Sequence[float]:
        """What was folded, or the share of what both have put in once all is called."""
        others = range(len(HANDS)) if others is None else others
        at_stake, going = 0, state.hand
        if going is not None:
            able = [spent + left for spent, left in zip(going.spent, going.stacks, strict=True)]
            at_stake = min(max(going.spent), *able)
        elif state.run_outs:
            ((_, going),) = state.run_outs
            at_stake = min(going.spent)
        if going is None:
            return [float(state.results[seat])] * len(others)
        opened = board(going)
        if not opened:
            worth = _before_the_flop(at_stake, _KINDS[hand])
            return [worth[other] for other in others]
        return [at_stake * (2 * _share(hand, other, opened) - 1) for other in others]

    def tried(self, state: State) -> Sequence[Move]:
        """A check or call, a fold, and raises by half the pot, the pot and all chips."""
        hand = state.hand
        assert hand is not None, "somebody is asked"
        seat = hand.waiting[0]
        call = min(to_call(hand, seat), hand.stacks[seat])
        found: list[Move] = [Bet(call)]
        if call:
            found.append(Fold())
        raising = raises(hand, seat)
        if raising is not None:
            least, most = raising
            pot = bets_in(hand) + call
            sizes = [min(max(call + by, least), most) for by in (pot // 2, pot)]
            found += map(Bet, dict.fromkeys((*sizes, most)))
        return found


def _opened(cards: Cards) -> tuple[str, ...]:
    """The board as it is seen."""
    return (cards.flop or ()) + (cards.turn or ()) + (cards.river or ())


@lru_cache(2 * len(CLASSES))
def _before_the_flop(at_stake: int, own: int) -> Sequence[float]:
    """What a hand of this class wins on average if the board is dealt now, by the other's hand."""
    shares = equities()[own]
    return [at_stake * (2 * shares[kind] - 1) for kind in _KINDS]


@lru_cache(8192)  # for each size of a raise that is tried
def _share(hand: int, other: int, opened: tuple[str, ...]) -> float:
    """The share of the pot that one hand wins of another with this board, on average over what may come.

    The hands and the board have no card in common.
    """
    boards, strengths = _strengths(hand, opened)
    one, two = theirs = codes(HANDS[other])
    fit = [place for place, cards in enumerate(boards) if one not in cards and two not in cards]
    shown = strengths_with([[*theirs, *codes(opened)]], [boards[place] for place in fit])
    won = 0.0
    for place, (strength,) in zip(fit, shown, strict=True):
        own = strengths[place]
        won += 1.0 if own > strength else 0.5 if own == strength else 0.0
    return won / len(fit)


@lru_cache(16)
def _strengths(hand: int, opened: tuple[str, ...]) -> tuple[Sequence[Sequence[int]], Sequence[int]]:
    """What may still come on the board beside this hand, as codes, and the strength of the hand with each."""
    one, two = own = codes(HANDS[hand])
    boards = [cards for cards in _boards(opened) if one not in cards and two not in cards]
    return boards, [strength for (strength,) in strengths_with([[*own, *codes(opened)]], boards)]


@lru_cache(16)
def _boards(opened: tuple[str, ...]) -> Sequence[Sequence[int]]:
    """What may still come on the board, as codes; on the flop some, the same for all hands."""
    left = codes([card for card in DECK if card not in opened])
    boards = [*combinations(left, _BOARD_CARDS - len(opened))]
    if len(boards) <= FLOP_BOARDS:
        return boards
    rng = Random(" ".join(opened))
    return [boards[int(rng.random() * len(boards))] for _ in range(FLOP_BOARDS)]


def hole_cards(game: Any) -> HoleCards:
    """The hands of a game of Hold'em.  Raises ConfigError for a match of several."""
    if game.hands > 1:
        raise ConfigError(
            f"House rule hands of {game.name} is {game.hands}, but only a match of one hand can be worked "
            f"out: set it to 1."
        )
    return HoleCards(game.push_or_fold)
