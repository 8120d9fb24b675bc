"""WebSockets: one for each table, and the open lobby of the game whose document describes packets."""

from __future__ import annotations

from functools import partial

import trio
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from arena.games import SERVICES
from arena.server.house import House
from arena.server.live import LiveTable
from arena.server.packet_room import PacketClient, PacketRoom
from arena.server.packets import packet
from arena.server.refusal import Refusal
from arena.server.sockets import SocketOwner

LOBBY_MOVE_S = 30.0


class PacketApi:
    """The handlers, over a house."""

    def __init__(self, house: House, nursery: trio.Nursery) -> None:
        self._house = house
        self._nursery = nursery
        self._rooms: dict[str, PacketRoom] = {}
        self._lobby: LiveTable | None = None

    def routes(self) -> list[WebSocketRoute]:
        return [
            WebSocketRoute(f"/ws/{SERVICES['packets']}", self.open_lobby),
            WebSocketRoute("/ws/tables/{id}", self.open_table),
        ]

    async def open_lobby(self, websocket: WebSocket) -> None:
        """The table that everybody finds; a new one once the last has closed."""
        if self._lobby is None or self._lobby.table.is_closed:
            self._lobby = self._house.create(SERVICES["packets"], {}, LOBBY_MOVE_S)
        await self._serve(websocket, self._lobby)

    async def open_table(self, websocket: WebSocket) -> None:
        """One table; its id is all that one must know to watch it."""
        try:
            live = self._house.table(websocket.path_params["id"])
        except Refusal as refusal:
            await websocket.accept()
            await websocket.send_text(packet("ShowAlert", message=str(refusal)))
            await websocket.close(1008, str(refusal))
            return
        await self._serve(websocket, live)

    async def _serve(self, websocket: WebSocket, live: LiveTable) -> None:
        room = self._room(live)
        await websocket.accept()
        owner = SocketOwner(websocket)
        client = PacketClient(owner)
        room.enter(client)
        try:
            await owner.run(receive=partial(room.receive, client))
        finally:
            room.exit(client)

    def _room(self, live: LiveTable) -> PacketRoom:
        room = self._rooms.get(live.table.id)
        if room is None:
            self._rooms = {id: each for id, each in self._rooms.items() if not each.live.table.is_closed}
            room = self._rooms[live.table.id] = PacketRoom(live, self._house.views(live), self._nursery)
        return room
