"""What people are told about a match of Bluff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.game import Event, Names, Seat
from arena.games.bluff.events import Challenged, Dealt, Hand, MatchOver, Played, Unchallenged
from arena.games.bluff.moves import Accuse, Deal, Move, Pass, Play
from arena.games.bluff.state import Observation
from arena.games.wording import cards_of, drawn, holdings, match_won, some
from arena.words import number_word

_KINDS = {
    "A": ("ace", "aces"),
    "T": ("ten", "tens"),
    "J": ("jack", "jacks"),
    "Q": ("queen", "queens"),
    "K": ("king", "kings"),
    "C": ("club", "clubs"),
    "D": ("diamond", "diamonds"),
    "H": ("heart", "hearts"),
    "S": ("spade", "spades"),
}
"""Singular and plural of what may be claimed; the ranks from 2 to 9 are written as digits."""


def tell_move(seat: Seat, move: Move, name: Names) -> str:
    """The sentence for a move."""
    match move:
        case Deal():
            return "the cards are dealt"
        case Play(cards):
            return f"{name(seat)} plays {cards_of(cards)}"
        case Pass():
            return f"{name(seat)} passes"
        case Accuse():
            return f"{name(seat)} accuses"


def tell_event(kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
    """The sentence for a payload; each kind of event has a class of its own."""
    match payload:
        case Dealt(sizes):
            return f"the cards are dealt: {holdings(sizes, name, 'card', 'cards')}"
        case Hand(cards) if seat is not None:
            return f"{name(seat)} holds {cards_of(cards)}"
        case Played(player, count, claim, cards_left):
            return (
                f"{name(player)} claims {_claim(count, claim)}, with {some(cards_left, 'card', 'cards')} left"
            )
        case Unchallenged(player, size):
            return f"nobody accuses {name(player)}, and the pile has {some(size, 'card', 'cards')}"
        case Challenged():
            return _challenged(payload, name)
        case MatchOver(ranks, plays_max_reached):
            won = match_won(ranks, name)
            return f"the limit on plays is reached: {won}" if plays_max_reached else won
    return None


def tell_mark(kind: str, payload: Any) -> str:
    """The word under which a timeline marks a public payload."""
    return "accusation" if isinstance(payload, Challenged) else ""


def _challenged(shown: Challenged, name: Names) -> str:
    verdict = "a bluff" if shown.bluff else "as claimed"
    claim, are = _claim(len(shown.cards), shown.claim), "are"
    if len(shown.cards) == 1:
        claim, are = claim.removeprefix("one "), "is"
    return (
        f"{name(shown.accuser)} accuses {name(shown.player)}: the {claim} {are} {cards_of(shown.cards)}, "
        f"{verdict}, so {name(shown.taker)} takes the pile of {some(shown.pile_size, 'card', 'cards')}"
    )


def _claim(count: int, claim: str) -> str:
    """A claim in words: `two kings`, `one 5`."""
    one, many = _KINDS.get(claim, (claim, f"{claim}s"))
    return f"{number_word(count)} {one if count == 1 else many}"


def tell_why(events: Sequence[Event], name: Names) -> str | None:
    """The reason for which a pile was taken, from what everybody was told of the step."""
    for shown in (event.public for event in events):
        if isinstance(shown, Challenged):
            player, taken = name(shown.player), some(shown.pile_size, "card", "cards")
            if shown.bluff:
                claim = _claim(len(shown.cards), shown.claim)
                return f"{player} claimed {claim}, was caught bluffing and took {taken}"
            return f"{name(shown.accuser)} accused {player}, who had told the truth, and took {taken}"
    return None


def tell_seen(observation: Observation, seat: Seat | None, name: Names) -> tuple[str, ...]:
    """The lines for what a seat sees."""
    return tuple(_seen(observation, seat, name))


def _seen(seen: Observation, seat: Seat | None, name: Names) -> Iterator[str]:
    if seat is not None:
        yield f"your cards are {drawn(seen.hand)}" if seen.hand else "you have no cards left"
    if seen.hand_sizes:
        yield holdings(seen.hand_sizes, name, "card", "cards")
    last = seen.last_play if seen.asked == "accuse" else None
    pile = f"the pile has {some(seen.pile_size, 'card', 'cards')}" if seen.pile_size else "the pile is empty"
    yield pile if last is None else f"{pile}; {name(last.player)} claims {_claim(last.count, last.claim)}"
    if seen.asked == "play" and seen.claim_due is not None:
        yield f"the next claim must be {_claim(2, seen.claim_due).removeprefix('two ')}"
