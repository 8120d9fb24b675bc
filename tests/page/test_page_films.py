"""Stored matches on their boards, from the first step to the last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from daily import crossed
from replays import SMALL, random_replay

from arena.games import GAMES
from arena.match.game import Game
from arena.page.boards import board_of
from arena.page.film import film_json
from arena.tournament.bots.game_source import find_game
from tests.replays import film_of

pytestmark = pytest.mark.slow

HOUSE = Path(__file__).parents[2]

DRAWN = [game for game, its in GAMES.items() if board_of(its)]

STEP_THROUGH = """(text) => {
    const film = page.film.openFilm(JSON.parse(text)), winners = [], hidden = [];
    for (const viewer of ["all", "spectator", 0]) {
        film.steps.forEach((_, index) => {
            draw(page.film.sceneAt(film, index, viewer), viewer === 0 ? 0 : null);
            const places = document.querySelectorAll(".k-place").length;
            if (places !== film.names.length) throw new Error(`step ${index} as ${viewer} has ${places} places`);
            const text = document.getElementById("stage").textContent;
            const odd = /undefined|null|NaN|\\[object/.exec(text);
            if (odd) throw new Error(`step ${index} as ${viewer} says ${odd[0]}: ${text}`);
        });
        winners.push([...document.querySelectorAll(".k-place.is-first")].map((each) => Number(each.dataset.seat)).sort());
    }
    return winners;
}"""


def followed(game: Game[Any, Any], seats: int, board: str, stage: Callable[..., Any]) -> None:
    """Every step is drawn for every kind of viewer, and the last picture marks those who were ranked first."""
    film = film_of(random_replay(game, seats, 7))
    seen = stage(board)
    winners = [seat for seat, rank in enumerate(film["ranks"]) if rank == 1]
    assert [winners] * 3 == seen.page.evaluate(STEP_THROUGH, film_json(film).decode())
    assert [] == seen.troubles


@pytest.mark.parametrize(("game", "seats"), crossed(DRAWN, (("2", 2), ("3", 3))))
def test_a_match_can_be_followed_to_its_end(game: str, seats: int, stage: Callable[..., Any]) -> None:
    """Of every game in the package."""
    followed(SMALL.get(game) or GAMES[game](), seats, f"games/{game.replace('-', '_')}/board.js", stage)


def test_a_game_in_one_file_has_its_board_beside_it(stage: Callable[..., Any]) -> None:
    """The board of the example is found by where its class is, and draws its matches."""
    kuhn = find_game(str(HOUSE / "examples" / "kuhn.py")).cls
    board = board_of(kuhn)
    assert board == HOUSE / "examples" / "kuhn.board.js"
    followed(kuhn(), 2, "examples/kuhn.board.js", stage)
    seen = stage("examples/kuhn.board.js")
    film = msgspec.json.decode(film_json(film_of(random_replay(kuhn(), 2, 11))))
    seen.page.evaluate("(json) => draw(page.film.sceneAt(page.film.openFilm(json), 2, 'all'))", film)
    assert ["bet"] == seen.page.locator(".k-bubble").all_inner_texts()
