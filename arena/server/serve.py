"""The server as a whole: what it opens, what runs in it, and how it ends."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import attrs
import trio
from starlette.routing import BaseRoute, Router

from arena.box.box import open_box
from arena.players.lag import LagWatch
from arena.players.tcp import listen
from arena.server.api import TablesApi
from arena.server.bots import HouseBots
from arena.server.house import House
from arena.server.http import HttpOptions, serve_http
from arena.server.keeping import open_keeper
from arena.server.live import Hall
from arena.server.records import ServerRecords
from arena.units import Address
from arena.words import counted


@attrs.frozen
class ServerPlan:
    """What was asked of the server."""

    http: Address
    listen: Address | None
    """Where bots connect over TCP; None: nowhere."""
    data: Path


@attrs.frozen
class OpenServer:
    """A server that runs."""

    house: House
    http: str
    """HOST:PORT on which it listens."""
    tcp: str | None = None


async def serve(
    plan: ServerPlan,
    *,
    note: Callable[[str], None],
    note_bug: Callable[[str], None],
    task_status: trio.TaskStatus[OpenServer] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Runs the server until it is cancelled.  Raises ConfigError if it cannot begin.

    `note` is told sentences for the log, `note_bug` tracebacks of what must not happen.
    """
    listener = listen(plan.http.host, plan.http.port)
    async with _open_house(plan, note, note_bug) as house, trio.open_nursery() as nursery:
        app = Router(routes=routes_of(house), redirect_slashes=False)
        await nursery.start(partial(serve_http, app, [listener], HttpOptions(), note=note, note_bug=note_bug))
        nursery.start_soon(house.watch)
        task_status.started(OpenServer(house, f"{plan.http.host}:{listener.getsockname()[1]}"))
        await trio.sleep_forever()


def routes_of(house: House) -> list[BaseRoute]:
    """All that is served over HTTP."""
    return [*TablesApi(house).routes()]


@asynccontextmanager
async def _open_house(
    plan: ServerPlan, note: Callable[[str], None], note_bug: Callable[[str], None]
) -> AsyncIterator[House]:
    """The tables as they were left, with house bots to sit at them."""
    with open_keeper(plan.data, tell=note) as keeper, _lag_watched() as watch:
        records = ServerRecords(keeper, lambda table, match: None)
        async with trio.open_nursery() as keeping:
            await keeping.start(keeper.run)
            async with open_box("strict", say=note) as box, trio.open_nursery() as nursery:
                bots = HouseBots(nursery, box, plan.data, watch=watch, note_bug=note_bug)
                hall = Hall(
                    nursery=nursery,
                    records=records,
                    open_bot=bots.seated,
                    check_bot=bots.check,
                    now=time.time,
                    note_bug=note_bug,
                    lag_watch=watch,
                )
                house = House(hall)
                if resumed := house.restore(records):
                    note(f"{counted(resumed, 'match')} went on where the server ended")
                yield house
                nursery.cancel_scope.cancel()
            keeping.cancel_scope.cancel()


@contextmanager
def _lag_watched() -> Iterator[LagWatch]:
    """Measures how late the arena itself is, while this is open."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    try:
        yield watch
    finally:
        trio.lowlevel.remove_instrument(watch)
