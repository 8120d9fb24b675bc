"""What start-ups may take: one budget for a bot and a tournament, whatever it does with it."""

from __future__ import annotations

import pytest
import trio
from tournaments import honest, opened, play, program, rows, terms

from arena.players.base import GonePlayer
from arena.players.entrant import Entrant
from arena.players.log import BotLog
from arena.players.process import ProcessPlayer
from arena.players.start import BotBroken
from arena.tournament.folder.intake import course_of
from arena.tournament.play import instances, startup
from arena.tournament.play.pool import Pool
from arena.tournament.play.startup import BUDGET_S, CONNECT_FREE_S, StartUps


def bot(name: str = "slow", connect_s: float = 30.0) -> Entrant:
    return Entrant(name=name, kind="process", restart="match", connect_s=connect_s)


LEFT = [
    ("before the first start: what it asks for", 30.0, [], 30.0),
    ("usual starts are free", 30.0, [2.0, 0.1] * 1000, 30.0),
    ("what is beyond is charged, and there is plenty at first", 30.0, [32.0, 32.0], 30.0),
    ("what is left of 60 + 30, and what is free", 30.0, [32.0, 32.0, 22.0], 10.0 + 2.0),
    ("nothing is left but what is free", 30.0, [32.0] * 3, 2.0),
    ("nor less, whatever it took", 30.0, [32.0] * 9, 2.0),
    ("one who asks for less than what is free", 0.5, [99.0], 0.5),
    ("the longest time may be taken once", 300.0, [300.0], 60.0 + 2.0 + 2.0),
]


@pytest.mark.parametrize(
    ("asked_s", "took_s", "expected"), [row[1:] for row in LEFT], ids=[r[0] for r in LEFT]
)
def test_how_long_the_next_start_may_take(asked_s, took_s, expected):
    """60 s and once what it asks for, beside 2 s for each start."""
    startups = StartUps(None)
    for seconds in took_s:
        startups.note_start(bot(connect_s=asked_s), seconds)
    assert expected == pytest.approx(startups.connect_s(bot(connect_s=asked_s)))


def test_each_bot_has_its_own():
    """Nobody pays for another bot's start-ups."""
    startups = StartUps(None)
    startups.note_start(bot("slow"), 1000.0)
    assert (2.0, 30.0) == (startups.connect_s(bot("slow")), startups.connect_s(bot("quick")))


@pytest.mark.parametrize("asked_s", [1.0, 30.0, 300.0])
def test_all_start_ups_together_are_bounded(asked_s):
    """Whoever takes all that it may, start by start, gets no more than the budget in a thousand matches."""
    startups, slow, total_s = StartUps(None), bot(connect_s=asked_s), 0.0
    for _ in range(1000):
        seconds = startups.connect_s(slow)
        startups.note_start(slow, seconds)
        total_s += max(0.0, seconds - CONNECT_FREE_S)
    assert total_s <= BUDGET_S + asked_s
    assert min(asked_s, CONNECT_FREE_S) == pytest.approx(startups.connect_s(slow))


def test_first_answers_are_of_the_same_budget():
    """When it is used up a fresh instance has the time of any other answer; each answer is charged once."""
    startups, slow = StartUps(0.5), bot()
    for number in range(
        1, 10
    ):  # 60 + 30 s are used up by nine that take 10 s beyond the limit of half a second
        player, fresh = (GonePlayer("slow", "a stand-in") for _ in range(2))
        player.first_answer_s = 10.5
        startups.note_first_answer("slow", player)
        startups.note_first_answer("slow", player)
        startups.limit(slow, fresh)
        assert (number == 9) == fresh.has_answered
    assert CONNECT_FREE_S == startups.connect_s(slow)


MATCHES = 60


@pytest.mark.parametrize("connects", [True, False])
async def test_a_pool_waits_no_longer(tmp_path, monkeypatch, autojump_clock, connects):
    """A fresh process for every match, each connecting at the last moment, or never: everybody else waits for
    it no longer than its budget, and who never came is gone, in a match that is played."""
    starts = []

    async def late(entrant, *, connect_s, task_status, **_):
        starts.append(connect_s)
        await trio.sleep(connect_s)
        if not connects:
            raise BotBroken(entrant.name, f"did not connect within {connect_s:g} s")
        player = ProcessPlayer(entrant, BotLog(None))
        task_status.started(player)
        await player.wait_closing()
        player.ended.set()

    monkeypatch.setattr(instances, "run_process", late)
    bots = (bot("slow"), bot("slower", connect_s=100.0))
    with opened(tmp_path / "out", (), series=MATCHES // 2) as setup:
        order = course_of(setup, [one.name for one in bots]).order
    assert MATCHES == len(order)
    async with trio.open_nursery() as nursery:
        pool = Pool(terms(bots, tmp_path / "out"), nursery)
        began_at = trio.current_time()
        for pairing in order:
            pool.reserve(pairing, frozenset())
            seated = await pool.seat(pairing, frozenset())
            assert [connects] * 2 == [isinstance(one.player, ProcessPlayer) for one in seated]
            pool.release(seated)
            pool.free(pairing, frozenset())
        waited_s = trio.current_time() - began_at
        await pool.close()
    assert 2 * MATCHES == len(starts)
    # Both start at the same time, so a match waits for the slower one.
    assert waited_s <= (BUDGET_S + 30.0) + (BUDGET_S + 100.0) + CONNECT_FREE_S * MATCHES
    assert [CONNECT_FREE_S] * 2 == starts[-2:]


SLOW = """
import time
time.sleep(0.6)
from honest import *
for question, _ in questions(): answer(question, move(question))
"""


@pytest.mark.nightly
@pytest.mark.slow
async def test_who_has_used_up_its_time_is_gone_and_the_others_play_on(tmp_path, monkeypatch):
    """Of a real run: the first matches are played, from then on each is a fault of the bot's, and says why."""
    asked_s = 20.0
    monkeypatch.setattr(startup, "CONNECT_FREE_S", 0.3)
    monkeypatch.setattr(startup, "BUDGET_S", 1.0 - asked_s)  # 1 s in all, with what it asks for
    bots = (program("slow", "-c", SLOW, restart="match", connect_s=asked_s), honest("ann"))
    with trio.fail_after(100):
        summary, _ = await play(tmp_path / "out", bots, series=3, withdrawn_after=100, sandbox="off")
    assert 6 == summary.played
    seats = rows(tmp_path / "out", "seats")
    assert {"0"} == {row["gone"] for row in seats if row["bot"] == "ann"}
    gone = [row["gone"] != "0" for row in seats if row["bot"] == "slow"]
    assert (False, True) == (gone[0], gone[-1])
    assert sorted(gone) == gone
    last = [row for row in rows(tmp_path / "out", "decisions") if row["fault"] == "gone"][-1]
    assert ("slow", "did not connect within 0.3 s") == (last["bot"], last["reason"])
