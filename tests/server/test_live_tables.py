"""A table with people and bots, in virtual time: who is asked, who is waited for, what silence means."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
import trio

from arena.games import GAMES
from arena.refusal import Refusal
from arena.server import limits
from arena.server.limits import ABSENT_S
from arena.server.open_tables import OpenTables
from arena.server.tables.bots import PROCESSES_MAX, BotPlaces
from arena.server.tables.live import LiveTable
from arena.server.tables.pauses import BOT_S, SHOWDOWN_S
from arena.server.tables.played_match import LiveScene
from arena.server.tables.table import Member, Notice
from tests.server.halls import a_house, any_move, people


def options_of(house: OpenTables, live: LiveTable, member: Member) -> Any:
    """What this member may do now; None if it is not asked."""
    told = house.views(live).table_fields(member)["you"]["options"]
    return None if told is None else msgspec.json.decode(told)


async def next_question(house: OpenTables, live: LiveTable, member: Member) -> Any:
    """What it may do, once it is asked."""
    with trio.fail_after(1000):
        while (options := options_of(house, live, member)) is None and live.table.is_playing:
            await live.changed(live.version)
    return options


@pytest.mark.parametrize("game", GAMES)
async def test_a_person_plays_a_match_against_a_bot(
    game: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with a_house() as house:
        live = house.create(game, {}, 30.0)
        (ann,) = people(live, "ann")
        live.give_seat(ann, "odds")
        live.begin(ann)
        luck = Random(7)
        while live.table.is_playing:
            options = await next_question(house, live, ann)
            if options is not None:
                live.play(ann, any_move(options, luck))
        assert live.match is not None
        assert live.match.record is not None
        assert min(live.match.record.ranks) == 1
        assert not any(decision.fault for decision in live.match.decisions)
        assert live.table.status == "finished"


async def test_silence_is_a_pass_where_that_is_legal(autojump_clock: trio.testing.MockClock) -> None:
    async with a_house() as house:
        live = house.create("liars-dice", {}, 30.0)
        people(live, "ann", "bob")
        live.begin(live.table.members[0])
        first, other = (live.table.member(each) for each in live.table.seating)
        await next_question(house, live, first)
        began = trio.current_time()
        live.play(first, [2, 1])
        with pytest.raises(Refusal, match="it is not your turn"):
            live.play(first, [3, 1])
        await live.changed(live.version)
        assert live.match is not None
        assert 2.9 < trio.current_time() - began < 3.1
        assert [decision.fault for decision in live.match.decisions] == [None, None]
        assert not live.seats[other.player_id].is_away


async def test_who_misses_two_turns_is_away_until_it_speaks(autojump_clock: trio.testing.MockClock) -> None:
    async with a_house() as house:
        live = house.create("holdem", {"hands": 20}, 10.0)
        people(live, "ann", "bob")
        live.begin(live.table.members[0])
        await trio.sleep(30.5)  # heads-up the small blind is asked first, and it changes hands
        first, second = (live.table.member(each) for each in live.table.seating)
        assert [live.seats[each.player_id].is_away for each in (first, second)] == [True, False]
        shown = {each.nickname: each.is_away for each in house.views(live).table_fields(None)["players"]}
        assert shown == {first.nickname: True, second.nickname: False}
        live.note_presence(first)
        assert not live.seats[first.player_id].is_away
        assert live.match is not None
        asked = len(live.match.decisions)
        await trio.sleep(20.0)
        faults = [(each.fault, round(each.elapsed_s)) for each in live.match.decisions[asked:]]
        assert faults[:2] == [("too_late", 10), ("too_late", 10)], "both are asked and waited for again"


async def test_who_is_away_has_all_its_time(autojump_clock: trio.testing.MockClock) -> None:
    """A locked phone costs what it costs somebody who thinks for too long: one limit after the other."""
    async with a_house() as house:
        live = house.create("liars-dice", {}, 10.0)
        people(live, "ann", "bob")
        live.begin(live.table.members[0])
        await trio.sleep(95.0)
        assert live.match is not None
        assert all(seat.is_away for seat in live.seats.values())
        late = [each.elapsed_s for each in live.match.decisions if each.fault is not None]
        assert len(late) > 4
        assert {10.0} == {round(each, 3) for each in late}


@pytest.mark.parametrize(
    ("chosen", "others", "limit"),
    [(True, "bot", 30.0), (False, "bot", None), (False, "person", 30.0), (False, "both", 30.0)],
)
async def test_against_bots_alone_there_is_no_clock_unless_it_is_chosen(
    chosen: bool, others: str, limit: float | None, autojump_clock: trio.testing.MockClock
) -> None:
    async with a_house() as house:
        live = house.create("liars-dice", {}, 30.0, is_clock_chosen=chosen)
        (ann,) = people(live, "ann")
        assert 30.0 == house.views(live).table_fields(None)["move_time_s"]
        if others in ("bot", "both"):
            live.give_seat(ann, "odds")
        if others in ("person", "both"):
            people(live, "bob")
        assert limit == house.views(live).table_fields(None)["move_time_s"]
        live.begin(ann)
        assert live.match is not None
        assert limit == live.match.terms.move_s
        await next_question(house, live, ann)
        if limit is None:
            await trio.sleep(10.0)  # a chance to pass may come first, which silence takes
            turn = live.match.turn
            await trio.sleep(100.0)
            assert turn == live.match.turn
            assert None is house.views(live).table_fields(ann)["match"]["clocks"]["ann"]


async def alone_with_a_bot(house: OpenTables) -> tuple[LiveTable, Member, str]:
    """A match of one person, who is asked, against a house bot, and the person's key."""
    house.hall.nursery.start_soon(house.watch)
    live = house.create("liars-dice", {}, 30.0, is_clock_chosen=False)
    ann, key = live.join("ann")
    live.give_seat(ann, "odds")
    live.begin(ann)
    await next_question(house, live, ann)
    return live, ann, key


async def test_a_match_against_bots_falls_asleep_and_wakes(autojump_clock: trio.testing.MockClock) -> None:
    """Two minutes after its only person went its bots end; its key has it go on from the same moves."""
    async with a_house() as house:
        live, ann, key = await alone_with_a_bot(house)
        assert live.match is not None
        before = live.match
        await trio.sleep(ABSENT_S - 15.0)
        assert not live.table.is_asleep
        await trio.sleep(30.0)
        assert live.table.is_asleep
        shown = house.views(live).table_fields(None)
        assert ("playing", True) == (shown["status"], shown["is_asleep"])
        assert {} == live.seats
        house.hall.bot_places.check(PROCESSES_MAX, "")  # its bot has ended, or not all places would be free
        await trio.sleep(1800.0)
        live.note_seen(live.holder(key))
        assert not live.table.is_asleep
        assert await next_question(house, live, ann)
        assert before is not live.match
        assert before.turns == live.match.turns[: len(before.turns)]
        luck = Random(4)
        while live.table.is_playing:
            if (options := await next_question(house, live, ann)) is not None:
                live.play(ann, any_move(options, luck))
        assert live.match.record is not None
        assert before.terms.match_id == live.match.terms.match_id
        assert {None} == {each.fault for each in live.match.decisions}


async def test_a_move_that_wakes_a_match_is_made_once_its_bots_are_there(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """It is read at once: what is not legal is refused, and a second move as well."""
    async with a_house(starts_s=5.0) as house:
        live, ann, key = await alone_with_a_bot(house)
        await trio.sleep(20.0)  # silence took the chance to pass on the bot's bid
        options = await next_question(house, live, ann)
        await trio.sleep(ABSENT_S + 15.0)
        assert live.table.is_asleep
        assert live.match is not None
        turns = tuple(live.match.turns)
        for value in ("nonsense", {"bid": [99, 99]}):
            with pytest.raises(Refusal) as refused:
                live.play(live.holder(key), value)
            assert ("bad_request", "move") == (refused.value.kind, refused.value.field)
        move = any_move(options, Random(1))
        live.play(live.holder(key), move)
        with pytest.raises(Refusal, match="not your turn"):
            live.play(live.holder(key), move)
        began = trio.current_time()
        await live.resumed()
        assert trio.current_time() - began == pytest.approx(5.0)
        await trio.sleep(1.0)
        assert turns == tuple(live.match.turns[: len(turns)])
        seat = live.match.viewer(ann.player_id).seat
        made = [each for each in live.match.decisions if each.turn == len(turns) and each.seat == seat]
        assert [(None, True)] == [(each.fault, each.elapsed_s < 0.1) for each in made]


async def test_a_connected_page_keeps_its_table_awake(autojump_clock: trio.testing.MockClock) -> None:
    """Somebody may think for as long as it likes; the two minutes begin when its page is closed."""
    async with a_house() as house:
        live, ann, _ = await alone_with_a_bot(house)
        here = {ann.player_id}
        live.attendance.append(lambda player_id: player_id in here)
        await trio.sleep(1800.0)
        assert not live.table.is_asleep
        here.clear()
        await trio.sleep(ABSENT_S + 20.0)
        assert live.table.is_asleep


async def test_among_people_nothing_falls_asleep(autojump_clock: trio.testing.MockClock) -> None:
    """Somebody waits there; once all but one have left, nobody does."""
    async with a_house() as house:
        house.hall.nursery.start_soon(house.watch)
        live = house.create("liars-dice", {}, None)
        ann, bob = people(live, "ann", "bob")
        live.give_seat(ann, "odds")
        live.begin(ann)
        await trio.sleep(600.0)
        assert not live.table.is_asleep
        live.leave(bob)
        await trio.sleep(20.0)
        assert live.table.is_asleep


async def test_who_leaves_plays_on_by_default_moves(autojump_clock: trio.testing.MockClock) -> None:
    async with a_house() as house:
        live = house.create("holdem", {"hands": 20}, 10.0)
        ann, bob = people(live, "ann", "bob")
        live.begin(ann)
        await next_question(house, live, live.table.member(live.table.seating[0]))
        live.leave(bob)
        assert live.table.is_playing
        live.leave(ann)
        await trio.sleep(0.1)
        assert live.table.is_closed
        with pytest.raises(Refusal, match="this table is closed: everybody has left"):
            house.table(live.table.id)


async def test_people_have_time_to_follow(autojump_clock: trio.testing.MockClock) -> None:
    """A bot's answer takes 0.7 s, and the question after a showdown comes 3 s later; no clock runs meanwhile."""
    async with a_house() as house:
        live = house.create("liars-dice", {"challenge": "next", "dice": 2}, 5.0)
        (ann,) = people(live, "ann")
        live.give_seat(ann, "odds")
        times: list[tuple[float, tuple[str, ...]]] = []

        def listen(news: Notice) -> None:
            if isinstance(news, LiveScene) and news.moment.step is not None:
                kinds = tuple(event.kind for event in news.moment.step.events)
                times.append((trio.current_time(), kinds))

        live.attach(listen)
        live.begin(ann)
        luck = Random(3)
        while live.table.is_playing:
            options = await next_question(house, live, ann)
            if options is not None:
                live.play(ann, any_move(options, luck))
        assert live.match is not None
        gaps = [later[0] - earlier[0] for earlier, later in pairwise(times)]
        after_showdown = [
            gap
            for gap, (_, kinds), (_, next_kinds) in zip(gaps[1:], times[1:], times[2:], strict=False)
            if "round_started" in kinds and "match_over" not in next_kinds
        ]
        assert after_showdown[:1] == [] or min(after_showdown) >= SHOWDOWN_S - 0.01
        of_bot = [each for each in live.match.decisions if live.match.terms.names[each.seat] == "odds"]
        assert of_bot
        assert max(each.elapsed_s for each in of_bot) < 0.1, "its answers came at once"
        assert (times[-1][0] - times[0][0]) >= BOT_S * len(of_bot) - 0.01


async def test_versions_do_not_tell_who_has_answered(autojump_clock: trio.testing.MockClock) -> None:
    async with a_house() as house:
        live = house.create("bluff", {}, 30.0)
        people(live, "ann", "bob", "cid")
        live.begin(live.table.members[0])
        first, second, third = (live.table.member(each) for each in live.table.seating)
        options = await next_question(house, live, first)
        live.play(first, any_move(options, Random(1)))
        await next_question(house, live, second)
        before = live.version, house.views(live).table(None), house.views(live).table(third)
        live.play(second, "pass")
        assert (live.version, house.views(live).table(None), house.views(live).table(third)) == before
        assert options_of(house, live, second) is None, "only its own view says that it has answered"


async def test_an_illegal_move_is_refused_and_changes_nothing(autojump_clock: trio.testing.MockClock) -> None:
    async with a_house() as house:
        live = house.create("liars-dice", {"challenge": "next"}, 30.0)
        people(live, "ann", "bob")
        live.begin(live.table.members[0])
        first, second = (live.table.member(each) for each in live.table.seating)
        await next_question(house, live, first)
        before = house.views(live).table(first)
        for value, words in (
            ("challenge", "Challenge is not possible here"),
            ([9, 1], "face 9"),
            ({}, "move"),
            (None, "move"),
        ):
            with pytest.raises(Refusal, match=words) as refused:
                live.play(first, value)
            assert refused.value.field == "move"
        with pytest.raises(Refusal, match="not your turn"):
            live.play(second, [2, 1])
        assert house.views(live).table(first) == before


async def test_a_table_that_nobody_uses_is_closed_after_a_notice(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with a_house() as house:
        house.hall.nursery.start_soon(house.watch)
        live = house.create("blef", {}, None)
        people(live, "ann")
        heard: list[str] = []
        live.attach(lambda news: heard.append(type(news).__name__))
        await trio.sleep(1750.0)
        assert heard == ["Alerted"]
        await trio.sleep(60.0)
        assert live.table.is_closed
        with pytest.raises(
            Refusal, match="this table is closed: nothing has happened at this table for a while"
        ):
            house.table(live.table.id)


async def test_a_table_that_everybody_left_says_so(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and after it was forgotten; of the tables that were closed last, and no more."""
    monkeypatch.setattr(limits, "TABLES_REMEMBERED", 1)
    async with a_house() as house:
        house.hall.nursery.start_soon(house.watch)
        for _ in range(2):
            live = house.create("blef", {}, None)
            live.leave(people(live, "ann")[0])
            with pytest.raises(Refusal, match="this table is closed: everybody has left"):
                house.table(live.table.id)
            await trio.sleep(120.0)
            assert live not in list(house)
            with pytest.raises(Refusal, match="this table is closed: everybody has left"):
                house.table(live.table.id)
        first = next(iter(house._closed))
        assert [live.table.id] == [first], "the earlier one is forgotten"


async def test_silence_wins_over_a_limit_shorter_than_the_window(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Whoever may pass passes at the end of its limit; only the seat on turn has missed something."""
    async with a_house() as house:
        live = house.create("liars-dice", {}, 3.0)
        people(live, "ann", "bob", "cid")
        live.begin(live.table.members[0])
        await live.changed(live.version)
        await trio.sleep(3.1)
        assert live.match is not None
        kinds = [(type(each.move).__name__, each.fault) for each in live.match.decisions[:3]]
        assert kinds == [("Forfeit", "too_late"), ("Pass", None), ("Pass", None)]
        assert not any(seat.is_away for seat in live.seats.values())


async def test_all_leave_as_soon_as_it_has_begun(autojump_clock: trio.testing.MockClock) -> None:
    bugs: list[str] = []
    async with a_house(note_bug=bugs.append) as house:
        live = house.create("holdem", {}, 10.0)
        ann, bob = people(live, "ann", "bob")
        live.begin(ann)
        live.leave(ann)
        live.leave(bob)
        await trio.sleep(1.0)
        assert live.table.is_closed
    assert bugs == []


async def test_who_has_left_has_no_key_any_more(autojump_clock: trio.testing.MockClock) -> None:
    async with a_house() as house:
        live = house.create("holdem", {}, 10.0)
        ann, key = live.join("ann")
        people(live, "bob")
        live.begin(ann)
        assert live.holder(key).nickname == "ann"
        live.leave(ann)
        with pytest.raises(Refusal, match="nobody at this table has this key"):
            live.holder(key)
        with pytest.raises(Refusal, match="you have left this table already"):
            live.leave(ann)


async def test_house_bots_take_all_their_places_at_once(autojump_clock: trio.testing.MockClock) -> None:
    """Four tables that need nine each, of 20: two play, the others begin when these are over."""
    async with a_house(bot_places=BotPlaces(most=20)) as house:
        tables = []
        for _ in range(4):
            live = house.create("liars-dice", {"dice": 1, "challenge": "next"}, None)
            (ann,) = people(live, "ann")
            for _ in range(9):
                live.give_seat(ann, "odds")
            tables.append((live, ann))
        for live, ann in tables[:2]:
            live.begin(ann)
        await trio.sleep(1.0)
        with pytest.raises(Refusal, match="9 more house bots cannot play now") as refused:
            tables[2][0].begin(tables[2][1])
        assert refused.value.key == "house_bots"
        assert tables[2][0].table.status == "waiting"
        for live, ann in tables[:2]:
            live.leave(ann)
        await trio.sleep(1.0)
        tables[2][0].begin(tables[2][1])
        await trio.sleep(1.0)
        assert tables[2][0].match is not None
        assert tables[2][0].match.turns
