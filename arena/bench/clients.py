"""The programs that answer while the arena is measured: compiled and Python, plain and full protocol."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import attrs

from arena.box.box import open_box
from arena.games import GAMES
from arena.match.game import Game
from arena.players.access import place_of
from arena.players.entrant import Entrant
from arena.players.folders import working_folder
from arena.tournament.bots.build import build
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.fingerprints import needs_build

COMPILED = "anvil"
LEAN_CLIENT = Path(__file__).parent / "lean_client.py"


@attrs.frozen
class Client:
    """A program that connects to ARENA_PORT and answers at once."""

    what: str
    command: tuple[str, ...]
    folder: Path
    game: Game[Any, Any]


async def compiled() -> Entrant | None:
    """Builds the compiled bot; None on a machine without a compiler."""
    entrant = resolve(COMPILED, base=Path.cwd())
    if needs_build(entrant):
        if shutil.which("g++") is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            async with open_box("off") as box:
                place = place_of(entrant, (), ())
                entrant = await build(entrant, box, place, Path(folder) / "build.log")
    return entrant


async def clients() -> list[Client]:
    """The compiled bot, if it can be built, and the Python client, at a game that both play."""
    entrant = await compiled()
    games = [] if entrant is None else [GAMES[name] for name in entrant.games]
    game = games[0]() if games else GAMES[next(iter(GAMES))]()
    found = [Client("full protocol", (sys.executable, str(LEAN_CLIENT)), LEAN_CLIENT.parent, game)]
    if entrant is not None:
        folder = working_folder(entrant)
        run = (str(folder / entrant.run[0]), *entrant.run[1:])
        found.insert(0, Client("plain protocol", run, folder, game))
    return found
