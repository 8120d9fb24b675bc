"""Two bots that make claims in turn about what both hold, asked what they would have done with other hands.

Liar's Dice and Blef are alike: each claim is higher than the last one, until it is doubted; whoever was wrong
loses the round.  A claim is a number here, the higher the bolder.

In each round chance could as well have dealt any of the hands drawn beside the dealt ones, in any way that is
noted in `Round.goes_with`.  So given all of them, the dealt pair is any of these at random, and after each
move any of those with which the bots would have moved so.  What the value function gains by a move, less its
mean over all moves that might have been made, is luck, whatever the function is: its mean is 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, TypeAlias

import attrs
import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.games import GAMES
from arena.games.blef.sets import CARDS, SETS
from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Seat, explain, is_legal
from arena.players.base import MatchStart
from arena.players.codec import codec_of
from arena.players.local import match_message
from arena.sdk import Bot
from arena.sdk.bot import drawn_move

Array: TypeAlias = NDArray[Any]
Pair: TypeAlias = tuple[type[Bot], type[Bot]]

DOUBT = -1
NAMES = ("one", "other")
decoded = msgspec.json.Decoder().decode


@attrs.frozen
class Asked:
    """A match, for the bot in its first seat."""

    result: float
    luck: float
    """What asking the bots says was luck."""
    played: int
    """The questions of the match."""
    asked: int
    """The questions that were asked afterwards."""


@attrs.frozen
class Kind:
    """What is particular to a game of claims."""

    game: Game[Any, Any]
    hands: int
    """How many pairs of hands are drawn beside the dealt one."""
    go_together: bool
    """Whether each seat's hands go with all of the other's: dice do, cards of one deck do not."""
    lives: Callable[[Any], tuple[int, int]]
    """How many rounds each seat can still lose."""
    counts: Callable[[Any], Array]
    """A hand, as it matters for claims."""
    hold: Callable[[Array], Array]
    """Of the sums of two such rows, which claims are true, in the order of claims."""
    last_claim: Callable[[Any], int]
    """The highest claim of the round, or -1."""
    claim: Callable[[Any], int]
    """The claim that a move makes, or DOUBT."""


def dice(hands: int) -> Kind:
    """Liar's Dice: claim 6 × count + face − 1."""
    least = np.repeat(np.arange(11), 6)
    return Kind(
        GAMES["liars-dice"](),
        hands,
        go_together=True,
        lives=lambda state: state.dice,
        counts=lambda hand: np.bincount(hand, minlength=7)[1:],
        hold=lambda sums: np.tile(sums, 11) >= least,
        last_claim=lambda state: 6 * state.last_bid[1] + state.last_bid[0] - 1,
        claim=lambda move: 6 * move.count + move.face - 1 if hasattr(move, "face") else DOUBT,
    )


def cards(hands: int) -> Kind:
    """Blef: the claims are its sets."""
    pools = sorted({of for each in SETS for of, _ in each.needs})
    holds = np.array([[of >> number & 1 for of in pools] for number in range(len(CARDS))])
    needs = [[(pools.index(of), least) for of, least in each.needs] for each in SETS]

    def hold(sums: Array) -> Array:
        return np.stack(
            [np.logical_and.reduce([sums[..., of] >= least for of, least in each]) for each in needs], axis=-1
        )

    return Kind(
        GAMES["blef"](),
        hands,
        go_together=False,
        lives=lambda state: tuple([12 - count if count else 0 for count in state.n_cards]),  # type: ignore[arg-type, return-value]
        counts=lambda hand: holds[[CARDS.index(card) for card in hand]].sum(axis=0),
        hold=hold,
        last_claim=lambda state: state.history[-1].action_id if state.history else -1,
        claim=lambda move: getattr(move, "action_id", DOUBT),
    )


@cache
def wins(lives: tuple[int, int]) -> float:
    """The value of a round's start for the first seat: both are as likely to lose each round."""
    if not all(lives):
        return float(bool(lives[0]))
    return (wins((lives[0] - 1, lives[1])) + wins((lives[0], lives[1] - 1))) / 2


class Round:
    """The hands that may have been dealt in a round, and what the seats would do with each."""

    def __init__(self, kind: Kind, bots: Pair, states: list[Any], seeds: tuple[int, int]) -> None:
        """`states`: the one that was dealt, then others that might have been."""
        self.kind, self.bots, self.seeds = kind, bots, seeds
        self.hands = [[state.hands[seat] for state in states] for seat in range(2)]
        mine, theirs = (np.array([kind.counts(hand) for hand in hands]) for hands in self.hands)
        self.holds = kind.hold(mine[:, None] + theirs[None])
        """(first seat's hand, second's, claim): whether it is true."""
        every = np.ones((len(states), len(states)))
        self.goes_with = every if kind.go_together else np.eye(len(states))
        """(first seat's hand, second's): whether both may have been dealt, and all was done with them."""
        self.possible = every if kind.go_together else self._disjoint()
        self.instances: dict[tuple[int, Any], Bot] = {}

    def _disjoint(self) -> Array:
        decks = [np.array([[card in hand for card in CARDS] for hand in hands], int) for hands in self.hands]
        return np.asarray(decks[0] @ decks[1].T == 0, float)

    def moves(self, state: Any, seat: Seat) -> dict[int, Any]:
        """Hand -> the move that the seat makes with it, for all hands that it may still have."""
        places = np.flatnonzero(self.goes_with.any(axis=1 - seat))
        found: dict[Any, Any] = {}
        for place in places:
            hand = self.hands[seat][place]
            if hand not in found:
                found[hand] = self._asked(state, seat, hand)
        return {int(place): found[self.hands[seat][place]] for place in places}

    def _asked(self, state: Any, seat: Seat, hand: Any) -> Any:
        """One question, in an instance that has the seed of the match, and has played this round with the hand.

        The bots asked here go by nothing that happened in earlier rounds.
        """
        game = self.kind.game
        hands = (hand, state.hands[1]) if seat == 0 else (state.hands[0], hand)
        state = attrs.evolve(state, hands=hands)
        bot = self.instances.get((seat, hand))
        if bot is None:
            bot = self.instances[seat, hand] = self.bots[seat]()
            start = MatchStart("asked", game, seat, NAMES, Control(), self.seeds[seat])
            bot.begin(match_message(start, 1))
        codec, options = codec_of(game, NAMES, seat), game.options(state, seat)
        said = drawn_move(
            bot, decoded(codec.encode(game.observe(state, seat))), decoded(codec.options(options))
        )
        move = codec.move(said)
        assert is_legal(options, move), explain(options, move)
        return move

    def value(self, seat: Seat, claim: int, goes_with: Array) -> float:
        """How likely a seat wins the round by a claim, as the value function has it.

        Whoever is next knows its own hand and what the claim tells of the other's.  It doubts, or makes the
        claim that is likeliest to be true; a claim wins half as often as it is true.  It does what is better.
        """
        weight = goes_with.sum(axis=seat)
        fits = self.possible * goes_with.any(axis=1 - seat, keepdims=True)
        fitting = np.maximum(fits.sum(axis=seat), 1)[:, None]
        likely = (self.holds * fits[..., None]).sum(axis=seat) / fitting
        higher = likely[:, claim + 1 :].max(axis=1, initial=0.0)
        return float((weight * np.minimum(likely[:, claim], 1 - higher / 2)).sum() / weight.sum())


def asked(kind: Kind, bots: Pair, deals: str) -> Asked:
    """One match; its deals and the bots' seeds are those of its series."""
    game, state = kind.game, kind.game.start(2)
    seeds = tuple([Random(f"{deals}/bot/{seat}").getrandbits(63) for seat in range(2)])
    luck, played, questions = 0.0, 0, 0
    while to_act := game.to_act(state):
        if to_act == (CHANCE,):
            rng, others = (
                Random(f"{deals}/{game.chance_key(state)}"),
                Random(f"{deals}/{state.round_number}/asked"),
            )
            dealt = [game.apply(state, {CHANCE: game.draw(state, rng)}).state]
            for _ in range(kind.hands):
                dealt.append(game.apply(state, {CHANCE: game.draw(state, others)}).state)
            state, now = dealt[0], Round(kind, bots, dealt, seeds)  # type: ignore[arg-type]
            continue
        seat, *waiting = to_act
        last, lives = kind.last_claim(state), kind.lives(state)
        if_lost = [wins((lives[0] - 1, lives[1])), wins((lives[0], lives[1] - 1))]
        moves = now.moves(state, seat)
        questions += len({now.hands[seat][place] for place in moves}) - 1
        mean, values = 0.0, {}
        for move, places in _alike(moves).items():
            goes_with = np.zeros_like(now.goes_with)
            taken = (places, slice(None)) if seat == 0 else (slice(None), places)
            goes_with[taken] = now.goes_with[taken]
            claim = kind.claim(move)
            if claim == DOUBT:
                share = float((goes_with * now.holds[..., last]).sum() / goes_with.sum())
                value = share * if_lost[seat] + (1 - share) * if_lost[1 - seat]
            else:
                share = now.value(seat, claim, goes_with)
                value = share * if_lost[1 - seat] + (1 - share) * if_lost[seat]
            values[move] = value, goes_with
            mean += value * float(goes_with.sum() / now.goes_with.sum())
        value, goes_with = values[moves[0]]
        luck += value - mean
        # With two seats, those that wait can only pass: there is nothing to ask.
        passes = {other: game.options(state, other)[0].move() for other in waiting}
        played += len(to_act)
        state, now.goes_with = game.apply(state, {seat: moves[0], **passes}).state, goes_with
        if not state.hands:
            luck += wins(kind.lives(state)) - value
    return Asked(float(game.ranks(state)[0] == 1), luck, played, questions)


def _alike(moves: dict[int, Any]) -> dict[Any, list[int]]:
    """Move -> the hands with which it is made."""
    found = defaultdict(list)
    for place, move in moves.items():
        found[move].append(place)
    return found
