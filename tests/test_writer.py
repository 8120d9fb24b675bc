"""The one writer of a run: what comes at about the same time is one transaction, and nothing is left behind."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import trio
import trio.testing

from arena.match.record import Entry
from arena.tournament.folder.writer import BATCH_MAX, SOON_S, TOGETHER_S, open_writer


class Counting:
    """A store that notes when it was given how many matches, and has none."""

    def __init__(self):
        self.given = []

    def add_many(self, entries):
        self.given.append((trio.current_time(), len(list(entries))))

    def rows(self, query, *arguments):
        return iter(((0,),))


async def written(send, **how):
    """What a store was given of what `send(keep)` sent: (seconds from the start, how many matches)."""

    async def in_thread(write):
        await trio.lowlevel.checkpoint()
        write()

    store, began_at = Counting(), trio.current_time()
    async with open_writer(SimpleNamespace(store=store, in_thread=in_thread), **how) as keep:
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
        for _ in range(3 * 8):
            keep.send_nowait(a_change() * (BATCH_MAX // 8))
        keep.send_nowait(a_change())

    found, took_s = await written(send)
    assert [(0, BATCH_MAX)] * 3 + [(0, 1)] == found
    assert 0 == took_s


async def test_what_all_workers_tell_at_one_moment_is_one_transaction(autojump_clock):
    """It waits a little for the last of them, but not as long as matches that come one by one."""

    async def send(keep):
        for _ in range(2):
            for _ in range(3):
                await keep.send(a_change() * 5)
                await trio.sleep(SOON_S / 10)
            await trio.sleep(TOGETHER_S)
        await keep.send(a_change())

    found, took_s = await written(send, is_gathered=True)
    second = round(0.3 * SOON_S + TOGETHER_S, 6)
    assert [(SOON_S, 15), (second + SOON_S, 15), (2 * second, 1)] == found
    assert pytest.approx(2 * second) == took_s, "who ends does not wait for more"
