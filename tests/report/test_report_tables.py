"""The report's tables in a real browser: too wide for a phone, too long to read, and crossed with the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_report_browser import PHONE

pytestmark = pytest.mark.slow

COLUMN = "(table, place) => [...table.tBodies[0].rows].map(row => row.cells[place].textContent)"
VALUES = "(table, place) => [...table.tBodies[0].rows].map(row => Number(row.cells[place].dataset.value))"
FOCUSED = "document.activeElement.textContent"


def test_a_wide_table_on_a_phone_says_so(games: dict[str, Path], watched: Any) -> None:
    """What sticks out fades and is told of, the names stay while the rest moves, and the keys can scroll it."""
    page = watched(**PHONE).open(games["holdem"])
    box, name = page.locator("#leaderboard .box"), page.locator("#leaderboard tbody th").first
    assert page.is_visible("#leaderboard .hint")
    assert ("region", "0") == (box.get_attribute("role"), box.get_attribute("tabindex"))
    assert "box more-right" == box.get_attribute("class")
    assert "gradient" in box.evaluate("each => getComputedStyle(each).maskImage")
    box.evaluate("each => each.scrollTo(each.scrollWidth, 0)")
    page.wait_for_selector("#leaderboard .box.more-left:not(.more-right)")
    assert 0 <= name.bounding_box()["x"] - box.bounding_box()["x"] < 3


def test_a_table_that_fits_has_no_hint(games: dict[str, Path], watched: Any) -> None:
    """On a desk nothing is said of columns, and the box is no stop of the Tab key."""
    page = watched().open(games["holdem"])
    box = page.locator("#leaderboard .box")
    assert ("box", None) == (box.get_attribute("class"), box.get_attribute("tabindex"))
    assert 0 == page.locator("#leaderboard .hint:visible").count()


def test_tables_sort(crowd: Path, watched: Any) -> None:
    """A press on a head sorts by what its cells mean, the next turns it round, the third restores the order."""
    page = watched().open(crowd)
    table = page.locator("#leaderboard table")
    head = table.locator("th[scope=col]", has_text="Median time")
    table.evaluate(
        "table => [...table.tBodies[0].rows].forEach((row, place) => { row.cells[11].dataset.value = 7 * place % 20; })"
    )
    first, times = table.evaluate(COLUMN, 1), table.evaluate(VALUES, 11)
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert ("descending", sorted(times, reverse=True)) == (
        head.get_attribute("aria-sort"),
        table.evaluate(VALUES, 11),
    )
    page.keyboard.press("Space")
    assert ("ascending", sorted(times)) == (head.get_attribute("aria-sort"), table.evaluate(VALUES, 11))
    table.get_by_role("button", name="Bot").click()
    assert ([head.get_attribute("aria-sort")], sorted(first)) == ([None], table.evaluate(COLUMN, 1))
    head.locator("button").click(click_count=3)
    assert (None, first) == (head.get_attribute("aria-sort"), table.evaluate(COLUMN, 1))


def test_numbers_sort_as_numbers_and_what_is_missing_comes_last(crowd: Path, watched: Any) -> None:
    """`−1.2M` is less than `16,120`; the dash of the last bot stays at the end either way."""
    page = watched().open(crowd)
    table = page.locator("#leaderboard table")
    said = ["7 (1–9)", "−12.5 ± 3", "16,120", "1.2M", "−1.2M", "+8", ">99%", "0.5"]
    table.evaluate(
        "(table, said) => said.forEach((text, place) => { table.tBodies[0].rows[place].cells[4].textContent = text; })",
        said,
    )
    table.locator("th button", has_text="Matches").click()
    ordered = [text for text in table.evaluate(COLUMN, 4) if text in said]
    assert ["1.2M", "16,120", ">99%", "+8", "7 (1–9)", "0.5", "−12.5 ± 3", "−1.2M"] == ordered
    for _ in range(2):
        table.locator("th button", has_text="Better than next").click()
        assert "–" == table.evaluate(COLUMN, 3)[-1]


def test_large_tables_filter(crowd: Path, hostile: Path, watched: Any) -> None:
    """All words typed must be in the row's texts; the rows are counted, all are printed, small tables have no field."""
    page = watched().open(crowd)
    field = page.get_by_label("Filter: Bots, best first")
    visible = page.locator("#leaderboard tbody tr:visible")
    field.fill("NAME-07 lóng")
    (name,) = visible.locator("th").all_inner_texts()
    assert name.startswith("a-bot-with-a-long-name-07 v1 ")
    assert "1 of 20 rows" == page.inner_text("#leaderboard [role=status]")
    field.fill("76")
    assert 0 == visible.count(), "numbers are not searched: every bot has 76 matches"
    page.emulate_media(media="print")
    assert 20 == visible.count()
    page.emulate_media(media="screen")
    field.fill("")
    assert 20 == visible.count()
    assert 0 == watched().open(hostile).locator("#leaderboard input").count()


def test_the_keyboard_jumps_over_heads_and_names(crowd: Path, watched: Any) -> None:
    """The first Tab offers to skip to the leaderboard, before it one skips all its links; a bot's page stays shown."""
    page = watched().open(crowd)
    page.keyboard.press("Tab")
    assert "Skip to the leaderboard" == page.evaluate(FOCUSED)
    assert page.locator(".skip:focus").bounding_box()["width"] > 100, "it is seen when it has the focus"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert "Skip this table" == page.evaluate(FOCUSED)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#ratings') !== null")
    page.goto(f"{crowd.as_uri()}#bot-1")
    page.locator("article:visible .skip").first.press("Enter")
    assert page.is_visible("#bot-1")


def test_head_to_head_keeps_its_heads(crowd: Path, watched: Any) -> None:
    """However far the table is scrolled in its box, the bots of row and column are named beside each cell."""
    page = watched(**PHONE).open(crowd)
    box = page.locator(".matrix")
    box.scroll_into_view_if_needed()
    box.evaluate("each => each.scrollTo(each.scrollWidth, each.scrollHeight)")
    edge, column, row = (
        page.locator(which).bounding_box()
        for which in (".matrix", ".matrix thead th:last-child", ".matrix tbody tr:last-child th")
    )
    assert edge["height"] < 740
    assert 0 <= column["y"] - edge["y"] < 3
    assert 0 <= row["x"] - edge["x"] < 3
    assert column["x"] + column["width"] <= edge["x"] + edge["width"] + 1
