"""Pages of a table without a browser: what they are told, put together as the page's script does it."""

from __future__ import annotations

import json
from typing import Any

import trio

from arena.server.open_tables import OpenTables
from arena.server.site.scenes import SceneClient, SceneRoom
from arena.server.tables.live import LiveTable
from tests.server.pages import ListWire


class Film:
    """The frames of one page, put together: the last table, and each step of the match whole."""

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.steps: list[dict[str, Any]] = []
        self.table: dict[str, Any] = {}
        self.moves: Any = None
        self.result: Any = None
        self.bye = ""

    @property
    def has(self) -> int:
        """The place behind its last step."""
        return int(self.head.get("first", 0)) + len(self.steps)

    def add(self, frame: dict[str, Any]) -> None:
        if "bye" in frame:
            self.bye = frame["bye"]
            return
        self.table, self.moves, self.result = frame["table"], frame["moves"], frame["result"]
        if "film" in frame:
            self.head, self.steps = frame["film"], []
            self._apply(frame["film"]["steps"])
        elif "steps" in frame:
            assert self.has == frame["first"], "nothing is missing, and nothing comes twice"
            self._apply(frame["steps"])

    def _apply(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            before = self.steps[-1] if self.steps else {"state": {}, "own": {}, "out": None, "holdings": None}
            state = {**before["state"], **step.get("state", {})}
            changed = step.get("own", {})
            own = {seat: {**before["own"].get(seat, {}), **fields} for seat, fields in changed.items()}
            same = {name: step.get(name, before[name]) for name in ("out", "holdings")}
            self.steps.append({**step, **same, "state": state, "own": {**before["own"], **own}})


class ScenePage:
    """One page at a table, whose task runs in a nursery."""

    def __init__(self, room: SceneRoom, nursery: trio.Nursery) -> None:
        self.room = room
        self.wire = ListWire()
        self.client = SceneClient(self.wire)
        self.film = Film()
        self.read = 0
        self._scope = trio.CancelScope()
        nursery.start_soon(self._serve)

    async def _serve(self) -> None:
        with self._scope:
            await self.room.serve(self.client)

    def say(self, **hello: Any) -> None:
        self.room.receive(self.client, json.dumps(hello))

    async def looks(self, key: str | None = None) -> ScenePage:
        """Says who it is, and is told everything."""
        await trio.testing.wait_all_tasks_blocked()
        self.say(key=key, match=None, steps=0)
        await trio.testing.wait_all_tasks_blocked()
        return self

    def news(self) -> list[dict[str, Any]]:
        """The frames since this was last called, which are in its film now."""
        told = [json.loads(frame) for frame in self.wire.frames[self.read :]]
        self.read = len(self.wire.frames)
        for frame in told:
            self.film.add(frame)
        return told

    def catch_up(self) -> list[dict[str, Any]]:
        """A slow client reads on."""
        waiting, self.wire.latest = self.wire.latest, {}
        for make in waiting.values():
            self.wire.put(make())
        return self.news()

    async def close(self) -> None:
        self._scope.cancel()
        await trio.testing.wait_all_tasks_blocked()


def a_scene_room(
    house: OpenTables, game: str = "liars-dice", move_s: float | None = 30.0, **rules: Any
) -> SceneRoom:
    """The room of a new table."""
    return scene_room(house, house.create(game, rules, move_s))


def scene_room(house: OpenTables, live: LiveTable) -> SceneRoom:
    return SceneRoom(live, house.views(live), house.hall.note_bug)
