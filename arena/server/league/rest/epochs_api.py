"""The epochs of a league over HTTP: their seals, and of each that has ended a copy that can be verified."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.errors import ConfigError
from arena.reading.strict import open_within
from arena.refusal import Refusal
from arena.server.http.endpoints import Api, endpoint
from arena.server.http.quotas import WaitingRequests
from arena.server.league.league_door import LeagueDoor
from arena.server.league.leagues import FOLDER
from arena.server.league.rest.league_api import AT
from arena.server.league.uploads import SENT_BYTES
from arena.server.limits import READERS, READING_PER_ADDRESS
from arena.server.tables.api import address_of
from arena.store import DATABASE, Store
from arena.tournament.folder.published import archive_of


class EpochShown(msgspec.Struct):
    """A stretch of a league that has a seed of its own."""

    number: int
    """From 0."""
    began: float
    ended: float | None
    """Null while it is played: until then its seed is secret."""
    seal: str
    """The SHA-256 of what was fixed when it began, which `arena verify` compares with the copy."""
    has_copy: bool
    """Whether its copy can be had."""


class EpochsApi(Api):
    """The handlers, behind a league's door."""

    def __init__(self, door: LeagueDoor, data: Path) -> None:
        """`data`: the server's folder."""
        self._door = door
        self._folder = data / FOLDER
        self._readers = trio.CapacityLimiter(READERS)
        self._waits = WaitingRequests(READING_PER_ADDRESS)

    @endpoint("GET", f"{AT}/epochs", {200: list[EpochShown]}, proof="token or none", refusals=("conflict",))
    async def list_epochs(self, request: Request) -> list[EpochShown]:
        """The epochs of a league with their seals, the latest first."""
        live, _ = await self._door.seen_by(request)
        return await self._shown(request, self._folder / live.league.name)

    @endpoint(
        "GET",
        f"{AT}/epochs/{{number}}",
        {200: None},
        proof="token or none",
        refusals=("forbidden", "conflict"),
    )
    async def get_epoch(self, request: Request) -> Response:
        """The copy of an epoch that has ended, as a zip: unpacked, it is a folder for `arena verify`."""
        live, viewer = await self._door.seen_by(request)
        league = live.league.name
        if live.league.settings.replays == "own" and viewer.host is None:
            why = f"{league} shows an owner its own matches alone: its hosts have the copies"
            raise Refusal("forbidden", why)
        given, shown = request.path_params["number"], await self._shown(request, self._folder / league)
        found = next((epoch for epoch in shown if str(epoch.number) == given), None)
        if found is None:
            raise Refusal("not_found", f"{league} has no epoch of this number", field="number")
        if found.ended is None:
            raise Refusal("conflict", "it is still played: it is opened, and copied, when it has ended")
        try:
            file = await trio.to_thread.run_sync(
                open_within, self._folder, archive_of(self._folder / league, found.number)
            )
        except OSError:
            raise Refusal("conflict", "its copy is still being made: ask again in a minute") from None
        name = f'attachment; filename="{league}-{found.number}.zip"'
        headers = {"content-disposition": name, "content-length": str(os.fstat(file.fileno()).st_size)}
        return StreamingResponse(_pieces(file), media_type="application/zip", headers=headers)

    async def _shown(self, request: Request, folder: Path) -> list[EpochShown]:
        with self._waits.counted(address_of(request)):
            return await trio.to_thread.run_sync(_epochs, folder, limiter=self._readers)


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    with closing(file):
        while piece := await trio.to_thread.run_sync(file.read, SENT_BYTES):
            yield piece


def _epochs(folder: Path) -> list[EpochShown]:
    """The epochs of a league's folder, without what only they know who may open them."""
    if not (folder / DATABASE).exists():
        return []
    try:
        with Store.open(folder) as store:
            rows = list(
                store.rows("SELECT number, began_at, ended_at, sha256 FROM epochs ORDER BY number DESC")
            )
    except ConfigError:
        raise Refusal("conflict", "the folder of its matches cannot be read: its host knows why") from None
    return [
        EpochShown(number, began, ended, seal, archive_of(folder, number).exists())
        for number, began, ended, seal in rows
    ]
