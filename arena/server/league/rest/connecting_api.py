"""Versions that connect, over HTTP: nothing but their owner can say that a program is another one."""

from __future__ import annotations

from starlette.requests import Request

from arena.league.connecting import name_version
from arena.server.http.endpoints import Api, endpoint
from arena.server.http.request_types import body_of
from arena.server.league.league_door import LeagueDoor, put_kept
from arena.server.league.rest.league_api import AT
from arena.server.league.rest.league_types import ConnectingNamed, NewConnecting
from arena.server.league.rest.league_views import LeagueViewer, shown_bot, shown_version


class ConnectingApi(Api):
    """The handler, behind a league's door."""

    def __init__(self, door: LeagueDoor) -> None:
        self._door = door

    @endpoint(
        "POST",
        f"{AT}/connecting",
        {201: ConnectingNamed},
        body=NewConnecting,
        proof="token",
        refusals=("conflict", "too_many"),
    )
    async def name_version(self, request: Request) -> ConnectingNamed:
        """Names a new version of a bot, which plays once it has connected, in place of the one before."""
        live, owner = await self._door.owner(request)
        bot = (await body_of(request, NewConnecting)).bot.strip()
        after, named = name_version(live.league, owner.id, bot, live.now())
        await put_kept(live, after)
        entry = live.league.entry(named.entry.id)
        return ConnectingNamed(
            bot=shown_bot(live, entry, LeagueViewer(owner=owner)),
            version=shown_version(entry, entry.version(named.version.number), True),
            said=f"{entry.name} version {named.version.number} waits for its connection",
        )
