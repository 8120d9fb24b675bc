"""A results folder in a browser: from its report to all of its matches, and each of them in the player."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from site_people import Person, expecting
from test_site_pages import barriers

FOLDER = "/results/spring%20cup"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_report_leads_to_every_match(person: Callable[..., Person]) -> None:
    """It runs its own script under the server's policy; the list of matches, and one of them to its end."""
    ann = person()
    ann.go(FOLDER)
    ann.page.locator("section#leaderboard").wait_for()
    ann.page.get_by_role("button", name="Switch between light and dark").click()  # by its script
    ann.page.get_by_role("link", name="All matches", exact=True).click()
    ann.page.get_by_role("heading", name="Matches of spring cup").wait_for()
    rows = ann.page.locator(".rows a")
    rows.first.wait_for()
    assert 2 == rows.count()
    assert ann.page.get_by_role("status").inner_text() == "2 matches"
    assert not barriers(ann.page)
    ann.page.get_by_label("Played by").select_option("bob")
    ann.page.wait_for_url("**/matches?bot=bob")
    rows.first.click()
    ann.page.get_by_role("group", name="Match player").wait_for()
    assert ann.page.url.startswith(f"{ann.home}{FOLDER}/matches/")
    ann.page.get_by_role("button", name="Last step").click()
    assert not barriers(ann.page)
    assert ann.page.locator("main > p").first.inner_text().startswith("1. ")
    ann.page.get_by_role("link", name="All matches of spring cup").click()
    rows.first.wait_for()


@pytest.mark.slow
def test_a_folder_or_match_that_is_not_there_is_said(person: Callable[..., Person]) -> None:
    ann = person()
    with expecting(ann, "404"):
        ann.go("/results/gone")
        assert "No results folder is called that." in ann.page.get_by_role("status").inner_text()
        ann.go("/results/gone/matches")
        ann.page.get_by_role("alert").get_by_text("no results folder is called that", exact=False).wait_for()
        ann.go(f"{FOLDER}/matches/0123456789ab")
        ann.page.get_by_role("heading", name="This match cannot be shown").wait_for()


@pytest.mark.nightly
@pytest.mark.slow
def test_the_whole_match_comes_to_its_moment(person: Callable[..., Person]) -> None:
    """Who came for a moment keeps the focus, the pace and the step when the rest is there."""
    ann, held = person(), list[Any]()
    ann.go(f"{FOLDER}/matches")
    match = ann.page.locator(".rows a").first.get_attribute("href")
    ann.page.route("**/film?first=0", lambda route: held.append(route))
    ann.go("/")  # the address of a moment alone would not load the page anew
    ann.go(f"{match}#step=9")
    where, pace = (ann.page.locator(f"[data-part={name}]") for name in ("where", "pace"))
    pace.select_option(label="½×")
    ann.opens("Ask a bot")
    with ann.page.expect_request("**/film?first=0"):
        ann.press("Next step")
    ann.page.get_by_text("One moment…").wait_for()
    assert where.inner_text().startswith("Step 10 of ")
    held[0].continue_()
    ann.page.get_by_text("Asked 20 times").wait_for()
    assert "at step 10?" in ann.page.get_by_role("region", name="Ask a bot").inner_text()
    assert where.inner_text().startswith("Step 10 of ")
    assert "next" == ann.page.evaluate("document.activeElement.dataset.part")
    assert "½×" == pace.locator(":checked").inner_text()
    ann.press("First step")
    assert where.inner_text().startswith("Step 1 of ")


@pytest.mark.slow
def test_only_an_embedded_match_stands_alone(person: Callable[..., Person]) -> None:
    """Whoever goes on from there has the whole site again."""
    ann = person()
    ann.go(f"{FOLDER}/matches")
    match = ann.page.locator(".rows a").first.get_attribute("href")
    ann.go(f"{match}#step=2&embed")
    ann.page.get_by_role("group", name="Match player").wait_for()
    masthead = ann.page.locator(".masthead")
    assert not masthead.is_visible()
    ann.page.evaluate(
        "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }",
        f"{FOLDER}/matches",
    )
    ann.page.locator(".rows a").first.wait_for()
    assert masthead.is_visible()


@pytest.mark.slow
def test_a_bot_is_asked_at_a_moment(person: Callable[..., Person]) -> None:
    """One press on the page of a moment tells what a house bot would have done there; another step is another
    question."""
    ann = person()
    ann.go(f"{FOLDER}/matches")
    match = ann.page.locator(".rows a").first.get_attribute("href")
    ann.go(f"{match}#step=3")
    ann.opens("Ask a bot")
    panel = ann.page.get_by_role("region", name="Ask a bot")
    panel.get_by_text("Asked 20 times").wait_for()
    shares = [int(each.removesuffix(" %")) for each in panel.locator("li b").all_inner_texts()]
    assert abs(sum(shares) - 100) <= len(shares)
    assert "at step 3?" in panel.inner_text()
    assert not panel.get_by_role("button", name="Ask", exact=True).count()
    assert not barriers(ann.page)
    ann.press("Step back")
    panel.get_by_label("Bot", exact=True).select_option("random")
    panel.get_by_role("button", name="Ask", exact=True).click()
    panel.locator("li").nth(3).wait_for()
    assert "In the match, " in panel.inner_text()


@pytest.mark.slow
def test_chances_stand_where_the_board_can_say_them(person: Callable[..., Person]) -> None:
    """Before the first bid there is nothing to say; after it, how often it is true as whoever is asked sees it."""
    ann = person()
    ann.go(f"{FOLDER}/matches")
    match = ann.page.locator(".rows a").first.get_attribute("href")
    ann.go(f"{match}#step=2")
    ann.opens("Ask a bot")
    panel = ann.page.get_by_role("region", name="Ask a bot")
    panel.get_by_text("Asked 20 times").wait_for()
    assert not panel.get_by_label("Chances").count()
    ann.press("Next step")
    assert re.search(r"alone, the bid of .+ is true in .*\d%", panel.get_by_label("Chances").inner_text())


@pytest.mark.slow
def test_from_a_loss_to_what_a_bot_would_have_done_are_two_clicks(person: Callable[..., Person]) -> None:
    """The first leads to the moment at which most was lost, as the loser saw it; the second asks."""
    ann = person()
    ann.page.goto(f"{ann.home}{FOLDER}#bot-2")
    loss = ann.page.get_by_role("link", name=re.compile(r"^Step \d+$")).first
    said = loss.inner_text()
    loss.click()
    ann.page.get_by_text(re.compile(rf"^{said} of ")).wait_for()
    assert ann.page.locator("[data-part=views] input:checked").count()
    assert not ann.page.get_by_role("radio", name="everything").is_checked()
    ann.opens("Ask a bot")
    ann.page.get_by_text("Asked 20 times").wait_for()
    asked = int(
        ann.page.get_by_role("region", name="Ask a bot").inner_text().split("at step ")[1].split("?")[0]
    )
    assert asked < int(said.removeprefix("Step "))


@pytest.mark.slow
def test_a_person_plays_on_from_a_moment(person: Callable[..., Person]) -> None:
    """In the seat of whoever was asked, where that one was, to the end of a match of its own."""
    ann = person()
    ann.says("eve")
    ann.go(f"{FOLDER}/matches")
    match = ann.page.locator(".rows a").first.get_attribute("href")
    ann.go(f"{match}#step=3")
    bid = ann.page.locator(".board .k-centre").inner_text().splitlines()[0]
    ann.opens("Ask a bot")
    ann.page.get_by_role("button", name="Play on from step 3").click()
    ann.page.wait_for_url("**/tables/*")
    assert ann.is_asked()
    assert bid == ann.page.locator(".board .k-centre").inner_text().splitlines()[0]
    ann.plays_on(Random(1))
