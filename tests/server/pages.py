"""Clients of packets without sockets: what they say, and what they are told, in virtual time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import trio

from arena.server.open_tables import OpenTables
from arena.server.packets.packet_room import PacketClient, PacketRoom
from arena.server.tables.live import LiveTable


class ListWire:
    """A connection whose other side has read everything, unless it is told to wait."""

    def __init__(self) -> None:
        self.frames: list[str] = []
        self.times: list[float] = []
        """When each frame came."""
        self.latest: dict[str, Callable[[], str]] = {}
        self.is_slow = False
        self.closed: str | None = None

    @property
    def waiting(self) -> int:
        return len(self.frames) + len(self.latest) if self.is_slow else 0

    def put(self, frame: str) -> None:
        self.frames.append(frame)
        self.times.append(trio.current_time())

    def put_latest(self, key: str, make: Callable[[], str]) -> None:
        if self.is_slow:
            self.latest.pop(key, None)
            self.latest[key] = make
        else:
            self.put(make())

    def close(self, reason: str, code: int = 1000) -> None:
        self.closed = reason


class Page:
    """One client at a table."""

    def __init__(self, room: PacketRoom) -> None:
        self.room = room
        self.wire = ListWire()
        self.client = PacketClient(self.wire)
        self.name = ""
        self.key = ""
        self._read = 0
        room.enter(self.client)

    def say(self, packet: str, **fields: Any) -> list[dict[str, Any]]:
        """Sends a packet; what it was told at once, after all that it had been told before."""
        self.news()
        self.room.receive(self.client, json.dumps({"packet": packet, **fields}))
        return self.news()

    def join(self, name: str, **fields: Any) -> Page:
        """Joins; the frames of it are not news any more."""
        told = self.say("JoinGame", username=name, **fields)
        self.name, self.key = name, told[0]["key"]
        return self

    def news(self) -> list[dict[str, Any]]:
        """What it was told since this was last called."""
        told = [json.loads(frame) for frame in self.wire.frames[self._read :]]
        self._read = len(self.wire.frames)
        return told

    @property
    def heard(self) -> list[dict[str, Any]]:
        """All that it was ever told."""
        return [json.loads(frame) for frame in self.wire.frames]

    def sync(self) -> dict[str, Any]:
        """GameData as it is now."""
        self.room.receive(self.client, '{"packet": "GameDataRequest"}')
        return self.news()[-1]

    def close(self) -> None:
        """Closes the page."""
        self.room.exit(self.client)


def a_room(house: OpenTables, game: str = "chamber", move_s: float | None = 30.0, **rules: Any) -> PacketRoom:
    """The room of a new table."""
    live = house.create(game, rules, move_s)
    return room_of(house, live)


def room_of(house: OpenTables, live: LiveTable) -> PacketRoom:
    return PacketRoom(live, house.views(live), house.hall)


def kinds(frames: list[dict[str, Any]]) -> list[str]:
    """The names of packets."""
    return [frame["packet"] for frame in frames]


def only(frames: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """The packets with these names."""
    return [frame for frame in frames if frame["packet"] in names]
