"""On what games are rated, and a real tournament of one that is rated by returns."""

from __future__ import annotations

import csv
import json
from contextlib import chdir
from math import isfinite
from pathlib import Path

import pytest
from calls import called

from arena.games import GAMES
from arena.terminal.board import WIDTH


@pytest.mark.parametrize("name", GAMES)
def test_every_game_says_in_what_it_is_rated(name):
    """By returns in a unit with a name, which is not `points`; by ranks in points, so that it needs none."""
    game = GAMES[name]()
    unit, returns = game.returns_unit
    assert isfinite(returns)
    assert returns > 0
    assert (unit in ("", "points")) == (game.rated_by == "ranks")


def arena(folder: Path, *words: str) -> str:
    """Standard output of `arena WORDS`."""
    with chdir(folder):
        code, said, errors = called(*words)
    assert code == 0, errors
    return said


@pytest.mark.slow
def test_holdem_is_ranked_by_big_blinds_per_100_hands(tmp_path):
    """A whole `arena run`: the table shows bb/100 with an interval, ranks by it, and the CSV says the same.

    20 hands at a big blind of 20 chips: a match's return of 4 chips is one bb/100.
    """
    words = ("--game", "holdem", "equity", "random", "--rule", "hands=20", "--series", "3", "--seed", "1")
    shown = arena(tmp_path, "run", *words, "--out", "poker")
    title, _, *lines, explained, luck, ranks = shown.splitlines()
    assert explained.startswith("better: ")
    assert luck.startswith("luck-adjusted: ")
    assert ranks.startswith("rank: ")
    assert "  bb/100 (95 %)  " in title
    assert "points" not in title
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert shown == arena(tmp_path, "leaderboard", "poker")

    with (tmp_path / "poker/leaderboard.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    with (tmp_path / "poker/seats.csv").open(newline="") as file:
        seats = [(row["bot"], float(row["luck_adjusted_returns"])) for row in csv.DictReader(file)]
    for row, line in zip((first, second), lines, strict=True):
        returns = [chips for bot, chips in seats if bot == row["bot"]]
        assert len(returns) == 6
        assert float(row["rating"]) == pytest.approx(sum(returns) / 6 / 4)
        assert float(row["rating_low"]) < float(row["rating"]) < float(row["rating_high"])
        assert row["rating_unit"] == "bb/100"
        half = (float(row["rating_high"]) - float(row["rating_low"])) / 2
        assert f" {float(row['rating']):+.0f} ± {half:.0f}  ".replace("-", "−") in line
    assert float(first["rating"]) == pytest.approx(-float(second["rating"]))
    assert float(first["rating"]) > 0
    assert [row["rank"] for row in json.loads(arena(tmp_path, "leaderboard", "poker", "--json"))] == [1, 2]
