"""What a bot of a results folder printed, as text: the ends of its logs, the latest first.

A log may tell what a match hid, so that none is shown while a series is played.  Anything may lie in a folder
from elsewhere: only files are read, in the folder itself, and of each no more than is shown.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
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


def _ends(folder: Path, bot: str) -> Iterator[tuple[str, bytes, int]]:
    """The name of each log that is not empty, its end, and its size in bytes; the latest first."""
    try:
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # no bot was started for it, or it is no folder
        return
    try:
        for name in logs_of(os.listdir(here), bot):
            try:
                log = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
            except OSError:
                continue
            with open(log, "rb") as file:
                look = os.fstat(log)
                if stat.S_ISREG(look.st_mode) and look.st_size:
                    file.seek(max(0, look.st_size - LOG_BYTES_MAX))
                    yield name, file.read(LOG_BYTES_MAX), look.st_size
    finally:
        os.close(here)
