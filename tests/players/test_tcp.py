"""The lobby: who comes in under which name, who is refused and told why, and who takes whose place."""

from __future__ import annotations

import json
import socket
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio
from tournaments import Steady, faults, honest_move, local, opened, rows
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from arena.errors import ConfigError
from arena.players.lobby import Lobby
from arena.players.tcp import accept_all, listen
from arena.players.transport import StreamTransport
from arena.runner import Silent, Summary, run_tournament


class Guest:
    """A bot's end of a connection into a lobby, in virtual time."""

    def __init__(self, lobby, nursery, *said):
        self.stream, theirs = memory_stream_pair()
        nursery.start_soon(lobby.serve, StreamTransport(theirs))
        self.said = said

    async def speak(self):
        for said in self.said:
            await self.stream.send_all(said if isinstance(said, bytes) else json.dumps(said).encode())
        await wait_all_tasks_blocked()
        return self

    async def hear(self):
        """The first message from the arena."""
        with trio.fail_after(5):
            return json.loads((await self.stream.receive_some(4096)).split(b"\n")[0])


@asynccontextmanager
async def open_lobby(**options):
    """A lobby and a way in."""
    async with trio.open_nursery() as nursery:
        lobby = Lobby(**{"tokens": {}, **options})

        async def come(*said):
            return await Guest(lobby, nursery, *said).speak()

        yield lobby, come
        nursery.cancel_scope.cancel()


async def test_names_as_given(autojump_clock):
    """Whoever says a name plays under it, and is missed no more."""
    async with open_lobby(expect=2) as (lobby, come):
        assert ["2 more"] == lobby.missing
        await come({"name": "alice"})
        assert ["1 more"] == lobby.missing
        await come({"name": "bob"})
        assert [] == lobby.missing
        assert ["alice", "bob"] == list(lobby.players)


async def test_a_silent_connection_enters_after_a_while(autojump_clock):
    """It stays open and says nothing for `name_wait_s`: it is bot-1, and not before."""
    async with open_lobby(expect=2, name_wait_s=1.0) as (lobby, come):
        await come()
        await trio.sleep(0.9)
        assert [] == list(lobby.players)
        await trio.sleep(0.2)
        assert ["bot-1"] == list(lobby.players)
        await come()
        await trio.sleep(1.1)
        assert ["bot-1", "bot-2"] == list(lobby.players)


async def test_one_that_closes_before_never_counts(autojump_clock):
    """A port scan is nobody."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        guest = await come()
        await guest.stream.aclose()
        await trio.sleep(5)
        assert {} == lobby.players


async def test_one_that_drips_its_name_does_not_hold_the_lobby(autojump_clock):
    """The time for names is over after `name_wait_s`, whatever comes meanwhile."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        guest = await come(b'{"na')
        await trio.sleep(0.9)
        await guest.stream.send_all(b'me": ')
        await trio.sleep(0.2)
        assert ["bot-1"] == list(lobby.players)


@pytest.mark.parametrize(
    ("taken", "said", "names"),
    [
        pytest.param([], ["alice", "alice", "alice"], ["alice", "alice-2", "alice-3"], id="one name thrice"),
        pytest.param(["alice"], ["alice", "bob"], ["alice-2", "bob"], id="a started bot has it"),
        pytest.param(["bot-1"], [None, None], ["bot-2", "bot-3"], id="a started bot is called bot-1"),
        pytest.param([], ["x" * 64] * 2, ["x" * 64, "x" * 59 + "-2"], id="no room for a number"),
    ],
)
async def test_second_of_a_name(autojump_clock, taken, said, names):
    """Names are made unique, and stay names that may be."""
    async with open_lobby(expect=9, taken=frozenset(taken)) as (lobby, come):
        for name in said:
            await come(*([{"name": name}] if name else []))
            await trio.sleep(2)
        assert names == list(lobby.players)


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        pytest.param({"name": ""}, "name", id="empty"),
        pytest.param({"name": "yourself"}, "yourself", id="reserved"),
        pytest.param({"name": "x" * 300}, "64", id="300 characters"),
        pytest.param({"name": "a\nb"}, "name", id="a control character"),
        pytest.param({"name": 7}, "name", id="no string"),
        pytest.param({"name": "carol"}, "token", id="that of an entrant with a token"),
        pytest.param(
            {"name": "dave", "token": "wrong"}, "nobody has this token", id="a token that nobody has"
        ),
        pytest.param({"name": "carol", "token": "no"}, "nobody has this token", id="her name, a wrong token"),
        pytest.param({"type": "hello", "protocol": 99, "name": "eve"}, "protocol", id="a later protocol"),
    ],
)
async def test_refused_with_a_reason(autojump_clock, hello, reason):
    """The bot is told on the wire, the connection closed, people see it once, and nobody is in."""
    notes: list[str] = []
    async with open_lobby(expect=2, tokens={"secret": "carol"}, note=notes.append) as (lobby, come):
        for _ in range(3):
            guest = await come(hello)
            said = await guest.hear()
            assert "bye" == said["type"]
            assert reason in said["reason"]
        assert {"carol": []} == lobby.players
        assert 1 == len(notes)
        assert "secret" not in notes[0]
        assert notes[0].startswith("a connection from this process ")


async def test_a_full_table(autojump_clock):
    """A third connection of two is told so."""
    async with open_lobby(expect=2) as (lobby, come):
        await come({"name": "a"})
        await come({"name": "b"})
        guest = await come({"name": "c"})
        assert "the table is full" == (await guest.hear())["reason"]
        assert ["a", "b"] == list(lobby.players)


async def test_who_leaves_before_play_gives_the_place_back(autojump_clock):
    """The lobby waits for another one then."""
    async with open_lobby(expect=2) as (lobby, come):
        guest = await come({"name": "a"})
        await guest.stream.aclose()
        await wait_all_tasks_blocked()
        assert ["2 more"] == lobby.missing
        await come({"name": "a"})
        assert ["a"] == list(lobby.players)


async def test_who_comes_back_takes_its_own_place(autojump_clock):
    """During play a closed connection's place is for the one with the same name, be it `alice-2`."""
    async with open_lobby(expect=3) as (lobby, come):
        await come({"name": "alice"})
        second = await come({"name": "alice"})
        await come()
        await trio.sleep(2)
        lobby.is_full = True
        player = lobby.players["alice-2"][0]
        await second.stream.aclose()
        await wait_all_tasks_blocked()
        assert not player.is_connected
        stranger = await come({"name": "mallory"})
        assert "the table is full" == (await stranger.hear())["reason"]
        await come({"name": "alice"})
        assert player.is_connected
        assert ["alice", "alice-2", "bot-1"] == list(lobby.players)
        assert [1, 1, 1] == [len(players) for players in lobby.players.values()]


async def test_a_token_ties_connections_to_their_entrant(autojump_clock):
    """Whatever name they say; another one is another instance, or takes the place of a dead one."""
    async with open_lobby(tokens={"secret": "carol"}) as (lobby, come):
        assert ["carol"] == lobby.missing
        first = await come({"name": "whoever", "token": "secret"})
        assert [] == lobby.missing
        await come({"token": "secret"})
        assert 2 == len(lobby.players["carol"])
        lobby.is_full = True
        await first.stream.aclose()
        await wait_all_tasks_blocked()
        await come({"token": "secret"})
        assert [True, True] == [player.is_connected for player in lobby.players["carol"]]


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
    """A limited number is served; the rest is closed at once."""
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
            assert b"" == await streams[2].receive_some(1)
        assert 2 == len(served)
        nursery.cancel_scope.cancel()
    for stream in streams:
        await trio.aclose_forcefully(stream)


# Whole tournaments over real sockets.


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
        self.port = None
        self.is_open = trio.Event()

    def waiting(self, address, missing):
        self.port = int(address.rpartition(":")[2])
        self.is_open.set()


@pytest.mark.slow
async def test_three_bots_of_the_document_play_a_tournament(tmp_path):
    """With a name or without, the id as string or integer: they play 3 series of 3 seats without a fault."""
    calls, summary = Calls(), Summary()
    seen: list[list[dict]] = [[], [], []]
    with trio.fail_after(20), opened(tmp_path / "out", (), expect=3, seats=3, series=3) as setup:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_tournament, setup, calls, summary)
            await calls.is_open.wait()
            for bot in (("alice", str, seen[0]), ("alice", int, seen[1]), (None, int, seen[2])):
                nursery.start_soon(partial(plain_bot, calls.port, *bot))
                await trio.sleep(0.05)
        setup.store.export()
    assert 9 == summary.played
    assert {"alice": {}, "alice-2": {}, "bot-1": {}} == faults(tmp_path / "out")
    assert 27 == len(rows(tmp_path / "out", "seats"))
    for questions in seen:
        assert [str(number + 1) for number in range(len(questions))] == [q["message_id"] for q in questions]
        assert 9 == questions[-1]["game_number"]
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
            pytest.RaisesExc(ConfigError, match="has matches of cat, who did not connect this time"),
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
        setup.store.export()
    assert 10 == summary.played
    assert {"ann": {}, "flaky": {}} == faults(tmp_path / "out")
