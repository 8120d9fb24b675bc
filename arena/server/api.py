"""The tables of all games over HTTP, in JSON, below `/api`: the roles of Blef's document for every game.

Whoever holds the key of a seat sends it as `Authorization: Bearer KEY`, never in a URL.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.games import GAMES
from arena.players.codec import rules_json
from arena.players.schema import game_schema
from arena.server.house import House
from arena.server.limits import WAIT_MAX_S
from arena.server.live import LiveTable
from arena.server.refusal import Refusal
from arena.server.request_types import (
    NewBot,
    NewHost,
    NewMember,
    NewMessage,
    NewMove,
    NewTable,
    Nothing,
    body_of,
    key_of,
    number_in_query,
)
from arena.server.table import Member
from arena.server.views import round_fields, summary
from arena.server.waiting import WaitingRequests

Handler = Callable[[Request], Awaitable[Response]]

MOVE_S = 30.0
"""The usual limit of a move at a table with people."""


class TablesApi:
    """The handlers, over a house."""

    def __init__(self, house: House, waits: WaitingRequests | None = None) -> None:
        self._house = house
        self._waits = WaitingRequests() if waits is None else waits

    def routes(self) -> list[Route]:
        """Every path with its methods; paths have no final slash here, and work with one."""
        at = "/api/tables/{id}"
        return [
            Route("/api/tables", self.list_tables, methods=["GET"]),
            Route("/api/tables", self.create, methods=["POST"]),
            Route(at, self.get_table, methods=["GET"]),
            Route(f"{at}/players", self.join, methods=["POST"]),
            Route(f"{at}/players/{{player}}", self.leave, methods=["DELETE"]),
            Route(f"{at}/start", self._by_member(LiveTable.begin), methods=["POST"]),
            Route(f"{at}/ready", self._by_member(LiveTable.ready), methods=["POST"]),
            Route(f"{at}/rematch", self._by_member(LiveTable.rematch), methods=["POST"]),
            Route(f"{at}/public", self._by_member(_publish), methods=["POST"]),
            Route(f"{at}/private", self._by_member(_hide), methods=["POST"]),
            Route(f"{at}/host", self.hand_over, methods=["POST"]),
            Route(f"{at}/bots", self.give_seat, methods=["POST"]),
            Route(f"{at}/moves", self.move, methods=["POST"]),
            Route(f"{at}/chat", self.speak, methods=["POST"]),
            Route(f"{at}/rounds/{{number}}", self.get_round, methods=["GET"]),
            Route("/api/games", self.list_games, methods=["GET"]),
            Route("/api/games/{name}", self.get_game, methods=["GET"]),
        ]

    # Tables

    async def create(self, request: Request) -> Response:
        new = await body_of(request, NewTable)
        self._house.hall.records.check()
        live = self._house.create(new.game, new.rules, _move_s(new.move_time), address=address_of(request))
        await live.kept()
        return _json(self._house.views(live).table(None), 201)

    async def list_tables(self, request: Request) -> Response:
        return _json(msgspec.json.encode([summary(live.table) for live in self._house.public()]))

    async def get_table(self, request: Request) -> Response:
        live, member = self._seen_by(request)
        after = number_in_query(request, "after", most=1e15, whole=True)
        wait_s = number_in_query(request, "wait", most=WAIT_MAX_S)
        if after is not None and live.version == after and wait_s:
            with self._waits.counted(address_of(request)), trio.move_on_after(wait_s):
                await live.changed(int(after))
        return _json(self._house.views(live).table(member))

    async def join(self, request: Request) -> Response:
        live = self._table(request)
        new = await body_of(request, NewMember)
        self._house.hall.records.check()
        member, key = live.join(new.nickname, spectate=new.spectate)
        await live.kept()
        return _json(msgspec.json.encode({"playerID": member.player_id, "key": key}), 201)

    async def leave(self, request: Request) -> Response:
        live, member = self._member(request)
        if member.player_id != request.path_params["player"]:
            live.table.member(request.path_params["player"])  # or not found
            raise Refusal("forbidden", "this key is not that player's: everybody leaves for themselves")
        live.leave(member)
        await live.kept()
        return _json(b"{}")

    def _by_member(self, act: Callable[[LiveTable, Member], None]) -> Handler:
        """The handler of something that a member does, without any fields."""

        async def handle(request: Request) -> Response:
            live, member = self._member(request)
            await body_of(request, Nothing)
            act(live, member)
            await live.kept()
            return _json(self._house.views(live).table(self._still(live, member)))

        return handle

    async def hand_over(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewHost)
        live.hand_over(member, new.playerID)
        await live.kept()
        return _json(self._house.views(live).table(self._still(live, member)))

    async def give_seat(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewBot)
        bot = live.give_seat(member, new.bot)
        await live.kept()
        return _json(msgspec.json.encode({"playerID": bot.player_id, "nickname": bot.nickname}), 201)

    async def move(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewMove)
        live.play(member, new.move)
        await live.kept()
        return _json(self._house.views(live).table(self._still(live, member)))

    async def speak(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewMessage)
        live.speak(member, new.message)
        await live.kept()
        return _json(b"{}", 201)

    async def get_round(self, request: Request) -> Response:
        live, _ = self._seen_by(request)
        number = request.path_params["number"]
        if live.match is None or not number.isascii() or not number.isdigit() or len(number) > 9:
            raise Refusal(
                "not_found", "there is no such round: they are numbered from 1, in the latest match"
            )
        return _json(msgspec.json.encode(round_fields(live.match, int(number))))

    # Games

    async def list_games(self, request: Request) -> Response:
        games = [{"name": name, "title": GAMES[name].title} for name in GAMES]
        return _json(msgspec.json.encode(games))

    async def get_game(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in GAMES:
            raise Refusal("not_found", f"no game is called that: {', '.join(GAMES)} are")
        cls = GAMES[name]
        told = {
            "name": name,
            "title": cls.title,
            "version": cls.version,
            "seats": {"least": cls.seats[0], "most": cls.seats[-1]},
            "rules": msgspec.Raw(rules_json(cls(), cls.seats[0])),
            "schema": game_schema(cls),
        }
        return _json(msgspec.json.encode(told))

    # Who asks

    def _table(self, request: Request) -> LiveTable:
        return self._house.table(request.path_params["id"])

    def _member(self, request: Request) -> tuple[LiveTable, Member]:
        self._house.hall.records.check()
        live, key = self._table(request), key_of(request)
        if key is None:
            raise Refusal("unauthorized", "send the key of your seat: `Authorization: Bearer KEY`")
        member = live.holder(key)
        live.note_presence(member)
        return live, member

    def _seen_by(self, request: Request) -> tuple[LiveTable, Member | None]:
        """The table, and the member who looks at it, if a key is sent."""
        live, key = self._table(request), key_of(request)
        return live, None if key is None else live.holder(key)

    def _still(self, live: LiveTable, member: Member) -> Member | None:
        """The member as it is now, if it is still there."""
        return next((each for each in live.table.members if each.player_id == member.player_id), None)


def _publish(live: LiveTable, member: Member) -> None:
    live.make_public(member, True)


def _hide(live: LiveTable, member: Member) -> None:
    live.make_public(member, False)


def _move_s(said: float | str | None) -> float | None:
    if said is None:
        return MOVE_S
    if said == "none":
        return None
    if isinstance(said, str):
        raise Refusal("bad_request", 'move_time is a number of seconds, or "none"', field="move_time")
    return said


def address_of(request: Request) -> str:
    """Who asks, as far as its connection tells."""
    return "" if request.client is None else request.client.host


def _json(octets: bytes, status: int = 200) -> Response:
    return Response(octets, status, media_type="application/json")


__all__ = ["TablesApi", "address_of"]
