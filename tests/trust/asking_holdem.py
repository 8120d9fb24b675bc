"""Two bots that play a hand of Hold'em, asked what they would have done with other cards.

Each seat has some hands that it might have been dealt, none of which share a card, so that given all of them and
the board any two are as likely as the dealt ones; after each move those are left with which the bot would have
moved so.  The board might have been any other of the cards that are in none of these hands.  As in
`asking_claims`, what the value function gains by a move or a card, less its mean over all that might have
come instead, is luck.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any, TypeAlias

import numpy as np

from arena.games.cards import DECK, shuffled
from arena.games.hands import codes, strength, strengths_with
from arena.games.holdem.betting import BOARD_AT, board
from arena.games.holdem.moves import Fold
from arena.games.states import changed
from arena.match.clock import Control
from arena.match.game import CHANCE, Game, Seat
from arena.match.rulings import less_luck
from arena.players.base import MatchStart
from arena.players.codec import codec_of
from arena.players.local import match_message
from arena.sdk import Bot
from arena.sdk.bot import drawn_move

from .asking_claims import NAMES, Array, Asked, decoded
from .returns_series import Policy, amount_at, poker, seen_hand

HANDS = 8
"""Hands that each seat may have: 16 in all leave 20 cards for boards."""
BOARDS = 60
"""Boards over which a mean is taken, where there are more."""
Cards: TypeAlias = tuple[str, ...]
Player: TypeAlias = type[Bot] | Policy

GAME: Game[Any, Any] = poker(hands=1)


class Questions:
    """One seat with one of its hands: asked all questions of the match in their order."""

    def __init__(self, player: Player, seat: Seat, cards: Cards, seed: int) -> None:
        self.player, self.seat, self.cards, self.seed = player, seat, cards, seed
        self.count = 0
        self.bot: Bot | None = None
        if isinstance(player, type):
            self.bot = player()
            start = MatchStart("asked", GAME, seat, NAMES, Control(), seed)
            self.bot.begin(match_message(start, 1))

    def move(self, state: Any) -> Any:
        """What it does with its hand, where everything else is as in this state."""
        self.count += 1
        deck, at = state.hand.deck, 2 * self.seat
        deck = (*deck[:at], *self.cards, *deck[at + 2 :])
        state = changed(state, hand=changed(state.hand, deck=deck))
        if self.bot is not None:
            codec, options = codec_of(GAME, NAMES, self.seat), GAME.options(state, self.seat)
            seen = decoded(codec.encode(GAME.observe(state, self.seat)))
            return codec.move(drawn_move(self.bot, seen, decoded(codec.options(options))))
        assert not isinstance(self.player, type)
        rng = Random(f"{self.seed}/{self.count}")
        option, share = self.player(seen_hand(GAME, state, self.seat), rng)
        return option.move(**{name: amount_at(domain, share) for name, domain in option.fields.items()})


class Dealt:
    """The cards that may have been dealt, and which hands win."""

    def __init__(self, deck: Cards, deals: str) -> None:
        rng = Random(f"{deals}/hands")
        dealt = {*deck[:4], *deck[BOARD_AT : BOARD_AT + 5]}
        others = shuffled(rng, [card for card in DECK if card not in dealt])
        pairs = [tuple(others[at : at + 2]) for at in range(0, 4 * (HANDS - 1), 2)]
        self.hands = ((deck[0:2], *pairs[: HANDS - 1]), (deck[2:4], *pairs[HANDS - 1 :]))
        in_hands = {card for hands in self.hands for hand in hands for card in hand}
        self.rest = [card for card in DECK if card not in in_hands]
        self.deals = deals

    def boards(self, opened: Cards) -> list[Cards]:
        """What may come on a board to make it five cards."""
        left, missing = [card for card in self.rest if card not in opened], 5 - len(opened)
        if missing < 2:
            return [(card,) for card in left] if missing else [()]
        rng = Random(f"{self.deals}/board/{opened}")
        return [tuple(rng.sample(left, missing)) for _ in range(BOARDS)]

    def margins(self, opened: Cards) -> Array:
        """(first seat's hand, second's): how much more often the first one wins, over boards that may come."""
        boards, hands = self.boards(opened), (*self.hands[0], *self.hands[1])
        if boards == [()]:
            strengths = np.array([[strength(hand + opened) for hand in hands]])
        else:
            known = [codes(hand + opened) for hand in hands]
            strengths = np.array(list(strengths_with(known, [codes(each) for each in boards])))
        return np.asarray(np.sign(strengths[:, :HANDS, None] - strengths[:, None, HANDS:]).mean(axis=0))


def value(state: Any, seat: Seat, move: Any, margins: Array) -> float:
    """The chips that the first seat is thought to have won after a move of this seat.

    `margins`: those of the hands that both may have then.  Where nothing is owed it is the pot by their mean.
    Who owes something folds or calls, with each hand what is better against what the other may have.
    """
    spent, sign = list(state.hand.spent), 1 if seat == 0 else -1
    if type(move) is Fold:
        return float(-sign * spent[seat])
    spent[seat] += move.amount
    staked, owed = min(spent), min(spent[seat] - spent[1 - seat], state.hand.stacks[1 - seat])
    if owed <= 0:
        return float(staked * margins.mean())
    called = (staked + owed) * sign * margins.mean(axis=seat)
    return float(sign * np.minimum(staked, called).mean())


def asked(players: tuple[Player, Player], deals: str) -> tuple[Asked, float]:
    """One match of one hand, and its result adjusted as `Game.luck` does it.

    Its deals and the bots' seeds are those of its series.
    """
    start = GAME.start(2)
    deal = GAME.draw(start, Random(f"{deals}/deal"))
    state, dealt = GAME.apply(start, {CHANCE: deal}).state, Dealt(deal.deck, deals)
    seeds = [Random(f"{deals}/bot/{seat}").getrandbits(63) for seat in range(2)]
    bots = [
        [Questions(players[seat], Seat(seat), hand, seeds[seat]) for hand in dealt.hands[seat]]
        for seat in range(2)
    ]
    may_have = [list(range(HANDS)), list(range(HANDS))]
    opened: Cards = ()
    margins, played, questions = dealt.margins(opened), 0, 0
    luck = min(state.hand.spent) * float(
        margins.mean()
    )  # of the hands drawn: 0 on average, as seats are alike
    while asks := GAME.to_act(state):
        (seat,) = asks
        moves = {place: bots[seat][place].move(state) for place in may_have[seat]}
        played, questions = played + 1, questions + len(moves) - 1
        alike = defaultdict(list)
        for place, move in moves.items():
            alike[move].append(place)
        values = {}
        for move, places in alike.items():
            left = (places, may_have[1]) if seat == 0 else (may_have[0], places)
            values[move] = value(state, seat, move, margins[np.ix_(*left)])
        mean = sum(values[move] for move in moves.values()) / len(moves)
        luck, may_have[seat] = luck + values[moves[0]] - mean, alike[moves[0]]
        spent = list(state.hand.spent)
        spent[seat] += getattr(moves[0], "amount", 0)
        state = GAME.apply(state, {seat: moves[0]}).state
        if type(moves[0]) is Fold:
            break
        now = deal.deck[BOARD_AT : BOARD_AT + 5] if state.hand is None else board(state.hand)
        if now != opened:
            before, margins, opened = margins, dealt.margins(now), now
            luck += min(spent) * float((margins - before)[np.ix_(*may_have)].mean())
        if state.hand is None:
            luck += state.results[0] - min(spent) * float(margins[np.ix_(*may_have)].mean())
    returns = GAME.returns(state)
    adjusted = less_luck(returns, GAME.luck(state, lambda key: Random(f"{deals}/luck/{key}")))
    return Asked(returns[0], luck, played, questions), adjusted[0]
