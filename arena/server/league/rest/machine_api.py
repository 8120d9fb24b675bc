"""What bots of a league find on the machine on which they play."""

from __future__ import annotations

import msgspec
import trio
from starlette.requests import Request

from arena.refusal import Refusal
from arena.server.http.endpoints import Api, endpoint
from arena.server.league.league_door import LeagueDoor
from arena.server.league.rest.league_api import AT

ASKED_S = 30.0
"""How long its process may take to look."""


class MachineShown(msgspec.Struct):
    """What a bot finds on the machine, as it finds it."""

    programs: list[str]
    """Interpreters and compilers, each with its version."""
    libraries: list[str]
    """Python's libraries, each with its version."""
    folders: list[str]
    """Folders that a bot may read if its `bot.toml` asks for them."""


class MachineApi(Api):
    """The handler, behind a league's door."""

    def __init__(self, door: LeagueDoor) -> None:
        self._door = door

    @endpoint("GET", f"{AT}/machine", {200: MachineShown}, proof="token or none", refusals=("unavailable",))
    async def get_machine(self, request: Request) -> MachineShown:
        """The interpreters, compilers and libraries that a bot finds, with their versions."""
        live, _ = await self._door.seen_by(request)
        with trio.move_on_after(ASKED_S):
            said = await live.machine()
            return MachineShown(list(said.programs), list(said.libraries), live.readable)
        why = f"{live.league.name} is not played at the moment, so that nobody looks: ask again later"
        raise Refusal("unavailable", why, key="ladder", seconds=ASKED_S)
