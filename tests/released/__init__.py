"""Folders and data as each release left them, which every later release reads: `python -m tests.released` keeps this one's.

An archive `kept/VERSION.tar.gz` holds

- `runs/GAME/`: a tournament of two house bots in every game there was;
- `runs/grows/`: one that is continued, with the module of its bots, `stored_bots.py`, beside it;
- `server/`: a server's data at the moment of a `kill -9`, with matches in play, a ring table and its archive.

What a release wrote stays as it is: an archive is written once, before the release, and never again.
"""

from __future__ import annotations

import shutil
import sys
import tarfile
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

import trio

from arena.cli import cli
from arena.games import GAMES
from tests.server.killed import GAMES as TABLES
from tests.server.killed_clients import a_table, play_by_packets, play_by_rest, play_poker, use_lobby
from tests.server.killed_world import World
from tests.server.raw_http import close_clients

HOUSE = Path(__file__).parent.parent.parent
KEPT = Path(__file__).parent / "kept"
GROWS = "grows"
BOTS = "stored_bots"
SERVED_S = 3.0
"""How long people play on the server before it is killed: some matches have ended by then, others have not."""


def arena(words: Sequence[str]) -> int:
    """The exit code of a command in this process."""
    return int(cli.main(list(words), standalone_mode=False) or 0)


def write_data(top: Path) -> None:
    """Writes what an archive holds; this process must be in `top`, which is empty."""
    for name in GAMES:
        _must_work(
            ["run", "random", "random", "--game", name, "--series", "2", "-q", "--out", f"runs/{name}"]
        )
    shutil.copy(HOUSE / "tests" / f"{BOTS}.py", top / "runs")
    two = [f"{BOTS}:Even", f"{BOTS}:Odd"]
    with chdir(top / "runs"):
        _must_work(["run", *two, "--rule", "dice=2", "--series", "2", "-q", "--out", GROWS])
    trio.run(_served, top / "server")


def pack(top: Path, archive: Path) -> None:
    """Packs all that was written, but for what a run only needs while it runs."""
    with tarfile.open(archive, "w:gz") as packed:
        for name in ("runs", "server"):
            packed.add(top / name, name, filter=_packed)


def unpack(archive: Path, top: Path) -> None:
    with tarfile.open(archive) as packed:
        # Python 3.11.2 (Debian 12) has no filter yet; the archive is our own.
        packed.extractall(top, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def _packed(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without its owner and what Python keeps compiled."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return None if "__pycache__" in member.name else member


def _must_work(words: list[str]) -> None:
    if code := arena(words):
        sys.exit(f"arena {' '.join(words)}: exit code {code}")


async def _served(folder: Path) -> None:
    """A server on which people play, killed while they do."""
    world = World(folder, seed=1)
    try:
        await world.start()
        with trio.move_on_after(SERVED_S):
            async with trio.open_nursery() as nursery:
                for name in ("ann", "bob", "cid"):
                    nursery.start_soon(play_poker, world, name)
                nursery.start_soon(use_lobby, world)
                for game, plan in TABLES.items():
                    for number, seat in enumerate(await a_table(world, game, plan["rules"], plan["players"])):
                        nursery.start_soon(play_by_rest, world, seat, number == 0)
                for number, seat in enumerate(await a_table(world, "chamber", {}, 2)):
                    nursery.start_soon(play_by_packets, world, seat, number == 0)
        world.kill()
    finally:
        world.give_up()
        await world.http.aclose()
        close_clients()
