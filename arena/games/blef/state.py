"""The table of Blef: the state between two moves, and what a seat may see of it."""

from __future__ import annotations

import attrs

from arena.game import Seat
from arena.games.blef.moves import CHECK
from arena.games.blef.sets import Card

LOST = CHECK + 1
"""Stands in histories after the last move: this seat lost the round."""


@attrs.frozen(slots=False)
class Action:
    """An entry of a round's history."""

    player: Seat
    action_id: int
    """What was done: 0..87 a bet, 88 a check, 89 the round was lost."""


@attrs.frozen(slots=False)
class Hand:
    """Somebody's cards, sorted."""

    nickname: Seat
    hand: tuple[Card, ...]


@attrs.frozen(slots=False)
class LastRound:
    """A finished round in full, which everybody may know."""

    history: tuple[Action, ...]
    hands: tuple[Hand, ...]
    """The hands of the seats that were active."""
    loser: Seat


@attrs.frozen(slots=False)  # for `changed`
class State:
    """The full state between two moves."""

    n_cards: tuple[int, ...]
    """Each seat's number of cards; 0 = out."""
    hands: tuple[tuple[Card, ...], ...]
    """Each seat's cards, sorted; empty between rounds, when chance is due or the match is over."""
    round_number: int
    on_turn: Seat
    """Between rounds: who starts the next one; when the match is over: the winner."""
    history: tuple[Action, ...] = ()
    last_round: LastRound | None = None
    out: tuple[Seat, ...] = ()
    """The seats that are out, in the order in which they were eliminated."""


@attrs.frozen(slots=False)
class Player:
    """How many cards somebody has; 0 = eliminated."""

    nickname: Seat
    n_cards: int


@attrs.frozen(slots=False)
class Observation:
    """What the document's game state says to one player, in its field names."""

    status: str
    """The state of the match: `Running` or `Finished`."""
    round_number: int
    """Counted from 1."""
    max_cards: int
    """A seat that loses a round with this many is eliminated."""
    players: tuple[Player, ...]
    """All seats in playing order, the eliminated ones too."""
    hands: tuple[Hand, ...]
    """The seat's own hand; nothing for a spectator, for a seat that is out, and between rounds."""
    cp_nickname: Seat | None
    """The current player; null when the match is over."""
    history: tuple[Action, ...]
    """The bets of this round, oldest first."""
    last_round: LastRound | None
    """Null in the first round."""
