"""The server that is measured, or a bare one beside it, in a process of its own; `measure_serve` starts it.

`serve_host arena FOLDER [--users COUNT]`: the server, with so many users of the poker document from before;
for each line of its stdin it tells what it has used, and the answers that were given since.
`serve_host bare`: Starlette on anycorn's own server; every request is answered with the first line of its
stdin.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

BOT_S = 0.25
"""A bot's answer is delivered after so long, which is quicker than people are given: more is measured."""


def main() -> None:
    if sys.argv[1] == "bare":
        trio.run(serve_bare)
    else:
        folder = Path(sys.argv[2])
        if "--users" in sys.argv:
            trio.run(keep_users, folder, int(sys.argv[-1]))
        trio.run(serve_measured, folder)


async def serve_bare() -> None:
    """One route, one answer that is ready, no limits."""
    from anycorn import Config, serve
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    lines = _lines()
    body = await anext(lines)

    async def answer(request: Request) -> Response:
        return Response(body, media_type="application/json")

    listener = trio.socket.socket()
    await listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.accesslog = config.errorlog = None
    config.keep_alive_max_requests = 1 << 30
    async with trio.open_nursery() as nursery:
        app: Any = Starlette(routes=[Route("/{path:path}", answer)])
        nursery.start_soon(serve, app, config)
        _say({"http": listener.getsockname()[1]})
        async for _ in lines:
            _say(_used())
        os._exit(0)


async def serve_measured(folder: Path) -> None:
    from arena.reading.units import Address
    from arena.server.serve import OpenServer, ServerPlan, serve, set_aside
    from arena.server.tables.pauses import Pauses

    def note_bug(traceback_text: str) -> None:
        print(traceback_text, file=sys.stderr)

    plan = ServerPlan(http=Address("127.0.0.1", 0), listen=Address("127.0.0.1", 0), data=folder)
    async with trio.open_nursery() as nursery:
        opened: OpenServer = await nursery.start(
            partial(serve, plan, note=lambda line: None, note_bug=note_bug)
        )
        house = opened.house
        set_aside()
        house.hall = attrs.evolve(
            house.hall, pauses=lambda showdowns: Pauses(frozenset(), bot_s=BOT_S, showdown_s=0.0)
        )
        assert opened.tcp is not None, "it was asked for"
        _say({name: int(at.rpartition(":")[2]) for name, at in (("http", opened.http), ("tcp", opened.tcp))})
        told: dict[str, int] = {}
        async for _ in _lines():
            _say(_used() | {"decisions": list(_decisions(house, told))})
        nursery.cancel_scope.cancel()


async def keep_users(folder: Path, count: int) -> None:
    """Puts users of the poker document into the folder, whose passwords cost nothing."""
    from arena.server.kept.keeping import open_keeper
    from arena.server.limits import PASSWORDS_WAITING
    from arena.server.ring.accounts import Accounts, Cost

    at_once = trio.CapacityLimiter(PASSWORDS_WAITING // 2)
    with open_keeper(folder, tell=print) as keeper:
        accounts = Accounts(keeper, cost=Cost(n=2))

        async def create(number: int) -> None:
            async with at_once:
                await accounts.create(f"user-{number}", "secret", address=str(number))

        async with trio.open_nursery() as nursery:
            await nursery.start(keeper.run)
            async with trio.open_nursery() as creating:
                for number in range(count):
                    creating.start_soon(create, number)
            nursery.cancel_scope.cancel()


def _decisions(house: Any, told: dict[str, int]) -> Any:
    """What was decided at all tables since the last time: the way of who was asked, seconds, fault."""
    for live in house:
        if live.match is not None:
            ways = {member.player_id: member.way for member in live.table.members}
            match = live.match
            fresh = match.decisions[told.get(match.terms.match_id, 0) :]
            told[match.terms.match_id] = len(match.decisions)
            for decision in fresh:
                if decision.asked:
                    way = ways[match.terms.seating[decision.seat]]
                    yield way, decision.elapsed_s, decision.fault, decision.reason


def _used() -> dict[str, Any]:
    """The processor time and the memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return {"cpu_s": time.process_time(), "memory_bytes": pages * os.sysconf("SC_PAGE_SIZE")}


async def _lines() -> AsyncIterator[bytes]:
    unread = b""
    while piece := await trio.lowlevel.FdStream(os.dup(0)).receive_some(1 << 16):
        *lines, unread = (unread + piece).split(b"\n")
        for line in lines:
            yield line


def _say(value: object) -> None:
    print(msgspec.json.encode(value).decode(), flush=True)


if __name__ == "__main__":
    main()
