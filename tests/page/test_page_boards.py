"""The boards of all games at full tables, and all that is legal as something to click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from daily import nightly_rows
from replays import SMALL, random_replay

from arena.games import GAMES
from arena.games.bluff import Bluff
from arena.games.chamber import Chamber
from arena.games.holdem import Holdem
from arena.page.boards import board_of
from arena.page.film import film_json
from arena.players.codec import Codec
from arena.telling.choices import read_choices, with_numbers
from arena.telling.replay import Replay, Viewer
from tests.replays import film_of

pytestmark = pytest.mark.slow

DRAWN = [game for game in GAMES if board_of(GAMES[game])]

OPEN = """(text) => { window.film = page.film.openFilm(JSON.parse(text)); }"""
CROWDED = """([height, parity]) => {
    document.getElementById("stage").style.height = `${height}px`;
    const seen = new Set(), told = [];
    for (let at = 0; at < film.steps.length && seen.size < 12; at++) {
        const scene = page.film.sceneAt(film, at, "all");
        const kinds = scene.events.map(({ kind }) => kind).join();
        if (seen.has(kinds) && at < film.steps.length - 1) continue;
        seen.add(kinds);
        const viewers = ["all", 1];
        for (const viewer of parity === null ? viewers : [viewers[(seen.size + parity) % 2]]) {
            draw(page.film.sceneAt(film, at, viewer), viewer === "all" ? null : viewer);
            page.fitted(document.getElementById("stage"));
            const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
            if (wide > 0) told.push([at, viewer, kinds, `sticks out by ${wide}`]);
            const boxes = [...document.querySelectorAll(".k-place, .k-centre")];
            const parts = boxes.map((box) => box.getBoundingClientRect());
            parts.forEach((one, place) => parts.slice(place + 1).forEach((other) => {
                const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
                if (across > 1 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1) told.push([at, viewer, kinds, "overlaps"]);
            }));
            for (const box of boxes) {
                if (box.scrollWidth > box.clientWidth + 1) told.push([at, viewer, kinds, `${box.dataset.seat ?? "centre"} is too wide`]);
                if (box.scrollHeight > box.clientHeight + 1) told.push([at, viewer, kinds, `${box.dataset.seat ?? "centre"} is too high`]);
            }
        }
    }
    return told;
}"""
"""Draws the first step of every kind, for both viewers or by turns; returns what overlaps or sticks out."""


ROOM = ((360, 440), (730, 520), (1020, 770), (870, 590))
"""How wide and high a board is on a phone, on a tablet, and at a desk, once each in every layout; and on a wider tablet."""
SHORT = SMALL | {"holdem": Holdem(hands=6), "bluff": Bluff(plays_max=40)}


def played(game: str, seats: int) -> Replay:
    return random_replay(SHORT.get(game) or GAMES[game](), seats, seed=7)


def film(replay: Replay, count: int | None = None) -> str:
    return film_json(film_of(replay, count=count)).decode()


@pytest.mark.parametrize(
    ("game", "is_whole"), [("holdem", False), *nightly_rows(*((game, True) for game in DRAWN))]
)
def test_the_fullest_table_finds_room(game: str, is_whole: bool, stage: Callable[..., Any]) -> None:
    """Whatever happens at a table with all its seats taken, no place covers another and nothing sticks out.

    At every change each kind of step is drawn in each layout, and for each viewer in one of them at least.
    """
    page = stage(f"games/{game.replace('-', '_')}/board.js").page
    page.evaluate(OPEN, film(played(game, max(GAMES[game].seats)), 60))
    for place, (width, height) in enumerate(ROOM if is_whole else ROOM[:3]):
        page.set_viewport_size({"width": width, "height": 900})
        assert [] == page.evaluate(CROWDED, [height, None if is_whole else place]), width
    page.evaluate("document.getElementById('stage').style.height = ''")
    page.set_viewport_size({"width": 1440, "height": 900})  # as the other tests find it


CLICK_ALL = """() => {
    const below = document.getElementById("below"), all = (part) => [...below.querySelectorAll(`[data-part=${part}]`)];
    const settled = () => new Promise((done) => setTimeout(done));
    window.sent = [];
    return (async () => {
        for (const button of ["shoot", "add", "pass"].flatMap(all)) button.click();
        const press = async (button) => { button.click(); await settled(); };
        const tryFrom = async (path) => {
            for (const back of all("back")) await press(back);
            const before = sent.length;
            for (const [part, at] of path) await press(all(part)[at]);
            if (sent.length > before) return;
            for (let at = 0; at < all("target").length; at++) await tryFrom([...path, ["target", at]]);
        };
        for (let at = 0, items = all("item").length; at < items; at++) await tryFrom([["item", at]]);
        return sent;
    })();
}"""


def test_what_can_be_clicked_is_what_is_legal(stage: Callable[..., Any]) -> None:
    """In Chamber every legal move can be made by clicks, and no other: at each kind of question of a match."""
    replay = played(Chamber.name, 3)
    page = stage("games/chamber/board.js").page
    page.evaluate(OPEN, film(replay))
    kinds = set()
    for place, moment in enumerate(replay.moments()):
        for seat in replay.asked(moment):
            options = replay.options(moment, Viewer(replay.names[seat], seat))[replay.names[seat]]
            if (kind := tuple(option["kind"] for option in options)) in kinds or len(kinds) == 8:
                continue
            kinds.add(kind)
            page.evaluate(
                "([place, seat, options]) => draw(page.film.sceneAt(film, place, seat), seat, options)",
                [place, int(seat), options],
            )
            codec = Codec(replay.game, replay.names, seat)
            legal = {codec.move(move) for move in with_numbers(read_choices(options))[0]}
            assert legal == {codec.move(move) for move in page.evaluate(CLICK_ALL)}
    assert 8 == len(kinds)
