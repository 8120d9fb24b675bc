"""A bot over a byte stream: one question at a time for plain bots, clocks that run on, outboxes that end."""

from __future__ import annotations

import socket
import time
from itertools import pairwise
from random import Random

import msgspec
import pytest
import trio
import trio.lowlevel
from toys import Hut, Seen, Toy

from arena.match.clock import Control
from arena.match.game import Seat
from arena.players.allowance import BURST_BYTES, BYTES_PER_S, PIECE_BYTES, Allowance
from arena.players.lag import LagWatch
from arena.players.outbox import OUTBOX_BYTES_MAX
from arena.players.stream import CONSEQUENCE, StreamPlayer
from arena.players.transcript import MESSAGE_BYTES_KEPT, MESSAGES_KEPT
from arena.players.transport import RECEIVE_BYTES, SocketTransport, StreamTransport, Transport
from arena.testing import (
    SECRET,
    After,
    Peer,
    ScriptedPlayer,
    check_player,
    chopped,
    connect,
    dripping,
    flooding,
    gone,
    half_said,
    honest,
    illegal,
    late,
    never_reading,
    play_once,
    rude,
    seat_bots,
    silent,
    telling_twice,
    wrong_ids,
    wrong_types,
)
from arena.wire.connection import ArenaConnection

SWIFT = Control(move_s=1.0, first_s=1.0)


def plain(question):
    """What a plain bot plays in the toy game."""
    return 88


async def play(player, *, turns=3, other=None, **more):
    """The decisions of the player in seat 0, and the record."""
    other = ScriptedPlayer("other") if other is None else other
    more = {"control": SWIFT} | more
    record = await play_once(Toy(turns=turns), [player, other], **more)
    return [decision for decision in record.decisions if decision.seat == 0], record


async def seated(behaviour, *, is_plain=False, **more):
    """The faults and reasons of one such bot in one match."""
    moves = {"bot": plain} if is_plain else {}
    async with seat_bots({"bot": behaviour}, plain=moves) as players:
        decisions, record = await play(players["bot"], **more)
    return [decision.fault for decision in decisions], [decision.reason for decision in decisions], record


@pytest.mark.parametrize("is_plain", [False, True])
async def test_an_honest_bot_passes(is_plain, autojump_clock):
    """Both protocols keep the contract of a player."""
    async with seat_bots({"bot": honest}, plain={"bot": plain} if is_plain else {}) as players:
        await check_player(players["bot"], Toy())


@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize(
    ("behaviour", "fault", "says"),
    [
        (late(0.9), None, ""),
        (silent, "too_late", "no answer within 1 s"),
        (dripping(), "too_late", "no answer within 1 s"),
        (chopped(0.001), None, ""),
        (half_said, "too_late", "no answer within 1 s"),
        (rude, "malformed", ""),
        (wrong_types, "malformed", ""),
        (wrong_ids, "malformed", "message_id"),
        (illegal(11), "illegal", "Bet: amount 11 is not 0 to 10"),
        (gone(0), "gone", "closed its connection"),
        (telling_twice, None, ""),
        (flooding(20), "malformed", ""),
    ],
    ids=lambda value: getattr(value, "__qualname__", str(value)).split(".")[0],
)
async def test_the_first_fault(behaviour, fault, says, is_plain, autojump_clock):
    """Each misbehaviour gets the fault of its kind, the nuisances none."""
    faults, reasons, _ = await seated(behaviour, is_plain=is_plain)
    assert fault == faults[0]
    assert says in reasons[0]


async def test_a_late_answer_is_never_taken_for_the_next_one(autojump_clock):
    """Full protocol: asked at once again, and the old answer is dropped."""

    async def one_behind(peer: Peer) -> None:
        asked = [await peer.question()]
        while (question := await peer.question()) is not None:
            asked.append(question)
            await trio.sleep(0.5)
            await peer.say(b'{"message_id": %b, "move": 1}' % asked[-2]["message_id"].encode())
            await trio.sleep(0.2)
            await peer.say(b'{"message_id": %b, "move": 2}' % asked[-1]["message_id"].encode())

    async with seat_bots({"bot": one_behind}) as players:
        decisions, _ = await play(players["bot"])
    assert ["too_late", None, None] == [decision.fault for decision in decisions]
    assert [2, 2] == [decision.move.amount for decision in decisions[1:]]
    assert [1.0, 0.7, 0.7] == pytest.approx([decision.elapsed_s for decision in decisions])


async def test_a_plain_bot_that_owes_an_answer_is_not_asked(autojump_clock):
    """The next question waits for the old answer, its clock running, then comes with what is left."""
    asked_at = []

    async def slow_once(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            asked_at.append(trio.current_time())
            await trio.sleep(1.4 if len(asked_at) == 1 else 0.3)
            await peer.say(b'{"message_id": %b, "move": 88}' % question["message_id"].encode())

    async with seat_bots({"bot": slow_once}, plain={"bot": plain}) as players:
        began = trio.current_time()
        decisions, _ = await play(players["bot"])
    assert [0.0, 1.4, 1.7] == pytest.approx([at - began for at in asked_at])
    assert ["too_late", None, None] == [decision.fault for decision in decisions]
    assert [1.0, 0.7, 0.3] == pytest.approx([decision.elapsed_s for decision in decisions])


async def test_a_plain_bot_that_owes_for_ever_is_asked_once(autojump_clock):
    """Question after question is too late, unsent, and the reason says why."""
    peers = []

    async def dumb(peer: Peer) -> None:
        peers.append(peer)
        await silent(peer)

    async with seat_bots({"bot": dumb}, plain={"bot": plain}) as players:
        decisions, _ = await play(players["bot"])
    assert ["too_late"] * 3 == [decision.fault for decision in decisions]
    assert [
        "no answer within 1 s",
        *[CONSEQUENCE] * 2,
    ] == [decision.reason for decision in decisions]
    assert 1 == len(peers[0].heard)


async def test_a_bot_of_words_is_malformed_first_and_what_it_said_is_shown(autojump_clock):
    """Its introduction in words hides nothing; what follows its first answer is one fault, as before."""

    async def talking(peer: Peer) -> None:
        await peer.say(b"Hello, I am bob \xe2\x80\xae\n")
        while await peer.question() is not None:
            await peer.say(b"PASS\n")

    async with seat_bots({"bot": talking}, plain={"bot": plain}) as players:
        decisions, _ = await play(players["bot"])
    assert [
        ("malformed", 'not a JSON object: "PASS"'),
        ("too_late", "no answer within 1 s, only what is not a JSON object"),
        ("too_late", CONSEQUENCE),
    ] == [(decision.fault, decision.reason) for decision in decisions]


async def test_an_owed_answer_of_the_match_before(autojump_clock):
    """What a plain bot owes from one match, it still owes in the next one."""

    async def slow_once(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            await trio.sleep(3.2 if question["game_number"] == 1 else 0)
            await peer.say(peer.answer_to(question))

    async with seat_bots({"bot": slow_once}, plain={"bot": plain}) as players:
        await play(players["bot"], turns=3)
        decisions, _ = await play(players["bot"], turns=2)
    assert [None, None] == [decision.fault for decision in decisions]
    assert [0.2, 0.0] == pytest.approx([decision.elapsed_s for decision in decisions])


async def test_a_bot_that_never_reads(autojump_clock):
    """A question that cannot be handed over within its limit is gone, and nobody else pays."""
    quick = []
    other = ScriptedPlayer("other", lambda _: quick.append(trio.current_time()) or Hut())
    faults, reasons, _ = await seated(never_reading, other=other)
    assert ["gone"] * 3 == faults
    assert {"does not read: the question could not be handed over in time"} == set(reasons)
    assert [1.0, 1.0] == pytest.approx([after - before for before, after in pairwise(quick)])


async def test_the_outbox_is_bounded(autojump_clock):
    """A bot for which a megabyte waits is cut off."""
    async with seat_bots({"bot": never_reading}) as players:
        player = players["bot"]
        player.begin(_start())
        outbox = player._outbox
        while player.is_connected:
            player.tell("noise", Seen(0, 0, (Seat(0),) * 10_000))
            player.flush()
            assert outbox.stuck_bytes <= 2 * OUTBOX_BYTES_MAX
    assert "does not read" in player.gone_reason or not player.is_connected


def _start():
    from arena.players.base import MatchStart

    return MatchStart("m", Toy(), Seat(0), ("bot", "other"), SWIFT, 1)


async def test_events_go_out_with_the_question(autojump_clock):
    """Events of a turn, a fault, and the next question are told in order, and nothing waits at the end."""
    peers = []

    async def remembering(peer: Peer) -> None:
        peers.append(peer)
        while (question := await peer.question()) is not None:
            await peer.say(b"{}" if question["state"]["turn"] == 0 else peer.answer_to(question))

    async with seat_bots({"bot": remembering}) as players:
        await play(players["bot"], turns=2)
        await trio.lowlevel.checkpoint()
        await trio.testing.wait_all_tasks_blocked()
        types = [said.get("type") for said in peers[0].heard]
    assert ["welcome", "match", "event", "ask", "fault", "event", "ask", "event", "result"] == types
    assert {
        "match_id": "000000000000",
        "message_id": "1",
        "kind": "malformed",
        "reason": 'no "message_id"',
    } == {key: value for key, value in peers[0].heard[4].items() if key != "type"}


async def test_who_is_not_asked_hears_events_all_the_same(autojump_clock):
    """An abandoned seat is told what happens while the others play on, not only at the end."""
    heard_at = []

    async def listening(peer: Peer) -> None:
        while (said := await peer.listen()) is not None:
            heard_at.append((said["type"], trio.current_time()))
            if said["type"] == "ask":
                await peer.say(b"{}")

    async with trio.open_nursery() as nursery, seat_bots({"bot": listening}) as players:
        other = ScriptedPlayer("other", lambda _: After(0.5, Hut()), nursery=nursery)
        began = trio.current_time()
        await play(players["bot"], other=other, faults_max=1)
        await trio.testing.wait_all_tasks_blocked()
    events = [at - began for kind, at in heard_at if kind == "event"]
    assert [0.0, 0.5, 1.0, 1.5] == pytest.approx(events)


# Lost connections.


async def test_who_comes_back_is_asked_again(autojump_clock):
    """The open question comes again under a new id, with what is left of its time; its clock runs on."""
    async with trio.open_nursery() as nursery, seat_bots({"bot": gone(0)}) as players:
        player = players["bot"]

        async def come_back() -> None:
            await trio.sleep(0.6)
            assert not player.is_connected
            peers.append(await nursery.start(connect, player, late(0.2), Random(1)))

        peers: list[Peer] = []
        nursery.start_soon(come_back)
        decisions, _ = await play(player)
        player.dismiss("over")
    assert [None, None, None] == [decision.fault for decision in decisions]
    assert [0.8, 0.2, 0.2] == pytest.approx([decision.elapsed_s for decision in decisions])
    types = [said["type"] for said in peers[0].heard]
    assert ["welcome", "match", "ask"] == types[:3]
    assert 0.4 == pytest.approx(peers[0].heard[2]["time_s"])


async def test_who_comes_back_too_late_was_gone(autojump_clock):
    """Without a connection at the end of its time the question is gone, with the reason of the loss."""
    faults, reasons, _ = await seated(gone(1), control=Control(move_s=3.0, first_s=3.0))
    assert [None, "gone", "gone"] == faults
    assert {"closed its connection"} == set(reasons[1:])


async def test_nobody_is_waited_for_longer_than_reconnect_s(autojump_clock):
    """After that a question is gone at once, long before its limit."""
    async with seat_bots({"bot": gone(1)}, reconnect_s=2.0) as players:
        began = trio.current_time()
        player = players["bot"]

        async def give_up() -> None:
            while player.is_connected:  # noqa: ASYNC110 - players tell nobody
                await trio.sleep(0.1)
            await trio.sleep(player.reconnect_s)
            player.stop_waiting()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(give_up)
            decisions, _ = await play(player, turns=4, control=Control(move_s=60.0, first_s=60.0))
        assert [None, "gone", "gone", "gone"] == [decision.fault for decision in decisions]
        assert 0 < trio.current_time() - began < 3.0


async def test_a_connection_lost_between_matches(autojump_clock):
    """Nothing is open, nothing fails; the next match is told to whoever comes back."""
    async with trio.open_nursery() as nursery, seat_bots({"bot": gone(3)}) as players:
        player = players["bot"]
        before, _ = await play(player)
        peer = await nursery.start(connect, player, honest, Random(1))  # a new connection after a lost one
        after, _ = await play(player)
        player.dismiss("over")
    assert [None] * 6 == [decision.fault for decision in before + after]
    assert ["welcome", "match"] == [said["type"] for said in peer.heard[:2]]


async def test_a_match_that_was_broken_off(autojump_clock):
    """If the rules raise while a question is open, the player plays its next match as if nothing were."""
    async with seat_bots({"bot": late(0.3)}) as players:
        with pytest.raises(ZeroDivisionError):
            await play_once(Toy(breaks_at=1), [players["bot"], ScriptedPlayer("other")])
        with trio.move_on_after(0.1):
            await play(players["bot"])
        decisions, _ = await play(players["bot"])
    assert [None] * 3 == [decision.fault for decision in decisions]


async def test_a_dismissed_player_is_gone(autojump_clock):
    """It closes the connection, and whatever it is asked is gone with the reason."""
    async with seat_bots({"bot": honest}) as players:
        players["bot"].dismiss("enough")
        assert players["bot"].is_gone
        decisions, _ = await play(players["bot"])
    assert [("gone", "enough")] * 3 == [(decision.fault, decision.reason) for decision in decisions]


# Bounds.


async def test_a_flood_is_read_on_its_own_time(autojump_clock):
    """More than a little is read no faster than allowed; the neighbour's answers are on time."""
    flood = flooding(120, b'{"message_id": "1", "spam": "' + b"x" * 3970 + b'"}')
    async with trio.open_nursery() as nursery, seat_bots({"bot": flood}) as players:
        other = ScriptedPlayer("other", lambda _: After(0.9, Hut()), nursery=nursery)
        began = trio.current_time()
        decisions, record = await play(players["bot"], other=other)
    assert [None] * 3 == [decision.fault for decision in record.decisions if decision.seat == 1]
    assert decisions[0].fault == "malformed"
    assert 2.7 <= trio.current_time() - began <= 3.0


async def test_a_flood_is_throttled(autojump_clock):
    """A burst is read at once, what is more no faster than its bytes leak away: TCP holds the rest back."""
    ours, theirs = trio.testing.lockstep_stream_pair()
    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, StreamTransport(ours), None)
        began = trio.current_time()
        await theirs.send_all(b" " * (BURST_BYTES // 2))
        assert 0.0 == trio.current_time() - began
        await theirs.send_all(b" " * (BYTES_PER_S + BURST_BYTES // 2))
        seconds = (BYTES_PER_S + (BYTES_PER_S + BURST_BYTES) / RECEIVE_BYTES * PIECE_BYTES) / BYTES_PER_S
        assert trio.current_time() - began == pytest.approx(seconds, rel=0.02)
        player.dismiss("over")


@pytest.mark.slow
async def test_answers_that_were_asked_for_are_free(autojump_clock):
    """However many questions a bot answers in a moment, it is never made to wait."""
    async with seat_bots({"bot": honest}) as players:
        began = trio.current_time()
        decisions, _ = await play(players["bot"], turns=2000)
        assert 0.0 == trio.current_time() - began
    assert {None} == {decision.fault for decision in decisions}


async def test_late_answers_are_free_once(autojump_clock, monkeypatch):
    """An answer to a question that was given up was asked for too; the same once more was not."""
    charged = []
    monkeypatch.setattr(Allowance, "charge", lambda self, octets, values: charged.append(values) or True)

    async def late_and_twice(peer: Peer) -> None:
        for times in (1, 1, 3):
            question = await peer.question()
            await trio.sleep(1.2)
            for _ in range(times):
                await peer.say(peer.answer_to(question))
                await trio.sleep(0.01)

    async with seat_bots({"bot": late_and_twice}) as players:
        charged.clear()  # its introduction was not asked for
        decisions, _ = await play(players["bot"])
        await trio.sleep(1.0)
    assert ["too_late"] * 3 == [decision.fault for decision in decisions]
    assert [1, 1] == charged


async def test_all_connections_of_an_owner_share_its_allowance(autojump_clock):
    """Fifteen connections may send what one may: what is over is read at the same pace in all."""
    allowance = Allowance()
    read = 0
    async with trio.open_nursery() as nursery:
        for _ in range(15):
            ours, theirs = trio.testing.lockstep_stream_pair()
            player = StreamPlayer("bot", allowance=allowance)
            connection = ArenaConnection()
            connection.enter()

            async def flood(theirs=theirs):
                nonlocal read
                while True:
                    await theirs.send_all(b" " * 1024)
                    read += 1024 + PIECE_BYTES

            nursery.start_soon(player.serve, StreamTransport(ours), connection)
            nursery.start_soon(flood)
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert 9 * BYTES_PER_S <= read <= 10 * BYTES_PER_S + BURST_BYTES + 15 * 2048


def test_own_work_is_no_excuse(monkeypatch):
    """What the arena spent on this owner's bytes since it listened last counts as having listened."""
    clock = iter((0.0, 10.0, 10.25))
    monkeypatch.setattr("arena.players.allowance.perf_counter", lambda: next(clock))
    now = 100.0
    monkeypatch.setattr(trio, "current_time", lambda: now)
    allowance = Allowance()
    assert 99.0 == allowance.excuse(99.0, 100.0)
    next(clock)
    allowance.note_work(9.5)
    allowance.note_work(10.0)
    assert 99.75 == allowance.excuse(99.0, 100.0)
    assert 100.0 == allowance.excuse(99.5, 100.0)
    assert 100.5 == allowance.excuse(100.5, 101.0)


async def test_what_its_bytes_make_us_raise_costs_that_connection_alone(autojump_clock, monkeypatch):
    """A bug of ours that one bot sets off is its loss of the connection; the traceback is kept, the match goes on."""
    bugs = []
    async with seat_bots({"bot": honest}) as players:
        players["bot"].note_bug = bugs.append
        monkeypatch.setattr(ArenaConnection, "receive", lambda connection, data: {}["no such thing"])
        decisions, record = await play(players["bot"])
    assert ["gone"] * 3 == [decision.fault for decision in decisions]
    assert "a bug of the arena's" in decisions[0].reason
    assert [None] * 3 == [decision.fault for decision in record.decisions if decision.seat == 1]
    (bug,) = bugs
    assert "KeyError: 'no such thing'" in bug


async def test_a_question_handed_over_too_late_is_gone(autojump_clock):
    """A bot that reads only after its limit cannot answer in time any more, however quick it is then."""
    ours, theirs = trio.testing.lockstep_stream_pair()

    async def read_late() -> None:
        await trio.sleep(1.5)
        await theirs.receive_some(65536)
        await trio.sleep(0.1)
        await theirs.send_all(b'{"message_id": 1, "move": 88}')

    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, StreamTransport(ours), None)
        nursery.start_soon(read_late)
        patient = ScriptedPlayer("patient", lambda _: After(2.0, Hut()), nursery=nursery, margin_s=9.0)
        decisions, _ = await play(player, turns=1, other=patient)
        player.dismiss("over")
    assert ["gone"] == [decision.fault for decision in decisions]
    assert "does not read" in decisions[0].reason


async def test_the_evidence_is_bounded_blanked_and_timed(autojump_clock):
    """A capsule holds the last messages both ways, each cut, oldest first, without tokens."""

    async def leaking(peer: Peer) -> None:
        while (question := await peer.question()) is not None:
            await trio.sleep(0.25)
            for _ in range(100):
                await peer.say(
                    b'{"message_id": "0", "token": "%b", "x": "%b"}' % (SECRET.encode(), b"y" * 9000)
                )
            await peer.say(b"junk")
            del question

    _, _, record = await seated(leaking)
    lines = record.capsules[-1].lines
    assert len(lines) <= MESSAGES_KEPT
    text = msgspec.json.encode(lines).decode()
    assert SECRET not in text
    assert "***" in text
    assert all(len(line["text"]) <= MESSAGE_BYTES_KEPT for line in lines)
    times = [line["t_s"] for line in lines]
    assert sorted(times) == times
    assert {"→", "←"} <= {line["dir"] for line in record.capsules[0].lines}


async def test_evidence_of_a_match_ends_with_it(autojump_clock):
    """A capsule tells nothing of the match before."""
    async with seat_bots({"bot": illegal(11)}) as players:
        await play(players["bot"])
        _, record = await play(players["bot"], turns=1)
    heard = [line["text"] for line in record.capsules[0].lines if line["dir"] == "←"]
    assert ['{"message_id":"4","move":11}'] == heard


# Real sockets and real time.


def _pair():
    ours, theirs = socket.socketpair()
    theirs.setblocking(True)
    return SocketTransport(ours), theirs


async def _serve(nursery, transport, watch):
    player = StreamPlayer("bot", watch=watch)
    connection = ArenaConnection()
    connection.receive(b'{"name": "bot"}')
    nursery.start_soon(player.serve, transport, connection)
    await trio.testing.wait_all_tasks_blocked()
    return player


class _Busy(ScriptedPlayer):
    """Blocks the whole arena while it answers, as no player may; meanwhile its neighbour's bot answers."""

    def __init__(self, busy_s, then):
        super().__init__("busy")
        self.busy_s = busy_s
        self.then = then

    def ask(self, question, slot):
        self.then()
        time.sleep(self.busy_s)
        super().ask(question, slot)


@pytest.mark.parametrize(
    ("answers", "fault", "is_lagged"), [("before", None, True), ("never", "too_late", True)]
)
async def test_nobody_is_late_because_the_arena_was(answers, fault, is_lagged):
    """An answer that came in time while the arena was busy counts, and is marked; silence stays late."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    transport, bot = _pair()

    def answer() -> None:
        if answers == "before":
            bot.recv(65536)
            bot.sendall(b'{"message_id": 1, "move": 88}')

    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, transport, watch)
        control = Control(move_s=0.03, first_s=0.03)
        decisions, _ = await play(
            player, turns=1, other=_Busy(0.08, answer), control=control, lag=watch.since
        )
        player.dismiss("over")
    bot.close()
    trio.lowlevel.remove_instrument(watch)
    assert [(fault, is_lagged)] == [(decision.fault, decision.lagged) for decision in decisions]
    assert 0.03 == pytest.approx(decisions[0].elapsed_s)


async def test_an_answer_after_the_deadline_is_late_however_busy_it_is():
    """The doubt ends where the arena had listened after the deadline and heard nothing."""
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    transport, bot = _pair()

    async def answer_late() -> None:
        await trio.sleep(0.2)
        bot.sendall(b'{"message_id": 1, "move": 88}')

    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, transport, watch)
        nursery.start_soon(answer_late)
        other = ScriptedPlayer("other", lambda _: After(0.22, Hut()), nursery=nursery, margin_s=1.0)
        decisions, _ = await play(player, turns=1, other=other, control=Control(move_s=0.03, first_s=0.03))
        player.dismiss("over")
    bot.close()
    trio.lowlevel.remove_instrument(watch)
    assert [("too_late", False)] == [(decision.fault, decision.lagged) for decision in decisions]
    assert "answered after" in decisions[0].reason


async def test_a_full_kernel_buffer_is_gone_in_time():
    """A real bot that does not read: what the kernel does not take any more is gone."""
    transport, bot = _pair()
    transport._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, transport, None)
        player.begin(_start())
        while not player._outbox.stuck_bytes:
            player._say(b" " * 1000)
            player.flush()
        player.end({Seat(0): 1}, {Seat(0): 0.0})
        decisions, _ = await play(player, turns=1, control=Control(move_s=0.03, first_s=0.03))
        player.dismiss("over")
    bot.close()
    assert ["gone"] == [decision.fault for decision in decisions]
    assert "does not read" in decisions[0].reason


async def test_half_a_message_and_the_end():
    """A bot that hangs up in the middle of its answer has not answered."""
    transport, bot = _pair()
    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, transport, None)
        bot.sendall(b'{"message_id": 1, "mo')
        bot.shutdown(socket.SHUT_WR)
        decisions, _ = await play(player, turns=1, control=Control(move_s=0.02, first_s=0.02))
        player.dismiss("over")
    bot.close()
    assert [("gone", "closed its connection")] == [(d.fault, d.reason) for d in decisions]


class _Broken(Transport):
    """Takes nothing, and says so."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = trio.Event()

    def send_now(self, octets):
        raise BrokenPipeError(32, "Broken pipe")

    async def send_some(self, octets):
        raise BrokenPipeError(32, "Broken pipe")

    async def receive(self):
        await self.closed.wait()
        return b""

    def close(self):
        self.closed.set()


async def test_a_connection_that_breaks_at_a_write(autojump_clock):
    """The question is gone with the system's reason, not an exception."""
    async with trio.open_nursery() as nursery:
        player = await _serve(nursery, _Broken(), None)
        decisions, _ = await play(player, turns=2)
    assert ["gone", "gone"] == [decision.fault for decision in decisions]
    assert {"broke its connection (Broken pipe)"} == {decision.reason for decision in decisions}


async def test_a_match_outlives_whoever_served_its_connection(autojump_clock):
    """Cancelled while the match goes on: the bot is asked if the kernel takes it at once; nothing is raised."""
    ours, theirs = _pair()
    async with trio.open_nursery() as connections:
        player = await _serve(connections, ours, None)
        connections.cancel_scope.cancel()
    decisions, _ = await play(player, turns=1)
    assert ["too_late"] == [decision.fault for decision in decisions]
    assert b"message_id" in theirs.recv(65536)
    player.dismiss("over")
    theirs.close()
    ours, _ = trio.testing.lockstep_stream_pair()
    async with trio.open_nursery() as connections:
        player = await _serve(connections, StreamTransport(ours), None)
        connections.cancel_scope.cancel()
    decisions, _ = await play(player, turns=1)
    assert ["gone"] == [decision.fault for decision in decisions], "a stream that takes nothing at once"
