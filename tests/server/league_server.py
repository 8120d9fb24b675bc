"""Leagues without a disk: their endpoints, a host, and a process that plays nothing and notes what it is told."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from arena.server.http.endpoints import Api
from arena.server.kept.reports import Reports
from arena.server.league.hosts import Hosts
from arena.server.league.league_records import LeagueRecords
from arena.server.league.leagues import Leagues, OpenLeague
from arena.server.league.playing import VersionToPlay
from arena.server.league.rest.apis import league_apis


class FakeProcess:
    """Notes what it is asked to play."""

    def __init__(self) -> None:
        self.field: Sequence[VersionToPlay] = ()
        self.told = 0
        self.is_paused = False
        self.asks = 0
        """How often it was asked what bots find."""

    def set_field(self, versions: Sequence[VersionToPlay]) -> None:
        self.field = versions
        self.told += 1

    def set_paused(self, is_paused: bool) -> None:
        self.is_paused = is_paused

    def ask_machine(self) -> None:
        self.asks += 1

    @property
    def ids(self) -> list[str]:
        return [version.id for version in self.field]


@attrs.frozen
class LeagueServer:
    """Leagues, what is said to them over HTTP, and the token of their host."""

    leagues: Leagues
    apis: Sequence[Api]
    host: str
    folder: Path
    reports: Reports


def a_league_server(
    folder: Path | None = None,
    *,
    records: LeagueRecords | None = None,
    now: Callable[[], float] = lambda: 1000.0,
    opened: Callable[[OpenLeague], None] = lambda league: None,
) -> LeagueServer:
    """A server's leagues; its folder is gone with the test."""
    folder = folder or Path(tempfile.mkdtemp(prefix="league-"))
    hosts = Hosts(folder)
    token = hosts.first_token()
    leagues = Leagues(records or LeagueRecords(), folder, now=now, opened=opened)
    reports = Reports(folder, note=lambda said: None)
    return LeagueServer(leagues, league_apis(leagues, hosts, reports), token or "", folder, reports)
