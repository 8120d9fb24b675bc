"""The lobby: who comes in under which name, who is refused and told why, and who takes whose place."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, suppress
from random import Random

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from arena.players.transport import StreamTransport
from arena.tournament.lobby.lobby import COMINGS_NOTED_MAX, Lobby


class Guest:
    """A bot's end of a connection into a lobby, in virtual time."""

    def __init__(self, lobby, nursery, *said, peer="10.0.0.1", answers=True):
        self.stream, self.theirs = memory_stream_pair()
        transport = StreamTransport(self.theirs)
        transport.peer = peer
        nursery.start_soon(lobby.serve, transport)
        self.said = said
        self.nursery, self.answers = nursery, answers
        self.has_answered, self.unheard = trio.Event(), b""

    async def speak(self):
        for said in self.said:
            await self.stream.send_all(said if isinstance(said, bytes) else json.dumps(said).encode())
        if self.answers and (not self.said or self.said == ({},)):
            self.nursery.start_soon(self.answer_trial)
        else:
            self.has_answered.set()
        await wait_all_tasks_blocked()
        return self

    async def answer_trial(self):
        """Answers the first question, if one comes before the end."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            self.unheard = await self.stream.receive_some(4096)
            if b"message_id" in self.unheard:
                self.unheard = b""
                await self.stream.send_all(b'{"message_id": "1", "move": 0}')
        self.has_answered.set()

    async def hear(self):
        """The first message from the arena."""
        with trio.fail_after(5):
            await self.has_answered.wait()
            said = self.unheard or await self.stream.receive_some(4096)
            return json.loads(said.split(b"\n")[0])

    async def leave(self):
        await self.stream.aclose()
        await wait_all_tasks_blocked()


@asynccontextmanager
async def open_lobby(**options):
    """A lobby and a way in."""
    async with trio.open_nursery() as nursery:
        lobby = Lobby(**{"tokens": {}, **options})

        async def come(*said, **how):
            return await Guest(lobby, nursery, *said, **how).speak()

        yield lobby, come
        nursery.cancel_scope.cancel()


def hello(name, token=None):
    """What a bot of the full protocol says first."""
    said = {"type": "hello", "protocol": 1, "name": name, "token": token}
    return {key: value for key, value in said.items() if value is not None}


async def test_names_as_given(autojump_clock):
    """Whoever says a name plays under it, and is missed no more."""
    async with open_lobby(expect=2) as (lobby, come):
        assert ["2 more"] == lobby.missing
        await come({"name": "alice"})
        assert ["1 more"] == lobby.missing
        await come({"name": "bob"})
        assert [] == lobby.missing
        assert ["alice", "bob"] == list(lobby.players)


async def test_a_silent_connection_fills_a_place_after_a_while(autojump_clock):
    """It can be a port scan: ten times the wait for a name passes, and it is bot-1 only when play begins."""
    async with open_lobby(expect=2, name_wait_s=1.0) as (lobby, come):
        await come({"name": "alice"})
        await come()
        await trio.sleep(9.9)
        assert ["1 more"] == lobby.missing
        await trio.sleep(0.2)
        assert [] == lobby.missing
        assert ["alice"] == list(lobby.players)
        assert ["alice (10.0.0.1)", "bot-1 (10.0.0.1, silent so far)"] == lobby.begin()
        await wait_all_tasks_blocked()
        assert [True, True] == [players[0].is_connected for players in lobby.players.values()]


async def test_who_says_a_name_comes_before_the_silent(autojump_clock):
    """Two silent ones held both places; the one that came last is told that the table is full."""
    async with open_lobby(expect=2, name_wait_s=1.0) as (lobby, come):
        first = await come()
        await trio.sleep(0.1)
        second = await come()
        await trio.sleep(10.5)
        assert [] == lobby.missing
        await come(hello("alice"))
        assert [] == lobby.missing
        assert ["alice (10.0.0.1)", "bot-1 (10.0.0.1, silent so far)"] == lobby.begin()
        assert "the table is full" == (await second.hear())["reason"]
        await first.stream.send_all(b"{}")
        await wait_all_tasks_blocked()
        assert lobby.players["bot-1"][0].is_connected


async def test_a_silent_one_gets_the_place_that_a_leaver_frees(autojump_clock):
    """It has been waiting for one."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        await come()
        await trio.sleep(2)
        alice = await come({"name": "alice"})
        await trio.sleep(10)
        await alice.leave()
        assert [] == lobby.missing
        assert ["bot-1 (10.0.0.1, silent so far)"] == lobby.begin()


async def test_a_silent_one_may_say_its_name_late(autojump_clock):
    """Before play it is not too late: a slow start costs nobody the name."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        guest = await come(answers=False)
        await trio.sleep(60)
        await guest.stream.send_all(b'{"name": "alice"}')
        await wait_all_tasks_blocked()
        assert [] == lobby.missing
        assert ["alice (10.0.0.1)"] == lobby.begin()


async def test_a_scanner_is_not_counted_and_takes_no_place(autojump_clock):
    """It stays, says nothing, and answers no question: whoever answers gets the place, however late it came."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        scanner = await come(answers=False)
        await trio.sleep(3600)
        assert "message_id" in await scanner.hear()
        assert ["1 more"] == lobby.missing
        await come()
        await trio.sleep(11)
        assert [] == lobby.missing
        assert ["bot-1 (10.0.0.1, silent so far)"] == lobby.begin()
        assert "the table is full" == (await scanner.hear())["reason"]


async def test_who_waits_is_told_what_a_nameless_connection_said(autojump_clock):
    """What is no JSON is shown as it began, in a few printable characters; of a silent one it is said that it is."""
    notes = []
    async with open_lobby(expect=2, name_wait_s=1.0, note=notes.append) as (_, come):
        await come(b"\x1b[2JI am bob" + b"!" * 500 + b"\n")
        await come(peer="10.0.0.2")
        await trio.sleep(2)
    began = '"\\u001b[2JI am bob' + "!" * 48 + '"'
    asked = "it is asked a question in 9s, and gets a place if it answers"
    assert {
        f"a connection from 10.0.0.1 does not say who it is (not a JSON object: {began}): {asked}",
        f"a connection from 10.0.0.2 says nothing: {asked}",
    } == set(notes)


async def test_an_answer_that_is_none_is_refused_with_what_was_wrong(autojump_clock):
    """Its author reads why, and nobody plays with it."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        guest = await come(answers=False)
        await trio.sleep(11)
        await guest.hear()
        await guest.stream.send_all(b"PASS\n")
        reason = (await guest.hear())["reason"]
        assert 'its first answer was malformed: not a JSON object: "PASS"' == reason
        assert ["1 more"] == lobby.missing


async def test_who_speaks_and_says_no_name_waits_like_a_silent_one(autojump_clock):
    """The document allows it; a browser that comes by says much, and is sent away."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        await come({})
        browser = await come({})
        for _ in range(100):
            await browser.stream.send_all(b"{}")
            await wait_all_tasks_blocked()
            if len(lobby._silent) == 1:
                break
        assert "it said a lot, but not who it is" == (await browser.hear())["reason"]
        await trio.sleep(11)
        assert ["bot-1 (10.0.0.1, silent so far)"] == lobby.begin()


@pytest.mark.parametrize("closes_after_s", [0.5, 3, 60])
async def test_one_that_closes_before_never_counts(autojump_clock, closes_after_s):
    """A port scan is nobody, however long it was silent."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        guest = await come()
        await trio.sleep(closes_after_s)
        await guest.leave()
        assert ["1 more"] == lobby.missing
        assert [] == lobby.begin()
        assert {} == lobby.players


async def test_one_that_drips_its_name_does_not_hold_the_lobby(autojump_clock):
    """It counts as silent after `name_wait_s`, whatever comes meanwhile, and is nobody until it answers."""
    async with open_lobby(expect=1, name_wait_s=1.0) as (lobby, come):
        guest = await come(b'{"na')
        for piece in b'me": "aaa':
            await trio.sleep(1.5)
            await guest.stream.send_all(bytes([piece]))
        assert ["1 more"] == lobby.missing
        assert [] == lobby.begin()


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
            await trio.sleep(11)
        lobby.begin()
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
            {"name": "dave", "token": "wrong"}, "no entrant has this token", id="a token that nobody has"
        ),
        pytest.param(
            {"name": "carol", "token": "no"}, "no entrant has this token", id="her name, a wrong token"
        ),
        pytest.param({"type": "hello", "protocol": 99, "name": "eve"}, "protocol", id="a later protocol"),
    ],
)
async def test_refused_with_a_reason(autojump_clock, hello, reason):
    """The bot is told on the wire, the connection closed, people see it once, and nobody is in."""
    notes: list[str] = []
    options = {"tokens": {"secret": "carol"}, "reserved": frozenset({"yourself"}), "note": notes.append}
    async with open_lobby(expect=2, **options) as (lobby, come):
        for _ in range(3):
            guest = await come(hello)
            said = await guest.hear()
            assert "bye" == said["type"]
            assert reason in said["reason"]
        assert {"carol": []} == lobby.players
        assert 1 == len(notes)
        assert "secret" not in notes[0]
        assert notes[0].startswith("a connection from 10.0.0.1 ")


@pytest.mark.parametrize(
    ("here", "said"),
    [
        pytest.param({"name": "alice"}, "Alice", id="a guest, by case"),
        pytest.param({"name": "alice"}, "\u0430lice", id="a guest, by alphabet"),
        pytest.param({"token": "secret"}, "caro1", id="an entrant with a token, 1 for l"),
        pytest.param({"name": "x"}, "0dds", id="a started bot, 0 for o"),
    ],
)
async def test_a_name_that_looks_like_another_is_refused(autojump_clock, here, said):
    """People could not tell them apart; the very same name gets a number instead."""
    how = {"expect": 3, "tokens": {"secret": "carol"}, "taken": frozenset({"odds"})}
    async with open_lobby(**how) as (lobby, come):
        await come(here)
        before = list(lobby.players)
        refused = await come({"name": said})
        assert "a bot in this run: choose another" in (await refused.hear())["reason"]
        assert before == list(lobby.players)


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
        await guest.leave()
        assert ["2 more"] == lobby.missing
        await come({"name": "a"})
        assert ["a"] == list(lobby.players)


async def test_who_comes_back_takes_its_own_place(autojump_clock):
    """During play a closed connection's place is for the one with the same name, be it `alice-2`."""
    async with open_lobby(expect=3) as (lobby, come):
        await come({"name": "alice"})
        second = await come({"name": "alice"})
        await come()
        await trio.sleep(11)
        lobby.begin()
        player = lobby.players["alice-2"][0]
        await second.leave()
        assert not player.is_connected
        stranger = await come({"name": "mallory"})
        assert "the table is full" == (await stranger.hear())["reason"]
        await come({"name": "alice"})
        assert player.is_connected
        assert ["alice", "alice-2", "bot-1"] == list(lobby.players)
        assert [1, 1, 1] == [len(players) for players in lobby.players.values()]


KEPT_BY_ADDRESS = "the place of alice is kept for the bot that had it, known by the same address"
KEPT_BY_TOKEN = "the place of alice is kept for the bot that had it, known by the token of its welcome"


@pytest.mark.parametrize(
    ("alice", "stranger", "peer", "reason"),
    [
        pytest.param(
            {"name": "alice"}, {"name": "alice"}, "10.0.0.2", KEPT_BY_ADDRESS, id="plain, elsewhere"
        ),
        pytest.param(
            {"name": "alice"}, hello("alice"), "10.0.0.1", KEPT_BY_ADDRESS, id="no plain bot any more"
        ),
        pytest.param({"name": "alice"}, {"name": "alicia"}, "10.0.0.1", "the table is full", id="other name"),
        pytest.param(hello("alice"), hello("alice"), "10.0.0.1", KEPT_BY_TOKEN, id="full, without token"),
        pytest.param(hello("alice"), {"name": "alice"}, "10.0.0.1", KEPT_BY_TOKEN, id="plain for a full one"),
        pytest.param(hello("alice"), hello("alice", "0" * 32), "10.0.0.1", KEPT_BY_TOKEN, id="a wrong token"),
    ],
)
async def test_no_stranger_takes_the_place_of_a_lost_connection(
    autojump_clock, alice, stranger, peer, reason
):
    """Who is asked in her place sees her hand: anybody but her is refused, and she still comes back."""
    async with open_lobby(expect=1) as (lobby, come):
        guest = await come(alice)
        token = (await guest.hear())["token"] if "protocol" in alice else None
        lobby.begin()
        player = lobby.players["alice"][0]
        await guest.leave()
        refused = await come(stranger, peer=peer)
        assert {"type": "bye", "reason": reason} == await refused.hear()
        assert not player.is_connected
        await come(alice | ({"token": token} if token else {}))
        assert player.is_connected


async def test_an_unnamed_bot_comes_back_from_its_own_address_only(autojump_clock):
    """That is all that can be known of it."""
    async with open_lobby(expect=1) as (lobby, come):
        guest = await come(peer="10.0.0.1")
        await trio.sleep(11)
        lobby.begin()
        await wait_all_tasks_blocked()
        await guest.leave()
        await come(peer="10.0.0.2")
        await trio.sleep(2)
        assert not lobby.players["bot-1"][0].is_connected
        await come(peer="10.0.0.1")
        await trio.sleep(2)
        assert lobby.players["bot-1"][0].is_connected


@pytest.mark.parametrize("seed", range(8))
async def test_nobody_slips_into_a_place_in_the_moment_in_which_play_begins(
    autojump_clock, monkeypatch, seed
):
    """Another silent one wakes in the step in which `bot-1` gets its place, before or after it."""
    monkeypatch.setattr(trio._core._run, "_r", Random(seed))  # by which Trio shuffles who runs first
    async with open_lobby(expect=1) as (lobby, come):
        own = await come()
        await trio.sleep(11)
        other = await come()
        other.theirs.receive_stream.put_data(b"{}")
        lobby.begin()
        assert "the table is full" == (await other.hear())["reason"]
        await own.leave()
        assert not lobby.players["bot-1"][0].is_connected


async def test_the_token_is_enough_from_anywhere(autojump_clock):
    """Another address and another name change nothing; a second connection with it is refused."""
    async with open_lobby(expect=1) as (lobby, come):
        guest = await come(hello("alice"))
        welcome = await guest.hear()
        assert 32 == len(welcome["token"])
        lobby.begin()
        await guest.leave()
        back = await come(hello("al", welcome["token"]), peer="10.9.9.9")
        assert welcome == await back.hear()
        again = await come(hello("alice", welcome["token"]))
        assert "alice is connected already" == (await again.hear())["reason"]


async def test_the_token_never_shows(autojump_clock):
    """Neither in notes nor in what a capsule keeps of the messages."""
    notes: list[str] = []
    async with open_lobby(expect=1, note=notes.append) as (lobby, come):
        guest = await come(hello("alice"))
        token = (await guest.hear())["token"]
        lobby.begin()
        await come(hello("alice", token))
        shown = json.dumps([notes, lobby.players["alice"][0].evidence()])
        assert '\\"token\\":\\"***\\"' in shown
        assert token not in shown


async def test_a_token_of_one_that_left_before_play_is_no_wrong_token(autojump_clock):
    """Its place was given back, so it comes in like anybody, with a new token."""
    async with open_lobby(expect=1, tokens={"secret": "carol"}) as (_, come):
        guest = await come(hello("alice"))
        token = (await guest.hear())["token"]
        await guest.leave()
        welcome = await (await come(hello("alice", token))).hear()
        assert "alice" == welcome["name"]
        assert token != welcome["token"]


async def test_who_did_not_come_in_time_stays_outside(autojump_clock):
    """Play began without carol, token or not."""
    async with open_lobby(tokens={"secret": "carol"}) as (lobby, come):
        lobby.begin()
        late = await come({"token": "secret"})
        assert "play has begun without carol" == (await late.hear())["reason"]


async def test_one_that_closes_and_comes_again_at_once_keeps_its_name(autojump_clock):
    """Before play: the old connection's end need not have been heard when the new one speaks."""
    async with open_lobby(expect=1) as (lobby, come):
        guest, again = await come({"name": "alice"}), await come()
        again.theirs.receive_stream.put_data(b'{"name": "alice"}')
        guest.theirs.receive_stream.put_eof()
        await wait_all_tasks_blocked()
        assert ["alice (10.0.0.1)"] == lobby.begin()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("peers", "said", "most", "reason"),
    [
        pytest.param(["10.0.0.1"], None, 64, "64 connections from this address have not said", id="unnamed"),
        pytest.param(["10.0.0.1"], {"token": "secret"}, 256, "there are 256 connections", id="in all"),
        pytest.param(
            [f"2001:db8::{host:x}" for host in range(1, 300)], {"token": "secret"}, 256, "256", id="IPv6"
        ),
    ],
)
async def test_an_address_has_a_quota(autojump_clock, peers, said, most, reason):
    """One that is over it is told so, another address comes in, and who leaves makes room."""
    async with open_lobby(expect=1, tokens={"secret": "carol"}) as (lobby, come):
        guests = [await come(*([said] if said else []), peer=peers[n % len(peers)]) for n in range(most)]
        refused = await come(peer=peers[0])
        assert reason in (await refused.hear())["reason"]
        await come({"name": "alice"}, peer="10.0.0.2")
        assert ["carol", "alice"] == list(lobby.players)
        await guests[0].leave()
        await come({"token": "secret"}, peer=peers[0])
        assert lobby.players["carol"][-1].is_connected


async def test_who_comes_and_goes_fills_no_screen(autojump_clock):
    """What people are told is bounded, and the last line says so."""
    notes: list[str] = []
    async with open_lobby(expect=2, note=notes.append) as (_, come):
        for _ in range(COMINGS_NOTED_MAX):
            await (await come({"name": "moth"})).leave()
    assert COMINGS_NOTED_MAX + 1 == len(notes)
    assert "further connections are no longer shown" == notes[-1]


async def test_a_token_ties_connections_to_their_entrant(autojump_clock):
    """Whatever name they say; another one is another instance, or takes the place of a dead one."""
    async with open_lobby(tokens={"secret": "carol"}) as (lobby, come):
        assert ["carol"] == lobby.missing
        first = await come({"name": "whoever", "token": "secret"})
        assert [] == lobby.missing
        await come({"token": "secret"})
        assert 2 == len(lobby.players["carol"])
        lobby.begin()
        await first.leave()
        await come({"token": "secret"})
        assert [True, True] == [player.is_connected for player in lobby.players["carol"]]
