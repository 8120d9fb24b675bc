"""Runs with workers that live in this process, behind streams in memory: quick, and with any accident wanted."""

from __future__ import annotations

from contextlib import asynccontextmanager

import attrs
import trio
import trio.testing
from tournaments import FIELD, Record, opened

from arena.store import exports
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament
from arena.tournament.workers.hiring import Hiring
from arena.tournament.workers.messages import encoded
from arena.tournament.workers.serve import work_for


@attrs.define
class Recruited:
    """A worker of this process."""

    stream: trio.StapledStream
    ending: str = "was killed by SIGKILL"
    where: str = ""
    host: str = "here"
    is_trusted: bool = True


def enlisting(act=work_for, log=None):
    """What starts workers: each is `act(stream)`; `log` is told their names."""

    @asynccontextmanager
    async def enlist(name):
        ours, theirs = trio.testing.memory_stream_pair()
        if log is not None:
            log.append(name)
        async with trio.open_nursery() as nursery:

            async def live():
                async with theirs:
                    await act(theirs)

            nursery.start_soon(live)
            try:
                yield Recruited(ours)
            finally:
                with trio.CancelScope(shield=True):
                    await ours.aclose()
                nursery.cancel_scope.cancel()

    return enlist


def lost_after(messages, times=1, garbage=b""):
    """A worker that is lost when it would send for the first time after so many, as often as `times` says.

    It says `garbage` instead.
    """
    left = [times]

    class Dying(trio.abc.HalfCloseableStream):
        def __init__(self, stream):
            self.stream, self.said = stream, 0

        async def send_all(self, octets):
            if left[0] and self.said == messages:
                left[0] -= 1
                if garbage:
                    await self.stream.send_all(garbage)
                await self.stream.aclose()
                raise trio.BrokenResourceError
            self.said += 1
            await self.stream.send_all(octets)

        async def receive_some(self, most=None):
            return await self.stream.receive_some(most)

        async def wait_send_all_might_not_block(self):
            await self.stream.wait_send_all_might_not_block()

        async def send_eof(self):
            await self.stream.send_eof()

        async def aclose(self):
            await self.stream.aclose()

    async def act(stream):
        await work_for(Dying(stream))

    return act


def saying(*messages):
    """A worker that says these, and ends when it is told no more."""

    async def act(stream):
        for message in messages:
            octets = encoded(message)
            await stream.send_all(len(octets).to_bytes(4, "big") + octets)
        while await stream.receive_some():
            pass

    return act


async def play_with(folder, workers=2, entrants=FIELD, *, enlist=None, reporter=None, hiring=None, **plan):
    """Plays, exports, and gives (summary, reporter)."""
    summary, reporter = Summary(), reporter or Record()
    stop_at_fault = plan.pop("stop_at_fault", False)
    with opened(folder, entrants, concurrency=workers, **plan) as setup:
        setup = attrs.evolve(setup, workers=workers, stop_at_fault=stop_at_fault)
        try:
            await run_tournament(setup, reporter, summary, hiring=hiring or Hiring(enlist or enlisting()))
        finally:
            exports.write(setup.store)
    return summary, reporter
