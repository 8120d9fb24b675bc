"""Where two owners handed in equal files, for hosts alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
import trio
from starlette.requests import Request

from arena.league.alike import AlikeOwners, alike_owners
from arena.league.league import League
from arena.server.http.endpoints import Api, endpoint
from arena.server.league.league_door import LeagueDoor
from arena.server.league.rest.league_api import AT

BYTES_LEAST, BYTES_MOST = 200, 1 << 20
"""Files with fewer bytes are equal by chance, and larger ones are data."""
FILES_MAX = 100
"""Files of a hand-in that are looked at."""


class AlikeShown(msgspec.Struct):
    """Two owners who handed in equal files."""

    owners: tuple[str, str]
    names: tuple[str, str]
    """What these are called."""
    versions: tuple[str, str]
    is_whole: bool
    """Whether a version of both has all files equal."""
    files: int
    """How many files both have, without those that many owners have."""
    paths: list[str]
    """Some of these."""


class AlikeApi(Api):
    """The handler; what the hand-ins of the last league hold is kept, as it never changes."""

    def __init__(self, door: LeagueDoor, bots: Path) -> None:
        self._door = door
        self._bots = bots
        self._known: dict[str, Mapping[str, str]] = {}
        self._one = trio.CapacityLimiter(1)

    @endpoint("GET", f"{AT}/alike", {200: list[AlikeShown]}, proof="token", refusals=("forbidden",))
    async def list_alike(self, request: Request) -> list[AlikeShown]:
        """A host: the owners who handed in equal files, those with equal versions first."""
        live, _ = await self._door.host(request, may_assist=True)
        league = live.league
        found = await trio.to_thread.run_sync(self._found, league, limiter=self._one)
        names = {id: owner.name or id for id, owner in league.owners.items()}
        return [
            AlikeShown(
                each.owners,
                (names[each.owners[0]], names[each.owners[1]]),
                each.versions,
                each.is_whole,
                each.files,
                list(each.paths),
            )
            for each in found
        ]

    def _found(self, league: League) -> list[AlikeOwners]:
        versions = (version for entry in league.entries.values() for version in entry.versions)
        hashes = {version.hash for version in versions if version.hash}
        self._known = {hash: self._known.get(hash) or file_hashes(self._bots / hash) for hash in hashes}
        return alike_owners(league, self._known)


def file_hashes(folder: Path) -> dict[str, str]:
    """What each file of a hand-in holds, as a hash -> its path; of those that say something."""
    found: dict[str, str] = {}
    for top, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(top) / name
            with suppress(OSError):
                if BYTES_LEAST <= path.lstat().st_size <= BYTES_MOST and not path.is_symlink():
                    held = hashlib.sha256(path.read_bytes()).hexdigest()
                    found.setdefault(held, path.relative_to(folder).as_posix())
        if len(found) >= FILES_MAX:
            break
    return found
