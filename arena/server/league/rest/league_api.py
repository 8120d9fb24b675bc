"""Leagues over HTTP, below `/api/leagues`: who takes part, what they hand in, and how it stands.

An owner sends its token, and a host its own, as `Authorization: Bearer TOKEN`, never in a URL.
"""

from __future__ import annotations

import re
import secrets
from typing import TypeVar

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.league.entering import check_may_hand_in, hand_in, roll_back, withdraw_entry
from arena.league.joining import (
    add_person_code,
    hash_of_code,
    hash_of_token,
    join_league,
    revoke_tokens,
    undo_join,
)
from arena.league.naming import rename_entry, rename_owner
from arena.league.storing import hashes_handed_in
from arena.refusal import Refusal
from arena.server.http.answer_types import Done
from arena.server.http.endpoints import Api, QueryField, endpoint, json_answer
from arena.server.http.packed import packed_answer, packed_page
from arena.server.http.quotas import Rate, WaitingRequests
from arena.server.http.request_types import (
    Nothing,
    bearer_of,
    body_of,
    number_in_query,
    seconds_in_query,
)
from arena.server.league.hosts import TOKEN_BYTES
from arena.server.league.league_door import SEND_TOKEN, LeagueDoor, acting, check_acts_for, put_kept
from arena.server.league.leagues import OpenLeague, new_code
from arena.server.league.rest.league_types import (
    BotShown,
    CodeMade,
    HandInTaken,
    LeagueListed,
    LeagueShown,
    LogShown,
    NewName,
    NewOwner,
    OwnerJoined,
    OwnerShown,
    SelfInLeague,
    VersionNamed,
)
from arena.server.league.rest.league_views import (
    LeagueViewer,
    hand_in_words,
    listed_league,
    shown_bot,
    shown_league,
    shown_owner,
    shown_self,
    shown_version,
)
from arena.server.league.uploads import Uploads
from arena.server.limits import LEAGUE_JOINS_AT_ONCE, LEAGUE_JOINS_PER_S, WAIT_MAX_S
from arena.server.tables.api import AFTER, VERSION_MAX, WAIT, address_of

T = TypeVar("T")

ROOT = "/api/leagues"
AT = f"{ROOT}/{{league}}"
PAGE = 100
"""Lines and bots of one answer."""
FIRST_OF = QueryField(
    "first", {"type": "integer", "minimum": 0, "maximum": 10**9}, f"The first one, from 0; {PAGE} are told."
)
SINCE = QueryField(
    "after",
    {"type": "integer", "minimum": 0, "maximum": VERSION_MAX},
    f"The number of the last line that is known; {PAGE} after it are told.",
)
BOT_NAME = QueryField(
    "bot",
    {"type": "string", "maxLength": 100},
    "The name or id of the bot; without it your only one, or a new one with your own name.",
)
FILE_NAME = QueryField(
    "file", {"type": "string", "maxLength": 200}, "What the file is called, if it is not an archive."
)


class LeagueApi(Api):
    """The handlers of what everybody does."""

    def __init__(self, door: LeagueDoor, uploads: Uploads) -> None:
        self._door = door
        self._uploads = uploads
        self._waits = WaitingRequests()
        self._joins = Rate("league_joins", LEAGUE_JOINS_AT_ONCE, LEAGUE_JOINS_PER_S, "people joined leagues")

    # Looking

    @endpoint("GET", ROOT, {200: list[LeagueListed]}, proof="token or none")
    async def list_leagues(self, request: Request) -> list[LeagueListed]:
        """The leagues that show themselves to everybody, and those that know the token."""
        token = bearer_of(request, SEND_TOKEN)
        is_host = token is not None and self._door.hosts.find(token) is not None
        token_hash, leagues = hash_of_token(token or ""), list(self._door.leagues)

        def knows(live: OpenLeague) -> bool:
            settings = live.league.settings
            return is_host or settings.look == "public" or live.league.holder(token_hash) is not None

        known = await trio.to_thread.run_sync(
            lambda: list(filter(knows, leagues))
        )  # 50 with 2,000 owners each
        return [listed_league(live) for live in known]

    @endpoint("GET", AT, {200: LeagueShown}, proof="token or none", query=(AFTER, WAIT))
    async def get_league(self, request: Request) -> LeagueShown:
        """A league now, or as soon as it differs from `after`."""
        live, _ = await self._waited(request)
        return shown_league(live)

    @endpoint("GET", f"{AT}/me", {200: SelfInLeague}, proof="token", query=(AFTER, WAIT))
    async def get_self(self, request: Request) -> SelfInLeague:
        """Who the holder of the token is, with its bots and their versions."""
        live, viewer = await self._waited(request)
        if viewer.is_anybody:
            raise Refusal("unauthorized", SEND_TOKEN)
        return shown_self(live, viewer)

    @endpoint(
        "GET", f"{AT}/owners", {200: list[OwnerShown], 304: None}, proof="token or none", query=(FIRST_OF,)
    )
    async def list_owners(self, request: Request) -> Response:
        """The owners, in the order in which they joined."""
        live, _ = await self._door.seen_by(request)
        there = [owner for owner in live.league.owners.values() if owner.forgotten_at is None]
        bots = live.league.entries_by_owner()
        owners = [shown_owner(owner, bots.get(owner.id, [])) for owner in _page(request, there)]
        return await _tagged(request, owners)

    @endpoint("GET", f"{AT}/bots", {200: list[BotShown], 304: None}, proof="token or none", query=(FIRST_OF,))
    async def list_bots(self, request: Request) -> Response:
        """The bots, in the order in which they came."""
        live, viewer = await self._door.seen_by(request)
        entries = _page(request, list(live.league.entries.values()))
        return await _tagged(request, [shown_bot(live, entry, viewer) for entry in entries])

    @endpoint("GET", f"{AT}/bots/{{bot}}", {200: BotShown}, proof="token or none", query=(AFTER, WAIT))
    async def get_bot(self, request: Request) -> BotShown:
        """A bot with its versions."""
        live, viewer = await self._waited(request)
        return shown_bot(live, live.league.entry(request.path_params["bot"]), viewer)

    @endpoint("GET", f"{AT}/log", {200: list[LogShown]}, proof="token or none", query=(SINCE,))
    async def get_log(self, request: Request) -> list[LogShown]:
        """What hosts did, from the oldest line that is kept."""
        live, _ = await self._door.seen_by(request)
        after = number_in_query(request, "after", 0, VERSION_MAX) or 0
        lines = [line for line in live.league.log if line.number > after][:PAGE]
        return [LogShown(line.number, line.at, line.who, line.text) for line in lines]

    async def _waited(self, request: Request) -> tuple[OpenLeague, LeagueViewer]:
        """The league and who looks, once it differs from `after`."""
        live, viewer = await self._door.seen_by(request)
        after = number_in_query(request, "after", 0, VERSION_MAX)
        wait_s = seconds_in_query(request, "wait", WAIT_MAX_S)
        if after is None or live.league.version != after or not wait_s:
            return live, viewer
        # Whoever has a token counts by owner, as many of them may share an address.
        who = address_of(request) if viewer.owner is None else f"{live.league.name} {viewer.owner.id}"
        with self._waits.counted(who), trio.move_on_after(wait_s):
            await live.changed(after)
        return await self._door.seen_by(request)

    # Joining

    @endpoint("POST", f"{AT}/owners", {201: OwnerJoined}, body=NewOwner, refusals=("conflict",))
    async def join(self, request: Request) -> OwnerJoined:
        """Joins: a new owner, or one more person of a team."""
        self._door.leagues.records.check()
        live, new = self._door.leagues.find(request.path_params["league"]), await body_of(request, NewOwner)
        code_hash = None if new.code is None else hash_of_code(new.code)
        if code_hash is not None:
            await self._door.guesses.before_code(address_of(request))
            if code_hash not in live.league.codes:
                self._door.guesses.wrong(address_of(request))
        token = secrets.token_urlsafe(TOKEN_BYTES)
        token_hash = hash_of_token(token)
        with self._joins.counted(address_of(request)):
            joined, owner = join_league(live.league, new.name, code_hash, token_hash, live.now())
        try:
            await put_kept(live, joined)
        except Refusal:  # nobody is told the token, and the name and the code must not be lost with it
            live.change(undo_join(live.league, owner.id, code_hash, token_hash, live.now()))
            raise
        return OwnerJoined(owner.id, owner.name, token)

    @endpoint(
        "POST",
        f"{AT}/owners/{{owner}}/name",
        {200: Done},
        body=NewName,
        proof="token",
        refusals=("conflict",),
    )
    async def rename_owner(self, request: Request) -> Done:
        """Gives an owner another name; the owner itself, or a host."""
        live, viewer, owner = await self._door.owner_or_host(request)
        name, who = (await body_of(request, NewName)).name, acting(viewer)
        return await put_kept(
            live, rename_owner(live.league, owner.id, name, who, live.now(), by_host=bool(who))
        )

    @endpoint(
        "POST",
        f"{AT}/owners/{{owner}}/code",
        {201: CodeMade},
        body=Nothing,
        needs_body=False,
        proof="token",
    )
    async def make_person_code(self, request: Request) -> CodeMade:
        """Makes a code with which one more person acts for an owner, or one whose token is lost."""
        live, viewer, owner = await self._door.owner_or_host(request)
        await body_of(request, Nothing)
        code = new_code()
        made = add_person_code(live.league, owner.id, acting(viewer), hash_of_code(code), live.now())
        await put_kept(live, made)
        return CodeMade(code)

    @endpoint("DELETE", f"{AT}/owners/{{owner}}/tokens", {200: Done}, proof="token")
    async def revoke(self, request: Request) -> Done:
        """Ends all tokens of an owner, and its unused codes; the owner itself, or a host."""
        live, viewer, owner = await self._door.owner_or_host(request)
        return await put_kept(live, revoke_tokens(live.league, owner.id, acting(viewer), live.now()))

    # Handing in

    @endpoint(
        "POST",
        f"{AT}/versions",
        {201: HandInTaken, 200: HandInTaken},
        is_upload=True,
        proof="token",
        query=(BOT_NAME, FILE_NAME),
        refusals=("conflict",),
    )
    async def hand_in(self, request: Request) -> Response:
        """Hands in a bot: the body is a zip, a tar.gz or one file.

        The version is dated by when all of it was received.  The same bytes again change nothing: 200.
        """
        live, owner = await self._door.owner(request)
        bot = request.query_params.get("bot", "").strip()
        check_may_hand_in(live.league, owner.id, bot, live.now())
        file_name = _file_name(request.query_params.get("file", ""))
        async with self._uploads.received(request, live.league.settings, owner.id, file_name) as unpacked:
            before = hashes_handed_in(live.league)
            after, handed = hand_in(live.league, owner.id, bot, unpacked.hash, live.now(), unpacked.octets)
            await put_kept(live, after)
            self._uploads.note_unused(before - hashes_handed_in(after))
        viewer = LeagueViewer(owner=owner)
        taken = HandInTaken(
            bot=shown_bot(live, live.league.entry(handed.entry.id), viewer),
            version=shown_version(handed.entry, handed.version, True),
            is_new=handed.is_new,
            said=hand_in_words(live, handed),
            left_out=list(unpacked.left_out),
            notes=[f"{note.path}: {note.said}" if note.path else note.said for note in unpacked.notes],
        )
        return json_answer(taken, 201 if handed.is_new else 200)

    @endpoint("GET", f"{AT}/bots/{{bot}}/versions/{{number}}", {200: None}, proof="token")
    async def download(self, request: Request) -> Response:
        """The files of a version as a zip, for its owner or a host."""
        live, viewer = await self._door.seen_by(request)
        entry = live.league.entry(request.path_params["bot"])
        check_acts_for(viewer, entry.owner, may_look=True)
        version = entry.version(_number(request.path_params["number"]))
        if version.connects:
            raise Refusal("not_found", f"{entry.of(version)} connects: its files are where it runs")
        pieces = self._uploads.packed(version.hash, live.league.settings)
        await anext(pieces)
        name = f'attachment; filename="{entry.of(version)}.zip"'
        return StreamingResponse(pieces, media_type="application/zip", headers={"content-disposition": name})

    @endpoint(
        "POST",
        f"{AT}/bots/{{bot}}/roll-back",
        {200: BotShown},
        body=VersionNamed,
        proof="token",
        refusals=("conflict", "too_many"),
    )
    async def roll_back(self, request: Request) -> BotShown:
        """Has an earlier version play again that has played."""
        live, viewer, entry = await self._door.bot(request)
        number = (await body_of(request, VersionNamed)).version
        after = roll_back(live.league, entry.id, number, live.now(), is_host=viewer.host is not None)
        await put_kept(live, after.noting(acting(viewer), f"has {entry.id}@{number} play again", live.now()))
        return shown_bot(live, live.league.entry(entry.id), viewer)

    @endpoint(
        "POST",
        f"{AT}/bots/{{bot}}/withdraw",
        {200: BotShown},
        body=Nothing,
        needs_body=False,
        proof="token",
        refusals=("conflict",),
    )
    async def withdraw(self, request: Request) -> BotShown:
        """Takes a bot out of play, with what is still to be tried."""
        live, viewer, entry = await self._door.bot(request)
        await body_of(request, Nothing)
        after = withdraw_entry(live.league, entry.id, live.now())
        await put_kept(live, after.noting(acting(viewer), f"withdraws {entry.id}", live.now()))
        return shown_bot(live, live.league.entry(entry.id), viewer)

    @endpoint(
        "POST", f"{AT}/bots/{{bot}}/name", {200: Done}, body=NewName, proof="token", refusals=("conflict",)
    )
    async def rename_bot(self, request: Request) -> Done:
        """Gives a bot another name; its owner, or a host."""
        live, viewer, entry = await self._door.bot(request)
        name, who = (await body_of(request, NewName)).name, acting(viewer)
        return await put_kept(
            live, rename_entry(live.league, entry.id, name, who, live.now(), by_host=bool(who))
        )


def _number(word: str) -> int:
    """The number of a version in a path; 0, which none has, for what is no number."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 9 else 0


async def _tagged(request: Request, answer: list[T]) -> Response:
    """An answer that a client does not get again if it has it; to pack 100 bots takes milliseconds."""
    octets = msgspec.json.encode(answer)
    return packed_answer(request, await trio.to_thread.run_sync(packed_page, octets, "application/json"))


def _page(request: Request, all_of_them: list[T]) -> list[T]:
    first = number_in_query(request, "first", 0, 10**9) or 0
    return all_of_them[first : first + PAGE]


def _file_name(name: str) -> str:
    """The last part of a path as any system writes it."""
    return re.split(r"[/\\]", name[:200])[-1]
