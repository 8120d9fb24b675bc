"""Boards for everybody: what a machine can find of barriers, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from daily import daily
from replays import SMALL, random_replay

from arena.games import GAMES
from arena.games.holdem import Holdem
from arena.page.boards import board_of
from arena.page.film import film_json
from tests.replays import film_of

pytestmark = pytest.mark.slow

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
SHORT = SMALL | {"holdem": Holdem(hands=8)}
PAGE = {"page-has-heading-one", "region", "landmark-one-main"}
"""What is the page's part: a board stands in a page that has these."""


@pytest.mark.parametrize(
    "game", daily("holdem".__eq__, [game for game, its in GAMES.items() if board_of(its)])
)
def test_axe_finds_no_barrier_on_a_board(game: str, stage: Callable[..., Any]) -> None:
    """In the middle of a match with the controls, and at a showdown in the dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    replay = random_replay(SHORT.get(game) or GAMES[game](), 3, 7)
    codec, moments = replay.codec, list(replay.moments())
    film = film_of(replay)
    told = film_json(film).decode()
    asked = [0 in each["asked"] for each in film["steps"]].index(True, 2)
    shown = next(
        (
            at
            for at, each in enumerate(film["steps"])
            if any(e[1] in film["showdowns"] for e in each.get("events", ()))
        ),
        1,
    )
    options = msgspec.json.decode(codec.options(replay.game.options(moments[asked].step.state, 0)))
    found = []
    for step, viewer, scheme in ((asked, 0, "light"), (shown, "all", "dark")):
        page = stage(f"games/{game.replace('-', '_')}/board.js", color_scheme=scheme).page
        page.evaluate(
            "([text, step, viewer, options]) => draw(page.film.sceneAt(page.film.openFilm(JSON.parse(text)), step, viewer), viewer === 0 ? 0 : null, options)",
            [told, step, viewer, options if viewer == 0 else None],
        )
        for each in axe.run(page, options=RULES).response["violations"]:
            if each["id"] not in PAGE:
                found.append((step, each["id"], [node["html"][:160] for node in each["nodes"]][:3]))
    assert [] == found
