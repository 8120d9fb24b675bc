"""`arena verify` of folders in which little happened, of games in files, and of what is no tournament."""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.errors import ConfigError
from arena.server.kept.archive import open_archive
from tests.golden.plans import Tournament
from tests.verify.folders import changed, played, told, untruth, verified

pytestmark = pytest.mark.slow

HOUSE = Path(__file__).parent.parent.parent
KUHN = HOUSE / "examples" / "kuhn.py"
NEVER = "ann=First bob=Chancy cat=Missing"
ODD = {
    "all ties": Tournament("ties", "ann=Chancy bob=Chancy", "--seed 1 --series 2 --rule turns_max=1"),
    "one series only": Tournament("one", "ann=First bob=Chancy", "--seed 1 --series 1 --rule dice=1"),
    "a bot that never played": Tournament(
        "never", NEVER, "--seed 1 --series 1 --rule dice=1", plan="leave_out_broken = true\n"
    ),
    "fields that never met": Tournament(
        "apart",
        "ann=First bob=Chancy cat=Chancy dan=First",
        "--seed 1 --series 1 --rule dice=1 --tournament gauntlet --challengers 2",
    ),
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory) -> dict[str, Path]:
    """A folder of each kind."""
    home = tmp_path_factory.mktemp("odd")
    return {name: played(tournament, home / tournament.name) for name, tournament in ODD.items()}


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ODD)
def test_a_folder_in_which_little_happened_is_true(odd, name):
    """Nothing that it lacks is taken for an untruth, and nothing is to be added."""
    code, said, notes = told(odd[name])
    matches = len(rows(odd[name], "matches"))
    assert (0, "", True) == (code, notes, said.startswith(f"verified: {matches} matches, ")), said + notes


def test_they_are_what_they_are_called(odd):
    """Ties and nothing else; a series; a bot without matches; two bots of the field without one of their own."""
    assert {"1"} == {row["tie"] for row in rows(odd["all ties"], "seats")}
    assert 1 == len({row["series_id"] for row in rows(odd["one series only"], "matches")})
    never = {row["bot"] for row in rows(odd["a bot that never played"], "bots")}
    assert {"cat"} == never - {row["bot"] for row in rows(odd["a bot that never played"], "seats")}
    met = {frozenset(row["bots"].split("; ")) for row in rows(odd["fields that never met"], "matches")}
    assert frozenset({"cat", "dan"}) not in met
    assert len(met) == 4 + 1 - (frozenset({"ann", "bob"}) not in met)


def test_in_them_too_a_change_is_found(odd, tmp_path):
    """A tie that became a win; a bot that never played, called one that did; a match of the field."""
    ties = changed(
        odd["all ties"], tmp_path / "ties", "UPDATE seats SET tie = 0 WHERE match = 1 AND seat = 0"
    )
    assert "tie" == untruth(ties)["column"]
    never = changed(
        odd["a bot that never played"], tmp_path / "never", "UPDATE bots SET status = 'ok' WHERE bot = 'cat'"
    )
    assert ("bots.csv, cat", "status") == (untruth(never)["where"], untruth(never)["column"])
    change = "UPDATE seats SET bot = 'dan' WHERE match = 1 AND seat = 0"
    apart = changed(odd["fields that never met"], tmp_path / "apart", change)
    assert "opponents" == untruth(apart)["column"]


# Games in files.

BOUNDED = """


class Bounded(Kuhn):
    name = "bounded"
    title = "Bounded"

    def returns_bounds(self, seats):
        return -1.0, 1.0
"""


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory) -> Path:
    """A working directory with `kuhn.py`, and `out`, which was played with it; `bounded` with a game of bounds."""
    home = tmp_path_factory.mktemp("kuhn")
    (home / "kuhn_players.py").write_text(
        "from arena.sdk import Bot, every\n\n\nclass Any(Bot):\n    def move(self, state, options):\n"
        "        return self.rng.choice(list(every(options)))\n"
    )
    (home / "kuhn.py").write_text(KUHN.read_text())
    (home / "declared.py").write_text(KUHN.read_text() + BOUNDED)
    bots = ("ann=kuhn_players:Any", "bob=kuhn_players:Any", "--seed", "1", "--quiet")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setattr(sys, "path", list(sys.path))
        for game, out in (("kuhn.py", "out"), ("declared.py:Bounded", "bounded")):
            words = ["run", *bots, "--game", game, "--out", out, "--series", "2"]
            assert 0 == CliRunner().invoke(cli, words, standalone_mode=False).return_value
    sys.modules.pop("kuhn_players", None)
    return home


@pytest.fixture
def changed_kuhn(kuhn) -> Path:
    """`kuhn.py` with another deck; put back after the test."""
    file = kuhn / "kuhn.py"
    before = file.read_text()
    file.write_text(before.replace('("J", "Q", "K")', '("K", "Q", "J")'))
    for name in [name for name in sys.modules if name.startswith("arena_game_")]:
        del sys.modules[name]  # as in a new process
    yield file
    file.write_text(before)


def test_a_game_in_a_file_is_verified_by_that_file(kuhn):
    """Found where the folder says it is, or named: it is the same file."""
    code, said, notes = told(kuhn / "out")
    assert (0, "", True) == (code, notes, said.startswith("verified: 4 matches, ")), said + notes
    assert (code, said, notes) == told(kuhn / "out", "--game", str(kuhn / "kuhn.py"))


def test_a_file_that_has_changed_verifies_nothing_unasked(kuhn, changed_kuhn):
    """One sentence that names the file, and what is right."""
    with pytest.raises(ConfigError) as error:
        verified(kuhn / "out")
    assert str(error.value) == f"{kuhn / 'out'} was played with kuhn, but {changed_kuhn} has changed since"
    assert ["game"] == [hint.setting for hint in error.value.hints]


def test_a_changed_file_that_is_named_is_told_whatever_comes_of_it(kuhn, changed_kuhn, tmp_path):
    """Other rules give other deals; those that say the same in other words say that they are others."""
    name = "kuhn.py, which has changed since the matches were played"
    code, said = verified(kuhn / "out", "--game", str(changed_kuhn))
    assert (1, True) == (code, said.startswith(f"not verified by the rules of {name}: match ")), said
    changed_kuhn.write_text(KUHN.read_text() + "# the same\n")
    code, said = verified(kuhn / "out", "--game", str(changed_kuhn))
    assert (0, True) == (code, said.startswith(f"verified by the rules of {name}: 4 matches, ")), said
    other = tmp_path / "other.py"
    other.write_text(changed_kuhn.read_text())
    code, said = verified(kuhn / "out", "--game", str(other))
    name = "other.py, which is another file than the one that the matches were played with"
    assert (0, True) == (code, said.startswith(f"verified by the rules of {name}: 4 matches, ")), said


def test_returns_beyond_what_the_game_declares_are_no_truth(kuhn):
    """Verdicts rest on the bounds: the first seat of the first match that breaks them is named."""
    found = untruth(kuhn / "bounded")
    assert "returns" == found["column"]
    assert abs(float(str(found["stored"]))) == 2
    assert "from -1 to 1, the bounds that bounded declares" == found["expected"]


def test_another_version_of_a_built_in_game_verifies_nothing(odd, tmp_path):
    """One sentence: which version it was, which one this is, and what is right."""
    change = "UPDATE meta SET value = json_set(value, '$.version', 7) WHERE key = 'identity'"
    folder = changed(odd["all ties"], tmp_path / "x", change)
    with pytest.raises(ConfigError) as error:
        verified(folder)
    expected = (
        f"{folder} was played with version 7 of liars-dice, and this arena has version 1: use the arena "
    )
    assert str(error.value) == f"{expected}that played it"


# What is no tournament.


def test_of_a_servers_folder_nothing_is_verified_and_that_is_said(tmp_path):
    """Its matches have games of their own, and no plan from which they follow."""
    with open_archive(tmp_path):
        pass
    with pytest.raises(
        ConfigError, match=r"holds the matches of a server's tables, of which nothing is verified"
    ):
        verified(tmp_path / "tables")


def test_tables_without_a_database_are_told_what_is_missing(tmp_path):
    """The sample has been handed on without its seeds and moves: what that means, and what would be right."""
    sample = HOUSE / "results" / "sample"
    folder = Path(shutil.copytree(sample, tmp_path / "sample", ignore=shutil.ignore_patterns("arena.*")))
    with pytest.raises(ConfigError) as error:
        verified(folder)
    assert str(error.value) == (
        f"{folder} has matches.csv but no arena.db, which holds seeds and moves, and without it nothing can be "
        "verified: name the folder that `arena run` wrote, or ask for its arena.db"
    )
