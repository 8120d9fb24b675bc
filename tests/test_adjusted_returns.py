"""Returns without luck, from a match to the leaderboard: made once, kept, computed again by `arena verify`."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest
from calls import call

from arena.analysis import load
from arena.analysis.ranking import leaderboard
from arena.games.holdem import Holdem
from arena.match.record import MatchRecord
from arena.store import Store
from arena.tournament.play.match import result_of
from arena.words import LUCK_ADJUSTED

pytestmark = pytest.mark.slow

BOTS = '''
from arena.sdk import Bot


class Shove(Bot):
    """All its chips, in every hand."""

    def move(self, state, options):
        return {"action": 1, "betAmount": max(amounts(options, "max"))}


class Calls(Bot):
    """Whatever it takes to stay in."""

    def move(self, state, options):
        return {"action": 1, "betAmount": min(amounts(options, "min"))}


class Picks(Calls):
    """Folds half of its hands when it would have to put all its chips in."""

    def move(self, state, options):
        ranks = [card[0] for card in state["cards"]["hole"]]
        is_good = ranks[0] == ranks[1] or set(ranks) & set("AKQ")
        return super().move(state, options) if is_good or min(amounts(options, "min")) < 100 else {"action": 0}


class Rude(Calls):
    """Says what is no move where it would have to put all its chips in, in every other hand."""

    def move(self, state, options):
        at_stake = state["hand_number"] % 2 and min(amounts(options, "min")) > 100
        return "no" if at_stake else super().move(state, options)


def amounts(options, end):
    return [option["fields"]["amount"][end] for option in options if option["kind"] == "Bet"]
'''
HANDS = ("--rule", "hands=4", "--rule", "stack=400", "--seed", "5", "-q")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the bots, in which the arena is called."""
    (tmp_path / "shovers.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shovers", raising=False)
    return tmp_path


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def test_a_run_keeps_them_and_rates_by_them(home, capsys, monkeypatch):
    """Beside returns as they were played, which stay what they are; the same wherever the match was played."""
    words = ("run", "a=shovers:Shove", "b=shovers:Picks", "--game", "holdem", *HANDS, "--series", "12")
    assert 0 == call(capsys, monkeypatch, *words, "--out", "one")[0]
    assert 0 == call(capsys, monkeypatch, *words, "--workers", "2", "--out", "two")[0]
    seats = load(home / "one").seats
    assert [*seats.luck_adjusted_returns] == [*load(home / "two").seats.luck_adjusted_returns]
    assert (seats["returns"] % 1 == 0).all()
    assert (seats["returns"] != seats.luck_adjusted_returns).mean() > 0.8
    assert seats.groupby("match_id").luck_adjusted_returns.sum().abs().max() < 1e-9
    unit = Holdem(hands=4, stack=400).returns_unit[1]
    with Store.open(home / "one") as store:
        board = leaderboard(store)
    for row in board.rows:
        own = seats[seats.bot == row.bot]
        assert row.rating == pytest.approx(own.luck_adjusted_returns.mean() / unit)
        assert row.returns_mean == pytest.approx(own["returns"].mean())
        assert row.rating_high - row.rating_low < (row.returns_high - row.returns_low) / unit
    assert board.rows[0].better_than_next > 0.8, "by returns as played it would be 0.58"
    (meeting, _) = board.meetings
    assert meeting.lead_mean == pytest.approx(2 * board.rows[0].rating * unit)
    code, told, _ = call(capsys, monkeypatch, "leaderboard", "one")
    assert (0, True) == (code, LUCK_ADJUSTED in told)
    assert 0 == call(capsys, monkeypatch, "report", "one")[0]
    assert LUCK_ADJUSTED in (home / "one" / "report.html").read_text()


def test_a_run_that_goes_on_takes_them_from_its_folder(home, capsys, monkeypatch):
    """What was played before counts as it did: the standings are those of a run in one go."""
    words = ("run", "a=shovers:Shove", "b=shovers:Calls", "--game", "holdem", *HANDS)
    for series in (2, 4):
        assert 0 == call(capsys, monkeypatch, *words, "--series", series, "--out", "again")[0]
    assert 0 == call(capsys, monkeypatch, *words, "--series", "4", "--out", "once")[0]
    with Store.open(home / "again") as store:
        found = [match.returns for match in store.finished().values()]
    adjusted = [float(row["luck_adjusted_returns"]) for row in rows(home / "once", "seats")]
    assert adjusted == [each for returns in found for each in returns]


def test_a_hand_in_which_a_bot_fails_counts_as_it_was_played(home, capsys, monkeypatch):
    """Its default is to fold, after which nothing is left to chance; its other hands are adjusted."""
    words = ("run", "a=shovers:Shove", "b=shovers:Rude", "--game", "holdem", *HANDS, "--series", "2")
    assert 0 == call(capsys, monkeypatch, *words, "--out", "x")[0]
    faults = [row for row in rows(home / "x", "seats") if row["malformed"] != "0"]
    assert {("b", "2")} == {(row["bot"], row["malformed"]) for row in faults}
    assert all(row["returns"] != row["luck_adjusted_returns"] for row in faults)
    assert 0 == call(capsys, monkeypatch, "verify", "x")[0]
    once = (*words[:-1], "1", "--rule", "hands=1", "--out", "y")
    assert 0 == call(capsys, monkeypatch, *once)[0]
    assert all(row["returns"] == row["luck_adjusted_returns"] for row in rows(home / "y", "seats"))


def test_one_series_that_all_went_alike_has_an_interval(home, capsys, monkeypatch):
    """The same bot twice, on shared deals: what one wins in a seat the other wins too, without luck as with it."""
    words = ("run", "a=shovers:Shove", "b=shovers:Shove", "--game", "holdem", *HANDS, "--series", "1")
    assert 0 == call(capsys, monkeypatch, *words, "--out", "x")[0]
    for row in rows(home / "x", "leaderboard"):
        assert 0 == pytest.approx(float(row["rating"]))
        assert float(row["rating_low"]) < 0 < float(row["rating_high"])


def test_a_comparison_says_before_play_and_after_that_it_uses_them(home, capsys, monkeypatch):
    """Whatever the matches show: the game decides, and `--by wins` has nothing to do with it."""
    words = ("compare", "a=shovers:Shove", "b=shovers:Picks", "--game", "holdem", *HANDS[:-1])
    code, said, told = call(capsys, monkeypatch, *words, "--max-series", "12", "--out", "x")
    assert (3, True) == (code, " bb/100, luck-adjusted (95 %" in said)
    assert told.index(f"returns are {LUCK_ADJUSTED}") < told.index("expected: ")
    assert 0 == call(capsys, monkeypatch, "verify", "x")[0], "what it came to follows from what is stored"
    for other in (["--by", "wins"], ["--rule", "reset_stacks=false"]):
        code, said, told = call(capsys, monkeypatch, *words, *other, "--max-series", "12", "--dry-run")
        assert (0, True, False) == (code, "expected: " in told, "luck-adjusted" in said + told)


def test_what_decides_while_a_run_plays_are_returns_without_luck():
    """Whether it may stop, and who is paired with whom; a record without luck has its returns."""
    record = MatchRecord((), (), (1, 2), (1.0, -1.0), (False, False))
    assert (1.0, -1.0) == record.adjusted
    entry = SimpleNamespace(
        points=(1.0, 0.0), record=attrs.evolve(record, adjusted=(0.5, -0.5)), totals=(), withdrawn=()
    )
    assert (0.5, -0.5) == result_of(entry).returns
