"""Blef: ever higher bets on what the cards of all hands together hold, until somebody checks.

There are 24 cards, 9 to ace.  In the first round each seat is dealt one.  The seat on turn bets that
a set (`blef_sets.py`: 88 of them, by seniority) is in all hands together, higher than the last bet of
the round; or checks it.  Then the hands are shown: set there, the checker loses the round, else the
bettor.  The loser gets a card more from the next round on, above the maximum (11 at two seats, else
24 / seats) it is eliminated.  The last seat wins.

The loser starts the next round.  If it is eliminated: after a check that it made, or a failure to
answer, the next active seat after it; after a bet of its own, the checker.

Source: the rules and the API of https://github.com/Blef-team/blef_game_engine, and RULES.md.
House rules: none.  Decided here, where both are silent: a round lost by a failure to answer shows
all hands too, as the document's past rounds do; between rounds and at the end nobody has a hand, and
all of the round before is in `last_round`; a finished match keeps the number of its last round.
A seat's cards have places of their own in the deck, whatever the others hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import ClassVar, TypeAlias

import attrs

from arena.game import (
    CHANCE,
    Bare,
    Between,
    Event,
    Form,
    Game,
    IllegalMove,
    Literal,
    Option,
    Seat,
    Step,
    explain,
    is_legal,
    shared_returns,
)
from arena.games.blef_sets import CARDS, SETS, TEXTS, Card, pool
from arena.games.house_rules import check_seats

__all__ = [
    "CHECK",
    "LOST",
    "Action",
    "Bet",
    "Blef",
    "Check",
    "Deal",
    "Forfeit",
    "LastRound",
    "Observation",
    "State",
]

CHECK = len(SETS)
"""The action id of a check, above those of all bets."""
LOST = CHECK + 1
"""Stands in histories after the last move: this seat lost the round."""


# Moves.


@attrs.frozen
class Deal:
    """Chance: the whole deck, so that luck does not depend on play."""

    deck: tuple[int, ...]
    """Card numbers, 4 × value + colour; every seat has a stretch of its own, as long as a hand may get."""


@attrs.frozen
class Bet:
    """This set is in all hands together."""

    form: ClassVar[Form] = Bare("action_id")
    action_id: int


@attrs.frozen
class Check:
    """The last bet is not true."""

    form: ClassVar[Form] = Literal(CHECK)


@attrs.frozen
class Forfeit:
    """What a seat that failed to answer did: it loses the round.  No bot can send it."""


Move: TypeAlias = Deal | Bet | Check | Forfeit


# States.


@attrs.frozen(slots=False)
class Action:
    """A line of a round's history."""

    player: Seat
    action_id: int
    """0..87 a bet, 88 a check, 89 the round was lost."""


@attrs.frozen(slots=False)
class Hand:
    """Somebody's cards, sorted."""

    nickname: Seat
    hand: tuple[Card, ...]


@attrs.frozen(slots=False)
class LastRound:
    """All there was in a finished round, which everybody may know."""

    history: tuple[Action, ...]
    hands: tuple[Hand, ...]
    """Of the seats that were active."""
    loser: Seat


@attrs.frozen
class State:
    """All there is to know between two moves."""

    n_cards: tuple[int, ...]
    """By seat; 0 = out."""
    hands: tuple[tuple[Card, ...], ...]
    """By seat, sorted; empty between rounds, when chance is due or the match is over."""
    round_number: int
    on_turn: Seat
    """Between rounds: who starts the next one; when the match is over: the winner."""
    history: tuple[Action, ...] = ()
    last_round: LastRound | None = None
    out: tuple[Seat, ...] = ()
    """In the order in which they were eliminated."""


# Observations.


@attrs.frozen(slots=False)
class Player:
    """How many cards somebody has; 0 = eliminated."""

    nickname: Seat
    n_cards: int


@attrs.frozen(slots=False)
class Observation:
    """What the document's game state says to one player, in its field names."""

    status: str
    """`Running` or `Finished`."""
    round_number: int
    """From 1."""
    max_cards: int
    """Who loses a round with so many is eliminated."""
    players: tuple[Player, ...]
    """All seats in playing order, the eliminated ones too."""
    hands: tuple[Hand, ...]
    """The own hand; nothing for a spectator, for who is out, and between rounds."""
    cp_nickname: Seat | None
    """The current player; null when the match is over."""
    history: tuple[Action, ...]
    """Of this round."""
    last_round: LastRound | None
    """Null in the first round."""


# Events: payloads are what `arena replay`, bots and spectators are told.  Cards are texts here ("TC", "AS").


@attrs.frozen(slots=False)
class RoundStarted:
    """Public, `round_started`."""

    round_number: int
    n_cards: tuple[tuple[Seat, int], ...]
    """Active seats and how many cards they have, in playing order from the one who starts."""


@attrs.frozen(slots=False)
class OwnHand:
    """Private, `hand`: to each active seat its own cards."""

    cards: tuple[str, ...]


@attrs.frozen(slots=False)
class BetMade:
    """Public, `bet`."""

    player: Seat
    action_id: int
    set: str


@attrs.frozen(slots=False)
class Showdown:
    """Public, `check`: who checked whom, and what all hands were."""

    player: Seat
    bettor: Seat
    action_id: int
    """Of the bet."""
    set: str
    hands: tuple[tuple[Seat, tuple[str, ...]], ...]
    is_there: bool
    loser: Seat


@attrs.frozen(slots=False)
class RoundLost:
    """Public, `round_lost`: somebody failed to answer."""

    loser: Seat
    hands: tuple[tuple[Seat, tuple[str, ...]], ...]


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`."""

    player: Seat


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]


# Rules.


@attrs.frozen
class Blef(Game[State, Move]):
    """Blef; it has no house rules."""

    name: ClassVar[str] = "blef"
    title: ClassVar[str] = "Blef"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 9)
    rated_by: ClassVar[str] = "ranks"
    moves: ClassVar[tuple[type[Move], ...]] = (Deal, Bet, Check, Forfeit)

    def start(self, seats: int) -> State:
        """A card for everyone, seat 0 to start.  Raises ConfigError for a wrong number of seats."""
        check_seats(self, seats)
        return State((1,) * seats, (), 1, Seat(0))

    def max_cards(self, seats: int) -> int:
        """The most cards that a hand may have at a table of so many, who is out included.

        With 12 at two seats the second to get there would hold all that the other does not, and could
        bet the highest set that is there.
        """
        return 11 if seats == 2 else len(CARDS) // seats

    def to_act(self, state: State) -> tuple[Seat, ...]:
        """The seat on turn."""
        if state.hands:
            return (state.on_turn,)
        return () if _is_over(state) else _CHANCE_ALONE

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        """Each round has its own deck."""
        return ("deal", state.round_number)

    def draw(self, state: State, rng: Random) -> Deal:
        """A shuffled deck."""
        # Only random() is promised to give the same numbers in every version of Python.
        luck = [rng.random() for _ in CARDS]
        return Deal(tuple(sorted(range(len(CARDS)), key=luck.__getitem__)))

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """The bets above the last one, and its check."""
        if not state.hands or seat != state.on_turn:
            return ()
        return _OPTIONS_AFTER[state.history[-1].action_id if state.history else -1]

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        """The deal; or the bet stands; or the round is lost."""
        asked = self.to_act(state)
        if len(moves) != len(asked) or not asked or asked[0] not in moves:
            raise IllegalMove(f"moves of {tuple(moves)} were given, asked are {asked}")
        (move,) = moves.values()
        if asked == _CHANCE_ALONE:
            return self._dealt(state, move)
        if type(move) is Forfeit:
            return self._forfeited(state)
        options = self.options(state, state.on_turn)
        if not is_legal(options, move):
            raise IllegalMove(f"seat {int(state.on_turn)}: {explain(options, move)}")
        return self._bet(state, move) if type(move) is Bet else self._checked(state)

    def default(self, state: State, seat: Seat) -> Forfeit:
        """The round is lost."""
        return _FORFEIT

    def observe(self, state: State, seat: Seat | None) -> Observation:
        """The own hand, what was said aloud, and all of the round before."""
        is_over = _is_over(state)
        is_holding = seat is not None and state.hands and state.hands[seat]
        return Observation(
            "Finished" if is_over else "Running",
            state.round_number,
            self.max_cards(len(state.n_cards)),
            _players(state.n_cards),
            (Hand(seat, state.hands[seat]),) if seat is not None and is_holding else (),
            None if is_over else state.on_turn,
            state.history,
            state.last_round,
        )

    def returns(self, state: State) -> tuple[float, ...]:
        """+1 for the winner, −1/(n−1) for the others."""
        return shared_returns(self.ranks(state))

    def ranks(self, state: State) -> tuple[int, ...]:
        """The last seat first, then who was eliminated later."""
        if not _is_over(state):
            raise ValueError("the match is not over")
        places = (state.on_turn, *reversed(state.out))
        return tuple(1 + places.index(Seat(seat)) for seat in range(len(places)))

    # What each kind of turn leads to.

    def _dealt(self, state: State, move: Move) -> Step[State]:
        """The round's first question, with the cards in the hands."""
        if type(move) is not Deal or len(move.deck) != len(CARDS) or set(move.deck) != _WHOLE_DECK:
            raise IllegalMove(f"a deal is a deck of all the numbers from 0 to {len(CARDS) - 1}")
        stretch, deck = self.max_cards(len(state.n_cards)), move.deck
        hands: list[tuple[Card, ...]] = []
        told = {}
        for seat, count in zip(_SEATS, state.n_cards, strict=False):
            numbers = sorted(deck[seat * stretch : seat * stretch + count])
            hands.append(tuple([CARDS[number] for number in numbers]))
            if count:
                told[seat] = OwnHand(tuple([TEXTS[number] for number in numbers]))
        started = RoundStarted(state.round_number, _counts(state.n_cards, state.on_turn))
        after = State(
            state.n_cards,
            tuple(hands),
            state.round_number,
            state.on_turn,
            (),
            state.last_round,
            state.out,
        )
        return Step(after, (Event("round_started", started), Event("hand", None, told)))

    def _bet(self, state: State, move: Bet) -> Step[State]:
        """The bet stands, the turn moves on."""
        bettor, action_id = state.on_turn, move.action_id
        after = State(
            state.n_cards,
            state.hands,
            state.round_number,
            _next(state.n_cards, bettor),
            (*state.history, Action(bettor, action_id)),
            state.last_round,
            state.out,
        )
        return Step(after, (Event("bet", BetMade(bettor, action_id, SETS[action_id].name)),))

    def _checked(self, state: State) -> Step[State]:
        """All hands are shown; who was wrong loses the round."""
        checker, last = state.on_turn, state.history[-1]
        bettor, bet = last.player, SETS[last.action_id]
        is_there = bet.is_in(pool([card for hand in state.hands for card in hand]))
        loser, heir = (checker, None) if is_there else (bettor, checker)
        shown = Showdown(checker, bettor, last.action_id, bet.name, _shown(state), is_there, loser)
        history = (*state.history, Action(checker, CHECK), Action(loser, LOST))
        return self._lost(state, loser, heir, history, Event("check", shown))

    def _forfeited(self, state: State) -> Step[State]:
        """The round is over without a check."""
        loser = state.on_turn
        history = (*state.history, Action(loser, LOST))
        return self._lost(state, loser, None, history, Event("round_lost", RoundLost(loser, _shown(state))))

    def _lost(
        self, state: State, loser: Seat, heir: Seat | None, history: tuple[Action, ...], event: Event
    ) -> Step[State]:
        """The loser is a card nearer to its end; out, it leaves the start to `heir`, or to who comes next."""
        before = state.n_cards
        is_out = before[loser] == self.max_cards(len(before))
        n_cards = (*before[:loser], 0 if is_out else before[loser] + 1, *before[loser + 1 :])
        out = (*state.out, loser) if is_out else state.out
        starter = loser if not is_out else heir if heir is not None else _next(n_cards, loser)
        hands = tuple([Hand(seat, hand) for seat, hand in zip(_SEATS, state.hands, strict=False) if hand])
        is_over = len(out) == len(n_cards) - 1
        number = state.round_number if is_over else state.round_number + 1
        after = State(n_cards, (), number, starter, (), LastRound(history, hands, loser), out)
        if not is_out:
            return Step(after, (event,))
        eliminated = Event("eliminated", Eliminated(loser))
        return Step(after, (event, eliminated, self._match_over(after)) if is_over else (event, eliminated))

    def _match_over(self, state: State) -> Event:
        """The result, told to all."""
        ranks = tuple([(Seat(seat), rank) for seat, rank in enumerate(self.ranks(state))])
        return Event("match_over", MatchOver(ranks))


_CHANCE_ALONE = (CHANCE,)
_FORFEIT = Forfeit()
_SEATS = tuple(map(Seat, range(Blef.seats[-1])))
_WHOLE_DECK = frozenset(range(len(CARDS)))


def _options_after(last: int) -> tuple[Option, ...]:
    """What may be done after the bet `last`, −1 being none."""
    bets = (Option(Bet, {"action_id": Between(last + 1, CHECK - 1)}),) if last < CHECK - 1 else ()
    return (*bets, Option(Check)) if last >= 0 else bets


_OPTIONS_AFTER = {last: _options_after(last) for last in range(-1, CHECK)}


def _is_over(state: State) -> bool:
    """Whether one seat is left."""
    return len(state.out) == len(state.n_cards) - 1


def _next(n_cards: tuple[int, ...], seat: int) -> Seat:
    """The next active seat after this one."""
    seat = (seat + 1) % len(n_cards)
    while not n_cards[seat]:
        seat = (seat + 1) % len(n_cards)
    return Seat(seat)


def _shown(state: State) -> tuple[tuple[Seat, tuple[str, ...]], ...]:
    """All hands of the active seats, as texts."""
    return tuple(
        [
            (seat, tuple([TEXTS[4 * card.value + card.colour] for card in hand]))
            for seat, hand in zip(_SEATS, state.hands, strict=False)
            if hand
        ]
    )


def _counts(n_cards: tuple[int, ...], first: Seat) -> tuple[tuple[Seat, int], ...]:
    """The active seats from `first` on, each with the number of its cards."""
    order = (*_SEATS[first : len(n_cards)], *_SEATS[:first])
    return tuple([(seat, n_cards[seat]) for seat in order if n_cards[seat]])


@lru_cache(maxsize=4096)  # the same for every decision of a round; the bound keeps a server's memory flat
def _players(n_cards: tuple[int, ...]) -> tuple[Player, ...]:
    """The seats and how many cards each has, in the document's words."""
    return tuple([Player(seat, count) for seat, count in zip(_SEATS, n_cards, strict=False)])
