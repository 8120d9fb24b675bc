"""The board of Chamber: lives, items and shells, what was shot, and how a person moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scenes import scene

pytestmark = pytest.mark.slow

BOARD = "games/chamber/board.js"
NAMES = ["ann", "bob", "cat"]
RULES = {
    "lives": 5, "items_per_round": 4, "live_max": 6, "blank_max": 6, "chamber_max": 20, "sudden_death_after": 5,
}  # fmt: skip


def player(name: str, lives: int, *items: str, skipped: bool = False) -> dict[str, Any]:
    who = {"username": name, "lives": lives, "items": list(items)}
    return who | {"isSkipped": skipped, "isSpectator": not lives}


def chamber_scene(asked: str = "turn", **others: Any) -> dict[str, Any]:
    """Ann is to move, with three live shells and a blank left; bob loses his next turn, cat is out."""
    state = {
        "you": None,
        "asked": asked,
        "current_player": "ann",
        "players": [
            player("ann", 2, "Skip", "Steal", "Steal", "AddLife"),
            player("bob", 5, "Skip", "Quickshot", skipped=True),
            player("cat", 0),
        ],
        "turnOrder": ["ann", "bob"],
        "turnCount": 3,
        "roundNumber": 2,
        "live_left": 3,
        "blank_left": 1,
        "double_damage": True,
        "quickshot": False,
        "known_next": None,
    }
    return scene(NAMES, state, game="chamber", rules=RULES, out=[False, False, True], viewer=0) | others


def option(kind: str, form: dict[str, str], **fields: list[str | None]) -> dict[str, Any]:
    domains = {name: {"one_of": values} for name, values in fields.items()}
    return {"kind": kind, "form": {"packet": kind} | form, "fields": domains}


STEAL = {"target": "<target>", "item": "<item>", "skip_target": "<skip_target>"}
ON_TURN = [
    option("ShootPlayer", {"username": "<target>"}, target=["ann", "bob"]),
    option("UseAddLifeItem", {}),
    option("UseStealItem", STEAL, target=["bob"], item=["Quickshot"], skip_target=[None]),
    option("UseStealItem", STEAL, target=["bob"], item=["Skip"], skip_target=["bob", "cat"]),
]
IN_WINDOW = [option("UseRebalancerItem", {"ammo": "<ammo>"}, ammo=["live", "blank"]), option("Pass", {})]


def test_lives_items_and_shells_are_shown_without_their_order(stage: Callable[..., Any]) -> None:
    """All that lies open is drawn and written; the next shell is not, unless the viewer knows it."""
    page = stage(BOARD).page
    shown = chamber_scene()
    page.evaluate("(scene) => draw(scene, 0)", shown)
    assert "chamber with four shells" == page.get_attribute(".k-cylinder", "aria-label")
    assert (3, 1) == tuple(page.locator(f".k-shells .is-{kind}").count() for kind in ("live", "blank"))
    assert 0 == page.locator(".k-hole.is-live, .k-hole.is-blank").count()
    assert ["Skip", "Steal ×2", "Add Life"] == [
        " ".join(each.split()) for each in page.locator("[data-seat='0'] .k-item").all_inner_texts()
    ]
    assert "2 lives" == page.inner_text("[data-seat='0'] .k-lives").strip()
    assert "misses the next turn" in page.inner_text("[data-seat='1'] .k-head")
    assert "out" in page.inner_text("[data-seat='2'] .k-top")
    assert "Double Damage" in page.inner_text(".chamber-effects")
    shown["own"][0] = shown["state"] | {"known_next": "live"}
    page.evaluate("(scene) => draw(scene, 0)", shown)
    assert "chamber with four shells, the next one live" == page.get_attribute(".k-cylinder", "aria-label")


def test_a_shot_says_who_shot_whom_and_what_it_was(stage: Callable[..., Any]) -> None:
    """In the middle, and at the one that was hit."""
    fields = {"player": "ann", "target": "cat", "fired": "live", "lives": 0}
    gone = {"seat": "cat", "killer": "ann", "items": ["Skip", "Skip"]}
    events = [
        {"kind": "shoot_player", "to": -1, "fields": fields},
        {"kind": "eliminated", "to": -1, "fields": gone},
    ]
    page = stage(BOARD).page
    page.evaluate("(scene) => draw(scene, 0)", chamber_scene(events=events))
    assert "ann shot cat. It was live." in " ".join(page.inner_text(".chamber-shot").split())
    assert "ann takes over Skip ×2" in page.inner_text(".k-centre")
    assert "hit, and out" == page.inner_text("[data-seat='2'] .k-said").strip()


def test_shots_and_items_by_mouse(stage: Callable[..., Any]) -> None:
    """A click for each, and for what needs a target one more; a stolen Skip needs two."""
    page = stage(BOARD).page
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [chamber_scene(), ON_TURN])
    assert ["Yourself", "bob"] == page.locator("[data-part=shoot]").all_inner_texts()
    assert 2 == page.locator("[data-part=item]").count(), "Skip is owned, but nobody is left to skip"
    page.click("[data-part=shoot] >> text=bob")
    page.click("[data-part=item] >> text=Add Life")
    page.click("[data-part=item] >> text=Steal")
    page.click("[data-part=target] >> text=Quickshot")
    page.click("[data-part=target] >> text=Skip")
    page.click("[data-part=target] >> text=cat")
    steal = {"packet": "UseStealItem", "target": "bob"}
    assert [
        {"packet": "ShootPlayer", "username": "bob"},
        {"packet": "UseAddLifeItem"},
        steal | {"item": "Quickshot"},
        steal | {"item": "Skip", "skip_target": "cat"},
    ] == page.evaluate("sent")


def test_a_rebalancer_by_keyboard(stage: Callable[..., Any]) -> None:
    """Before the first turn there are three buttons: live, blank, pass."""
    page = stage(BOARD).page
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [chamber_scene("rebalance"), IN_WINDOW])
    page.focus("[data-part=add]")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    packet = {"packet": "UseRebalancerItem"}
    assert [packet | {"ammo": "live"}, packet | {"ammo": "blank"}, {"packet": "Pass"}] == page.evaluate(
        "sent"
    )
