"""What a league has played, for who may see it: matches, those of a bot, and their films."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from starlette.requests import Request

from arena.refusal import Refusal
from arena.server.http.answer_types import FilmPage
from arena.server.http.endpoints import Api, QueryField, endpoint
from arena.server.http.request_types import number_in_query
from arena.server.http.results_types import ResultsMatches
from arena.server.kept.games_api import FIRST, FIRST_MAX, PART, part_asked
from arena.server.kept.results_api import FILTERS, MATCHES, filter_asked, is_of_all_versions
from arena.server.league.league_reading import LeagueReading, check_shown, started_versions
from arena.server.league.rest.league_api import AT
from arena.server.limits import MATCHES_MAX
from arena.store.choosing import Kind

ONLY = QueryField("only", {"type": "string", "enum": ["lost", "faults"]}, "Those that it lost, or failed in.")
FIRST_MATCH = QueryField("first", FIRST.schema, "The first match, from 0.")
PAGE = 50
"""Matches of one answer."""


class PlayedApi(Api):
    """The handlers, behind a league's door."""

    def __init__(self, reading: LeagueReading) -> None:
        self._reading = reading

    @endpoint(
        "GET",
        f"{AT}/matches",
        {200: ResultsMatches},
        proof="token or none",
        query=(*FILTERS, FIRST_MATCH, MATCHES),
        refusals=("forbidden", "conflict"),
    )
    async def list_all(self, request: Request) -> ResultsMatches:
        """The matches of a league; of whom, follows from `replays`."""
        live, viewer = await self._reading.door.seen_by(request)
        of, is_of_all = filter_asked(request), is_of_all_versions(request)
        check_shown(live, viewer, [name for name in (of.bot, of.against) if name is not None])
        first = number_in_query(request, "first", 0, FIRST_MAX) or 0
        count = number_in_query(request, "count", 1, MATCHES_MAX) or PAGE
        name, catalog = live.league.name, self._reading.catalog
        return await self._reading.read(
            request, lambda: catalog.matches(name, of, first, count, all_versions=is_of_all)
        )

    @endpoint(
        "GET",
        f"{AT}/bots/{{bot}}/matches",
        {200: ResultsMatches},
        proof="token or none",
        query=(ONLY, FIRST_MATCH),
        refusals=("forbidden", "conflict"),
    )
    async def list_matches(self, request: Request) -> ResultsMatches:
        """The matches of a bot, in all its versions, the latest first."""
        live, viewer = await self._reading.door.seen_by(request)
        entry = live.league.entry(request.path_params["bot"])
        check_shown(live, viewer, [entry.id])
        only, names = _only(request), started_versions(entry)
        first = number_in_query(request, "first", 0, FIRST_MAX) or 0
        name, catalog = live.league.name, self._reading.catalog
        return await self._reading.read(request, lambda: catalog.latest(name, names, only, first, PAGE))

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
        live, viewer = await self._reading.door.seen_by(request)
        part, match = part_asked(request), request.path_params["match"]

        def check(names: Sequence[str]) -> None:
            check_shown(live, viewer, names)

        name, catalog = live.league.name, self._reading.catalog
        return await self._reading.read(request, lambda: catalog.film(name, match, part, check=check))


def _only(request: Request) -> Kind | None:
    """Which of a bot's matches are meant.  Raises Refusal."""
    only = request.query_params.get("only")
    if only is None or (only in get_args(Kind) and only != "upsets"):
        return cast("Kind | None", only)
    raise Refusal("bad_request", "only is lost or faults", field="only")
