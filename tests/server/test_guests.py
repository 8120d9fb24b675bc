"""Bots over TCP, in virtual time: guests of the open table, and holders of a table's key."""

from __future__ import annotations

import json
import resource
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio.testing import memory_stream_pair

from arena.players.transport import StreamTransport
from arena.reading.units import Address
from arena.refusal import Refusal
from arena.server.http.certificate import Certificate
from arena.server.league.visits import LeagueVisits
from arena.server.open_tables import OpenTables
from arena.server.serve import ServerPlan, serve
from arena.server.tables.guests import ALONE_S, GATHER_S, OpenTable
from arena.server.tables.live import LiveTable
from arena.server.tables.programs import RECONNECT_S, Programs
from arena.server.tables.tcp_door import STOPPED, TcpDoor
from tests.server.halls import a_house
from tests.server.league_server import a_league_server

HOME = "127.0.0.1"


@attrs.frozen
class Rig:
    """A house with a door for bots, in this process."""

    house: OpenTables
    programs: Programs
    open_table: OpenTable
    door: TcpDoor
    nursery: trio.Nursery

    async def connect(self, *first: Any, peer: str = HOME) -> trio.abc.Stream:
        """A connection that says these JSON values at once."""
        ours, theirs = memory_stream_pair()
        transport = StreamTransport(theirs)
        transport.peer = peer
        self.nursery.start_soon(self._serve, transport, theirs)
        for value in first:
            await ours.send_all(json.dumps(value).encode() + b"\n")
        return ours

    async def _serve(self, transport: StreamTransport, theirs: trio.abc.Stream) -> None:
        await self.door.serve(transport)
        await trio.aclose_forcefully(theirs)

    async def bot(self, *first: Any, peer: str = HOME, answers: bool = True) -> TestBot:
        """A plain bot, which plays by itself."""
        bot = TestBot(await self.connect(*first, peer=peer), answers)
        self.nursery.start_soon(bot.run)
        return bot

    @property
    def names(self) -> list[str]:
        """Who sits at the open table."""
        return [member.nickname for member in self.open_table.live.table.players]

    async def until(self, condition: Callable[[], bool]) -> None:
        with trio.fail_after(600):
            while not condition():  # noqa: ASYNC110 - virtual time
                await trio.sleep(0.05)

    async def matches(self, count: int) -> None:
        """Returns when so many matches are over at the open table."""
        await self.until(lambda: self._played >= count)

    @property
    def _played(self) -> int:
        """How many matches are over at the open table."""
        table = self.open_table.live.table
        return table.matches - table.is_playing


class TestBot:
    """Answers as the document's bots do."""

    __test__ = False

    def __init__(self, stream: trio.abc.Stream, answers: bool = True) -> None:
        self.stream = stream
        self.answers = answers
        self.heard: list[dict[str, Any]] = []
        self.is_over = False

    async def run(self) -> None:
        octets = b""
        while True:
            try:
                piece = await self.stream.receive_some()
            except (trio.ClosedResourceError, trio.BrokenResourceError):
                piece = b""
            if not piece:
                break
            *lines, octets = (octets + piece).split(b"\n")
            for line in lines:
                self.heard.append(json.loads(line))
                await self.answer(self.heard[-1])
        self.is_over = True

    async def answer(self, question: dict[str, Any]) -> None:
        if question.get("type", "ask") != "ask" or not self.answers:
            return
        state = question.get("state", question)
        face, count = state["last_bid"]
        is_mine = state["other_hands"][0][0] == "yourself"
        move = "pass" if not is_mine else "challenge" if count > 2 else [max(face, 2), count + 1]
        answer = {"message_id": question["message_id"], "move": move}
        try:
            await self.stream.send_all(json.dumps(answer).encode() + b"\n")
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            pass

    def has_ended(self) -> bool:
        return self.is_over

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [heard for heard in self.heard if heard.get("type", "ask") == "ask"]


@asynccontextmanager
async def a_rig(certificate: Certificate | None = None, **changes: Any) -> AsyncIterator[Rig]:
    later: dict[str, Any] = {}
    async with (
        a_house(
            open_program=lambda id, member: later["programs"].open(id, member),
            find_guest=lambda name, game: later["table"].find(name, game),
            **changes,
        ) as house,
        trio.open_nursery() as nursery,
    ):
        programs = later["programs"] = Programs(house.hall.nursery, house.table)
        table = later["table"] = OpenTable(house, programs, bot="odds")
        nursery.start_soon(table.run)
        door = TcpDoor(
            house, programs, table, LeagueVisits(a_league_server().leagues), certificate=certificate
        )
        yield Rig(house, programs, table, door, nursery)
        nursery.cancel_scope.cancel()


# Guests


async def test_two_bots_that_say_nothing_play_match_after_match(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """As the document says: no name is needed, and it is asked as soon as somebody else is there."""
    async with a_rig() as rig:
        bots = [await rig.bot(), await rig.bot()]
        began = trio.current_time()
        await rig.matches(1)
        assert 1.0 + GATHER_S <= trio.current_time() - began < 2.0 + GATHER_S
        assert ["bot-1", "bot-2"] == sorted(rig.names)
        await rig.matches(3)
        question = bots[0].questions[0]
        assert {"message_id", "game_number", "your_hand", "other_hands", "last_move"} <= question.keys()
        assert [1, 2, 3] == sorted({each["game_number"] for each in bots[0].questions})
        assert not any(each.fault for each in rig.open_table.live.match.decisions)  # type: ignore[union-attr]


async def test_guests_say_their_names_in_both_protocols(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"})
        full = await rig.bot({"type": "hello", "protocol": 1, "name": "Bob"})
        await rig.bot({"name": "Ann"})
        await rig.matches(1)
        assert ["Ann", "Ann-2", "Bob"] == sorted(rig.names)
        kinds = [heard.get("type") for heard in full.heard]
        assert ["welcome", "match"] == kinds[:2]
        assert "result" in kinds


async def test_who_comes_in_mid_match_plays_in_the_next_one(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"}, answers=False)
        await rig.bot({"name": "Bob"})
        await rig.until(lambda: rig.open_table.live.table.is_playing)
        await rig.bot({"name": "Eve"})
        await trio.sleep(1.5)
        live = rig.open_table.live
        assert live.table.is_playing
        assert live.table.is_public
        assert {"Ann", "Bob", "Eve"} == set(rig.names)
        assert {"Ann", "Bob"} == set(live.table.names)
        await rig.matches(2)
        assert {"Bob", "Eve"} == set(live.table.names)


async def test_a_house_bot_keeps_company_until_two_others_sit_there(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"})
        await trio.sleep(ALONE_S - 0.1)
        assert ["Ann"] == rig.names
        await trio.sleep(0.2)
        assert ["Ann", "odds"] == rig.names
        await rig.matches(1)
        await rig.bot({"name": "Bob"})
        await rig.until(lambda: rig.names == ["Ann", "Bob"])
        await rig.matches(rig.open_table.live.table.matches + 1)
        assert {"Ann", "Bob"} == set(rig.open_table.live.table.names)


async def test_the_house_bot_does_not_stay_alone(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        ann = await rig.bot({"name": "Ann"})
        await rig.until(lambda: "odds" in rig.names)
        await ann.stream.aclose()
        await rig.until(lambda: not rig.names)
        bob = await rig.bot({"name": "Bob"})
        await rig.until(lambda: bool(bob.questions))


async def test_a_silent_connection_is_sent_away_after_a_match(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        silent = await rig.bot({"type": "hello", "protocol": 1, "name": "Mute"}, answers=False)
        await rig.bot({"name": "Ann"})
        await rig.matches(1)
        await rig.until(silent.has_ended)
        assert "Mute" not in rig.names


async def test_a_guest_that_loses_its_connection_may_come_back_in_the_match(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"}, answers=False)
        plain = await rig.bot({"name": "Bob"})
        full = await rig.bot({"type": "hello", "protocol": 1, "name": "Eve"})
        await rig.until(lambda: rig.open_table.live.table.is_playing)
        await trio.sleep(1.0)
        for bot in (plain, full):
            await bot.stream.aclose()
        await trio.sleep(RECONNECT_S - 2.0)
        stranger = await rig.bot({"name": "Bob"}, peer="192.0.2.7")
        plain = await rig.bot({"name": "Bob"})
        full = await rig.bot({"type": "hello", "protocol": 1, "token": full.heard[0]["token"]})
        await rig.until(lambda: bool(plain.questions))
        assert {"type": "welcome", "name": "Eve"}.items() <= full.heard[0].items()
        assert not stranger.questions, "it sits out this match, under another name"
        await rig.matches(1)
        gone = [each for each in rig.open_table.live.match.decisions if each.fault == "gone"]  # type: ignore[union-attr]
        assert not gone
        assert "Bob-2" in rig.names


async def test_a_guest_that_stays_away_leaves_after_the_match(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"}, answers=False)
        bob, eve = await rig.bot({"name": "Bob"}), await rig.bot({"name": "Eve"})
        await rig.until(lambda: bool(bob.questions))
        await eve.stream.aclose()
        await trio.sleep(1.0)
        assert "Eve" in rig.names
        await rig.matches(1)
        await rig.until(lambda: rig.names == ["Bob"])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x" * 25, "a nickname is 1 to 24 printable characters, without spaces at its ends"),
        ("a\nb", "a nickname is 1 to 24 printable characters, without spaces at its ends"),
        ("yourself", "yourself is a word of the game: choose another"),
        ("ann", "ann looks like Ann, who is here: choose another"),
        (7, "name 7 is not a string"),
    ],
)
async def test_a_bad_name_is_refused(name: Any, reason: str, autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"})
        await trio.sleep(0.1)
        bot = await rig.bot({"name": name})
        await rig.until(bot.has_ended)
        assert [{"type": "bye", "reason": reason}] == bot.heard
        assert ["Ann"] == rig.names


async def test_guests_are_bounded_for_an_address_and_in_all(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        far = [await rig.bot({"name": f"far-{number}"}, peer="192.0.2.7") for number in range(6)]
        near = [await rig.bot({"name": f"near-{number}"}) for number in range(8)]
        await trio.sleep(0.5)
        assert 10 == len(rig.names)
        reasons = [bot.heard[0]["reason"] for bot in (*far, *near) if bot.is_over]
        assert 2 == reasons.count("4 guests of your address are here already")
        assert 2 == sum("all 10 seats are taken" in reason for reason in reasons)


async def test_a_flood_of_connections_is_bounded(autojump_clock: trio.testing.MockClock) -> None:
    """What is over the quota of an address hears so and is closed; who plays is not disturbed."""
    async with a_rig() as rig:
        await rig.bot({"name": "Ann"})
        await rig.bot({"name": "Bob"})
        silent = [await rig.bot(peer="192.0.2.7") for _ in range(80)]
        await trio.sleep(5.0)
        assert 80 - 4 == sum(bot.is_over for bot in silent)
        await rig.matches(1)
        assert {"Ann", "Bob"} <= set(rig.open_table.live.table.names)


async def test_people_may_sit_down_and_watch(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        live = rig.open_table.live
        assert [live] == rig.house.public()
        await rig.bot({"name": "Bob"})
        ann, _ = live.join("ann")
        await rig.until(lambda: live.table.is_playing)
        live.join("eve", spectate=True)
        for act in (live.begin, live.ready, live.rematch):
            with pytest.raises(Refusal, match="has no host"):
                act(ann)
        await rig.matches(1)
        assert ["Bob"] == rig.names, "ann did nothing in the whole match"


async def test_the_table_stays_when_everybody_has_left(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        rig.nursery.start_soon(rig.house.watch)
        ann = await rig.bot({"name": "Ann"})
        await trio.sleep(1.0)
        await ann.stream.aclose()
        await trio.sleep(2 * 3600.0)
        assert not rig.open_table.live.table.is_closed
        await rig.bot({"name": "Ann"})
        await rig.matches(1)


async def test_guests_are_told_when_the_server_stops(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        stream = await rig.connect({"name": "Ann"})
        await trio.sleep(0.5)
        place = next(iter(rig.programs))
    assert STOPPED == place.player.gone_reason
    await stream.aclose()


# Bots with the key of a seat


def a_table(
    rig: Rig, *names: str, game: str = "liars-dice", **rules: Any
) -> tuple[LiveTable, list[Any], list[str]]:
    live = rig.house.create(game, rules, 30.0)
    joined = [live.join(name) for name in names]
    return live, [member for member, _ in joined], [key for _, key in joined]


@pytest.mark.parametrize("hello", [{}, {"type": "hello", "protocol": 1, "name": "whatever"}])
async def test_a_bot_with_a_key_plays_that_seat(
    hello: dict[str, Any], autojump_clock: trio.testing.MockClock
) -> None:
    async with a_rig() as rig:
        live, (ann, bob), (_, key) = a_table(rig, "ann", "bob")
        bot = await rig.bot({**hello, "token": key})
        await trio.sleep(0.5)
        assert "program" == live.table.member(bob.player_id).way
        live.begin(ann)
        await rig.until(lambda: not live.table.is_playing)
        assert bot.questions
        assert live.match is not None
        seat = live.table.seating.index(bob.player_id)
        assert not any(each.fault for each in live.match.decisions if int(each.seat) == seat)
        with pytest.raises(Refusal, match="no match is being played"):
            live.play(bob, "pass")
        assert rig.names == []


@pytest.mark.parametrize(
    ("pause_s", "move_s", "turn_s"), [(0.0, 30.0, 0.0), (2.0, 30.0, 2.0), (2.0, 1.0, 0.5)]
)
async def test_a_match_of_bots_is_as_slow_as_its_table_asks(
    pause_s: float, move_s: float, turn_s: float, autojump_clock: trio.testing.MockClock
) -> None:
    """Each turn takes so long at least, up to half of the limit, and nobody is late by it."""
    async with a_rig() as rig:
        live = rig.house.create("liars-dice", {}, move_s, bots_pause_s=pause_s)
        joined = [live.join(name) for name in ("ann", "bob")]
        for _, key in joined:
            await rig.bot({"token": key})
        await trio.sleep(0.5)
        began = trio.current_time()
        live.begin(joined[0][0])
        await rig.until(lambda: not live.table.is_playing)
        assert live.match is not None
        turns = {each.turn for each in live.match.decisions}
        assert not any(each.fault for each in live.match.decisions)
        took_s = trio.current_time() - began
        first_s = pause_s - turn_s  # a first question has a longer limit, so all of the pause
        assert turn_s * len(turns) <= took_s <= turn_s * len(turns) + first_s + 1.0


async def test_a_bot_that_is_not_there_at_the_start_has_time_to_come(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        live, (ann, _), (_, key) = a_table(rig, "ann", "bob")
        before = await rig.bot({"token": key})
        await trio.sleep(0.5)
        await before.stream.aclose()
        await trio.sleep(60.0)
        live.begin(ann)
        await trio.sleep(RECONNECT_S - 0.5)
        bot = await rig.bot({"token": key})
        await rig.until(lambda: not live.table.is_playing)
        assert bot.questions
        assert live.match is not None
        assert "gone" not in {each.fault for each in live.match.decisions}


async def test_a_bot_that_stays_away_is_gone_until_it_comes(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        live, (ann, _), (_, key) = a_table(rig, "ann", "bob")
        before = await rig.bot({"token": key})
        await trio.sleep(0.5)
        live.begin(ann)
        await rig.until(lambda: bool(before.questions))
        await before.stream.aclose()
        await rig.until(lambda: any(each.fault == "gone" for each in live.match.decisions))  # type: ignore[union-attr]
        late = await rig.bot({"token": key})
        await rig.until(lambda: not live.table.is_playing)
        assert late.questions


async def test_what_a_key_cannot_do_is_refused_with_a_sentence(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        live, (ann, _), keys = a_table(rig, "ann", "bob")
        _, watching = live.join("eve", spectate=True)
        await rig.bot({"token": keys[1]})
        await trio.sleep(0.5)
        live.begin(ann)
        refused = {
            keys[0]: "ann plays this match over HTTP: connect again once it is over",
            keys[1]: "bob is connected already",
            watching: "a spectator has no seat: a bot needs the key of a player",
            "wrong": "no seat at an open table has this token, and no league: send the key or the token that "
            "you were given when you joined, or none to be a guest",
        }
        for key, reason in refused.items():
            bot = await rig.bot({"token": key})
            await rig.until(bot.has_ended)
            assert [{"type": "bye", "reason": reason}] == bot.heard
        assert not rig.names


async def test_unknown_tokens_are_bounded_for_each_address(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        reasons = []
        for number in range(30):
            bot = await rig.bot({"token": f"guess-{number}"}, peer="192.0.2.7")
            await rig.until(bot.has_ended)
            reasons.append(bot.heard[0]["reason"])
        assert "too many unknown tokens" in reasons[-1]


async def test_a_member_that_leaves_takes_its_bot_with_it(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        live, (ann, bob), (_, key) = a_table(rig, "ann", "bob")
        bot = await rig.bot({"token": key})
        await trio.sleep(0.5)
        live.begin(ann)
        await rig.until(lambda: bool(bot.questions))
        live.leave(live.table.member(bob.player_id))
        await rig.until(bot.has_ended)
        await rig.until(lambda: not live.table.is_playing)
        assert [ann.nickname] == [each.nickname for each in live.table.members]


# Guests at other tables


async def test_the_host_gives_a_seat_to_a_guest_that_waits(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        live, (ann,), _ = a_table(rig, "ann")
        guest = await rig.bot({"name": "Rex"})
        await trio.sleep(0.5)
        given = live.give_seat(ann, "Rex")
        assert ("Rex", "program") == (given.nickname, given.way)
        assert not rig.names
        live.begin(ann)
        await rig.until(lambda: not live.table.is_playing)
        assert guest.questions
        live.leave(live.table.member(ann.player_id))
        assert live.table.is_closed, "a guest alone keeps no table open"
        await rig.until(lambda: rig.names == ["Rex"])
        await rig.matches(1)


async def test_a_guest_that_cannot_be_had_is_refused(autojump_clock: trio.testing.MockClock) -> None:
    async with a_rig() as rig:
        live, (ann, bob), _ = a_table(rig, "ann", "bob")
        other, (eve,), _ = a_table(rig, "eve", game="bluff")
        await rig.bot({"name": "Rex"}, answers=False)
        await trio.sleep(0.5)
        with pytest.raises(Refusal, match="Rex is a guest who plays liars-dice"):
            other.give_seat(eve, "Rex")
        with pytest.raises(Refusal, match="only ann, the host, can give seats"):
            live.give_seat(bob, "Rex")
        await rig.bot({"name": "Max"})
        await rig.until(lambda: rig.open_table.live.table.is_playing)
        with pytest.raises(Refusal, match="Rex is in a match at the open table"):
            live.give_seat(ann, "Rex")


async def test_a_guest_that_was_given_a_seat_leaves_when_it_disconnects(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_rig() as rig:
        live, (ann,), _ = a_table(rig, "ann")
        guest = await rig.bot({"name": "Rex"})
        await trio.sleep(0.5)
        live.give_seat(ann, "Rex")
        await guest.stream.aclose()
        await rig.until(lambda: len(live.table.members) == 1)
        assert not list(rig.programs)


@pytest.mark.slow
async def test_without_a_port_for_bots_there_is_no_open_table(tmp_path: Path) -> None:
    """Nobody could come, and nobody would know why."""
    for listen, tables in ((None, 0), (Address("127.0.0.1", 0), 1)):
        plan = ServerPlan(Address("127.0.0.1", 0), listen, tmp_path / str(tables))
        async with trio.open_nursery() as nursery:
            server = await nursery.start(partial(serve, plan, note=lambda said: None, note_bug=pytest.fail))
            assert tables == len(server.house.public())
            nursery.cancel_scope.cancel()


@pytest.mark.slow
async def test_there_are_file_descriptors_for_all_connections_that_are_allowed(tmp_path: Path) -> None:
    """Systems give a program a thousand at first; the server takes two thousand connections, and starts bots."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, before[0]), before[1]))
    try:
        plan = ServerPlan(Address("127.0.0.1", 0), None, tmp_path)
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(serve, plan, note=lambda said: None, note_bug=pytest.fail))
            wanted = 4096 if before[1] == resource.RLIM_INFINITY else min(4096, before[1])
            assert wanted == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            nursery.cancel_scope.cancel()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
