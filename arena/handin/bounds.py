"""What a hand-in may hold: limits that are checked while it is read, whatever the archive declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

import attrs

from arena.errors import ConfigError
from arena.reading.strict import whole
from arena.reading.units import shown
from arena.words import sized

CHUNK_BYTES = 1 << 16
"""How much is read, unpacked or written at a time, with a tick after each."""
RATIO_MAX, RATIO_FREE_BYTES = 200, 1 << 20
"""How many times the archive's size it may unpack to; source code comes to 10.  A megabyte is free."""
PATH_BYTES_MAX, PARTS_MAX = 1000, 32
"""The longest path in UTF-8, and its folders: room for what is left out, whose paths are the longest."""
IGNORE_BYTES_MAX = 1 << 14
"""The largest `.arenaignore`."""
HEAD_BYTES = 256
"""How much of a file's beginning says whether it is a program: what Linux reads of a script."""

Tick: TypeAlias = Callable[[], None]
"""Called between steps, nearly all of milliseconds; what it raises ends the work, with nothing left over."""


class BadHandIn(ConfigError):
    """Something in a hand-in is not as it must be."""

    def __init__(self, message: str, *, path: str = "") -> None:
        """`path`: where in the archive, as it is written there; empty if it is about all of it."""
        super().__init__(f"{shown(path)}: {message}" if path else message)
        self.path = path


@attrs.frozen(kw_only=True)
class HandInLimits:
    """How large hand-ins may be; a host may allow more, for bots that bring their libraries along."""

    archive_mb: Annotated[int, whole(1, 200)] = 20
    """The file that is handed in."""
    files_max: Annotated[int, whole(1, 10_000)] = 2_000

    @property
    def archive_bytes_max(self) -> int:
        return self.archive_mb << 20

    @property
    def unpacked_bytes_max(self) -> int:
        """All files of the bot together."""
        return 4 * self.archive_bytes_max

    @property
    def stream_bytes_max(self) -> int:
        """What a tar archive may hold with all that is left out, which must be unpacked to be passed over."""
        return 16 * self.archive_bytes_max

    @property
    def entries_max(self) -> int:
        """Entries of an archive, or names in a folder, with those that are left out."""
        return 10 * self.files_max


class Meter:
    """Counts what was unpacked, and stops what grows beyond its limits."""

    def __init__(self, bytes_max: int, archive_bytes: int, tick: Tick) -> None:
        self.bytes_max = bytes_max
        self.ratio_bytes_max = RATIO_FREE_BYTES + RATIO_MAX * archive_bytes
        self.octets, self.tick = 0, tick

    @property
    def room(self) -> int:
        """How many bytes may still come."""
        return min(self.bytes_max, self.ratio_bytes_max) - self.octets

    def count(self, octets: int, path: str) -> None:
        """Raises BadHandIn if these bytes of an entry are too many, and what the tick raises."""
        self.tick()
        self.octets += octets
        if self.room < 0:
            raise BadHandIn(f"the archive unpacks to more than {self._most()}", path=path)

    def _most(self) -> str:
        """How much is the most, and what would be right."""
        if self.bytes_max <= self.ratio_bytes_max:
            return f"{sized(self.bytes_max)}, the most that is taken: leave out what the bot does not need"
        return f"{RATIO_MAX} times its size, as those that are made to fill disks, expected files of a bot"
