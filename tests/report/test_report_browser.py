"""The report as people meet it: in a real browser, on a desk, on a phone, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from daily import nightly
from match_players import PHONE, over_all
from reports import HOSTILE, reported, tournament

pytestmark = pytest.mark.slow

A4 = {"width": 680, "height": 1009}
"""Without its margins."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_a_bots_page_stands_alone(games: dict[str, Path], watched: Any) -> None:
    """A bot's name leads to its page; from there its lost match leads into the viewer, and back."""
    page = watched().open(games["chamber"])
    assert 0 == page.locator("article.bot:visible").count()
    page.locator("#leaderboard th a").last.click()
    assert 1 == page.locator("article.bot:visible").count()
    assert not page.is_visible("#leaderboard")
    page.wait_for_selector("article:target .here [data-shown] .board")  # at the moment of its largest loss
    lost = page.locator("article.bot:visible a[href^='#match=']").first
    match = lost.inner_text()
    lost.click()
    page.wait_for_selector(f"[data-shown='{match}']")
    assert match in page.inner_text("[data-part=result]")
    assert page.is_visible("#viewer")


@pytest.mark.parametrize("which", ["hostile", *nightly("crowd", "holdem", "chamber")])
def test_no_page_scrolls_sideways_on_a_phone(
    which: str, games: dict[str, Path], hostile: Path, crowd: Path, watched: Any
) -> None:
    """At 360 px nothing sticks out: wide tables scroll inside their boxes."""
    seen = watched(**PHONE)
    for anchor in ("", "#bot-1"):
        page = seen.open({**games, "hostile": hostile, "crowd": crowd}[which], anchor)
        assert 0 == page.evaluate(OVERFLOW)
        assert 360 == page.evaluate("innerWidth")


@pytest.mark.nightly
def test_forty_bots_stay_readable(tmp_path: Path, watched: Any) -> None:
    """The head and the names of a long table stay while it is scrolled, the page does not widen, and it shows matches."""
    names = [f"a-bot-with-a-long-name-{number:02}" for number in range(40)]
    path = reported(tournament(tmp_path / "run", "liars-dice", names, series=1))
    page = watched(**PHONE).open(path)
    box = "document.querySelector('#leaderboard .box')"
    top, left = page.evaluate(f"""() => {{
        const box = {box}, head = box.querySelector("thead th.bot");
        box.scrollTo({{ top: 600, left: 200, behavior: "instant" }});
        const [inside, at] = [box.getBoundingClientRect(), head.getBoundingClientRect()];
        return [at.top - inside.top, at.left - inside.left];
    }}""")
    assert (1, 1) == (round(top), round(left)), "its border"
    assert 0 == page.evaluate(OVERFLOW)
    assert page.locator("tr[data-match]").count() > 4
    page.fill("input[aria-label='Filter: Bots, best first']", "name-07")
    assert 1 == page.locator("#leaderboard tbody tr:visible").count()


def test_hostile_names_stay_names(hostile: Path, watched: Any) -> None:
    """Names that are markup are shown as they are, in tables, pictures and viewer, and nothing of them runs."""
    seen = watched()
    page = seen.open(hostile)
    for name in HOSTILE:
        assert name in page.inner_text("#leaderboard")
        assert page.locator(f"svg[aria-label^={quoted(name + ':')}]").count() >= 1
    assert over_all(page)
    assert 0 == page.locator("img, b b, main i:not(.round)").count()
    assert 1 == page.locator("script").count()
    assert [] == seen.troubles


def quoted(text: str) -> str:
    """The text as a string of CSS."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def test_light_and_dark(games: dict[str, Path], watched: Any) -> None:
    """The page follows the system, the button turns it over, and text stands out in both."""
    page = watched(color_scheme="dark").open(games["bluff"])
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.click("#theme")
    light = page.evaluate(paper)
    assert sum(channels(dark)) < 150 < 600 < sum(channels(light))
    assert sum(channels(page.evaluate("getComputedStyle(document.body).color"))) < 150


def channels(colour: str) -> list[int]:
    return [int(each) for each in colour.removeprefix("rgb(").removesuffix(")").split(",")]


def test_on_paper(games: dict[str, Path], watched: Any) -> None:
    """In print every bot's page is there, in dark ink on white whatever the screen shows, and no control is."""
    page = watched(color_scheme="dark", viewport=A4).open(games["liars-dice"], "#bot-2")
    page.emulate_media(media="print")
    assert page.is_visible("#leaderboard")
    assert 3 == page.locator("article.bot:visible").count()
    assert 0 == page.locator("button:visible:not(.sort), input:visible, nav:visible, #viewer:visible").count()
    assert 0 == page.locator("#leaderboard .box").evaluate("each => each.scrollWidth - each.clientWidth")
    assert "rgb(255, 255, 255)" == page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(channels(page.evaluate("getComputedStyle(document.body).color"))) < 150


def test_without_script(games: dict[str, Path], chromium: Any) -> None:
    """Without JavaScript tables, pictures and bots' pages are there, and a sentence for the viewer."""
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(games["chamber"].as_uri())
    assert page.is_visible("#leaderboard table")
    assert "needs JavaScript" in page.inner_text("#matches")
    assert not page.is_visible("#viewer")
    page.locator("#leaderboard th a").first.click()
    assert page.locator("article.bot").first.is_visible()
    context.close()


def test_every_name_in_the_viewer_is_said(crowd: Path, watched: Any) -> None:
    """Controls and pictures have names for those who do not see them, and tables captions and scopes."""
    page = watched().open(crowd)
    unnamed = """[...document.querySelectorAll("button, input, svg.row, svg[role]")].filter(each =>
        !(each.ariaLabel || each.textContent.trim() || each.closest("label") || each.ariaHidden)).length"""
    assert 0 == page.evaluate(unnamed)
    assert 0 == page.evaluate("[...document.querySelectorAll('table')].filter(each => !each.caption).length")
    assert 0 == page.evaluate("[...document.querySelectorAll('th')].filter(each => !each.scope).length")


@pytest.mark.parametrize(
    ("anchor", "options"),
    [("", {**PHONE, "color_scheme": "dark"}), ("#bot-1", {})],
    ids=["the page, dark, on a phone", "a bot's page, light, on a desk"],
)
def test_axe_finds_no_barrier(
    anchor: str, options: dict[str, Any], games: dict[str, Path], watched: Any
) -> None:
    """No rule of WCAG 2.1 AA that a program can check is broken."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    rules = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
    page = watched(**options).open(games["bluff"], anchor)
    found = axe.run(page, options=rules).response["violations"]
    assert [] == [(each["id"], each["nodes"][0]["html"]) for each in found]
