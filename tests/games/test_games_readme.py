"""arena/games/README.md names what is really there, and a game is what it says of a folder."""

import re
from pathlib import Path

import pytest

import arena.games
from arena.games import GAMES

FOLDER = Path(arena.games.__file__).parent
README = (FOLDER / "README.md").read_text()


def test_every_game_is_in_the_table():
    """The README lists the games of the house with their seats and every house rule, and no other."""
    listed = dict(re.findall(r"^\| `([a-z-]+)` \|(.*)\|$", README, re.MULTILINE))
    assert set(GAMES) == set(listed)
    for name, row in listed.items():
        seats = GAMES[name].seats
        assert f" {seats[0]}–{seats[-1]} " in row
        for rule in GAMES[name].__attrs_attrs__:
            assert f"`{rule.name}`" in row


def test_games_answer_to_their_names():
    """A game's name is its key, and games that are not there are no keys."""
    assert [name for name, game in GAMES.items() if game.name != name] == []
    assert "chess" not in GAMES
    assert len(GAMES) == len(list(GAMES))


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_a_folder(name):
    """Its class is in `rules.py`, below the rules; what bots are told is in `wire.md`, and the README links to it."""
    folder = GAMES[name].__module__.split(".")[2]
    assert f"arena.games.{folder}.rules" == GAMES[name].__module__
    assert f"]({folder}/wire.md)" in README
    assert (FOLDER / folder / "wire.md").is_file()
    assert {"moves.py", "state.py", "events.py"} <= {path.name for path in (FOLDER / folder).iterdir()}


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_files_are_short(path):
    """No file of a game has more than 400 lines: it would have a second subject."""
    assert len(path.read_text().splitlines()) <= 400
