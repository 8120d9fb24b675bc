"""The pause in which people read a showdown: whose turn it will be may move at once, and it counts when play goes on."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from arena.refusal import Refusal
from arena.server.open_tables import OpenTables
from arena.server.tables.live import LiveTable
from arena.server.tables.spoken import move_from_words
from arena.server.tables.table import Member
from tests.server.halls import a_house, people
from tests.server.restarts import a_kept_house

CHECK = 88


def told(house: OpenTables, live: LiveTable, member: Member | None = None) -> Any:
    return msgspec.json.decode(house.views(live).table(member))


async def paused(house: OpenTables) -> tuple[LiveTable, Member, Member]:
    """A match of Blef just after its first showdown: who is next, and the other one."""
    live = house.create("blef", {}, 60.0)
    people(live, "ann", "bob")
    live.begin(live.table.members[0])
    await wait_all_tasks_blocked()
    first, second = (live.table.member(each) for each in live.table.seating)
    live.play(first, 40)
    await wait_all_tasks_blocked()
    live.play(second, CHECK)
    await wait_all_tasks_blocked()
    assert live.match is not None
    assert live.match.is_paused
    (seat,) = live.match.to_act
    return live, *((first, second) if seat == 0 else (second, first))


async def test_a_move_in_the_pause_counts_when_it_is_over(autojump_clock: MockClock) -> None:
    """It is no secret how long the pause is; that there is a move already nobody else is told."""
    async with a_house() as house:
        live, next_, other = await paused(house)
        assert told(house, live)["resumes_in"] == 3.0
        assert told(house, live)["clocks"] == {next_.nickname: 60_000}
        await trio.sleep(1.0)
        before = live.version, house.views(live).table(None), house.views(live).table(other)
        live.play(next_, 0)
        assert (live.version, house.views(live).table(None), house.views(live).table(other)) == before
        assert told(house, live)["resumes_in"] == 2.0
        assert live.match is not None
        turn = live.match.turn
        await trio.sleep(1.9)
        assert live.match.turn == turn
        await trio.sleep(0.2)
        assert live.match.turn == turn + 1
        assert live.match.decisions[-1].fault is None
        assert live.match.decisions[-1].elapsed_s == pytest.approx(0.0), "nobody's clock runs in a pause"
        assert told(house, live)["resumes_in"] is None
        assert told(house, live)["clocks"].keys() == {other.nickname}


async def test_only_a_legal_move_of_who_is_next_is_taken_in_the_pause(autojump_clock: MockClock) -> None:
    """And only one."""
    async with a_house() as house:
        live, next_, other = await paused(house)
        before = house.views(live).table(next_)
        with pytest.raises(Refusal, match="not your turn"):
            live.play(other, 0)
        for value in (CHECK, 99, None, {"action_id": 0}):
            with pytest.raises(Refusal) as refused:
                live.play(next_, value)
            assert refused.value.field == "move"
        assert house.views(live).table(next_) == before
        live.play(next_, move_from_words(live, next_, "bet 3"))
        with pytest.raises(Refusal, match="not your turn"):
            live.play(next_, 4)
        await trio.sleep(3.1)
        assert told(house, live)["match"]["state"]["history"][-1]["action_id"] == 3


async def test_a_move_in_the_pause_survives_a_restart_and_is_made_once(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """It is on the disk before it is acknowledged, and a restart ends the pause."""
    async with a_kept_house(tmp_path) as kept:
        live, next_, _ = await paused(kept.house)
        live.play(next_, 3)
        await kept.keeper.kept()
        image = kept.image()
    for number in range(2):
        async with a_kept_house(tmp_path / str(number), image) as kept:
            live = kept.table
            await wait_all_tasks_blocked()
            history = told(kept.house, live)["match"]["state"]["history"]
            assert [each["action_id"] for each in history] == [3]
            await kept.keeper.kept()
            image = kept.image()
            assert live.match is not None
            assert live.table.member(live.match.terms.seating[live.match.to_act[0]]) != next_


async def test_who_leaves_in_the_pause_has_moved(autojump_clock: MockClock) -> None:
    """What it had said counts; afterwards its default moves are played."""
    async with a_house() as house:
        live = house.create("blef", {}, 60.0)
        people(live, "ann", "bob", "cid")
        live.begin(live.table.members[0])
        luck = Random(1)
        while live.match is None or not live.match.is_paused:
            await wait_all_tasks_blocked()
            assert live.match is not None
            (seat,) = live.match.to_act
            mover = live.table.member(live.match.terms.seating[seat])
            live.play(mover, CHECK if live.match.turn > 1 else luck.randrange(40, 60))
            await wait_all_tasks_blocked()
        (seat,) = live.match.to_act
        next_ = live.table.member(live.match.terms.seating[seat])
        live.play(next_, 3)
        live.leave(next_)
        await trio.sleep(3.1)
        assert [each.fault for each in live.match.decisions if each.turn == live.match.turn - 1] == [None]


async def test_who_moves_in_the_pause_is_answered_when_it_is_over(autojump_clock: MockClock) -> None:
    """Whatever is said meanwhile; and at once if the server ends."""
    for is_stopped in (False, True):
        async with a_house() as house, trio.open_nursery() as nursery:
            live, next_, other = await paused(house)
            live.play(next_, 3)
            began = trio.current_time()
            nursery.start_soon(say_and_stop, live, other, is_stopped)
            await live.resumed()
            assert trio.current_time() - began == pytest.approx(2.0 if is_stopped else 3.0)
            assert is_stopped or told(house, live)["match"]["state"]["history"] != []


async def say_and_stop(live: LiveTable, other: Member, is_stopped: bool) -> None:
    await trio.sleep(1.0)
    live.speak(other, "well played")
    await trio.sleep(1.0)
    if is_stopped:
        live.stop()


async def test_the_end_of_each_pause_is_told(autojump_clock: MockClock) -> None:
    """Also if it begins as another one ends, because those who are next have left and are answered at once."""
    was_asked = 0
    for seed in range(1, 60, 10):
        async with a_house(first_seed=seed) as house:
            live = house.create("blef", {}, None)
            ann, bob, cid = people(live, "ann", "bob", "cid")
            live.begin(ann)
            await wait_all_tasks_blocked()
            for value in (40, CHECK):
                (seat,) = live.match.to_act if live.match is not None else ()
                live.play(live.table.member(live.table.seating[seat]), value)
                await wait_all_tasks_blocked()
            live.leave(bob)
            live.leave(cid)
            while live.match is not None and live.table.is_playing and live.match.is_paused:
                version, wait_s = live.version, live.match.resumes_in_s
                await trio.sleep(wait_s or 0.0)
                await wait_all_tasks_blocked()
                assert live.version > version
                was_asked += ann.player_id in live.seats and live.seats[ann.player_id].open is not None
    assert was_asked
