"""Chamber's legal moves, worked out from public facts alone."""

from __future__ import annotations

from functools import lru_cache

from arena.game import OneOf, Option, Seat
from arena.games.chamber.items import (
    ADD_LIFE,
    BLANK,
    CHAMBER_CHECK,
    DOUBLE_DAMAGE,
    LIVE,
    QUICKSHOT,
    SKIP,
    STEAL,
    Belongings,
    Item,
)
from arena.games.chamber.moves import (
    Move,
    Pass,
    ShootPlayer,
    UseAddLifeItem,
    UseChamberCheckItem,
    UseDoubleDamageItem,
    UseQuickshotItem,
    UseRebalancerItem,
    UseSkipItem,
    UseStealItem,
)

_STEALABLE = (SKIP, DOUBLE_DAMAGE, CHAMBER_CHECK, QUICKSHOT, ADD_LIFE)
_ON_ONESELF = {
    kind.item: Option(kind)
    for kind in (UseDoubleDamageItem, UseChamberCheckItem, UseQuickshotItem, UseAddLifeItem)
}
_IN_WINDOW = (Option(UseRebalancerItem, {"ammo": OneOf((LIVE, BLANK))}), Option(Pass))


def every_move(seats: int) -> tuple[Move, ...]:
    """Every move that a seat may ever make in a match of `seats`, each once."""
    everybody = tuple(map(Seat, range(seats)))
    return (
        *map(ShootPlayer, everybody),
        *(option.move() for option in _ON_ONESELF.values()),
        Pass(),
        *map(UseRebalancerItem, (LIVE, BLANK)),
        *map(UseSkipItem, everybody),
        *(
            UseStealItem(target, item, skip_target)
            for item in _STEALABLE
            for target in everybody
            for skip_target in (everybody if item == SKIP else (None,))
        ),
    )


def options_in_window() -> tuple[Option, ...]:
    """What the owner of a Rebalancer may do before a round's first turn."""
    return _IN_WINDOW


@lru_cache(maxsize=4096)  # needed twice at every decision: for the question, and to check the answer
def options_on_turn(
    seat: Seat,
    living: tuple[Seat, ...],
    items: Belongings,
    skipped: tuple[bool, ...],
    active: tuple[Item, ...],
) -> tuple[Option, ...]:
    """A shot at any living seat, each owned kind of item that would do something, and each kind to steal.

    `active` are the items whose effect is on.  Each kind to steal is an option of its own, since it decides
    who can be stolen from and whom it can be used on.
    """
    options, own = [_shoot(living)], items[seat]
    if not own:
        return tuple(options)
    others = tuple([other for other in living if other != seat])
    to_skip = tuple([other for other in others if not skipped[other]])
    for item in dict.fromkeys(own):
        if item in _ON_ONESELF and item not in active:
            options.append(_ON_ONESELF[item])
        elif item == SKIP and to_skip:
            options.append(_skip(to_skip))
    if STEAL in own:
        for item in _STEALABLE:
            owners = tuple([other for other in others if item in items[other]])
            for_whom = to_skip if item == SKIP else (None,)
            if owners and for_whom and item not in active:
                options.append(_steal(owners, item, for_whom))
    return tuple(options)


@lru_cache(maxsize=1024)
def _shoot(targets: tuple[Seat, ...]) -> Option:
    return Option(ShootPlayer, {"target": OneOf(targets)})


@lru_cache(maxsize=1024)
def _skip(targets: tuple[Seat, ...]) -> Option:
    return Option(UseSkipItem, {"target": OneOf(targets)})


@lru_cache(maxsize=4096)
def _steal(owners: tuple[Seat, ...], item: Item, for_whom: tuple[Seat | None, ...]) -> Option:
    fields = {"target": OneOf(owners), "item": OneOf((item,)), "skip_target": OneOf(for_whom)}
    return Option(UseStealItem, fields)
