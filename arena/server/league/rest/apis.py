"""All that is said to leagues over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

from arena.server.http.endpoints import Api
from arena.server.kept.reports import Reports
from arena.server.league.hosts import Hosts
from arena.server.league.league_door import LeagueDoor
from arena.server.league.league_reading import LeagueReading
from arena.server.league.leagues import Leagues
from arena.server.league.own_page import OwnApi
from arena.server.league.rest.alike_api import AlikeApi
from arena.server.league.rest.connecting_api import ConnectingApi
from arena.server.league.rest.epochs_api import EpochsApi
from arena.server.league.rest.host_api import HostApi
from arena.server.league.rest.league_api import LeagueApi
from arena.server.league.rest.machine_api import MachineApi
from arena.server.league.rest.played import PlayedApi
from arena.server.league.standings import StandingsApi
from arena.server.league.uploads import Uploads


def league_apis(leagues: Leagues, hosts: Hosts, reports: Reports | None = None) -> Sequence[Api]:
    """The endpoints of everybody, of what was played, of owners, and those of hosts.

    `reports`: makes the pages of bots.
    """
    door, uploads = LeagueDoor(leagues, hosts), Uploads(leagues.bots, leagues.hashes_in_use)
    reading = LeagueReading(door, leagues.bots.parent)
    uploads.tidy(leagues.hashes_of_forgotten())
    return [
        LeagueApi(door, uploads),
        ConnectingApi(door),
        StandingsApi(door),
        MachineApi(door),
        PlayedApi(reading),
        OwnApi(reading, reports),
        EpochsApi(door, leagues.bots.parent),
        HostApi(door, uploads, reports),
        AlikeApi(door, leagues.bots),
    ]
