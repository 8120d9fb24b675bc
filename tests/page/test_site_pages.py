"""The pages of the site: small, without barriers, and with words for what is not there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daily import NIGHTLY
from site_people import Person, asked, expecting

import arena
from arena.games import GAMES
from arena.telling.guide import line_of
from arena.tournament.sparring import levels_of_bots
from tests.server.served import Served

HOME_BYTES_MAX = 60_000
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
TURN_TOP_MAX = 560
"""Where the moves begin at the latest, of 740 pixels."""
RULES = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


@pytest.mark.slow
def test_the_first_page_is_small(person: Callable[..., Person]) -> None:
    """Everything that home loads, as it comes over the wire, headers included."""
    ann = person(is_new=True)
    sizes: list[Any] = []
    ann.page.on("requestfinished", lambda request: sizes.append(request.sizes()))
    ann.go()
    ann.page.locator(".game").first.wait_for()
    ann.page.wait_for_load_state("networkidle")
    total = sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)
    assert 10_000 < total < HOME_BYTES_MAX, (len(sizes), total)


def barriers(page: Any) -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options=RULES).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found]


def widest(page: Any) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"color_scheme": "light"}, id="desk", marks=NIGHTLY),
        pytest.param({**PHONE, "color_scheme": "dark"}, id="phone"),
    ],
)
def test_no_page_has_barriers_or_scrolls_sideways(
    options: dict[str, Any], person: Callable[..., Person]
) -> None:
    """Axe finds nothing on home with its form, a table before and in a match."""
    ann = person(**options)
    ann.says("ann")
    ann.page.locator(".game").first.wait_for()
    ann.press("Create a table")
    ann.page.locator("form.make summary").click()
    ann.page.locator("form.make details").get_by_label("dice").wait_for()
    assert ([], 0) == (barriers(ann.page), widest(ann.page))
    ann.go()
    # With one die each, a bot that begins with the highest bid loses before anything is asked: a server makes
    # the only move that there is by itself.
    ann.makes_table("Liar's Dice", {"dice": "3"}, ("random",))
    assert ([], 0) == (barriers(ann.page), widest(ann.page))
    ann.press("Begin")
    assert ann.is_asked()
    assert ([], 0) == (barriers(ann.page), widest(ann.page))


@pytest.mark.slow
def test_the_rules_are_there_when_they_are_asked_for(person: Callable[..., Person]) -> None:
    """On home and at a table: as a person tells them, under its house rules; below, folded, for authors of bots."""
    ann = person(**PHONE)
    ann.go()
    for is_at_table in (False, True):
        if is_at_table:
            ann.press("Play Liar's Dice now")
            ann.page.locator("#main.table .board").wait_for()
        ann.press("Rules of Liar's Dice")
        rules = ann.page.get_by_role("dialog", name="Rules of Liar's Dice")
        rules.get_by_text("Everybody starts with 5 dice").wait_for()
        assert 15 == rules.locator(".guide .k-die").count(), (
            "those of the picture and of the example are drawn"
        )
        told = rules.inner_text()
        assert ("faces\n6" in told, "Ones are wild" in told, "Source:" in told) == (True, False, False)
        assert ([], 0) == (barriers(ann.page), widest(ann.page))
        ann.page.keyboard.press("Escape")
        rules.wait_for(state="detached")
        assert "Rules" == ann.page.evaluate("document.activeElement.innerText")


@pytest.mark.slow
def test_home_says_what_can_be_played_and_watched(person: Callable[..., Person]) -> None:
    """What each game is, how strong its bots are, how long a match may be; bots that play are a press away."""
    ann = person()
    ann.go()
    for name, game in GAMES.items():
        card = ann.page.locator(".game", has=ann.page.get_by_role("heading", name=game.title))
        assert line_of(game) in card.inner_text()
        levels = dict(re.findall(r"^([\w-]+), level (\d)$", card.locator("select").first.inner_text(), re.M))
        assert {bot: str(levels_of_bots()[bot]) for bot in levels} == levels != {}
        offered = card.locator("select").nth(1)
        assert (
            ["10 hands", "30 hands", "100 hands"] == offered.inner_text().split("\n")
            if game.lengths[0]
            else not offered.count()
        ), name
    ann.page.get_by_label("for").select_option("30")
    ann.press("Play No-Limit Hold'em now")
    ann.page.locator("#main.table .board").wait_for()
    assert 30 == asked_of(ann)["rules"]["hands"]
    ann.go()
    ann.press("Watch Chamber now")
    ann.page.locator("#main.table .board").wait_for()
    table = asked_of(ann)
    assert [2, ["house"]] == [len(table["players"]), sorted({each["way"] for each in table["players"]})]
    assert 0 == ann.page.locator(".turn.mine").count()


@pytest.mark.nightly
@pytest.mark.slow
def test_an_open_table_is_watched_if_its_rules_are_those_that_were_chosen(
    quick: Served, person: Callable[..., Person]
) -> None:
    """Others begin at a table of their own; of many open tables only some are looked at."""
    made = asked(quick, "POST", "/api/tables", {"game": "holdem", "rules": {"hands": 100}, "bots_pause": 10})
    at = f"/api/tables/{made['id']}"
    seat = asked(quick, "POST", f"{at}/players", {"nickname": "eve", "spectate": True})
    for path, body in (("bots", {"bot": "random"}), ("bots", {"bot": "random"}), ("start", {})):
        asked(quick, "POST", f"{at}/{path}", body, seat["key"])
    shown = asked(quick, "GET", at) | {"public": True}
    listed, looked = [shown], list[str]()
    ann = person()
    ann.page.on("request", lambda request: looked.append(request.url))
    ann.page.route(
        "**/api/tables",
        lambda route: route.fulfill(json=listed) if route.request.method == "GET" else route.continue_(),
    )
    for hands in ("30", "100"):
        ann.go()
        ann.page.get_by_label("for").select_option(hands)
        ann.press("Watch No-Limit Hold'em now")
        ann.page.locator("#main.table .board").wait_for()
        assert int(hands) == asked_of(ann)["rules"]["hands"]
        assert (ann.table == made["id"]) == (hands == "100")
    listed += [shown] * 50
    looked.clear()
    ann.go()
    ann.page.get_by_label("for").select_option("30")
    ann.press("Watch No-Limit Hold'em now")
    ann.page.locator("#main.table .board").wait_for()
    assert 5 == sum(url.endswith(at) for url in looked)
    asked(quick, "DELETE", f"{at}/players/{seat['playerID']}", key=seat["key"])


@pytest.mark.nightly
@pytest.mark.slow
def test_whoever_only_watches_says_how_long_a_turn_takes(person: Callable[..., Person]) -> None:
    """In the form for a table: all seats are for bots then, and nobody has to move."""
    ann = person()
    ann.says("ann")
    ann.press("Create a table")
    form = ann.page.locator("form.make")
    form.locator("select").first.select_option("liars-dice")
    assert not form.get_by_label("Each turn takes at least").count()
    form.get_by_label("I only watch the bots").check()
    form.get_by_label("Each turn takes at least").select_option(label="2 seconds")
    for _ in range(2):
        form.get_by_role("button", name="Add a bot").click()
    assert not barriers(ann.page)
    with ann.page.expect_request(lambda request: request.method == "POST") as made:
        form.get_by_role("button", name="Create the table").click()
    assert 2 == made.value.post_data_json["bots_pause"]
    ann.press("Begin")
    ann.page.locator("#main.table .board").wait_for()
    assert ["house", "house"] == [each["way"] for each in asked_of(ann)["players"]]


def asked_of(person: Person) -> Any:
    """The table at which somebody is, as anybody may see it."""
    return person.page.evaluate("fetch(`/api${location.pathname}`).then((answer) => answer.json())")


@pytest.mark.slow
def test_a_phone_shows_the_names_and_what_can_be_done(person: Callable[..., Person]) -> None:
    """Hold'em at 360 px: names are not cut, nothing is printed over them, and the moves are below the own cards."""
    ann = person(**PHONE)
    ann.go()
    ann.press("Play No-Limit Hold'em now")
    assert ann.is_asked()
    assert 0 == ann.page.evaluate(
        "[...document.querySelectorAll('.k-name, .k-name span')].filter((name) => name.scrollWidth > name.clientWidth + 1).length"
    )
    name, stats = (ann.page.locator(f".is-own {part}").bounding_box() for part in (".k-name", ".k-stats"))
    assert name["x"] + name["width"] <= stats["x"] or name["y"] + name["height"] <= stats["y"]
    hand, moves = (ann.page.locator(part).bounding_box() for part in (".is-own .k-hand", ".dock"))
    assert hand["y"] + hand["height"] <= moves["y"] < TURN_TOP_MAX


@pytest.mark.slow
def test_results_lead_to_their_report(person: Callable[..., Person]) -> None:
    """The folders are listed with what they hold, and each is a link to its report."""
    ann = person()
    ann.go()
    ann.page.get_by_role("link", name="Results", exact=True).click()
    folder = ann.page.get_by_role("link", name="spring cup")
    folder.wait_for()
    assert "Liar's Dice" in ann.page.locator(".card").inner_text()
    assert "2 bots, 2 matches" in ann.page.locator(".card").inner_text()
    assert ([], 0) == (barriers(ann.page), widest(ann.page))
    folder.click()
    ann.page.get_by_role("link", name="All matches").wait_for()
    assert ann.page.url.endswith("/results/spring%20cup")


@pytest.mark.slow
def test_what_is_not_there_is_said_with_a_way_back(person: Callable[..., Person]) -> None:
    """A match and a table that do not exist; back leads to the page before."""
    ann = person()
    ann.go()
    with expecting(ann, "404"):
        ann.go("/matches/nothing")
        ann.page.get_by_role("heading", name="This match cannot be shown").wait_for()
        assert ann.page.get_by_role("alert").inner_text().endswith(".")
        ann.go("/tables/nothing")
        ann.page.get_by_role("heading", name="This table is not open").wait_for()
    ann.page.get_by_role("link", name="To the games and tables").click()
    ann.page.get_by_role("heading", name="Play the bots").wait_for()
    assert ann.page.evaluate("document.activeElement.tagName") == "H1"


@pytest.mark.slow
def test_a_code_is_read_however_it_is_written(quick: Served, person: Callable[..., Person]) -> None:
    """In capitals too; nothing, a link of another server, and other words get sentences of their own."""
    id = asked(quick, "POST", "/api/tables", {"game": "blef"})["id"]
    ann = person()
    ann.go()
    wrong = {
        " ": "Paste the link of a table here",
        f"http://example.org/tables/{id}": "a link of another server",
        "a b": "neither the link of a table nor its code",
    }
    for text, said in wrong.items():
        ann.page.get_by_label("Link or code of a table").fill(text)
        ann.press("Go there")
        ann.page.get_by_role("alert").filter(has_text=said).wait_for()
    ann.page.get_by_label("Link or code of a table").fill(id.upper())
    ann.press("Go there")
    ann.page.get_by_role("heading", name="Take a seat").wait_for()


@pytest.mark.slow
def test_light_or_dark_and_suits_are_kept(person: Callable[..., Person]) -> None:
    """They are chosen once, and for all pages, reports too: `arena-theme`."""
    ann = person(color_scheme="light")
    ann.go()
    ann.page.get_by_role("button", name="Switch between light and dark").click()
    ann.page.get_by_role("button", name="Four-colour suits").click()
    assert ann.page.evaluate("localStorage.getItem('arena-theme')") == "dark"
    ann.page.reload()
    found = ann.page.evaluate("({...document.documentElement.dataset})")
    assert {"theme": "dark", "suits": "four"} == found


def test_the_shell_says_what_it_needs_without_scripts() -> None:
    """Inline scripts and styles are forbidden by the server; without scripts there is a sentence."""
    shell = (Path(arena.__file__).parent / "page" / "site.html").read_text(encoding="utf-8")
    assert "<noscript>" in shell
    assert "style=" not in shell
    assert "<style" not in shell
    assert shell.count("<script") == shell.count("<script src=") + shell.count('<script type="module" src=')
