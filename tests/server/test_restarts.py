"""What is at the tables is there again after a restart, wherever the server ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest
import trio
from daily import daily
from trio.testing import MockClock

from arena.games import GAMES
from arena.refusal import Refusal
from arena.server.kept.archive import FinishedTable
from arena.server.kept.keeping import NotKept
from arena.server.limits import ABSENT_S, IDLE_S
from arena.server.tables.live import LiveTable
from tests.server.halls import any_move, people
from tests.server.restarts import Kept, People, a_kept_house, exact

QUICK = {
    "holdem": {"hands": 8},
    "liars-dice": {"dice": 2},
    "chamber": {},
}
CUTS = 8


async def settled() -> None:
    """Returns once nobody has anything to do."""
    await trio.testing.wait_all_tasks_blocked()


async def begun(kept: Kept, game: str, *names: str, move_s: float = 20.0) -> LiveTable:
    """A table at which these people play."""
    live = kept.house.create(game, QUICK.get(game, {}), move_s)
    people(live, *names)
    live.begin(live.table.members[0])
    await settled()
    return live


def waiting(live: LiveTable) -> list[str]:
    """The player_ids of those who are asked now."""
    return [player_id for player_id, seat in live.seats.items() if seat.open is not None]


def answer(kept: Kept, live: LiveTable, player_id: str) -> None:
    """This player makes any move."""
    member = live.table.member(player_id)
    told = kept.house.views(live).table_fields(member)["you"]["options"]
    live.play(member, any_move(msgspec.json.decode(told), Random(1)))


@pytest.mark.slow
@pytest.mark.parametrize("game", daily({"liars-dice", "holdem"}.__contains__, GAMES))
async def test_a_match_that_is_cut_anywhere_ends_as_it_would_have(
    game: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Turns, decisions, faults and ranks are those of the match in one go, and it is archived once."""
    images: list[bytes] = []
    async with a_kept_house(tmp_path / "whole") as kept:
        live = kept.house.create(game, QUICK.get(game, {}), 20.0)
        ann, *_ = people(live, "ann", "bob")
        live.give_seat(ann, "odds")
        live.begin(ann)
        images.append(kept.image())
        players = People(kept, note=lambda: images.append(kept.image()))
        whole = exact((await players.play()).match)
        images.append(kept.image())
        (archived,) = kept.archived
    assert players.silent
    step = max(1, len(images) // CUTS)
    for place in sorted({*range(0, len(images), step), len(images) - 2, len(images) - 1}):
        async with a_kept_house(tmp_path / f"{place}", images[place]) as kept:
            found = await People(kept).play()
            await settled()
            assert exact(found.match) == whole, f"cut after step {place} of {len(images)}"
            (again,) = kept.archived
            assert exact(again) == exact(archived)
            assert (again.match_id, again.seed, again.kinds) == (
                archived.match_id,
                archived.seed,
                archived.kinds,
            )
            assert found.table.status == "finished"


async def test_who_has_answered_is_not_asked_again(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Neither who has left since: the others of an open turn are asked anew, with all their time."""
    async with a_kept_house(tmp_path) as kept:
        live = await begun(kept, "bluff", "ann", "bob", "cid", "dan")
        (first,) = waiting(live)
        answer(kept, live, first)
        await settled()
        second, third, fourth = waiting(live)
        await trio.sleep(4.0)
        for player_id in (second, third):
            answer(kept, live, player_id)
        live.leave(live.table.member(third))
        await kept.keeper.kept()
    async with a_kept_house(tmp_path) as kept:
        live = kept.table
        await settled()
        assert waiting(live) == [fourth]
        await trio.sleep(4.0)
        assert waiting(live) == [fourth], "it has all its time"
        with pytest.raises(Refusal, match="not your turn"):
            live.play(live.table.member(second), "pass")
        answer(kept, live, fourth)
        assert live.match is not None
        names = live.match.terms.names
        turn = max(each.turn for each in live.match.decisions)
        faults = {names[each.seat]: each.fault for each in live.match.decisions if each.turn == turn}
        assert list(faults.values()) == [None] * 3, "what the one who left had answered counts"
        assert live.table.member(third).has_left


async def test_who_is_away_or_has_left_stays_so(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Nobody waits for them again, until the one that is away speaks."""
    async with a_kept_house(tmp_path) as kept:
        live = await begun(kept, "holdem", "ann", "bob", "cid", move_s=10.0)
        live.leave(live.table.member(live.table.seating[2]))
        await trio.sleep(15.0)
        missed = {player_id: seat.missed for player_id, seat in live.seats.items()}
        assert sorted(missed.values()) == [0, 0, 1], "a turn missed once"
    async with a_kept_house(tmp_path) as kept:
        live = kept.table
        await settled()
        assert {player_id: seat.missed for player_id, seat in live.seats.items()} == missed
        with trio.fail_after(60.0):
            while not any(seat.is_away for seat in live.seats.values()):
                await live.changed(live.version)
        away = {player_id: seat.is_away for player_id, seat in live.seats.items()}
        assert sorted(away.values()) == [False, False, True]
    async with a_kept_house(tmp_path) as kept:
        live = kept.table
        await settled()
        assert {player_id: seat.is_away for player_id, seat in live.seats.items()} == away
        shown = [each.is_away for each in kept.house.views(live).table_fields(None)["players"]]
        assert sorted(shown) == [False, False, True]
        (one,) = (player_id for player_id, is_away in away.items() if is_away)
        live.note_presence(live.table.member(one))
    async with a_kept_house(tmp_path) as kept:
        await settled()
        assert kept.table.seats[one].missed == 0


async def test_the_lobby_is_there_again(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Keys, host, whether it is public, who is ready, the chat; and time to come back."""
    async with a_kept_house(tmp_path) as kept:
        live = kept.house.create("blef", {}, None)
        (ann, ann_key), (bob, bob_key) = live.join("ann"), live.join("bob")
        live.hand_over(ann, bob.player_id)
        live.make_public(live.holder(bob_key), True)
        live.ready(live.holder(ann_key))
        for number in range(3):
            live.speak(live.holder(ann_key), f"hello {number}")
        before, version = live.table, live.version
    await trio.sleep(IDLE_S)
    async with a_kept_house(tmp_path) as kept:
        kept.house.hall.nursery.start_soon(kept.house.watch)
        live = kept.table
        assert live.version > version, "who waits for a newer version is told at once"
        assert live.table.host == bob.player_id
        assert kept.house.public() == [live]
        assert live.holder(ann_key) == before.member(ann.player_id)
        assert live.table.chat == before.chat
        await trio.sleep(60.0)
        assert not live.table.is_closed, "nobody could come while the server was down"
        live.speak(live.holder(ann_key), "back")
        assert [line.number for line in live.table.chat] == [1, 2, 3, 4]
        await kept.keeper.kept()
    async with a_kept_house(tmp_path) as kept:
        assert [line.message for line in kept.table.table.chat] == ["hello 0", "hello 1", "hello 2", "back"]


# What cannot go on


async def test_what_cannot_be_read_costs_nobody_else(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Their tables wait for the next match, and say why; the log says it too."""
    async with a_kept_house(tmp_path) as kept:
        lives = {
            what: await begun(kept, "liars-dice", "ann", "bob")
            for what in ("well", "version", "moves", "order", "table", "rules", "chat", "decisions")
        }
        for live in lives.values():
            answer(kept, live, waiting(live)[0])
            live.speak(live.table.members[0], "hello")
        await trio.sleep(6.0)  # the others pass
        await kept.keeper.kept()
        ids = {what: live.match.terms.match_id for what, live in lives.items() if live.match is not None}
        tables = {what: live.table.id for what, live in lives.items()}
    for sql, value in (
        (
            "UPDATE matches SET value = replace(value, '\"version\":', '\"version\":9') WHERE id = ?",
            "version",
        ),
        ("UPDATE turns SET moves = x'00ff' WHERE turn = 1 AND match_id = ?", "moves"),
        ("DELETE FROM turns WHERE turn = 0 AND match_id = ?", "order"),
        (
            "UPDATE turns SET decisions = '[[5,0,null,\"\",true,true]]' WHERE turn = 1 AND match_id = ?",
            "decisions",
        ),
        ("UPDATE tables SET value = '{\"id\": 5' WHERE id = ?", "table"),
        ("UPDATE tables SET value = replace(value, '\"dice\":2', '\"dice\":-1') WHERE id = ?", "rules"),
        ("UPDATE chat SET line = x'ff' WHERE table_id = ?", "chat"),
    ):
        await changed(
            tmp_path, sql, (tables if sql.startswith(("UPDATE tables", "UPDATE chat")) else ids)[value]
        )
    async with a_kept_house(tmp_path, first_seed=100) as kept:
        await settled()
        found = {live.table.id: live for live in kept.house}
        gone = {what for what, id in tables.items() if id not in found}
        assert gone == {"table", "rules", "chat"}
        lost = {what for what, id in tables.items() if id in found and not found[id].table.is_playing}
        assert lost == {"version", "moves", "order", "decisions"}
        for what in lost:
            live = found[tables[what]]
            assert (live.table.status, live.match) == ("waiting", None)
            assert live.table.chat[-1].message.startswith(
                "the server was started again, and the match could not"
            )
            live.begin(live.table.members[0])
        live = found[tables["well"]]
        assert live.match is not None
        assert live.match.terms.match_id == ids["well"]
        assert len(waiting(live)) == 2
        noted = "\n".join(kept.noted)
        assert noted.count("cannot go on") == 4, noted
        assert noted.count("is closed, as") == 3
        assert "was begun by version" in noted
        assert "1 match went on where the server ended" in noted
        await kept.keeper.kept()
        kept_ids = {match.id for match in kept.keeper.matches()}
        assert not kept_ids & ({*ids.values()} - {ids["well"]}), "nothing of them stays in the database"


async def changed(folder: Path, sql: str, value: str) -> None:
    """Damages what is kept there."""
    with closing(sqlite3.connect(folder / "server.db")) as db, db:
        assert db.execute(sql, (value,)).rowcount >= 1
    db.close()


async def test_how_a_match_ended_is_shown_after_a_restart(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Until the next one begins; it is archived again in vain."""
    async with a_kept_house(tmp_path) as kept:
        await begun(kept, "liars-dice", "ann", "bob")
        live = await People(kept).play()
        await settled()
        shown = kept.house.views(live).table_fields(None)["match"]
        assert shown["ranks"] is not None
        await kept.keeper.kept()
    async with a_kept_house(tmp_path, first_seed=100) as kept:
        await settled()
        live = kept.table
        assert kept.house.views(live).table_fields(None)["match"] == shown
        assert len(live.match.rounds if live.match else ()) == shown["round"]
        live.rematch(live.table.members[0])
        await kept.keeper.kept()
        (match,) = kept.keeper.matches()
        assert match.id != shown["match_id"]


async def test_matches_that_could_not_be_archived_are_when_it_starts_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Also those of tables that play on or are gone; the ones that play on are not taken for them."""

    def full(match: object) -> None:
        raise NotKept("the disk is full")

    async with a_kept_house(tmp_path, archive=full) as kept:
        await begun(kept, "liars-dice", "ann", "bob")
        live = await People(kept).play()
        await settled()
        gone = await begun_and_over(kept)
        for member in gone.table.members:
            gone.leave(member)
        live.rematch(live.table.members[0])
        await settled()
        assert live.match is not None
        running = live.match.terms.match_id
        await kept.keeper.kept()
        owed = {match.id for match in kept.keeper.matches()} - {running}
        assert len(owed) == 2
    async with a_kept_house(tmp_path) as kept:
        await settled()
        assert {match.match_id for match in kept.archived} == owed
        assert kept.table.match is not None
        assert kept.table.match.terms.match_id == running
        assert kept.table.table.is_playing
        await kept.keeper.kept()
        assert [match.id for match in kept.keeper.matches()] == [running]


async def test_a_match_is_archived_once_its_end_is_kept(tmp_path: Path, autojump_clock: MockClock) -> None:
    """A kill after that finds it over: else it would be played to another end, and that one be lost."""
    images: list[bytes] = []

    def archive(match: FinishedTable) -> None:
        images.append(kept.keeper._db.serialize())

    async def slowly(commit: Callable[[], None]) -> None:
        await trio.sleep(0.05)
        commit()

    async with a_kept_house(tmp_path / "first", archive=archive, in_thread=slowly) as kept:
        await begun(kept, "liars-dice", "ann", "bob")
        whole = exact((await People(kept).play()).match)
        await settled()
    async with a_kept_house(tmp_path / "again", images[0]) as kept:
        await settled()
        assert [exact(each) for each in kept.archived] == [whole]


async def begun_and_over(kept: Kept) -> LiveTable:
    """A second table whose match is over."""
    live = await begun(kept, "liars-dice", "ann", "bob", move_s=1.0)
    with trio.fail_after(1000.0):
        while live.table.is_playing:
            await live.changed(live.version)
    await settled()
    return live


async def test_a_match_that_everybody_left_is_forgotten(tmp_path: Path, autojump_clock: MockClock) -> None:
    """What is kept does not grow with tables that are closed."""
    async with a_kept_house(tmp_path) as kept:
        live = await begun(kept, "liars-dice", "ann", "bob")
        for member in live.table.members:
            live.leave(member)
        await settled()
        await kept.keeper.kept()
        assert list(kept.keeper.matches()) == []
        assert kept.archived == []


async def test_a_move_before_the_bots_are_there_again_is_made_once(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whoever moves right after a restart has moved, even if the server is killed before its bots run."""
    async with a_kept_house(tmp_path / "one") as kept:
        live = kept.house.create("liars-dice", {}, 30.0, is_clock_chosen=False)
        ann, key = live.join("ann")
        live.give_seat(ann, "odds")
        live.begin(ann)
        await trio.sleep(20.0)  # silence took the chance to pass on the bot's bid
        told = kept.house.views(live).table_fields(ann)["you"]["options"]
        image = kept.image()
    async with a_kept_house(tmp_path / "two", image, starts_s=5.0) as kept:
        live = kept.table
        await trio.sleep(1.0)
        live.play(live.holder(key), any_move(msgspec.json.decode(told), Random(1)))
        image = kept.image()
    async with a_kept_house(tmp_path / "three", image, starts_s=5.0) as kept:
        live = kept.table
        with pytest.raises(Refusal, match="not your turn"):
            live.play(live.holder(key), any_move(msgspec.json.decode(told), Random(2)))
        await live.resumed()
        await settled()
        assert live.match is not None
        own = [
            each
            for each in live.match.decisions
            if each.asked and each.seat == live.match.viewer(ann.player_id).seat
        ]
        assert [None] == [each.fault for each in own]


async def test_a_table_that_is_asleep_stays_so_and_wakes(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Killed while it sleeps, it costs no bot after the restart, until its key is back and all goes on."""
    async with a_kept_house(tmp_path / "one") as kept:
        kept.house.hall.nursery.start_soon(kept.house.watch)
        live = kept.house.create("liars-dice", {}, 30.0, is_clock_chosen=False)
        ann, key = live.join("ann")
        live.give_seat(ann, "odds")
        live.begin(ann)
        await trio.sleep(ABSENT_S + 15.0)
        assert live.table.is_asleep
        assert live.match is not None
        terms, so_far = live.match.terms, live.match.so_far
        image = kept.image()
    async with a_kept_house(tmp_path / "two", image) as kept:
        kept.house.hall.nursery.start_soon(kept.house.watch)
        live = kept.table
        await trio.sleep(60.0)
        assert (True, {}) == (live.table.is_asleep, live.seats)
        live.note_seen(live.holder(key))
        await trio.sleep(5.0)
        assert live.match is not None
        assert (False, terms) == (live.table.is_asleep, live.match.terms)
        assert so_far.turns == tuple(live.match.turns)[: len(so_far.turns)]
        assert live.seats[ann.player_id].open is not None
