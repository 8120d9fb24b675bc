"""The arena's side of a keeper, where its moments can be chosen."""

from __future__ import annotations

import socket

import trio

from arena.box.spawn import Running


async def test_following_a_program_that_was_closed_before_the_reader_had_its_first_turn() -> None:
    """As by a Ctrl-C while the box is being tried: the reader ends, and says that nothing is left."""
    ours, theirs = socket.socketpair()
    running = Running(ours)
    with theirs, trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(running.listen)
            running.close()  # no checkpoint before this: `listen` has not begun
        await running.gone.wait()
    assert running.started.is_set()
    assert running.failed == 0
