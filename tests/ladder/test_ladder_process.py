"""The process of a league, spoken to as a server does: who is tried, who plays, what its folder holds."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from types import SimpleNamespace

import msgspec
import pytest
import trio
from needs import needs
from tournaments import Steady, local

from arena.analysis.ranking import leaderboard
from arena.ladder import play
from arena.ladder.field import Field
from arena.ladder.messages import (
    BeginLadder,
    CannotPlay,
    FieldVersion,
    SetCores,
    SetPaused,
    StandingsSaid,
    VersionSaid,
)
from arena.ladder.serve import tournament_of_ladder
from arena.page.report.own_part import own_part
from arena.store import Store
from arena.store.checksums import note_all
from arena.tournament.folder.batches import batches_in
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.play.in_process import InProcessGrounds
from tests.ladder.ladders import FIELD, PLAN, house, league, state_of
from tests.verify.folders import verified

pytestmark = [pytest.mark.slow, needs("bubblewrap")]


@pytest.fixture(autouse=True)
def short_batches(monkeypatch):
    monkeypatch.setattr(play, "LEAST_S", 0.05)


async def test_bots_play_on_and_on_and_everything_follows_from_the_folder(tmp_path):
    """Also after a kill: nothing is played twice, and the batches go on where they were."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(4)
    rows, played, bots = state_of(folder)
    assert [row.batch for row in rows] == [*range(len(rows))]
    assert {one.bot for one in rows[-1].present} == {version.id for version in FIELD} == bots.keys()
    assert len(played) > 8
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(3)
    later, more, _ = state_of(folder)
    assert later[: len(rows)] == rows
    assert len(later) >= len(rows) + 3
    assert played < more
    assert later[len(rows)].present == rows[-1].present, "else what was open would be void"
    with Store.open(folder) as store:
        board = leaderboard(store)
        closed = {series for row in later for series in row.closed}
        assert board.progress.series == closed
        assert board.progress.counted == 2 * len(closed)
    code, said = verified(folder)
    assert code == 0, said


async def test_a_version_that_leaves_takes_its_open_series_with_it(tmp_path):
    """The others play on, and what had closed stays; nothing of what is void is hidden any more, nor counts."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(3)
        await server.wants(*FIELD[:2])
        await server.batches(3)
    rows, _, bots = state_of(folder)
    assert [one.bot for one in rows[-1].present] == [version.id for version in FIELD[:2]]
    assert bots[FIELD[2].id] == "without"
    after = next(row.batch for row in rows if len(row.present) == 2 and row.batch > 1)
    assert not any(FIELD[2].id in series for row in rows[after + 1 :] for series in row.closed)
    with Store.open(folder) as store:
        begun = {match.series_id for match in store.matches(bot=FIELD[2].id)}
        assert begun
        assert not store.sealed_among(begun)
    assert verified(folder)[0] == 0


async def test_a_bot_that_fails_in_play_is_said_to_and_not_paired_any_more(tmp_path):
    """It is withdrawn as in any tournament; a new version of it plays."""
    folder, bad = tmp_path / "league", house(4, "Hopeless")
    async with league(folder, PLAN | {"faults_max": 1}) as server:
        await server.wants(*FIELD, bad)
        said = await server.until(bad.id, "failed")
        assert said.reason.startswith("it failed in match after match")
        better = msgspec.structs.replace(house(4, "Steady"), id="b4@2")
        await server.wants(*FIELD, better)
        await server.until(better.id, "playing")
        await server.batches(3)
    rows, _, bots = state_of(folder)
    assert (bots["b4@1"], bots["b4@2"]) == ("replaced", "ok")
    assert better.id in {one.bot for one in rows[-1].present}
    assert any(better.id in series for row in rows for series in row.closed)
    assert verified(folder)[0] == 0


async def test_a_server_that_comes_back_is_told_everything_again(tmp_path):
    async with league(tmp_path / "league") as server:
        await server.wants(*FIELD)
        for version in FIELD:
            await server.until(version.id, "playing")
        await server.wants(*FIELD)
        for version in FIELD:
            await server.until(version.id, "playing")


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ({"game": "nim"}, "nim"),
        ({"game": "liars-dice", "rules": {"dice": 0}}, "dice"),
        ({"game": "liars-dice", "seats": 99}, "seats"),
    ],
)
async def test_why_a_league_cannot_be_played_is_said(tmp_path, plan, why):
    async with league(tmp_path / "league", plan) as server:
        said = await server.hear(CannotPlay)
    assert why in said.why
    assert not (tmp_path / "league" / "arena.db").exists()


async def test_a_row_that_cannot_be_is_found(tmp_path):
    """Somebody has had a series close before it was played."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(3)
    with Store.open(folder, write=True) as store:
        *_, (number, text) = store.batches()
        row = json.loads(text)
        changed = json.dumps(row | {"closed": [*row["closed"], "b1@1+b2@1#999"]})
        with store.transaction() as db:
            db.execute("UPDATE batches SET row = ? WHERE number = ?", (changed, number))
            note_all(db)
    code, said = verified(folder)
    assert (code, "b1@1+b2@1#999" in said) == (1, True), said


async def test_what_failed_before_a_restart_is_not_tried_again(tmp_path):
    folder, bad = tmp_path / "league", house(4, "Hopeless")
    for _ in range(2):
        async with league(folder, PLAN | {"faults_max": 1}) as server:
            await server.wants(*FIELD, bad)
            await server.until(bad.id, "failed")
    assert "playing" not in [said.state for said in server.heard if getattr(said, "id", "") == bad.id]


async def test_a_league_that_rests_begins_nothing(tmp_path):
    """It goes on where it was."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.pipe.send(SetPaused(True))
        await server.wants(*FIELD)
        resting = await server.hear(StandingsSaid)
        await server.pipe.send(SetPaused(False))
        await server.batches(2)
        assert (await server.hear(StandingsSaid)).matches
    assert (resting.batch, resting.matches) == (-1, 0)
    states = [(said.id, said.state) for said in server.heard if isinstance(said, VersionSaid)]
    assert states == [(version.id, "playing") for version in FIELD]


async def test_a_league_is_told_how_much_of_the_machine_is_its_own(tmp_path, monkeypatch):
    """While it plays, too; less than a core is enough for one match after the other."""
    told = []
    monkeypatch.setattr(InProcessGrounds, "limit", lambda grounds, capacity: told.append(capacity))
    async with league(tmp_path / "league") as server:
        await server.pipe.send(SetCores(0.5))
        await server.wants(*FIELD)
        await server.batches(2)
        await server.pipe.send(SetCores(3.0))
        await server.batches(2)
    assert [(1, 0.5), (1, 3.0)] == [(each.first, each.cores) for each in told]
    assert not any(each.is_fixed for each in told)


async def test_playing_time_is_charged_once(tmp_path):
    """While a match is in progress, and also what was taken just before the process ended."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(3)
    begin = BeginLadder(str(folder), msgspec.json.encode(PLAN).decode())
    with Store.open(folder, write=True) as store:
        store.connection.execute("UPDATE seats SET think_s = 1.0")  # as if none of it had been charged
        course = LadderCourse.of(SimpleNamespace(store=store, plan=tournament_of_ladder(begin).plan), list)
        thought_s, charged = store.thought_s(0), Counter()
        for batch in batches_in(store.batches()):
            charged.update(batch.row.spent)
        present = {version.id: version.owner for version in FIELD}
        course.thinking = lambda: [("b1@1", 300.0), ("b1@1", 200.0)]
        charged.update(course.open_batch(present).row["spent"])
        expected = {owner: thought_s[bot] + 500 * (bot == "b1@1") for bot, owner in present.items()}
        assert expected == pytest.approx(charged, abs=1e-3)
        course.thinking = tuple
        assert {} == course.open_batch(present).row["spent"], (
            "it is paid for, whether it is over or was cut off"
        )


async def test_where_everybody_stands_is_told(tmp_path):
    """The one that challenges everything loses; what is told is what the leaderboard fits."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.wants(*FIELD)
        with trio.fail_after(60):
            while not (said := await server.hear(StandingsSaid)).rows or said.rows[0].series < 20:
                pass
    assert {row.id for row in said.rows} == {version.id for version in FIELD}
    assert [row.rating for row in said.rows] == sorted((row.rating for row in said.rows), reverse=True)
    assert all(1 <= row.best <= row.worst <= len(FIELD) for row in said.rows)


async def test_a_version_that_was_replaced_keeps_its_evidence_and_comes_last(tmp_path):
    """So there is a rating for each version, and what a bot's owner is shown is about all of them."""
    folder = tmp_path / "league"
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(4)
        again = FieldVersion("b2@2", "o2", "tournaments:Fragile", is_house=True)
        await server.wants(FIELD[0], again, FIELD[2])
        await server.until("b2@2", "failed")  # by series that are closed
    with Store.open(folder) as store:
        rows = leaderboard(store).rows
        part = own_part(store, "b2", datetime.now(UTC))
    assert [row.bot for row in rows][-1] == "b2@1"
    assert min(row.matches for row in rows) > 0
    assert re.findall(r"<summary>(b[\d@]+)", part) == ["b2@2", "b2@1"]
    assert 'data-capsule="' in part
    assert "Rating of each version" in part


async def test_a_trial_ends_where_the_version_is_taken_back(tmp_path, monkeypatch):
    """The next one is not kept waiting by a build that nobody wants any more."""
    began, ended = trio.Event(), []

    async def check(entrant, tournament, time_s):
        began.set()
        try:
            await trio.sleep_forever()
        finally:
            ended.append(entrant.name)

    monkeypatch.setattr("arena.ladder.serve.check_entrant", check)
    monkeypatch.setattr(
        "arena.ladder.serve.entrant_of", lambda version, tournament: local(version.id, Steady)
    )
    slow = msgspec.structs.replace(house(4, "Steady"), is_house=False)
    async with league(tmp_path / "league") as server:
        await server.wants(slow)
        with trio.fail_after(30):
            await began.wait()
        await server.wants(*FIELD)
        await server.until(FIELD[0].id, "playing")
    assert ended == [slow.id]


def test_those_who_played_before_come_back_first():
    """Whatever was handed in meanwhile, by them or others; then of each owner the newest."""
    field = Field(known={"b1@1", "b2@1"})
    assert not field.are_back
    versions = [
        FieldVersion(id, owner, "", at)
        for id, owner, at in (
            ("b1@2", "o1", 5.0),
            ("b3@1", "o3", 1.0),
            ("b1@1", "o1", 2.0),
            ("b2@1", "o2", 3.0),
            ("b3@2", "o3", 4.0),
        )
    ]
    field.set(versions)
    tried = []
    while (version := field.next_to_try()) is not None:
        tried.append(version.id)
        field.say(version.id, "refused")
        assert field.are_back == (len(tried) >= 2)
    assert tried == ["b1@1", "b2@1", "b3@2", "b3@1", "b1@2"]
