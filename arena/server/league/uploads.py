"""Hand-ins on their way to the disk: one at a time of an owner, to a file that is gone afterwards."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

import trio
from starlette.requests import Request

from arena.errors import ConfigError
from arena.handin.bounds import BadHandIn, HandInLimits
from arena.handin.pack import pack_bot
from arena.handin.unpack import HandIn, remove_leftovers, unpack_bot
from arena.league.league import LeagueSettings
from arena.refusal import Refusal
from arena.server.http.quotas import Quota
from arena.store.files import made

UPLOADS_MAX = 100
"""Uploads at one time, of all owners."""
PIECE_BYTES = 1 << 20
"""How much is written at once, in a thread."""
PREFIX = ".upload-"
"""How the names of files begin that are being received."""
SENT_BYTES = 1 << 16
"""How much of a hand-in is sent at once."""
_LARGEST = HandInLimits(archive_mb=200, files_max=10_000)
"""What was handed in when more was allowed is given back, too."""
UNPACKING = 1
"""Archives that are unpacked at the same time: a table of people must not wait for them."""

_HASH = re.compile("[0-9a-f]{64}")


class Uploads:
    """Receives hand-ins, and unpacks them."""

    def __init__(self, folder: Path, in_use: Callable[[], Collection[str]] = frozenset) -> None:
        """`folder`: where they lie afterwards, each below its hash; `in_use`: the hashes of leagues."""
        self._folder = folder
        self._in_use = in_use
        self._unused = set[str]()
        """Hashes that may be in use no more."""
        self._busy: set[tuple[str, str]] = set()
        self._count = Quota(UPLOADS_MAX, near=UPLOADS_MAX, total=UPLOADS_MAX)
        self._unpacking = trio.CapacityLimiter(UNPACKING)

    def tidy(self, gone: Collection[str] = ()) -> None:
        """Removes what was coming in when the server was killed, and what was to be deleted (`gone`)."""
        for hash in gone:
            self._delete(hash)
        if self._folder.is_dir():
            remove_leftovers(self._folder)
            for path in self._folder.glob(f"{PREFIX}*"):
                with suppress(OSError):
                    path.unlink()

    @asynccontextmanager
    async def received(
        self, request: Request, league: LeagueSettings, owner: str, name: str
    ) -> AsyncIterator[HandIn]:
        """What a request sends, completely received and unpacked.  Raises Refusal.

        `name`: what the file is called.
        """
        key = (league.name, owner)
        if key in self._busy:
            why = "a hand-in of yours is being received: wait until it is there, and send the next one then"
            raise Refusal("conflict", why)
        if self._count.total >= UPLOADS_MAX:
            raise Refusal(
                "too_many", "too many hand-ins come at once: wait 10 s", key="uploads", seconds=10.0
            )
        self._busy.add(key)
        try:
            with self._count.counted(""):
                handed = await self._unpacked(request, league, name)
                self._unused.add(handed.hash)  # unless it is taken in now
                yield handed
        finally:
            self._busy.discard(key)
            await self.remove(())

    async def packed(self, hash: str, league: LeagueSettings) -> AsyncIterator[bytes]:
        """A hand-in as a zip, in pieces.  Raises Refusal before the first one if it is not there."""
        with tempfile.TemporaryFile(dir=made(self._folder)) as file:
            pack = partial(pack_bot, self._folder / hash, file, limits=_LARGEST)
            try:
                await trio.to_thread.run_sync(pack, limiter=self._unpacking)
            except ConfigError:
                why = f"the files of this version are not on the server any more: hand it in to {league.name}"
                raise Refusal("not_found", f"{why} anew", field="version") from None
            file.seek(0)
            yield b""
            while piece := await trio.to_thread.run_sync(file.read, SENT_BYTES):
                yield piece

    def note_unused(self, hashes: Collection[str]) -> None:
        """Has hand-ins deleted at the next occasion, if no league has them any more."""
        self._unused.update(hashes)

    async def remove(self, hashes: Collection[str]) -> None:
        """Deletes hand-ins that no league has any more, once none is being received: it may be the same."""
        self.note_unused(hashes)
        async with self._unpacking:
            if self._busy or not self._unused:
                return
            gone, self._unused = self._unused - frozenset(self._in_use()), set()
            for hash in gone:
                await trio.to_thread.run_sync(self._delete, hash)

    def _delete(self, hash: str) -> None:
        if _HASH.fullmatch(hash):  # a version without files has another word there, or none: not this folder
            shutil.rmtree(self._folder / hash, ignore_errors=True)

    async def _unpacked(self, request: Request, league: LeagueSettings, name: str) -> HandIn:
        most = league.archive_mb << 20
        check_announced(request, most)
        path: Path | None = None
        try:
            with tempfile.NamedTemporaryFile(dir=made(self._folder), prefix=PREFIX, delete=False) as file:
                path = Path(file.name)
                await _write(request, file, most)
            limits = HandInLimits(archive_mb=league.archive_mb, files_max=league.files_max)
            unpack = partial(
                unpack_bot,
                path,
                self._folder,
                name=name,
                limits=limits,
                tick=trio.from_thread.check_cancelled,
            )
            return await trio.to_thread.run_sync(unpack, limiter=self._unpacking)
        except BadHandIn as error:
            raise Refusal("bad_request", str(error), field="archive") from None
        except (ConfigError, OSError):  # a full disk, which is the host's matter, not the owner's
            why = "the server cannot keep a hand-in, as its disk is full or fails: tell the host"
            raise Refusal("unavailable", why, key="disk", seconds=60.0) from None
        finally:
            if path is not None:
                with suppress(OSError):
                    os.unlink(path)


def check_announced(request: Request, bytes_max: int) -> None:
    """Raises Refusal if a request says that it sends more than the league takes."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length[:18]) > bytes_max:
        raise _too_long(bytes_max)


async def _write(request: Request, file: IO[bytes], bytes_max: int) -> None:
    """Writes the body to a file.  Raises Refusal if it is too long, or empty."""
    size, pieces = 0, bytearray()
    async with aclosing(request.stream()) as stream:
        async for piece in stream:
            size += len(piece)
            if size > bytes_max:
                raise _too_long(bytes_max)
            pieces += piece
            if len(pieces) >= PIECE_BYTES:
                await trio.to_thread.run_sync(file.write, bytes(pieces))
                pieces.clear()
    await trio.to_thread.run_sync(file.write, bytes(pieces))
    if not size:
        raise Refusal("bad_request", "the body is empty: send an archive, or one file", field="archive")


def _too_long(bytes_max: int) -> Refusal:
    why = f"a hand-in is at most {bytes_max >> 20} MB here: leave out what the bot does not need"
    return Refusal("too_large", why)
