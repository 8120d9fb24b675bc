"""The board of Blef: its sets are those of the rules, what it finds of them, and how a person bets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import pytest
from scenes import scene

from arena.games.blef.sets import CARDS, SETS, TEXTS, pool

pytestmark = pytest.mark.slow

BOARD = "games/blef/board.js"


def blef_scene(left: list[int], bets: list[tuple[str, int]] = (), **others: Any) -> dict[str, Any]:  # type: ignore[assignment]
    """Seat 0 to move, so many cards each; `bets`: who bet what."""
    names = [f"bot-{seat}" for seat in range(len(left))]
    state = {
        "status": "Running",
        "round_number": 1,
        "max_cards": 8,
        "players": [{"nickname": name, "n_cards": count} for name, count in zip(names, left, strict=True)],
        "hands": [],
        "cp_nickname": "bot-0",
        "history": [{"player": player, "action_id": bet} for player, bet in bets],
        "last_round": None,
    }
    return scene(names, state, game="blef", out=[not count for count in left]) | others


def options_after(last: int) -> list[dict[str, Any]]:
    bets = {"kind": "Bet", "form": "<action_id>", "fields": {"action_id": {"min": last + 1, "max": 87}}}
    return [bets, {"kind": "Check", "form": 88, "fields": {}}] if last >= 0 else [bets]


def test_the_sets_are_those_of_the_rules(stage: Callable[..., Any]):
    """In the same order, with the same names; every one claims as many cards as it needs."""
    drawn = stage(BOARD).page.evaluate("module.SETS.map(({ words, cards }) => [words, cards.length])")
    assert [[each.name, sum(least for _, least in each.needs)] for each in SETS] == drawn


def test_a_set_is_counted_as_the_rules_count_it(stage: Callable[..., Any]):
    """All cards of the set are found exactly where the rules say that it is there; no card fills two places."""
    rng = Random(4)
    tried = [(rng.randrange(88), rng.sample(range(24), rng.randint(1, 20))) for _ in range(600)]
    found = stage(BOARD).page.evaluate(
        "(tried) => tried.map(([id, cards]) => module.foundIn(module.SETS[id], cards).slots)",
        [[bet, [TEXTS[card] for card in cards]] for bet, cards in tried],
    )
    expected = [SETS[bet].is_in(pool(CARDS[card] for card in cards)) for bet, cards in tried]
    assert expected == [None not in slots for slots in found]
    assert 50 < sum(expected) < 550
    for slots in found:
        cards = [card for card in slots if card]
        assert len(cards) == len(set(cards))


def test_the_bet_is_drawn_as_the_cards_that_it_claims(stage: Callable[..., Any]):
    """As outlines, apart from cards that are there; other hands lie face down."""
    page = stage(BOARD).page
    shown = blef_scene([2, 3], [("bot-1", 11)], viewer=0)
    shown["own"][0] = shown["state"] | {
        "hands": [{"nickname": "bot-0", "hand": [{"value": 1, "colour": 3}, {"value": 5, "colour": 0}]}]
    }
    page.evaluate("(scene) => draw(scene, 0)", shown)
    assert 2 == page.locator(".k-centre .k-card.is-claimed").count()
    assert "pair of aces" in page.inner_text(".k-centre")
    assert "ten of spades, ace of clubs" == page.get_attribute("[data-seat='0'] .k-cards", "aria-label")
    assert 3 == page.locator("[data-seat='1'] .is-hidden").count()


def test_a_check_shows_what_is_there_and_marks_the_loser(stage: Callable[..., Any]):
    """Cards that count are numbered through; what is missing stays an outline."""
    page = stage(BOARD).page
    fields = {
        "player": "bot-0", "bettor": "bot-1", "action_id": 72, "set": "four jacks", "is_there": False, "loser": "bot-1",
        "hands": [["bot-0", ["JS", "AH"]], ["bot-1", ["9C", "JC", "JD"]]],
    }  # fmt: skip
    page.evaluate(
        "(scene) => draw(scene, 0)", blef_scene([2, 4], shown={"kind": "check", "fields": fields}, asked=[])
    )
    assert "3 of 4" == page.inner_text(".k-figure")
    assert 1 == page.locator(".k-centre .is-claimed").count()
    assert ["1", "2", "3"] == page.locator(".k-place .is-marked .k-number").all_inner_texts()
    assert "1" == page.get_attribute(".k-place.is-lost", "data-seat")
    failed = {"kind": "round_lost", "fields": {"loser": "bot-0", "hands": fields["hands"]}}
    page.evaluate("(scene) => draw(scene, 0)", blef_scene([3, 3], shown=failed, asked=[]))
    assert "bot-0 loses the round" in page.inner_text(".k-centre")


def test_every_legal_bet_can_be_chosen_and_no_other(stage: Callable[..., Any]):
    """Clicking through all kinds and parts sends each bet above the last one once, and none below it."""
    page = stage(BOARD).page
    for last in (-1, 40):
        history = [("bot-1", last)] if last >= 0 else []
        page.evaluate(
            "([scene, options]) => draw(scene, 0, options)",
            [blef_scene([5, 5], history, step=last), options_after(last)],
        )
        page.evaluate(CLICK_ALL)
        assert set(range(last + 1, 88)) == set(page.evaluate("sent.splice(0)"))
    page.click("text=Check bot-1’s bet of a full house")
    assert [88] == page.evaluate("sent")


def test_what_can_be_there_is_said_beside_the_bet(stage: Callable[..., Any]):
    """Of each kind how many sets beat the bet and can be there, for all that the own hand says; others stay legal."""
    page = stage(BOARD).page
    shown = blef_scene([2, 1], [("bot-1", 9)], viewer=0, step=1)
    shown["own"][0] = shown["state"] | {
        "hands": [{"nickname": "bot-0", "hand": [{"value": 1, "colour": 3}, {"value": 5, "colour": 0}]}]
    }
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [shown, options_after(9)])
    kinds = page.locator(".k-choice:has([name=kind])")
    assert ["high card\nbeaten", "pair\n1 possible", "two pair\nnone possible"] == kinds.all_inner_texts()[:3]
    assert "Bet a pair of aces" == page.inner_text(".k-send"), "not of kings, which cannot be there"
    assert "You hold one of its two cards; one is missing." == page.inner_text(".blef-known")
    kinds.nth(2).click()
    assert "Cannot be there: three missing, one face down." == page.inner_text(".blef-known")
    assert page.locator(".k-send").is_enabled()
    assert "15 of 15" not in (told := page.evaluate(TOLD, shown | {"you": 0}))
    assert "15, which cannot be there" in told


@pytest.mark.parametrize(("own", "hidden"), [(1, 1), (2, 2), (4, 1), (0, 2)])
def test_a_set_can_be_there_if_some_deal_has_it(own: int, hidden: int, stage: Callable[..., Any]):
    """Compared with all hands that the others may hold."""
    rng = Random(own)
    hand = rng.sample(range(24), own)
    rest = [card for card in range(24) if card not in hand]
    deals = [pool(CARDS[card] for card in (*hand, *others)) for others in combinations(rest, hidden)]
    found = stage(BOARD).page.evaluate(
        "([own, hidden]) => module.SETS.map((set) => module.neededOf(set, own, hidden).isPossible)",
        [[TEXTS[card] for card in hand], hidden],
    )
    assert [any(each.is_in(cards) for cards in deals) for each in SETS] == found


CLICK_ALL = """async () => {
    const all = (name) => [...document.querySelectorAll(`input[name=${name}]`)];
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const click = async (each) => { each.click(); await painted(); };
    for (let kind = 0; kind < 9; kind++) {
        if (all("kind")[kind].disabled) continue;
        await click(all("kind")[kind]);
        for (let first = 0; first < all("first").length; first++) {
            if (all("first")[first].disabled) continue;
            await click(all("first")[first]);
            const seconds = all("second").length;
            for (let second = 0; second < Math.max(1, seconds); second++) {
                if (seconds && all("second")[second].disabled) continue;
                if (seconds) await click(all("second")[second]);
                document.querySelector(".k-send").click();
            }
        }
    }
}"""


def test_a_bet_by_keyboard_alone(stage: Callable[..., Any]):
    """Arrows among kinds and values, Tab between them, Enter sends what the button says."""
    page = stage(BOARD).page
    page.evaluate("([scene, options]) => draw(scene, 0, options)", [blef_scene([5, 5]), options_after(-1)])
    page.focus("input[name=kind]:checked")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert "Bet a pair of tens" == page.inner_text(".k-send")
    page.keyboard.press("Enter")
    assert [7] == page.evaluate("sent")


TOLD = "(scene) => { const place = document.createElement('div'); page.render(module.guide(scene, page.kit), place); return place.innerText || place.textContent; }"


def test_the_rules_say_what_beats_the_bet(stage: Callable[..., Any]):
    """The ladder of nine kinds; in play, how many of each are above the bet, and which is next."""
    page = stage(BOARD).page
    whole = page.evaluate(TOLD, None)
    assert "All 88 sets, from the lowest" in whole
    assert "beaten" not in whole
    after = page.evaluate(TOLD, blef_scene([5, 5], [("bot-1", 15)]))
    assert (
        "72 of 88 sets beat bot-1’s bet of two pair, queens and nines; the next is two pair, queens and tens"
        in after
    )
    assert 2 == after.count("beaten"), "high cards and pairs"
    assert "11 of 15" in after
    assert "it can only be checked" in page.evaluate(TOLD, blef_scene([5, 5], [("bot-1", 87)]))
