"""Measures how many bits a second two bots in separate boxes can send each other, channel by channel."""

from __future__ import annotations

import sys
import time
from collections import Counter
from math import log, log2
from pathlib import Path

import trio

from arena.box.box import Box
from arena.box.places import FileView
from arena.trials.torture import signals
from arena.trials.torture.boxed import first_line

HEAD_START_S = 1.0
"""How long sender and receiver may take to start."""


async def signalled(box: Box, channel: str, folders: tuple[Path, Path]) -> str:
    """Runs a sender and a receiver; returns a digit for each slot that was seen, or why nothing could be.

    `folders`: one for each of them, which the other does not see.
    """
    begins_at = str(time.monotonic() + HEAD_START_S)
    seen = dict[str, str]()

    async def play(role: str, own: Path, other: Path) -> None:
        place = FileView(folder=own, own=(own,), read=(Path(signals.__file__),), hidden=(other,))
        words = (sys.executable, signals.__file__, channel, role, begins_at)
        seen[role] = await first_line(box, place, words)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(play, "send", folders[0], folders[1])
        nursery.start_soon(play, "receive", folders[1], folders[0])
    return seen["receive"] if seen["send"] == "sent" else seen["send"]


def bits_a_second(channel: str, seen: str) -> float:
    """The rate of what was learnt: Shannon's mutual information, less what chance alone would yield."""
    if len(seen) != signals.SLOTS or set(seen) - {"0", "1"} or len(set(seen)) == 1:
        return 0.0
    count, received = signals.SLOTS, tuple(map(int, seen))
    ones, zeros = Counter(signals.BITS), Counter(received)
    bits = sum(
        both / count * log2(both * count / (ones[sent] * zeros[got]))
        for (sent, got), both in Counter(zip(signals.BITS, received, strict=True)).items()
    )
    return max(0.0, bits - 1 / (2 * count * log(2))) / signals.slot_s(channel)
