"""House bots of the server: only those that can play here are offered, and one that cannot be started is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from arena.games import GAMES
from arena.players.base import GonePlayer
from arena.players.start import BotBroken
from arena.server import bots
from arena.server.bots import HouseBots
from arena.server.refusal import Refusal
from arena.tournament.entrants import bot_at, builtin_bots


def house(nursery: trio.Nursery, data: Path, told: list[str]) -> HouseBots:
    box: Any = None  # nothing is started here
    return HouseBots(nursery, box, data, note=told.append)


@pytest.mark.parametrize("is_built", [False, True])
async def test_a_bot_that_is_not_built_is_not_offered(
    is_built: bool, tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What must be compiled first is neither offered nor seated until it is; every game has others."""
    monkeypatch.setattr(bots, "needs_build", lambda entrant: bool(entrant.build) and not is_built)
    offered = house(nursery, tmp_path, [])
    compiled = {name for name, folder in builtin_bots().items() if (found := bot_at(folder)) and found.build}
    assert "anvil" in compiled
    for game in GAMES:
        names = offered.names(game)
        assert len(set(names) - compiled) > 1
        assert is_built or not set(names) & compiled
    if not is_built:
        with pytest.raises(Refusal, match="no house bot of this name plays liars-dice: choose "):
            offered.check("anvil", "liars-dice")
    else:
        assert "anvil" in offered.names("liars-dice")


async def test_a_bot_that_cannot_be_started_is_told(
    tmp_path: Path, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's log says which and why, and its seat is played by nobody."""

    async def broken(entrant: Any, **others: Any) -> None:
        raise BotBroken(entrant.name, "its program is missing")

    monkeypatch.setattr(bots, "run_process", broken)
    told: list[str] = []
    async with house(nursery, tmp_path, told).seated("random", "random") as player:
        assert isinstance(player, GonePlayer)
    assert ["the house bot random could not be started: its program is missing"] == told
