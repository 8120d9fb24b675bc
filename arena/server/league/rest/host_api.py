"""What hosts do over HTTP: they make leagues, decide who joins and what plays, and read the roster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import trio
from starlette.requests import Request

from arena.errors import ConfigError
from arena.league.joining import (
    add_roster,
    ban_owner,
    forget_owner,
    hash_of_code,
    joined_of_roster,
    lift_ban,
    revoke_join_code,
    set_join_code,
)
from arena.league.league import LeagueSettings
from arena.league.moderation import exclude, readmit, retry, set_paused, tell_all
from arena.league.naming import show_name
from arena.league.roster import RosterRow, read_roster, roster_text
from arena.league.settings import change_settings
from arena.refusal import Refusal
from arena.server.http.answer_types import Done
from arena.server.http.endpoints import Answerer, Api, Method, endpoint
from arena.server.http.request_types import Nothing, bearer_of, body_of
from arena.server.kept.reports import Reports
from arena.server.league.league_door import SEND_TOKEN, LeagueDoor, host_among, put_kept
from arena.server.league.leagues import checked_code, new_code
from arena.server.league.rest.league_api import AT, ROOT
from arena.server.league.rest.league_types import (
    BotShown,
    ChangedSettings,
    CodeMade,
    LeagueMade,
    LeagueShown,
    NameDecided,
    NewAnnouncement,
    NewCode,
    NewExclusion,
    NewLeague,
    NewReason,
    NewRoster,
    OwnerForgotten,
    OwnerKnown,
    RosterCode,
    RosterCodes,
    RosterShown,
    VersionNamed,
)
from arena.server.league.rest.league_views import (
    LeagueViewer,
    known_owner,
    shown_bot,
    shown_league,
    shown_roster,
)
from arena.server.league.small_files import Forgotten, note_forgotten
from arena.server.league.uploads import Uploads
from arena.server.tables.api import address_of

OWNER = f"{AT}/owners/{{owner}}"
BOT = f"{AT}/bots/{{bot}}"
CODES_HEAD = ("name", "team", "id", "code")


def _by_host(
    method: Method, path: str, answer: Any, body: Any = None, *, status: int = 200
) -> Callable[[Answerer], Answerer]:
    """The endpoint of something that a host does."""
    return endpoint(
        method,
        path,
        {status: answer},
        body=body,
        needs_body=body is not None and body is not Nothing,
        proof="token",
        refusals=("conflict",),
    )


class HostApi(Api):
    """The handlers of what hosts do."""

    def __init__(self, door: LeagueDoor, uploads: Uploads, reports: Reports | None = None) -> None:
        """`reports`: what was made of bots, which is forgotten with their owner."""
        self._door = door
        self._uploads = uploads
        self._forgetting = trio.Lock()
        self._reports = reports

    # The league

    @_by_host("POST", ROOT, LeagueMade, NewLeague, status=201)
    async def create(self, request: Request) -> LeagueMade:
        """Makes a league; the answer has the code with which people join."""
        leagues = self._door.leagues
        leagues.records.check()
        host = host_among(LeagueViewer(host=await self._host_of_server(request)))
        new = await body_of(request, NewLeague)
        lacks = await leagues.lacks_box() if new.hand_ins else ""
        takes = new.hand_ins and not lacks
        settings = LeagueSettings(new.name, new.game, new.rules, new.seats, hand_ins=takes, **new.changes())
        live, code = await leagues.create(settings, host.name, new.code)
        said = f"bots connect to it and are not handed in, as this server has no box for them: {lacks}"
        return LeagueMade(shown_league(live), code, said if lacks else "")

    async def _host_of_server(self, request: Request) -> Any:
        """The host whose token is sent; None if none is."""
        token = bearer_of(request, SEND_TOKEN)
        if token is None:
            return None
        if (found := self._door.hosts.find(token)) is None:
            await self._door.guesses.wrong_token(address_of(request))
        return found

    @_by_host("POST", f"{AT}/settings", LeagueShown, ChangedSettings)
    async def change(self, request: Request) -> LeagueShown:
        """Changes settings; those that are left out stay."""
        live, host = await self._door.host(request)
        changes = (await body_of(request, ChangedSettings)).changes()
        after = change_settings(live.league, host.name, changes, live.now())
        self._door.leagues.libraries.check(changes.get("library", ""))
        await put_kept(live, after)
        return shown_league(live)

    @_by_host("POST", f"{AT}/pause", LeagueShown, Nothing)
    async def pause(self, request: Request) -> LeagueShown:
        """Pauses the league: no more matches, builds and checks begin."""
        return await self._set_paused(request, True)

    @_by_host("POST", f"{AT}/resume", LeagueShown, Nothing)
    async def resume(self, request: Request) -> LeagueShown:
        """Goes on with a league that was paused."""
        return await self._set_paused(request, False)

    async def _set_paused(self, request: Request, is_paused: bool) -> LeagueShown:
        live, host = await self._door.host(request)
        await body_of(request, Nothing)
        await put_kept(live, set_paused(live.league, host.name, is_paused, live.now()))
        return shown_league(live)

    @_by_host("POST", f"{AT}/messages", Done, NewAnnouncement, status=201)
    async def announce(self, request: Request) -> Done:
        """Says something to everybody in the league: a line of its log."""
        live, host = await self._door.host(request)
        message = (await body_of(request, NewAnnouncement)).message
        return await put_kept(live, tell_all(live.league, host.name, message, live.now()))

    # Who takes part

    @_by_host("POST", f"{AT}/codes", CodeMade, NewCode, status=201)
    async def make_code(self, request: Request) -> CodeMade:
        """Makes a code for all, in place of the one before."""
        live, host = await self._door.host(request)
        chosen = (await body_of(request, NewCode)).code
        code = checked_code(chosen) if chosen else new_code()
        await put_kept(live, set_join_code(live.league, host.name, hash_of_code(code), live.now()))
        return CodeMade(code)

    @_by_host("DELETE", f"{AT}/codes", Done)
    async def revoke_code(self, request: Request) -> Done:
        """Ends the code for all; personal codes stay."""
        live, host = await self._door.host(request)
        return await put_kept(live, revoke_join_code(live.league, host.name, live.now()))

    @_by_host("POST", f"{AT}/roster", RosterCodes, NewRoster, status=201)
    async def read_in(self, request: Request) -> RosterCodes:
        """Makes a personal code for each person of a roster who has not joined yet."""
        live, host = await self._door.host(request)
        text = (await body_of(request, NewRoster)).roster
        rows, codes, hashes = await trio.to_thread.run_sync(_rows_with_codes, text)  # takes 20 ms for 1,000
        here = joined_of_roster(live.league)
        await put_kept(live, add_roster(live.league, host.name, rows, hashes, live.now()))
        made = [
            RosterCode(row.name, row.team, row.id, "" if (row.name, row.team, row.id) in here else code)
            for row, code in zip(rows, codes, strict=True)
        ]
        text = roster_text(CODES_HEAD, [(each.name, each.team, each.id, each.code) for each in made])
        return RosterCodes(made, text)

    @_by_host("GET", f"{AT}/roster", RosterShown)
    async def get_roster(self, request: Request) -> RosterShown:
        """Who of the roster has joined, and who has handed in."""
        live, _ = await self._door.host(request, may_assist=True)
        return RosterShown(await trio.to_thread.run_sync(shown_roster, live.league))

    @_by_host("GET", OWNER, OwnerKnown)
    async def get_owner(self, request: Request) -> OwnerKnown:
        """An owner with all that hosts know of it."""
        live, _ = await self._door.host(request, may_assist=True)
        return known_owner(live.league, live.league.owner(request.path_params["owner"]))

    @_by_host("POST", f"{OWNER}/ban", Done, NewReason)
    async def ban(self, request: Request) -> Done:
        """Bans an owner: its bots are excluded, and it may only look."""
        live, host = await self._door.host(request)
        reason, id = (await body_of(request, NewReason)).reason, request.path_params["owner"]
        return await put_kept(live, ban_owner(live.league, id, host.name, reason, live.now()))

    @_by_host("DELETE", f"{OWNER}/ban", Done)
    async def unban(self, request: Request) -> Done:
        """Lifts a ban; the bots stay excluded until they are taken in again."""
        live, host = await self._door.host(request)
        return await put_kept(
            live, lift_ban(live.league, request.path_params["owner"], host.name, live.now())
        )

    @_by_host("DELETE", OWNER, OwnerForgotten)
    async def forget(self, request: Request) -> OwnerForgotten:
        """Forgets an owner: names, roster, tokens, codes, hand-ins, logs; matches keep its bots' ids."""
        live, host = await self._door.host(request)
        id = request.path_params["owner"]
        live.league.owner(id)
        stone = Forgotten(live.league.name, live.league.made_at, id)
        try:
            async with self._forgetting:
                await trio.to_thread.run_sync(note_forgotten, self._door.leagues.bots.parent, stone)
        except ConfigError as error:
            raise Refusal(
                "unavailable", f"nobody is forgotten yet: {error}", key="disk", seconds=60.0
            ) from None
        bots = [entry.id for entry in live.league.entries_of(id)]
        people = len(live.league.owner(id).persons)
        after, hashes = forget_owner(live.league, id, host.name, live.now())
        try:
            await put_kept(live, after)
        finally:  # the note of it lies on the disk already: whatever else fails, the files go
            with trio.CancelScope(shield=True):
                await self._uploads.remove(hashes)
                logs = await trio.to_thread.run_sync(live.remove_logs)
                if self._reports is not None:
                    await self._reports.remove(live.league.name, bots)
        return OwnerForgotten(id, bots, people, len(hashes), logs)

    @_by_host("POST", f"{AT}/names/{{id}}", Done, NameDecided)
    async def decide_name(self, request: Request) -> Done:
        """Approves the name of an owner or a bot, or has its id shown in its place."""
        live, host = await self._door.host(request)
        is_shown, id = (await body_of(request, NameDecided)).shown, request.path_params["id"]
        return await put_kept(live, show_name(live.league, id, host.name, is_shown, live.now()))

    # What plays

    @_by_host("POST", f"{BOT}/exclude", BotShown, NewExclusion)
    async def exclude(self, request: Request) -> BotShown:
        """Excludes a bot, or one version of it."""
        new = await body_of(request, NewExclusion)
        live, host = await self._door.host(request)
        id = request.path_params["bot"]
        await put_kept(live, exclude(live.league, id, new.version, host.name, new.reason, live.now()))
        return shown_bot(live, live.league.entry(id), LeagueViewer(host=host))

    @_by_host("POST", f"{BOT}/readmit", BotShown, Nothing)
    async def readmit(self, request: Request) -> BotShown:
        """Takes a bot in again that was excluded."""
        live, host = await self._door.host(request)
        await body_of(request, Nothing)
        id = request.path_params["bot"]
        await put_kept(live, readmit(live.league, id, host.name, live.now()))
        return shown_bot(live, live.league.entry(id), LeagueViewer(host=host))

    @_by_host("POST", f"{BOT}/retry", BotShown, VersionNamed)
    async def retry(self, request: Request) -> BotShown:
        """Has a version tried again that was refused, excluded, or failed in play; assistants may, too."""
        live, host = await self._door.host(request, may_assist=True)
        number, id = (await body_of(request, VersionNamed)).version, request.path_params["bot"]
        await put_kept(live, retry(live.league, id, number, host.name, live.now()))
        return shown_bot(live, live.league.entry(id), LeagueViewer(host=host))


def _rows_with_codes(text: str) -> tuple[list[RosterRow], list[str], list[str]]:
    """The people of a roster, a new code for each, and the codes' hashes.  Raises Refusal."""
    rows = read_roster(text)
    codes = [new_code() for _ in rows]
    return rows, codes, list(map(hash_of_code, codes))
