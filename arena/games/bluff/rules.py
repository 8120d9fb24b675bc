"""Bluff, also known as Cheat: cards go face down on a pile, and what is said about them may be a lie.

All 52 cards are dealt, one at a time round the table.  On turn a seat puts one or more of its cards
face down on the pile and claims their rank: aces in the first play, twos in the second, and so on,
after kings aces again.  Then all other seats are asked at once whether they accuse it.  The nearest
accuser in playing order counts: the cards just played are shown, and if all are as claimed the
accuser takes the whole pile, else the player does.  The next seat plays, whatever came of it.  A
seat without cards that was not rightly accused of its last play has won; the others rank by fewest
cards.

Source: the document of an Erlang implementation (the Bluff document), and RULES.md where it is silent.
House rules: `claims` are due in `sequence` (leave the claim out, or say the one that is due), of a
`free_rank` or a `free_suit` of the player's choice; `plays_max` ends the match by fewest cards, ties
shared; 0 stands for 100 plays a seat.
Decided here, where both are silent: `hand_sizes` begin with the current player, who stays current
until the others have said whether they accuse; `claim_due` is that of the next play, also while
they are asked, and null where claims are free; `last_play` and `last_challenge` stay until the next
ones (a pile of no cards tells that the last play was challenged); the last play before `plays_max`
may be accused too; cards shown are sorted, as hands are; who takes the pile learns its cards, not
their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import permutations
from math import factorial
from random import Random
from typing import Any, ClassVar, Self

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
    Subset,
    explain,
    is_legal,
    shared_returns,
)
from arena.games.bluff import sentences
from arena.games.bluff.events import Challenged, Dealt, Hand, MatchOver, Played, Unchallenged
from arena.games.bluff.hidden import sample_state
from arena.games.bluff.moves import Accuse, Deal, Move, Pass, Play
from arena.games.bluff.state import LastChallenge, LastPlay, Observation, State
from arena.games.cards import DECK, RANKS, SUITS, shuffled, sort_cards
from arena.games.house_rules import Accepts, check_seats
from arena.games.states import changed

PLAYS_A_SEAT = 100
"""The bound on plays per seat where the house rules name none: one in ten matches of random players reaches
it at a table of ten, none at a table of six."""


@attrs.frozen
class Bluff(Game[State, Move]):
    """Bluff; the fields are the house rules."""

    name: ClassVar[str] = "bluff"
    title: ClassVar[str] = "Bluff"
    version: ClassVar[int] = 1
    seats: ClassVar[range] = range(2, 11)
    rated_by: ClassVar[str] = "ranks"
    holding: ClassVar[tuple[str, str]] = ("card", "cards")
    round_begins: ClassVar[str | None] = "dealt"
    showdowns: ClassVar[frozenset[str]] = frozenset({"challenge"})
    silent_move: ClassVar[type[Any] | None] = Pass
    default_is_legal: ClassVar[bool] = True
    moves: ClassVar[tuple[type[Move], ...]] = (Deal, Play, Pass, Accuse)
    reserved_names: ClassVar[frozenset[str]] = frozenset({"pass", "bluff"})
    deck: ClassVar[tuple[str, ...]] = DECK
    """All cards, sorted.  Not a house rule: only tests play with fewer."""

    claims: str = attrs.field(
        default="sequence", validator=Accepts(OneOf(("sequence", "free_rank", "free_suit")))
    )
    # Every turn is kept until the match is stored, so even the widest bound must fit in memory.
    plays_max: int = attrs.field(default=0, validator=Accepts(Between(0, 100_000)))

    def at_table(self, seats: int) -> Self:
        """The game with `plays_max` filled in for this number of seats."""
        return attrs.evolve(self, plays_max=self._plays_max(seats))

    def start(self, seats: int) -> State:
        """Nobody has cards yet, seat 0 to start.  Raises ConfigError for a wrong number of seats."""
        check_seats(self, seats)
        return State(asked="deal", current=Seat(0), hands=((),) * seats)

    def to_act(self, state: State) -> tuple[Seat, ...]:
        """The current player, or all others from the next seat on."""
        if state.asked == "accuse":
            return _others(len(state.hands), state.current)
        if state.asked == "play":
            return (state.current,)
        return _CHANCE_ALONE if state.asked else ()

    def holdings(self, state: State) -> tuple[float, ...]:
        """Each seat's number of cards, negative; before the deal too, as being dealt cards is no loss."""
        seats = len(state.hands)
        if state.asked == "deal":
            return tuple([-len(self.deck[seat::seats]) for seat in range(seats)])
        return tuple([-len(hand) for hand in state.hands])

    def chance_key(self, state: State) -> tuple[str | int, ...]:
        """The key of the only deal in a match."""
        return ("deal",)

    def draw(self, state: State, rng: Random) -> Deal:
        """The deck, shuffled."""
        return Deal(shuffled(rng, self.deck))

    def chances(self, state: State) -> tuple[tuple[Deal, float], ...] | None:
        """Every order of the deck, if tests play with one so short."""
        count = factorial(len(self.deck))
        if count > CHANCES_MAX:
            return None
        return tuple([(Deal(cards), 1 / count) for cards in permutations(self.deck)])

    def options(self, state: State, seat: Seat) -> tuple[Option, ...]:
        """A play of any cards of the hand; or a pass or an accusation."""
        if state.asked == "play":
            return _options_on_turn(state.hands[seat], self._claims(state)) if seat == state.current else ()
        return _PASS_OR_ACCUSE if state.asked == "accuse" and seat != state.current else ()

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Step[State]:
        """The deal; a play; or the nearest accusation, if there is one."""
        asked = self.to_act(state)
        if len(moves) != len(asked):
            raise IllegalMove(f"{len(asked)} seats were asked, but {len(moves)} moves were given")
        if state.asked == "play":
            return self._played(state, moves[state.current])
        if state.asked == "accuse":
            return self._answered(state, asked, moves)
        if asked:
            return self._dealt(state, moves[CHANCE])
        raise IllegalMove("the match is over")

    def plays_next(self, state: State) -> Seat | None:
        """The seat that plays next, while it may still accuse."""
        return _others(len(state.hands), state.current)[0] if state.asked == "accuse" else None

    def default(self, state: State, seat: Seat) -> Move:
        """Plays the first card of the hand, claimed honestly where claims are free; or passes."""
        if state.asked != "play":
            return _PASS
        card = state.hands[seat][0]
        return Play((card,), None if self.claims == "sequence" else self._kind(card))

    def observe(self, state: State, seat: Seat | None) -> Observation:
        """The seat's own hand and what happened openly."""
        return Observation(
            you=seat,
            asked=state.asked if state.asked != "deal" else None,
            current_player=state.current,
            hand=state.hands[seat] if seat is not None else (),
            pile_size=len(state.pile),
            hand_sizes=_counts(tuple(map(len, state.hands)), state.current),
            claim_due=self._claim_due(state),
            last_play=state.last_play,
            last_challenge=state.last_challenge,
        )

    tell_move = staticmethod(sentences.tell_move)
    tell_event = staticmethod(sentences.tell_event)
    tell_mark = staticmethod(sentences.tell_mark)
    tell_why = staticmethod(sentences.tell_why)
    tell_seen = staticmethod(sentences.tell_seen)

    def sample_state(self, information: Information, rng: Random) -> State | None:
        """At a table of two a state that fits, from `hidden.py`; with more seats None."""
        return sample_state(information, self.deck, rng) if information.seats == 2 else None

    def returns(self, state: State) -> tuple[float, ...]:
        """+1 for a lone winner, −1/(n−1) for the others; shared by those who tie."""
        return shared_returns(self.ranks(state))

    def ranks(self, state: State) -> tuple[int, ...]:
        """Fewer cards rank better."""
        if state.asked is not None:
            raise ValueError("the match is not over")
        sizes = [len(hand) for hand in state.hands]
        return tuple([1 + sum(other < own for other in sizes) for own in sizes])

    def _plays_max(self, seats: int) -> int:
        """The number of plays after which a match of `seats` ends, whatever cards are left."""
        return self.plays_max or PLAYS_A_SEAT * seats

    # Claims.

    def _claim_due(self, state: State) -> str | None:
        """The rank of the next play, or None where claims are free."""
        return RANKS[state.plays % len(RANKS)] if self.claims == "sequence" else None

    def _claims(self, state: State) -> tuple[str | None, ...]:
        """The claims that the next play may make; None: it is left out."""
        if self.claims == "sequence":
            return _SEQUENCE_CLAIMS[state.plays % len(RANKS)]
        return _SUIT_CLAIMS if self.claims == "free_suit" else _RANK_CLAIMS

    def _kind(self, card: str) -> str:
        """The rank or suit of a card, whichever is claimed in this game."""
        return card[self.claims == "free_suit"]

    # What each kind of turn leads to.

    def _dealt(self, state: State, move: Move) -> Step[State]:
        """The first question, with all cards dealt."""
        if type(move) is not Deal or sort_cards(move.cards) != self.deck:
            raise IllegalMove(f"a deal names each of the {len(self.deck)} cards once")
        seats = len(state.hands)
        hands = tuple([sort_cards(move.cards[seat::seats]) for seat in range(seats)])
        sizes = _counts(tuple(map(len, hands)), state.current)
        told = {Seat(seat): Hand(hand) for seat, hand in enumerate(hands)}
        events = (Event("dealt", Dealt(sizes)), Event("hand", None, told))
        return Step(changed(state, asked="play", hands=hands), events)

    def _played(self, state: State, move: Move) -> Step[State]:
        """The cards lie on the pile, and the others are asked."""
        player = state.current
        self._check(state, player, move)
        assert isinstance(move, Play)
        claim = self._claim_due(state) or move.claim
        assert claim is not None
        gone = set(move.cards)  # the hand is sorted, and stays so when cards are left out
        hand = tuple([card for card in state.hands[player] if card not in gone])
        after = changed(
            state,
            asked="accuse",
            hands=_with_hand(state.hands, player, hand),
            pile=state.pile + move.cards,
            played=sort_cards(move.cards),
            plays=state.plays + 1,
            last_play=LastPlay(player, len(move.cards), claim),
        )
        return Step(after, (Event("play", Played(player, len(move.cards), claim, len(hand))),))

    def _answered(self, state: State, asked: tuple[Seat, ...], moves: Mapping[Seat, Move]) -> Step[State]:
        """The nearest accuser counts; without one the next seat plays."""
        accuser = None
        for seat in asked:
            move = moves[seat]
            if type(move) is Accuse:
                accuser = seat if accuser is None else accuser
            elif type(move) is not Pass:
                self._check(state, seat, move)
        if accuser is None:
            told = Event("unchallenged", Unchallenged(state.current, len(state.pile)))
            return self._next(state, state.hands, state.pile, state.last_challenge, (told,))
        return self._accused(state, accuser)

    def _accused(self, state: State, accuser: Seat) -> Step[State]:
        """The cards just played are shown; the seat that was wrong takes the pile."""
        assert state.last_play is not None
        player, claim = state.current, state.last_play.claim
        is_bluff = any(self._kind(card) != claim for card in state.played)
        taker = player if is_bluff else accuser
        hand = sort_cards(state.hands[taker] + state.pile)
        shown = Challenged(accuser, player, claim, state.played, is_bluff, taker, len(state.pile))
        return self._next(
            state,
            _with_hand(state.hands, taker, hand),
            (),
            LastChallenge(accuser, player, state.played, is_bluff),
            (Event("challenge", shown), Event("hand", None, {taker: Hand(hand)})),
        )

    def _next(
        self,
        state: State,
        hands: tuple[tuple[str, ...], ...],
        pile: tuple[str, ...],
        last_challenge: LastChallenge | None,
        events: tuple[Event, ...],
    ) -> Step[State]:
        """The next seat's turn; or the end, when the player has no cards left or `plays_max` is reached."""
        player, seats = state.current, len(hands)
        # `hands` are those after the accusation: a rightly accused player has taken the pile, and has cards.
        has_won = not hands[player]
        is_over = has_won or state.plays >= self._plays_max(seats)
        after = changed(
            state,
            asked=None if is_over else "play",
            current=player if is_over else _others(seats, player)[0],
            hands=hands,
            pile=pile,
            played=(),
            last_challenge=last_challenge,
        )
        if is_over:
            ranks = tuple([(Seat(seat), rank) for seat, rank in enumerate(self.ranks(after))])
            events = (*events, Event("match_over", MatchOver(ranks, not has_won)))
        return Step(after, events)

    def _check(self, state: State, seat: Seat, move: Move) -> None:
        """Raises IllegalMove unless the seat may make this move."""
        options = self.options(state, seat)
        if not is_legal(options, move):
            raise IllegalMove(f"seat {int(seat)}: {explain(options, move)}")


_CHANCE_ALONE = (CHANCE,)
_PASS = Pass()
_PASS_OR_ACCUSE = (Option(Pass), Option(Accuse))
_RANK_CLAIMS = tuple(RANKS)
_SUIT_CLAIMS = tuple(SUITS)
_SEQUENCE_CLAIMS = tuple((rank, None) for rank in RANKS)


def _with_hand(
    hands: tuple[tuple[str, ...], ...], seat: Seat, hand: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """The hands with this seat's replaced by `hand`."""
    return (*hands[:seat], hand, *hands[seat + 1 :])


# Needed at every decision; the bounds keep a server's memory flat.


@lru_cache(maxsize=256)
def _others(seats: int, player: Seat) -> tuple[Seat, ...]:
    """All seats but the player's, from the next one on."""
    return tuple(Seat(seat % seats) for seat in range(player + 1, player + seats))


@lru_cache(maxsize=4096)
def _counts(sizes: tuple[int, ...], first: Seat) -> tuple[tuple[Seat, int], ...]:
    """The seats from `first` on, each with the number of its cards."""
    return tuple((seat, sizes[seat]) for seat in (first, *_others(len(sizes), first)))


@lru_cache(maxsize=1024)
def _options_on_turn(hand: tuple[str, ...], claims: tuple[str | None, ...]) -> tuple[Option, ...]:
    """Any cards of the hand, under any of the claims."""
    return (Option(Play, {"cards": Subset(hand, 1, len(hand)), "claim": OneOf(claims)}),)
