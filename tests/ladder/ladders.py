"""A league that is played in this process, by bots of this process, and a server that speaks to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio
from trio.testing import memory_stream_pair

from arena.ladder.messages import (
    BeginLadder,
    CannotPlay,
    FieldVersion,
    FromLadder,
    SetField,
    StandingsSaid,
    VersionSaid,
)
from arena.ladder.serve import serve_ladder
from arena.store import Store
from arena.tournament.folder.batches import batches_in
from arena.tournament.workers.pipe import Pipe

PLAN = {"game": "liars-dice", "rules": {"dice": 1}}


def house(number: int, bot: str) -> FieldVersion:
    """A bot of this process, which needs neither check nor box."""
    return FieldVersion(f"b{number}@1", f"o{number}", f"tournaments:{bot}", is_house=True)


FIELD = (house(1, "Steady"), house(2, "Doubter"), house(3, "Chancy"))


@attrs.define
class Server:
    """The server's end."""

    pipe: Pipe[Any]
    heard: list[Any] = attrs.field(factory=list)

    async def wants(self, *versions: FieldVersion) -> None:
        await self.pipe.send(SetField(versions))

    async def hear(self, *kinds: type) -> Any:
        """The next message of these kinds."""
        with trio.fail_after(30):
            while True:
                said = await self.pipe.receive()
                self.heard.append(said)
                if isinstance(said, kinds):
                    return said

    async def until(self, id: str, *states: str) -> VersionSaid:
        """What is said once this version is in one of these states."""
        while True:
            said = await self.hear(VersionSaid, CannotPlay)
            assert isinstance(said, VersionSaid), said
            if said.id == id and said.state in states:
                return said

    async def batches(self, more: int) -> None:
        """Returns once so many more have begun."""
        first = (await self.hear(StandingsSaid)).batch
        while (await self.hear(StandingsSaid)).batch < first + more:
            pass


@asynccontextmanager
async def league(
    folder: Path,
    plan: Any = PLAN,
    *,
    batch_s: float = 5.0,
    epoch_s: float = 3600.0,
    bots_fd: int = -1,
) -> AsyncIterator[Server]:
    """A league that is played in this process until the context ends; `bots_fd`: as in `BeginLadder`."""
    here, there = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_ladder, there)
        server = Server(Pipe(here, FromLadder))
        await server.pipe.send(
            BeginLadder(
                str(folder),
                msgspec.json.encode(plan).decode(),
                batch_s,
                rate_s=0.02,
                epoch_s=epoch_s,
                bots_fd=bots_fd,
            )
        )
        yield server
        await here.send_stream.aclose()


def state_of(folder: Path) -> tuple[list[Any], set[str], dict[str, str]]:
    """The batches of a folder, the pairings that were played, and the status of each bot."""
    with Store.open(folder) as store:
        bots = {bot.bot: bot.status for bot in store.bots()}
        return [batch.row for batch in batches_in(store.batches())], set(store.finished()), bots
