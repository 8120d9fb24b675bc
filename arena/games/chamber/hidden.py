"""States of Chamber that fit what a seat knows: the shells that are left, in another order."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from arena.game import Information, Seat
from arena.games.cards import shuffled
from arena.games.chamber.items import BLANK, CHAMBER_CHECK, DOUBLE_DAMAGE, LIVE, QUICKSHOT, Item
from arena.games.chamber.state import LOAD, OVER, REBALANCED, State
from arena.games.states import changed

_LASTING = {
    "use_double_damage_item": DOUBLE_DAMAGE,
    "use_chamber_check_item": CHAMBER_CHECK,
    "use_quickshot_item": QUICKSHOT,
}
"""The items whose effect is on until a shot, by the kind of event that tells their use."""


def sample_state(information: Information, rng: Random) -> State:
    """Every order of the shells that are left is as likely as any other; the next one may be known."""
    seen = information.observation
    known = () if seen.known_next is None else (seen.known_next,)
    live, blank = seen.live_left - known.count(LIVE), seen.blank_left - known.count(BLANK)
    others = shuffled(rng, (LIVE,) * live + (BLANK,) * blank)
    return changed(_public(information), chamber=(*known, *others))


@lru_cache(maxsize=16)  # whoever samples does so often
def _public(information: Information) -> State:
    """The state without shells: all else is known to everybody."""
    seen = information.observation
    out = tuple([told.payload.seat for told in information.told("eliminated")])
    active: list[Item] = []
    adding: list[tuple[Seat, str]] = []
    window = 0
    for kind, payload in information.told():
        if kind == "round_started":
            window = 1
        elif kind == "rebalanced":
            window, adding = window + 1, []
        elif kind == "use_rebalancer_item":
            adding.append((payload.player, payload.ammo))
        elif kind == "shoot_player":
            stays = QUICKSHOT in active and payload.fired == BLANK and payload.player == payload.target
            active = [QUICKSHOT] if stays else []
        else:
            item = payload.item if kind == "use_steal_item" else _LASTING.get(kind, "")
            active += [item] if item in _LASTING.values() else []
    is_over = len(out) == information.seats - 1
    due = OVER if is_over else seen.asked or (REBALANCED if adding else LOAD)
    return State(
        due=due,
        lives=tuple([player.lives for player in seen.players]),
        items=tuple([player.items for player in seen.players]),
        skipped=tuple([player.isSkipped for player in seen.players]),
        chamber=(),
        on_turn=seen.current_player,
        active=tuple(active),
        round_number=seen.roundNumber,
        window=window,
        adding=tuple(adding),
        turn_count=seen.turnCount,
        out=out,
    )
