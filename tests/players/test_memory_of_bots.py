"""What a bot that connects takes of the arena's memory while it waits: there may be thousands."""

from __future__ import annotations

import gc
import json
import socket
import tracemalloc
from types import SimpleNamespace

import pytest
import trio
from test_stream import play
from tournaments import terms

from arena.players.tcp import accept_all, listen
from arena.testing import honest, seat_bots
from arena.tournament.lobby.lobby import Lobby
from arena.tournament.lobby.quotas import UNNAMED_PART
from arena.tournament.play.pool import Pool

BOTS = 100


@pytest.mark.slow
@pytest.mark.parametrize("has_token", [False, True])
async def test_a_connected_bot_takes_twelve_kibibytes_at_most(has_token: bool) -> None:
    """By what Python allocates for a hundred of them in the lobby, all that it takes to hear them included."""
    listener = listen("127.0.0.1", 0, BOTS)
    bots = [socket.create_connection(listener.getsockname()) for _ in range(BOTS)]
    tokens = {f"token-{number:026}": f"bot-{number:03}" for number in range(BOTS)}
    for bot, (token, name) in zip(bots, tokens.items(), strict=True):
        said = {"type": "hello", "protocol": 1, "name": name} | ({"token": token} if has_token else {})
        bot.sendall(json.dumps(said).encode() + b"\n")
    lobby = Lobby(
        tokens=tokens if has_token else {}, expect=0 if has_token else BOTS, per_address=UNNAMED_PART * BOTS
    )
    gc.collect()
    tracemalloc.start()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(accept_all, listener, lobby.serve, BOTS)
            with trio.fail_after(20):
                while lobby.missing:
                    await lobby.arrived()
            gc.collect()
            each, _ = tracemalloc.get_traced_memory()
            nursery.cancel_scope.cancel()
    finally:
        tracemalloc.stop()
        for bot in bots:
            bot.close()
    assert each / BOTS <= 12 * 1024


async def test_after_a_match_nothing_is_kept_of_what_was_said(autojump_clock) -> None:
    """A bot that connected waits for its next match without the last messages of the one before."""
    async with seat_bots({"bot": honest}) as players, trio.open_nursery() as nursery:
        lobby = SimpleNamespace(players={"bot": [players["bot"]]})
        pool = Pool(terms(), nursery, lobby=lobby)
        await play(players["bot"])
        assert players["bot"].evidence()
        seated = await pool._take_connected("bot")
        pool.release([seated])
        assert () == players["bot"].evidence()
        assert [None] * 3 == [decision.fault for decision in (await play(players["bot"]))[0]]
