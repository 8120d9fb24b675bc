"""Liar's Dice: bids on what all hidden dice show together, until somebody does not believe it.

Every living seat rolls its dice in secret.  The seat on turn bids `[face, count]`: a greater
count than the last bid, or the same count and a higher face.  A challenged bid is true when at
least `count` dice in play show `face`; then the challenger loses a die, else the bidder does.
The loser starts the next round; without dice a seat is out; the last one with dice wins.

All living seats are asked at once on every move: the one on turn bids or challenges, the others
pass or challenge.  In playing order from the seat on turn, the first invalid answer loses the
round; else the first challenge counts, against the bid that the question showed; else the bid.

Source: the document of https://github.com/dimchee/LiarsDice, and RULES.md where it is silent.
House rules: `dice` each at the start, `faces` of a die, `wild_ones` (ones count for every other
face; a bid on ones counts ones only), `challenge` by `anyone` or only the `next` seat (the one on
turn, which alone is asked then), `turns_max`: ranked by dice left when it is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any, ClassVar

import attrs

from arena.game import (
    CHANCE,
    CHANCES_MAX,
    Between,
    Event,
    Game,
    IllegalMove,
    Information,
    OneOf,
    Option,
    Seat,
    Step,
    explain,
    is_legal,
    shared_returns,
)
from arena.games.house_rules import Accepts, check_seats
from arena.games.liars_dice import sentences
from arena.games.liars_dice.events import (
    BidMade,
    Eliminated,
    Hand,
    MatchOver,
    RoundLost,
    RoundStarted,
    Showdown,
)
from arena.games.liars_dice.hidden import sample_state
from arena.games.liars_dice.moves import Bid, Challenge, Forfeit, Move, Pass, Roll
from arena.games.liars_dice.state import NOBODY, Observation, State
from arena.games.states import changed


@attrs.frozen
class LiarsDice(Game[State, Move]):
    """Liar's Dice; the fields are the house rules."""

    name: ClassVar[str] = "liars-dice"
    title: ClassVar[str] = "Liar's Dice"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 11)
    rated_by: ClassVar[str] = "ranks"
    holding: ClassVar[tuple[str, str]] = ("die", "dice")
    round_begins: ClassVar[str | None] = "round_started"
    showdowns: ClassVar[frozenset[str]] = frozenset({"challenge"})
    silent_move: ClassVar[type[Any] | None] = Pass
    silence_s: ClassVar[float] = 3.0
    moves: ClassVar[tuple[type[Move], ...]] = (Roll, Bid, Challenge, Pass, Forfeit)
    reveals: ClassVar[frozenset[str]] = frozenset({"challenge"})
    """A challenge's event shows all hands; the document's messages say only who challenged and who lost."""
    own_name: ClassVar[str | None] = "yourself"
    reserved_names: ClassVar[frozenset[str]] = frozenset({"yourself", NOBODY, "pass", "challenge"})

    # Twenty: dice with more faces are not made, and ten hands of twenty dice still fit on a screen.
    dice: int = attrs.field(default=5, validator=Accepts(Between(1, 20)))
    faces: int = attrs.field(default=6, validator=Accepts(Between(2, 20)))
    wild_ones: bool = attrs.field(default=False, validator=Accepts(OneOf((False, True))))
    challenge: str = attrs.field(default="anyone", validator=Accepts(OneOf(("anyone", "next"))))
    # Every turn is kept until the match is stored, so even the widest bound must fit in memory.
    turns_max: int = attrs.field(default=2000, validator=Accepts(Between(1, 100_000)))

    def start(self, seats: int) -> State:
        """All seats with all dice, seat 0 to start.  Raises ConfigError for a wrong number of seats."""
        check_seats(self, seats)
        return State(
            dice=(self.dice,) * seats,
            hands=(),
            round_number=1,
            move_number=1,
            on_turn=Seat(0),
            last_move="first_move",
            last_bid=(0, 0),
            last_bidder=NOBODY,
            last_loser=NOBODY,
            last_challenger=NOBODY,
        )

    def to_act(self, state: State) -> tuple[Seat, ...]:
        """The living seats, from the one on turn; with `challenge = "next"` only the one on turn."""
        if not state.hands:
            return () if self._is_over(state) else _CHANCE_ALONE
        if self.challenge == "next":
            return (state.on_turn,)
        return _playing_order(state.dice, state.on_turn)

    def eliminated(self, state: State) -> tuple[Seat, ...]:
        """The seats without dice."""
        return state.out

    def holdings(self, state: State) -> tuple[float, ...]:
        """Each seat's number of dice."""
        return state.dice

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        """Each round rolls its own dice."""
        return ("roll", state.round_number)

    def draw(self, state: State, rng: Random) -> Roll:
        """A row of `dice` dice for every seat."""
        # Only random() is promised to give the same numbers in every version of Python.
        faces, luck, dice = self.faces, rng.random, range(self.dice)
        return Roll(tuple([tuple([1 + int(luck() * faces) for _ in dice]) for _ in state.dice]))

    def chances(self, state: State) -> tuple[tuple[Roll, float], ...] | None:
        """Every roll of all dice, lost ones included, if these are few: two seats with three coins each."""
        return _rolls(self.dice, self.faces, len(state.dice))

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """On turn higher bids and a challenge of the last one; off turn a pass or a challenge."""
        if not state.hands or seat not in self.to_act(state):
            return ()
        return self._options_asked(state, seat)

    def numbered_moves(self, seats: int) -> tuple[Move, ...]:
        """Every bid that may ever be made in a match of `seats`, face by face."""
        counts = range(1, seats * self.dice + 1)
        return tuple([Bid(face, count) for face in range(1, self.faces + 1) for count in counts])

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        """Applies the roll; or the first invalid answer, else the first challenge, else the bid."""
        asked = self.to_act(state)
        if len(moves) != len(asked):
            raise IllegalMove(f"{len(asked)} seats were asked, but {len(moves)} moves were given")
        if asked == _CHANCE_ALONE:
            return self._rolled(state, moves[CHANCE])
        # All answers are looked at: an invalid one counts before a challenge that is nearer.
        forfeiter = challenger = None
        for seat in asked:
            move = moves[seat]
            self._check(state, seat, move)
            if type(move) is Forfeit and forfeiter is None:
                forfeiter = seat
            elif type(move) is Challenge and challenger is None:
                challenger = seat
        if forfeiter is not None:
            return self._forfeited(state, forfeiter)
        if challenger is not None:
            return self._challenged(state, challenger)
        return self._bid(state, moves[state.on_turn])

    def default(self, state: State, seat: Seat) -> Forfeit:
        """The round is lost."""
        return _FORFEIT

    def observe(self, state: State, seat: Seat | None) -> Observation:
        """The seat's own dice, and what everybody knows."""
        return Observation(
            round_number=state.round_number,
            move_number=state.move_number,
            your_hand=state.hands[seat] if seat is not None and state.hands else (),
            other_hands=_counts(state.dice, state.on_turn),
            last_move=state.last_move,
            last_bid=state.last_bid,
            last_bidder=state.last_bidder,
            last_loser=state.last_loser,
            last_challenger=state.last_challenger,
        )

    tell_move = staticmethod(sentences.tell_move)
    tell_event = staticmethod(sentences.tell_event)
    tell_mark = staticmethod(sentences.tell_mark)
    tell_why = staticmethod(sentences.tell_why)
    tell_seen = staticmethod(sentences.tell_seen)

    def sample_state(self, information: Information, rng: Random) -> State:
        """A state that fits, from `hidden.py`."""
        return sample_state(information, self.faces, rng)

    def returns(self, state: State) -> tuple[float, ...]:
        """+1 for a lone winner, −1/(n−1) for the others; shared by those who tie."""
        return shared_returns(self.ranks(state))

    def ranks(self, state: State) -> tuple[int, ...]:
        """More dice rank better; among seats without dice, the one that lost its last die later."""
        if not self._is_over(state):
            raise ValueError("the match is not over")
        lasted = [
            (left, state.out.index(Seat(seat)) if left == 0 else 0) for seat, left in enumerate(state.dice)
        ]
        return tuple(1 + sum(other > own for other in lasted) for own in lasted)

    # What may be done, and what each kind of turn leads to.

    def _options_asked(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """The options of a seat that is known to be asked."""
        # Apart from `options`, as `apply` asks for all seats: looking each up in `to_act` would be quadratic.
        if seat == state.on_turn:
            return _options_on_turn(*state.last_bid, sum(state.dice), self.faces)
        nothing_to_challenge = state.last_bidder == NOBODY or state.last_bidder == seat
        return _ONLY_PASS if nothing_to_challenge else _PASS_OR_CHALLENGE

    def _check(self, state: State, seat: Seat, move: Move) -> None:
        """Raises IllegalMove unless the seat may make this move."""
        options = self._options_asked(state, seat)
        if type(move) is not Forfeit and not is_legal(options, move):
            raise IllegalMove(f"seat {int(seat)}: {explain(options, move)}")

    def _rolled(self, state: State, move: Move) -> Step[State]:
        """The round's first question, with the dice rolled."""
        if type(move) is not Roll or not self._is_full(state, move):
            raise IllegalMove(
                f"a roll has {self.dice} dice of {self.faces} faces for each of {len(state.dice)} seats"
            )
        hands = tuple([tuple(sorted(row[:left])) for row, left in zip(move.hands, state.dice, strict=True)])
        living = _playing_order(state.dice, state.on_turn)
        return Step(
            changed(state, hands=hands),
            (
                Event("round_started", RoundStarted(state.round_number, _counts(state.dice, state.on_turn))),
                Event("hand", None, {seat: Hand(hands[seat]) for seat in living}),
            ),
        )

    def _is_full(self, state: State, roll: Roll) -> bool:
        """Whether there is the right number of dice, with possible faces."""
        return len(roll.hands) == len(state.dice) and all(
            len(row) == self.dice and min(row) >= 1 and max(row) <= self.faces for row in roll.hands
        )

    def _bid(self, state: State, move: Move) -> Step[State]:
        """The bid stands, and the turn moves on."""
        assert isinstance(move, Bid)
        bidder = state.on_turn
        over = state.turns + 1 >= self.turns_max
        after = changed(
            state,
            hands=() if over else state.hands,
            move_number=state.move_number + 1,
            on_turn=_playing_order(state.dice, bidder)[1],
            last_move="bid_made",
            last_bid=(move.face, move.count),
            last_bidder=bidder,
            turns=state.turns + 1,
        )
        event = Event("bid", BidMade(bidder, after.last_bid))
        return Step(after, (event, self._match_over(after)) if over else (event,))

    def _challenged(self, state: State, challenger: Seat) -> Step[State]:
        """All hands are shown; the seat that was wrong loses a die."""
        bidder = state.last_bidder
        assert isinstance(bidder, Seat)
        face, count = state.last_bid
        actual = sum(hand.count(face) for hand in state.hands)
        if self.wild_ones and face != 1:
            actual += sum(hand.count(1) for hand in state.hands)
        loser = challenger if actual >= count else bidder
        shown = tuple([(seat, state.hands[seat]) for seat in _playing_order(state.dice, state.on_turn)])
        event = Event("challenge", Showdown(challenger, bidder, state.last_bid, shown, actual, loser))
        return self._lost(state, loser, "challenge_made", challenger, event)

    def _forfeited(self, state: State, seat: Seat) -> Step[State]:
        """The round ends without a showdown."""
        return self._lost(state, seat, "invalid_move", NOBODY, Event("invalid_move", RoundLost(seat)))

    def _lost(self, state: State, loser: Seat, how: str, challenger: Seat | str, event: Event) -> Step[State]:
        """The loser loses a die and starts the next round; if it is out, the next living seat starts."""
        left = state.dice[loser] - 1
        dice = (*state.dice[:loser], left, *state.dice[loser + 1 :])
        # Nothing else is kept from the previous round, so all fields are named.
        after = State(
            dice=dice,
            hands=(),
            round_number=state.round_number + 1,
            move_number=1,
            on_turn=_playing_order(dice, loser)[0],
            last_move=how,
            last_bid=(0, 0),
            last_bidder=NOBODY,
            last_loser=loser,
            last_challenger=challenger,
            out=state.out if left else (*state.out, loser),
            turns=state.turns + 1,
        )
        events = (event,) if left else (event, Event("eliminated", Eliminated(loser)))
        return Step(after, (*events, self._match_over(after)) if self._is_over(after) else events)

    def _is_over(self, state: State) -> bool:
        """Whether one seat is left, or `turns_max` is reached."""
        return len(state.out) == len(state.dice) - 1 or state.turns >= self.turns_max

    def _match_over(self, state: State) -> Event:
        """The result, told to all."""
        ranks = tuple([(Seat(seat), rank) for seat, rank in enumerate(self.ranks(state))])
        return Event("match_over", MatchOver(ranks, len(state.out) < len(state.dice) - 1))


_CHANCE_ALONE = (CHANCE,)
_FORFEIT = Forfeit()
_ONLY_PASS = (Option(Pass),)
_PASS_OR_CHALLENGE = (Option(Pass), Option(Challenge))

# Needed at every decision, and few come up in a tournament; the bounds keep a server's memory flat.


@lru_cache(maxsize=4096)
def _playing_order(dice: tuple[int, ...], first: Seat) -> tuple[Seat, ...]:
    """The living seats, from `first` on or from the next living one after it."""
    seats = len(dice)
    return tuple(Seat(seat % seats) for seat in range(first, first + seats) if dice[seat % seats])


@lru_cache(maxsize=4096)
def _counts(dice: tuple[int, ...], first: Seat) -> tuple[tuple[Seat, int], ...]:
    """The living seats from `first` on, each with the number of its dice."""
    return tuple((seat, dice[seat]) for seat in _playing_order(dice, first))


@lru_cache(maxsize=4)  # a few megabytes each
def _rolls(dice: int, faces: int, seats: int) -> tuple[tuple[Roll, float], ...] | None:
    """Every roll of so many dice for each seat with its probability, or None if there are too many."""
    count = faces ** (dice * seats)
    if count > CHANCES_MAX:
        return None
    rows = product(range(1, faces + 1), repeat=dice)
    return tuple([(Roll(hands), 1 / count) for hands in product(rows, repeat=seats)])


@lru_cache(maxsize=16384)
def _options_on_turn(face: int, count: int, in_play: int, faces: int) -> tuple[Option, ...]:
    """Every bid higher than (face, count), where (0, 0) means no bid yet, and a challenge of it."""
    options = []
    if 0 < face < faces:
        options.append(Option(Bid, {"face": Between(face + 1, faces), "count": Between(count, count)}))
    if count < in_play:
        options.append(Option(Bid, {"face": Between(1, faces), "count": Between(count + 1, in_play)}))
    if count:
        options.append(Option(Challenge))
    return tuple(options)
