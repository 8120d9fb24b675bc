"""States of Blef that fit what a seat knows: the others are dealt cards that it does not hold."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from arena.game import Information, Seat
from arena.games.blef.sets import CARDS
from arena.games.blef.state import State
from arena.games.states import changed


def sample_state(information: Information, rng: Random) -> State:
    """Every deal of the unseen cards to the others is as likely as any other."""
    state, is_dealt = _known(information)
    if not is_dealt:
        return state
    own = information.observation.hands[0].hand if information.observation.hands else ()
    unseen = sorted(
        [number for number, card in enumerate(CARDS) if card not in own], key=lambda _: rng.random()
    )
    hands = []
    for seat, count in enumerate(state.n_cards):
        if seat == information.seat:
            hands.append(own)
        else:
            hands.append(tuple([CARDS[number] for number in sorted(unseen[:count])]))
            unseen = unseen[count:]
    return changed(state, hands=tuple(hands))


@lru_cache(maxsize=16)  # whoever samples does so often
def _known(information: Information) -> tuple[State, bool]:
    """The state without hands, and whether cards are dealt."""
    seen, over = information.observation, information.told("check", "round_lost")
    n_cards = tuple([player.n_cards for player in seen.players])
    on_turn = seen.cp_nickname
    state = State(
        n_cards=n_cards,
        hands=(),
        round_number=seen.round_number,
        on_turn=Seat(n_cards.index(max(n_cards))) if on_turn is None else on_turn,  # the winner
        history=seen.history,
        last_round=seen.last_round,
        out=tuple([told.payload.player for told in information.told("eliminated")]),
    )
    return state, len(information.told("round_started")) > len(over)
