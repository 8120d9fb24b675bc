"""Whole matches of people at a real server, in a real browser: by mouse, by keyboard, by words."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from daily import daily, nightly
from site_people import Person

from tests.server.served import Served

RULES = {
    "Liar's Dice": {"dice": "2"},
    "No-Limit Hold'em": {"hands": "3"},
    "Bluff": {"plays max": "12"},
    "Blef": {},
    "Chamber": {"lives": "2"},
}
"""House rules that make matches short."""


@pytest.mark.slow
@pytest.mark.parametrize("title", daily("No-Limit Hold'em".__eq__, RULES))
def test_a_person_plays_a_whole_match_by_mouse(title: str, person: Callable[..., Person]) -> None:
    """From a table of one's own to who wins, and to the match with nothing hidden."""
    ann = person()
    ann.says("ann")
    ann.makes_table(title, RULES[title], ("random",))
    ann.press("Begin")
    ann.plays_on(Random(title))
    said = ann.page.locator(".outcome").inner_text()
    assert said.endswith(("wins", "share first place", "A draw"))
    ann.page.get_by_role("link", name="Watch the whole match").click()
    ann.page.get_by_role("group", name="Match player").wait_for()
    ann.page.get_by_role("button", name="Last step").click()
    assert ann.page.locator("main > p").first.inner_text().startswith("1. ")
    assert "everything" in ann.page.locator("[data-part=views]").inner_text()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_match_is_played_with_a_finger_on_a_phone(person: Callable[..., Person]) -> None:
    """Taps on what a small screen shows; then one more match with the same people."""
    ann = person(viewport={"width": 360, "height": 740}, has_touch=True)
    ann.says("ann")
    # With one die each, the second match may be over before anything is asked: the only move that there is, a
    # server makes by itself.
    ann.makes_table("Liar's Dice", {"dice": "3"}, ("random",))
    ann.page.get_by_role("button", name="Begin").tap()
    ann.plays_on(Random(1), by="tap")
    ann.page.get_by_role("button", name="Rematch").tap()
    ann.page.locator(".outcome").wait_for(state="detached")
    assert ann.is_asked()


@pytest.mark.slow
def test_a_match_is_played_by_keyboard_alone(person: Callable[..., Person]) -> None:
    """Two clicks without a mouse: Tab to the game, Enter; the first move in typed words; then on by Tab and Enter."""
    ann = person()
    ann.go()
    ann.page.get_by_role("button", name="Play Liar's Dice now").wait_for()
    for _ in range(30):
        ann.page.keyboard.press("Tab")
        if ann.page.evaluate("document.activeElement.ariaLabel") == "Play Liar's Dice now":
            break
    ann.page.keyboard.press("Enter")
    assert ann.is_asked()
    ann.plays_by_keyboard(Random(3))


@pytest.mark.slow
def test_a_move_is_typed_and_a_wrong_one_gets_the_servers_sentence(
    quick: Served, person: Callable[..., Person]
) -> None:
    """Words are read as the terminal reads them; what is not legal is told, and the turn goes on."""
    ann = person()
    ann.go()
    ann.page.get_by_role("button", name="Play Blef now").click()
    assert ann.is_asked()
    ann.page.get_by_text("or type it").click()
    field = ann.page.get_by_label("or type it")
    with_refusal = ann.page.get_by_role("alert").filter(has_text="legal move now")
    field.fill("dance")
    ann.troubles.clear()
    field.press("Enter")
    with_refusal.wait_for()
    ann.troubles[:] = [each for each in ann.troubles if "400" not in each]
    field.fill("bet 80")
    field.press("Enter")
    ann.page.locator(".log", has_text="Guest bets").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("title", ["Blef", *nightly("Liar's Dice", "Chamber")])
def test_what_the_field_for_words_shows_can_be_typed(title: str, person: Callable[..., Person]) -> None:
    """Its first example is a move, in small letters but for the names of players."""
    ann = person()
    ann.go()
    ann.press(f"Play {title} now")
    assert ann.is_asked()
    ann.page.get_by_text("or type it").click()
    example = ann.page.locator(".typed code").first.inner_text()
    plain = example.replace("Guest", "guest")
    assert plain == plain.lower()
    ann.page.get_by_label("or type it").fill(example)
    with ann.page.expect_response("**/moves") as answer:
        ann.page.locator(".typed button").click()
    assert answer.value.ok, answer.value.text()
