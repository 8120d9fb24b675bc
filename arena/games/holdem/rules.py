"""No-Limit Hold'em: two cards in the hand, five on the table, and any number of chips on being right.

Blinds are posted left of the button (heads-up the button posts the small one, acts first before the flop
and last after it).  On each street the seats fold, call or raise in turn; a raise is at least the last
full bet or raise of the street, or an all-in.  A seat may raise when it has not acted on this street or
must call at least the last full raise, and some other seat can still call more: a short all-in does not
reopen the betting.  At the end the best five of seven cards take the pot; all-in seats only the part
that they could match.

Source: the document of the Hacker School Poker Engine, and RULES.md where it is silent.  A match is
`hands` hands, each begun with `stack` chips by everybody (`reset_stacks`), or a freeze-out of at most so
many, which ends when one seat has all chips.  Blinds are `small_blind` and `big_blind`.  A freeze-out may
begin with other chips for each seat, `stacks`: a hand of a table where people come and go.  With
`push_or_fold`, heads-up and with stacks of 2 to 15 big blinds, a seat folds or puts all its chips in.

Decided here, where RULES.md says nothing:
- Folding is legal also where a check is free, as the document has it; it is the default move.
- A seat that owes nothing is not asked when all others in the hand are all-in: it has nothing to decide.
- An uncalled excess goes back when its street ends; the `players` of a pot are those who have bet into it,
  as the document says, who has folded too; pots are cut at all-ins only, while a street is bet on too.
- `minimum_raise` is what makes the least legal raise by RULES.md's formula: less than a full one where
  only an all-in is left, and 0 where the seat may not raise.
- `last_winners` are all that were in at the end of the previous hand; those that showed and lost have won 0.
- In a freeze-out the button goes to the next seat with chips, and the blinds to those left of it, even if
  somebody posts the same blind twice by it; seats that bust with equal stacks share a place.
- With `stacks` the ranks go by chips won or lost alone: who began with more may lose more, and last longer.
  A stack below a blind posts what it has.
- Turns are bounded: each raise but an all-in adds a big blind at least, so that a hand of n seats has at
  most n * (4 + n + all chips / big_blind) of them.  A stack is at most 10,000 big blinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import ClassVar

import attrs

from arena.errors import ConfigError
from arena.game import (
    CHANCE,
    TOLD_IF_SET,
    Between,
    Event,
    Game,
    IllegalMove,
    Information,
    Names,
    OneOf,
    Option,
    Seat,
    Step,
    explain,
    is_legal,
)
from arena.games.cards import DECK, shuffled
from arena.games.holdem import sentences
from arena.games.holdem.betting import (
    STREETS,
    Hand,
    bets_in,
    board,
    called,
    clockwise,
    dealt,
    folded,
    hands_at_end,
    hole,
    is_all_in,
    next_street,
    paid,
    raises,
    shares,
    small_blind_seat,
    to_call,
)
from arena.games.holdem.checks import check_rules
from arena.games.holdem.events import (
    Eliminated,
    Folded,
    HandOver,
    HandStarted,
    Hole,
    MatchOver,
    Opened,
    Paid,
    PotWon,
    Showdown,
    Uncalled,
)
from arena.games.holdem.hidden import sample_state
from arena.games.holdem.holes import HoleCards, hole_cards
from arena.games.holdem.luck import luck_of
from arena.games.holdem.moves import Bet, Deal, Fold, Move, betting_options, pushing_options
from arena.games.holdem.state import State
from arena.games.holdem.view import LastWinner, Observation, seen_between, seen_in_hand
from arena.games.house_rules import Accepts, AcceptsEach, check_seats
from arena.games.states import changed
from arena.words import counted


@attrs.frozen
class Holdem(Game[State, Move]):
    """No-Limit Hold'em; the fields are the house rules."""

    name: ClassVar[str] = "holdem"
    title: ClassVar[str] = "No-Limit Hold'em"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 11)
    rated_by: ClassVar[str] = "returns"
    holding: ClassVar[tuple[str, str]] = ("chip", "chips")
    round_begins: ClassVar[str | None] = "hand_started"
    people_move_s: ClassVar[float] = 15.0
    lengths: ClassVar[tuple[str, tuple[int, ...]]] = ("hands", (10, 30, 100))
    showdowns: ClassVar[frozenset[str]] = frozenset({"showdown"})
    default_is_legal: ClassVar[bool] = True
    moves: ClassVar[tuple[type[Move], ...]] = (Deal, Fold, Bet)
    reveals: ClassVar[frozenset[str]] = frozenset({"flop", "turn", "river", "showdown"})
    """Where all are all-in, the rest of the board is opened at once; the next observation is between hands
    and shows who won with which cards, but no board."""

    # The bounds keep every sum of chips far below 2**53, which JSON readers of any language get right.
    stack: int = attrs.field(default=10_000, validator=Accepts(Between(1, 1_000_000_000)))
    small_blind: int = attrs.field(default=10, validator=Accepts(Between(1, 1_000_000_000)))
    big_blind: int = attrs.field(default=20, validator=Accepts(Between(1, 1_000_000_000)))
    hands: int = attrs.field(default=100, validator=Accepts(Between(1, 10_000)))
    reset_stacks: bool = attrs.field(default=True, validator=Accepts(OneOf((False, True))))
    stacks: tuple[int, ...] = attrs.field(default=(), validator=AcceptsEach(Between(1, 1_000_000_000)))
    """Each seat's chips at the start, instead of `stack`; empty: all have `stack`."""
    push_or_fold: bool = attrs.field(
        default=False, validator=Accepts(OneOf((False, True))), metadata={TOLD_IF_SET: True}
    )

    def __attrs_post_init__(self) -> None:
        """Raises ConfigError if two rules do not fit each other."""
        check_rules(self)

    @property
    def returns_unit(self) -> tuple[str, float]:
        """Big blinds per 100 hands and their chips; in a freeze-out, which has no fixed number of hands,
        stacks, or big blinds if the stacks differ."""
        if self.reset_stacks:
            return "bb/100", self.big_blind * self.hands / 100
        if self.stacks:
            return "bb", float(self.big_blind)
        return "stacks", float(self.stack)

    @property
    def fresh_rounds(self) -> int:
        """The number of hands if each begins with equal stacks; a freeze-out counts as one round."""
        return self.hands if self.reset_stacks else 1

    def returns_bounds(self, seats: int) -> tuple[float, float]:
        """The most chips a seat can lose (its own) and win (all others'), in all hands together."""
        if self.stacks:
            return -float(max(self.stacks)), float(sum(self.stacks) - min(self.stacks))
        chips = self.fresh_rounds * self.stack
        return -float(chips), float(chips * (seats - 1))

    @property
    def adjusts_luck(self) -> bool:
        """Whether each hand begins with full stacks; else the sum over hands could go beyond all chips."""
        return self.reset_stacks

    def start(self, seats: int) -> State:
        """Equal stacks, unless `stacks` says otherwise; seat 0 posts the small blind.

        Raises ConfigError for a wrong number of seats.
        """
        check_seats(self, seats)
        if self.push_or_fold and seats != 2:
            raise ConfigError(
                f"House rule push_or_fold of {self.name} is for 2 seats, but {seats} were asked for."
            )
        if self.stacks and len(self.stacks) != seats:
            raise ConfigError(
                f"House rule stacks of {self.name} has chips for {counted(len(self.stacks), 'seat')}, "
                f"but {seats} were asked for."
            )
        button = Seat(0) if seats == 2 else Seat(seats - 1)
        stacks = self.stacks or (self.stack,) * seats
        return State(hand_number=1, button=button, stacks=stacks, results=(0,) * seats)

    def to_act(self, state: State) -> tuple[Seat, ...]:
        """The seat on turn; between hands chance."""
        if state.hand is None:
            return () if self._is_over(state) else _CHANCE_ALONE
        return state.hand.waiting[:1]

    def eliminated(self, state: State) -> tuple[Seat, ...]:
        """The seats without chips in a freeze-out."""
        return tuple([seat for seat, _, _ in state.busts])

    def holdings(self, state: State) -> tuple[float, ...]:
        """Each seat's chips won or lost in the hands that are over; sums to zero."""
        return state.results

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        """Each hand has its own deck."""
        return ("deal", state.hand_number)

    def draw(self, state: State, rng: Random) -> Deal:
        """All 52 cards, shuffled."""
        return Deal(shuffled(rng))

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """A fold, a check or call, and a raise if the seat may."""
        hand = state.hand
        if hand is None or hand.waiting[0] != seat:
            return ()
        raising = raises(hand, seat)
        if self.push_or_fold and raising is not None:
            return pushing_options(raising[1])
        return betting_options(min(to_call(hand, seat), hand.stacks[seat]), raising)

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        """Applies the deal, or a seat's move and all that follows from it up to the next question."""
        asked = self.to_act(state)
        if len(moves) != len(asked) or not asked or asked[0] not in moves:
            raise IllegalMove(f"{asked} were asked, but {tuple(moves)} moved")
        (move,) = moves.values()
        if state.hand is None:
            return self._dealt(state, move)
        seat = asked[0]
        options = self.options(state, seat)
        if not is_legal(options, move):
            raise IllegalMove(f"seat {int(seat)}: {explain(options, move)}")
        if isinstance(move, Bet):
            hand = paid(state.hand, move.amount)
            event = _paid(state.hand, hand, seat, move.amount)
        else:
            hand, event = folded(state.hand), Event("fold", Folded(seat))
        if hand.waiting:
            return Step(changed(state, hand=hand), (event,))
        return self._street_over(state, hand, [event])

    def default(self, state: State, seat: Seat) -> Fold:
        """A fold, even where a check is free."""
        return _FOLD

    def observe(self, state: State, seat: Seat | None) -> Observation:
        """What everybody sees, and the seat's own two cards."""
        number, hand = min(state.hand_number, self.hands), state.hand
        if hand is None:
            return seen_between(number, state.button, state.stacks, state.last)
        return seen_in_hand(number, hand, state.stacks, state.last, seat)

    tell_move = staticmethod(sentences.tell_move)
    tell_event = staticmethod(sentences.tell_event)
    tell_mark = staticmethod(sentences.tell_mark)
    tell_why = staticmethod(sentences.tell_why)
    tell_option = staticmethod(sentences.tell_option)

    def tell_seen(self, observation: Observation, seat: Seat | None, name: Names) -> tuple[str, ...]:
        """The lines for what a seat sees, by the house rule that is played."""
        return sentences.tell_seen(observation, seat, name, pushes=self.push_or_fold)

    def sample_state(self, information: Information, rng: Random) -> State:
        """A state that fits, from `hidden.py`."""
        return sample_state(self, information, rng)

    def hidden_hands(self) -> HoleCards:
        """All hands of a match of one, from `holes.py`.  Raises ConfigError for one of several."""
        return hole_cards(self)

    def returns(self, state: State) -> tuple[float, ...]:
        """Each seat's chips won or lost in all hands together; sums to zero."""
        if not self._is_over(state):
            raise ValueError("the match is not over")
        return tuple(map(float, state.results))

    def luck(self, state: State, rng_of: Callable[[str | int], Random]) -> Iterator[tuple[float, ...]]:
        """The luck of each hand that was all-in before the river: see `luck.py`."""
        return (luck_of(hand, rng_of(number)) for number, hand in state.run_outs)

    def ranks(self, state: State) -> tuple[int, ...]:
        """More chips won rank better; among busted seats, the one that busted later.

        Where seats began with different `stacks`, only chips won or lost count.
        """
        returns = self.returns(state)
        lasted = [(self.hands + 1, 0, chips) for chips in returns]
        for seat, hand_number, before in () if self.stacks else state.busts:
            lasted[seat] = (hand_number, before, 0.0)
        return tuple(1 + sum(other > own for other in lasted) for own in lasted)

    # What each kind of turn leads to.

    def _dealt(self, state: State, move: Move) -> Step[State]:
        """The blinds are posted and everybody in the hand has two cards."""
        if not isinstance(move, Deal) or len(move.deck) != len(DECK) or set(move.deck) != _WHOLE_DECK:
            raise IllegalMove("a deal is all 52 cards in some order")
        hand = dealt(move.deck, state.button, state.stacks, self.small_blind, self.big_blind)
        if self.push_or_fold:  # so the least raise is all in
            hand = changed(hand, raise_size=self.stack)
        order = [seat for seat in clockwise(len(hand.live), state.button) if hand.live[seat]]
        small = small_blind_seat(state.button, state.stacks)
        big = order[1] if order[0] == small else order[0]
        stacks = tuple([(seat, state.stacks[seat]) for seat in order])
        blinds = ((small, hand.bets[small]), (big, hand.bets[big]))
        events = [
            Event("hand_started", HandStarted(state.hand_number, state.button, stacks, blinds)),
            Event("hole", None, {seat: Hole(hole(hand, seat)) for seat in order}),
        ]
        if hand.waiting:
            return Step(changed(state, hand=hand), tuple(events))
        return self._street_over(state, hand, events)

    def _street_over(self, state: State, hand: Hand, events: list[Event]) -> Step[State]:
        """Cards are opened until somebody has to act or the hand is over."""
        # More than one street at once where all but one are all-in: nobody is asked between them.
        all_in = None
        while not hand.waiting:
            hand, seat, excess = called(hand)
            if seat is not None:
                events.append(Event("uncalled", Uncalled(seat, excess)))
            if sum(hand.live) == 1 or hand.street == len(STREETS) - 1:
                if all_in is not None and self.adjusts_luck:
                    state = changed(state, run_outs=(*state.run_outs, (state.hand_number, all_in)))
                return self._hand_over(state, hand, events)
            before = len(board(hand))
            closed, hand = hand, next_street(hand, self.big_blind)
            if not hand.waiting:
                all_in = all_in or closed
            events.append(Event(STREETS[hand.street], Opened(board(hand)[before:], bets_in(hand))))
        return Step(changed(state, hand=hand), tuple(events))

    def _hand_over(self, state: State, hand: Hand, events: list[Event]) -> Step[State]:
        """The pots are shared out, and the next hand is due, if there is one."""
        shown = hands_at_end(hand)
        if len(shown) > 1:
            events.append(Event("showdown", Showdown(board(hand), shown)))
        stacks, won = list(hand.stacks), dict.fromkeys((seat for seat, _, _ in shown), 0)
        for pot, winners in shares(hand):
            events.append(Event("pot", PotWon(pot.size, winners)))
            for seat, chips in winners:
                stacks[seat] += chips
                won[seat] += chips
        net = [after - before for after, before in zip(stacks, state.stacks, strict=True)]
        in_hand = [seat for seat in clockwise(len(stacks), hand.button) if state.stacks[seat]]
        events.append(Event("hand_over", HandOver(tuple([(seat, net[seat]) for seat in in_hand]))))
        seen = len(shown) > 1
        last = [
            LastWinner(seat, won[seat], cards if seen else None, what if seen else None)
            for seat, cards, what in shown
        ]
        after = changed(
            state,
            hand_number=state.hand_number + 1,
            stacks=(self.stack,) * len(stacks) if self.reset_stacks else tuple(stacks),
            results=tuple([one + other for one, other in zip(state.results, net, strict=True)]),
            hand=None,
            last=tuple(last),
        )
        return self._next_hand(state, after, events)

    def _next_hand(self, state: State, after: State, events: list[Event]) -> Step[State]:
        """The button moves on, unless the match is over."""
        for seat, chips in enumerate(after.stacks):
            if not chips and state.stacks[seat]:
                bust = (Seat(seat), state.hand_number, state.stacks[seat])
                after = changed(after, busts=(*after.busts, bust))
                events.append(Event("eliminated", Eliminated(Seat(seat))))
        if self._is_over(after):
            ranks = tuple([(Seat(seat), rank) for seat, rank in enumerate(self.ranks(after))])
            returns = tuple([(Seat(seat), chips) for seat, chips in enumerate(after.results)])
            events.append(Event("match_over", MatchOver(ranks, returns)))
            return Step(after, tuple(events))
        button = next(seat for seat in clockwise(len(after.stacks), state.button) if after.stacks[seat])
        return Step(changed(after, button=button), tuple(events))

    def _is_over(self, state: State) -> bool:
        """Whether all hands are played, or one seat has all chips."""
        is_last = state.hand_number > self.hands or len(state.busts) == len(state.stacks) - 1
        return is_last and state.hand is None


_CHANCE_ALONE = (CHANCE,)
_FOLD = Fold()
_WHOLE_DECK = frozenset(DECK)


def _paid(before: Hand, after: Hand, seat: Seat, amount: int) -> Event:
    """The event that tells that `amount` was put in: a check, call, bet or raise."""
    top = max(before.bets)
    owed = top - before.bets[seat]
    kind = ("raise" if top else "bet") if amount > owed else ("call" if amount else "check")
    return Event(kind, Paid(seat, amount, after.bets[seat], is_all_in(after, seat)))
