"""The REST of tables: what each path answers, what is refused and how, and who is told what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import pytest
import trio
from trio.testing import MockClock

from arena.games import GAMES
from arena.games.blef import Blef
from arena.server.http.answer_types import (
    GameListed,
    GameShown,
    MatchPage,
    RoundShown,
    TableListed,
    TableShown,
)
from arena.server.kept.archive import open_archive
from arena.server.limits import ABSENT_S, CHAT_AT_ONCE, IDLE_S, STEPS_MAX, WAITS_PER_ADDRESS
from arena.server.tables.pauses import Pauses
from tests.server.halls import any_move
from tests.server.rest_client import NO_TABLE, Begun, Rest, rest
from tests.server.test_archive import finished


def quick(kinds: frozenset[str]) -> Pauses:
    return Pauses(kinds, bot_s=0.0, showdown_s=0.0)


async def played(server: Rest, begun: Begun, luck: Random) -> None:
    """Plays a match to its end."""
    while (asked := await server.asked(begun))[0]:
        name, options = asked
        status, told = await server.post(
            f"{begun.at}/moves", {"move": any_move(options, luck)}, begun.keys[name]
        )
        assert status == 200, told


# A table.


async def test_the_first_request_after_a_match_fell_asleep_may_be_a_move(autojump_clock: MockClock) -> None:
    """It is answered with the table as it is after that move."""
    async with rest(pauses=quick, starts_s=5.0) as server:
        at = await server.table()
        _, key = await server.join(at, "ann")
        assert (await server.post(f"{at}/bots", {"bot": "odds"}, key))[0] == 201
        assert (await server.post(f"{at}/start", key=key))[0] == 200
        await trio.sleep(20.0)  # silence took the chance to pass on the bot's bid
        _, options = await server.asked(Begun(at, {"ann": key}))
        server.house.hall.nursery.start_soon(server.house.watch)
        await trio.sleep(ABSENT_S + 15.0)
        _, told = await server.get(at)
        assert told["is_asleep"]
        move = {"move": any_move(options, Random(1)), "turn": told["match"]["turn"]}
        status, answered = await server.post(f"{at}/moves", move, key)
        assert status == 200, answered
        assert not answered["is_asleep"]
        assert answered["match"]["turn"] > told["match"]["turn"]


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_of_each_game_over_rest(game: str, autojump_clock: MockClock) -> None:
    """Every answer is of its type, with no field more or less; rounds and the finished match can be read."""
    async with rest(pauses=quick) as server:
        rules = {"hands": 3} if game == "holdem" else {}
        begun = await server.begun(game, rules=rules)
        await played(server, begun, Random(5))
        for key in (None, begun.keys["ann"]):
            response = await server.send("GET", begun.at, key=key)
            shown = strictly(response.content, TableShown)
            assert shown.status == "finished"
            assert shown.match is not None
            assert shown.match.ranks is not None
            assert sorted(shown.match.ranks) == ["ann", "bob"]
        for number in range(1, shown.match.round + 1):
            told = await server.send("GET", f"{begun.at}/rounds/{number}")
            assert strictly(told.content, RoundShown).is_over
        page = await server.send("GET", f"/api/matches/{shown.match.match_id}")
        match = strictly(page.content, MatchPage)
        assert match.ranks == shown.match.ranks
        assert match.steps[0].turn == -1
        assert len(match.steps) == min(STEPS_MAX, shown.match.turn + 1)


async def test_a_word_that_a_field_does_not_take_is_told_with_what_it_takes() -> None:
    """What is valid, not what was sent."""
    async with rest() as server:
        status, told = await server.post("/api/tables", {"game": "blef", "move_time": "abc"})
        assert (400, "move_time") == (status, told["field"])
        assert 'Expected a number, "none" or null, in `move_time`' == told["message"]


def strictly(octets: bytes, kind: Any) -> Any:
    """The value, if it is of this type and has the fields of the type in their order."""
    value = msgspec.json.decode(octets, type=kind)
    assert msgspec.json.decode(msgspec.json.encode(value)) == msgspec.json.decode(octets)
    return value


async def test_who_creates_a_table_is_not_at_it(autojump_clock: MockClock) -> None:
    """A table is private at first; whoever joins first is host."""
    async with rest() as server:
        at = await server.table("blef")
        told = (await server.get(at))[1]
        assert (told["admin_nickname"], told["players"], told["status"], told["public"]) == (
            None,
            [],
            "waiting",
            False,
        )
        assert (await server.get("/api/tables"))[1] == []
        _, key = await server.join(at, "ann")
        await server.join(at, "bob")
        told = (await server.get(at))[1]
        assert (told["admin_nickname"], [each["nickname"] for each in told["players"]]) == (
            "ann",
            ["ann", "bob"],
        )
        assert told["you"] is None
        assert (await server.post(f"{at}/public", key=key))[1]["public"] is True
        (listed,) = (await server.get("/api/tables"))[1]
        assert (listed["id"], listed["nicknames"]) == (told["id"], ["ann", "bob"])
        msgspec.convert(listed, TableListed)
        assert (await server.post(f"{at}/start", key=key))[1]["public"] is False, "starting makes it private"
        assert (await server.get("/api/tables"))[1] == []


@pytest.mark.parametrize(
    ("game", "move_time", "expected"),
    [
        ("holdem", None, 15.0),
        ("blef", None, 30.0),
        ("blef", 7.5, 7.5),
        ("holdem", "none", None),
    ],
)
async def test_the_limit_of_a_move(
    game: str, move_time: object, expected: object, autojump_clock: MockClock
) -> None:
    """What is usual for the game, a number, or none; `clocks` says what is left of it in milliseconds."""
    async with rest() as server:
        begun = await server.begun(game, move_time=move_time)
        told = (await server.get(begun.at))[1]
        assert told["move_time_s"] == expected
        (clock,) = told["clocks"].values()
        assert clock == (None if expected is None else round(1000 * expected))  # type: ignore[arg-type]
        await trio.sleep(1.25)
        (later,) = (await server.get(begun.at))[1]["clocks"].values()
        assert later == (None if clock is None else clock - 1250)


async def test_house_rules_that_nobody_can_play_are_refused(autojump_clock: MockClock) -> None:
    """And rules for so many seats only let so many sit."""
    async with rest() as server:
        stacks = {"hands": 1, "reset_stacks": False, "stacks": [100, 100, 100]}
        status, told = await server.post("/api/tables", {"game": "holdem", "rules": stacks})
        assert (status, told["seats"]) == (201, {"least": 3, "most": 3, "taken": 0})
        stacks["stacks"] = [100]
        status, told = await server.post("/api/tables", {"game": "holdem", "rules": stacks})
        assert (status, told["field"]) == (400, "rules")


async def test_blefs_move_is_an_action_id(autojump_clock: MockClock) -> None:
    async with rest(pauses=quick) as server:
        begun = await server.begun("blef")
        (first,) = (await server.get(begun.at))[1]["match"]["to_act"]
        second = next(name for name in begun.keys if name != first)
        status, told = await server.post(f"{begun.at}/moves", {"move": 3}, begun.keys[first])
        assert (status, told["match"]["state"]["history"]) == (200, [{"player": first, "action_id": 3}])
        status, told = await server.post(f"{begun.at}/moves", {"move": 88}, begun.keys[second])
        assert (status, told["match"]["state"]["round_number"]) == (200, 2)


async def test_a_move_may_be_words(autojump_clock: MockClock) -> None:
    """What a person would type: the beginning of a name, and fields."""
    async with rest(pauses=quick) as server:
        begun = await server.begun(rules={"challenge": "next"})
        (first,) = (await server.get(begun.at))[1]["match"]["to_act"]
        second = next(name for name in begun.keys if name != first)
        status, told = await server.post(
            f"{begun.at}/moves", {"words": "b 4 2", "turn": 1}, begun.keys[first]
        )
        assert status == 200, told
        assert [4, 2] == told["match"]["state"]["last_bid"]
        status, told = await server.post(f"{begun.at}/moves", {"words": "chal"}, begun.keys[second])
        assert (status, told["match"]["round"]) == (200, 2)


async def test_somebody_eliminated_is_a_spectator(autojump_clock: MockClock) -> None:
    """It is shown as out to all, and asked nothing more."""
    async with rest(pauses=quick) as server:
        begun = await server.begun("liars-dice", "ann bob cid", rules={"dice": 1, "challenge": "next"})
        luck = Random(2)
        while not (out := [each for each in (await server.get(begun.at))[1]["players"] if each["is_out"]]):
            name, options = await server.asked(begun)
            await server.post(f"{begun.at}/moves", {"move": any_move(options, luck)}, begun.keys[name])
        (gone,) = out
        told = (await server.get(begun.at, begun.keys[gone["nickname"]]))[1]
        assert told["you"]["is_spectator"] is True
        assert told["you"]["options"] is None
        await played(server, begun, luck)
        assert not any(each["is_out"] for each in (await server.get(begun.at))[1]["players"]), "a rematch"


# Waiting for changes.


async def test_a_long_poll_returns_when_something_changes(autojump_clock: MockClock) -> None:
    async with rest() as server:
        at = await server.table()
        version = (await server.get(at))[1]["version"]
        began = trio.current_time()
        assert (await server.get(f"{at}?after={version}&wait=20"))[1]["version"] == version
        assert trio.current_time() - began == pytest.approx(20.0)
        assert (await server.get(f"{at}?after={version}"))[0] == 200, "without `wait` nothing waits"
        assert (await server.get(f"{at}?after={version + 5}&wait=20"))[0] == 200, "nor for an unknown version"
        assert trio.current_time() - began == pytest.approx(20.0)
        async with trio.open_nursery() as nursery:
            told: list[Any] = []

            async def poll() -> None:
                told.append(await server.get(f"{at}?after={version}&wait=20"))

            nursery.start_soon(poll)
            await trio.sleep(1.0)
            await server.join(at, "ann")
        assert [(status, len(table["players"])) for status, table in told] == [(200, 1)]
        assert trio.current_time() - began == pytest.approx(21.0)


async def test_a_long_poll_ends_when_the_table_closes(autojump_clock: MockClock) -> None:
    """With the answer that an unknown table gives; who left meanwhile has no key any more."""
    async with rest() as server:
        at = await server.table()
        (player, key), (_, other) = await server.join(at, "ann"), await server.join(at, "bob")
        version = (await server.get(at))[1]["version"]
        told: dict[str, int] = {}

        async def poll(name: str, version: int, key: str | None = None) -> None:
            told[name] = (await server.get(f"{at}?after={version}&wait=20", key))[0]

        async with trio.open_nursery() as nursery:
            nursery.start_soon(poll, "who left", version, key)
            await trio.sleep(1.0)
            assert (await server.send("DELETE", f"{at}/players/{player}", key=key)).status_code == 200
        async with trio.open_nursery() as nursery:
            nursery.start_soon(poll, "who stayed", version + 1, other)
            nursery.start_soon(poll, "anybody", version + 1)
            await trio.sleep(1.0)
            (live,) = server.house
            live.close("for the test")
        assert told == {"who left": 401, "who stayed": 404, "anybody": 404}


async def test_too_many_long_polls_are_refused(autojump_clock: MockClock) -> None:
    """With the limit's name and when to try again; the others are answered."""
    async with rest() as server:
        at = await server.table()
        version = (await server.get(at))[1]["version"]
        statuses: list[int] = []

        async def poll() -> None:
            response = await server.send("GET", f"{at}?after={version}&wait=20")
            statuses.append(response.status_code)
            if response.status_code == 429:
                assert response.json()["key"] == "waits"
                assert int(response.headers["retry-after"]) >= 1

        async with trio.open_nursery() as nursery:
            for _ in range(WAITS_PER_ADDRESS + 1):
                nursery.start_soon(poll)
        assert statuses == [429] + [200] * WAITS_PER_ADDRESS


# What is refused.


def wrong(
    table: str, keys: dict[str, str], stranger: str
) -> Iterator[tuple[str, str, Any, str | None, int, str]]:
    """Method, path, body, key, status, and the field that is wrong (or a word of the message)."""
    on_turn, other = keys["on turn"], keys["other"]
    yield "POST", f"{table}/moves", {"move": [9, 9]}, on_turn, 400, "move"
    yield "POST", f"{table}/moves", {"move": "fold"}, on_turn, 400, "move"
    yield "POST", f"{table}/moves", {"move": [1, 1], "turn": 77}, on_turn, 409, "turn"
    yield "POST", f"{table}/moves", {"move": [1, 1], "turn": -1}, on_turn, 400, "turn"
    yield "POST", f"{table}/moves", {}, on_turn, 400, "move"
    yield "POST", f"{table}/moves", {"move": [1, 1], "words": "b 1 1"}, on_turn, 400, "move"
    yield "POST", f"{table}/moves", {"words": "b 9 9"}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": "dance"}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": "  "}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": ""}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": "[" * 300}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": "b " * 300}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": 7}, on_turn, 400, "words"
    yield "POST", f"{table}/moves", {"words": "b 1 1", "turn": 77}, on_turn, 409, "turn"
    yield "POST", f"{table}/moves", {"words": "b 1 1"}, other, 409, "not your turn"
    yield "POST", f"{table}/moves", {"move": 1, "more": 2}, on_turn, 400, "more"
    yield "POST", f"{table}/moves", [], on_turn, 400, "object"
    yield "POST", f"{table}/moves", {"move": [2, 1]}, other, 409, "not your turn"
    yield "POST", f"{table}/moves", {"move": [2, 1]}, None, 401, "Bearer"
    yield "POST", f"{table}/moves", {"move": [2, 1]}, "x" * 32, 401, "nobody"
    yield "POST", f"{table}/moves", {"move": [2, 1]}, stranger, 401, "nobody"
    yield "POST", f"{table}/moves", {"move": [2, 1]}, "y" * 200, 401, "Bearer"
    yield "POST", f"/api/tables/{NO_TABLE}/moves", {"move": [2, 1]}, on_turn, 404, "no open table"
    yield "POST", "/api/tables/x/moves", {"move": [2, 1]}, on_turn, 404, "no open table"
    yield "POST", f"{table}/start", None, keys["host"], 409, "match"
    yield "POST", f"{table}/start", None, keys["guest"], 403, "host"
    yield "POST", f"{table}/rematch", None, keys["host"], 409, "match"
    yield "POST", f"{table}/public", None, keys["host"], 409, "private while it plays"
    yield "POST", f"{table}/ready", None, keys["guest"], 409, "match"
    yield "POST", f"{table}/start", {"fast": True}, keys["host"], 400, "fast"
    yield "POST", f"{table}/host", {"playerID": "nobody"}, keys["host"], 404, "playerID"
    yield "POST", f"{table}/host", {}, keys["host"], 400, "playerID"
    yield "POST", f"{table}/bots", {"bot": "odds"}, keys["host"], 409, "play has begun"
    yield "POST", f"{table}/players", {"nickname": "eve"}, None, 409, "play has begun"
    yield "POST", f"{table}/players", {"nickname": "ann", "spectate": True}, None, 409, "nickname"
    yield "POST", f"{table}/players", {"nickname": "eve", "spectate": True}, on_turn, 409, "already"
    yield "POST", f"{table}/players", {"nickname": "a\u202eb", "spectate": True}, None, 400, "nickname"
    yield "POST", f"{table}/players", {"nickname": "", "spectate": True}, None, 400, "nickname"
    yield "POST", f"{table}/players", {"nickname": 7}, None, 400, "nickname"
    yield "POST", f"{table}/chat", {"message": ""}, on_turn, 400, "message"
    yield "POST", f"{table}/chat", {"message": "a\nb"}, on_turn, 400, "message"
    yield "POST", f"{table}/chat", {"message": "x" * 501}, on_turn, 400, "message"
    yield "DELETE", f"{table}/players/nobody", None, on_turn, 404, "playerID"
    yield "GET", f"{table}?after=x", None, None, 400, "after"
    yield "GET", f"{table}?wait=31", None, None, 400, "wait"
    yield "GET", f"{table}?wait=-1", None, None, 400, "wait"
    yield "GET", f"{table}?wait=nan", None, None, 400, "wait"
    yield "GET", f"{table}/rounds/99", None, None, 404, "rounds so far"
    yield "GET", f"{table}/rounds/0", None, None, 404, "numbered from 1"
    yield "GET", f"{table}/rounds/{'9' * 400}", None, None, 404, "numbered from 1"
    yield "GET", f"{table}/rounds/١", None, None, 404, "numbered from 1"
    yield "PUT", table, {}, on_turn, 405, "GET"
    yield "DELETE", table, None, on_turn, 405, "GET"
    yield "GET", f"{table}/moves", None, on_turn, 405, "POST"
    yield "GET", "/api", None, None, 404, "nothing"
    yield "GET", f"{table}/chat/1", None, on_turn, 404, "nothing"
    yield "GET", "/api/games/poker", None, None, 404, "no game is called that"
    yield "GET", "/api/matches/0123456789ab", None, None, 404, "no finished match"
    yield "GET", "/api/matches/..", None, None, 404, ""
    yield "POST", "/api/tables", {"game": "poker"}, None, 400, "game"
    yield "POST", "/api/tables", {"game": "blef", "move_time": 0}, None, 400, "move_time"
    yield "POST", "/api/tables", {"game": "blef", "move_time": "soon"}, None, 400, "move_time"
    yield "POST", "/api/tables", {"game": "blef", "rules": {"cards": 3}}, None, 400, "rules"
    yield "POST", "/api/tables", {"game": "liars-dice", "rules": {"dice": 10**300}}, None, 400, "rules"


async def test_what_is_refused_changes_nothing(autojump_clock: MockClock) -> None:
    """Each with its status, a sentence, and the field that is wrong."""
    async with rest() as server:
        begun = await server.begun(rules={"challenge": "next"}, move_time="none")
        stranger = (await server.begun()).keys["ann"]
        name, _ = await server.asked(begun)
        other = next(each for each in begun.keys if each != name)
        keys = {"on turn": begun.keys[name], "other": begun.keys[other]}
        keys |= {"host": begun.keys["ann"], "guest": begun.keys["bob"]}
        before = [(await server.send("GET", begun.at, key=key)).content for key in (*keys.values(), None)]
        for method, path, body, key, status, words in wrong(begun.at, keys, stranger):
            response = await server.send(method, path, body, key)
            case = (method, path, body, response.text)
            assert response.status_code == status, case
            told = response.json()
            assert {"error", "message", "field"} <= told.keys(), case
            assert words == told["field"] or words in told["message"], case
            assert len(told["message"]) < 500, case
        after = [(await server.send("GET", begun.at, key=key)).content for key in (*keys.values(), None)]
        assert before == after
        assert len(list(server.house)) == 2


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"game": "blef"', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b'{"game": "blef", "game": 7}', "application/json", 400),
        (b"[" * 30_000, "application/json", 400),
        (b"", "application/json", 400),
        (b'{"game": "blef"}', "text/plain", 415),
        (b"game=blef", "application/x-www-form-urlencoded", 415),
        (b'{"game": "blef"}' + b" " * (1 << 16), "application/json", 413),
    ],
)
async def test_bodies_that_cannot_be_read(
    body: bytes, kind: str, status: int, autojump_clock: MockClock
) -> None:
    async with rest() as server:
        response = await server.http.post("/api/tables", content=body, headers={"Content-Type": kind})
        assert response.status_code == status
        assert response.json()["message"]
        assert list(server.house) == []


async def test_two_acts_at_once_are_one(autojump_clock: MockClock) -> None:
    """The second is told that it is not its turn; joining twice under one name, that the name is taken."""
    async with rest(pauses=quick) as server:
        begun = await server.begun("blef")
        name, _ = await server.asked(begun)
        turn = (await server.get(begun.at))[1]["match"]["turn"]
        answers: list[int] = []

        async def send(path: str, body: Any, key: str | None) -> None:
            answers.append((await server.post(path, body, key))[0])

        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(send, f"{begun.at}/moves", {"move": 7}, begun.keys[name])
        assert sorted(answers) == [200, 409]
        assert (await server.get(begun.at))[1]["match"]["turn"] == turn + 1
        at, answers[:] = await server.table(), []
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(send, f"{at}/players", {"nickname": "ann"}, None)
        assert sorted(answers) == [201, 409]


async def test_a_move_that_comes_again_is_refused_if_it_says_its_turn(autojump_clock: MockClock) -> None:
    async with rest(pauses=quick) as server:
        begun = await server.begun("liars-dice", rules={"challenge": "next"})
        first, _ = await server.asked(begun)
        turn = (await server.get(begun.at))[1]["match"]["turn"]
        move = {"move": [2, 1], "turn": turn}
        assert (await server.post(f"{begun.at}/moves", move, begun.keys[first]))[0] == 200
        second, _ = await server.asked(begun)
        await server.post(f"{begun.at}/moves", {"move": [3, 1]}, begun.keys[second])
        assert (await server.asked(begun))[0] == first
        status, told = await server.post(f"{begun.at}/moves", move, begun.keys[first])
        assert (status, told["field"]) == (409, "turn")


async def test_a_closed_table_is_as_unknown_as_one_that_never_was(autojump_clock: MockClock) -> None:
    """But for the reason why it was closed, which whoever has its id may know: nobody guesses 122 random bits."""
    async with rest() as server:
        server.house.hall.nursery.start_soon(server.house.watch)
        at = await server.table()
        _, key = await server.join(at, "ann")
        for wait_s in (IDLE_S + 11.0, 100.0):
            await trio.sleep(wait_s)
            for path in ("", "/rounds/1"):
                closed, unknown = [
                    await server.send("GET", f"{each}{path}", key=key)
                    for each in (at, f"/api/tables/{NO_TABLE}")
                ]
                assert closed.status_code == unknown.status_code == 404
                told, nothing = closed.json(), unknown.json()
                assert told.pop("message").startswith("this table is closed: ")
                assert nothing.pop("message").startswith("no open table has this id")
                assert told == nothing
                assert closed.headers.keys() == unknown.headers.keys()


async def test_a_flood_of_messages_is_slowed(autojump_clock: MockClock) -> None:
    async with rest() as server:
        at = await server.table()
        _, key = await server.join(at, "ann")
        said = [
            await server.post(f"{at}/chat", {"message": "<b>hi</b>"}, key) for _ in range(CHAT_AT_ONCE + 1)
        ]
        assert [status for status, _ in said] == [201] * CHAT_AT_ONCE + [429]
        assert (said[-1][1]["key"], said[-1][1]["seconds"]) == ("chat", 2.0)
        assert [line["message"] for line in (await server.get(at))[1]["chat"]] == ["<b>hi</b>"] * CHAT_AT_ONCE


async def test_a_key_is_told_once_and_shown_nowhere(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not in views, refusals, headers, logs, replays, or what is kept of the table."""
    async with rest(pauses=quick) as server:
        begun = await server.begun("blef")
        other = await server.begun("blef")
        shown: list[httpx.Response] = []
        for key in (*begun.keys.values(), *other.keys.values(), None):
            for path in (begun.at, f"{begun.at}/rounds/1", "/api/tables"):
                shown.append(await server.send("GET", path, key=key))
            shown.append(await server.send("POST", f"{begun.at}/moves", {"move": 99}, key))
        await played(server, begun, Random(1))
        match_id = (await server.get(begun.at))[1]["match"]["match_id"]
        shown.append(await server.send("GET", f"/api/matches/{match_id}"))
        text = "".join(f"{each.text} {each.headers}" for each in shown) + "".join(capfd.readouterr())
        text += caplog.text + "".join(repr(live.table) for live in server.house)
        for key in (*begun.keys.values(), *other.keys.values()):
            assert key not in text


# Rounds and finished matches.


async def test_past_rounds_show_all_hands_of_blef(autojump_clock: MockClock) -> None:
    """To everybody, while the match goes on; of the round that is played, to nobody but their own."""
    async with rest(pauses=quick) as server:
        begun = await server.begun("blef")
        for move in (0, 88):
            name, _ = await server.asked(begun)
            await server.post(f"{begun.at}/moves", {"move": move}, begun.keys[name])
        past = await server.send("GET", f"{begun.at}/rounds/1")
        (check,) = [
            event for step in past.json()["steps"] for event in step["events"] if event["kind"] == "check"
        ]
        assert past.json()["is_over"] is True
        assert [(name, len(hand)) for name, hand in check["fields"]["hands"]] == [
            (name, 1) for name in (await server.get(begun.at))[1]["match"]["names"]
        ]
        own = (await server.send("GET", f"{begun.at}/rounds/1", key=begun.keys["ann"])).json()
        assert {None, "ann"} == {event["to"] for step in own["steps"] for event in step["events"]}
        assert [event for step in past.json()["steps"] for event in step["events"]] == [
            event for step in own["steps"] for event in step["events"] if event["to"] is None
        ]
        now, seen = (
            [event["kind"] for step in told[1]["steps"] for event in step["events"]]
            for told in [
                await server.get(f"{begun.at}/rounds/2"),
                await server.get(f"{begun.at}/rounds/2", begun.keys["ann"]),
            ]
        )
        assert now == ["round_started"]
        assert seen == ["round_started", "hand"]


async def test_a_running_match_cannot_be_read(autojump_clock: MockClock) -> None:
    """A finished one is read page by page, by everybody, or as somebody in it knew it."""
    async with rest(pauses=quick) as server:
        begun = await server.begun("blef")
        match_id = (await server.get(begun.at))[1]["match"]["match_id"]
        path = f"/api/matches/{match_id}"
        assert (await server.get(path))[0] == 404
        await played(server, begun, Random(3))
        whole = (await server.get(path))[1]
        pages, first = [], 0
        while first is not None:
            page = (await server.get(f"{path}?first={first}&count=9"))[1]
            pages += page["steps"]
            first = page["next"]
        assert pages == whole["steps"]
        assert whole["next"] is None
        told = json.dumps((await server.get(f"{path}?seen_by=ann"))[1])
        assert '"to": "ann"' in told
        assert '"to": "bob"' not in told
        assert '"to"' in json.dumps(whole)
        for query, field in (("seen_by=eve", "seen_by"), ("count=0", "count"), ("first=-1", "first")):
            status, refused = await server.get(f"{path}?{query}")
            assert (status, refused["field"]) == (400, field)
        assert (await server.get(f"{path}?first=999999"))[1]["steps"] == []


@pytest.mark.parametrize("game", GAMES)
async def test_a_game_says_its_rules_and_schema(game: str, autojump_clock: MockClock) -> None:
    boards = {game: f"/static/games/{game}/board.js"}
    async with rest(bots=lambda game: (f"{game}-bot",), boards=boards) as server:
        response = await server.send("GET", f"/api/games/{game}")
        shown = strictly(response.content, GameShown)
        assert (shown.name, shown.seats.least) == (game, 2)
        assert set(msgspec.json.decode(shown.rules)) <= set(shown.accepts)
        assert "move" in shown.schema["$defs"]
        games = await server.send("GET", "/api/games")
        listed = {each.name: each for each in strictly(games.content, list[GameListed])}
        assert listed[game].title == shown.title
        assert listed[game].bots == shown.bots == [f"{game}-bot"]
        assert listed[game].board == shown.board == f"/static/games/{game}/board.js"


# The archive.


async def test_an_archived_match_can_be_read(tmp_path: Path) -> None:
    """As it was at its table; without its seed and its table, which nobody need know."""
    with open_archive(tmp_path) as archive:
        kept = finished(Blef(), 5)
        archive.add(kept)
        async with rest(find=archive.find) as server:
            response = await server.send("GET", f"/api/matches/{kept.match_id}")
            page = strictly(response.content, MatchPage)
            assert (page.names, page.game) == (kept.names, "blef")
            assert page.ranks == dict(zip(kept.names, kept.record.ranks, strict=True))
            assert page.returns == dict(zip(kept.names, kept.record.returns, strict=True))
            assert len(page.steps) == len(kept.record.turns) + 1
            assert [move.fault for step in page.steps for move in step.moves if move.fault] == ["too_late"]
            for secret in (kept.table_id, str(kept.seed), f"{kept.seed:x}"):
                assert secret not in response.text
            assert (await server.get("/api/matches/00000000ffff"))[0] == 404
            assert (await server.get(f"/api/matches/{kept.match_id[:6]}"))[0] == 404, "the whole id"


async def test_a_match_whose_rules_have_changed_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says so, and nothing of where the server keeps its files."""
    with open_archive(tmp_path) as archive:
        kept = finished(Blef(), 6)
        archive.add(kept)
        monkeypatch.setattr(Blef, "version", 77)
        async with rest(find=archive.find) as server:
            status, told = await server.get(f"/api/matches/{kept.match_id}")
            assert (status, told["error"]) == (409, "conflict")
            assert str(tmp_path) not in str(told)
