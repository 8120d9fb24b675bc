"""Listening, and whole tournaments over real sockets."""

from __future__ import annotations

import errno
import json
import select
import socket
from contextlib import suppress
from functools import partial

import pytest
import trio
import trio.lowlevel
from tournaments import Steady, faults, honest_move, local, opened, rows

from arena.errors import ConfigError
from arena.players.tcp import ACCEPT_PAUSE_S, BACKLOG, accept_all, listen
from arena.sdk import run
from arena.store import exports
from arena.tournament.play.reporting import Silent
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament


async def test_port_in_use():
    """One sentence that says what to do."""
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(ConfigError, match="the port is in use"),
    ):
        listen("127.0.0.1", other.getsockname()[1])


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_no_such_address(host):
    """An address that is not of this machine is the user's mistake."""
    with pytest.raises(ConfigError, match=f"cannot listen on {host}:0"):
        listen(host, 0)


async def test_too_many_connections_are_turned_away():
    """A limited number is served; the rest is told so and closed at once."""
    listener = listen("127.0.0.1", 0)
    address = listener.getsockname()
    served = []

    async def serve(transport):
        served.append(transport)
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_all, listener, serve, 2)
        streams = [await trio.open_tcp_stream(*address) for _ in range(3)]
        with trio.fail_after(5):
            assert "too many connections are open" == json.loads(await streams[2].receive_some())["reason"]
            assert b"" == await streams[2].receive_some()
        assert 2 == len(served)
        nursery.cancel_scope.cancel()
    for stream in streams:
        await trio.aclose_forcefully(stream)


def test_as_many_as_are_expected_may_wait_to_be_accepted():
    """The kernel keeps so many connections that come in the same moment, beyond what it keeps otherwise."""
    together = BACKLOG + 64
    listener, poll, opened = listen("127.0.0.1", 0, together), select.epoll(), {}
    for _ in range(together):
        sock = socket.socket()
        sock.setblocking(False)
        sock.connect_ex(listener.getsockname())
        opened[sock.fileno()] = sock
        poll.register(sock, select.EPOLLOUT)
    waiting = set(opened)
    while waiting and (ready := poll.poll(0.5)):  # what the kernel dropped is tried again after a second
        for number, _ in ready:
            waiting.discard(number)
            poll.unregister(number)
    for sock in (*opened.values(), listener):
        sock.close()
    assert not waiting


class _Full(socket.socket):
    """A listener of a process that has no file descriptor to spare, the first few times."""

    refusals, tries = 5, 0

    def accept(self):
        self.tries += 1
        if self.tries <= self.refusals:
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


async def test_without_file_descriptors_the_arena_waits(autojump_clock):
    """It neither ends nor tries again at once, and lets in who waited."""
    listener = _Full(fileno=listen("127.0.0.1", 0).detach())
    served, began = trio.Event(), trio.current_time()

    async def serve(transport):
        served.set()

    with socket.create_connection(listener.getsockname()):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(accept_all, listener, serve, 1)
            await served.wait()
            nursery.cancel_scope.cancel()
    assert (
        listener.tries <= listener.refusals + 2
    )  # after one that was accepted it looks whether there is another
    assert trio.current_time() - began >= listener.refusals * ACCEPT_PAUSE_S


async def test_a_machine_that_vanishes_is_noticed():
    """Unplugged, it closes nothing: the kernel asks for it, and ends the connection within a minute."""
    listener = listen("127.0.0.1", 0)
    ours: list[socket.socket] = []

    async def serve(transport):
        ours.append(transport._socket)
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_all, listener, serve, 1)
        async with await trio.open_tcp_stream(*listener.getsockname()):
            with trio.fail_after(5):
                while not ours:
                    await trio.lowlevel.checkpoint()
            assert ours[0].getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            seconds, pause, times = (
                ours[0].getsockopt(socket.IPPROTO_TCP, option)
                for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            )
            assert seconds + pause * times < 60
        nursery.cancel_scope.cancel()


async def plain_bot(port, name, id_of, seen):
    """A bot as the game's document has it: one chunk is one object, no newline, nothing known of us."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        if name:
            await stream.send_all(json.dumps({"name": name}).encode())
        while chunk := await stream.receive_some(65536):
            question = json.loads(chunk)  # raises if it is not one object
            seen.append(question)
            answer = {"message_id": id_of(question["message_id"]), "move": honest_move(question)}
            await stream.send_all(json.dumps(answer).encode())


class Calls(Silent):
    """Tells the port as soon as somebody is waited for."""

    def __init__(self):
        self.port, self.notes = None, []
        self.is_open = trio.Event()

    def note(self, line):
        self.notes.append(line)

    def waiting(self, address, missing):
        self.port = int(address.rpartition(":")[2])
        self.is_open.set()


@pytest.mark.slow
async def test_three_bots_of_the_document_play_a_tournament(tmp_path):
    """With a name or without, the id as string or integer: they play 3 series of 3 seats without a fault."""
    calls, summary = Calls(), Summary()
    seen: list[list[dict]] = [[], [], []]
    plan = {"expect": 3, "seats": 3, "series": 3, "name_wait_s": 0.1}
    with trio.fail_after(20), opened(tmp_path / "out", (), **plan) as setup:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_tournament, setup, calls, summary)
            await calls.is_open.wait()
            for bot in (("alice", str, seen[0]), ("alice", int, seen[1]), (None, int, seen[2])):
                nursery.start_soon(partial(plain_bot, calls.port, *bot))
                await trio.sleep(0.05)
        exports.write(setup.store)
    assert 9 == summary.played
    assert {"alice": {}, "alice-2": {}, "bot-1": {}} == faults(tmp_path / "out")
    assert 27 == len(rows(tmp_path / "out", "seats"))
    for questions, games in zip(
        seen, (9, 9, 10), strict=True
    ):  # who says no name is asked one question before play
        assert [str(number + 1) for number in range(len(questions))] == [q["message_id"] for q in questions]
        assert games == questions[-1]["game_number"]
        assert {"yourself"} <= {name for name, _ in questions[0]["other_hands"]}


@pytest.mark.slow
async def test_whoever_played_must_come_back(tmp_path):
    """A run goes on with the same guests: their matches would not count without them, so another one is refused."""

    async def guest(port, name):
        with suppress(KeyError):  # bye is no question
            await plain_bot(port, name, str, [])

    async def with_guests(*names):
        calls, summary = Calls(), Summary()
        with opened(tmp_path / "out", (), expect=2, series=1) as setup:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(run_tournament, setup, calls, summary)
                await calls.is_open.wait()
                for name in names:
                    nursery.start_soon(guest, calls.port, name)
        return summary

    with trio.fail_after(20):
        assert 2 == (await with_guests("ann", "cat")).played
        with pytest.RaisesGroup(
            pytest.RaisesExc(ConfigError, match="has matches of cat, which did not connect this time"),
            flatten_subgroups=True,
        ):
            await with_guests("ann", "dave")
        assert 0 == (await with_guests("cat", "ann")).played


@pytest.mark.slow
async def test_a_connection_that_breaks_and_comes_back_plays_on(tmp_path):
    """It is asked the open question again under a new id, and no match is lost by it."""

    async def flaky(port):
        said = {"name": "flaky"}
        while True:
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            async with stream:
                await stream.send_all(json.dumps(said).encode())
                for _ in range(5):
                    chunk = await stream.receive_some(65536)
                    if not chunk:
                        return
                    question = json.loads(chunk)
                    answer = {"message_id": question["message_id"], "move": honest_move(question)}
                    await stream.send_all(json.dumps(answer).encode())
                if not await stream.receive_some(65536):  # the next question is open when we hang up
                    return

    calls, summary = Calls(), Summary()
    field = (local("ann", Steady),)
    with trio.fail_after(20), opened(tmp_path / "out", field, expect=1, series=5, move_time=5.0) as setup:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_tournament, setup, calls, summary)
            await calls.is_open.wait()
            nursery.start_soon(flaky, calls.port)
        exports.write(setup.store)
    assert 10 == summary.played
    assert {"ann": {}, "flaky": {}} == faults(tmp_path / "out")


async def tunnel(here, port):
    """Forwards connections to the arena's port, and breaks each of them as the bot answers the fifth time."""

    async def forward(bot):
        async with (
            bot,
            await trio.open_tcp_stream("127.0.0.1", port) as there,
            trio.open_nursery() as nursery,
        ):

            async def back():
                async for octets in there:
                    await bot.send_all(octets)
                nursery.cancel_scope.cancel()

            nursery.start_soon(back)
            for _ in range(5):
                await there.send_all(await bot.receive_some(65536))
            nursery.cancel_scope.cancel()

    await trio.serve_listeners(forward, here)


@pytest.mark.slow
async def test_a_bot_of_the_sdk_comes_back_with_its_token(tmp_path, monkeypatch):
    """Its connection breaks again and again: it takes its place each time, and all its answers count."""
    calls, summary, field = Calls(), Summary(), (local("ann", Steady),)
    with trio.fail_after(20), opened(tmp_path / "out", field, expect=1, series=5, move_time=5.0) as setup:
        async with trio.open_nursery() as nursery:
            (here,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            ours = here.socket.getsockname()[1]
            for name, value in (("HOST", "127.0.0.1"), ("PORT", str(ours)), ("NAME", "eve")):
                monkeypatch.setenv(f"ARENA_{name}", value)
            monkeypatch.delenv("ARENA_TOKEN", raising=False)
            nursery.start_soon(run_tournament, setup, calls, summary)
            await calls.is_open.wait()
            async with trio.open_nursery() as bots:
                bots.start_soon(tunnel, [here], calls.port)
                await trio.to_thread.run_sync(run, Steady)
                bots.cancel_scope.cancel()
        exports.write(setup.store)
    assert 10 == summary.played
    assert {"ann": {}, "eve": {}} == faults(tmp_path / "out")
    assert sum("lost its connection" in note for note in calls.notes) > 3
