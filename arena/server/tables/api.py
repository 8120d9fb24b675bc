"""The tables of all games over HTTP, in JSON, below `/api`: the roles of Blef's document for every game.

Whoever holds the key of a seat sends it as `Authorization: Bearer KEY`, never in a URL.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import trio
from msgspec import UNSET
from starlette.requests import HTTPConnection, Request

from arena.games import GAMES
from arena.refusal import Refusal
from arena.server.http.answer_types import BotSeated, Done, Joined, RoundShown, TableListed, TableShown
from arena.server.http.endpoints import Api, QueryField, endpoint
from arena.server.http.question_types import NewStart
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
from arena.server.kept.finished import MatchesOf
from arena.server.kept.past_turn import TurnWanted
from arena.server.limits import TURNS_BEFORE_MAX, WAIT_MAX_S
from arena.server.open_tables import OpenTables
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
    "How many seconds to wait at most; without it nothing waits.",
)

_Act: TypeAlias = Callable[["TablesApi", LiveTable, Member, Any, Request], Awaitable[Any]]
_Handle: TypeAlias = Callable[["TablesApi", Request], Awaitable[Any]]


def _by_member(name: str, body: type[Any], answer: Any, status: int = 200) -> Callable[[_Act], _Handle]:
    """The endpoint of something that the holder of a key does at its table."""

    def made(act: _Act) -> _Handle:
        @endpoint(
            "POST",
            f"{AT}/{name}",
            {status: answer},
            summary=act.__doc__ or "",
            body=body,
            needs_body=body is not Nothing,
            proof="key",
            refusals=() if answer is Done else ("conflict",),
        )
        async def handle(self: TablesApi, request: Request) -> Any:
            live, member = self._member(request)
            return await act(self, live, member, await body_of(request, body), request)

        return handle

    return made


def _simple(name: str, act: Callable[[LiveTable, Member], None], summary: str) -> _Handle:
    """The endpoint of something that the holder of a key does, without any fields."""

    async def done(self: TablesApi, live: LiveTable, member: Member, new: Any, request: Request) -> bytes:
        act(live, member)
        return await self._shown_to(live, member)

    done.__doc__ = summary
    return _by_member(name, Nothing, TableShown)(done)


class TablesApi(Api):
    """The handlers, over a house."""

    def __init__(self, house: OpenTables, matches_of: MatchesOf | None = None) -> None:
        """`matches_of`: the finished matches in which another one can begin."""
        self._house = house
        self._matches_of = matches_of
        self._waits = WaitingRequests()

    # Tables

    @endpoint("POST", "/api/tables", {201: TableShown}, body=NewTable)
    async def create(self, request: Request) -> bytes:
        """Makes a table; whoever makes it has to join like everybody else."""
        new = await body_of(request, NewTable)
        self._house.hall.records.check()
        live = self._house.create(
            new.game,
            new.rules,
            _move_s(new),
            is_clock_chosen=new.move_time is not None,
            bots_pause_s=new.bots_pause,
            address=address_of(request),
        )
        await self._kept_or(live, lambda: live.close("it could not be kept"))
        return self._house.views(live).table(None)

    @endpoint("GET", "/api/tables", {200: list[TableListed]})
    async def list_tables(self, request: Request) -> list[TableListed]:
        """The public tables, the newest first."""
        return [listed_table(live.table) for live in self._house.public()]

    @endpoint("GET", AT, {200: TableShown}, proof="key or none", query=(AFTER, WAIT))
    async def get_table(self, request: Request) -> bytes:
        """A table and its match now, or as soon as they differ from `after`."""
        live, member = self._seen_by(request)
        after = number_in_query(request, "after", 0, VERSION_MAX)
        wait_s = seconds_in_query(request, "wait", WAIT_MAX_S)
        if after is not None and live.version == after and wait_s:
            with self._waits.counted(address_of(request)), trio.move_on_after(wait_s):
                await live.changed(after)
            live, member = self._seen_by(request)  # it may be closed by now, or somebody may have left
        return self._house.views(live).table(member)

    @endpoint(
        "POST", f"{AT}/players", {201: Joined}, body=NewMember, proof="key or none", refusals=("conflict",)
    )
    async def join(self, request: Request) -> Joined:
        """Takes a seat, or comes to watch; the first with a seat is host."""
        live, holder = self._seen_by(request)
        if holder is not None:
            raise Refusal("conflict", f"you are at this table already, as {holder.nickname}")
        new = await body_of(request, NewMember)
        self._house.hall.records.check()
        with self._house.hall.visitors.joining(live.table, address_of(request)) as note_joined:
            member, key = live.join(new.nickname, spectate=new.spectate)
            note_joined(member)
        await self._kept_or(live, lambda: live.take_back(member))
        return Joined(member.player_id, key)

    async def _kept_or(self, live: LiveTable, undo: Callable[[], None]) -> None:
        """Returns once it is kept; otherwise undoes it, as nobody is told its key or id."""
        try:
            await live.kept()
        except Refusal:
            undo()
            self._house.hall.records.check()  # raises what whoever comes next is told
            raise

    @endpoint("DELETE", f"{AT}/players/{{player}}", {200: Done}, proof="key")
    async def leave(self, request: Request) -> Done:
        """Leaves; in a match the seat keeps playing, with default moves."""
        live, member = self._member(request)
        if member.player_id != request.path_params["player"]:
            live.table.member(request.path_params["player"])  # or not found
            raise Refusal("forbidden", "this key is not that player's: everybody leaves for themselves")
        live.leave(member)
        await live.kept()
        return Done()

    start = _simple("start", LiveTable.begin, "The host begins a match; the order of play is drawn.")
    ready = _simple("ready", LiveTable.ready, "Ready; once all with a seat are, a match begins.")
    rematch = _simple("rematch", LiveTable.rematch, "The host begins another match with the same people.")
    back = _simple("back", LiveTable.note_presence, "Here again: not shown as away any more.")
    public = _simple(
        "public", lambda live, host: live.make_public(host, True), "The host has the table listed."
    )
    private = _simple(
        "private", lambda live, host: live.make_public(host, False), "The host has the table listed no more."
    )

    @_by_member("host", NewHost, TableShown)
    async def hand_over(self, live: LiveTable, member: Member, new: NewHost, request: Request) -> bytes:
        """The host makes somebody else host."""
        live.hand_over(member, new.playerID)
        return await self._shown_to(live, member)

    @_by_member("bots", NewBot, BotSeated, 201)
    async def give_seat(self, live: LiveTable, member: Member, new: NewBot, request: Request) -> BotSeated:
        """The host gives a seat to a bot."""
        bot = live.give_seat(member, new.bot)
        await live.kept()
        return BotSeated(bot.player_id, bot.nickname)

    @_by_member("start-from", NewStart, TableShown)
    async def start_from(self, live: LiveTable, member: Member, new: NewStart, request: Request) -> bytes:
        """The host begins a match where somebody was asked in a finished one, with chance drawn anew."""
        if self._matches_of is None:
            raise Refusal("conflict", "this server keeps no matches")
        wanted = TurnWanted(new.step, new.name)
        turn = await self._matches_of(new.results).turn(new.match, wanted, address_of(request))
        if len(turn.turns) > TURNS_BEFORE_MAX:
            why = f"more than {TURNS_BEFORE_MAX:,} turns were played until then: choose an earlier step"
            raise Refusal("conflict", why, field="step")
        live.begin_from(member, turn)
        return await self._shown_to(live, member)

    @_by_member("moves", NewMove, TableShown)
    async def move(self, live: LiveTable, member: Member, new: NewMove, request: Request) -> bytes:
        """Makes a move."""
        live.play(member, _move_of(new, live, member), new.turn)
        await live.kept()
        await live.resumed()
        return await self._shown_to(live, member)

    @_by_member("chat", NewMessage, Done, 201)
    async def speak(self, live: LiveTable, member: Member, new: NewMessage, request: Request) -> Done:
        """Says something to all at the table."""
        with self._house.hall.visitors.speaking(address_of(request)):
            live.speak(member, new.message)
        await live.kept()
        return Done()

    @endpoint("GET", f"{AT}/rounds/{{number}}", {200: RoundShown}, proof="key or none")
    async def get_round(self, request: Request) -> RoundShown:
        """What everybody saw of a round of the latest match; all of it once that is over."""
        live, member = self._seen_by(request)
        number = request.path_params["number"]
        if not (number.isascii() and number.isdigit() and len(number) <= 9):
            raise Refusal("not_found", "the rounds of the latest match are numbered from 1")
        return self._house.views(live).round(int(number), member)

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

    async def _shown_to(self, live: LiveTable, member: Member) -> bytes:
        """The table as its member sees it once all that happened here is kept."""
        await live.kept()
        return self._house.views(live).table(live.table.find(member.player_id))


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
