"""The table of Chamber: the state between two moves, and what a seat may see of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import attrs

from arena.game import Seat
from arena.games.chamber.items import REBALANCER, Belongings, Item

# What is due.
LOAD: Final = "load"
WINDOW: Final = "rebalance"
REBALANCED: Final = "rebalanced"
TURN: Final = "turn"
OVER: Final = "over"


@attrs.frozen(slots=False)  # for `changed`
class State:
    """The full state between two moves."""

    due: str
    """What comes next: LOAD or REBALANCED (by chance), WINDOW, TURN, or OVER."""
    lives: tuple[int, ...]
    """Each seat's lives; 0 = out."""
    items: Belongings
    skipped: tuple[bool, ...]
    """Whether each seat loses its next turn."""
    chamber: tuple[str, ...]
    """The shells, LIVE or BLANK, the next one first: what nobody may know."""
    on_turn: Seat
    """The seat whose turn it is; while a round is prepared, whose it will be."""
    active: tuple[Item, ...] = ()
    """Items used by the seat on turn whose effect is on; only Quickshot outlives a shot."""
    round_number: int = 1
    window: int = 0
    """How often in this round the owners of Rebalancers were asked, this time included."""
    adding: tuple[tuple[Seat, str], ...] = ()
    """The seats that have just used a Rebalancer, in playing order, each with the kind of shells."""
    turn_count: int = 0
    out: tuple[Seat, ...] = ()
    """The seats that are out, in the order in which they lost their last life."""


# Needed at every decision, and few come up in a tournament; the bounds keep a server's memory flat.


@lru_cache(maxsize=4096)
def living(lives: tuple[int, ...]) -> tuple[Seat, ...]:
    """The seats that have lives left, by number."""
    return tuple(Seat(seat) for seat, left in enumerate(lives) if left)


@lru_cache(maxsize=4096)
def playing_order(lives: tuple[int, ...], first: Seat) -> tuple[Seat, ...]:
    """The living seats, from `first` on or from the next living one after it."""
    seats = len(lives)
    return tuple(Seat(seat % seats) for seat in range(first, first + seats) if lives[seat % seats])


@lru_cache(maxsize=4096)
def owners_of_rebalancers(lives: tuple[int, ...], items: Belongings, first: Seat) -> tuple[Seat, ...]:
    """The living seats that own a Rebalancer, in playing order from `first` on."""
    return tuple([seat for seat in playing_order(lives, first) if REBALANCER in items[seat]])


def ranks_so_far(state: State) -> tuple[int, ...]:
    """Each seat's rank: those out later rank better, and those still in best."""
    seats, lasted = len(state.lives), {seat: place for place, seat in enumerate(state.out)}
    return tuple(seats - lasted.get(Seat(seat), seats - 1) for seat in range(seats))


# Observations.


@attrs.frozen(slots=False)
class Player:
    """What the document's `Player` says about a seat."""

    username: Seat
    lives: int
    items: tuple[Item, ...]
    isSkipped: bool  # noqa: N815 (the document's word)
    isSpectator: bool  # noqa: N815
    """Whether it is out."""


@attrs.frozen(slots=False)
class Observation:
    """The document's `GameData`, as far as a player may know it."""

    you: Seat | None
    """The seat that observes; None for a spectator."""
    asked: str | None
    """What is asked of the seats now: `turn` or `rebalance`."""
    current_player: Seat
    """The seat whose turn it is; before a round's first turn, whose it will be."""
    players: tuple[Player, ...]
    """All seats, by number."""
    turnOrder: tuple[Seat, ...]  # noqa: N815
    """Living seats from the current one, skipped ones included."""
    turnCount: int  # noqa: N815
    roundNumber: int  # noqa: N815
    """Counted from 1: tells when sudden death comes."""
    live_left: int
    blank_left: int
    double_damage: bool
    """Whether the next live shot takes two lives."""
    quickshot: bool
    known_next: str | None
    """The next shell, `live` or `blank`, for a seat that checked it, else None."""


@lru_cache(maxsize=4096)
def players(lives: tuple[int, ...], items: Belongings, skipped: tuple[bool, ...]) -> tuple[Player, ...]:
    """What everybody sees of each seat."""
    return tuple(
        Player(Seat(seat), left, items[seat], skipped[seat], left == 0) for seat, left in enumerate(lives)
    )
