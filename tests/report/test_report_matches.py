"""Matches in the report, as people follow them in the match player."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from daily import daily
from match_players import PHONE, SETTLED, STEPS, log_of, opened, over_all, pressed, step_of
from reports import films_of, reported, tournament

from arena.games import GAMES
from arena.page.boards import board_of
from arena.tournament.bots.game_source import find_game

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", daily({"blef", "holdem"}.__contains__, GAMES))
def test_every_match_can_be_followed_to_its_end(game: str, games: dict[str, Path], watched: Any) -> None:
    """From the first step to the last one by one; at its end every listed match agrees with the ranks, and nothing is asked for."""
    seen = watched()
    page = opened(seen.open(games[game]))
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
    ends, films = over_all(page), films_of(games[game])
    assert list(films) == [match for match, _, _ in ends]
    for match, said, marked in ends:
        film = films[match]
        first = sorted(name for name, rank in zip(film["names"], film["ranks"], strict=True) if rank == 1)
        assert match in said
        assert said.startswith(tuple(f"1. {name}" for name in first))
        assert board_of(GAMES[game]) is None or first == marked
    assert [] == seen.troubles


def test_what_a_seat_did_not_know_is_hidden(games: dict[str, Path], watched: Any) -> None:
    """As seen by one bot the other's dice lie face down, and its own do not; a spectator sees neither's."""
    page = opened(watched().open(games["liars-dice"]))
    page.click("[data-part=next]")
    views = page.locator(".views label")
    bots = views.all_inner_texts()[2:]

    def dice(bot: str) -> tuple[int, int]:
        """How many of a bot's dice show their faces, and how many do not."""
        place = page.locator(f".k-place[aria-label='{bot}']")
        hidden = place.locator(".k-die.is-hidden").count()
        return place.locator(".k-die").count() - hidden, hidden

    assert [(2, 0), (2, 0)] == [dice(bot) for bot in bots]
    assert 2 == log_of(page).count("rolls ")
    for place, bot in enumerate(bots):
        views.nth(2 + place).click()
        assert [(2, 0) if each == bot else (0, 2) for each in bots] == [dice(each) for each in bots]
        assert [bot] == [each for each in bots if f"{each} rolls " in log_of(page)]
    views.nth(1).click()
    assert [(0, 2), (0, 2)] == [dice(bot) for bot in bots]
    assert "rolls " not in log_of(page)


def test_a_game_without_board_and_sentences(tmp_path: Path, watched: Any) -> None:
    """Kuhn without its board is shown by the names of its fields; one bot's card is not there for the other."""
    kuhn = (Path(__file__).parents[2] / "examples" / "kuhn.py").read_text(encoding="utf-8")
    file = str(tmp_path / "plain.py")
    Path(file).write_text(
        f"{kuhn}# without a board\n", encoding="utf-8"
    )  # the same bytes would be the same module
    folder = tournament(tmp_path / "kuhn", find_game(file).cls(), ("ann", "bob"), series=1)
    seen = watched()
    page = opened(seen.open(reported(folder, game=file)))
    page.click("[data-part=next]")
    shown = page.locator(".board dt:text-matches('card')")
    own = page.locator(".board dt:text-matches('card') + dd").all_inner_texts()
    assert 2 == len(own)
    for place, card in enumerate(own):
        page.locator(".views label").nth(2 + place).click()
        assert [card] == page.locator(".board dt:text-matches('card') + dd").all_inner_texts()
    page.locator(".views label").nth(1).click()
    assert 0 == shown.count()
    assert [] == seen.troubles


def test_the_keys_step(games: dict[str, Path], watched: Any) -> None:
    """→ and ← step, with Shift by rounds, End and Home go to the ends, wherever in the player the focus is."""
    page = opened(watched().open(games["blef"]))
    page.focus("[data-part=next]")
    assert [2, 3, 2, step_of(page)[1], 1] == pressed(
        page, "ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"
    )
    keys = ["Shift+ArrowRight"] * 3 + ["Shift+ArrowLeft"]
    first, second, third, again = pressed(page, *keys)
    assert first < second < third
    assert second == again
    assert page.inner_text("[data-part=where]").startswith(f"Step {again} of ")
    assert "round 2" in page.inner_text("[data-part=where]")


def test_space_presses_the_button_that_has_the_focus(games: dict[str, Path], watched: Any) -> None:
    """On a button it presses that one only; elsewhere in the player it plays and pauses."""
    page = opened(watched().open(games["blef"]))
    page.focus("[data-part=next]")
    assert [2, 3] == pressed(page, " ", " ")
    label = "document.querySelector('[data-part=play]').ariaLabel"
    assert "Play" == page.evaluate(label)
    page.focus("[data-part=log]")
    page.keyboard.press(" ")
    page.wait_for_function(f"{label} === 'Pause'")
    page.keyboard.press(" ")
    page.wait_for_function(f"{label} === 'Play'")


def test_the_arrows_step_without_the_focus_if_the_player_is_in_sight(
    games: dict[str, Path], watched: Any
) -> None:
    """→ steps as soon as the player is on the screen; Home, fields and boxes that scroll keep their own keys."""
    page = opened(watched(**PHONE).open(games["blef"]))
    assert [1] == pressed(page, "ArrowRight"), "the top of the page is on the screen"
    page.evaluate("document.querySelector('.player').scrollIntoView()")
    assert [2, 3, 2] == pressed(page, "ArrowRight", "ArrowRight", "ArrowLeft")
    assert [2] == pressed(page, "Home")
    page.evaluate("document.querySelector('.player').scrollIntoView()")
    page.evaluate("document.querySelector('#matches .box').focus({ preventScroll: true })")
    assert [2] == pressed(page, "ArrowRight"), "this box scrolls sideways"
    page.evaluate("document.querySelector('.views input').focus({ preventScroll: true })")
    assert [2] == pressed(page, "ArrowRight"), "the next view"
    assert page.locator(".views input").nth(1).is_checked()


def test_a_link_leads_to_a_step(games: dict[str, Path], watched: Any) -> None:
    """The address names match, step and seat; opened anew it leads there."""
    page = watched().open(games["blef"])
    match = page.locator("tr[data-match]").nth(1).get_attribute("data-match")
    for step, at in (("", 1), ("&step=3", 3), ("&step=99999", None), ("&step=0", 1), ("&step=no", 1)):
        page.goto("about:blank")
        page.goto(f"{games['blef'].as_uri()}#match={match}{step}")
        opened(page, match)
        assert match in page.inner_text("[data-part=result]")
        assert (at or step_of(page)[1]) == step_of(page)[0]
    page.goto("about:blank")
    page.goto(f"{games['blef'].as_uri()}#match={match}")
    opened(page, match)
    pressed(page, "ArrowRight", "ArrowRight")
    page.locator(".views label").nth(3).click()
    there = f"#match={match}&step=3&seat=1"
    page.wait_for_selector(f"[data-part=link][href='{there}']")
    page.wait_for_url(f"**{there}")
    page.reload()
    opened(page, match)
    assert 3 == step_of(page)[0]
    assert page.locator(".views input").nth(3).is_checked()


def test_embedded_the_player_stands_alone(games: dict[str, Path], watched: Any) -> None:
    """With `&embed` there is the match and nothing of the report; its address stays so."""
    page = watched().open(games["blef"])
    match = page.locator("tr[data-match]").nth(1).get_attribute("data-match")
    page.goto("about:blank")
    page.goto(f"{games['blef'].as_uri()}#match={match}&step=3&embed")
    opened(page, match)
    assert page.is_visible(".player .board")
    assert 0 == page.locator("h1:visible, h2:visible, table:visible, footer:visible, #theme:visible").count()
    pressed(page, "ArrowRight")
    page.wait_for_url(f"**#match={match}&step=4&embed")
    assert not page.evaluate(f"({SETTLED})()")


def test_a_match_that_is_not_here_is_said(games: dict[str, Path], watched: Any) -> None:
    """A link to a match that the report does not hold says so and names the command; what is written there stays text."""
    seen = watched()
    page = seen.page
    page.goto(f"{games['blef'].as_uri()}#match=feedfacecafe&step=3")
    said = page.locator("[data-part=absent]")
    said.wait_for()
    assert (
        "The match feedfacecafe is not in this report. arena replay feedfacecafe shows it"
        in said.inner_text()
    )
    page.goto("about:blank")
    page.goto(f"{games['blef'].as_uri()}#match=%3Cimg src=x onerror=alert(1)%3E{'x' * 200}&embed")
    said.wait_for()
    assert "<img src=x onerror=alert(1)>xxx" in said.inner_text()
    assert "x" * 100 not in said.inner_text()
    match = page.locator("tr[data-match]").first
    page.evaluate("document.querySelector('tr[data-match] a').click()")
    opened(page, match.get_attribute("data-match"))
    assert 0 == said.count()
    assert [] == seen.troubles


def test_a_bots_page_leads_to_the_moment_of_its_loss(games: dict[str, Path], watched: Any) -> None:
    """The sentence is what happened at the step that the link opens, as that bot saw it."""
    page = watched().open(games["chamber"], "#bot-3")
    link = page.locator("#bot-3 a[data-step]").first
    said = link.locator("xpath=..").inner_text().partition(": ")[2]
    name = page.inner_text("#bot-3-name")
    link.click()
    opened(page)
    now = page.locator("[data-part=log] .now").all_inner_texts()
    assert any(each in " ".join(now) for each in said.split("; "))
    assert f"{name}" == page.locator(".views label:has(:checked)").inner_text()


def test_thinking_times_have_the_limit_of_the_tournament(games: dict[str, Path]) -> None:
    assert {1.0} == {film["move_s"] for film in films_of(games["holdem"]).values()}


def test_without_scripts_the_course_of_a_match_can_be_read(games: dict[str, Path], chromium: Any) -> None:
    """No link leads nowhere, and the list of matches says where each was lost."""
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(games["liars-dice"].as_uri())
    assert "The largest loss, at step" in page.inner_text("#matches")
    page.locator("#leaderboard th a").last.click()
    link = page.locator("article.bot:visible a[data-step]").first
    match = link.get_attribute("href").removeprefix("#match-")
    link.click()
    assert page.locator(f"#match-{match}").is_visible()
    context.close()
