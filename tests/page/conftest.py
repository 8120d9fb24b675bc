"""The modules of the page in a browser, as our server would send them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


class StageFiles(BaseHTTPRequestHandler):
    """Sends the stage and the files of the page, which the browser keeps: asking anew for each test took twice the time."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        file = (PACKAGE.parent if path.startswith("examples/") else PACKAGE) / path
        if path == "":
            sheet = (PACKAGE / "page" / "symbols.svg").read_text(encoding="utf-8")
            self._send(SHELL.format(symbols=sheet).encode(), ".html", ("Content-Security-Policy", POLICY))
        elif path == "stage.js":
            self._send(STAGE.encode(), ".js")
        elif file.is_file() and file.suffix in TYPES:
            self._send(file.read_bytes(), file.suffix)
        else:
            self.send_response(204)  # the icon that browsers ask for
            self.end_headers()

    def _send(self, body: bytes, suffix: str, *more: tuple[str, str]) -> None:
        self.send_response(200)
        kept = ("Cache-Control", "max-age=86400")
        for name, value in (("Content-Type", TYPES[suffix]), ("Content-Length", str(len(body))), kept, *more):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def stage_home() -> Iterator[str]:
    """The address of an empty stage."""
    with ThreadingHTTPServer(("127.0.0.1", 0), StageFiles) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"{HOME}:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def stage(watched: Any, stage_home: str) -> Callable[..., Any]:
    """Opens an empty stage of a given width on which boards can be drawn."""

    def opened(board: str = "games/liars_dice/board.js", width: int = 1440, **options: Any) -> Any:
        seen = watched(viewport={"width": width, "height": 900}, **options)
        seen.page.goto(stage_home)
        seen.page.wait_for_function("window.ready")
        seen.page.evaluate("(path) => window.open_(path)", f"/{board}")
        return seen

    return opened
