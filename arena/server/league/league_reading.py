"""Reading the results folders of leagues for those who may see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import trio
from starlette.requests import Request

from arena.league.league import LeagueEntry
from arena.refusal import Refusal
from arena.schedule.roster import slot_name
from arena.server.http.quotas import WaitingRequests
from arena.server.kept.results import ResultsCatalog
from arena.server.league.league_door import LeagueDoor, check_acts_for
from arena.server.league.leagues import FOLDER, OpenLeague
from arena.server.league.rest.league_views import LeagueViewer
from arena.server.limits import READERS, READING_PER_ADDRESS
from arena.server.tables.api import address_of

T = TypeVar("T")


class LeagueReading:
    """The folders of a server's leagues, behind their door; what is read is read in threads."""

    def __init__(self, door: LeagueDoor, data: Path) -> None:
        """`data`: the server's folder."""
        self.door = door
        self.folder = data / FOLDER
        self.catalog = ResultsCatalog(self.folder)
        self._readers = trio.CapacityLimiter(READERS)
        self._waits = WaitingRequests(READING_PER_ADDRESS)

    async def read(self, request: Request, read: Callable[[], T]) -> T:
        """What a thread reads, of which an address may have a few at a time."""
        with self._waits.counted(address_of(request)):
            return await trio.to_thread.run_sync(read, limiter=self._readers)

    async def own_bot(self, request: Request) -> tuple[OpenLeague, LeagueEntry]:
        """The bot of the path, for its owner, banned or not, and for hosts.  Raises Refusal."""
        live, viewer = await self.door.seen_by(request)
        entry = live.league.entry(request.path_params["bot"])
        check_acts_for(viewer, entry.owner, may_look=True)
        return live, entry


def started_versions(entry: LeagueEntry) -> list[str]:
    """The names in results of the versions of a bot that have played, the newest first.

    Raises Refusal if none has.
    """
    names = [entry.of(version) for version in reversed(entry.versions) if version.played_at is not None]
    if not names:
        raise Refusal("not_found", f"{entry.shown_name} has not played yet")
    return names


def check_shown(live: OpenLeague, viewer: LeagueViewer, names: Sequence[str]) -> None:
    """Raises Refusal if this viewer may not see what these bots played together."""
    if live.league.settings.replays == "all" or viewer.host is not None:
        return
    entries = live.league.entries
    owners = {entries[slot_name(name)].owner for name in names if slot_name(name) in entries}
    if viewer.owner is None or viewer.owner.id not in owners:
        raise Refusal("forbidden", f"{live.league.name} shows an owner its own matches alone")
