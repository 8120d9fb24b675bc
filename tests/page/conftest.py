"""The modules of the page in a browser, as our server would send them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import HOME
from site_people import left, person, quick  # noqa: F401  fixtures for all files of this folder: one server serves them

import arena

PACKAGE = Path(arena.__file__).parent
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'"
"""Boards must do without inline styles and scripts: sites forbid them."""

SHELL = """<!doctype html><html lang="en"><meta charset="utf-8"><title>boards</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/page/page.css"><link rel="stylesheet" href="/page/board.css">
<script type="module" src="/stage.js"></script>{symbols}<main id="stage" class="board"></main><div id="below"></div></html>"""

STAGE = """
import { html, render } from "/page/html.js";
import { boardOf } from "/page/boards.js";
import { kit } from "/page/kit.js";
import * as film from "/page/film.js";
import * as table from "/page/drawings/table.js";
import { fitted } from "/page/player/fit.js";
import * as words from "/page/drawings/words.js";
const stage = document.getElementById("stage"), below = document.getElementById("below");
window.sent = [];
window.page = { html, render, kit, film, table, words, fitted };
window.open_ = async (path) => {
  window.module = boardOf(await import(path));
  window.Controls = (props) => window.module.controls(props, kit);
};
window.draw = (scene, seat = null, options = null) => {
  render(window.module.board(scene, seat, kit), stage);
  render(options && html`<${window.Controls} key=${scene.step} scene=${scene} seat=${seat} options=${options} moves=${[]}
    send=${(move) => window.sent.push(move)} kit=${kit} />`, below);
};
window.ready = true;
"""


def _answer(route: Any) -> None:
    path = route.request.url.removeprefix(HOME)
    headers = {"content-security-policy": POLICY}
    if path == "":
        sheet = (PACKAGE / "page" / "symbols.svg").read_text(encoding="utf-8")
        route.fulfill(body=SHELL.format(symbols=sheet), content_type="text/html", headers=headers)
    elif path == "stage.js":
        route.fulfill(body=STAGE, content_type="text/javascript")
    elif (
        file := (PACKAGE.parent if path.startswith("examples/") else PACKAGE) / path
    ).is_file() and file.suffix in TYPES:
        route.fulfill(path=file, content_type=TYPES[file.suffix])
    else:
        route.fulfill(status=204)  # the icon that browsers ask for


@pytest.fixture
def stage(watched: Any) -> Callable[..., Any]:
    """Opens an empty stage of a given width on which boards can be drawn."""

    def opened(board: str = "games/liars_dice/board.js", width: int = 1440, **options: Any) -> Any:
        seen = watched(viewport={"width": width, "height": 900}, **options)
        seen.page.unroute_all()
        seen.page.route(f"{HOME}**", _answer)
        seen.page.goto(HOME)
        seen.page.wait_for_function("window.ready")
        seen.page.evaluate("(path) => window.open_(path)", f"/{board}")
        return seen

    return opened
