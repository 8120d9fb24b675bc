"""The board of Bluff: hands and pile, claim and accusation, and how a person plays and accuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scenes import scene

pytestmark = pytest.mark.slow

BOARD = "games/bluff/board.js"
NAMES = ["ann", "bob", "cat"]
HAND = ["AS", "3D", "KC", "KS"]
CHALLENGE = {
    "accuser": "cat", "player": "bob", "claim": "K", "cards": ["3C", "KD", "KH"], "bluff": True, "taker": "bob",
    "pile_size": 5,
}  # fmt: skip


def bluff_scene(asked: str = "play", claims: str = "sequence", **others: Any) -> dict[str, Any]:
    """Ann is to play kings; or bob has claimed two queens, and the others are asked."""
    state = {
        "you": None,
        "asked": asked,
        "current_player": "ann" if asked == "play" else "bob",
        "hand": [],
        "pile_size": 6,
        "hand_sizes": [["ann", 4], ["bob", 20], ["cat", 1]],
        "claim_due": "K" if claims == "sequence" else None,
        "last_play": {"player": "bob", "count": 2, "claim": "Q"},
        "last_challenge": None,
    }
    acts = [0] if asked == "play" else [2, 0]
    rules = {"claims": claims, "plays_max": 300}
    shown = scene(NAMES, state, game="bluff", rules=rules, asked=acts, viewer=0)
    shown["own"][0] = state | {"you": "ann", "hand": HAND}
    return shown | others


def options_on_turn(*claims: str | None) -> list[dict[str, Any]]:
    fields = {"cards": {"subset_of": HAND, "least": 1, "most": 4}, "claim": {"one_of": list(claims)}}
    return [{"kind": "Play", "form": {"play": "<cards>", "claim": "<claim>"}, "fields": fields}]


def test_only_the_own_hand_lies_open(stage: Callable[..., Any]) -> None:
    """Others have backs, at most fourteen are drawn, and how many there are is told."""
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, 0)", bluff_scene("accuse"))
    hands = [page.locator(f"[data-seat='{seat}'] .k-cards") for seat in range(3)]
    assert "ace of spades, three of diamonds, king of clubs, king of spades" == hands[0].get_attribute(
        "aria-label"
    )
    assert "20 cards face down" == hands[1].get_attribute("aria-label")
    assert [0, 14, 1] == [hand.locator(".is-hidden").count() for hand in hands]
    assert "“two queens”" in page.inner_text(".k-centre")
    assert "a pile of six cards" == page.get_attribute(".k-pile", "aria-label")


def test_cards_to_choose_from_lie_in_the_controls_alone(stage: Callable[..., Any]) -> None:
    """Of a seat that is to play now; looking back, and in replays, the hand lies at its place."""
    page = stage(BOARD).page
    now = bluff_scene(live=True, step=8)
    for shown, hands in ((now, 0), (now | {"step": 7}, 1), (now | {"live": False}, 1)):
        page.evaluate("(scene) => draw(scene, 0)", shown)
        assert hands == page.locator("[data-seat='0'] .k-cards").count()


def test_an_accusation_shows_which_cards_were_as_claimed(stage: Callable[..., Any]) -> None:
    """Each is marked true or not, in words for who does not see it; who takes the pile is told and marked."""
    page = stage(BOARD).page
    shown = bluff_scene(shown={"kind": "challenge", "fields": CHALLENGE})
    shown["state"]["pile_size"] = 0
    page.evaluate("(scene) => draw(scene, 0)", shown)
    row = page.locator(".bluff-centre .k-cards")
    assert ["✗", "✓", "✓"] == row.locator(".k-number").all_inner_texts()
    assert "three of clubs, not as claimed; king of diamonds, as claimed" in row.get_attribute("aria-label")
    assert "A bluff!" in page.inner_text(".k-centre")
    assert "bob takes the pile of five cards" in page.inner_text(".k-centre")
    accuser = page.locator(f".k-place[aria-label='{CHALLENGE['accuser']}'] .k-bubble")
    assert f"accuses {CHALLENGE['player']}" == accuser.inner_text()
    assert "1" == page.get_attribute(".k-place.is-lost", "data-seat")


def test_cards_are_played_as_what_is_due(stage: Callable[..., Any]) -> None:
    """Nothing can be played before a card is chosen; what is laid down and whether it is true is said."""
    page = stage(BOARD).page
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)", [bluff_scene(), options_on_turn("K", None)]
    )
    assert page.locator("[data-part=play]").is_disabled()
    page.click("[data-card='3D']")
    assert "three of diamonds face down and claim one king: a bluff." in page.inner_text("output")
    page.click("[data-part=fitting]")
    assert "claim two kings: true." in page.inner_text("output")
    page.click("[data-part=play]")
    assert [{"play": ["KC", "KS"]}] == page.evaluate("sent")


def test_a_free_claim_is_chosen(stage: Callable[..., Any]) -> None:
    """It is that of the first card until another one is chosen."""
    page = stage(BOARD).page
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)",
        [bluff_scene(claims="free_rank"), options_on_turn("A", "3", "K")],
    )
    page.click("[data-card='AS']")
    page.click("[data-part=play]")
    page.check("input[value='3']")
    page.click("[data-part=play]")
    assert [{"play": ["AS"], "claim": "A"}, {"play": ["AS"], "claim": "3"}] == page.evaluate("sent")


def test_playing_and_accusing_by_keyboard_alone(stage: Callable[..., Any]) -> None:
    """Arrows and the letter of a rank move among the cards, space chooses, B accuses and P passes."""
    page = stage(BOARD).page
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)", [bluff_scene(), options_on_turn("K", None)]
    )
    page.focus("[data-card='AS']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    answers = [
        {"kind": "Pass", "form": "pass", "fields": {}},
        {"kind": "Accuse", "form": "bluff", "fields": {}},
    ]
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)", [bluff_scene("accuse") | {"step": 2}, answers]
    )
    page.focus("[data-part=pass]")
    page.keyboard.press("b")
    page.keyboard.press("p")
    assert [{"play": ["3D", "KS"]}, "bluff", "pass"] == page.evaluate("sent")


def test_who_is_next_may_play_instead_of_passing(stage: Callable[..., Any]) -> None:
    """Below the buttons for an answer lie the cards to choose from; nobody else sees any."""
    page = stage(BOARD).page
    answers = [
        {"kind": kind, "form": form, "fields": {}} for kind, form in (("Pass", "pass"), ("Accuse", "bluff"))
    ]
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [bluff_scene("accuse"), answers])
    assert 0 == page.locator("[data-part='play']").count()
    page.evaluate(
        "([scene, options]) => draw(scene, 0, options)",
        [bluff_scene("accuse"), answers + options_on_turn("K", None)],
    )
    assert "Playing now is a pass" in page.inner_text(".bluff-moves >> nth=0")
    page.click("[data-part='pass']")
    page.click("[data-card='KC']")
    page.click("[data-part='play']")
    assert ["pass", {"play": ["KC"]}] == page.evaluate("sent")


def test_a_large_hand_lies_by_ranks(stage: Callable[..., Any]) -> None:
    """On a phone: a rank says how many it has and how many are chosen; its cards are shown by a press or a key."""
    page = stage(BOARD, width=360).page
    hand = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"][1:]
    option = options_on_turn("K", None)
    option[0]["fields"]["cards"] |= {"subset_of": hand, "most": 51}
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [bluff_scene(), option])
    shown = page.locator("[data-card]:visible")
    assert ["AD", "AH", "AS"] == shown.evaluate_all("(all) => all.map((each) => each.dataset.card)")
    page.click("[data-rank='K']")
    page.click("[data-card='KD']")
    assert "kings, one chosen" in page.get_attribute("[data-rank='K']", "aria-label")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("2")
    page.locator("[data-card='2C']:focus").wait_for()
    page.keyboard.press("Space")
    page.click("[data-part=play]")
    assert [{"play": ["2C", "KD"]}] == page.evaluate("sent")
