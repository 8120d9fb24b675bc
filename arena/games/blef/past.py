"""A finished round as the document's API shows it: the game's state at its end, with everybody's cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from arena.game import Seat
from arena.games.blef.events import BetMade, MatchOver, RoundLost, RoundStarted, Showdown
from arena.games.blef.moves import CHECK
from arena.games.blef.sets import CARDS, TEXTS
from arena.games.blef.state import LOST, Action, Hand, Player


@attrs.frozen
class PastRound:
    """The fields of the document's game state."""

    status: str
    """The state of the match: `Finished` for its last round."""
    round_number: int
    max_cards: int
    players: tuple[Player, ...]
    """All seats, and how many cards each had in this round."""
    hands: tuple[Hand, ...]
    """The hands of all seats that were active."""
    cp_nickname: Seat | None
    """Always None: it is nobody's turn."""
    history: tuple[Action, ...]
    """The bets, the check, and who lost the round."""


def past_round(payloads: Iterable[Any], seats: int, max_cards: int) -> PastRound | None:
    """The round described by these public payloads; None if it is not over."""
    number, counts, history = 0, dict.fromkeys(map(Seat, range(seats)), 0), []
    hands: tuple[tuple[Seat, tuple[str, ...]], ...] | None = None
    status = "Running"
    for payload in payloads:
        match payload:
            case RoundStarted(number, n_cards):
                counts |= dict(n_cards)
            case BetMade(player, action_id):
                history.append(Action(player, action_id))
            case Showdown(player, hands=hands, loser=loser):
                history += [Action(player, CHECK), Action(loser, LOST)]
            case RoundLost(loser, hands):
                history.append(Action(loser, LOST))
            case MatchOver():
                status = "Finished"
    if hands is None:
        return None
    return PastRound(
        status=status,
        round_number=number,
        max_cards=max_cards,
        players=tuple(Player(seat, count) for seat, count in counts.items()),
        hands=tuple(Hand(seat, tuple(CARDS[TEXTS.index(text)] for text in texts)) for seat, texts in hands),
        cp_nickname=None,
        history=tuple(history),
    )
