"""The end of a match in the match player: why, the step that decided, and who was ahead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_match_player import film, part, player, where  # noqa: F401  a fixture

import arena.page

pytestmark = pytest.mark.slow

DECIDED = {"turn": 2, "said": "bob challenged a true bid of two Ks: there were two"}


def amounts(page: Any) -> list[str]:
    """What is written beside the lines: who has how much at this step."""
    return [" ".join(said.split()) for said in part(page, "ahead").locator("li").all_inner_texts()]


def held(shown: dict[str, Any], **holdings: list[float]) -> dict[str, Any]:
    """The film with what the seats hold from the steps `s0`, `s1`, … on."""
    for step, now in holdings.items():
        shown["steps"][int(step[1:])]["holdings"] = now
    return shown


def test_why_it_ended_so_and_where(player: Callable[..., Any]) -> None:  # noqa: F811
    """The sentence is there from the start, one press leads to its step, and the step is marked."""
    page = player(film(decided=DECIDED))
    assert part(page, "decided").inner_text() == f"Why: {DECIDED['said']}."
    part(page, "decisive").click()
    assert where(page).startswith("Step 4 of 6, hand 1")
    assert where(page).endswith("★ this decided it")
    assert part(page, "decisive").inner_text() == "This is the moment"
    page.evaluate("(json) => open_film(json)", film(decided=None))
    assert 0 == part(page, "decided").count() == part(page, "decisive").count()
    page.evaluate("(json) => open_film(json)", film(decided=DECIDED, status="playing", ranks=None))
    assert 0 == part(page, "ending").count(), "not before it is over"


def test_a_step_that_is_left_out_is_not_offered(player: Callable[..., Any]) -> None:  # noqa: F811
    """As in a report, where a long match is cut: the sentence stays."""
    page = player(film(decided={"turn": 77, "said": "bob slept"}))
    assert part(page, "decided").inner_text() == "Why: bob slept."
    assert 0 == part(page, "decisive").count()


def test_who_was_ahead(player: Callable[..., Any]) -> None:  # noqa: F811
    """A line for each seat, told apart without colours; numbers at this step; the lead in words."""
    page = player(held(film(), s0=[5, 5], s3=[5, 2], s5=[6, 0]))
    lines = page.locator("[data-part=ahead] polyline")
    dashes = lines.evaluate_all("(all) => all.map((each) => each.getAttribute('stroke-dasharray'))")
    assert 2 == len(set(dashes))
    low = lines.evaluate_all(
        "(all) => all.map((each) => Number(each.getAttribute('points').split(',').at(-1)))"
    )
    assert low[0] < low[1], "more is higher"
    said = page.locator("[data-part=ahead] > svg").get_attribute("aria-label")
    assert said == "Who was ahead: nobody from step 1, ann from step 4"
    assert amounts(page) == ["ann 5", "bob 5"]
    part(page, "last").click()
    assert amounts(page) == ["ann 6", "bob 0"]
    assert "leads" in str(part(page, "ahead").locator("li").first.get_attribute("class"))
    page.evaluate("(json) => open_film(json)", film())
    assert 0 == part(page, "ahead").count(), "of a game that names nothing there is none"


def test_won_and_lost_have_signs(player: Callable[..., Any]) -> None:  # noqa: F811
    """Chips won or lost are signed; cards that nobody wants are only counted."""
    page = player(held(film(), s0=[0, 0], s3=[1500, -1500]), start={"step": 4})
    assert amounts(page) == ["ann +1,500", "bob −1,500"]
    page = player(held(film(), s0=[-5, -7]))
    assert amounts(page) == ["ann 5", "bob 7"]


def test_the_line_is_small() -> None:
    """It is on every page with a match."""
    assert (Path(arena.page.__file__).parent / "player" / "ahead.js").stat().st_size <= 3 << 10
