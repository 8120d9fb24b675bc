"""What is told about a match of Blef: payloads for `arena replay`, bots and spectators.

Cards are texts here ("TC", "AS").
"""

from __future__ import annotations

import attrs

from arena.game import Seat


@attrs.frozen(slots=False)
class RoundStarted:
    """Public, `round_started`."""

    round_number: int
    n_cards: tuple[tuple[Seat, int], ...]
    """Each active seat and how many cards it has, in playing order from the one that starts."""


@attrs.frozen(slots=False)
class OwnHand:
    """Private, `hand`: each active seat is told its own cards."""

    cards: tuple[str, ...]


@attrs.frozen(slots=False)
class BetMade:
    """Public, `bet`."""

    player: Seat
    action_id: int
    set: str


@attrs.frozen(slots=False)
class Showdown:
    """Public, `check`: who checked whom, and what all hands were."""

    player: Seat
    bettor: Seat
    action_id: int
    """The bet's action id."""
    set: str
    hands: tuple[tuple[Seat, tuple[str, ...]], ...]
    is_there: bool
    loser: Seat


@attrs.frozen(slots=False)
class RoundLost:
    """Public, `round_lost`: somebody failed to answer."""

    loser: Seat
    hands: tuple[tuple[Seat, tuple[str, ...]], ...]


@attrs.frozen(slots=False)
class Eliminated:
    """Public, `eliminated`."""

    player: Seat


@attrs.frozen(slots=False)
class MatchOver:
    """Public, `match_over`."""

    ranks: tuple[tuple[Seat, int], ...]
