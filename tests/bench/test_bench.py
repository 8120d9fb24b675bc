"""The benchmark gives what it promises to print; how fast anything is, is not tested here."""

from __future__ import annotations

import sys
from random import Random

import attrs
import pytest
import trio
from needs import need

from arena.bench.clients import COMPILED, clients, compiled
from arena.bench.lean_client import filled
from arena.bench.measures import (
    Effort,
    Measure,
    Threshold,
    as_text,
    at_least,
    at_most,
    short,
)
from arena.bench.rules import games_measured, measure_rules, play_alone
from arena.errors import ConfigError
from arena.games import GAMES

from . import bare, loop, peer
from .bare import ping_pong, record_sayings
from .command import MEASURINGS
from .figures import ratios
from .hands import measure_hands
from .long import DISK_GOAL, disk_bytes, measure_long
from .referee import LeanBot
from .workers import WorkersReport, rate_together, side_by_side

TINY = Effort(repeats=1, seconds=0.02)

GOALS = [
    ("at most: below", at_most(2.0), 1.9, True),
    ("at most: the bound itself", at_most(2.0), 2.0, True),
    ("at most: above", at_most(2.0), 2.1, False),
    ("at least: above", at_least(10_000), 10_001, True),
    ("at least: the bound itself", at_least(10_000), 10_000, True),
    ("at least: below", at_least(10_000), 9_999, False),
]

FACE_COUNT = {"face": {"min": 3, "max": 6}, "count": {"min": 1, "max": 1}}
CARDS = {"cards": {"subset_of": ["AS", "TC", "2D"], "least": 2, "most": 3}}
OPTIONS = [
    ("a literal", "pass", {}, "pass"),
    ("a list", ["<face>", "<count>"], FACE_COUNT, [3, 1]),
    ("a bare field", "<bet>", {"bet": {"one_of": [4, 9]}}, 4),
    ("an object", {"do": "play", "cards": "<cards>"}, CARDS, {"do": "play", "cards": ["AS", "TC"]}),
]


@pytest.mark.parametrize(("name", "goal", "value", "expected"), GOALS, ids=[row[0] for row in GOALS])
def test_goal(name: str, goal: Threshold, value: float, expected: bool) -> None:
    """A goal is met on its bound and on the right side of it."""
    assert expected == goal.is_met(value)


@pytest.mark.parametrize(("name", "form", "fields", "expected"), OPTIONS, ids=[row[0] for row in OPTIONS])
def test_lean_bots_play_the_lowest_move(name: str, form: object, fields: dict, expected: object) -> None:
    """Both lean bots fill any form with the lowest values: the one of this process, and the program."""
    assert expected == LeanBot().move({}, [{"form": form, "fields": fields}])
    assert expected == filled(form, fields)


def test_table_shows_the_median_and_the_verdict() -> None:
    """A row has the median of the samples, their spread, the goal, and whether it is met."""
    text = as_text([Measure("tcp", "ratio", "×", (3.0, 1.0, 2.5), at_most(2.0))])
    row = text.splitlines()[-1]
    assert ["tcp", "ratio", "2.5", "×", "1", "…", "3", "≤", "2", "NOT", "MET"] == row.split()


def test_ratios_are_taken_sample_by_sample() -> None:
    """What was measured side by side is compared, so that a slow moment cancels out."""
    assert (2.0, 2.0) == ratios((10.0, 40.0), (5.0, 20.0))


@pytest.mark.parametrize(
    ("value", "expected"), [(13543.2, "13,543"), (100, "100"), (61.36, "61.4"), (0.0158, "0.0158")]
)
def test_numbers_are_short(value: float, expected: str) -> None:
    """People get three digits, or all before the point."""
    assert expected == short(value)


def test_every_game_is_measured() -> None:
    """A new game needs no line here: GAMES is enough."""
    assert set(GAMES) == {game.name for game, _ in games_measured()}


@pytest.mark.slow
def test_every_game_has_a_speed_to_reach() -> None:
    """Random legal play of each game has a goal: in decisions, or in hands where the game is played in hands."""
    measured = [measure for measure in measure_rules(TINY) + measure_hands(TINY) if measure.goal is not None]
    goals = {(measure.what.partition(",")[0], measure.unit, str(measure.goal)) for measure in measured}
    assert {
        (name, "hands/s", "≥ 2,000") if name == "holdem" else (name, "decisions/s", "≥ 50,000")
        for name in GAMES
    } == goals


@pytest.mark.slow
def test_hands_are_counted_as_dealt() -> None:
    """What is divided by the time: each hand of a match once, at the decisions that were asked for."""
    played = play_alone(GAMES["holdem"](hands=7), 6, 0.0, seed=1)
    assert 7 == played.draws
    assert played.decisions / played.cpu_s == played.decisions_per_s


@pytest.mark.slow
def test_pokerkit_plays_the_same_hands() -> None:
    """Beside PokerKit the same is played: as many decisions in a hand of random legal moves.

    Within three standard errors of the difference: decisions of a hand differ by 2.71 (standard deviation of 400 of
    our hands), 200 hands are compared with 200.  The same every time: the seeds are fixed, and random play does not
    look at the cards that PokerKit deals.
    """
    pytest.importorskip("pokerkit")
    from .pokerkit_loop import play_hands

    game = GAMES["holdem"](hands=200)
    ours = play_alone(game, 6, 0.0, seed=1)
    theirs = play_hands(attrs.asdict(game), 6, Random(1))
    assert 200 == ours.draws
    assert abs(ours.decisions - theirs) <= 3 * 2.71 * (2 * 200) ** 0.5


@pytest.mark.slow
def test_pokerkit_may_be_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without PokerKit our own hands are measured all the same, and one line says what is not there."""
    package = sys.modules[str(__package__)]
    monkeypatch.delitem(sys.modules, f"{__package__}.pokerkit_loop", raising=False)
    monkeypatch.delattr(package, "pokerkit_loop", raising=False)
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    assert ["holdem, 6 seats, random legal moves"] == [measure.what for measure in measure_hands(TINY)]
    said = capsys.readouterr().err
    assert ["hands: PokerKit is not installed, so ours are compared with nothing; pip install pokerkit"] == (
        said.splitlines()
    )


@pytest.mark.slow
def test_pokerkit_stands_beside_our_hands() -> None:
    """With PokerKit there are three rows: our hands, theirs, and the ratio of the samples taken side by side."""
    pytest.importorskip("pokerkit")
    ours, theirs, ratio = measure_hands(TINY)
    assert theirs.what.startswith("PokerKit ")
    assert ("hands/s", "hands/s", "×") == (ours.unit, theirs.unit, ratio.unit)
    assert ours.value / theirs.value == ratio.value


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("group", MEASURINGS)
def test_measuring_gives_numbers(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word after `--only` gives measures of that group, with a sample per repeat, all above zero."""
    for module, size in ((bare, "TABLES"), (loop, "TABLES"), (peer, "HANDS")):  # each table starts programs
        monkeypatch.setattr(module, size, 1)
    found = MEASURINGS[group](TINY)
    assert {group} == {measure.group for measure in found}
    assert {1} == {len(measure.samples) for measure in found}
    differences = ("ms more", "µs/decision", "lost")  # the second without what timers cost
    assert all(measure.value > 0 for measure in found if measure.unit not in differences)


@pytest.mark.slow
@pytest.mark.nightly
def test_a_long_run_is_measured() -> None:
    """Memory over a run and of its plan, the leaderboard when all is new and when nothing is, every database."""
    found = measure_long(TINY)
    assert {"long"} == {measure.group for measure in found}
    assert len(GAMES) == sum("database of" in measure.what for measure in found)
    new, unchanged = (measure for measure in found if "leaderboard" in measure.what)
    assert (None, None) == (new.goal, unchanged.goal), "goals are for large folders"
    assert 0 < min(new.value, unchanged.value)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_decision_takes_few_bytes_on_disk(game: str) -> None:
    """With the 80 kB that an empty database takes."""
    assert disk_bytes(game, 4_000) < DISK_GOAL


@pytest.mark.slow
def test_bare_server_is_sent_what_the_arena_says() -> None:
    """What the bare server repeats is one question each, after events at most, and it is answered."""
    for client in trio.run(clients):
        sayings = trio.run(record_sayings, client, 1, 0.02)
        asked = [["options" in value or "type" not in value for value in saying] for saying in sayings]
        assert {(True, 1)} == {(marks[-1], sum(marks)) for marks in asked}
        assert trio.run(ping_pong, client, 2, sayings, 0.02).messages >= 2


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("what", "workers"), [(next(iter(GAMES)), 2), (COMPILED, 1)])
def test_a_run_with_workers_is_measured_without_the_start_of_bots(what, workers) -> None:
    """Its own processor time is counted without theirs."""
    if what == COMPILED and trio.run(compiled) is None:
        need("g++")
    (found,) = side_by_side((what, workers, 5))
    assert found.decisions > 0
    assert rate_together(found) > 0
    assert found.own_cpu_s > 0


def test_runs_side_by_side_are_timed_while_both_play() -> None:
    """One has a match a second from 0 to 19, the other from 5 on, each of ten decisions."""
    early = WorkersReport(tuple((float(second), 10) for second in range(20)), 1.0)
    late = WorkersReport(tuple((5.0 + second, 10) for second in range(20)), 1.0)
    assert rate_together(early) == 10
    assert rate_together(early, late) == 20
    alone_at_last = WorkersReport((*early.ended[:18], (100.0, 10), (200.0, 10)), 1.0)
    much_later = WorkersReport(tuple((50.0 + second, 10) for second in range(20)), 1.0)
    with pytest.raises(ConfigError, match="too short to be played side by side: expected 1 or more"):
        rate_together(early, much_later)
    assert rate_together(alone_at_last) == 10, (
        "what one worker still plays when others have nothing is not counted"
    )
