"""Takes the pictures of boards that documents show: matches of house bots, as spectators see them at a showdown.

`python -m tests.page.pictures` writes arena/page/pictures/GAME.png, one of them in dark, and moving.png, in which
one is played from the start of a round to its showdown.  Needs playwright and chromium.
"""

from __future__ import annotations

import base64
import struct
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.games import GAMES
from arena.match.game import Game
from arena.match.record import pack
from arena.page.boards import board_of
from arena.page.bundle import bundle
from arena.page.film import changes_of, film_json, filmed, stored_head
from arena.store import StoredMatch, StoredSeat
from arena.telling.replay import Replay
from tests.needs import chromium_program
from tests.recorded_matches import import_bots, played

PAGE = Path(__file__).parents[2] / "arena" / "page"
PICTURES = PAGE / "pictures"
WIDTH, HEIGHT = 1180, 620
SEATS, STEP_FIRST = 4, 6
"""The size of the tables, and how much of a match is passed over."""
DARK = "blef"
MOVING, MOVING_SIZE = "liars-dice", (780, 460)
FRAME_S, STEP_S, SHOWDOWN_S, LAST_S = 0.12, 0.9, 3.6, 3.0
"""How long a picture lasts at least, a step is watched, a showdown, and the last picture stays."""
ALONE = ".stage { display: block; height: calc(100vh - 1rem); } .board { height: 100%; } .dock, .told { opacity: 0; position: absolute; }"


def take(folder: Path = PICTURES) -> None:
    """Writes all pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as scratch:
        browser = driver.chromium.launch(executable_path=chromium_program(), args=["--no-sandbox"])
        for name, cls in GAMES.items():
            page = Path(scratch) / f"{name}.html"
            page.write_text(page_of(cls()), encoding="utf-8")
            for scheme, suffix in (("light", ""), ("dark", "-dark"))[: 2 if name == DARK else 1]:
                tab = browser.new_page(
                    viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
                )
                tab.goto(page.as_uri())
                tab.wait_for_selector("[data-shown]")
                tab.locator(".board").screenshot(path=folder / f"{name}{suffix}.png")
                tab.close()
        (folder / "moving.png").write_bytes(moving(list(_filmed(browser, Path(scratch) / f"{MOVING}.html"))))
        browser.close()


def _filmed(browser: Any, page: Path) -> Iterator[tuple[bytes, float]]:
    """Pictures of a round with what moves in it, each with how long it is seen (s)."""
    width, height = MOVING_SIZE
    tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    tab.goto(page.as_uri())
    tab.wait_for_selector("[data-shown]")
    tab.add_style_tag(content=ALONE)
    tab.keyboard.press("Shift+ArrowLeft")
    time.sleep(STEP_S)
    shown, since = tab.locator(".board").screenshot(), time.monotonic()
    is_over = False
    while not is_over:
        tab.keyboard.press("ArrowRight")
        is_over = tab.locator(".k-verdict, .k-figure").count() > 0
        until = time.monotonic() + (SHOWDOWN_S if is_over else STEP_S)
        while time.monotonic() < until:
            time.sleep(FRAME_S)
            now = tab.locator(".board").screenshot()
            if now != shown:
                at = time.monotonic()
                yield shown, at - since
                shown, since = now, at
    yield shown, LAST_S
    tab.close()


def moving(frames: Sequence[tuple[bytes, float]]) -> bytes:
    """One animated PNG (APNG) of PNGs of the same size, each with how long it is seen (s)."""
    first = list(_chunks(frames[0][0]))
    head = next(octets for kind, octets in first if kind == b"IHDR")
    size, numbers = head[:8], iter(range(len(frames) * 100))
    parts = [_chunk(b"IHDR", head), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    for place, (picture, seen_s) in enumerate(frames):
        delay = struct.pack(">HHBB", round(1000 * seen_s), 1000, 0, 0)
        parts.append(_chunk(b"fcTL", struct.pack(">I", next(numbers)) + size + bytes(8) + delay))
        for kind, octets in _chunks(picture):
            if kind == b"IDAT" and place == 0:
                parts.append(_chunk(b"IDAT", octets))
            elif kind == b"IDAT":
                parts.append(_chunk(b"fdAT", struct.pack(">I", next(numbers)) + octets))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + _chunk(b"IEND", b"")


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def _chunk(kind: bytes, octets: bytes) -> bytes:
    return struct.pack(">I", len(octets)) + kind + octets + struct.pack(">I", zlib.crc32(kind + octets))


def page_of(game: Game[Any, Any]) -> str:
    """A page with nothing but the board of a match at a telling step."""
    replay = replay_of(game)
    steps, _ = filmed(replay, replay.moments())
    tells = [
        place
        for place, step in enumerate(steps)
        if place >= STEP_FIRST and any(kind in game.showdowns for _, kind, *_ in step.events)
    ]
    film = film_json(stored_head(replay) | {"steps": list(changes_of(steps))})
    octets = base64.b64encode(zlib.compress(film, 9, -15)).decode()
    match = replay.match.match_id
    styles = "\n".join((PAGE / name).read_text("utf-8") for name in ("page.css", "player.css", "board.css"))
    address = f"#match={match}&step={(tells or [STEP_FIRST])[0] + 1}&seat=spectator"
    return f"""<!doctype html><meta charset="utf-8"><style>{styles} body > * {{ padding: 0; }} .board {{ padding: 8px; }}</style>
{(PAGE / "symbols.svg").read_text("utf-8")}<div id="viewer"></div>
<template id="films"><i data-match="{match}">{octets}</i></template>
<script>location.hash = "{address}";
{bundle("report.js", board_of(type(game)))}</script>"""


def replay_of(game: Game[Any, Any]) -> Replay:
    """A match of house bots at a table of SEATS, as if it had been stored before its end."""
    match = next(each for each in played(game) if len(each.names) == SEATS)
    blank = {field.name: 0 for field in attrs.fields(StoredSeat)}
    names = [name.replace("-", " ") for name in match.names]
    rows = tuple(StoredSeat(**blank | {"seat": seat, "bot": bot}) for seat, bot in enumerate(names))
    values: dict[str, Any] = {field.name: 0 for field in attrs.fields(StoredMatch)}
    values |= {"match_id": match.match_id, "series_id": "", "status": "aborted", "error": None, "seats": rows}
    return Replay(StoredMatch(**values | {"packed": pack(game, match.turns)}), game)


if __name__ == "__main__":
    import_bots()
    take()
