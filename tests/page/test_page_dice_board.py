"""The board of Liar's Dice: what is drawn, what stays hidden, how a person bids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scenes import dice_scene

pytestmark = pytest.mark.slow

SHOWDOWN = {
    "challenger": "bot-0", "bidder": "bot-2", "bid": [5, 4], "actual": 3, "loser": "bot-2",
    "hands": [["bot-0", [2, 5]], ["bot-1", [1, 6]], ["bot-2", [3, 5, 5]]],
}  # fmt: skip
AFTER_TWO_FOURS = [
    {"kind": "Bid", "form": ["<face>", "<count>"], "fields": {"face": {"min": 5, "max": 6}, "count": {"min": 2, "max": 2}}},
    {"kind": "Bid", "form": ["<face>", "<count>"], "fields": {"face": {"min": 1, "max": 6}, "count": {"min": 3, "max": 4}}},
    {"kind": "Challenge", "form": "challenge", "fields": {}},
]  # fmt: skip


def test_what_a_seat_does_not_know_lies_face_down(stage: Callable[..., Any]):
    """The own dice show their faces; of the others only their number is there."""
    shown = dice_scene([2, 3, 1], (4, 2), "bot-1", viewer=1)
    shown["own"][1] = shown["state"] | {"your_hand": [1, 4, 4]}
    page = stage().page
    page.evaluate("(scene) => draw(scene, 1)", shown)
    dice = {
        seat: (
            page.locator(f"[data-seat='{seat}'] .k-die").count(),
            page.locator(f"[data-seat='{seat}'] .is-hidden").count(),
        )
        for seat in range(3)
    }
    assert {0: (2, 2), 1: (3, 0), 2: (1, 1)} == dice
    assert "two dice face down" == page.get_attribute("[data-seat='0'] .k-dice", "aria-label")
    assert "dice 1 4 4" == page.get_attribute("[data-seat='1'] .k-dice", "aria-label")
    assert "two 4s" in page.inner_text(".k-centre")


def test_a_showdown_counts_the_dice_and_marks_the_loser(stage: Callable[..., Any]):
    """Those that match are marked and numbered through; the centre says how many there are of how many were bid."""
    page = stage().page
    shown = dice_scene([2, 2, 2], shown={"kind": "challenge", "fields": SHOWDOWN}, asked=[])
    page.evaluate("(scene) => draw(scene, 0)", shown)
    assert ["1", "2", "3"] == page.locator(".k-place .is-marked .k-number").all_inner_texts()
    assert "3 of 4" == page.inner_text(".k-figure")
    assert "loses a die" in page.inner_text(".k-place.is-lost")
    assert "2" == page.get_attribute(".k-place.is-lost", "data-seat")
    wild = shown | {
        "rules": {"wild_ones": True},
        "shown": {"kind": "challenge", "fields": SHOWDOWN | {"actual": 4}},
    }
    page.evaluate("(scene) => draw(scene, 0)", wild)
    assert 4 == page.locator(".k-place .is-marked").count()


def test_a_bid_on_the_table_stays_with_its_bidder(stage: Callable[..., Any]):
    """Also while others are asked; who challenges is said in a word, as the centre says the rest."""
    page = stage().page
    page.evaluate("(scene) => draw(scene, 0)", dice_scene([2, 2, 2], (5, 4), "bot-2", said=["", "", ""]))
    assert ["bids four 5s"] == page.locator(".k-bubble").all_inner_texts()
    said = [
        "challenges bot-2's bid of four 5s: there are three (…), so bot-2 loses a die",
        "",
        "bids four 5s",
    ]
    shown = {"kind": "challenge", "fields": SHOWDOWN}
    page.evaluate("(scene) => draw(scene, 0)", dice_scene([2, 2, 2], shown=shown, asked=[], said=said))
    assert ["loses a die", "challenges"] == page.locator(".k-bubble").all_inner_texts()


def test_only_legal_bids_can_be_made(stage: Callable[..., Any]):
    """Faces that the count does not allow are disabled; the button says what it will send."""
    page = stage().page
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)",
        [dice_scene([2, 2], (4, 2), "bot-1"), AFTER_TWO_FOURS],
    )
    assert [True, True, True, True, False, False] == [
        page.get_by_role("radio", name=f"a {face}").is_disabled() for face in range(1, 7)
    ]
    assert "Bid two 5s" == page.inner_text(".k-send")
    page.click("text=+")
    assert 0 == page.locator("input[type=radio]:disabled").count()
    page.get_by_role("radio", name="a 2").check()
    page.click(".k-send")
    page.click("text=Challenge bot-1’s bid of two 4s")
    assert [[2, 3], "challenge"] == page.evaluate("sent")


def test_a_bid_by_keyboard_alone(stage: Callable[..., Any]):
    """Tab to the number, type it; arrows among the faces; Enter sends."""
    page = stage().page
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)",
        [dice_scene([2, 2], (4, 2), "bot-1"), AFTER_TWO_FOURS],
    )
    page.focus("input[type=number]")
    page.keyboard.type("3")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert [[4, 3]] == page.evaluate("sent")
