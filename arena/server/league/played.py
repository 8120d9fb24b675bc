"""What a league has played, for who may see it: matches of a bot, their films, and what a bot printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import trio
from starlette.requests import Request

from arena.refusal import Refusal
from arena.schedule.roster import slot_name
from arena.server.http.answer_types import FilmPage
from arena.server.http.endpoints import Api, QueryField, endpoint
from arena.server.http.quotas import WaitingRequests
from arena.server.http.request_types import number_in_query
from arena.server.http.results_types import ResultsMatches
from arena.server.kept.bot_logs import logs_text
from arena.server.kept.games_api import FIRST, FIRST_MAX, PART, part_asked
from arena.server.kept.results import ResultsCatalog
from arena.server.league.league_api import AT
from arena.server.league.league_door import LeagueDoor, check_acts_for
from arena.server.league.league_views import LeagueViewer
from arena.server.league.leagues import FOLDER, OpenLeague
from arena.server.limits import READERS, READING_PER_ADDRESS
from arena.server.tables.api import address_of
from arena.store.choosing import Kind

T = TypeVar("T")
ONLY = QueryField("only", {"type": "string", "enum": ["lost", "faults"]}, "Those that it lost, or failed in.")
PAGE = 50
"""Matches of one answer."""


class PrintedText(msgspec.Struct):
    """What a bot has printed."""

    text: str
    """The ends of its logs, the latest first."""


class PlayedApi(Api):
    """The handlers, behind a league's door."""

    def __init__(self, door: LeagueDoor, data: Path) -> None:
        """`data`: the server's folder."""
        self._door = door
        self._folder = data / FOLDER
        self._catalog = ResultsCatalog(self._folder)
        self._readers = trio.CapacityLimiter(READERS)
        self._waits = WaitingRequests(READING_PER_ADDRESS)

    @endpoint(
        "GET",
        f"{AT}/bots/{{bot}}/matches",
        {200: ResultsMatches},
        proof="token or none",
        query=(ONLY, QueryField("first", FIRST.schema, "The first match, from 0.")),
        refusals=("forbidden", "conflict"),
    )
    async def list_matches(self, request: Request) -> ResultsMatches:
        """The matches of a bot, in all its versions, the latest first."""
        live, viewer = await self._door.seen_by(request)
        entry = live.league.entry(request.path_params["bot"])
        _check_shown(live, viewer, [entry.id])
        only = _only(request)
        played = [version for version in entry.versions if version.played_at is not None]
        if not played:
            raise Refusal("not_found", f"{entry.shown_name} has not played yet")
        first = number_in_query(request, "first", 0, FIRST_MAX) or 0
        names = [entry.of(version) for version in reversed(played)]
        return await self._read(
            request, lambda: self._catalog.latest(live.league.name, names, only, first, PAGE)
        )

    @endpoint(
        "GET",
        f"{AT}/matches/{{match}}/film",
        {200: FilmPage},
        proof="token or none",
        query=PART,
        refusals=("forbidden", "conflict"),
    )
    async def get_film(self, request: Request) -> bytes:
        """A match as the site's player shows it, once its series is closed."""
        live, viewer = await self._door.seen_by(request)
        part, match = part_asked(request), request.path_params["match"]

        def check(names: Sequence[str]) -> None:
            _check_shown(live, viewer, names)

        return await self._read(
            request, lambda: self._catalog.film(live.league.name, match, part, check=check)
        )

    @endpoint("GET", f"{AT}/bots/{{bot}}/log", {200: PrintedText}, proof="token", refusals=("forbidden",))
    async def get_log(self, request: Request) -> PrintedText:
        """What the newest version of a bot that was started has printed; for its owner and hosts."""
        live, viewer = await self._door.seen_by(request)
        entry = live.league.entry(request.path_params["bot"])
        check_acts_for(viewer, entry.owner, may_look=True)
        started = [version for version in entry.versions if version.played_at is not None]
        if not started:
            why = f"{entry.shown_name} has not played yet: why it was refused stands beside it"
            raise Refusal("not_found", why)
        folder, id = self._folder / live.league.name, entry.of(started[-1])
        return PrintedText(await self._read(request, lambda: logs_text(folder, id)))

    async def _read(self, request: Request, read: Callable[[], T]) -> T:
        """What a thread reads, of which an address may have a few at a time."""
        with self._waits.counted(address_of(request)):
            return await trio.to_thread.run_sync(read, limiter=self._readers)


def _only(request: Request) -> Kind | None:
    """Which of a bot's matches are meant.  Raises Refusal."""
    match request.query_params.get("only"):
        case None:
            return None
        case "lost":
            return "lost"
        case "faults":
            return "faults"
    raise Refusal("bad_request", "only is lost or faults", field="only")


def _check_shown(live: OpenLeague, viewer: LeagueViewer, names: Sequence[str]) -> None:
    """Raises Refusal if this viewer may not see what these bots played together."""
    if live.league.settings.replays == "all" or viewer.host is not None:
        return
    entries = live.league.entries
    owners = {entries[slot_name(name)].owner for name in names if slot_name(name) in entries}
    if viewer.owner is None or viewer.owner.id not in owners:
        raise Refusal("forbidden", f"{live.league.name} shows an owner its own matches alone")
