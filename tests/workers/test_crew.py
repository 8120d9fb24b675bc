"""The run's side of its workers: what they play, what if they are lost, and whom it does not employ."""

from __future__ import annotations

import pytest
import trio
from crews import enlisting, lost_after, play_with, saying
from tournaments import FIELD, Fragile, Hopeless, Record, exact, faults, local, play

from arena.cli.mistakes import the_mistake_in, told_mistake
from arena.errors import ConfigError, DiskFull
from arena.store import Store
from arena.tournament.bots.game_source import Origin
from arena.tournament.workers import serve as serve_module
from arena.tournament.workers.briefing import hello, mismatch, unfitness
from arena.tournament.workers.hiring import Hiring
from arena.tournament.workers.messages import (
    MatchesDropped,
    WorkerBug,
    WorkerHello,
    WorkerReady,
    WorkRefused,
)

SAME = {"series": 6, "withdrawn_after": 2, "faults_max": 3}
TROUBLE = (*FIELD[:3], local("eve", Hopeless), local("fay", Fragile))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The exact columns of a run in one process, in which bots are withdrawn."""
    folder = tmp_path_factory.mktemp("whole")
    trio.run(lambda: play(folder, TROUBLE, restarts_max=3, **SAME))
    return exact(folder)


async def played(folder, **how):
    return await play_with(folder, entrants=TROUBLE, restarts_max=3, **SAME, **how)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 4])
async def test_tables_do_not_depend_on_workers(tmp_path, whole, workers):
    """Withdrawals included, which some of the workers learn too late."""
    summary, _ = await played(tmp_path, workers=workers)
    assert whole == exact(tmp_path)
    assert {"eve", "fay"} == set(faults(tmp_path)) - {
        bot for bot, kinds in faults(tmp_path).items() if not kinds
    }
    assert summary.lag_worst_s > 0
    assert not summary.bugs


@pytest.mark.slow
@pytest.mark.parametrize(
    "garbage", [b"", b"\0\0\0\1\xc1", b"\0\0\0\2\xc1"], ids=["gone", "garbage", "cut off"]
)
async def test_a_lost_worker_costs_nothing(tmp_path, whole, garbage, monkeypatch):
    """Another one plays what it had not told; nobody is blamed, and no row is there twice."""
    monkeypatch.setattr(serve_module, "TOGETHER_S", 0)  # each match is told by itself
    log = []
    _, reporter = await played(tmp_path, enlist=enlisting(lost_after(5, garbage=garbage), log))
    assert whole == exact(tmp_path)
    assert 3 == len(log)
    (told,) = [line for line in reporter.notes if "another one" in line]
    why = "said what was not understood" if garbage[3:] == b"\1\xc1" else "was killed by SIGKILL"
    assert f"{log[2]} {why}" in told


async def mistake_of(folder, act, **how):
    """The sentence that a run ends with whose workers do this."""
    with pytest.raises((ConfigError, BaseExceptionGroup)) as raised:
        await play_with(folder, hiring=Hiring(enlisting(act), **how))
    error = raised.value
    mistake = the_mistake_in(error) if isinstance(error, BaseExceptionGroup) else error
    assert isinstance(mistake, ConfigError)
    return told_mistake(mistake)


@pytest.mark.slow
async def test_workers_that_are_lost_again_and_again_end_the_run(tmp_path):
    """In one sentence, with what was played kept."""
    told = await mistake_of(tmp_path, lost_after(2, times=99))
    assert "3 in succession ended before they had finished a match" in told
    assert told.endswith("what was played is kept; --workers 1 plays on in one process")


@pytest.mark.slow
async def test_too_many_lost_workers_end_the_run(tmp_path, monkeypatch):
    """Also if matches are finished between."""
    monkeypatch.setattr(serve_module, "TOGETHER_S", 0)  # each match is told by itself
    assert "4 have ended in this run" in await mistake_of(tmp_path, lost_after(4, times=99), lost_max=4)


OTHERS = {
    "another pipe": ({"pipe": 99}, "speaks version 99 of the workers' messages, expected 4"),
    "another arena": ({"arena": "9.9"}, "runs version 9.9 of the arena, expected"),
    "another Python": ({"python": "3.8.1"}, "runs Python 3.8.1, expected"),
    "another seeding": ({"seeding": 77}, "draws seeds in way 77, expected"),
}


@pytest.mark.parametrize(("other", "told"), OTHERS.values(), ids=OTHERS)
async def test_a_worker_of_another_kind_is_not_employed(tmp_path, other, told):
    """One sentence says what differs, and nothing was played."""
    said = {field: getattr(hello(), field) for field in WorkerHello.__struct_fields__} | other
    assert f" {told}" in await mistake_of(tmp_path, saying(WorkerHello(**said)))
    assert unfitness(hello()) is None


REFUSED = {
    "it says why": (WorkRefused("there is no game chess of version 1"), "cannot play: there is no game"),
    "another game": (WorkerReady("0" * 32, {}, 1), "has other files of the game"),
    "other bots": (WorkerReady("", {"ann": "0" * 32}, 1), "has other files of ann"),
}


@pytest.mark.parametrize(("answer", "told"), REFUSED.values(), ids=REFUSED)
async def test_a_worker_with_other_files_is_not_employed(tmp_path, answer, told):
    """Tables of two games under one name would be nobody's."""
    assert told in await mistake_of(tmp_path, saying(hello(), answer))


def test_files_are_compared():
    """By their fingerprints: those of the game, and those of every bot that may be seated there."""
    origin = Origin(file=None, module="", cls="", fingerprint="77")
    ann = local("ann", Hopeless)
    assert mismatch(WorkerReady("77", {"ann": "Hopeless"}, 1), origin, {"ann": "Hopeless"}, [ann]) is None
    assert "the game" in str(mismatch(WorkerReady("", {}, 1), origin, {}, []))
    assert "has other files of ann" == mismatch(WorkerReady("", {}, 1), None, {"ann": "x"}, [ann])


async def test_bugs_of_a_worker_are_bugs_of_the_run(tmp_path):
    """They are in bugs.log, and the run ends with their exit code."""
    bug = WorkerBug("Traceback: a worker's")
    with pytest.raises((ConfigError, BaseExceptionGroup)):
        await play_with(tmp_path, enlist=enlisting(saying(hello(), bug)))
    assert "a worker's" in (tmp_path / "bugs.log").read_text()


async def test_what_was_not_asked_for_is_not_believed(tmp_path):
    """An answer to an order that was never given ends the worker."""
    names = {bot.name: bot.fingerprint for bot in FIELD}
    told = await mistake_of(tmp_path, saying(hello(), WorkerReady("", names, 1), MatchesDropped((7777,))))
    assert "said what was not understood (order 7777 was not open)" in told


@pytest.mark.slow
async def test_a_fault_stops_a_run_with_workers(tmp_path):
    """What has begun is played to its end, what waits at a worker is not begun, and the rest can be played later."""
    summary, reporter = await play_with(tmp_path / "cut", series=4, stop_at_fault=True)
    assert summary.first_fault is not None
    assert 0 < len(reporter.entries) < 30
    await play_with(tmp_path / "cut", series=4, workers=3)
    await play(tmp_path / "whole", series=4)
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")


async def test_fewer_workers_than_asked_for_are_told(tmp_path):
    """Two matches keep two workers busy, and one does not pay at all."""
    log = []
    summary, reporter = await play_with(
        tmp_path, workers=5, entrants=FIELD[:2], series=1, enlist=enlisting(log=log)
    )
    assert ["worker 1", "worker 2"] == sorted(log)
    assert 2 == summary.workers
    assert 2 == len(reporter.entries)


async def test_cancelled_runs_dismiss_their_workers(tmp_path):
    """Each ends by itself: it is told so, and its bots are ended in order."""
    ends = []

    async def act(stream):
        from arena.tournament.workers.serve import work_for

        ends.append(await work_for(stream))

    with trio.CancelScope() as scope:
        reporter = Record(lambda entry: scope.cancel())
        await play_with(tmp_path, series=50, enlist=enlisting(act), reporter=reporter)
    assert scope.cancelled_caught
    assert [True, True] == ends


@pytest.mark.slow
async def test_a_full_disk_ends_a_run_with_workers(tmp_path, monkeypatch):
    """What was written before stays, the workers end, and a later run goes on from there."""
    await play(tmp_path / "whole")
    add_many, calls = Store.add_many, []

    def full(store, entries):
        calls.append(1)
        if len(calls) > 1:
            raise DiskFull("the disk is full")
        add_many(store, entries)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "add_many", full)
        with pytest.raises(BaseExceptionGroup) as raised:
            await play_with(tmp_path / "cut")
    assert "the disk is full" == str(the_mistake_in(raised.value))
    with Store.open(tmp_path / "cut") as store:
        assert 1 <= len(store.finished()) < 24
    await play_with(tmp_path / "cut")
    assert exact(tmp_path / "whole") == exact(tmp_path / "cut")
