"""What people are told about a match of Liar's Dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.game import Event, Names, Seat
from arena.games.liars_dice.events import (
    BidMade,
    Eliminated,
    Hand,
    MatchOver,
    RoundLost,
    RoundStarted,
    Showdown,
)
from arena.games.liars_dice.moves import Bid, Challenge, Forfeit, Move, Pass, Roll
from arena.games.liars_dice.state import Observation
from arena.games.wording import cards_of, drawn, hands_of, holdings, match_won
from arena.words import number_word


def tell_move(seat: Seat, move: Move, name: Names) -> str:
    """The sentence for a move."""
    match move:
        case Roll():
            return "the dice are rolled"
        case Bid(face, count):
            return f"{name(seat)} bids {_bid((face, count))}"
        case Challenge():
            return f"{name(seat)} challenges"
        case Pass():
            return f"{name(seat)} passes"
        case Forfeit():
            return f"{name(seat)} forfeits the round"


def tell_event(kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
    """The sentence for a payload; each kind of event has a class of its own."""
    match payload:
        case RoundStarted(number, dice):
            return f"round {number}: {holdings(dice, name, 'die', 'dice')}"
        case Hand(dice) if seat is not None:
            return f"{name(seat)} rolls {cards_of(dice)}"
        case BidMade(bidder, bid):
            return f"{name(bidder)} bids {_bid(bid)}"
        case Showdown():
            return _showdown(payload, name)
        case RoundLost(loser):
            return f"{name(loser)} forfeits the round and loses a die"
        case Eliminated(out):
            return f"{name(out)} is out"
        case MatchOver(ranks, turns_max_reached):
            won = match_won(ranks, name)
            return f"the limit on turns is reached: {won}" if turns_max_reached else won
    return None


def tell_mark(kind: str, payload: Any) -> str:
    """The word under which a timeline marks a public payload."""
    return "challenge" if isinstance(payload, Showdown) else ""


def _showdown(shown: Showdown, name: Names) -> str:
    actual = number_word(shown.actual) if shown.actual else "none"
    there = f"there {'is' if shown.actual == 1 else 'are'} {actual}"
    return (
        f"{name(shown.challenger)} challenges {name(shown.bidder)}'s bid of {_bid(shown.bid)}: {there} "
        f"({hands_of(shown.hands, name)}), so {name(shown.loser)} loses a die"
    )


def _bid(bid: tuple[int, int]) -> str:
    """A bid in words: `five 3s`, `one 6`."""
    face, count = bid
    return f"{number_word(count)} {face}{'' if count == 1 else 's'}"


def tell_why(events: Sequence[Event], name: Names) -> str | None:
    """The reason for which a die was lost, from what everybody was told of the step."""
    for event in events:
        match event.public:
            case Showdown(challenger, _, bid, _, actual, loser) if loser == challenger:
                there = f"there {'was' if actual == 1 else 'were'} {number_word(actual)}"
                return f"{name(loser)} challenged a true bid of {_bid(bid)}: {there}"
            case Showdown(_, _, bid, _, actual, loser):
                were = (
                    f"were only {number_word(actual)}"
                    if actual > 1
                    else ("were none", "was only one")[actual]
                )
                return f"{name(loser)} bid {_bid(bid)}, and there {were}"
            case RoundLost(loser):
                return f"{name(loser)} gave no valid answer"
    return None


def tell_seen(observation: Observation, seat: Seat | None, name: Names) -> tuple[str, ...]:
    """The lines for what a seat sees."""
    return tuple(_seen(observation, seat, name))


def _seen(seen: Observation, seat: Seat | None, name: Names) -> Iterator[str]:
    if seat is not None:
        yield f"your dice are {drawn(seen.your_hand)}" if seen.your_hand else "you have no dice to look at"
    if isinstance(seen.last_bidder, Seat):
        yield f"{name(seen.last_bidder)}'s bid of {_bid(seen.last_bid)} is on the table"
    else:
        yield "nobody has bid yet"
    if seen.other_hands:
        in_play = sum(dice for _, dice in seen.other_hands)
        yield f"{holdings(seen.other_hands, name, 'die', 'dice')}, {number_word(in_play)} in all"
