"""The most memory that an arena held in a duel with a bad bot: `python tests/peak.py tcp flood.py 3`, in 10⁶ bytes.

A process of its own for each measurement: the high-water mark of a process that has done other things before shows
only what exceeds them.  Not `ru_maxrss`, which on Linux begins with what the parent held when it forked us.
"""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import trio
from tournaments import HURRY, honest, play, program

from arena.trials.torture.processes import peak_mb


def main() -> None:
    transport, *words = sys.argv[1:]
    bad = program("bad", *words, transport=transport) if words else honest("bad", transport=transport)
    with tempfile.TemporaryDirectory() as folder:
        trio.run(partial(play, Path(folder) / "out", (bad, honest("good")), first_move_time=1.0, **HURRY))
        print(peak_mb(os.getpid()))


if __name__ == "__main__":
    main()
