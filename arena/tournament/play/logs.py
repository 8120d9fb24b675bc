"""Names the files of bots' logs, and limits how many are kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from arena.tournament.play.share import WHOLE, Share

FOLDER = "logs"
"""The folder of the logs in a results folder."""
FILE_NAME_MAX = 150
"""How many characters a bot's name may take of a file name, which may have 255 in all."""
LOGS_KEPT = 100
"""How many logs of each bot are kept, the latest ones: a bot started for every match has thousands."""

_NAMED = re.compile(r"(.+)-([0-9]{1,9})\.log", re.ASCII)
_LOG = re.compile(r"[A-Za-z0-9%~_-][A-Za-z0-9%~._-]{0,200}-([0-9]{1,9}|build)\.log")


class Logs:
    """The folder with the logs of a run's instances, one file each.

    Their numbers go on from those of earlier runs, which the evidence of older faults names.
    """

    def __init__(self, folder: Path, share: Share = WHOLE) -> None:
        """`share`: gives different numbers to processes that write to the same folder."""
        self._folder = folder
        self._share = share
        self._kept = share.of * -(-LOGS_KEPT // share.of)
        """The number of the log that is removed for a new one is this much smaller."""
        self._begun: Counter[str] = Counter()
        """A bot's part of the file name -> how many instances have begun."""
        for path in folder.glob("*.log"):
            if named := _NAMED.fullmatch(path.name):
                self._begun[named[1]] = max(self._begun[named[1]], int(named[2]))

    def next_path(self, bot: str) -> Path:
        """The path of the log of the bot's next instance; removes an old log for it."""
        name = file_name(bot)
        self._begun[name] += 1 + (self._share.place - self._begun[name] - 1) % self._share.of
        number = self._begun[name]
        with suppress(OSError):
            self._path(name, number - self._kept).unlink(missing_ok=True)
        return self._path(name, number)

    def _path(self, name: str, number: int) -> Path:
        return self._folder / f"{name}-{number}.log"


def logs_of(names: Iterable[str], bot: str) -> list[str]:
    """The logs of a bot's instances among these file names, the latest first."""
    part = file_name(bot)
    found = [
        (int(named[2]), name) for name in names if (named := _NAMED.fullmatch(name)) and named[1] == part
    ]
    return [name for _, name in sorted(found, reverse=True)]


def latest_logs(names: Iterable[str]) -> dict[str, str]:
    """The name of each bot's latest log among these file names, by the bot's `file_name`."""
    latest: dict[str, tuple[int, str]] = {}
    for name in names:
        if named := _NAMED.fullmatch(name):
            latest[named[1]] = max(latest.get(named[1], (0, "")), (int(named[2]), name))
    return {bot: name for bot, (_, name) in latest.items()}


def is_log(name: str) -> bool:
    """Whether a file of this name is a log, that of a bot's instance or of its build."""
    return _LOG.fullmatch(name) is not None


def file_name(bot: str) -> str:
    """A bot's name as part of a file name; different names give different parts.

    Anything but letters, digits, `-`, `_` and `.` is written as in a URL; a name that would be too long
    then ends in a digest of it.
    """
    written = quote(bot, safe="").replace("~", "%7E")
    if len(written) <= FILE_NAME_MAX:
        return written
    return f"{written[: FILE_NAME_MAX - 17]}~{blake2b(bot.encode(), digest_size=8).hexdigest()}"
