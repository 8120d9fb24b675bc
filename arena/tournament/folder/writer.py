"""The one writer of a run: matches and other changes go to the store in order, our own bugs to a log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import assert_never, cast

import trio

from arena.match.record import Entry
from arena.store import Store, exports
from arena.store.kept.keeping_ranges import RangeKeeper
from arena.tournament.folder.changes import (
    AddBot,
    BeginEpoch,
    Change,
    Changes,
    ExtendSchedule,
    OpenBatch,
    Publish,
    Remove,
    SetPlaces,
    SetStatus,
)
from arena.tournament.folder.run import Run
from arena.tournament.play.summary import Summary

BATCH_MAX = 256
"""About how many matches are written in one go when the disk is slower than the bots."""
TOGETHER_S = 0.1
"""How long changes are gathered after a batch that was not full: a run that is killed loses no more."""
SOON_S = 0.02
"""How long changes are gathered where workers play: each reports the matches of its own TOGETHER_S at once,
and all do so at about the same moment."""
WAITING_MAX = 256
"""How many bundles of changes may wait to be written before play waits for the disk."""
BUGS = "bugs.log"
"""The file in a results folder with the tracebacks of our bugs that spoilt no match."""


@asynccontextmanager
async def open_writer(
    run: Run, *, is_gathered: bool = False
) -> AsyncIterator[trio.MemorySendChannel[Changes]]:
    """The channel to send changes to; everything sent is written before the context ends.

    `is_gathered`: whether many come at a time, as from workers.
    """
    keep, to_write = trio.open_memory_channel[Changes](WAITING_MAX)
    is_all = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_write_all, run, to_write, is_all, is_gathered)
        try:
            async with keep:
                yield keep
        finally:
            is_all.set()


async def _write_all(
    run: Run, changes: trio.MemoryReceiveChannel[Changes], is_all: trio.Event, is_gathered: bool
) -> None:
    """Writes in a thread, so that a slow disk takes no bot's thinking time.

    Ends when nobody is left to send, which `is_all` says at once.  Shielded: finished matches are kept even
    if the run is cancelled.
    """
    keeper = RangeKeeper(run.store)

    def write(batch: Changes) -> None:
        write_changes(run.store, batch)
        keeper.keep()

    with trio.CancelScope(shield=True):
        async with changes:
            async for first in changes:
                if is_gathered:
                    with trio.move_on_after(SOON_S):
                        await is_all.wait()
                batch = [*first]
                while len(batch) < BATCH_MAX:
                    try:
                        batch += changes.receive_nowait()
                    except (trio.WouldBlock, trio.EndOfChannel):
                        break
                await run.in_thread(partial(write, batch))
                if len(batch) < BATCH_MAX and not is_gathered:
                    with trio.move_on_after(TOGETHER_S):  # a transaction costs as much as some matches
                        await is_all.wait()


def write_changes(store: Store, changes: Changes) -> None:
    """Writes these changes; successive matches are one transaction, every other change is its own."""
    for is_entries, group in groupby(changes, lambda change: isinstance(change, Entry)):
        if is_entries:
            store.add_many(cast("Iterable[Entry]", group))
        else:
            for change in group:
                _make(store, change)


def _make(store: Store, change: Change) -> None:
    match change:
        case Entry():
            store.add(change)
        case Remove(match_ids):
            store.remove(match_ids)
        case SetStatus(bot, status):
            store.set_status(bot, status)
        case Publish(match_ids):
            exports.publish(store, match_ids)
        case ExtendSchedule(planned):
            store.extend_schedule(planned)
        case SetPlaces(places):
            store.set_meta("places", dict(places))
        case AddBot(bot):
            store.put_bots([bot])
        case OpenBatch(row, planned, dropped):
            store.add_batch(row, planned, dropped)
        case BeginEpoch(began_at, seal):
            store.begin_epoch(began_at, seal.sha256, seal.opening)
        case _:
            assert_never(change)


def note_bug(run: Run, summary: Summary, traceback_text: str) -> None:
    """Keeps a bug of ours that ended a connection: at once, as the run may yet be killed."""
    kept = summary.note_bug(traceback_text)
    if kept is not None:
        with (
            suppress(OSError),
            (run.folder / BUGS).open("a", encoding="utf-8", errors="backslashreplace") as log,
        ):
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n{kept.rstrip()}\n\n")
