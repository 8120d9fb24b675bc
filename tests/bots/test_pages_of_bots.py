"""What the pages of `bots/` say of the bots' strength: the tables have every bot, and the tournaments come out so."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from calls import called
from documents import block_named

from arena.games import GAMES
from arena.tournament.bots.entrants import builtin_bots, resolve
from arena.tournament.sparring import levels_of_bots

HOUSE = Path(__file__).parents[2]
PAGE = (HOUSE / "bots" / "README.md").read_text()
FIRST_WINS = (HOUSE / "bots" / "first-wins.md").read_text()
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

PLAYED = re.compile(
    r"^```console\n\$ (arena run [^\n]*)\n```\n\n```text([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
"""A tournament of a page: its command, the name of the block, and what it printed."""

STRENGTHS = [(command, shown) for command, _, shown in PLAYED.findall(PAGE)]


def rows(table: str) -> list[list[str]]:
    """The cells of a leaderboard that are the same in every run of its command: those before the faults."""
    cells = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    exact = cells[0].index("faults")
    return [row[:exact] for row in cells if row[0].split()[0].isdigit()]


TIMED = {"search"}
"""Bots that play as well as their time allows, so that no tournament of theirs comes out the same again."""

SHORT_STACKED = {("optimal", "holdem")}
"""Bots that play a game by house rules that its tournament does not have."""


def plays(bot: str, game: str) -> bool:
    games = resolve(bot, base=HOUSE).games
    return bot not in TIMED and (bot, game) not in SHORT_STACKED and (not games or game in games)


def test_every_bot_has_a_row() -> None:
    """The table of the bots has all that `arena bots` lists, and no others."""
    described = re.findall(r"^\| \[([\w-]+)\]\([\w-]+/\S+\) \|", PAGE, re.MULTILINE)
    assert sorted(builtin_bots()) == sorted(described)


@pytest.mark.parametrize("game", GAMES)
def test_every_bot_is_in_the_tournament_of_its_games(game: str) -> None:
    """A bot that is new, or gone, needs another tournament: the command and its leaderboard name all that play."""
    players = [bot for bot in builtin_bots() if plays(bot, game)]
    option = "" if game == "liars-dice" else f"--game {game} "
    (table,) = (
        table
        for command, table in STRENGTHS
        if command == f"arena run {option}{' '.join(players)} --series 40 --seed 1"
    )
    assert players == sorted(row[1] for row in rows(table))


def share_of(table: str, bot: str) -> float:
    """The share of all points that a bot of a leaderboard made, or else of its matches that it won."""
    heads = re.split(r"\s{2,}", table.splitlines()[0].strip())
    (cells,) = (dict(zip(heads, row, strict=False)) for row in rows(table) if row[1] == bot)
    if "won" in cells:
        return int(cells["won"]) / int(cells["matches"])
    return float(cells["points (95 %)"].split("%")[0]) / 100


def test_a_level_is_what_the_tournaments_say() -> None:
    """In fifths of all points; a bot of several games has the same level in each."""
    said = dict.fromkeys(re.findall(r"^\| \[([\w-]+)\]\([\w-]+/\S+\)", PAGE, re.MULTILINE)) | levels_of_bots()
    assert said.keys() == set(builtin_bots())
    found = {bot: set[int]() for bot in said}
    for _, table in STRENGTHS:
        for _, bot, *_ in rows(table):
            found[bot].add(min(5, 1 + int(5 * share_of(table, bot))))
    assert {bot: levels or {None} for bot, levels in found.items()} == {
        bot: {level} for bot, level in said.items()
    }


def run(command: str, folder: Path) -> str:
    result = subprocess.run(
        command.split(), cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=200, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.nightly
def test_a_tournament_comes_out_as_it_is_shown(tmp_path: Path) -> None:
    """The smallest of them, played again: every exact cell is what the page shows."""
    ((command, shown),) = (each for each in STRENGTHS if "--game bluff " in each[0])
    assert rows(shown) == rows(run(command, tmp_path))


@pytest.mark.slow
def test_the_page_of_the_second_bot_begins_with_the_first(tmp_path: Path) -> None:
    """The first tournament comes out as shown; the second bot, on the deals of that one, beats who beat the first."""
    before, after = (block_named(page, "python mybot") for page in ("README.md", "bots/first-wins.md"))
    assert 22 == len([line for line in after.splitlines() if line.strip()])  # as both pages say
    (command, _, shown), _ = PLAYED.findall(FIRST_WINS)
    words = command.split()[1:]
    found = {}
    with chdir(tmp_path):
        for out, bot in (("first", before), ("second", after)):
            Path("mybot.py").write_text(bot)
            code, said, errors = called(*words, "--strict", "--sandbox", "off", "--out", out)
            assert 0 == code, errors
            found[out] = rows(said)
    assert rows(shown) == found["first"]
    assert ["truthful", "mybot"] == [row[1] for row in found["first"]][:2]
    assert ["mybot", "truthful"] == [row[1] for row in found["second"]][:2]


@pytest.mark.slow
@pytest.mark.nightly
def test_the_first_bot_loses_and_the_second_wins(tmp_path: Path) -> None:
    """The page's two tournaments come out as shown: 0 to 10 with the README's bot, and then well above half."""
    readme = (HOUSE / "README.md").read_text()
    before, after = (block_named(page, "python mybot") for page in ("README.md", "bots/first-wins.md"))
    assert 22 == len([line for line in after.splitlines() if line.strip()])  # as both pages say
    shares = []
    bots = {" with the first bot": before, " with the second bot": after}
    played = {name: (command, shown) for command, name, shown in PLAYED.findall(FIRST_WINS)}
    assert bots.keys() == played.keys()
    for name, bot in bots.items():
        command, shown = played[name]
        (tmp_path / "mybot.py").write_text(bot)
        assert rows(shown) == rows(run(f"{command} --out results/{len(shares)}", tmp_path))
        with (tmp_path / f"results/{len(shares)}/head_to_head.csv").open() as file:
            pairs = {(row["bot"], row["opponent"]): row for row in csv.DictReader(file)}
        assert float(pairs["mybot", "random"]["share_low"]) > 0.35
        shares.append(pairs["mybot", "truthful"])
    assert ("0", "10") == (shares[0]["better"], shares[0]["worse"])
    assert "loses every match against `truthful`" in readme
    won, matches, share, low, high = re.search(
        r"wins (\d+) of (\d+) matches \(([\d.]+)%, with 95 % confidence (\d+)–(\d+)\)", FIRST_WINS
    ).groups()
    second = shares[1]
    assert (won, matches) == (second["better"], second["matches"])
    assert [share, low, high] == [
        f"{100 * float(second['share']):.1f}",
        *(f"{100 * float(second[key]):.0f}" for key in ("share_low", "share_high")),
    ]
    assert int(low) > 50


@pytest.mark.nightly
@pytest.mark.parametrize(
    "bot", [bot for bot in builtin_bots() if plays(bot, "liars-dice") and bot not in TIMED]
)
def test_how_far_each_bot_is_from_unbeatable(bot: str, tmp_path: Path) -> None:
    """What the first table says of it is what is printed; of one bot tests/exploit says so at every change."""
    said, *_ = re.findall(
        rf"^\| (?:[\w, ]+, )?{bot}(?:, [\w, ]+)? \| (?:nothing was found: )?([^|]+) \|$", PAGE, re.MULTILINE
    )
    assert f"{said} " in run(f"arena exploit {bot} --rule dice=1", tmp_path)
