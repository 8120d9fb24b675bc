"""What moves on boards, what is told in beats, and what can be heard."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import msgspec
import pytest
from daily import daily
from replays import random_replay

from arena.games import GAMES
from arena.games.cards import DECK
from arena.games.hands import codes, strengths_with
from arena.page.film import film_json
from tests.page.test_match_player import MOUNT, SMALL, part, player, where  # noqa: F401  a fixture
from tests.replays import film_of

# ruff: noqa: F811 - the fixture is imported

pytestmark = pytest.mark.slow

MOVES = {"screen": {"reduced_motion": "no-preference"}}
RUNNING = """() => document.getAnimations().filter(({ effect }) => effect.target.closest(".board") && !effect.target.matches(".k-place"))
    .map(({ effect }) => ({ ms: effect.getComputedTiming().endTime, of: [...new Set(effect.getKeyframes().flatMap(Object.keys))].filter((name) => !["offset", "easing", "composite", "computedOffset"].includes(name)) }))"""


@cache
def shown(game: str, seats: int = 4, count: int = 120) -> dict[str, Any]:
    """The first steps of a random match."""
    film: dict[str, Any] = msgspec.json.decode(
        film_json(film_of(random_replay(SMALL.get(game) or GAMES[game](), seats, seed=3), count=count))
    )
    return film


def board_of(game: str) -> str:
    return f"games/{game.replace('-', '_')}/board.js"


def step_with(film: dict[str, Any], *kinds: str) -> int:
    """The first step in which all these events happened."""
    for at, step in enumerate(film["steps"]):
        if {*kinds} <= {event[1] for event in step.get("events", [])}:
            return at
    raise AssertionError(f"no step has {kinds}")


@pytest.mark.parametrize("game", daily("holdem".__eq__, GAMES))
def test_what_is_new_moves_for_a_moment(game: str, player: Callable[..., Any]) -> None:
    """By transforms and opacity, for 150 to 400 ms; a jump moves nothing, and a new scene ends what runs."""
    page = player(shown(game), board_of(game), **MOVES)
    click = "(name) => { document.querySelector(`[data-part=${name}]`).click(); return settled(); }"
    moved = 0
    for _ in range(12):
        page.evaluate(click, "next")
        running = page.evaluate(RUNNING)
        moved += len(running)
        assert all(150 <= each["ms"] <= 400 for each in running), running
        assert {"transform", "opacity"} >= {name for each in running for name in each["of"]}
    assert moved >= 4
    page.evaluate(click, "last")
    assert [] == page.evaluate(RUNNING)
    page.evaluate(click, "first")
    page.evaluate(click, "next")
    count = len(page.evaluate(RUNNING))
    page.evaluate(click, "back")
    assert count
    assert [] == page.evaluate(RUNNING)


def test_nothing_moves_for_whoever_asks_for_that(player: Callable[..., Any]) -> None:
    page = player(shown("holdem"), board_of("holdem"))
    for _ in range(8):
        page.evaluate("() => { document.querySelector('[data-part=next]').click(); return settled(); }")
        assert [] == page.evaluate(RUNNING)
        assert "All in" not in page.inner_text(".k-centre")


def test_a_run_out_is_told_street_by_street(player: Callable[..., Any]) -> None:
    """The streets that were still to come, one after another, in one step; the next step ends that."""
    film = shown("holdem")
    at = step_with(film, "flop", "showdown")
    page = player(film, board_of("holdem"), start={"step": at - 1}, **MOVES)
    page.evaluate("""() => { window.told = []; new MutationObserver(() => {
        const title = document.querySelector(".k-centre .k-title").textContent;
        if (told.at(-1) !== title) told.push(title);
    }).observe(document.querySelector(".board"), { childList: true, subtree: true, characterData: true }); }""")
    part(page, "next").click()
    page.locator(".k-centre").get_by_text("Showdown", exact=True).wait_for()
    assert [
        "All in, before the flop",
        "All in, after the flop",
        "All in, after the turn",
        "Showdown",
    ] == page.evaluate("told")
    assert where(page).startswith(f"Step {at + 1} of ")
    part(page, "back").click()
    part(page, "next").click()
    part(page, "next").click()
    page.evaluate("settled()")
    assert "All in" not in page.inner_text(".k-centre")
    page = player(film, board_of("holdem"), start={"step": at}, **MOVES)
    assert "Showdown" in page.inner_text(".k-centre"), "a link leads to the whole step"


@pytest.mark.parametrize("opened", [3, 4])
def test_chances_are_exact(opened: int, stage: Callable[..., Any]) -> None:
    """Those of hands that are shown, counted over all boards by our own evaluator of hands."""
    cards = "AS KD QC QH 7S 6S | 9S 8S QD 2C 3D".replace(" |", "").split()
    hands, board = [cards[0:2], cards[2:4], cards[4:6]], cards[6:11]
    streets = ("flop", "turn", "river")[{3: 1, 4: 2}[opened] :]
    scene = {
        "shown": {"kind": "showdown", "fields": {"board": board, "hands": [["abc"[at], hand, ""] for at, hand in enumerate(hands)]}},
        "events": [{"kind": street, "fields": {}} for street in streets],
    }  # fmt: skip
    beat = stage(board_of("holdem")).page.evaluate("(scene) => module.beats(scene, null, page.kit)[0]", scene)
    assert board[:opened] == beat["opened"]
    assert expected_chances(hands, board[:opened]) == {
        name: (pytest.approx(chance["wins"]), pytest.approx(chance["ties"]))
        for name, chance in beat["chances"].items()
    }


def expected_chances(hands: list[list[str]], opened: list[str]) -> dict[str, tuple[float, float]]:
    used = {*opened, *(card for hand in hands for card in hand)}
    left = codes([card for card in DECK if card not in used])
    known = [codes(hand + opened) for hand in hands]
    boards = [*combinations(left, 5 - len(opened))]
    won = [[0, 0] for _ in hands]
    for strengths in strengths_with(known, boards):
        best = [at for at, strength in enumerate(strengths) if strength == max(strengths)]
        for at in best:
            won[at][len(best) > 1] += 1
    return {"abc"[at]: (wins / len(boards), ties / len(boards)) for at, (wins, ties) in enumerate(won)}


def test_sounds_are_off_until_somebody_wants_them(player: Callable[..., Any]) -> None:
    """The browser remembers it; what happens on the board is then heard."""
    page = player(shown("holdem"), board_of("holdem"), **MOVES)
    page.evaluate("""() => { window.heard = 0; const start = AudioScheduledSourceNode.prototype.start;
        AudioScheduledSourceNode.prototype.start = function (...when) { heard++; return start.apply(this, when); }; }""")
    try:
        part(page, "next").click()
        page.evaluate("settled()")
        assert 0 == page.evaluate("heard")
        part(page, "sound").click()
        page.evaluate("settled()")
        assert ("true", "on") == (
            part(page, "sound").get_attribute("aria-pressed"),
            page.evaluate("localStorage.getItem('arena-sound')"),
        )
        before = page.evaluate("heard")
        assert before
        part(page, "next").click()
        page.evaluate("settled()")
        assert page.evaluate("heard") > before
    finally:
        page.evaluate("localStorage.clear()")


def test_sounds_without_storage(stage: Callable[..., Any]) -> None:
    """Where a browser refuses to keep anything, they can be turned on for as long as the page lasts."""
    page = stage(board_of("holdem")).page
    page.add_style_tag(url="/page/player.css")
    page.evaluate(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    page.evaluate(MOUNT, [json.dumps(shown("holdem")), {}, True])
    for pressed in ("true", "false", "true"):
        part(page, "sound").click()
        page.evaluate("settled()")
        assert pressed == part(page, "sound").get_attribute("aria-pressed")


BEATEN = """(json) => {
    const film = page.film.openFilm(JSON.parse(json)), told = [];
    const held = () => [...document.querySelectorAll(".k-place")].map((place) => /\\d+ (?:dice|die|cards?)|\\w+ (?:dice|die|cards?)/.exec(place.querySelector(".k-stats")?.textContent ?? "")?.[0]).join();
    film.steps.forEach((_, step) => {
        if (!step) return;
        const scenes = [step - 1, step].map((each) => page.film.sceneAt(film, each, "spectator"));
        draw(scenes[0]);
        const before = held();
        for (const beat of module.beats(scenes[1], scenes[0], page.kit)) {
            draw(page.film.sceneAt(film, step, "spectator", beat));
            const results = document.querySelectorAll(".k-bubble.is-lost, .k-bubble.is-won, .is-first").length;
            told.push([step, results || held() !== before]);
        }
    });
    return told;
}"""


@pytest.mark.parametrize("game", GAMES)
def test_no_beat_says_what_comes_of_it(game: str, stage: Callable[..., Any]) -> None:
    """In a whole match every beat can be drawn, and none shows who won or lost before the last one is over."""
    page = stage(board_of(game)).page
    told = page.evaluate(BEATEN, json.dumps(shown(game)))
    assert len({step for step, _ in told}) >= 2
    assert not [step for step, results in told if results]
