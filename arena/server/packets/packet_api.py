"""WebSockets: one for each table, and the open lobby of the game whose document describes packets."""

from __future__ import annotations

from functools import partial

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from arena.games import SERVICES
from arena.refusal import Refusal
from arena.server.http.sockets import FORBIDDEN, SocketOwner
from arena.server.open_tables import OpenTables
from arena.server.packets.packet_room import PacketClient, PacketRoom
from arena.server.packets.packets import packet
from arena.server.tables.api import address_of
from arena.server.tables.live import LiveTable

LOBBY_MOVE_S = 30.0


class PacketApi:
    """The handlers, over a house."""

    def __init__(self, house: OpenTables) -> None:
        self._house = house
        self._rooms: dict[str, PacketRoom] = {}

    def routes(self) -> list[WebSocketRoute]:
        return [
            WebSocketRoute(f"/ws/{SERVICES['packets']}", self.open_lobby),
            WebSocketRoute("/ws/tables/{id}", self.open_table),
        ]

    async def open_lobby(self, websocket: WebSocket) -> None:
        """The table that everybody finds; a new one once the last has closed."""
        await self._serve(websocket, self.room(self._lobby()))

    async def open_table(self, websocket: WebSocket) -> None:
        """One table; its id is all that one must know to watch it."""
        try:
            room = self.room(self._house.table(websocket.path_params["id"]))
        except Refusal as refusal:
            await _turn_away(websocket, refusal)
        else:
            await self._serve(websocket, room)

    async def _serve(self, websocket: WebSocket, room: PacketRoom) -> None:
        await websocket.accept()
        owner = SocketOwner(websocket)
        client = PacketClient(owner, address=address_of(websocket))
        room.enter(client)
        try:
            await owner.run(receive=partial(_receive, client))
        finally:
            if client.room is not None:
                client.room.exit(client)

    def _lobby(self) -> LiveTable:
        for live in self._house:
            if live.table.is_lobby and not live.table.is_closed:
                return live
        return self._house.create(SERVICES["packets"], {}, LOBBY_MOVE_S, is_clock_chosen=False, is_lobby=True)

    def room(self, live: LiveTable) -> PacketRoom:
        """The clients of a table."""
        room = self._rooms.get(live.table.id)
        if room is None:
            self._rooms = {id: each for id, each in self._rooms.items() if not each.live.table.is_closed}
            reopen = (lambda: self.room(self._lobby())) if live.table.is_lobby else None
            room = PacketRoom(live, self._house.views(live), self._house.hall, reopen)
            self._rooms[live.table.id] = room
        return room


def _receive(client: PacketClient, text: str) -> None:
    """Hands a frame to the room where the client is now."""
    assert client.room is not None, "it has entered"
    client.room.receive(client, text)


async def _turn_away(websocket: WebSocket, refusal: Refusal) -> None:
    """Says why; a page cannot read the status of a handshake that is refused."""
    await websocket.accept()
    owner = SocketOwner(websocket)
    owner.put(packet("ShowAlert", message=str(refusal)))
    owner.close(str(refusal), FORBIDDEN)
    await owner.run(receive=lambda text: None)
