"""The runner: exactly the missing matches are played, and the tables are the same whatever happened."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import Counter

import attrs
import pytest
import trio
import trio.testing
from tournaments import (
    FIELD,
    SHORT,
    Doubter,
    Fragile,
    Hopeless,
    Record,
    Steady,
    exact,
    faults,
    local,
    opened,
    play,
    rows,
)

from arena.analysis.ranking import leaderboard
from arena.analysis.sheet import read_sheet
from arena.errors import ConfigError
from arena.games.liars_dice import LiarsDice
from arena.match.record import unpack
from arena.schedule import match_id
from arena.store import Store
from arena.store.files import COLUMNS_FOLDER
from arena.store.kept import columns, ranges
from arena.telling.replay import replay
from arena.tournament.bots.broken import BrokenBots
from arena.tournament.folder.intake import course_of
from arena.tournament.play.reporting import Silent
from arena.tournament.play.stopping import StopRule
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament


def leaves(group):
    """All exceptions in a group, or the one that is none."""
    if isinstance(group, BaseExceptionGroup):
        return [leaf for one in group.exceptions for leaf in leaves(one)]
    return [group]


async def the_mistake(awaitable) -> ConfigError:
    """The user's mistake that a run ends with."""
    with pytest.raises((ConfigError, BaseExceptionGroup)) as caught:
        await awaitable
    (mistake,) = leaves(caught.value)
    assert isinstance(mistake, ConfigError)
    return mistake


# What is played


async def test_every_planned_match_is_there_once(tmp_path):
    """4 bots, 6 pairs, 2 series, 2 rotations: 24 matches, each pair equally often, each bot in each seat."""
    summary, reporter = await play(tmp_path / "out")
    assert (24, 0) == reporter.planned
    assert 24 == summary.played == summary.planned == len(rows(tmp_path / "out", "matches"))
    pairs = Counter(frozenset((row["bot"], row["opponents"])) for row in rows(tmp_path / "out", "seats"))
    assert {8} == set(pairs.values())
    assert 6 == len(pairs)


async def test_a_record_replays_to_its_ranks(tmp_path):
    """The moves in the store lead to the ranks in the store."""
    await play(tmp_path / "out")
    with Store.open(tmp_path / "out") as store:
        for match in store.matches():
            *_, last = replay(SHORT, 2, unpack(SHORT, match.packed))
            assert tuple(seat.rank for seat in match.seats) == SHORT.ranks(last.state)


@pytest.mark.parametrize("matches", [1, 2, 7, 12, 23])
async def test_interrupted_is_uninterrupted(tmp_path, matches):
    """A run that is cancelled and taken up again leaves the same exact columns as one that was not."""
    await play(tmp_path / "whole")
    cut, _ = await play(tmp_path / "cut", stop_after=matches)
    assert cut.played == len(rows(tmp_path / "cut", "matches"))
    assert matches <= cut.played < 24
    rest, reporter = await play(tmp_path / "cut")
    assert (24, cut.played) == reporter.planned
    assert 24 == cut.played + rest.played
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")


async def test_a_run_keeps_columns_of_what_counts(tmp_path, monkeypatch):
    """As matches come in, by twos here; also where it was interrupted, and with a bot that is withdrawn."""
    monkeypatch.setattr(ranges, "SIZE", 2)
    field = (local("hopeless", Hopeless), local("steady", Steady), local("doubter", Doubter))
    await play(tmp_path / "out", field, stop_after=5, concurrency=3)
    assert (tmp_path / "out" / COLUMNS_FOLDER / "000001").exists()
    await play(tmp_path / "out", field, concurrency=3)
    with Store.open(tmp_path / "out") as store:
        assert 1 <= len(list(columns.kept_chunks(store)))
        kept, made = leaderboard(store), leaderboard(store, sheet=read_sheet(store, from_rows=True))
        assert (made.table, list(made.meetings)) == (kept.table, list(kept.meetings))


def series_of(folder):
    """The ids of all series that have a match, in schedule order."""
    return list(dict.fromkeys(row["series_id"] for row in rows(folder, "matches")))


@pytest.mark.parametrize("tournament", ["gauntlet", "swiss", "knockout"])
@pytest.mark.parametrize("matches", [1, 5])
async def test_every_format_goes_on_where_it_was_interrupted(tmp_path, tournament, matches):
    """Cut and taken up again, at one table or at three, it pairs whom it would have paired, and ranks alike."""
    await play(tmp_path / "whole", tournament=tournament)
    cut, _ = await play(tmp_path / "cut", tournament=tournament, stop_after=matches)
    rest, _ = await play(tmp_path / "cut", tournament=tournament, concurrency=3)
    assert len(rows(tmp_path / "whole", "matches")) == cut.played + rest.played
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")
    again, reporter = await play(tmp_path / "cut", tournament=tournament)
    assert 0 == again.played
    assert series_of(tmp_path / "cut") == [series.id for series in reporter.closed_series]


async def test_a_swiss_tournament_takes_in_nobody_once_it_is_paired(tmp_path):
    """What was played would have been paired otherwise: that is said, and nothing is lost."""
    await play(tmp_path / "out", FIELD[:3], tournament="swiss")
    before = exact(tmp_path / "out")["matches"]
    mistake = await the_mistake(play(tmp_path / "out", tournament="swiss"))
    assert "that this swiss would not pair now" in str(mistake)
    assert before == exact(tmp_path / "out")["matches"]


class Enough(StopRule):
    """Stops after so many series."""

    def __init__(self, series):
        self.left, self.told = series, []

    def begins(self, course):
        self.told.clear()

    def goes_on(self):
        pass

    def closed(self, series):
        self.told.append(series.id)
        return len(self.told) >= self.left

    def state(self):
        return ""


@pytest.mark.parametrize("concurrency", [1, 4])
async def test_a_stop_rule_ends_a_run(tmp_path, concurrency):
    """No match is kept past where it has said so; what it is told is in schedule order."""
    rule = Enough(3)
    summary, reporter = await play(tmp_path / "out", concurrency=concurrency, stop_rule=rule)
    assert summary.is_settled
    assert 6 == summary.played
    assert [series.id for series in reporter.closed_series] == rule.told == series_of(tmp_path / "out")
    summary, _ = await play(tmp_path / "out", stop_rule=Enough(3))
    assert 0 == summary.played


async def test_no_match_begins_after_the_time_is_up(tmp_path, autojump_clock):
    """--max-time ends a run in order; the same run goes on later."""
    reporter = Record(lambda entry: autojump_clock.jump(7))
    summary, _ = await play(tmp_path / "out", max_time=15.0, reporter=reporter)
    assert (True, 3) == (summary.is_out_of_time, summary.played)
    rest, _ = await play(tmp_path / "out")
    assert 24 == summary.played + rest.played


async def test_the_time_runs_while_bots_are_waited_for(tmp_path, autojump_clock):
    """--max-time counts from the start: who does not connect in it keeps the run from its first match."""
    before = trio.current_time()
    mistake = await the_mistake(play(tmp_path / "out", expect=2, max_time=15.0))
    assert "15s (max_time) ran out before" in str(mistake)
    assert 15 == pytest.approx(trio.current_time() - before)


@pytest.mark.slow
async def test_cut_again_and_again(tmp_path):
    """Interrupted after every third match, in four tables at once, the tables come out the same."""
    await play(tmp_path / "whole")
    for _ in range(9):
        await play(tmp_path / "cut", stop_after=3, concurrency=4)
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")


async def test_order_and_parallelism_change_nothing(tmp_path):
    """Four tables at once, bots named in another order: the same tables."""
    await play(tmp_path / "one")
    await play(tmp_path / "four", FIELD[::-1], concurrency=4)
    assert exact(tmp_path / "one") == exact(tmp_path / "four")


async def test_a_finished_folder_has_nothing_left(tmp_path):
    """The second run plays no match."""
    await play(tmp_path / "out")
    summary, reporter = await play(tmp_path / "out")
    assert 0 == summary.played
    assert (24, 24) == reporter.planned


@pytest.mark.parametrize(
    ("before", "lacking"),
    [
        pytest.param({"series": 1}, 12, id="more series"),
        pytest.param({"entrants": FIELD[:3]}, 12, id="another bot"),
        pytest.param({"entrants": FIELD[1:], "series": 1}, 18, id="both"),
    ],
)
async def test_an_extended_run_plays_what_is_lacking(tmp_path, before, lacking):
    """More bots or series add matches, and the tables are those of the larger plan."""
    await play(tmp_path / "whole")
    await play(tmp_path / "grown", **before)
    summary, _ = await play(tmp_path / "grown")
    assert lacking == summary.played
    assert exact(tmp_path / "whole") == exact(tmp_path / "grown")


async def test_only_one_match_is_played_again(tmp_path):
    """--only plays its match, also when it is there, and leaves the others."""
    await play(tmp_path / "out")
    before = exact(tmp_path / "out")
    id = rows(tmp_path / "out", "matches")[5]["match_id"]
    summary, reporter = await play(tmp_path / "out", only=id[:8])
    assert [id] == [entry.match_id for entry in reporter.entries]
    assert 1 == summary.played
    assert before == exact(tmp_path / "out")


async def test_a_match_that_is_played_again_stays_until_the_new_one_is_kept(tmp_path):
    """Also where a stop rule says that enough is played, or the run is cancelled before."""
    await play(tmp_path / "out", stop_rule=Enough(3))
    before = exact(tmp_path / "out")
    id = rows(tmp_path / "out", "matches")[0]["match_id"]
    summary, _ = await play(tmp_path / "out", only=id, stop_rule=Enough(3))
    assert (1, before) == (summary.played, exact(tmp_path / "out"))

    class Cuts(Record):
        def begins(self, course, done):
            raise KeyboardInterrupt

    with pytest.raises(BaseExceptionGroup):
        await play(tmp_path / "out", only=id, reporter=Cuts())
    with Store.open(tmp_path / "out") as store:
        assert store.match(id).match_id == id


async def test_a_match_that_later_cycles_depend_on_is_not_played_again(tmp_path):
    """Another result would have paired others: refused, and nothing is lost; the last cycle may be."""
    await play(tmp_path / "out", tournament="swiss")
    before = exact(tmp_path / "out")
    matches = rows(tmp_path / "out", "matches")
    mistake = await the_mistake(play(tmp_path / "out", tournament="swiss", only=matches[0]["match_id"]))
    assert "the pairings of later cycles of a swiss depend on it" in str(mistake)
    assert before == exact(tmp_path / "out")
    summary, _ = await play(tmp_path / "out", tournament="swiss", only=matches[-1]["match_id"])
    assert (1, before) == (summary.played, exact(tmp_path / "out"))


async def test_only_must_name_one_match(tmp_path):
    """An id that no match has is the user's mistake."""
    assert "only zzz: 0 matches" in str(await the_mistake(play(tmp_path / "out", only="zzz")))


async def test_too_many_matches_are_refused(tmp_path):
    """The number of matches and the limit stand in the sentence."""
    mistake = await the_mistake(play(tmp_path / "out", matches_max=23))
    assert "= 24 matches, more than matches_max = 23 allows: take fewer series" in str(mistake)


# Bots that fail


async def test_faults_are_counted_once(tmp_path):
    """The tally of the summary is that of the tables."""
    summary, _ = await play(tmp_path / "out")
    assert {"dan": {"illegal": summary.faults.total()}} == {
        bot: kinds for bot, kinds in faults(tmp_path / "out").items() if kinds
    }
    assert summary.faults.total() > 0


@pytest.mark.parametrize(
    ("bot", "plan", "played"),
    [
        pytest.param(Hopeless, {"faults_max": 2}, 3, id="abandoned three times in succession"),
        pytest.param(Hopeless, {"faults_max": 2, "withdrawn_after": 1}, 1, id="abandoned once"),
        pytest.param(
            Fragile, {"restarts_max": 2, "withdrawn_after": 99}, 3, id="crashed more often than it may"
        ),
    ],
)
async def test_a_hopeless_bot_is_withdrawn(tmp_path, bot, plan, played):
    """It is not asked again, its other matches are played by default moves, and the tables say so."""
    field = (*FIELD, local("eve", bot))
    summary, reporter = await play(tmp_path / "one", field, **plan)
    assert summary.planned == summary.played == 40
    mine = [row for row in rows(tmp_path / "one", "seats") if row["bot"] == "eve"]
    assert [False] * played + [True] * (16 - played) == [row["withdrawn"] in ("1", "True") for row in mine]
    assert all(int(row["not_asked"]) == int(row["decisions"]) > 0 for row in mine[played:])
    assert all(int(row["rank"]) == 2 for row in mine[played:])
    assert {"eve": "withdrawn", "ann": "ok"}.items() <= {
        row["bot"]: row["status"] for row in rows(tmp_path / "one", "bots")
    }.items()
    assert ["eve is withdrawn"] == [note[:16] for note in reporter.notes]


@pytest.mark.slow
@pytest.mark.parametrize("bot", [Hopeless, Fragile])
async def test_withdrawal_does_not_depend_on_parallelism(tmp_path, bot):
    """Matches that ran while a bot was withdrawn are played again: four tables give what one gives."""
    field = (local("aaa", bot), *FIELD)
    plan = {"restarts_max": 3, "withdrawn_after": 3 if bot is Hopeless else 99, "faults_max": 2}
    one, _ = await play(tmp_path / "one", field, **plan)
    four, _ = await play(tmp_path / "four", field, concurrency=4, **plan)
    for _ in range(8):
        await play(tmp_path / "cut", field, concurrency=3, stop_after=6, **plan)
    assert exact(tmp_path / "one") == exact(tmp_path / "four")
    assert exact(tmp_path / "one") == exact(tmp_path / "cut")
    assert (one.played, one.faults) == (four.played, four.faults)
    assert "withdrawn" == {row["bot"]: row["status"] for row in rows(tmp_path / "one", "bots")}["aaa"]


async def test_the_first_fault_stops_the_run(tmp_path):
    """With -x the rest is not begun, and the match of the fault is at hand."""
    summary, _ = await play(tmp_path / "out", stop_at_fault=True)
    assert summary.first_fault is not None
    assert summary.first_fault.record.capsules
    assert summary.played < 24


async def test_all_broken_bots_are_named_before_any_match(tmp_path):
    """Each with its reason; nothing is played."""
    bad = [attrs.evolve(local(name, Steady), target=f"no_such_module_{name}:Bot") for name in ("x", "y")]
    mistake = await the_mistake(play(tmp_path / "out", (*FIELD, *bad)))
    assert isinstance(mistake, BrokenBots)
    assert ["x", "y"] == [bot.name for bot in mistake.broken]
    assert all("no_such_module" in bot.reason for bot in mistake.broken)
    assert [] == rows(tmp_path / "out", "matches")


async def test_broken_bots_can_be_left_out(tmp_path):
    """The others play, and the tables say who did not."""
    bad = attrs.evolve(local("x", Steady), target="no_such_module:Bot")
    summary, _ = await play(tmp_path / "out", (*FIELD, bad), leave_out_broken=True)
    assert 24 == summary.played
    assert ["x"] == [bot.name for bot in summary.left_out]
    assert "left out" == {row["bot"]: row["status"] for row in rows(tmp_path / "out", "bots")}["x"]


async def test_ratings_are_not_relative_to_a_bot_that_cannot_play(tmp_path):
    """Left out or not."""
    bad = attrs.evolve(local("x", Steady), target="no_such_module:Bot")
    mistake = await the_mistake(play(tmp_path / "out", (*FIELD, bad), leave_out_broken=True, anchor="x"))
    assert str(mistake).startswith("x cannot play, and ratings are relative to it: name another")


async def test_too_few_bots_are_refused(tmp_path):
    """A table that cannot be filled is the user's mistake."""
    bad = attrs.evolve(local("x", Steady), target="no_such_module:Bot")
    mistake = await the_mistake(play(tmp_path / "out", (FIELD[0], bad), leave_out_broken=True))
    assert "1 of the bots can play, and a table has 2 seats" in str(mistake)


# Our own mistakes


@attrs.frozen
class Buggy(LiarsDice):
    """Liar's Dice whose rules break in one kind of position."""

    def apply(self, state, moves):
        if state.hands and state.hands[0] == (1, 6):
            raise ZeroDivisionError("a planted bug")
        return super().apply(state, moves)


async def test_a_bug_in_the_rules_spoils_its_match_only(tmp_path):
    """It is recorded with traceback, seed and moves; the others are played, and a resumed run leaves it."""
    summary, _ = await play(tmp_path / "out", game=Buggy(dice=2))
    assert 24 == summary.played
    assert 0 < len(summary.aborted) < 24
    with Store.open(tmp_path / "out") as store:
        broken = store.match(summary.aborted[0])
        assert "aborted" == broken.status
        assert "ZeroDivisionError: a planted bug" in (broken.error or "")
        turns = unpack(SHORT, broken.packed)
        assert broken.seed > 0
    with pytest.raises(ZeroDivisionError):
        list(replay(Buggy(dice=2), 2, turns))
    again, _ = await play(tmp_path / "out", game=Buggy(dice=2))
    assert 0 == again.played


# The store


async def test_a_full_disk_ends_the_run_with_a_sentence(tmp_path):
    """What was written before stays, and a later run goes on from there."""
    await play(tmp_path / "whole")

    async def fill():
        with opened(tmp_path / "cut", FIELD) as setup:
            add_many, calls = setup.store.add_many, []

            def full(entries):
                calls.append(1)
                if len(calls) > 2:
                    raise ConfigError("the disk is full")
                add_many(entries)

            setup.store.add_many = full
            await run_tournament(setup, Silent(), Summary())

    with trio.fail_after(5):
        assert "the disk is full" == str(await the_mistake(fill()))
    with Store.open(tmp_path / "cut") as store:
        assert 2 <= len(store.finished()) < 24
    await play(tmp_path / "cut")
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")


@pytest.mark.slow
async def test_a_full_database_keeps_what_it_had(tmp_path):
    """The real thing: SQLite may not grow any more."""
    await play(tmp_path / "whole", series=40)

    async def fill():
        with opened(tmp_path / "cut", FIELD, series=40) as setup:
            pages = setup.store.connection.execute("PRAGMA page_count").fetchone()[0]
            setup.store.connection.execute(f"PRAGMA max_page_count = {pages + 60}")
            await run_tournament(setup, Silent(), Summary())

    mistake = await the_mistake(fill())
    assert "the disk is full" in str(mistake)
    rest, _ = await play(tmp_path / "cut", series=40)
    assert 0 < rest.played < 480
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")


async def test_the_store_is_used_by_one_thread_at_a_time(tmp_path):
    """SQLite's own guard never sees two calls at once, and play goes on while the disk is slow."""
    using = threading.Lock()
    overlaps = []

    class Guarded(Store):
        def add_many(self, entries):
            if not using.acquire(blocking=False):
                overlaps.append(threading.get_ident())
                return
            try:
                time.sleep(0.005)  # a slow disk; in the writer's thread, nobody's thinking time
                super().add_many(entries)
            finally:
                using.release()

    with opened(tmp_path / "out", FIELD) as setup:
        setup.store.__class__ = Guarded
        await run_tournament(setup, Silent(), Summary())
        assert 24 == len(setup.store.finished())
    assert [] == overlaps


def test_a_run_in_virtual_time_uses_no_thread(tmp_path):
    """What would wait for the disk in a thread is done where the setup says: here, at once."""
    used = []

    async def at_once(act):
        used.append(threading.get_ident())
        act()

    async def run():
        with opened(tmp_path / "out", FIELD) as setup:
            await run_tournament(attrs.evolve(setup, in_thread=at_once), Silent(), Summary())
            return len(setup.store.finished())

    assert 24 == trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    assert {threading.get_ident()} == set(used)


# Capsules


async def test_every_fault_leaves_a_capsule(tmp_path):
    """faults/<match>-<seat>-<n>.jsonl: a header that names all, then what was said."""
    summary, _ = await play(tmp_path / "out")
    files = sorted((tmp_path / "out" / "faults").iterdir())
    assert summary.faults.total() == len(files) > 0
    for file in files:
        header, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        match, seat, number = file.stem.split("-")
        assert (match, int(seat), "dan", "illegal") == tuple(
            header[key] for key in ("match_id", "seat", "bot", "fault")
        )
        assert ("liars-dice", 2) == (header["game"], header["rules"]["dice"])
        assert {"turn", "reason", "elapsed_s"} <= set(header)
        assert lines
        assert number == "0"


@pytest.mark.slow
async def test_capsules_wait_until_their_series_is_closed(tmp_path):
    """What a match hid is not shown while its series goes on; a killed run has it all the same."""
    seen = []

    def look(entry):
        shown = {file.name[:12] for file in (tmp_path / "out" / "faults").glob("[0-9a-f]*.jsonl")}
        seen.append((entry.match_id, entry.pairing.series, shown))

    await play(tmp_path / "out", reporter=Record(look), series=100)  # more than the writer may lag behind
    series = {row["match_id"]: row["series_id"] for row in rows(tmp_path / "out", "matches")}
    for _, playing, shown in seen:
        assert playing not in {series[id] for id in shown}
    assert any(shown for _, _, shown in seen)


@pytest.mark.slow
async def test_capsules_survive_an_interruption(tmp_path):
    """They are in the database with their match, and come out when the series is closed."""
    await play(tmp_path / "whole")
    for _ in range(12):
        await play(tmp_path / "cut", stop_after=2)
    names = [sorted(file.name for file in (tmp_path / run / "faults").iterdir()) for run in ("whole", "cut")]
    assert names[0] == names[1]


async def test_match_ids_and_seeds_do_not_depend_on_who_else_plays(tmp_path):
    """The plan of a pair is the same in every tournament with it."""
    with opened(tmp_path / "a", FIELD) as setup:
        large = {pairing.id: pairing for pairing in course_of(setup, ["ann", "bob", "cat"]).order}
        for pairing in course_of(setup, ["bob", "ann"]).order:
            assert large[pairing.id].seed == pairing.seed
            assert match_id(1, pairing.id) == match_id(1, large[pairing.id].id)


def test_sqlite_is_serialized():
    """Whoever calls SQLite from several threads in turn needs at least this."""
    assert sqlite3.threadsafety >= 1
