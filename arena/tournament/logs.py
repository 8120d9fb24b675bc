"""The logs of bots: what their files are called, and how many are kept."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

FILE_NAME_MAX = 150
"""Characters of a bot's name in a file name, which may have 255 with everything else in it."""
LOGS_KEPT = 100
"""Logs kept of each bot: those of its last instances; one started for every match has thousands."""


class Logs:
    """The folder with the logs of a run's instances, one file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begun: Counter[str] = Counter()

    def next_path(self, bot: str) -> Path:
        """The log file of the bot's next instance; the log of an old one makes room for it."""
        self._begun[bot] += 1
        number = self._begun[bot]
        with suppress(OSError):
            self._path(bot, number - LOGS_KEPT).unlink(missing_ok=True)
        return self._path(bot, number)

    def _path(self, bot: str, number: int) -> Path:
        return self._folder / f"{file_name(bot)}-{number}.log"


def file_name(bot: str) -> str:
    """A bot's name as part of a file name; different names give different parts.

    Anything but letters, digits, `-`, `_` and `.` is written as in a URL; a name that would be too long
    then ends in a digest of it.
    """
    written = quote(bot, safe="").replace("~", "%7E")
    if len(written) <= FILE_NAME_MAX:
        return written
    return f"{written[: FILE_NAME_MAX - 17]}~{blake2b(bot.encode(), digest_size=8).hexdigest()}"
