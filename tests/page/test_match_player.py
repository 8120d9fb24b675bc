"""The match player: how people move through a film, live or stored, and that it shows no viewer more than it knew."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from daily import crossed
from replays import SMALL, random_replay

from arena.games import GAMES
from arena.games.bluff import Bluff
from arena.games.holdem import Holdem
from arena.page.film import film_json
from tests.replays import film_of

pytestmark = pytest.mark.slow

ALL, ANN = 0b1111, 0b1001
"""Who is told a line at a table of two: everybody, or ann and who sees everything."""

MOUNT = """async ([text, options, isDrawn]) => {
    const { Player } = await import("/page/player.js"), stage = document.getElementById("stage");
    stage.className = ""; // the player has a board of its own
    window.moved = [];
    let version = 0, module = isDrawn ? window.module : null;
    const show = () => page.render(page.html`<${Player} film=${film} version=${version} module=${module}
        onMove=${(step) => step !== moved.at(-1) && moved.push(step)} ...${options} />`, stage);
    window.settled = () => new Promise((done) => setTimeout(done));
    window.open_film = async (json) => { window.film = page.film.openFilm(json); show(); await settled(); };
    window.grow = async (steps, more = {}) => { page.film.addSteps(film, steps); Object.assign(film, more); version++; show(); await settled(); };
    await open_film(JSON.parse(text));
}"""
"""Opens a film, given as JSON in a text: Playwright takes objects apart, which costs more than what is shown of them."""


def film(**others: Any) -> dict[str, Any]:
    """Six steps of a card game for two that nobody knows: two hands, a fault, an elimination."""
    steps = [
        {"turn": -1, "round": 0, "asked": [], "state": {"pot": 0}, "own": {"0": {"card": ""}, "1": {"card": ""}}},
        {
            "turn": 0, "round": 1, "asked": [0], "own": {"0": {"card": "K"}, "1": {"card": "Q"}},
            "lines": [[ALL, "h", -1, "hand 1: ann deals", ""], [ANN, "n", -1, "ann is dealt K", ""]],
        },
        {
            "turn": 1, "round": 1, "asked": [1], "state": {"pot": 5}, "times": [[0, 12.3, ""]],
            "lines": [[ALL, "a", 0, "ann bets 5", ""]],
        },
        {
            "turn": 2, "round": 1, "asked": [], "times": [[1, 1500, "malformed"]], "marks": ["challenge"],
            "lines": [[ALL, "a", 1, "bob folds", "malformed: " + "x" * 400]], "lost": [[1, 5]],
        },
        {"turn": 3, "round": 2, "asked": [0], "lines": [[ALL, "h", -1, "hand 2: bob deals", ""]]},
        {
            "turn": 4, "round": 2, "asked": [], "out": [1], "lost": [[1, 2]],
            "lines": [[ALL, "a", 0, "ann bets 2", ""], [ALL, "n", -1, "bob is out", ""]],
        },
    ]  # fmt: skip
    head = {
        "match": "0123456789ab", "game": "unknown", "title": "Unknown", "rules": {}, "names": ["ann", "bob"],
        "sees": "all", "showdowns": [], "holding": ["chip", "chips"], "move_s": 2, "status": "done",
        "ranks": [1, 2], "returns": ["+7", "−7"],
    }  # fmt: skip
    return head | {"steps": steps} | others


@pytest.fixture
def player(stage: Callable[..., Any]) -> Callable[..., Any]:
    """Opens a film in the player, by its fields or with the board that the stage was opened with."""

    def opened(shown: dict[str, Any], board: str = "", **options: Any) -> Any:
        seen = stage(board or "games/liars_dice/board.js", **options.pop("screen", {}))
        seen.page.add_style_tag(url="/page/player.css")
        seen.page.evaluate(MOUNT, [json.dumps(shown), options, bool(board)])
        return seen.page

    return opened


def part(page: Any, name: str) -> Any:
    return page.locator(f"[data-part={name}]")


def where(page: Any) -> str:
    page.evaluate("settled()")
    return str(part(page, "where").inner_text())


def test_steps_rounds_and_marks_are_named(player: Callable[..., Any]) -> None:
    """A step says its round in the game's word, and what the timeline marks there."""
    page = player(film())
    assert where(page) == "Step 1 of 6, before the first move"
    part(page, "round-next").click()
    assert where(page) == "Step 2 of 6, hand 1"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert (
        where(page) == "Step 4 of 6, hand 1 ● challenge ▲ bob: malformed ◆ largest swing: bob loses 5 chips"
    )
    assert 4 == page.locator(".ticks b").count(), "and bob's elimination"
    part(page, "last").click()
    assert where(page) == "Step 6 of 6, hand 2 ■ bob out"
    part(page, "round-back").click()
    assert where(page) == "Step 2 of 6, hand 1"


def test_the_list_of_jumps(player: Callable[..., Any]) -> None:
    """It has all rounds and marks, stands at the last one that was passed, and the arrow keys lead on from there."""
    page = player(film())
    options = part(page, "jump").locator("option").all_inner_texts()
    assert ["Start", "Hand 1", "● challenge", "▲ bob: malformed"] == [each.strip() for each in options[:4]]
    part(page, "jump").select_option(label="Hand 2")
    assert where(page) == "Step 5 of 6, hand 2"
    part(page, "back").click()
    chosen = "document.querySelector('[data-part=jump]').selectedOptions[0].textContent.trim()"
    assert "◆ largest swing: bob loses 5 chips" == page.evaluate(chosen)
    part(page, "jump").focus()
    for expected in ("▲ bob: malformed", "● challenge", "Hand 1", "Start"):
        page.keyboard.press("ArrowUp")
        page.evaluate("settled()")
        assert expected == page.evaluate(chosen)
    assert where(page).startswith("Step 1 of 6")


def test_what_happened_is_listed_with_times_and_faults(player: Callable[..., Any]) -> None:
    """Each act with its thinking time and the limit; long reasons are cut; a press on a line goes to its step."""
    page = player(film(), start={"step": 3})
    lines = part(page, "log").locator("li").all_inner_texts()
    assert ["hand 1: ann deals", "ann is dealt K", "ann bets 5 12 ms of 2 s"] == lines[:3]
    assert lines[3].startswith("bob folds fault: malformed: xxx")
    assert lines[3].endswith("x… 1.50 s of 2 s")
    assert len(lines[3]) < 220
    part(page, "log").locator("li").nth(2).click()
    assert where(page).startswith("Step 3 of 6")


def test_what_is_new_is_said(player: Callable[..., Any]) -> None:
    """A live region says the lines of the step that was gone to, as this viewer was told them; not while it plays."""
    page = player(film())
    live = part(page, "live")
    part(page, "next").click()
    page.evaluate("settled()")
    assert ("hand 1: ann deals. ann is dealt K", "polite") == (
        live.inner_text(),
        live.get_attribute("aria-live"),
    )
    page.locator(".views label", has_text="bob").click()
    page.evaluate("settled()")
    assert "hand 1: ann deals" == live.inner_text()
    part(page, "play").click()
    page.evaluate("settled()")
    assert "off" == live.get_attribute("aria-live")


def test_it_plays_to_the_end_and_pauses(player: Callable[..., Any]) -> None:
    """At the pace that was chosen; at the end it stops, and plays from the start again; any other step pauses it."""
    page = player(film())
    part(page, "pace").select_option(label="8×")
    part(page, "play").click()
    page.get_by_text("Step 6 of 6").wait_for()
    page.wait_for_selector("[data-part=play][aria-label=Play]")
    steps = "moved.filter((step, at) => step !== moved[at - 1])"
    assert [0, 1, 2, 3, 4, 5] == page.evaluate(steps)
    part(page, "play").click()
    page.wait_for_selector("[data-part=play][aria-label=Pause]")
    part(page, "next").click()
    page.wait_for_selector("[data-part=play][aria-label=Play]")
    assert page.evaluate(steps)[6] == 0


def test_a_match_whose_rules_failed_ends_there(player: Callable[..., Any]) -> None:
    """Its last step says so, with a board and without one, and nobody is first."""
    failed = {"turn": 5, "round": 2, "asked": [], "state": None}
    broken = film(status="aborted", ranks=None, returns=None)
    for board in ("", "games/holdem/board.js"):
        page = player(
            broken | {"steps": [*broken["steps"][: 1 if board else 6], failed]}, board, start={"step": 9}
        )
        assert "rules failed here" in page.inner_text(".board")
        assert 0 == page.locator(".is-first").count()


def test_names_are_bold_wherever_they_stand(player: Callable[..., Any]) -> None:
    """In headings, acts and news alike, whoever acts."""
    page = player(film(), start={"step": 5})
    bold = (
        part(page, "log")
        .locator("li")
        .evaluate_all(
            "(all) => all.map((line) => [...line.querySelectorAll('b bdi')].map((name) => name.textContent).join())"
        )
    )
    assert ["ann", "ann", "ann", "bob", "bob", "ann", "bob"] == bold


def test_the_log_stays_at_its_end(player: Callable[..., Any]) -> None:
    """Also when a window becomes lower, as when a phone is turned."""
    replay = random_replay(Holdem(hands=3), 3, seed=3)
    shown = msgspec.json.decode(film_json(film_of(replay, count=50)))
    page = player(shown, start={"step": 49}, screen={"width": 1280})
    hidden = "() => { const log = document.querySelector('.log'); return Math.round(log.scrollHeight - log.clientHeight - log.scrollTop); }"
    assert 0 == page.evaluate(hidden)
    try:
        page.set_viewport_size({"width": 1280, "height": 620})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert 0 == page.evaluate(hidden)
    finally:
        page.set_viewport_size({"width": 1280, "height": 900})  # as the other tests find it


def test_another_film_of_the_match_takes_its_place(player: Callable[..., Any]) -> None:
    """What was chosen stays: the step, which has another number there, the pace and the focus."""
    whole = film()
    moment = film(
        steps=[whole["steps"][2] | {"own": {"0": {"card": "K"}}}, *whole["steps"][3:4]],
        first=2,
        steps_in_all=6,
    )
    page = player(moment, start={"step": 1})
    part(page, "pace").select_option(label="2×")
    part(page, "next").focus()
    assert where(page).startswith("Step 4 of 6")
    page.evaluate("(json) => open_film(json)", whole)
    assert where(page).startswith("Step 4 of 6, hand 1")
    assert "next" == page.evaluate("document.activeElement.dataset.part")
    assert "2×" == part(page, "pace").locator(":checked").inner_text()
    part(page, "first").click()
    assert where(page).startswith("Step 1 of 6")


SWIPE = """([from, to]) => {
    const board = document.querySelector(".board");
    const touch = ([clientX, clientY]) => new Touch({ identifier: 1, target: board, clientX, clientY });
    const send = (name, at, touches) => board.dispatchEvent(new TouchEvent(name, { bubbles: true, touches, changedTouches: [touch(at)] }));
    send("touchstart", from, [touch(from)]);
    send("touchend", to, []);
}"""


def test_swipes_step(player: Callable[..., Any]) -> None:
    """To the left on, to the right back; a scroll and a tap do nothing."""
    page = player(film(), screen={"width": 360, "has_touch": True})
    for end, step in (([90, 310], 2), ([90, 310], 3), ([310, 310], 2), ([230, 100], 2), ([190, 300], 2)):
        page.evaluate(SWIPE, [[200, 300], end])
        assert where(page).startswith(f"Step {step} of 6"), end


def test_a_live_film_is_followed_until_somebody_looks_back(player: Callable[..., Any]) -> None:
    """New steps are shown at once; who stepped back stays there, is told so, and gets back by one button."""
    whole = film()
    live = {"sees": 0, "status": "playing", "ranks": None}
    page = player(whole | live | {"steps": whole["steps"][:3]})
    assert 0 == part(page, "views").count()
    assert where(page) == "Now: hand 1"
    page.evaluate("(steps) => grow(steps)", whole["steps"][3:4])
    assert "bob folds" in part(page, "log").inner_text()
    assert 0 == part(page, "now").count()
    part(page, "back").click()
    assert where(page).startswith("Step 3 of 4, hand 1")
    page.evaluate("(steps) => grow(steps)", whole["steps"][4:5])
    assert where(page).startswith("Step 3 of 5, hand 1")
    part(page, "now").click()
    assert where(page) == "Now: hand 2"
    page.evaluate("(steps) => grow(steps, { status: 'done', ranks: [1, 2] })", whole["steps"][5:])
    assert where(page).startswith("Step 6 of 6, hand 2")


def test_the_next_match_at_a_table_begins_at_its_own_now(player: Callable[..., Any]) -> None:
    """Also for who looked back at the last one, or saw it as somebody else than who is there now."""
    whole = film()
    live = {"sees": 0, "status": "playing", "ranks": None}
    page = player(whole | live)
    part(page, "back").click()
    part(page, "first").click()
    other = {"match": "ba9876543210", "sees": "spectator", "steps": whole["steps"][:3]}
    page.evaluate("(json) => open_film(json)", whole | live | other)
    assert where(page) == "Now: hand 1"
    assert "ann is dealt K" not in part(page, "log").inner_text()


def test_the_controls_stay_where_they_are(player: Callable[..., Any]) -> None:
    """The board has the same room at every step, whatever is drawn there."""
    page = player(film())
    top = "document.querySelector('.bar').getBoundingClientRect().top"
    tops = set()
    for step in range(6):
        if step:
            part(page, "next").click()
            page.evaluate("settled()")
        tops.add(page.evaluate(top))
    assert 1 == len(tops)


SHOWN = """async () => {
    document.body.style.display = "none"; // what is compared is text, and need not be painted
    const part = (name) => document.querySelector(`[data-part=${name}]`), told = [];
    for (;;) {
        const { board, log } = { board: document.querySelector(".board"), log: part("log") };
        told.push([board.innerHTML, log.textContent, part("live").textContent, part("where").textContent]);
        if (part("next").ariaDisabled === "true") return told;
        part("next").click();
        await settled();
    }
}"""
SHORT = SMALL | {"holdem": Holdem(hands=3), "bluff": Bluff(plays_max=20)}


@pytest.mark.parametrize(("game", "viewer"), crossed(GAMES, (("seat", 0), ("spectator", "spectator"))))
def test_nobody_is_shown_what_others_alone_knew(game: str, viewer: Any, player: Callable[..., Any]) -> None:
    """As seen by a bot or a spectator, all that is drawn and said is the same when the others' secrets are changed."""
    replay = random_replay(SHORT.get(game) or GAMES[game](), 2, seed=3)
    whole = msgspec.json.decode(film_json(film_of(replay, count=50)))
    whole["steps"] = [{**step, "times": [[0, 1.5, ""], [1, 2.5, ""]]} for step in whole["steps"]]
    board = f"games/{game.replace('-', '_')}/board.js"
    start = {"start": {"viewer": viewer}}
    page = player(whole, board, **start)
    expected = page.evaluate(SHOWN)
    assert len(whole["steps"]) == len(expected)
    page = player(censored(whole, 1 << (viewer if viewer == 0 else 2), viewer), board, **start)
    assert expected == page.evaluate(SHOWN)


def censored(whole: dict[str, Any], bit: int, viewer: Any) -> dict[str, Any]:
    """The film without what this viewer was not told."""
    steps = []
    for step in whole["steps"]:
        own = {seat: seen for seat, seen in step.get("own", {}).items() if seat == str(viewer)}
        told = {name: [each for each in step.get(name, []) if each[0] & bit] for name in ("lines", "events")}
        times = [[seat, ms if seat == viewer else 99.9, fault] for seat, ms, fault in step.get("times", [])]
        steps.append({**step, "own": own, **told, "times": times})
    return whole | {"steps": steps}


def test_a_board_that_fails_is_replaced_by_the_fields(player: Callable[..., Any]) -> None:
    """A board that cannot draw a scene costs its drawing: the fields are shown, and the player goes on."""
    page = player(film(), board="games/blef/board.js")
    assert "pot 0" in " ".join(page.inner_text(".fields").split())
    part(page, "last").click()
    page.evaluate("settled()")
    assert "pot 5" in " ".join(page.inner_text(".fields").split())


def test_cards_in_the_log_are_read_as_cards(player: Callable[..., Any]) -> None:
    """Where a board says that sentences name cards, the log prints suits and the live region says words; names stay."""
    shown = film(names=["ann", "TC"])
    shown["steps"][1]["lines"] = [[ALL, "n", -1, "ann is dealt KH TD, TC 2S", ""]]
    page = player(shown, board="games/holdem/board.js", start={"step": 1})
    assert "ann is dealt K♥ 10♦, TC 2♠" in page.inner_text("[data-part=log]").replace("\ufe0e", "")
    assert "ann is dealt king of hearts ten of diamonds, TC two of spades" in page.inner_text(
        "[data-part=live]"
    )
    page = player(shown, start={"step": 1})
    assert "ann is dealt KH TD, TC 2S" in page.inner_text("[data-part=log]")
