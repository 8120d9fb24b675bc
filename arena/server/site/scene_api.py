"""The WebSocket of pages that look at a table."""

from __future__ import annotations

from functools import partial

import msgspec
import trio
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from arena.refusal import Refusal
from arena.server.http.sockets import FORBIDDEN, SocketLimits, SocketOwner
from arena.server.open_tables import OpenTables
from arena.server.site.scenes import SceneClient, SceneRoom
from arena.server.tables.live import LiveTable

LIMITS = SocketLimits(messages_per_s=1.0, messages_at_once=5.0)
"""Little: a page says who it is, and then nothing more."""


class SceneApi:
    """The handler, over a house."""

    def __init__(self, house: OpenTables) -> None:
        self._house = house
        self._rooms: dict[str, SceneRoom] = {}

    def routes(self) -> list[WebSocketRoute]:
        return [WebSocketRoute("/ws/scenes/{id}", self.open_table)]

    async def open_table(self, websocket: WebSocket) -> None:
        """A table; its id is all that one must know to watch it."""
        await websocket.accept()
        owner = SocketOwner(websocket, LIMITS)
        try:
            room = self.room(self._house.table(websocket.path_params["id"]))
        except Refusal as refusal:  # a page cannot read why a handshake is refused
            owner.put(msgspec.json.encode({"bye": str(refusal)}).decode())
            owner.close(str(refusal), FORBIDDEN)
            await owner.run(receive=lambda text: None)
            return
        client = SceneClient(owner)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(room.serve, client)
            await owner.run(receive=partial(room.receive, client))
            nursery.cancel_scope.cancel()

    def room(self, live: LiveTable) -> SceneRoom:
        """The pages that look at a table."""
        room = self._rooms.get(live.table.id)
        if room is None:
            self._rooms = {id: each for id, each in self._rooms.items() if not each.live.table.is_closed}
            room = SceneRoom(live, self._house.views(live), self._house.hall.note_bug)
            self._rooms[live.table.id] = room
        return room
