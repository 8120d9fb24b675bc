"""What people are told about a match of Blef."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.game import Event, Names, Seat
from arena.games.blef.events import (
    BetMade,
    Eliminated,
    MatchOver,
    OwnHand,
    RoundLost,
    RoundStarted,
    Showdown,
)
from arena.games.blef.moves import Bet, Check, Deal, Forfeit, Move
from arena.games.blef.sets import SETS, TEXTS
from arena.games.blef.state import Observation
from arena.games.wording import articled, cards_of, drawn, hands_of, holdings, match_won, some


def tell_move(seat: Seat, move: Move, name: Names) -> str:
    """The sentence for a move."""
    match move:
        case Deal():
            return "the cards are dealt"
        case Bet(action_id):
            return f"{name(seat)} bets {_set(SETS[action_id].name)}"
        case Check():
            return f"{name(seat)} checks"
        case Forfeit():
            return f"{name(seat)} forfeits the round"


def tell_event(kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
    """The sentence for a payload; each kind of event has a class of its own."""
    match payload:
        case RoundStarted(number, n_cards):
            return f"round {number}: {holdings(n_cards, name, 'card', 'cards')}"
        case OwnHand(cards) if seat is not None:
            return f"{name(seat)} is dealt {cards_of(cards)}"
        case BetMade(player, _, words):
            return f"{name(player)} bets {_set(words)}"
        case Showdown():
            return _showdown(payload, name)
        case RoundLost(loser, hands):
            return f"{name(loser)} forfeits the round ({hands_of(hands, name)})"
        case Eliminated(player):
            return f"{name(player)} is out"
        case MatchOver(ranks):
            return match_won(ranks, name)
    return None


def tell_mark(kind: str, payload: Any) -> str:
    """The word under which a timeline marks a public payload."""
    return "check" if isinstance(payload, Showdown) else ""


def _showdown(shown: Showdown, name: Names) -> str:
    return (
        f"{name(shown.player)} checks {name(shown.bettor)}'s bet of {_set(shown.set)}: it is "
        f"{'true' if shown.is_there else 'false'} ({hands_of(shown.hands, name)}), "
        f"so {name(shown.loser)} loses the round"
    )


def _set(words: str) -> str:
    """A set with its article: `a pair of nines`, `three nines`; a high card is just the card, `an ace`."""
    card = words.removeprefix("high card ")
    return articled(words) if card == words else f"{'an' if card == 'ace' else 'a'} {card}"


def tell_why(events: Sequence[Event], name: Names) -> str | None:
    """The reason for which a round was lost, from what everybody was told of the step."""
    for event in events:
        match event.public:
            case Showdown(player, bettor, _, words, _, is_there) if is_there:
                return f"{name(player)} checked {name(bettor)}'s bet of {_set(words)}, and it was there"
            case Showdown(player, bettor, _, words):
                return f"{name(player)} checked {name(bettor)}'s bet of {_set(words)}, and it was not there"
            case RoundLost(loser):
                return f"{name(loser)} gave no valid answer"
    return None


def tell_seen(observation: Observation, seat: Seat | None, name: Names) -> tuple[str, ...]:
    """The lines for what a seat sees."""
    return tuple(_seen(observation, seat, name))


def _seen(seen: Observation, seat: Seat | None, name: Names) -> Iterator[str]:
    for hand in seen.hands:
        yield f"your cards are {drawn(TEXTS[4 * card.value + card.colour] for card in hand.hand)}"
    if seat is not None and not seen.hands:
        yield "you have no cards to look at"
    last = seen.history[-1] if seen.history else None
    if last is not None and last.action_id < len(SETS):
        yield f"{name(last.player)} has bet {_set(SETS[last.action_id].name)}"
    elif seen.status == "Running":
        yield "nobody has bet yet"
    left = [(player.nickname, player.n_cards) for player in seen.players if player.n_cards]
    if left:
        limit = some(seen.max_cards, "card", "cards")
        yield f"{holdings(left, name, 'card', 'cards')}; whoever loses a round with {limit} is out"
