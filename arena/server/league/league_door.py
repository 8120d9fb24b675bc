"""Who asks something of a league, and what they may."""

from __future__ import annotations

from starlette.requests import Request

from arena.league.joining import banned_words, hash_of_token
from arena.league.league import League, LeagueEntry, Owner
from arena.refusal import Refusal
from arena.server.http.answer_types import Done
from arena.server.http.request_types import bearer_of
from arena.server.league.guesses import Guesses
from arena.server.league.hosts import Host, Hosts
from arena.server.league.leagues import Leagues, OpenLeague
from arena.server.league.rest.league_views import LeagueViewer
from arena.server.tables.api import address_of

SEND_TOKEN = "send the token of an owner or of a host: `Authorization: Bearer TOKEN`"


class LeagueDoor:
    """Says who asks; the endpoints of owners and of hosts share it."""

    def __init__(self, leagues: Leagues, hosts: Hosts) -> None:
        self.leagues = leagues
        self.hosts = hosts
        self.guesses = Guesses()

    async def seen_by(self, request: Request) -> tuple[OpenLeague, LeagueViewer]:
        """The league, and who looks at it.  Raises Refusal if they may not."""
        live = self.leagues.find(request.path_params["league"])
        viewer = await self.viewer(request, live)
        if viewer.is_anybody and live.league.settings.look != "public":
            raise Refusal(
                "unauthorized", f"{live.league.name} shows itself to its members alone: {SEND_TOKEN}"
            )
        return live, viewer

    async def viewer(self, request: Request, live: OpenLeague) -> LeagueViewer:
        """Whose token is sent.  Raises Refusal for one that nobody has, more slowly the more come."""
        token = bearer_of(request, SEND_TOKEN)
        if token is None:
            return LeagueViewer()
        if (owner := live.league.holder(hash_of_token(token))) is not None:
            return LeagueViewer(owner=owner)
        if (host := self.hosts.find(token)) is not None:
            return LeagueViewer(host=host)
        await self.guesses.wrong_token(address_of(request))
        why = "this token is not valid here, or was revoked: ask the host of the league for a code"
        raise Refusal("unauthorized", why)

    async def owner(self, request: Request) -> tuple[OpenLeague, Owner]:
        """The owner who does something.  Raises Refusal."""
        self.leagues.records.check()
        live, viewer = await self.seen_by(request)
        if viewer.owner is None:
            raise _no_owner(viewer)
        if viewer.owner.ban:
            raise Refusal("forbidden", banned_words(viewer.owner))
        return live, viewer.owner

    async def host(self, request: Request, *, may_assist: bool = False) -> tuple[OpenLeague, Host]:
        """The host who does something.  Raises Refusal."""
        self.leagues.records.check()
        live = self.leagues.find(request.path_params["league"])
        return live, host_among(await self.viewer(request, live), may_assist)

    async def owner_or_host(self, request: Request) -> tuple[OpenLeague, LeagueViewer, Owner]:
        """Who does something to an owner of the path: that owner, or a host.  Raises Refusal."""
        self.leagues.records.check()
        live, viewer = await self.seen_by(request)
        owner = live.league.owner(request.path_params["owner"])
        check_acts_for(viewer, owner.id)
        return live, viewer, owner

    async def bot(self, request: Request) -> tuple[OpenLeague, LeagueViewer, LeagueEntry]:
        """Who does something to a bot of the path: its owner, or a host.  Raises Refusal."""
        self.leagues.records.check()
        live, viewer = await self.seen_by(request)
        entry = live.league.entry(request.path_params["bot"])
        check_acts_for(viewer, entry.owner)
        return live, viewer, entry


def host_among(viewer: LeagueViewer, may_assist: bool = False) -> Host:
    """The host who asks.  Raises Refusal if it is none, or an assistant who may not."""
    host = viewer.host
    if host is None and viewer.owner is None:
        raise Refusal("unauthorized", "send the token of a host: `Authorization: Bearer TOKEN`")
    if host is None:
        raise Refusal("forbidden", "only a host of this server may do this")
    if host.role == "assistant" and not may_assist:
        raise Refusal("forbidden", "an assistant may look, and have versions tried again: ask a host")
    return host


def check_acts_for(viewer: LeagueViewer, owner: str, *, may_look: bool = False) -> None:
    """Raises Refusal if somebody acts for an owner who is neither that owner nor a host.

    `may_look`: nothing changes by it, so that assistants may, and who is banned.
    """
    if viewer.host is not None:
        host_among(viewer, may_look)
    elif viewer.owner is None:
        raise Refusal("unauthorized", SEND_TOKEN)
    elif viewer.owner.id != owner:
        raise Refusal("forbidden", f"only {owner} and hosts may do this, and you are {viewer.owner.id}")
    elif viewer.owner.ban and not may_look:
        raise Refusal("forbidden", banned_words(viewer.owner))


def _no_owner(viewer: LeagueViewer) -> Refusal:
    if viewer.host is None:
        return Refusal("unauthorized", SEND_TOKEN)
    return Refusal("forbidden", "a host hands in as others do: join with a code, and send the token of it")


def acting(viewer: LeagueViewer) -> str:
    """The name of the host who acts; empty for an owner."""
    return "" if viewer.host is None else viewer.host.name


async def put_kept(live: OpenLeague, after: League) -> Done:
    """Puts the league as it is after something was done, and returns once that is kept."""
    live.change(after)
    await live.kept()
    return Done()
