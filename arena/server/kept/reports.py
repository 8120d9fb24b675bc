"""Reports of results folders: made one at a time by a process of low priority, and kept.

A kept report is shown at once, and made anew if the folder has changed since.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

import attrs
import trio

import arena
from arena.refusal import Refusal
from arena.server.http.packed import Packed, packed_page
from arena.server.http.quotas import RecentlyUsed
from arena.server.kept.results import Fingerprint, ResultsFolder, report_key
from arena.server.limits import (
    REPORT_BYTES_MAX,
    REPORT_S,
    REPORTS_IN_MEMORY,
    REPORTS_KEPT,
    REPORTS_WAITING,
)
from arena.words import clipped, printable, sized

FOLDER = "reports"
"""Within the server's folder."""
ANEW_S = 30.0
"""How often the report of a folder that changes all the time is made, in seconds."""
RESTS = 5
"""For how many times as long as making a report took it is not made anew: some take a minute."""
_HASH = re.compile(rb"script-src '(sha256-[A-Za-z0-9+/]{43}=)'")
_HEAD_BYTES = 1 << 12
"""The part of a report that holds its script's hash, before anything that a bot's author wrote."""


@attrs.frozen
class KeptReport:
    """A report, ready to be sent."""

    page: Packed
    script_hash: str
    """The hash of its script, as a Content-Security-Policy names it."""


class Reports:
    """The reports of a server's results folders; `run` makes those that are asked for."""

    def __init__(
        self, data: Path, note: Callable[[str], None], command: Sequence[str] = (), base: str = ""
    ) -> None:
        """`data`: the server's folder.  `command`: makes a report; tests pass another one.

        `base`: the path below which all paths of the site lie.
        """
        self._home = data / FOLDER
        self._note = note
        self._base = base
        self._command = command or (sys.executable, "-m", "arena.page.report")
        self._waiting: OrderedDict[str, ResultsFolder] = OrderedDict()
        self._again_at: RecentlyUsed[str, float] = RecentlyUsed()
        self._failed: RecentlyUsed[tuple[str, Fingerprint], str] = RecentlyUsed(REPORTS_KEPT)
        self._read: RecentlyUsed[tuple[Path, float], KeptReport] = RecentlyUsed(REPORTS_IN_MEMORY)
        self._woken = trio.Event()

    async def report(self, folder: ResultsFolder) -> KeptReport | None:
        """The report of a folder, which may be a little older than it; None if it is being made.

        Raises Refusal if it cannot be made.
        """
        kept = await trio.to_thread.run_sync(self._kept, folder.report_key)
        if kept is None or kept.name != self._file(folder).name:
            why = self._failed.get((folder.report_key, folder.fingerprint))
            if why is not None and kept is None:
                raise Refusal("conflict", why)
            again_at = self._again_at.get(folder.report_key)
            if why is None and (again_at is None or trio.current_time() > again_at):
                self._ask_for(folder)
        return None if kept is None else await self._packed(kept)

    async def remove(self, league: str, bots: Sequence[str]) -> None:
        """Deletes what was made for the owner of these bots of a league."""
        keys = [report_key(league, bot) for bot in bots]
        begins = tuple(f"{_begins(key)}-" for key in keys)
        for key in keys:
            self._waiting.pop(key, None)  # one that is being made is removed once it is

        def remove() -> None:
            for file in _files(self._home):
                if file.name.startswith(begins):
                    file.unlink(missing_ok=True)

        await trio.to_thread.run_sync(remove)

    async def _packed(self, file: Path) -> KeptReport | None:
        """The report in a file, which is compressed once; None if a newer one has just replaced it."""
        key = (file, await trio.to_thread.run_sync(_age, file))
        report = self._read.get(key)
        if report is None and (report := await trio.to_thread.run_sync(_read, file)) is not None:
            self._read.put(key, report)
        return report

    def _ask_for(self, folder: ResultsFolder) -> None:
        if folder.report_key not in self._waiting and len(self._waiting) >= REPORTS_WAITING:
            raise Refusal(
                "too_many", "many reports are being made: ask again later", key="reports", seconds=10
            )
        self._waiting[folder.report_key] = folder
        self._woken.set()

    def _file(self, folder: ResultsFolder) -> Path:
        """Where the report of this state of a folder is kept."""
        state = repr((folder.fingerprint, arena.__version__, self._base)).encode()
        return self._home / f"{_begins(folder.report_key)}-{hashlib.sha256(state).hexdigest()[:16]}.html"

    def _kept(self, name: str) -> Path | None:
        """The latest report of a folder."""
        found = [file for file in _files(self._home) if file.name.startswith(f"{_begins(name)}-")]
        return max(found, key=_age, default=None)

    # Making them

    async def run(self) -> None:
        """Makes the reports that are asked for, one after the other, until cancelled."""
        while True:
            while self._waiting:
                key, folder = next(iter(self._waiting.items()))
                began = trio.current_time()
                why = await self._make(folder)
                now = trio.current_time()
                self._again_at.put(key, now + max(ANEW_S, RESTS * (now - began)))
                if why:
                    self._failed.put((key, folder.fingerprint), why)
                    self._note(f"the report of {printable(folder.name)} could not be made: {why}")
                if self._waiting.pop(key, None) is None:
                    await trio.to_thread.run_sync(partial(self._file(folder).unlink, missing_ok=True))
            self._woken = trio.Event()
            await self._woken.wait()

    async def _make(self, folder: ResultsFolder) -> str:
        """Makes one report; returns why it could not be made, or nothing."""
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            return f"it cannot be kept: {(error.strerror or '').lower()}"
        address = f"{self._base}/results/{quote(folder.name, safe='')}/matches"
        file = self._file(folder)
        draft = file.with_suffix(".draft")
        command = [*self._command, str(folder.path.resolve()), str(draft), address]
        command += [folder.bot] if folder.bot else []
        with trio.move_on_after(REPORT_S) as limit:
            ended = await trio.run_process(
                command,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
                deliver_cancel=_kill,
                start_new_session=True,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
        if limit.cancelled_caught:
            return f"it took longer than {REPORT_S:.0f} s"
        if ended.returncode == 0:
            return await trio.to_thread.run_sync(self._take, draft, file)
        if ended.returncode == 2:
            return folder.told(ended.stderr.decode(errors="replace").strip().rpartition("\n")[2])
        self._note(clipped(printable(ended.stderr[-2000:].decode(errors="replace")), 500))
        return "making it went wrong, as the log of this server says"

    def _take(self, draft: Path, file: Path) -> str:
        """Keeps a new report in place of older ones; returns why it could not, or nothing."""
        try:
            if draft.stat().st_size > REPORT_BYTES_MAX:
                draft.unlink()
                return f"it is larger than {sized(REPORT_BYTES_MAX)}"
            draft.replace(file)
            begins = file.name.partition("-")[0]
            kept = sorted(_files(self._home), key=_age, reverse=True)
            for place, each in enumerate(kept):
                if place >= REPORTS_KEPT or (each.name.startswith(f"{begins}-") and each != file):
                    each.unlink(missing_ok=True)
        except OSError as error:
            return f"it cannot be kept: {(error.strerror or '').lower()}"
        return ""


def _begins(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _files(home: Path) -> list[Path]:
    return [file for file in home.glob("*.html") if file.is_file() and not file.is_symlink()]


def _age(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # it has just been replaced
        return 0.0


def _read(file: Path) -> KeptReport | None:
    """The report in a file; None if a newer one has just replaced it."""
    try:
        octets = file.read_bytes()
    except OSError:
        return None
    found = _HASH.search(octets[:_HEAD_BYTES])
    return KeptReport(packed_page(octets, "text/html; charset=utf-8"), found[1].decode() if found else "")


async def _kill(process: trio.Process) -> None:
    process.kill()
