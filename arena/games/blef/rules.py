"""Blef: ever higher bets on what the cards of all hands together hold, until somebody checks.

There are 24 cards, 9 to ace.  In the first round each seat is dealt one.  The seat on turn bets that
a set (`sets.py`: 88 of them, by seniority) is in all hands together, higher than the last bet of
the round; or checks it.  Then the hands are shown: set there, the checker loses the round, else the
bettor.  The loser gets one more card from the next round on; above the maximum (11 at two seats, else
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

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

import attrs

from arena.game import (
    CHANCE,
    Between,
    Event,
    Game,
    IllegalMove,
    Information,
    Option,
    Seat,
    Step,
    explain,
    is_legal,
    shared_returns,
)
from arena.games.blef import sentences
from arena.games.blef.events import (
    BetMade,
    Eliminated,
    MatchOver,
    OwnHand,
    RoundLost,
    RoundStarted,
    Showdown,
)
from arena.games.blef.hidden import sample_state
from arena.games.blef.moves import CHECK, Bet, Check, Deal, Forfeit, Move
from arena.games.blef.past import PastRound, past_round
from arena.games.blef.sets import CARDS, SETS, TEXTS, Card, pool
from arena.games.blef.state import LOST, Action, Hand, LastRound, Observation, Player, State
from arena.games.house_rules import check_seats
from arena.games.states import changed


@attrs.frozen
class Blef(Game[State, Move]):
    """Blef; it has no house rules."""

    name: ClassVar[str] = "blef"
    title: ClassVar[str] = "Blef"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 9)
    rated_by: ClassVar[str] = "ranks"
    holding: ClassVar[tuple[str, str]] = ("card", "cards")
    round_begins: ClassVar[str | None] = "round_started"
    showdowns: ClassVar[frozenset[str]] = frozenset({"check", "round_lost"})
    moves: ClassVar[tuple[type[Move], ...]] = (Deal, Bet, Check, Forfeit)

    def start(self, seats: int) -> State:
        """A card for everyone, seat 0 to start.  Raises ConfigError for a wrong number of seats."""
        check_seats(self, seats)
        return State(n_cards=(1,) * seats, hands=(), round_number=1, on_turn=Seat(0))

    def max_cards(self, seats: int) -> int:
        """The most cards that a hand may have at a table of `seats`, eliminated ones included.

        With 12 at two seats, the second to get there would hold every card that the other does not,
        and could bet the highest set there is.
        """
        return 11 if seats == 2 else len(CARDS) // seats

    def to_act(self, state: State) -> tuple[Seat, ...]:
        """The seat on turn."""
        if state.hands:
            return (state.on_turn,)
        return () if _is_over(state) else _CHANCE_ALONE

    def eliminated(self, state: State) -> tuple[Seat, ...]:
        """The seats that lost a round with the most cards a hand may have."""
        return state.out

    def holdings(self, state: State) -> tuple[float, ...]:
        """Each seat's number of cards, negative: every lost round costs one, the last one too.

        A seat that is out counts one card more than a hand may have.
        """
        out = self.max_cards(len(state.n_cards)) + 1
        return tuple([-(count or out) for count in state.n_cards])

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        """Each round has its own deck."""
        return ("deal", state.round_number)

    def draw(self, state: State, rng: Random) -> Deal:
        """A shuffled deck."""
        # Only random() is promised to give the same numbers in every version of Python.
        luck = [rng.random() for _ in CARDS]
        return Deal(tuple(sorted(range(len(CARDS)), key=luck.__getitem__)))

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """The bets above the last one, and a check of it."""
        if not state.hands or seat != state.on_turn:
            return ()
        return _OPTIONS_AFTER[state.history[-1].action_id if state.history else -1]

    def numbered_moves(self, seats: int) -> tuple[Move, ...]:
        """Every bet, from the lowest to the highest."""
        return tuple(map(Bet, range(len(SETS))))

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        """The deal; or the bet stands; or the round is lost."""
        asked = self.to_act(state)
        if len(moves) != len(asked) or not asked or asked[0] not in moves:
            raise IllegalMove(f"{asked} were asked, but {tuple(moves)} moved")
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
        """The seat's own hand, the bets so far, and everything about the previous round."""
        is_over = _is_over(state)
        is_holding = seat is not None and state.hands and state.hands[seat]
        return Observation(
            status="Finished" if is_over else "Running",
            round_number=state.round_number,
            max_cards=self.max_cards(len(state.n_cards)),
            players=_players(state.n_cards),
            hands=(Hand(seat, state.hands[seat]),) if seat is not None and is_holding else (),
            cp_nickname=None if is_over else state.on_turn,
            history=state.history,
            last_round=state.last_round,
        )

    def past_round(self, payloads: Sequence[Any], seats: int) -> PastRound | None:
        """The state at the end of a round, as the document's API shows it."""
        return past_round(payloads, seats, self.max_cards(seats))

    tell_move = staticmethod(sentences.tell_move)
    tell_event = staticmethod(sentences.tell_event)
    tell_mark = staticmethod(sentences.tell_mark)
    tell_why = staticmethod(sentences.tell_why)
    tell_seen = staticmethod(sentences.tell_seen)

    def sample_state(self, information: Information, rng: Random) -> State:
        """A state that fits, from `hidden.py`."""
        return sample_state(information, rng)

    def returns(self, state: State) -> tuple[float, ...]:
        """+1 for the winner, −1/(n−1) for the others."""
        return shared_returns(self.ranks(state))

    def ranks(self, state: State) -> tuple[int, ...]:
        """The last seat is first; of the others, those eliminated later rank better."""
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
        after = changed(state, hands=tuple(hands))
        return Step(after, (Event("round_started", started), Event("hand", None, told)))

    def _bet(self, state: State, move: Bet) -> Step[State]:
        """The bet stands, and the turn moves on."""
        bettor, action_id = state.on_turn, move.action_id
        after = changed(
            state,
            on_turn=_next(state.n_cards, bettor),
            history=(*state.history, Action(bettor, action_id)),
        )
        return Step(after, (Event("bet", BetMade(bettor, action_id, SETS[action_id].name)),))

    def _checked(self, state: State) -> Step[State]:
        """All hands are shown; the seat that was wrong loses the round."""
        checker, last = state.on_turn, state.history[-1]
        bettor, bet = last.player, SETS[last.action_id]
        is_there = bet.is_in(pool([card for hand in state.hands for card in hand]))
        loser, heir = (checker, None) if is_there else (bettor, checker)
        shown = Showdown(checker, bettor, last.action_id, bet.name, _shown(state), is_there, loser)
        history = (*state.history, Action(checker, CHECK), Action(loser, LOST))
        return self._lost(state, loser, heir, history, Event("check", shown))

    def _forfeited(self, state: State) -> Step[State]:
        """The step in which a round ends without a check."""
        loser = state.on_turn
        history = (*state.history, Action(loser, LOST))
        return self._lost(state, loser, None, history, Event("round_lost", RoundLost(loser, _shown(state))))

    def _lost(
        self, state: State, loser: Seat, heir: Seat | None, history: tuple[Action, ...], event: Event
    ) -> Step[State]:
        """The loser gets one more card; if it is out, `heir` starts the next round, or the seat after it."""
        before = state.n_cards
        is_out = before[loser] == self.max_cards(len(before))
        n_cards = (*before[:loser], 0 if is_out else before[loser] + 1, *before[loser + 1 :])
        out = (*state.out, loser) if is_out else state.out
        starter = loser if not is_out else heir if heir is not None else _next(n_cards, loser)
        hands = tuple([Hand(seat, hand) for seat, hand in zip(_SEATS, state.hands, strict=False) if hand])
        is_over = len(out) == len(n_cards) - 1
        # A finished match keeps the number of its last round: no further one begins.
        number = state.round_number if is_over else state.round_number + 1
        after = State(
            n_cards=n_cards,
            hands=(),
            round_number=number,
            on_turn=starter,
            history=(),
            last_round=LastRound(history, hands, loser),
            out=out,
        )
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
    """The options after the bet `last`; −1: no bet yet."""
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
