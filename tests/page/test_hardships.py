"""What makes a page's life hard: 200 % zoom, films of thousands of steps, tabs that nobody sees, browsers that sleep."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from replays import random_replay
from site_people import OFFERED, SEEN, Person, asked, person, quick  # noqa: F401  fixtures
from test_match_player import part, player, where  # noqa: F401  a fixture
from test_motion import MOVES, RUNNING, board_of, shown
from test_one_view import BROKEN, DRAWN, HIDDEN, full  # noqa: F401  a fixture

from arena.games import GAMES
from arena.games.holdem import Holdem
from arena.page.film import film_json
from tests.replays import film_of
from tests.server.served import Served

# ruff: noqa: F811 - fixtures are imported

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ZOOMED = ((640, 360), (683, 384), (720, 450))
"""Windows of 1280 × 720, 1366 × 768 and 1440 × 900 pixels at 200 %."""
STEPS = 5_000
STEP_BUSY_MAX_S = 0.05
"""Of processor time, for one step of a long film,"""
OPEN_BUSY_MAX_S = 2.0
"""and to open it."""
UNREACHED = """() => [...document.querySelectorAll(".turn button")].filter((each) => {
    if (!each.checkVisibility() || each.closest(".typed")) return false;
    each.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return !each.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}).map((each) => each.textContent.trim())"""
"""The buttons of a turn that are covered by something even where they have been scrolled to."""
HIDE = """(isHidden) => {
    Object.defineProperty(document, "hidden", { get: () => isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.mark.parametrize("game", GAMES)
def test_at_200_percent_nothing_is_covered(game: str, full: Callable[..., Person]) -> None:
    """At a full table: no sideways scrolling, the dock covers nothing of the board, every button can be pressed."""
    ann, rng = full(game, *ZOOMED[0]), Random(2)
    found: list[Any] = []
    for turn in range(4):
        if not ann.is_asked():
            break
        for width, height in ZOOMED:
            ann.page.set_viewport_size({"width": width, "height": height})
            ann.page.evaluate(DRAWN)
            seen = ann.page.evaluate(HIDDEN)
            unreached = ann.page.evaluate(UNREACHED)
            if seen["covered"] or seen["sideways"] or unreached or (broken := ann.page.evaluate(BROKEN)):
                found.append((turn, width, seen, unreached or broken))
        ann.moves(rng)
    assert [] == found


def test_a_film_of_thousands_of_steps_is_as_quick_as_a_short_one(player: Callable[..., Any]) -> None:
    """It opens, is jumped through and stepped through; what a step costs does not grow with the film."""
    film = film_of(random_replay(Holdem(hands=1_500), 2, seed=1), count=STEPS) | {"steps_in_all": STEPS}
    page = player(shown("holdem"), board_of("holdem"))
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy_s() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    begun = busy_s()
    page.evaluate("(text) => open_film(JSON.parse(text))", film_json(film).decode())
    part(page, "last").click()
    assert where(page).startswith("Step 5,000 of 5,000")
    opened_s, begun = busy_s() - begun, busy_s()
    for _ in range(20):
        page.evaluate("() => { document.querySelector('[data-part=back]').click(); return settled(); }")
    assert where(page).startswith("Step 4,980 of 5,000")
    each_s = (busy_s() - begun) / 20
    print(
        f"a film of {STEPS:,} steps opens at its end in {opened_s:.2f} s, and a step takes {1000 * each_s:.0f} ms of processor time"
    )
    assert opened_s <= OPEN_BUSY_MAX_S
    assert each_s <= STEP_BUSY_MAX_S
    assert page.locator("[data-part=log] li").count() <= 401, "the log is bounded"


def test_a_tab_in_the_background_moves_nothing(player: Callable[..., Any]) -> None:
    """Steps come in all the same, and once somebody looks again things move as ever."""
    page = player(shown("holdem"), board_of("holdem"), **MOVES)
    step = "() => { document.querySelector('[data-part=next]').click(); return settled(); }"
    page.evaluate(HIDE, True)
    for _ in range(4):
        page.evaluate(step)
        assert [] == page.evaluate(RUNNING)
    assert where(page).startswith("Step 5 of")
    page.evaluate(HIDE, False)
    moved = 0
    for _ in range(4):
        page.evaluate(step)
        moved += len(page.evaluate(RUNNING))
    assert moved


def test_a_browser_that_slept_sees_what_it_missed(quick: Served, person: Callable[..., Person]) -> None:
    """Frozen as browsers freeze tabs, while the other one moves; then it is the turn of whoever wakes up."""
    ann = person()
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "3"})
    table = f"/api/tables/{ann.table}"
    bob = asked(quick, "POST", f"{table}/players", {"nickname": "bob"})["key"]
    ann.page.locator(".seats", has_text="bob").wait_for()
    ann.press("Begin")
    ann.page.locator(".turn").wait_for()
    if ann.page.locator(".turn.mine").count():
        ann.page.locator(OFFERED + SEEN).last.click()
        ann.page.get_by_text("bob is to move").wait_for()
    session = ann.page.context.new_cdp_session(ann.page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    told = asked(quick, "GET", table, key=bob)["you"]["options"]
    bid = next(each for each in told if each["kind"] == "Bid")["fields"]
    move = [bid["count"]["min"], bid["face"].get("min", 1)]
    asked(quick, "POST", f"{table}/moves", {"words": f"bid {move[0]} {move[1]}"}, key=bob)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    ann.page.locator(".turn.mine").wait_for()
    ann.page.locator(".log", has_text="bob bids").wait_for()
