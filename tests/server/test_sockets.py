"""The owner of a WebSocket: order, the newest state, bounds, and ends; in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing
from starlette.websockets import WebSocket

from arena.server.http.sockets import FORBIDDEN, FRAMES_TOGETHER, SocketLimits, SocketOwner


class Client:
    """The other side of a WebSocket, as an ASGI server would show it: what it sends, and what it was sent."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.closed: tuple[int, str] | None = None
        self.is_reading = trio.Event()
        self.is_reading.set()
        self.is_gone = False
        self.aborted = 0
        self.taken: list[tuple[str, ...]] = []
        """What the kernel took at once, call by call."""
        self.due: list[Callable[[], None]] = []
        self._say, self._receive = trio.open_memory_channel[dict[str, Any]](1000)
        scope = {"type": "websocket", "state": {"connection": self}, "headers": [], "path": "/"}
        self.websocket = WebSocket(scope, self.receive, self.send)
        self._say.send_nowait({"type": "websocket.connect"})

    async def receive(self) -> dict[str, Any]:
        return await self._receive.receive()

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.send":
            if self.is_gone:
                return  # neither raises nor yields, as some servers do
            await self.is_reading.wait()
            self.heard.append(message["text"])
        elif message["type"] == "websocket.close":
            self.closed = message["code"], message["reason"]

    def say(self, text: str) -> None:
        self._say.send_nowait({"type": "websocket.receive", "text": text})

    def leave(self) -> None:
        self.is_gone = True
        self._say.send_nowait({"type": "websocket.disconnect", "code": 1006})

    def stop_reading(self) -> None:
        self.is_reading = trio.Event()

    has_rest = False

    @property
    def postman(self) -> Client:
        return self

    sends_at_once = False
    """Whether the kernel takes what is sent without waiting; the postman comes late then."""

    def call(self, deliver: Callable[[], None]) -> None:
        """The postman is quick here."""
        if self.sends_at_once:
            self.due.append(deliver)
        else:
            deliver()

    def send_now(self, *frames: str) -> bool:
        if self.sends_at_once:
            self.taken.append(frames)
        return self.sends_at_once

    def abort(self) -> None:
        self.aborted += 1
        self.leave()


async def owned(
    nursery: trio.Nursery, receive: Callable[[str], None] = print, **limits: Any
) -> tuple[Client, SocketOwner]:
    client = Client()
    await client.websocket.accept()
    owner = SocketOwner(client.websocket, SocketLimits(**limits))
    nursery.start_soon(owner.run, receive)
    await trio.testing.wait_all_tasks_blocked()
    return client, owner


async def test_frames_arrive_in_order(nursery: trio.Nursery) -> None:
    client, owner = await owned(nursery)
    for number in range(50):
        owner.put(str(number))
    await trio.testing.wait_all_tasks_blocked()
    assert [str(number) for number in range(50)] == client.heard
    assert 0 == owner.waiting


async def test_of_a_state_the_newest_is_sent_after_what_led_to_it(nursery: trio.Nursery) -> None:
    """A spectator who reads slowly misses states, but no event, and each state is made when it is sent."""
    client, owner = await owned(nursery)
    client.stop_reading()
    owner.put("first")  # this one is on its way
    await trio.testing.wait_all_tasks_blocked()
    made: list[int] = []

    def make(number: int) -> Callable[[], str]:
        return lambda: made.append(number) or f"state {number}"  # type: ignore[func-returns-value]

    for number in range(3):
        owner.put(f"event {number}")
        owner.put_latest("state", make(number))
    assert 4 == owner.waiting
    client.is_reading.set()
    await trio.testing.wait_all_tasks_blocked()
    assert ["first", "event 0", "event 1", "event 2", "state 2"] == client.heard
    assert [2] == made


async def test_what_waits_goes_to_the_kernel_together(nursery: trio.Nursery) -> None:
    """A move, the state after it and whose turn it is cost a spectator one call; so do not hundreds at once."""
    client, owner = await owned(nursery)
    client.sends_at_once = True
    for number in range(FRAMES_TOGETHER):
        owner.put(f"event {number}")
    owner.put_latest("state", lambda: "state")
    (deliver,) = client.due
    deliver()
    first, second = client.taken
    assert tuple(f"event {number}" for number in range(FRAMES_TOGETHER)) == first
    assert ("state",) == second
    assert 0 == owner.waiting


@pytest.mark.parametrize("limits", [{"frames_max": 10}, {"bytes_max": 100}])
async def test_too_much_that_waits_closes_the_socket(
    limits: dict[str, int], nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """With a reason, and what waited is forgotten at once: memory is bounded."""
    client, owner = await owned(nursery, **limits, send_s=1000.0)
    client.stop_reading()
    for _ in range(50):
        owner.put("x" * 10)
    assert owner.is_closing
    assert 0 == owner.waiting
    client.is_reading.set()
    await trio.testing.wait_all_tasks_blocked()
    assert (1013, "too much was waiting for you; connect again") == client.closed
    assert len(client.heard) <= 10


async def test_a_client_that_reads_nothing_is_dropped(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """After the time for one frame its TCP connection ends, and nothing is kept for it."""
    client, owner = await owned(nursery, send_s=5.0)
    client.stop_reading()
    owner.put("hello")
    owner.put("more")
    began = trio.current_time()
    await trio.sleep(4.9)
    assert 0 == client.aborted
    await trio.sleep(0.2)
    assert 1 == client.aborted
    assert 0 == owner.waiting
    assert owner.is_closing
    assert trio.current_time() - began < 6


async def test_sending_to_one_that_is_gone_ends(nursery: trio.Nursery) -> None:
    """Even if sending to it neither raises nor yields: the reader hears of it between two frames."""
    client, owner = await owned(nursery, frames_max=10**6, bytes_max=10**9)
    client.leave()
    for _ in range(100_000):
        owner.put("x")
    with trio.fail_after(30):
        await trio.testing.wait_all_tasks_blocked()
    assert 0 == owner.waiting
    assert owner.is_closing
    owner.put("nobody")
    owner.put_latest("nobody", str)
    assert 0 == owner.waiting


async def test_what_was_put_before_the_end_is_sent(nursery: trio.Nursery) -> None:
    client, owner = await owned(nursery)
    owner.put("last")
    owner.close("the table is closed", FORBIDDEN)
    owner.close("another reason")
    owner.put("too late")
    await trio.testing.wait_all_tasks_blocked()
    assert (["last"], (1008, "the table is closed")) == (client.heard, client.closed)


async def test_a_long_reason_is_cut_where_a_character_ends(nursery: trio.Nursery) -> None:
    client, owner = await owned(nursery)
    owner.close("é" * 200)
    await trio.testing.wait_all_tasks_blocked()
    assert (1000, "é" * 60) == client.closed


async def test_messages_beyond_the_allowance_are_read_later(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """A flood costs its sender's own time; nobody is closed for it."""
    heard: list[str] = []
    client, owner = await owned(nursery, heard.append, messages_per_s=10.0, messages_at_once=40.0)
    for number in range(100):
        client.say(str(number))
    await trio.testing.wait_all_tasks_blocked()
    assert 41 == len(heard)
    await trio.sleep(1.0)
    assert 50 <= len(heard) <= 52
    await trio.sleep(10.0)
    assert [str(number) for number in range(100)] == heard
    assert not owner.is_closing


async def test_a_binary_message_closes_with_its_code(nursery: trio.Nursery) -> None:
    client, _owner = await owned(nursery)
    client._say.send_nowait({"type": "websocket.receive", "bytes": b"x"})
    await trio.testing.wait_all_tasks_blocked()
    assert (1003, "text frames alone") == client.closed
