"""States of Liar's Dice that fit what a seat knows: the dice of all others are rolled again."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from arena.game import Information, Seat
from arena.games.liars_dice.state import State
from arena.games.states import changed


def sample_state(information: Information, faces: int, rng: Random) -> State:
    """Every roll of the others' dice is as likely as any other."""
    state, is_rolled = _known(information)
    if not is_rolled:
        return state
    rolled = [tuple(sorted([1 + int(rng.random() * faces) for _ in range(left)])) for left in state.dice]
    rolled[information.seat] = information.observation.your_hand
    return changed(state, hands=tuple(rolled))


@lru_cache(maxsize=16)  # whoever samples does so often
def _known(information: Information) -> tuple[State, bool]:
    """The state without hands, and whether the seats that have dice have rolled them."""
    seen, left = information.observation, dict(information.observation.other_hands)
    over = information.told("challenge", "invalid_move", "match_over")
    state = State(
        dice=tuple([left.get(Seat(seat), 0) for seat in range(information.seats)]),
        hands=(),
        round_number=seen.round_number,
        move_number=seen.move_number,
        on_turn=seen.other_hands[0][0],
        last_move=seen.last_move,
        last_bid=seen.last_bid,
        last_bidder=seen.last_bidder,
        last_loser=seen.last_loser,
        last_challenger=seen.last_challenger,
        out=tuple([told.payload.seat for told in information.told("eliminated")]),
        turns=len(information.told("bid", "challenge", "invalid_move")),
    )
    return state, len(information.told("round_started")) > len(over)
