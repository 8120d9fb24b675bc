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
A4 = {"width": 680, "height": 1009}
"""Without its margins."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def log_of(page: Any) -> str:
    return page.inner_text("[data-part=log]")


def step_of(page: Any) -> tuple[int, int]:
    """(step, of how many), as the viewer says it."""
    words = page.inner_text("[data-part=where]").replace(",", "").split()
    return int(words[1]), int(words[3])


STEPS = """() => {
    const part = (which) => document.querySelector(`[data-part=${which}]`), shown = [];
    for (;;) {
        shown.push([part("where").textContent, document.querySelector(".stage").textContent]);
        if (part("next").disabled) return shown;
        part("next").click();
    }
}"""
"""Steps to the end and gives what was shown at each step; a call of the browser for each would take seconds."""

OPEN_ALL = """async () => {
    const results = [];
    for (const row of document.querySelectorAll("tr[data-match]")) {
        const heard = new Promise((done) => addEventListener("hashchange", done, { once: true }));
        row.querySelector("a").click();
        await heard;
        document.querySelector("[data-part=last]").click();
        results.push([row.dataset.match, document.querySelector("[data-part=result]").textContent]);
    }
    return results;
}"""
"""Opens every listed match at its end; gives the match of each row and what the viewer said of it."""


@pytest.mark.parametrize("game", list(GAMES))
def test_the_viewer_shows_every_match_step_by_step(game: str, games: dict[str, Path], watched: Any) -> None:
    """From the first step to the last one by one, of every listed match, and nothing is complained of or asked for."""
    seen = watched()
    page = seen.open(games[game])
    page.click("[data-part=next]")
    _, last = step_of(page)
    assert (2, last) == step_of(page)
    page.click("[data-part=first]")
    steps = page.evaluate(STEPS)
    assert [f"Step {place} of {last}" for place in range(1, last + 1)] == [
        said.partition(",")[0] for said, _ in steps
    ]
    assert last > 5
    assert len({shown for _, shown in steps}) > last / 2, "the stage changes with the steps"
    assert "match over" in log_of(page)
    opened = page.evaluate(OPEN_ALL)
    assert len(opened) > 1
    assert [] == [(match, result) for match, result in opened if match not in result]
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
    assert [2, 3, 2, step_of(page)[1], 1] == pressed(
        page, "ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"
    )


def pressed(page: Any, *keys: str) -> list[int]:
    """The steps at which the viewer is after each key."""
    at = []
    for key in keys:
        page.keyboard.press(key)
        at.append(step_of(page)[0])
    return at


def test_the_arrows_step_without_the_focus_if_the_viewer_is_in_sight(
    games: dict[str, Path], watched: Any
) -> None:
    """→ steps as soon as the viewer is on the screen; Home, fields and boxes that scroll keep their own keys."""
    page = watched(**PHONE).open(games["blef"])
    assert [1] == pressed(page, "ArrowRight"), "the top of the page is on the screen"
    page.evaluate("document.querySelector('#viewer').scrollIntoView()")
    assert [2, 3, 2] == pressed(page, "ArrowRight", "ArrowRight", "ArrowLeft")
    assert [2, 2] == pressed(page, "Home", "Shift+ArrowRight")
    page.evaluate("document.querySelector('#viewer').scrollIntoView()")
    page.evaluate("document.querySelector('#matches .box').focus({ preventScroll: true })")
    assert [2] == pressed(page, "ArrowRight"), "this box scrolls sideways"
    page.evaluate("document.querySelector('.views input').focus({ preventScroll: true })")
    assert [2] == pressed(page, "ArrowRight"), "the next view"
    assert page.locator(".views input").nth(1).is_checked()


def test_a_link_leads_to_a_step(games: dict[str, Path], watched: Any) -> None:
    """The address names the step that is shown; opened anew it leads there, and old links to the first step."""
    page = watched().open(games["blef"])
    match = page.locator("tr[data-match]").nth(1).get_attribute("data-match")
    for step, at in (("", 1), ("&step=3", 3), ("&step=99999", None), ("&step=0", 1), ("&step=no", 1)):
        page.goto("about:blank")
        page.goto(f"{games['blef'].as_uri()}#match-{match}{step}")
        assert match in page.inner_text("[data-part=result]")
        assert (at or step_of(page)[1]) == step_of(page)[0]
    page.goto(f"{games['blef'].as_uri()}#match-{match}")
    pressed(page, "ArrowRight", "ArrowRight")
    assert f"#match-{match}&step=3" == page.get_attribute("[data-part=link]", "href")
    page.wait_for_url(f"**#match-{match}&step=3")
    page.reload()
    assert match in page.inner_text("[data-part=result]")
    assert 3 == step_of(page)[0]


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


@pytest.mark.parametrize("which", ["holdem", "chamber", "hostile", "crowd"])
def test_no_page_scrolls_sideways_on_a_phone(
    which: str, games: dict[str, Path], hostile: Path, crowd: Path, watched: Any
) -> None:
    """At 360 px nothing sticks out: wide tables scroll inside their boxes."""
    seen = watched(**PHONE)
    for anchor in ("", "#bot-1"):
        page = seen.open({**games, "hostile": hostile, "crowd": crowd}[which], anchor)
        assert 0 == page.evaluate(OVERFLOW)
        assert 360 == page.evaluate("innerWidth")


def test_hostile_names_stay_names(hostile: Path, watched: Any) -> None:
    """Names that are markup are shown as they are, in tables, pictures and viewer, and nothing of them runs."""
    seen = watched()
    page = seen.open(hostile)
    for name in HOSTILE:
        assert name in page.inner_text("#leaderboard")
        assert page.locator(f"svg[aria-label^={quoted(name + ':')}]").count() >= 1
    assert page.evaluate(OPEN_ALL)
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
