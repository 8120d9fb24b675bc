"""The board of Hold'em: cards, chips and pots as they are seen, the showdown, and how a person bets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scenes import scene

pytestmark = pytest.mark.slow

BOARD = "games/holdem/board.js"
NAMES = ["ann", "bob", "cat"]
NOBODY = {"playerID": None, "bet_so_far": 0, "bet_to_player": 0, "minimum_raise": 0}
NOTHING = {"hole": None, "flop": None, "turn": None, "river": None}
RULES = {"stack": 1000, "small_blind": 10, "big_blind": 20, "hands": 5, "reset_stacks": True}


def row(name: str, wealth: int, bet: int = 0, state: str = "active", small: bool = False) -> dict[str, Any]:
    player = {"playerID": name, "handle": name, "state": state, "wealth": wealth}
    return player | {"bet_so_far": bet, "small_blind": small}


def hand_scene(**others: Any) -> dict[str, Any]:
    """Before the flop: ann has the button and is to move, bob and cat have posted, cat has folded."""
    state = {
        "hand_number": 2,
        "button": "ann",
        "table": [row("ann", 1000), row("bob", 990, 10, small=True), row("cat", 980, 20, "folded")],
        "turn": {"playerID": "ann", "bet_so_far": 0, "bet_to_player": 20, "minimum_raise": 20},
        "cards": NOTHING,
        "pots": [{"size": 30, "players": ["bob", "cat"]}],
        "last_winners": [],
    }
    return scene(NAMES, state, game="holdem", rules=RULES, round=2) | others


def over(*events: tuple[str, dict[str, Any]], **others: Any) -> dict[str, Any]:
    """The step in which a hand ends."""
    state = hand_scene()["state"]
    state |= {
        "turn": NOBODY,
        "pots": [{"size": 0, "players": []}],
        "table": [row(name, 1000) for name in NAMES],
    }
    told = [{"kind": kind, "to": -1, "fields": fields} for kind, fields in events]
    return hand_scene(state=state, events=told, asked=[]) | others


SHOWDOWN = {
    "board": ["2C", "9H", "KS", "5D", "JC"],
    "hands": [
        ["bob", ["7C", "7D"], "pair"],
        ["ann", ["AS", "KD"], "pair"],
        ["cat", ["QS", "TC"], "straight"],
    ],
}
ENDED = (
    ("showdown", SHOWDOWN),
    ("pot", {"size": 90, "winners": [["cat", 90]]}),
    ("pot", {"size": 60, "winners": [["ann", 30], ["bob", 30]]}),
    ("hand_over", {"won": [["ann", -30], ["bob", -30], ["cat", 60]]}),
)
OPTIONS = [
    {"kind": "Fold", "form": {"action": 0}, "fields": {}},
    {"kind": "Bet", "form": {"action": 1, "betAmount": "<amount>"}, "fields": {"amount": {"min": 20, "max": 20}}},
    {"kind": "Bet", "form": {"action": 1, "betAmount": "<amount>"}, "fields": {"amount": {"min": 40, "max": 1000}}},
]  # fmt: skip


def test_hole_cards_that_are_not_known_lie_face_down(stage: Callable[..., Any]) -> None:
    """Only the own two show their faces; who folded, posted and has the button is written."""
    shown = hand_scene(viewer=0)
    shown["own"][0] = shown["state"] | {"cards": NOTHING | {"hole": ["AS", "TC"]}}
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, 0)", shown)
    labels = [page.get_attribute(f"[data-seat='{seat}'] .k-cards", "aria-label") for seat in range(2)]
    assert ["ace of spades, ten of clubs", "two cards face down"] == labels
    assert 0 == page.locator("[data-seat='2'] .k-card").count()
    assert "dealer" in page.inner_text("[data-seat='0'] .k-head")
    assert "990 chips, small blind" == page.inner_text("[data-seat='1'] .k-stats")
    assert "980 chips, big blind" == page.inner_text("[data-seat='2'] .k-stats")
    assert "folded" in page.inner_text("[data-seat='2'] .k-head")
    assert "ann: 20 to call" in page.inner_text(".k-centre")


def test_bubbles_say_what_answers_the_bets_of_this_street(stage: Callable[..., Any]) -> None:
    """Who has to act again no longer says what it did before; who just did something does."""
    shown = hand_scene(said=["calls 20", "checks", "folds"], acted=[2])
    shown["state"]["table"][1]["state"] = "called"
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, 0)", shown)
    assert ["", "checks", "folds"] == [
        page.inner_text(f"[data-seat='{seat}'] .k-said").strip() for seat in range(3)
    ]


def test_a_showdown_marks_the_cards_that_make_the_hands(stage: Callable[..., Any]) -> None:
    """The cards that count, those of the board as the first pot's winner uses them; who wins which pot."""
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, null)", over(*ENDED))
    marked = [page.locator(f"[data-seat='{seat}'] .is-marked").count() for seat in range(3)]
    assert [2, 2, 2] == marked
    assert 3 == page.locator(".holdem-centre .is-marked").count()
    pots = " ".join(page.inner_text(".holdem-pots").split())
    assert "main pot 90 to cat" in pots
    assert "side pot 60 to ann 30, bob 30" in pots
    assert "wins 90 with a straight" == page.inner_text("[data-seat='2'] .k-said").strip()


def test_the_showdown_stays_while_the_next_hand_is_dealt(stage: Callable[..., Any]) -> None:
    """At a table that is played now, with all cards and who won with what; else it is told in a line."""
    won = [{"playerID": "cat", "won": 90, "hole": ["QS", "TC"], "hand": "straight"}]
    shown = hand_scene(shown={"kind": "showdown", "fields": SHOWDOWN}, live=True)
    shown["state"]["last_winners"] = won
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, null)", shown)
    assert [2, 2, 2] == [page.locator(f"[data-seat='{seat}'] .is-marked").count() for seat in range(3)]
    assert "Showdown of the last hand" in page.inner_text(".k-centre")
    assert "ann: 20 to call" in page.inner_text(".k-centre"), "and the hand that is played"
    assert "wins 90 with a straight" == page.inner_text("[data-seat='2'] .k-said").strip()
    assert "loses with a pair" == page.inner_text("[data-seat='1'] .k-said").strip()
    assert 3 == page.locator(".holdem-centre .is-marked").count()
    shown["own"][0] = shown["state"] | {"cards": NOTHING | {"hole": ["3S", "4S"]}}
    page.evaluate("(scene) => draw(scene, 0)", shown | {"viewer": 0})
    hands = page.locator("[data-seat='0'] .k-cards")
    assert ["ace of spades, king of diamonds", "three of spades, four of spades"] == [
        hands.nth(at).get_attribute("aria-label").partition(", two of")[0] for at in range(2)
    ]
    page.evaluate("(scene) => draw(scene, null)", shown | {"live": False})
    assert "Last hand: cat won 90 with a straight." == page.inner_text(".holdem-before")


def test_a_hand_that_nobody_called_shows_no_cards(stage: Callable[..., Any]) -> None:
    """The pot goes to who is left; what it held is not known."""
    ended = over(
        ("pot", {"size": 30, "winners": [["bob", 30]]}),
        ("hand_over", {"won": [["ann", 0], ["bob", 20], ["cat", -20]]}),
    )
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, null)", ended)
    assert 0 == page.locator(".k-card").count()
    assert "wins 30" == page.inner_text("[data-seat='1'] .k-said").strip()
    assert "Nobody called" in page.inner_text(".k-centre")


def test_only_legal_amounts_can_be_bet(stage: Callable[..., Any]) -> None:
    """The field takes whole bets; what is out of range cannot be sent; sizes and slider fill it in."""
    page = stage(BOARD).page
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [hand_scene(), OPTIONS])
    sends = page.locator("[data-part=raise]")
    assert "40" == page.input_value("[data-part=amount]")
    for wrong in ("39", "1001", "", "x", "45.5"):
        page.fill("[data-part=amount]", wrong)
        assert sends.is_disabled(), wrong
    page.fill("[data-part=amount]", "1,000")
    assert "You raise to 1,000, all in." == page.inner_text(".holdem-moves output")
    page.click("button:text-is('Pot')")
    sends.click()
    page.fill("[data-part=size]", "100")
    sends.click()
    page.click("[data-part=call]")
    page.click("[data-part=fold]")
    sent = [{"action": 1, "betAmount": amount} for amount in (70, 1000, 20)]
    assert [*sent, {"action": 0}] == page.evaluate("sent")


def test_a_bet_by_keyboard_alone(stage: Callable[..., Any]) -> None:
    """R goes to the field, Enter sends it; C calls and F folds, but not while somebody types."""
    page = stage(BOARD).page
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [hand_scene(), OPTIONS])
    page.focus("[data-part=fold]")
    page.keyboard.press("r")
    page.keyboard.press("Control+a")
    page.keyboard.type("60fc")
    assert [] == page.evaluate("sent")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("c")
    page.keyboard.press("f")
    assert [{"action": 1, "betAmount": 60}, {"action": 1, "betAmount": 20}, {"action": 0}] == page.evaluate(
        "sent"
    )
