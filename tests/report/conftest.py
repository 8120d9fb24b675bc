"""Tournaments of every game with reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from reports import HOSTILE, reported, tournament

from arena.games import GAMES
from arena.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store of a folder that names no game."""
    with Store.create(tmp_path / "run", meta={"game_version": 1}) as store:
        yield store


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The reports of a small tournament of every game, by the game's name."""
    home = tmp_path_factory.mktemp("games")
    names = ("ann", "bob", "cat")
    return {game: reported(tournament(home / game, game, names, series=2)) for game in GAMES}


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tournament whose bots have hostile names."""
    return reported(tournament(tmp_path_factory.mktemp("hostile") / "run", "liars-dice", HOSTILE, series=1))


@pytest.fixture(scope="session")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tournament of twenty bots."""
    names = [f"a-bot-with-a-long-name-{number:02}" for number in range(20)]
    return reported(tournament(tmp_path_factory.mktemp("crowd") / "run", "liars-dice", names, series=2))
