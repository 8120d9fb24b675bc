"""What people are told about a match of Chamber."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena.game import Event, Names, Seat
from arena.games.chamber.events import (
    Checked,
    Eliminated,
    ItemStolen,
    ItemUsed,
    MatchOver,
    Rebalanced,
    RebalancerUsed,
    RoundStarted,
    Shot,
    Skipped,
    SkipUsed,
    TurnStart,
)
from arena.games.chamber.items import (
    ADD_LIFE,
    CHAMBER_CHECK,
    DOUBLE_DAMAGE,
    LIVE,
    QUICKSHOT,
    REBALANCER,
    SKIP,
    STEAL,
    Item,
)
from arena.games.chamber.moves import (
    Load,
    Move,
    Pass,
    Rebalance,
    ShootPlayer,
    UseRebalancerItem,
    UseSkipItem,
    UseStealItem,
)
from arena.games.chamber.state import Observation, Player
from arena.games.wording import holdings, match_won, some
from arena.words import listed, number_word

_ITEMS = {
    SKIP: "Skip",
    DOUBLE_DAMAGE: "Double Damage",
    CHAMBER_CHECK: "Chamber Check",
    REBALANCER: "Rebalancer",
    QUICKSHOT: "Quickshot",
    STEAL: "Steal",
    ADD_LIFE: "Add Life",
}
_USED = {
    "use_double_damage_item": DOUBLE_DAMAGE,
    "use_chamber_check_item": CHAMBER_CHECK,
    "use_quickshot_item": QUICKSHOT,
    "use_add_life_item": ADD_LIFE,
}
"""The kinds of events that tell only that an item was used, and that item."""


def tell_move(seat: Seat, move: Move, name: Names) -> str:
    """The sentence for a move."""
    match move:
        case Load():
            return "the chamber is loaded"
        case Rebalance():
            return "the chamber is reloaded"
        case ShootPlayer(target):
            return f"{name(seat)} shoots {_whom(seat, target, name)}"
        case UseSkipItem(target):
            return f"{name(seat)} uses Skip on {name(target)}"
        case UseRebalancerItem(ammo):
            return f"{name(seat)} uses a Rebalancer to add {ammo} shells"
        case UseStealItem(target, item, skip_target):
            return _stolen(ItemStolen(seat, target, item, skip_target), name)
        case Pass():
            return f"{name(seat)} keeps the Rebalancer"
        case _:
            return f"{name(seat)} uses {_ITEMS[move.item]}"


def tell_event(kind: str, payload: Any, seat: Seat | None, name: Names) -> str | None:
    """The sentence for a payload."""
    match payload:
        case RoundStarted():
            return _round_started(payload, name)
        case RebalancerUsed(player, ammo):
            return f"{name(player)} uses a Rebalancer to add {ammo} shells"
        case Rebalanced(added, live, blank):
            who = listed([f"{name(player)} adds {number_word(amount)}" for player, amount in added])
            return f"{who}: the chamber now holds {_shells(live, blank)}"
        case TurnStart(player):
            return f"it is {name(player)}'s turn"
        case Skipped(player):
            return f"{name(player)} misses a turn"
        case ItemUsed(player):
            return f"{name(player)} uses {_ITEMS[_USED[kind]]}"
        case SkipUsed(player, target):
            return f"{name(player)} uses Skip on {name(target)}"
        case ItemStolen():
            return _stolen(payload, name)
        case Checked(shell) if seat is not None:
            return f"{name(seat)} learns that the next shell is {shell}"
        case Shot():
            return _shot(payload, name)
        case Eliminated(out, killer, items):
            taken = f"; {name(killer)} takes {_listed(items)}" if killer is not None and items else ""
            return f"{name(out)} is out{taken}"
        case MatchOver(ranks):
            return match_won(ranks, name)
    return None


def tell_mark(kind: str, payload: Any) -> str:
    """The word under which a timeline marks a public payload."""
    return "live shot" if isinstance(payload, Shot) and payload.fired == LIVE else ""


def _round_started(begun: RoundStarted, name: Names) -> str:
    owned = "; ".join(f"{name(seat)} gets {_listed(items)}" for seat, items in begun.items)
    lives = holdings(begun.lives, name, "life", "lives")
    return f"round {begun.round_number}: {lives}; {_shells(begun.live, begun.blank)} in the chamber; {owned}"


def _shells(live: int, blank: int) -> str:
    """The shells in words: `four live and one blank shell`."""
    return f"{number_word(live)} live and {some(blank, 'blank shell', 'blank shells')}"


def _shot(shot: Shot, name: Names) -> str:
    left = (
        f", leaving {name(shot.target)} with {some(shot.lives, 'life', 'lives')}"
        if shot.fired == LIVE
        else ""
    )
    return f"{name(shot.player)} shoots {_whom(shot.player, shot.target, name)}: {shot.fired}{left}"


def _whom(seat: Seat, target: Seat, name: Names) -> str:
    return "themselves" if seat == target else name(target)


def _stolen(stolen: ItemStolen, name: Names) -> str:
    whom = "" if stolen.skip_target is None else f" on {name(stolen.skip_target)}"
    item = _ITEMS[stolen.item]
    return f"{name(stolen.player)} steals {item} from {name(stolen.target)} and uses it{whom}"


def _listed(items: Iterable[Item]) -> str:
    """The items in short: `Skip ×2, Steal`."""
    counts = Counter(_ITEMS[item] for item in items)
    return ", ".join(f"{item} ×{count}" if count > 1 else item for item, count in counts.items()) or "nothing"


def tell_why(events: Sequence[Event], name: Names) -> str | None:
    """The reason for which lives were lost, from what everybody was told of the step."""
    for payload in (event.public for event in events):
        if isinstance(payload, Shot) and payload.fired == LIVE:
            target, left = payload.target, some(payload.lives, "life", "lives")
            shot = f"{name(payload.player)} shot {_whom(payload.player, target, name)} with a live shell"
            whose = "" if payload.player == target else f"{name(target)} "
            return f"{shot}, and {whose}had {left} left"
    return None


def tell_seen(observation: Observation, seat: Seat | None, name: Names) -> tuple[str, ...]:
    """The lines for what a seat sees."""
    return tuple(_seen(observation, seat, name))


def _seen(seen: Observation, seat: Seat | None, name: Names) -> Iterator[str]:
    by_seat = {player.username: player for player in seen.players}
    first = (seat,) if seat is not None else ()
    for who in (*first, *(other for other in seen.turnOrder if other != seat)):
        yield _owner(by_seat[who], name)
    chamber = f"the chamber holds {_shells(seen.live_left, seen.blank_left)}"
    yield chamber if seen.known_next is None else f"{chamber}, and the next shell is [{seen.known_next}]"
    effects = {"Double Damage": seen.double_damage, "Quickshot": seen.quickshot}
    if on := [effect for effect, is_on in effects.items() if is_on]:
        yield f"{listed(on)} {'is' if len(on) == 1 else 'are'} in effect"
    if seen.asked == "rebalance":
        yield "before the first turn, whoever has a Rebalancer may use it"
    elif seen.current_player != seat:
        yield f"it is {name(seen.current_player)}'s turn"


def _owner(player: Player, name: Names) -> str:
    """A player in words: `ann has five lives, and holds [Skip] [Steal]`."""
    if player.isSpectator:
        return f"{name(player.username)} is out"
    held = " ".join(f"[{_ITEMS[item]}]" for item in player.items) or "no items"
    skipped = ", and misses the next turn" if player.isSkipped else ""
    return f"{name(player.username)} has {some(player.lives, 'life', 'lives')} and holds {held}{skipped}"
