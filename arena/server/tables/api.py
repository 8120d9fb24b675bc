"""The tables of all games over HTTP, in JSON, below `/api`: the roles of Blef's document for every game.

Whoever holds the key of a seat sends it as `Authorization: Bearer KEY`, never in a URL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import trio
from msgspec import UNSET
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route

from arena.games import GAMES
from arena.server.http.answer_types import BotSeated, Done, Joined, RoundShown, TableListed, TableShown
from arena.server.http.endpoints import Endpoint, Handler, QueryField, routes_to
from arena.server.http.quotas import WaitingRequests
from arena.server.http.request_types import (
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
    seconds_in_query,
)
from arena.server.limits import WAIT_MAX_S
from arena.server.open_tables import OpenTables
from arena.server.refusal import Kind, Refusal
from arena.server.tables.live import LiveTable
from arena.server.tables.spoken import move_from_words
from arena.server.tables.table import Member
from arena.server.tables.views import listed_table

VERSION_MAX = 10**15
AT = "/api/tables/{id}"
AFTER = QueryField(
    "after",
    {"type": "integer", "minimum": 0, "maximum": VERSION_MAX},
    "The version that is known: the answer waits until there is another one.",
)
WAIT = QueryField(
    "wait",
    {"type": "number", "minimum": 0, "maximum": WAIT_MAX_S},
    "So many seconds at most; without it nothing waits.",
)


class TablesApi:
    """The handlers, over a house."""

    def __init__(self, house: OpenTables, waits: WaitingRequests | None = None) -> None:
        self._house = house
        self._waits = WaitingRequests() if waits is None else waits

    def routes(self) -> list[Route]:
        return routes_to(self.endpoints())

    def endpoints(self) -> list[Endpoint]:
        """Every path with its methods."""
        return [
            Endpoint(
                method="POST",
                path="/api/tables",
                handle=self.create,
                summary="Makes a table; whoever makes it has to join like everybody else.",
                body=NewTable,
                answers={201: TableShown},
            ),
            Endpoint(
                method="GET",
                path="/api/tables",
                handle=self.list_tables,
                summary="The public tables, the newest first.",
                answers={200: list[TableListed]},
            ),
            Endpoint(
                method="GET",
                path=AT,
                handle=self.get_table,
                summary="A table and its match now, or as soon as they are others than `after`.",
                proof="key or none",
                query=(AFTER, WAIT),
                answers={200: TableShown},
            ),
            Endpoint(
                method="POST",
                path=f"{AT}/players",
                handle=self.join,
                summary="Takes a seat, or comes to watch; the first with a seat is host.",
                body=NewMember,
                proof="key or none",
                answers={201: Joined},
                refusals=("conflict",),
            ),
            Endpoint(
                method="DELETE",
                path=f"{AT}/players/{{player}}",
                handle=self.leave,
                summary="Leaves; in a match the seat keeps playing, with default moves.",
                proof="key",
                answers={200: Done},
            ),
            self._act("start", LiveTable.begin, "The host begins a match; the order of play is drawn."),
            self._act("ready", LiveTable.ready, "Ready; once all with a seat are, a match begins."),
            self._act("rematch", LiveTable.rematch, "The host begins another match with the same people."),
            self._act("back", LiveTable.note_presence, "Here again: not shown as away any more."),
            self._act("public", _publish, "The host has the table listed."),
            self._act("private", _hide, "The host has the table listed no more."),
            self._change("host", self.hand_over, NewHost, "The host makes somebody else host.", TableShown),
            self._change("bots", self.give_seat, NewBot, "The host gives a seat to a bot.", BotSeated, 201),
            self._change("moves", self.move, NewMove, "Makes a move.", TableShown),
            self._change("chat", self.speak, NewMessage, "Says something to all at the table.", Done, 201),
            Endpoint(
                method="GET",
                path=f"{AT}/rounds/{{number}}",
                handle=self.get_round,
                summary="What everybody saw of a round of the latest match; all of it once that is over.",
                proof="key or none",
                answers={200: RoundShown},
            ),
        ]

    def _act(self, name: str, act: Callable[[LiveTable, Member], None], summary: str) -> Endpoint:
        """Something that a member does, without any fields."""
        handle = self._by_member(act)
        return self._change(name, handle, Nothing, summary, TableShown)

    def _change(
        self, name: str, handle: Handler, body: Any, summary: str, answer: Any, status: int = 200
    ) -> Endpoint:
        """Something that a member does."""
        refusals: tuple[Kind, ...] = () if answer is Done else ("conflict",)
        return Endpoint(
            method="POST",
            path=f"{AT}/{name}",
            handle=handle,
            summary=summary,
            body=body,
            needs_body=body is not Nothing,
            proof="key",
            answers={status: answer},
            refusals=refusals,
        )

    # Tables

    async def create(self, request: Request) -> Response:
        new = await body_of(request, NewTable)
        self._house.hall.records.check()
        live = self._house.create(
            new.game,
            new.rules,
            _move_s(new),
            is_clock_chosen=new.move_time is not None,
            address=address_of(request),
        )
        await self._kept_or(live, lambda: live.close("it could not be kept"))
        return json_answer(self._house.views(live).table(None), 201)

    async def list_tables(self, request: Request) -> Response:
        return json_answer(msgspec.json.encode([listed_table(live.table) for live in self._house.public()]))

    async def get_table(self, request: Request) -> Response:
        live, member = self._seen_by(request)
        after = number_in_query(request, "after", 0, VERSION_MAX)
        wait_s = seconds_in_query(request, "wait", WAIT_MAX_S)
        if after is not None and live.version == after and wait_s:
            with self._waits.counted(address_of(request)), trio.move_on_after(wait_s):
                await live.changed(after)
            live, member = self._seen_by(request)  # it may be closed by now, or somebody may have left
        return json_answer(self._house.views(live).table(member))

    async def join(self, request: Request) -> Response:
        live, holder = self._seen_by(request)
        if holder is not None:
            raise Refusal("conflict", f"you are at this table already, as {holder.nickname}")
        new = await body_of(request, NewMember)
        self._house.hall.records.check()
        with self._house.hall.visitors.joining(live.table, address_of(request)) as note_joined:
            member, key = live.join(new.nickname, spectate=new.spectate)
            note_joined(member)
        await self._kept_or(live, lambda: live.take_back(member))
        return json_answer(msgspec.json.encode(Joined(member.player_id, key)), 201)

    async def _kept_or(self, live: LiveTable, undo: Callable[[], None]) -> None:
        """Returns once it is kept; otherwise undoes what nobody could use, as its key or id is not told."""
        try:
            await live.kept()
        except Refusal:
            undo()
            self._house.hall.records.check()  # raises what whoever comes next is told
            raise

    async def leave(self, request: Request) -> Response:
        live, member = self._member(request)
        if member.player_id != request.path_params["player"]:
            live.table.member(request.path_params["player"])  # or not found
            raise Refusal("forbidden", "this key is not that player's: everybody leaves for themselves")
        live.leave(member)
        await live.kept()
        return json_answer(msgspec.json.encode(Done()))

    def _by_member(self, act: Callable[[LiveTable, Member], None]) -> Handler:
        async def handle(request: Request) -> Response:
            live, member = self._member(request)
            await body_of(request, Nothing)
            act(live, member)
            return await self._shown_to(live, member)

        return handle

    async def hand_over(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewHost)
        live.hand_over(member, new.playerID)
        return await self._shown_to(live, member)

    async def give_seat(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewBot)
        bot = live.give_seat(member, new.bot)
        await live.kept()
        return json_answer(msgspec.json.encode(BotSeated(bot.player_id, bot.nickname)), 201)

    async def move(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewMove)
        live.play(member, _move_of(new, live, member), new.turn)
        await live.kept()
        await live.resumed()
        return await self._shown_to(live, member)

    async def speak(self, request: Request) -> Response:
        live, member = self._member(request)
        new = await body_of(request, NewMessage)
        with self._house.hall.visitors.speaking(address_of(request)):
            live.speak(member, new.message)
        await live.kept()
        return json_answer(msgspec.json.encode(Done()), 201)

    async def get_round(self, request: Request) -> Response:
        live, member = self._seen_by(request)
        number = request.path_params["number"]
        if not (number.isascii() and number.isdigit() and len(number) <= 9):
            raise Refusal("not_found", "the rounds of the latest match are numbered from 1")
        return json_answer(msgspec.json.encode(self._house.views(live).round(int(number), member)))

    # Who asks

    def _member(self, request: Request) -> tuple[LiveTable, Member]:
        self._house.hall.records.check()
        live, key = self._house.table(request.path_params["id"]), key_of(request)
        if key is None:
            raise Refusal("unauthorized", "send the key of your seat: `Authorization: Bearer KEY`")
        member = live.holder(key)
        live.note_presence(member)
        return live, member

    def _seen_by(self, request: Request) -> tuple[LiveTable, Member | None]:
        """The table, and the member who looks at it, if a key is sent."""
        live, key = self._house.table(request.path_params["id"]), key_of(request)
        if key is None:
            return live, None
        member = live.holder(key)
        live.note_seen(member)
        return live, member

    async def _shown_to(self, live: LiveTable, member: Member) -> Response:
        """The table as its member sees it once all is kept that happened here."""
        await live.kept()
        still = next((each for each in live.table.members if each.player_id == member.player_id), None)
        return json_answer(self._house.views(live).table(still))


def _publish(live: LiveTable, member: Member) -> None:
    live.make_public(member, True)


def _hide(live: LiveTable, member: Member) -> None:
    live.make_public(member, False)


def _move_s(new: NewTable) -> float | None:
    """The limit of a move, if there is one."""
    if new.move_time is None:
        return GAMES[new.game].people_move_s if new.game in GAMES else None
    return None if new.move_time == "none" else new.move_time


def _move_of(new: NewMove, live: LiveTable, member: Member) -> Any:
    """The move that is meant, as JSON."""
    if (new.move is UNSET) == (new.words is None):
        raise Refusal("bad_request", "send a `move`, or `words` that say it", field="move")
    return new.move if new.words is None else move_from_words(live, member, new.words)


def address_of(request: HTTPConnection) -> str:
    """Who asks, as far as its connection tells."""
    return "" if request.client is None else request.client.host


def json_answer(octets: bytes, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(octets, status, media_type="application/json")


__all__ = ["TablesApi", "address_of", "json_answer"]
