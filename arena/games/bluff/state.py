"""The table of Bluff: the state between two moves, and what a seat may see of it."""

from __future__ import annotations

import attrs

from arena.game import Seat


@attrs.frozen(slots=False)
class LastPlay:
    """What everybody knows about a play."""

    player: Seat
    count: int
    claim: str


@attrs.frozen(slots=False)
class LastChallenge:
    """What everybody knows about an accusation that counted."""

    accuser: Seat
    player: Seat
    cards: tuple[str, ...]
    """The cards just played, sorted; the rest of the pile is never shown."""
    bluff: bool
    """Whether not all of them were as claimed."""


@attrs.frozen(slots=False)  # for `changed`
class State:
    """The full state between two moves."""

    asked: str | None
    """What is due: `deal`, `play`, `accuse`, or None when the match is over."""
    current: Seat
    """The seat whose turn it is, or whose play may be accused."""
    hands: tuple[tuple[str, ...], ...]
    """Each seat's cards, sorted."""
    pile: tuple[str, ...] = ()
    """The cards of the pile in the order in which they were played, including those just played."""
    played: tuple[str, ...] = ()
    """The cards that may be shown, sorted, while the others are asked."""
    plays: int = 0
    """How many plays of the match are finished."""
    last_play: LastPlay | None = None
    last_challenge: LastChallenge | None = None


@attrs.frozen(slots=False)
class Observation:
    """What a seat may know: its hand, and what happened openly."""

    you: Seat | None
    """The seat that observes; None for a spectator."""
    asked: str | None
    """What is asked: `play` or `accuse`; None when nobody is asked anything."""
    current_player: Seat
    """The seat whose turn it is, or whose play may be accused."""
    hand: tuple[str, ...]
    """The seat's cards by rank from A to K, then clubs, diamonds, hearts, spades; empty for a spectator."""
    pile_size: int
    hand_sizes: tuple[tuple[Seat, int], ...]
    """Each seat and how many cards it holds, in playing order from the current player."""
    claim_due: str | None
    """The rank that the next play claims; None where claims are free."""
    last_play: LastPlay | None
    last_challenge: LastChallenge | None
