"""States of Bluff that fit what one of two seats knows: which of its cards the other put on the pile.

Two seats hold all cards, so that each knows which ones the other was dealt.  No card of the pile was ever
shown: whatever was, somebody has taken.  With more seats, the way of each card from hand to hand would count.
Plays of the seat itself that its past tells only as events are drawn like the other's.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

from arena.game import Acted, Information
from arena.games.bluff.moves import Play
from arena.games.bluff.state import State
from arena.games.cards import shuffled, sort_cards
from arena.games.states import changed


def sample_state(information: Information, deck: tuple[str, ...], rng: Random) -> State:
    """Any of the other's cards may be those that it put on the pile, in any order, all equally likely."""
    state, pile = _known(information)
    if state.asked == "deal":
        return state
    own = information.observation.hand
    unseen = list(shuffled(rng, [card for card in deck if card not in own and card not in pile]))
    filled = tuple([unseen.pop() if card is None else card for card in pile])
    hands = [sort_cards(unseen), own] if information.seat else [own, sort_cards(unseen)]
    played = filled[-state.last_play.count :] if state.asked == "accuse" and state.last_play else ()
    return changed(state, hands=tuple(hands), pile=filled, played=sort_cards(played))


@lru_cache(maxsize=16)  # whoever samples does so often
def _known(information: Information) -> tuple[State, tuple[str | None, ...]]:
    """The state without cards, and the pile, with None for each card that the other put there."""
    seen = information.observation
    pile: list[str | None] = []
    move: Any = None
    for each in information.past:
        if isinstance(each, Acted):
            move = each.move
        elif each.kind == "challenge":
            pile = []
        elif each.kind == "play":
            is_known = each.payload.player == information.seat and isinstance(move, Play)
            pile += move.cards if is_known else [None] * each.payload.count
    state = State(
        asked=seen.asked if information.told("dealt") else "deal",
        current=seen.current_player,
        hands=((), ()),
        plays=len(information.told("play")),
        last_play=seen.last_play,
        last_challenge=seen.last_challenge,
    )
    return state, tuple(pile)
