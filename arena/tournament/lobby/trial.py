"""Asks silent connections, before play, a question that only bots answer."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.match.game import CHANCE, Game, Seat
from arena.players.allowance import Allowance
from arena.players.codec import Codec
from arena.players.tcp import hear_piece, send_last
from arena.players.transport import Transport
from arena.wire.connection import ArenaConnection
from arena.wire.states import Answered, Introduced, Malformed, Refused

REMARKS_MAX = 32
"""How many messages a connection may send while it waits without saying who it is."""
SAID_A_LOT = "it said a lot, but not who it is"

TRIAL_SEED = 0
"""The seed of the question, the same for everybody: it belongs to no match, and its answer never counts."""
TURNS_MAX = 100


def trial_state(game: Game[Any, Any], seats: int) -> bytes:
    """What the first seat asked sees at the beginning of a made-up match, as a JSON object."""
    state, rng = game.start(seats), Random(TRIAL_SEED)
    for _ in range(TURNS_MAX):
        asked = game.to_act(state)
        if asked[0] != CHANCE:
            seat = Seat(asked[0])
            names = [f"bot-{number}" for number in range(1, seats + 1)]
            return Codec(game, names, seat).observation(game.observe(state, seat))
        state = game.apply(state, {CHANCE: game.draw(state, rng)}).state
    raise AssertionError(f"{game.name}: nobody is asked within {TURNS_MAX} turns")


async def answers(
    transport: Transport, connection: ArenaConnection, allowance: Allowance, state: bytes
) -> str | None:
    """Asks a connection that has not said who it is; returns None once it has answered, or said who it is.

    Waits however long that takes; returns why it is refused if it says something else.  Raises
    trio.BrokenResourceError if it closes.  What it says is charged to the allowance.
    """
    await send_last(transport, connection.ask_trial(state))
    remarks = 0
    while remarks < REMARKS_MAX:
        _, heard = await hear_piece(transport, connection, allowance)
        await allowance.subside()
        for received in heard:
            match received:
                case Answered() | Introduced():
                    return None
                case Malformed():
                    return f"its first answer was malformed: {received.reason}"
                case Refused():
                    return received.reason
            remarks += 1
    return SAID_A_LOT


async def hear_nothing(transport: Transport, connection: ArenaConnection, allowance: Allowance) -> None:
    """Drops whatever comes until this is cancelled.  Raises trio.BrokenResourceError if it closes."""
    while True:
        await hear_piece(transport, connection, allowance)
        await allowance.subside()
