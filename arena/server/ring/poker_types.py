"""What requests and answers of the poker document hold, as `openapi` describes it; `poker_view` makes it."""

from __future__ import annotations

from typing import Literal

import msgspec

# ruff: noqa: N815 - the names in the document


class PokerAct(msgspec.Struct):
    """A fold (0), or a bet (1)."""

    action: Literal[0, 1]
    betAmount: int | None = None
    """Chips put in: 0 checks, as much as `bet_to_player` calls. A fold needs none."""


class PokerPlayer(msgspec.Struct):
    """Somebody who plays the hand."""

    playerID: str
    handle: str
    state: str
    """`active`, `folded`, or `called`."""
    wealth: int
    bet_so_far: int
    small_blind: bool


class PokerTurn(msgspec.Struct):
    """Who is asked; all null between hands."""

    playerID: str | None
    bet_so_far: int | None
    bet_to_player: int | None
    minimum_raise: int | None
    expiry: str | None
    """RFC 3339, with offset."""


class PokerCards(msgspec.Struct):
    """The board, and the viewer's own cards."""

    hole: list[str] | None
    flop: list[str] | None
    turn: list[str] | None
    river: list[str] | None


class PokerPot(msgspec.Struct):
    """Chips, and who has bet them, whoever has folded too."""

    size: int
    players: list[str]


class PokerShowdown(msgspec.Struct):
    """The board, and the hands that were shown: playerID, hole cards, and what they make."""

    board: list[str]
    hands: list[tuple[str, list[str], str]]


class PokerGame(msgspec.Struct):
    """A ring table and its hand."""

    gameID: str
    table: list[PokerPlayer]
    turn: PokerTurn
    cards: PokerCards
    pots: list[PokerPot]
