"""Where everybody stands in a league, as its process said last, with the names that people know."""

from __future__ import annotations

import msgspec
from starlette.requests import Request

from arena.ladder.messages import LadderRow, StandingsSaid
from arena.league.league import League
from arena.schedule.ladder_costs import ladder_costs
from arena.server.http.endpoints import Api, endpoint
from arena.server.league.league_door import LeagueDoor
from arena.server.league.leagues import OpenLeague
from arena.server.league.rest.league_api import AT


class PlaceInLeague(msgspec.Struct):
    """Where a bot stands."""

    bot: str
    """The id of the bot, or the name of one that comes with the arena."""
    version: int | None
    """The number of the version that plays; null: it comes with the arena."""
    name: str
    owner: str | None
    owner_name: str | None
    best: int
    """The best and the worst rank that its true strength may have, from 1: settled where they are one."""
    worst: int
    rating: float
    """In Elo; the mean of all that play is 1500."""
    error: float | None
    """Within how many Elo the rating is known (95 %), however often somebody looks; null: not yet."""
    series: int
    """How many of its series count."""
    connects: bool
    """Whether it runs elsewhere and connects."""


class LeagueCosts(msgspec.Struct):
    """What a league takes, by how long its matches have taken lately."""

    matches_an_hour: int
    newcomer_minutes: float
    """Until a new version is ranked: its rating is known within 100 Elo."""
    settled_hours: float
    """From the first match until bots 100 Elo apart are in a sure order."""
    gb_a_week: float
    """What the matches take on the disk."""


class LeagueStandings(msgspec.Struct):
    """Where everybody stands."""

    batch: int
    """The number of the batch that is played; -1: none was yet."""
    matches: int
    """How many matches are over."""
    places: list[PlaceInLeague]
    """The bots that play and are rated, the best first."""
    trouble: str
    """Why the league is not played, as a sentence; empty if it is."""
    costs: LeagueCosts | None = None
    """What is to be expected if it goes on like this; null: not known yet."""


def standings_of(live: OpenLeague) -> LeagueStandings:
    """The standings of a league; they may be ten seconds old."""
    said, league = live.standings, live.league
    trouble = live.trouble if not live.is_played else ""
    if said is None:
        return LeagueStandings(-1, 0, [], trouble)
    places = [_place(league, row) for row in said.rows]
    return LeagueStandings(said.batch, said.matches, places, trouble, _costs(said))


def _costs(said: StandingsSaid) -> LeagueCosts | None:
    if not said.match_s or not said.rows:
        return None
    costs = ladder_costs(
        bots=len(said.rows),
        match_s=said.match_s,
        cores=said.cores,
        match_bytes=said.match_bytes,
        batch_s=said.batch_s,
    )
    return LeagueCosts(
        round(costs.matches_an_hour),
        round(costs.newcomer_minutes, 1),
        round(costs.settled_hours, 1),
        round(costs.gb_a_week, 3),
    )


def _place(league: League, row: LadderRow) -> PlaceInLeague:
    found = league.find_version(row.id)
    entry, version = found or (None, None)
    owner = None if entry is None else league.owners[entry.owner]
    return PlaceInLeague(
        bot=row.id if entry is None else entry.id,
        version=None if version is None else version.number,
        name=row.id if entry is None else entry.shown_name,
        owner=None if owner is None else owner.id,
        owner_name=None if owner is None else owner.shown_name,
        best=row.best,
        worst=row.worst,
        rating=row.rating,
        error=row.error,
        series=row.series,
        connects=version is not None and version.connects,
    )


class StandingsApi(Api):
    """The handler, behind a league's door."""

    def __init__(self, door: LeagueDoor) -> None:
        self._door = door

    @endpoint("GET", f"{AT}/standings", {200: LeagueStandings}, proof="token or none")
    async def get_standings(self, request: Request) -> LeagueStandings:
        """Where everybody stands; at most ten seconds old."""
        live, _ = await self._door.seen_by(request)
        return standings_of(live)
