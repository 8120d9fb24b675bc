"""One view at a table: own hand, board and buttons in sight at once, nothing that jumps, no word that is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from browsers import DESK
from daily import daily, nightly_rows
from site_people import OVER, Person, asked, person, quick, until  # noqa: F401  fixtures

from arena.games import GAMES
from tests.server.served import Served, a_server

# ruff: noqa: F811 - fixtures are imported

pytestmark = pytest.mark.slow

SIZES = ((360, 740), (768, 1024), (1280, 720), (1366, 768), (1440, 900))
TIGHT = SIZES[:3]
"""The one with the least room of each layout: where all fits here, it fits in the others, which are tried nightly."""
TURNS, NIGHTLY_TURNS = 6, 30
"""How many of a match are looked at."""
SHIFT_MAX = 0.1
"""The layout shift of one change, as browsers count it."""

FILL = """async (game) => {
    const { makeTable } = await import("/static/page/site/opening.js");
    const { seats, bots } = (await (await fetch("/api/games")).json()).find(({ name }) => name === game);
    const others = Array.from({ length: seats.most - 1 }, (_, at) => bots[at % bots.length]);
    return makeTable({ game, bots: others, begins: true });
}"""
"""A table of a game with all its seats taken, one of them by who looks at this page."""
HIDDEN = """() => {
    scrollTo(0, 0);
    const boxes = (names) => [...document.querySelectorAll(names)].filter((each) => !each.closest("details:not([open])"))
        .map((each) => each.getBoundingClientRect()).filter(({ width, height }) => width && height);
    const dock = document.querySelector(".dock").getBoundingClientRect();
    const board = boxes(".board .k-place, .board .k-centre, .is-own .k-hand *");
    const below = (all) => Math.max(0, ...all.map(({ bottom }) => Math.round(bottom - innerHeight)));
    const covered = board.map(({ left, right, bottom }) => (right > dock.left + 1 && left < dock.right - 1 && dock.top < bottom ? Math.round(bottom - dock.top) : 0));
    const [newest] = [...document.querySelectorAll(".log li")].slice(-1), told = newest.closest(".panel").getBoundingClientRect();
    const untold = Math.max(0, Math.round(newest.getBoundingClientRect().bottom - Math.min(told.bottom, innerHeight) - 1)); // below it letters have room
    return { untold, board: below(board), buttons: below(boxes(".turn button, .turn input")), covered: Math.max(0, ...covered), sideways: document.documentElement.scrollWidth - innerWidth };
}"""
"""By how many pixels the board, the buttons and what was told last are below the window, and the board is under the dock."""
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
SHIFTS = """() => {
    window.shifts = [];
    window.observer?.disconnect();
    window.observer = new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.push(value);
    });
    observer.observe({ type: "layout-shift" });
}"""
SMALL = """() => [...document.querySelectorAll("button, select, input, summary, a[href], [role=tab]")]
    .filter((each) => each.checkVisibility() && !each.closest("p, dd, .unseen, .skip, .ticks"))
    .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
    .filter(([, { width, height }]) => width > 1 && (height < 43.5 || width < 43.5))
    .map(([{ tagName, textContent, className }, { width, height }]) => `${tagName} ${className} ${textContent.trim()}: ${width} x ${height}`)
"""
"""What is too small for a finger; a link within a sentence is as high as its line."""
PRESS = "document.querySelector('.turn.mine .k-controls button:enabled')?.click()"
"""Presses the first button, unless the turn is over by now."""
BROKEN = """() => {
    const found = new Set(), range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode;
        if (text.parentElement.closest("bdi, code, script, style, template, .unseen, select, svg")) continue;
        for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}']{2,}/gu)) {
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            const tops = [...range.getClientRects()].filter(({ width }) => width > 0.5).map(({ top }) => Math.round(top));
            if (new Set(tops).size > 1) found.add(word);
        }
    }
    return [...found];
}"""
"""The words that go on in the next line."""


@pytest.fixture
def full(tmp_path: Path, chromium: Any) -> Iterator[Callable[..., Person]]:
    """Seats somebody at a full table of a game whose match has begun, on a server of its own: that takes all its bots."""
    with a_server(tmp_path / "data", is_quick=True) as server:
        context = chromium.new_context(**DESK)
        context.set_default_timeout(60_000)
        ann = Person(context.new_page(), server.http, [])

        def seated(game: str, width: int, height: int) -> Person:
            ann.page.set_viewport_size({"width": width, "height": height})
            ann.go()
            ann.page.locator(".game").first.wait_for()
            ann.go(f"/tables/{ann.page.evaluate(FILL, game)}")
            while not ann.is_asked():  # the bots among themselves have ended it before anything was asked
                ann.press("Rematch")
                ann.page.locator(OVER).wait_for(state="detached")
            return ann

        yield seated
        context.close()


@pytest.mark.parametrize(
    ("game", "sizes", "turns"),
    [("holdem", TIGHT, TURNS), *nightly_rows(*((game, SIZES, NIGHTLY_TURNS) for game in GAMES))],
)
def test_hand_board_and_buttons_are_in_one_view(
    game: str, sizes: Sequence[tuple[int, int]], turns: int, full: Callable[..., Person]
) -> None:
    """At a full table, in windows of several sizes, at each turn; and no word is broken there."""
    ann, rng = full(game, *SIZES[0]), Random(1)
    found: list[Any] = []
    for turn in range(turns):
        if not ann.is_asked():
            break
        for width, height in sizes:
            ann.page.set_viewport_size({"width": width, "height": height})
            ann.page.evaluate(DRAWN)
            if any((seen := ann.page.evaluate(HIDDEN)).values()):
                found.append((turn, width, seen))
            if broken := ann.page.evaluate(BROKEN):
                found.append((turn, width, broken))
        ann.moves(rng)
    assert [] == found


SHIFTED = [(game, (size,), NIGHTLY_TURNS) for game in GAMES for size in SIZES]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "sizes", "turns"),
    [("holdem", ((360, 740), (1280, 720)), TURNS), *nightly_rows(*SHIFTED)],
)
def test_a_turn_moves_nothing_else(
    game: str, sizes: Sequence[tuple[int, int]], turns: int, full: Callable[..., Person]
) -> None:
    """What changes from turn to turn leaves the rest where it is, as the browser measures it in one window after another."""
    ann = full(game, *sizes[0])
    for width, height in sizes:
        ann.page.set_viewport_size({"width": width, "height": height})
        ann.page.evaluate(DRAWN)
        ann.page.evaluate(SHIFTS)
        for turn in range(turns):
            if not ann.is_asked():
                assert turn, width
                break
            # By the page itself: what moves within half a second of a person's click is not counted.
            ann.page.evaluate(PRESS)
            ann.page.evaluate(DRAWN)
        shifts = ann.page.evaluate("shifts")
        assert max(shifts, default=0) <= SHIFT_MAX, (width, sorted(shifts)[-5:])


@pytest.mark.nightly
@pytest.mark.slow
def test_fingers_have_room(person: Callable[..., Person]) -> None:
    """Whatever can be touched on a phone is 44 px wide and high: at home, at a table, and in what is finished."""
    ann = person(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    ann.says("ann")
    ann.press("Play No-Limit Hold'em now")
    assert ann.is_asked()
    assert [] == ann.page.evaluate(SMALL)
    ann.page.locator("[data-part=back]").click()
    ann.page.locator("[data-part=slider]").wait_for()
    assert [] == ann.page.evaluate(SMALL), "looking back"
    matches = "/results/spring%20cup/matches"
    ann.go(matches)
    ann.page.locator(".rows a").first.wait_for()
    finished = ann.page.locator(".rows a").first.get_attribute("href")
    for path in ("/", "/results", matches, finished):
        ann.go(path)
        ann.page.wait_for_load_state("networkidle")
        assert [] == ann.page.evaluate(SMALL), path


@pytest.mark.parametrize("sizes", daily(TIGHT.__eq__, (TIGHT, SIZES)), ids=len)
def test_no_page_breaks_a_word(sizes: Sequence[tuple[int, int]], person: Callable[..., Person]) -> None:
    """Home, a table before its match, all lists, a report and a finished match, at several widths."""
    ann = person()
    ann.says("ann")
    ann.makes_table("No-Limit Hold'em")
    waiting = ann.page.url.removeprefix(ann.home)
    matches = "/results/spring%20cup/matches"
    ann.go(matches)
    ann.page.locator(".rows a").first.wait_for()
    finished = ann.page.locator(".rows a").first.get_attribute("href")
    for path in (
        "/",
        waiting,
        "/matches",
        "/leagues",
        "/results",
        matches,
        finished,
        "/results/spring%20cup",
    ):
        ann.go(path)
        ann.page.wait_for_load_state("networkidle")
        for width, height in sizes:
            ann.page.set_viewport_size({"width": width, "height": height})
            assert [] == ann.page.evaluate(BROKEN), (path, width)
    ann.page.emulate_media(media="print")
    assert [] == ann.page.evaluate(BROKEN), "the printed report"


HOARD = 44
"""Cards in a hand of Bluff that does not get smaller any more."""
REACHED = """() => {
    const dock = document.querySelector(".dock").getBoundingClientRect(), found = [];
    const isSeen = (each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return left >= 0 && right <= innerWidth && top >= dock.top && bottom <= Math.min(innerHeight, dock.bottom) && each.contains(at);
    };
    return (async () => {
        for (const card of document.querySelectorAll(".bluff-hand [data-card]")) {
            if (!card.checkVisibility()) document.querySelector(`.bluff-hand [data-rank="${card.dataset.card[0]}"]`).click();
            await new Promise((done) => setTimeout(done));
            if (!isSeen(card)) found.push(card.dataset.card);
        }
        for (const each of document.querySelectorAll(".turn button")) if (each.checkVisibility() && !each.closest(".typed") && !isSeen(each)) found.push(each.textContent.trim());
        return found;
    })();
}"""
"""The cards that cannot be brought into sight without scrolling, and the buttons that are not."""


def hoards(server: Served, rules: dict[str, Any], least: int) -> tuple[str, Any]:
    """A table of Bluff at which ann, whose seat is given, gets all cards that bob plays, until she has so many."""
    table = asked(server, "POST", "/api/tables", {"game": "bluff", "rules": rules, "move_time": "none"})["id"]
    at = f"/api/tables/{table}"
    ann, bob = (asked(server, "POST", f"{at}/players", {"nickname": name}) for name in ("ann", "bob"))
    shown = asked(server, "POST", f"{at}/start", {}, ann["key"])
    while True:
        for seat in (ann, bob):
            shown = asked(server, "GET", at, key=seat["key"])
            options = {each["kind"]: each for each in shown["you"]["options"] or ()}
            if not options:
                continue
            if seat is ann and len(options) == 3 and len(shown["match"]["state"]["hand"]) >= least:
                return table, ann
            move = "bluff" if "Accuse" in options else _played(options["Play"], is_true=seat is bob)
            asked(server, "POST", f"{at}/moves", {"move": move}, seat["key"])


def _played(option: dict[str, Any], *, is_true: bool) -> dict[str, Any]:
    """Cards of the claim that most of a hand fit, or one that is not as claimed."""
    hand, claims = option["fields"]["cards"]["subset_of"], option["fields"]["claim"]["one_of"]

    def fitting(claim: str) -> list[str]:
        return [card for card in hand if claim in card]

    claim = max(filter(None, claims), key=lambda each: len(fitting(each)))
    right, wrong = fitting(claim)[:4], [card for card in hand if claim not in card]
    return {"play": right if is_true and right else wrong[:1], "claim": claim}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("claims", "least", "sizes"),
    [
        ("sequence", HOARD, TIGHT),
        *nightly_rows(("sequence", 26, SIZES), ("free_rank", HOARD, SIZES), ("free_suit", HOARD, SIZES)),
    ],
)
def test_every_card_of_a_large_hand_is_in_reach(
    claims: str, least: int, sizes: Sequence[tuple[int, int]], quick: Served, person: Callable[..., Person]
) -> None:
    """Without scrolling, together with the board and all buttons, also where one may accuse before one plays."""
    table, seat = hoards(quick, {"claims": claims}, least)
    ann = person(has_touch=True)
    ann.go()
    ann.page.evaluate(
        "([id, seat]) => sessionStorage.setItem(`arena-seat-${id}`, JSON.stringify(seat))", [table, seat]
    )
    for is_next in (True, False):
        found = []
        for width, height in sizes:
            ann.page.set_viewport_size({"width": width, "height": height})
            ann.go(f"/tables/{table}")
            ann.page.locator("[data-card]").first.wait_for(state="attached")
            ann.page.evaluate(DRAWN)
            seen = [ann.page.evaluate(HIDDEN), ann.page.evaluate(REACHED), ann.page.evaluate(SMALL)]
            if any(seen[0].values()) or any(seen[1:]):
                found.append((width, seen))
        assert [] == found, is_next
        if is_next:
            ann.page.locator("[data-part=accuse]").click()
            ann.page.locator(".bluff-moves + .bluff-moves").wait_for(state="detached")


@pytest.mark.nightly
def test_the_whole_screen_is_one_view_too(full: Callable[..., Person]) -> None:
    """A press shows board, dock and log alone, and another one the page again."""
    ann = full("holdem", 1280, 720)
    ann.page.get_by_role("button", name="Full screen").click()
    until(ann.page, "() => document.fullscreenElement?.matches('.player')")
    assert not any(ann.page.evaluate(HIDDEN).values())
    ann.page.get_by_role("button", name="Full screen").click()
    until(ann.page, "() => !document.fullscreenElement")
