"""`arena watch DIR`: follows a run from outside, by reading its folder again and again."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from arena.cli.reading import complained, opened_to_read
from arena.errors import ConfigError
from arena.store import LOCK, Store, is_held
from arena.terminal.following import Follower
from arena.terminal.inks import inks_for
from arena.terminal.text import columns_of, out
from arena.tournament.folder.stored import stored_game

LOOKS_EVERY_S = 1.0
BEGINS_WITHIN = 5
"""How many looks it may take until a run that holds its folder has begun to write there."""
LINE_S = 0.08
"""The time between a match's lines on a terminal, at the pace of somebody who reads."""


def watch_folder(folder: Path, match: str | None, game: str | None, color: str | None) -> int:
    """Tells what is stored, then what comes, until no run writes to the folder; returns the exit code."""
    inks = inks_for(color)
    with _opened(folder) as store:  # the only time that all of it is checked
        store.check_is_tournament()
        code = complained(store)
        if match is not None:
            stored_game(store, game)  # one that is not to be had is told now
    if code:
        return code
    follower = Follower(match, game, inks, columns_of(sys.stdout))
    line_s = LINE_S if sys.stdout.isatty() else 0.0
    while True:
        is_running = is_held(folder / LOCK)  # before it is read: what is stored meanwhile is read too
        with Store.unchecked(folder) as store:
            for line in follower.news(store, is_running=is_running):
                out(line, inks)
                if follower.is_telling_a_match:
                    time.sleep(line_s)
        if not is_running:
            return 0
        time.sleep(LOOKS_EVERY_S)


def _opened(folder: Path) -> Store:
    """The store, checked; waits for one if a run is just beginning.  Raises ConfigError."""
    for _ in range(BEGINS_WITHIN):
        try:
            return opened_to_read(folder)
        except ConfigError:
            if not is_held(folder / LOCK):
                raise
        time.sleep(LOOKS_EVERY_S)
    return opened_to_read(folder)
