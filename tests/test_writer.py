"""The one writer of a run: what comes at about the same time is one transaction, and nothing is left behind."""

from __future__ import annotations

from types import SimpleNamespace

import trio
import trio.testing

from arena.record import Entry
from arena.tournament.writer import BATCH_MAX, TOGETHER_S, open_writer


class Counting:
    """A store that notes when it was given how many matches, and has none."""

    def __init__(self):
        self.given = []

    def add_many(self, entries):
        self.given.append((trio.current_time(), len(list(entries))))

    def rows(self, query, *arguments):
        return iter(((0,),))


async def written(send):
    """What a store was given of what `send(keep)` sent: (seconds from the start, how many matches)."""

    async def in_thread(write):
        await trio.lowlevel.checkpoint()
        write()

    store, began_at = Counting(), trio.current_time()
    async with open_writer(SimpleNamespace(store=store, in_thread=in_thread)) as keep:
        await send(keep)
    return [(round(at - began_at, 6), many) for at, many in store.given], trio.current_time() - began_at


def a_change():
    return (Entry.__new__(Entry),)


async def test_matches_that_end_together_are_one_transaction(autojump_clock):
    """The first is written at once; those that come soon after it together, a moment later."""

    async def send(keep):
        await keep.send(a_change())
        for _ in range(5):
            await trio.sleep(TOGETHER_S / 10)
            await keep.send(a_change())
        await trio.sleep(1)
        await keep.send(a_change())

    found, took_s = await written(send)
    assert [(0, 1), (TOGETHER_S, 5), (1 + TOGETHER_S / 2, 1)] == found
    assert took_s < 1 + TOGETHER_S, "who ends does not wait for more"


async def test_the_disk_gets_what_it_can_take(autojump_clock):
    """While more waits than fits into one transaction there is no pause."""

    async def send(keep):
        for _ in range(3 * BATCH_MAX + 1):
            keep.send_nowait(a_change())

    found, took_s = await written(send)
    assert [(0, BATCH_MAX)] * 3 + [(0, 1)] == found
    assert 0 == took_s
