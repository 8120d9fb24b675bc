"""The server as a whole: what it opens, what runs in it, and how it ends."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import attrs
import trio
from starlette.routing import Route, WebSocketRoute

from arena.box.box import open_box
from arena.games import SERVICES
from arena.players.lag import LagWatch
from arena.players.tcp import accept_all, listen
from arena.replay import Replay
from arena.server.accounts import Accounts
from arena.server.api import TablesApi
from arena.server.archive import Archive, open_archive
from arena.server.bots import HouseBots
from arena.server.endpoints import routes_to
from arena.server.games_api import GamesApi
from arena.server.guests import OpenTable
from arena.server.house import House
from arena.server.http import HttpOptions, serve_http
from arena.server.keeping import open_keeper
from arena.server.limits import TCP_CONNECTIONS_MAX
from arena.server.live import Hall
from arena.server.openapi import openapi_route
from arena.server.packet_api import PacketApi
from arena.server.poker import PokerApi, open_rings
from arena.server.programs import Programs
from arena.server.records import ServerRecords
from arena.server.ring_records import RingRecords
from arena.server.routing import Routing
from arena.server.tcp_door import TcpDoor
from arena.units import Address


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
    bots_listener = None if plan.listen is None else listen(plan.listen.host, plan.listen.port)
    async with (
        _open_house(plan, note, note_bug) as (house, poker, door, archive),
        trio.open_nursery() as nursery,
    ):
        app = Routing(routes_of(house, poker, archive.find))
        await nursery.start(partial(serve_http, app, [listener], HttpOptions(), note=note, note_bug=note_bug))
        nursery.start_soon(house.watch)
        tcp = None
        if bots_listener is not None and plan.listen is not None:
            tcp = f"{plan.listen.host}:{bots_listener.getsockname()[1]}"
            nursery.start_soon(accept_all, bots_listener, door.serve, TCP_CONNECTIONS_MAX, note_bug)
        task_status.started(OpenServer(house, f"{plan.http.host}:{listener.getsockname()[1]}", tcp))
        await trio.sleep_forever()


def routes_of(
    house: House, poker: PokerApi, find: Callable[[str], Replay | None]
) -> list[Route | WebSocketRoute]:
    """All that is served over HTTP.  `find` gives a match of the archive."""
    endpoints = [
        *TablesApi(house).endpoints(),
        *GamesApi(house, find, poker.has_table).endpoints(),
        *poker.endpoints(),
    ]
    packets = PacketApi(house).routes()
    return [*routes_to(endpoints), *packets, openapi_route(endpoints)]


@asynccontextmanager
async def _open_house(
    plan: ServerPlan, note: Callable[[str], None], note_bug: Callable[[str], None]
) -> AsyncIterator[tuple[House, PokerApi, TcpDoor, Archive]]:
    """The tables as they were left, those of the two documents too, with house bots to sit at them."""
    with (
        open_keeper(plan.data, tell=note) as keeper,
        open_archive(plan.data) as archive,
        _lag_watched() as watch,
    ):
        records = ServerRecords(keeper, archive.add)
        users = Accounts(keeper)
        async with trio.open_nursery() as keeping:
            async with open_box("shield", say=note) as box, trio.open_nursery() as nursery:
                bots = HouseBots(nursery, box, plan.data, watch=watch, note_bug=note_bug)
                programs = Programs(nursery, lambda id: house.table(id), watch=watch, note_bug=note_bug)
                hall = Hall(
                    nursery=nursery,
                    records=records,
                    open_bot=bots.seated,
                    check_bot=bots.check,
                    open_program=programs.open,
                    find_guest=lambda name, game: open_table.find(name, game),
                    now=time.time,
                    note_bug=note_bug,
                    lag_watch=watch,
                )
                house = House(hall)
                left = house.restore(records, records.matches(note), note)
                rings, left = await open_rings(
                    hall,
                    RingRecords(keeper, records, note),
                    left,
                    bot=bots.names(SERVICES["poker"])[0],
                )
                for unfinished in left:
                    nursery.start_soon(house.put_away, unfinished)
                await keeping.start(keeper.run)  # all that was kept has been read
                open_table = OpenTable(house, programs, bot=bots.names(SERVICES["guests"])[0])
                nursery.start_soon(open_table.run)
                yield house, PokerApi(rings, users), TcpDoor(house, programs, open_table), archive
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
