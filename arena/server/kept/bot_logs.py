"""What a bot of a results folder printed, as text: the ends of its logs, the latest first.

A log may tell what a match hid, so that none is shown while a series is played.  Anything may lie in a folder
from elsewhere: only files are read, in the folder itself, and of each no more than is shown.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.refusal import Refusal
from arena.server.limits import LOG_BYTES_MAX, LOGS_BYTES_MAX
from arena.tournament.play.logs import FOLDER, logs_of
from arena.words import counted, sized, without_folders

_BROKEN = re.compile(rb"[^\n]*\n|\S*")
"""The rest of a line (of a word, if no other line follows) whose beginning is cut off: in half a path nobody
would recognize the folders."""


def logs_text(folder: Path, bot: str) -> str:
    """The logs of a bot that printed something, each below its name.  Raises Refusal if there are none."""
    parts, left, unread = list[str](), LOGS_BYTES_MAX, 0
    for name, end, size in _ends(folder / FOLDER, bot):
        shown = end[-min(left, LOG_BYTES_MAX) :] if left > 0 else b""
        if len(shown) < size:
            shown = _BROKEN.sub(b"", shown, count=1)
        if parts and not shown:
            unread += 1
            continue
        left -= len(shown)
        cut = f", the last {sized(len(shown))} of {sized(size)}" if len(shown) < size else ""
        text = without_folders(shown.decode("utf-8", "replace"))
        parts.append(f"== {FOLDER}/{name}{cut} ==\n{text.rstrip()}\n")
    if not parts:
        raise Refusal("not_found", f"{bot} has printed nothing that is kept")
    if unread:
        parts.append(f"== and {counted(unread, 'older log')}, in the folder {FOLDER} ==\n")
    return "\n".join(parts)


def remove_logs(folder: Path, bots: Iterable[str]) -> int:
    """Removes the logs of these bots, as far as that can be done; returns how many there were."""
    removed = 0
    with _opened_folder(folder / FOLDER) as here:
        names = [] if here is None else os.listdir(here)
        for name in (name for bot in bots for name in logs_of(names, bot)):
            with suppress(OSError):
                os.unlink(name, dir_fd=here)
                removed += 1
    return removed


@contextmanager
def _opened_folder(folder: Path) -> Iterator[int | None]:
    """A folder, not one that a link leads to; None if there is none: no bot was started for it."""
    try:
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield None
        return
    try:
        yield here
    finally:
        os.close(here)


def _ends(folder: Path, bot: str) -> Iterator[tuple[str, bytes, int]]:
    """The name of each log that is not empty, its end, and its size in bytes; the latest first."""
    with _opened_folder(folder) as here:
        for name in [] if here is None else logs_of(os.listdir(here), bot):
            try:
                log = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
            except OSError:
                continue
            with open(log, "rb") as file:
                look = os.fstat(log)
                if stat.S_ISREG(look.st_mode) and look.st_size:
                    file.seek(max(0, look.st_size - LOG_BYTES_MAX))
                    yield name, file.read(LOG_BYTES_MAX), look.st_size
