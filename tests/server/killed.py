"""A server that is killed at random moments: `python -m tests.server.killed --kills 50 --seed 1` says what came of it.

People play at tables over HTTP and WebSockets and at the ring table of the poker document, chat, change hosts and
make tables, in a lobby, while `arena serve` is killed (SIGKILL) and started again in the same folder.  What was
acknowledged must be in effect each time; at the end every match is in the archive once, with every move that was
acknowledged at its turn, and no chip is lost.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import trio

from tests.server.killed_clients import a_table, play_by_packets, play_by_rest, play_poker, use_lobby
from tests.server.killed_world import World
from tests.server.raw_http import close_clients

CHIPS = 10_000
PLAY_S = (0.05, 0.6)
"""The server lives for so long between two kills."""
END_S = 60.0
"""After the last kill all matches are over by then."""
GAMES = {
    "liars-dice": {"rules": {"challenge": "next", "dice": 2}, "players": 3},
    "bluff": {"rules": {}, "players": 3},
    "blef": {"rules": {}, "players": 2},
}


is_acknowledged = attrgetter("is_acknowledged")


# All of it


async def run(folder: Path, kills: int, seed: int) -> World:
    """Plays, kills so often, plays to the end, and looks at what came of it: see `world.ledger.wrong`."""
    world = World(folder, seed)
    try:
        await world.start()
        async with trio.open_nursery() as nursery:
            for name in ("ann", "bob", "cid"):
                nursery.start_soon(play_poker, world, name)
            nursery.start_soon(use_lobby, world)
            await play_and_kill(world, kills)
            nursery.cancel_scope.cancel()
        await check_archive(world)
        if (code := world.end()) != 143:
            world.ledger.wrong.append(f"exit code {code}")
        check_ring(world)
    finally:
        world.give_up()
        await world.http.aclose()
        close_clients()
    return world


async def play_and_kill(world: World, kills: int) -> None:
    async with trio.open_nursery() as nursery:
        for game, plan in GAMES.items():
            for number, seat in enumerate(await a_table(world, game, plan["rules"], plan["players"])):
                nursery.start_soon(play_by_rest, world, seat, number == 0)
        for number, seat in enumerate(await a_table(world, "chamber", {}, 2)):
            nursery.start_soon(play_by_packets, world, seat, number == 0)
        for _ in range(kills):
            await trio.sleep(world.rng.uniform(*PLAY_S))
            world.kill()
            await world.start()
        await trio.sleep(PLAY_S[1])
        world.is_ending = True
        nursery.cancel_scope.deadline = trio.current_time() + END_S
    assert not nursery.cancel_scope.cancelled_caught, "some match does not end"


def check_ring(world: World) -> None:
    """No chip is lost, and every hand that was played is in the archive once."""
    ((value,),) = rows(world.folder / "server.db", "SELECT value FROM tables WHERE id LIKE 'ring %'")
    ring = json.loads(value)
    chips = sum(player["chips"] for player in [*ring["places"], *ring["queue"]] if player)
    players = len(set().union(*world.ledger.owners.values()))
    # Whoever was let in just before a kill may never have heard of it, and then asks again.
    if chips % CHIPS or chips < CHIPS * players:
        world.ledger.wrong.append(f"{chips} chips of {players} players")
    pairings = rows(world.folder / "tables" / "arena.db", "SELECT series_id FROM matches")
    if (archived := pairings.count((ring["id"],))) != ring["hands"]:
        world.ledger.wrong.append(f"{archived} hands in the archive, of {ring['hands']}")


def rows(path: Path, sql: str) -> list[Any]:
    db = sqlite3.connect(path)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


async def check_archive(world: World) -> None:
    """Every match is there once, with all that was acknowledged at its turn, and nothing that nobody sent."""
    ledger = world.ledger
    ledger.settle()
    ids = [
        match_id for (match_id,) in rows(world.folder / "tables" / "arena.db", "SELECT match_id FROM matches")
    ]
    if len(ids) != len(set(ids)):
        ledger.wrong.append("a match is in the archive twice")
    for match_id in {key[0] for key, sent in ledger.moves.items() if any(map(is_acknowledged, sent))}:
        if match_id not in ids:
            ledger.wrong.append(f"match {match_id} is not in the archive")
            continue
        played = {(turn, name): (move, fault) async for turn, name, move, fault in moves_of(world, match_id)}
        for (of, turn, name), sent in ledger.moves.items():
            if of != match_id:
                continue
            move, fault = played.get((turn, name), (None, "no move"))
            for each in sent:
                if each.is_acknowledged and (fault or not same(each.value, move)):
                    ledger.wrong.append(f"turn {turn} of {match_id}: {name} made {move} ({fault}): {sent}")


def same(sent: Any, made: Any) -> bool:
    """Whether it is the same move; fields that were null may be left out."""
    if isinstance(sent, dict) and isinstance(made, dict):
        return {key: value for key, value in sent.items() if value is not None} == made
    return bool(sent == made)


async def moves_of(world: World, match_id: str) -> AsyncIterator[tuple[int, str, Any, str | None]]:
    """Turn, nickname, move and fault of each move of a match."""
    first: int | None = 0
    while first is not None:
        page = await world.surely("GET", f"/api/matches/{match_id}?first={first}")
        for step in page["steps"]:
            for move in step["moves"]:
                if move["player"] is not None:
                    yield step["turn"], move["player"], move["move"], move["fault"]
        first = page["next"]


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--kills", type=int, default=50)
    words.add_argument("--seed", type=int, default=1)
    asked = words.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="arena-killed-") as folder:
        world = trio.run(run, Path(folder) / "data", asked.kills, asked.seed)
    print(said_of(world), f"{time.monotonic() - began:.0f} s")
    for wrong in world.ledger.wrong:
        print(f"  {wrong}")
    return 1 if world.ledger.wrong else 0


def said_of(world: World) -> str:
    ledger = world.ledger
    matches = len({match_id for match_id, _, _ in ledger.moves})
    return (
        f"{ledger.kills} kills, {world.killed_with_open_matches} of them in matches; acknowledged: "
        f"{ledger.acknowledged} moves of {matches} matches, {ledger.acts} acts of poker, {ledger.chats} messages, "
        f"{ledger.lobby} changes in the lobby; {len(ledger.wrong)} wrong;"
    )


if __name__ == "__main__":
    sys.exit(main())
