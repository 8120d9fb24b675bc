"""Windows at tables with people: the clock that is shown is the one that counts, and who plays next is not hurried."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from arena.games import GAMES
from arena.refusal import Refusal
from arena.server.open_tables import OpenTables
from arena.server.tables.live import LiveTable
from arena.server.tables.table import Member
from tests.server.halls import a_house, any_move, people
from tests.server.restarts import a_kept_house


def told(house: OpenTables, live: LiveTable, member: Member | None = None) -> Any:
    return msgspec.json.decode(house.views(live).table(member))


def clocks(house: OpenTables, live: LiveTable) -> list[int | None]:
    """The seconds that each one who is asked is shown to have, in the order in which they are asked."""
    return [None if each is None else each / 1000 for each in told(house, live)["clocks"].values()]


def asked(live: LiveTable) -> list[Member]:
    assert live.match is not None
    return [live.table.member(live.match.terms.seating[seat]) for seat in live.match.to_act]


async def played_once(live: LiveTable, first: Member) -> None:
    """The first player of Bluff has put its first card down, and all others are asked."""
    await wait_all_tasks_blocked()
    assert live.match is not None
    seat = live.seats[first.player_id]
    options = msgspec.json.decode(live.match.showing.codec.options(seat.options))
    live.play(first, any_move(options, Random(1)))
    await wait_all_tasks_blocked()


async def a_bluff(house: OpenTables, *names: str, move_s: float | None = 60.0, bots: int = 0) -> LiveTable:
    live = house.create("bluff", {}, move_s)
    members = people(live, *names)
    for _ in range(bots):
        live.give_seat(members[0], "odds")
    live.begin(members[0])
    await wait_all_tasks_blocked()
    return live


async def when_it_goes_on(live: LiveTable) -> float:
    """The seconds until another turn has been made."""
    assert live.match is not None
    began, turn = trio.current_time(), live.match.turn
    with trio.fail_after(1000):
        while live.match.turn == turn:
            await live.changed(live.version)
    return trio.current_time() - began


@pytest.mark.parametrize("move_s", [60.0, None])
async def test_in_bluff_silence_counts_when_the_clock_says_so(
    move_s: float | None, autojump_clock: MockClock
) -> None:
    """Five seconds for all but who plays next, who has the time of a move: the others may answer until then."""
    async with a_house() as house:
        live = await a_bluff(house, "ann", "bob", "cid", move_s=move_s)
        first, second, third = (live.table.member(each) for each in live.table.seating)
        await played_once(live, first)
        assert clocks(house, live) == [move_s, 5.0]
        await trio.sleep(4.0)
        assert clocks(house, live) == [move_s and 56.0, 1.0]
        await trio.sleep(6.0)
        assert clocks(house, live) == [move_s and 50.0] * 2, "it may still accuse"
        assert told(house, live, third)["you"]["options"] is not None
        live.play(second, "pass")
        await wait_all_tasks_blocked()
        assert live.match is not None
        assert live.match.turn == 3, "the silence of all others counts now"
        assert asked(live) == [second]


async def test_in_bluff_the_next_player_may_play_at_once(autojump_clock: MockClock) -> None:
    """The play passes, tells nobody anything, and is put when the others have had their five seconds."""
    async with a_house() as house:
        live = await a_bluff(house, "ann", "bob", "cid")
        first, second, third = (live.table.member(each) for each in live.table.seating)
        await played_once(live, first)
        kinds = [option["kind"] for option in told(house, live, second)["you"]["options"]]
        assert kinds[:2] == ["Pass", "Accuse"]
        assert set(kinds[2:]) == {"Play"}
        assert [each["kind"] for each in told(house, live, third)["you"]["options"]] == ["Pass", "Accuse"]
        with pytest.raises(Refusal):
            live.play(third, {"play": [told(house, live, third)["match"]["state"]["hand"][0]]})
        before = live.version, house.views(live).table(None), house.views(live).table(third)
        card = told(house, live, second)["match"]["state"]["hand"][0]
        live.play(second, {"play": [card]})
        assert (live.version, house.views(live).table(None), house.views(live).table(third)) == before
        with pytest.raises(Refusal, match="not your turn"):
            live.play(second, {"play": [card]})
        assert await when_it_goes_on(live) == pytest.approx(5.0)
        await wait_all_tasks_blocked()
        assert live.match is not None
        assert live.match.turn == 4
        assert asked(live) == [third, first]
        assert not any(each.fault for each in live.match.decisions)


async def test_in_bluff_a_play_is_put_after_an_accusation_too(autojump_clock: MockClock) -> None:
    """People read what was shown first."""
    async with a_house() as house:
        live = await a_bluff(house, "ann", "bob", "cid")
        first, second, third = (live.table.member(each) for each in live.table.seating)
        await played_once(live, first)
        live.play(second, {"play": told(house, live, second)["match"]["state"]["hand"][:1]})
        live.play(third, "bluff")
        await wait_all_tasks_blocked()
        assert live.match is not None
        assert live.match.turn == 3
        assert told(house, live)["resumes_in"] == 3.0
        assert await when_it_goes_on(live) == pytest.approx(3.0)
        assert live.match.turn == 4


async def test_in_bluff_nobody_waits_for_a_next_player_who_is_not_there(autojump_clock: MockClock) -> None:
    """A bot, or somebody who has left: five seconds, shown as such."""
    async with a_house() as house:
        live = await a_bluff(house, "ann", "bob", "cid")
        first, second, _ = (live.table.member(each) for each in live.table.seating)
        live.leave(second)
        await played_once(live, first)
        assert clocks(house, live) == [5.0, 5.0]
        assert await when_it_goes_on(live) == pytest.approx(5.0)
    async with a_house() as house:
        live = await a_bluff(house, "ann", bots=1)
        (ann,) = [each for each in live.table.members if each.is_person]
        if asked(live) == [ann]:
            await played_once(live, ann)
            assert clocks(house, live) == [60.0], "the bot's own time"


async def test_in_bluff_a_play_that_was_acknowledged_survives_a_restart(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """In the window, and in the pause after an accusation; it is put once."""
    for accuses in (False, True):
        async with a_kept_house(tmp_path / str(accuses)) as kept:
            live = await a_bluff(kept.house, "ann", "bob", "cid")
            first, second, third = (live.table.member(each) for each in live.table.seating)
            await played_once(live, first)
            card = told(kept.house, live, second)["match"]["state"]["hand"][0]
            live.play(second, {"play": [card]})
            if accuses:
                live.play(third, "bluff")
            await kept.keeper.kept()
        async with a_kept_house(tmp_path / str(accuses)) as kept:
            live = kept.table
            await wait_all_tasks_blocked()
            if not accuses:
                assert await when_it_goes_on(live) == pytest.approx(5.0)
            await wait_all_tasks_blocked()
            assert live.match is not None
            assert [type(each.move).__name__ for each in live.match.decisions if each.seat == 1] == [
                "Pass",
                "Play",
            ]
            assert asked(live) == [third, first]


@pytest.mark.parametrize("move_s", [60.0, None])
async def test_in_liars_dice_the_clock_runs_once_who_is_on_turn_has_answered(
    move_s: float | None, autojump_clock: MockClock
) -> None:
    """Three seconds, told to all; before that everybody has the time of a move."""
    async with a_house() as house:
        live = house.create("liars-dice", {}, move_s)
        people(live, "ann", "bob", "cid")
        live.begin(live.table.members[0])
        await wait_all_tasks_blocked()
        first, second, third = asked(live)
        await trio.sleep(10.0)
        assert clocks(house, live) == [move_s and 50.0] * 3
        version = live.version
        live.play(first, [2, 1])
        assert live.version > version, "pages are told"
        assert clocks(house, live) == [move_s and 50.0, 3.0, 3.0]
        await trio.sleep(1.0)
        version = live.version
        live.play(second, "pass")
        assert live.version == version, "of a bystander's answer nobody is told"
        assert clocks(house, live) == [move_s and 49.0, 2.0, 2.0]
        assert await when_it_goes_on(live) == pytest.approx(2.0)
        assert asked(live)[0] == second
        assert live.match is not None
        assert not any(each.fault for each in live.match.decisions)
        live.play(third, "challenge")
        await wait_all_tasks_blocked()
        assert live.match.decisions == live.match.decisions[:3], "who is on turn has not answered"


async def test_in_liars_dice_a_late_bid_leaves_the_others_their_time(autojump_clock: MockClock) -> None:
    """Three seconds, though the limit of a move would be over before."""
    async with a_house() as house:
        live = house.create("liars-dice", {}, 30.0)
        people(live, "ann", "bob", "cid")
        live.begin(live.table.members[0])
        await wait_all_tasks_blocked()
        first, second, third = asked(live)
        live.play(first, [2, 1])
        live.play(second, "pass")
        live.play(third, "pass")
        await trio.sleep(29.0)
        live.play(second, [2, 2])
        assert clocks(house, live) == [1.0, 3.0, 3.0]
        await trio.sleep(2.5)
        live.play(first, "pass")
        live.play(third, "challenge")
        await wait_all_tasks_blocked()
        assert live.match is not None
        assert [each.fault for each in live.match.decisions] == [None] * 6
        assert "Challenge" in {type(each.move).__name__ for each in live.match.decisions}


@pytest.mark.parametrize("move_s", [60.0, None])
async def test_in_chamber_the_window_is_the_clock(move_s: float | None, autojump_clock: MockClock) -> None:
    """Five seconds from the question for all who may use a Rebalancer."""
    async with a_house(first_seed=2) as house:
        live = house.create("chamber", {}, move_s)
        people(live, "ann", "bob", "cid", "dan")
        live.begin(live.table.members[0])
        await wait_all_tasks_blocked()
        state = told(house, live)["match"]["state"]
        assert state["asked"] == "rebalance"
        assert set(clocks(house, live)) == {5.0}
        assert await when_it_goes_on(live) == pytest.approx(5.0)


@pytest.mark.parametrize("game", GAMES)
def test_silence_is_as_long_as_the_rules_say(game: str) -> None:
    """Three seconds in Liar's Dice, five where a window is open."""
    assert GAMES[game].silence_s == (3.0 if game == "liars-dice" else 5.0)


async def test_who_may_pass_by_silence_is_told_after_how_long(autojump_clock: MockClock) -> None:
    """Bystanders, before their window opens and while it is; not who has to answer, nor who plays next."""
    async with a_house() as house:
        live = house.create("liars-dice", {}, 60.0)
        live.begin(people(live, "ann", "bob", "cid")[0])
        await wait_all_tasks_blocked()
        first, second, third = (live.table.member(each) for each in live.table.seating)

        def silences() -> list[float | None]:
            return [told(house, live, each)["you"]["silence_s"] for each in (first, second, third)]

        assert silences() == [None, 3.0, 3.0], "there is a bid to be made"
        live.play(first, [1, 1])
        live.play(second, "pass")
        live.play(third, "pass")
        await wait_all_tasks_blocked()
        assert silences() == [3.0, None, 3.0]
        assert clocks(house, live) == [60.0] * 3, "their windows are not open yet"
        live.play(second, [2, 1])
        await wait_all_tasks_blocked()
        assert silences() == [3.0, None, 3.0]
        assert clocks(house, live) == [60.0, 3.0, 3.0]
        live = await a_bluff(house, "ann", "bob", "cid")
        first, second, third = (live.table.member(each) for each in live.table.seating)
        await played_once(live, first)
        assert silences() == [None, None, 5.0], "who plays next has the time of a move"


async def test_who_is_to_move_is_who_must_say_something(autojump_clock: MockClock) -> None:
    """Bystanders are asked too, and may be silent; where all may be, nobody is to move."""
    async with a_house() as house:
        dice = house.create("liars-dice", {}, 60.0)
        members = people(dice, "ann", "bob", "cid")
        dice.begin(members[0])
        await wait_all_tasks_blocked()
        first = asked(dice)[0]
        dice.play(first, [3, 2])
        await wait_all_tasks_blocked()
        match = told(house, dice)["match"]
        assert 3 == len(match["to_act"])
        assert [match["to_act"][0]] == match["to_move"]
        bluff = await a_bluff(house, "ann", "bob", "cid")
        before = told(house, bluff)["match"]
        assert before["to_act"] == before["to_move"]
        await played_once(bluff, asked(bluff)[0])
        after = told(house, bluff)["match"]
        assert (2, []) == (len(after["to_act"]), after["to_move"])
