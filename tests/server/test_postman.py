"""The postman: frames reach many sockets at once, in order, and others are heard in between."""

from __future__ import annotations

from itertools import pairwise

import pytest
import trio
import trio.testing
from raw_http import served, upgraded
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from arena.server.http.postman import AT_ONCE, Postman, framed
from arena.server.http.routing import Routing
from arena.server.http.sockets import SocketOwner


async def test_others_run_between_a_few_deliveries(nursery: trio.Nursery) -> None:
    """Two hundred sockets that are due at once do not keep anybody waiting."""
    postman = Postman()
    nursery.start_soon(postman.run)
    delivered: list[int] = []
    for number in range(200):
        postman.call(lambda number=number: delivered.append(number))  # type: ignore[misc]
    steps = [0]
    while len(delivered) < 200:
        await trio.lowlevel.checkpoint()
        steps.append(len(delivered))
    assert list(range(200)) == delivered
    assert max(after - before for before, after in pairwise(steps)) <= AT_ONCE


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
async def test_frames_of_every_length_arrive_in_order(size: int) -> None:
    """Also those that the kernel does not take at once, and those put while others wait."""
    owners: list[SocketOwner] = []
    sent = [letter * size for letter in "abc"] + ["ü" * 40]

    async def play(websocket: WebSocket) -> None:
        await websocket.accept()
        owners.append(SocketOwner(websocket))
        await owners[0].run(lambda text: [owners[0].put(frame) for frame in sent])

    async with served(Routing([WebSocketRoute("/ws", play)])) as port:
        raw = await upgraded(port)
        await raw.text("go")
        heard = [(await raw.hear())[1].decode() for _ in sent]
        await raw.text("go")
        again = [(await raw.hear())[1].decode() for _ in sent]
    assert sent == heard == again


async def test_a_slow_reader_gets_every_byte_in_order() -> None:
    """What the kernel did not take at once is sent later, before all that came after it."""
    numbers = [f"{number:05}" * 2000 for number in range(20)]

    async def play(websocket: WebSocket) -> None:
        await websocket.accept()
        owner = SocketOwner(websocket)
        for frame in numbers:
            owner.put(frame)
        await owner.run(owner.close)

    async with served(Routing([WebSocketRoute("/ws", play)])) as port:
        raw = await upgraded(port, window_bytes=4096)
        await trio.sleep(0.05)
        with trio.fail_after(30):
            assert numbers == [(await raw.hear())[1].decode() for _ in numbers]
        await raw.text("that is all")
        assert (1000, "that is all") == await raw.goodbye()


async def test_nothing_is_sent_before_the_rest_of_a_frame() -> None:
    """Even if the kernel would take it by now."""
    is_stuck, is_drained = trio.Event(), trio.Event()

    async def play(websocket: WebSocket) -> None:
        await websocket.accept()
        connection = websocket.scope["state"]["connection"]
        await trio.testing.wait_all_tasks_blocked()
        while not connection.has_rest:
            assert connection.send_now("x" * 50_000)
        is_stuck.set()
        await is_drained.wait()
        assert not connection.send_now("too early")
        await connection.write(b"")
        assert connection.send_now("after it")

    async with served(Routing([WebSocketRoute("/ws", play)])) as port:
        raw = await upgraded(port, window_bytes=4096)
        with trio.fail_after(30):
            await is_stuck.wait()
            heard = [(await raw.hear())[1]]
        with trio.move_on_after(0.1):
            while True:  # the kernel has room again
                heard.append((await raw.hear())[1])
        is_drained.set()
        with trio.fail_after(30):
            while heard[-1] != b"after it":
                heard.append((await raw.hear())[1])
    assert {b"x" * 50_000, b"after it"} == set(heard)


async def test_a_bug_in_a_frame_ends_its_socket_alone() -> None:
    """It is noted, the client is told that there was one, and the postman goes on."""
    bugs: list[str] = []

    async def play(websocket: WebSocket) -> None:
        await websocket.accept()
        owner = SocketOwner(websocket)

        def heard(text: str) -> None:
            owner.put_latest("state", lambda: text.upper() if text != "boom" else str(1 // 0))

        await owner.run(heard)

    async with served(Routing([WebSocketRoute("/ws", play)]), bugs=bugs) as port:
        fine, bad = await upgraded(port), await upgraded(port)
        await bad.text("boom")
        assert 1011 == (await bad.goodbye())[0]
        await fine.text("hello")
        assert (1, b"HELLO") == await fine.hear()
    assert 1 == len(bugs)
    assert "ZeroDivisionError" in bugs[0]


def test_the_same_text_is_framed_once() -> None:
    text = "state " * 100
    assert framed(text) is framed(text)
