"""Watching bots at a server: at reading speed, with a way to now, and without a busy processor."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from daily import NIGHTLY
from replays import random_replay
from site_people import Person, asked, until

from arena.games.holdem import Holdem
from arena.telling.replay import SPECTATOR
from tests.replays import film_of
from tests.server.served import Served

pytestmark = pytest.mark.slow

SEATS = 10
CPU_MAX = 0.2
"""The share of a core that a tab may take which watches ten bots."""
SECONDS, FRAMES_PER_S = 15, 100
FED = """([film, steps, table, everyMs]) => {
    window.WebSocket = class {
        constructor() { setTimeout(() => this.onopen()); }
        send() {
            const tell = (more) => this.onmessage({ data: JSON.stringify({ table, moves: null, result: null, alert: null, ...more }) });
            if (window.begin) { // it comes back
                tell({ film: { ...film, steps: [...film.steps, ...steps.slice(0, window.sent)] } });
                window.isBack = true;
                return;
            }
            tell({});
            window.lose = (alert) => {
                tell({ alert });
                window.WebSocket = class { close() {} };
                this.onclose({ code: 1006, reason: "" });
            };
            window.begin = (match) => tell({ film: { ...film, match } });
            let sent = 0;
            setTimeout(() => {
                tell({ film });
                setInterval(() => { if (sent < steps.length) tell({ first: 1 + sent, steps: [steps[sent++]] }); window.sent = sent; }, everyMs);
            }, 50);
        }
        close() {}
    };
    window.WebSocket.CONNECTING = 0;
}"""
"""In place of the server's socket: a table before its match, then a match of which a step is sent every so often."""


@pytest.fixture
def watcher(person: Callable[..., Person], quick: Served) -> Callable[..., Person]:
    """Somebody at a table of ten bots who is sent a step of their match every so many milliseconds."""

    def come(every_ms: float, steps: int = 10_000, **options: Any) -> Person:
        ann = person(**options)
        hands = 400 if steps > 100 else 10
        film = film_of(random_replay(Holdem(hands=hands), SEATS, seed=1), SPECTATOR, count=steps + 1)
        film |= {"status": "playing", "ranks": None, "returns": None, "first": 0, "steps_in_all": 1}
        first, *others = film.pop("steps")
        made = asked(quick, "POST", "/api/tables", {"game": "holdem"})
        table = asked(quick, "GET", f"/api/tables/{made['id']}")
        bots = [
            {"playerID": name, "nickname": name, "way": "program", "seat": seat, "is_ready": True,
             "is_away": False, "is_out": False, "has_left": False} for seat, name in enumerate(film["names"])
        ]  # fmt: skip
        table |= {"status": "playing", "players": bots, "clocks": {}}
        table |= {
            "match": {
                "match_id": film["match"],
                "names": film["names"],
                "turn": 0,
                "to_act": [film["names"][0]],
                "to_move": [film["names"][0]],
                "number": 1,
            }
        }
        fed = json.dumps([film | {"steps": [first]}, others, table, every_ms])
        ann.page.add_init_script(f"({FED})({fed})")
        ann.go(f"/tables/{made['id']}")
        ann.page.locator(".player .k-table").wait_for()
        return ann

    return come


def test_bots_are_watched_at_reading_speed(watcher: Callable[..., Person]) -> None:
    """From the start of the match, however far the bots are; a button leads to now, and the player stays there."""
    ann = watcher(20, steps=60)
    page = ann.page
    until(page, "() => window.sent === 60")
    behind = page.locator(".behind")
    assert "steps behind" in behind.inner_text()
    assert 0 == page.locator("[data-part=slider]").count(), "the controls are those of a live table"
    assert page.locator("[data-part=log] li").count() < 30
    before = behind.inner_text()
    until(page, f"() => document.querySelector('.behind').innerText !== {json.dumps(before)}")
    page.locator("[data-part=now]").click()
    behind.wait_for(state="detached")
    assert page.locator("[data-part=log] li").count() > 60
    page.locator("[data-part=back]").click()
    page.locator("[data-part=play]").click()
    page.locator("[data-part=slider]").wait_for(state="detached")


def test_a_match_stays_until_it_has_been_read(watcher: Callable[..., Person]) -> None:
    """Another one that begins meanwhile is said, and waits for who reads; the button leads there."""
    ann = watcher(20, steps=12)
    page, shown = ann.page, ann.page.locator("[data-part=log] li")
    until(page, "() => window.sent === 12")
    shown.nth(3).wait_for()
    page.evaluate("begin('another')")
    page.get_by_text("Another match has begun.").wait_for()
    assert shown.count() > 3
    page.locator("[data-part=now]").click()
    page.get_by_text("The match begins.").wait_for()
    assert 0 == page.get_by_text("Another match has begun.").count()


def test_the_speed_of_reading_is_chosen(watcher: Callable[..., Person]) -> None:
    """At eight times the usual speed, twelve steps are read before five would be; all of that is one line on a phone."""
    page = watcher(20, steps=12, viewport={"width": 360, "height": 740}).page
    until(page, "() => window.sent === 12")
    row = "() => [...document.querySelectorAll('.behind button, .looking > *')].map((each) => each.getBoundingClientRect().bottom - document.querySelector('.tabs').getBoundingClientRect().top)"
    assert max(page.evaluate(row)) <= 8
    page.get_by_label("Speed").select_option(label="8×")
    page.locator(".behind").wait_for(state="detached", timeout=6_000)


def test_who_gives_a_name_reads_on(watcher: Callable[..., Person]) -> None:
    """Where it was, not at what is played now, though it is shown the match anew under its name."""
    ann = watcher(20, steps=60)
    page = ann.page
    until(page, "() => window.sent === 60")
    ann.opens("Join")
    page.get_by_label("Your name").fill("ann")
    # The last steps may not be drawn yet: only who was further behind before has read a step.
    until(page, "() => parseInt(document.querySelector('.behind')?.textContent) >= 55")
    until(page, "() => parseInt(document.querySelector('.behind')?.textContent) <= 54")
    ann.press("Watch under this name")
    until(page, "() => window.isBack")
    page.locator(".behind").wait_for()
    assert 40 <= int(page.locator(".behind").inner_text().split()[0]) < 60


def test_a_lost_connection_is_said_though_something_waits_to_be_drawn(watcher: Callable[..., Person]) -> None:
    """What came just before the end is shown, and that it was the end."""
    page = watcher(20, steps=12).page
    until(page, "() => window.sent === 12")
    page.evaluate("lose('the last words')")
    page.get_by_text("The last words").wait_for()
    page.get_by_text("Connecting again").wait_for(timeout=1_000)


@pytest.mark.parametrize("at", [pytest.param("reading", marks=NIGHTLY), pytest.param("live", marks=NIGHTLY)])
def test_a_tab_that_watches_ten_bots_leaves_the_processor_alone(
    at: str, watcher: Callable[..., Person]
) -> None:
    """At 100 moves a second, at reading speed and at what is played now, with motion."""
    ann = watcher(1000 / FRAMES_PER_S, reduced_motion="no-preference")
    if at == "live":
        ann.page.locator("[data-part=now]").click()
    session = ann.page.context.new_cdp_session(ann.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def used_s() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    ann.page.wait_for_timeout(2_000)
    before, sent = used_s(), ann.page.evaluate("window.sent")
    ann.page.wait_for_timeout(1_000 * SECONDS)
    spent, sent = used_s() - before, ann.page.evaluate("window.sent") - sent
    measured = f"{at}: {spent / SECONDS:.1%} of a core for {sent / SECONDS:.0f} steps a second"
    print(measured)
    assert spent / SECONDS <= CPU_MAX, measured
    assert sent > SECONDS * FRAMES_PER_S / 2, f"too few to say anything: {measured}"
