"""The report as people meet it: in a real browser, on a desk, on a phone, on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reports import HOSTILE, reported, tournament

from arena.games import GAMES
from arena.tournament.game_source import find_game

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "device_scale_factor": 2}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def log_of(page: Any) -> str:
    return page.inner_text("[data-part=log]")


def step_of(page: Any) -> tuple[int, int]:
    """(step, of how many), as the viewer says it."""
    words = page.inner_text("[data-part=where]").replace(",", "").split()
    return int(words[1]), int(words[3])


@pytest.mark.parametrize("game", list(GAMES))
def test_the_viewer_steps_through_a_match_of_every_game(
    game: str, games: dict[str, Path], watched: Any
) -> None:
    """From the first step to the last one by one, every step is shown, and nothing is complained of or asked for."""
    seen = watched()
    page = seen.open(games[game])
    step, last = step_of(page)
    shown = [page.inner_text(".stage")]
    while step < last:
        page.click("[data-part=next]")
        assert (step + 1, last) == step_of(page)
        step, _ = step_of(page)
        shown.append(page.inner_text(".stage"))
    assert last > 5
    assert len(set(shown)) > last / 2, "the stage changes with the steps"
    assert page.is_disabled("[data-part=next]")
    assert "match over" in log_of(page)
    assert [] == seen.troubles


@pytest.mark.parametrize("game", list(GAMES))
def test_every_listed_match_opens(game: str, games: dict[str, Path], watched: Any) -> None:
    """A click on a match of the list shows that match."""
    seen = watched()
    page = seen.open(games[game])
    rows = page.locator("tr[data-match]")
    for place in range(rows.count()):
        rows.nth(place).locator("a").click()
        match = rows.nth(place).get_attribute("data-match")
        page.locator("[data-part=result]", has_text=match).wait_for()  # the page hears of it a moment later
    assert rows.count() > 1
    assert [] == seen.troubles


def test_what_a_seat_did_not_know_is_hidden(games: dict[str, Path], watched: Any) -> None:
    """As seen by one bot the other hand says `hidden`, and its own does not; a spectator sees neither."""
    page = watched().open(games["liars-dice"])
    page.click("[data-part=next]")
    own = page.locator(".place:not(.table) .own")
    assert (2, 0) == (own.count(), page.locator(".hidden").count())
    hands = own.all_inner_texts()
    bots = page.locator(".views label").all_inner_texts()[2:]
    for place, bot in enumerate(bots):
        page.locator(".views label").nth(2 + place).click()
        assert [hands[place]] == own.all_inner_texts(), bot
        assert ["hidden"] == page.locator(".place .hidden").all_inner_texts()
        assert log_of(page).count("hand ") == 1
    page.locator(".views label").nth(1).click()
    assert (0, 2) == (own.count(), page.locator(".place .hidden").count())
    assert "hand " not in log_of(page)


def test_what_is_public_is_not_marked_as_secret(tmp_path: Path, watched: Any) -> None:
    """Who sees everything in Kuhn reads marks on the cards alone, not on the deal, the words and the showdown."""
    file = str(Path(__file__).parents[2] / "examples" / "kuhn.py")
    folder = tournament(tmp_path / "kuhn", find_game(file).cls(), ("ann", "bob"), series=1)
    page = watched().open(reported(folder, game=file))
    page.click("[data-part=last]")
    marked = [line for line in log_of(page).splitlines() if "(" in line]
    assert ["chance", "ann", "bob"] == [line.replace(":", "").split()[0] for line in marked]
    assert marked[0].endswith("(shown in this view only)")
    assert all(line.endswith("(in secret)") for line in marked[1:])


def test_the_keys_step(games: dict[str, Path], watched: Any) -> None:
    """→ and ← step, End and Home go to the ends, wherever in the viewer the focus is."""
    page = watched().open(games["blef"])
    page.focus("[data-part=next]")
    at = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
        page.keyboard.press(key)
        at.append(step_of(page)[0])
    assert [2, 3, 2, step_of(page)[1], 1] == at


def test_a_bots_page_stands_alone(games: dict[str, Path], watched: Any) -> None:
    """A bot's name leads to its page; from there its lost match leads into the viewer, and back."""
    page = watched().open(games["chamber"])
    assert 0 == page.locator("article.bot:visible").count()
    page.locator("#leaderboard th a").last.click()
    assert 1 == page.locator("article.bot:visible").count()
    assert not page.is_visible("#leaderboard")
    lost = page.locator("article.bot:visible a[href^='#match-']").first
    match = lost.inner_text()
    lost.click()
    assert match in page.inner_text("[data-part=result]")
    assert page.is_visible("#viewer")


@pytest.mark.parametrize("anchor", ["", "#bot-1"])
@pytest.mark.parametrize("which", ["holdem", "chamber", "hostile", "crowd"])
def test_no_page_scrolls_sideways_on_a_phone(
    which: str, anchor: str, games: dict[str, Path], hostile: Path, crowd: Path, watched: Any
) -> None:
    """At 360 px nothing sticks out: wide tables scroll inside their boxes."""
    path = {**games, "hostile": hostile, "crowd": crowd}[which]
    page = watched(**PHONE).open(path, anchor)
    assert 0 == page.evaluate(OVERFLOW)
    assert 360 == page.evaluate("innerWidth")


def test_hostile_names_stay_names(hostile: Path, watched: Any) -> None:
    """Names that are markup are shown as they are, in tables, pictures and viewer, and nothing of them runs."""
    seen = watched()
    page = seen.open(hostile)
    for name in HOSTILE:
        assert name in page.inner_text("#leaderboard")
        assert page.locator(f"svg[aria-label^={quoted(name + ':')}]").count() >= 1
    rows = page.locator("tr[data-match] a")
    for place in range(rows.count()):
        rows.nth(place).click()
        page.click("[data-part=last]")
    assert 0 == page.locator("img, b:has-text('bold'), i").count()
    assert 2 == page.locator("script").count(), "the matches, and ours"
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
    page = watched(color_scheme="dark").open(games["liars-dice"], "#bot-2")
    page.emulate_media(media="print")
    assert page.is_visible("#leaderboard")
    assert 3 == page.locator("article.bot:visible").count()
    assert 0 == page.locator("button:visible, nav:visible, #viewer:visible").count()
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
