"""What a run keeps as it goes: matches and other changes of the store, in order; our own bugs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain, groupby
from typing import TypeAlias, cast

import trio

from arena.record import Entry
from arena.tournament.run import Run
from arena.tournament.summary import Summary

BATCH_MAX = 64
"""Matches written in one go when the disk is slower than the bots."""
WAITING_MAX = 4 * BATCH_MAX
"""Matches that wait to be written; then play waits for the disk."""
BUGS = "bugs.log"
"""The file in a results folder with the tracebacks of our bugs that spoilt no match."""

Change: TypeAlias = Entry | Callable[[], None]
"""A match to be kept, or another change of the store."""
Changes: TypeAlias = Sequence[Change]
"""What belongs together, in order: another match's changes come before or after, never between."""


async def write_all(run: Run, changes: trio.MemoryReceiveChannel[Changes]) -> None:
    """The one writer, in a thread, so that a slow disk is nobody's thinking time.

    It ends when nobody is left to send: what was finished is kept also if the run is cancelled.
    """
    with trio.CancelScope(shield=True):
        async with changes:
            async for first in changes:
                batch = [first]
                while len(batch) < BATCH_MAX:
                    try:
                        batch.append(changes.receive_nowait())
                    except (trio.WouldBlock, trio.EndOfChannel):
                        break
                await run.in_thread(partial(write, run, tuple(chain.from_iterable(batch))))


def write(run: Run, changes: Changes) -> None:
    """Makes these changes; matches in succession are one transaction."""
    for is_entries, group in groupby(changes, lambda one: isinstance(one, Entry)):
        if is_entries:
            run.store.add_many(cast("Iterable[Entry]", group))
        else:
            for change in cast("Iterable[Callable[[], None]]", group):
                change()


def note_bug(run: Run, summary: Summary, traceback_text: str) -> None:
    """Keeps a bug of ours that ended a connection: at once, as the run may yet be killed."""
    kept = summary.note_bug(traceback_text)
    if kept is not None:
        with (
            suppress(OSError),
            (run.folder / BUGS).open("a", encoding="utf-8", errors="backslashreplace") as log,
        ):
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n{kept.rstrip()}\n\n")
