"""Several people, and a bot over TCP, at one table of a real server."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import attrs
import pytest
from site_people import Person, asked, expecting, timed_out
from test_one_view import HIDDEN

from tests.server.served import Served, a_server
from tests.server.tcp_guest import play

HOSTILE = "<b id=x onclick=1>"
ICON = "document.querySelector('link[rel=icon]').href"


def seats_bot(server: Served, table: str, name: str) -> threading.Thread:
    """A bot takes a seat over HTTP and plays it over TCP, until it is told goodbye."""
    key = asked(server, "POST", f"/api/tables/{table}/players", {"nickname": name})["key"]

    def run() -> None:
        try:
            for _ in play(server.tcp, token=key):
                pass
        except (OSError, ValueError):
            pass  # the server has ended

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


@pytest.mark.slow
def test_two_people_and_a_bot_play_and_talk(quick: Served, person: Callable[..., Person]) -> None:
    """Two browsers and a TCP bot; the host is handed over; a name with HTML is text; a spectator comes late."""
    ann, bob, eve = person(), person(), person()
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "1"})
    bob.says(HOSTILE)
    bob.page.get_by_label("Link or code of a table").fill(ann.page.url)
    bob.press("Go there")
    bob.page.get_by_role("button", name="Take a seat").click()
    seats_bot(quick, ann.table, "tina")
    ann.page.locator(".seats", has_text="tina").wait_for()

    assert ann.page.locator(".seats b", has_text=HOSTILE).inner_text() == HOSTILE
    ann.page.get_by_role("button", name=f"Make {HOSTILE} host").click()
    bob.page.get_by_role("button", name="Begin").wait_for()
    assert 0 == ann.page.get_by_role("button", name="Begin").count()

    ann.page.get_by_label("Message", exact=True).fill("hello <i>you</i>")
    ann.press("Send")
    bob.page.locator(".chat li", has_text="hello <i>you</i>").wait_for()

    bob.press("Begin")
    ann.page.locator(".board").wait_for()
    eve.go(f"/tables/{ann.table}")
    eve.page.locator(".board").wait_for()
    eve.opens("Join")
    eve.page.get_by_role("heading", name="You are watching").wait_for()
    eve.page.get_by_label("Your name").fill("eve")
    eve.page.get_by_role("button", name="Watch under this name").click()
    ann.opens("Players")
    ann.page.locator(".people", has_text="Watching: eve").wait_for()
    assert 0 == eve.page.locator(".turn.mine").count()

    take_turns((ann, bob), Random(5))
    for each in (ann, bob, eve):
        each.page.locator(".outcome").wait_for()
    assert 0 == ann.page.locator("b#x").count()


def take_turns(people: tuple[Person, ...], rng: Random) -> None:
    """Whoever is asked moves, until the match is over."""
    for _ in range(400):
        for each in people:
            if each.page.locator(".outcome").count():
                return
            offered: Any = each.page.locator(".turn.mine .k-buttons button:enabled")
            if count := offered.count():
                with suppress(timed_out()):  # the turn was over before it could be pressed
                    offered.nth(rng.randrange(count)).click(timeout=300)
        people[0].page.wait_for_timeout(15)
    raise AssertionError("the match does not end")


@pytest.mark.slow
def test_a_lost_connection_comes_back_to_its_seat(quick: Served, person: Callable[..., Person]) -> None:
    """Offline it says so; back online, or loaded anew, it is in its seat and sees what it has missed."""
    ann = person()
    ann.go()
    ann.page.get_by_role("button", name="Play Blef now").click()
    assert ann.is_asked()
    with expecting(ann, "ERR_INTERNET_DISCONNECTED", "WebSocket"):
        ann.page.context.set_offline(True)
        ann.page.get_by_text("Connecting again").wait_for()
        assert 0 == ann.page.locator(".turn.mine").count()
        ann.opens("Chat")
        ann.page.get_by_label("Message", exact=True).fill("hello")
        ann.press("Send")
        ann.page.get_by_text("The server cannot be reached").wait_for()
        ann.page.context.set_offline(False)
        ann.page.locator(".turn.mine").wait_for()
    assert 0 == ann.page.get_by_text("Connecting again").count()
    assert 0 == ann.page.get_by_text("The server cannot be reached").count()
    ann.page.reload()
    assert ann.is_asked()
    key = ann.page.evaluate("JSON.parse(Object.values(sessionStorage)[0]).key")
    assert asked(quick, "GET", f"/api/tables/{ann.table}", key=key)["you"]["nickname"] == "Guest"
    other = person()
    other.go(f"/tables/{ann.table}")
    other.opens("Join")
    other.page.get_by_role("heading", name="You are watching").wait_for()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_seat_that_is_lost_and_a_table_that_is_closed_are_told(
    quick: Served, person: Callable[..., Person]
) -> None:
    """In words, with a way back; nothing tries for ever."""
    ann = person()
    ann.says("ann")
    ann.makes_table("Blef")
    seat = ann.page.evaluate("JSON.parse(Object.values(sessionStorage)[0])")
    bob = person()
    bob.go(f"/tables/{ann.table}")
    bob.page.get_by_label("Your name").fill("bob")
    bob.page.get_by_role("button", name="Take a seat").click()
    bob.page.get_by_role("button", name="Ready").wait_for()
    with expecting(ann, "401"):
        asked(quick, "DELETE", f"/api/tables/{ann.table}/players/{seat['playerID']}", key=seat["key"])
        ann.page.locator(".join").wait_for()
        ann.page.reload()
        ann.page.get_by_text("Your seat here is gone").wait_for()
    with expecting(ann, "404"):
        bob.press("Leave")
        bob.page.get_by_role("heading", name="Play the bots").wait_for()
        ann.page.get_by_role("heading", name="This table is not open").wait_for()
    ann.page.get_by_role("link", name="To the games and tables").click()
    ann.page.get_by_role("heading", name="Play the bots").wait_for()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_server_that_stops_is_told_and_waited_for(
    tmp_path: Path, chromium: Any, person: Callable[..., Person]
) -> None:
    """Its farewell is shown; once it runs again, whoever sat there sits there, without doing anything."""
    ann = person()
    with a_server(tmp_path / "data", is_quick=True) as server:
        address = server.http.removeprefix("http://")
        there = attrs.evolve(ann, home=server.http)
        there.go()
        there.page.get_by_role("button", name="Play Blef now").click()
        assert there.is_asked()
        server.process.terminate()
        there.page.get_by_text("Connecting again").wait_for()
        assert "server stops" in there.page.locator(".note").inner_text()
        server.process.wait()
    with a_server(tmp_path / "data", http=address, is_quick=True):
        assert there.is_asked()
        assert 0 == there.page.get_by_text("Connecting again").count()
    ann.troubles.clear()  # a browser notes every connection that fails


@pytest.mark.slow
def test_who_has_no_choice_is_not_asked(quick: Served, person: Callable[..., Person]) -> None:
    """A bystander who may only pass passes without a word; whoever may do something else is asked."""
    ann = person()
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "1"})
    other = asked(quick, "POST", f"/api/tables/{ann.table}/players", {"nickname": "bob"})
    ann.page.locator(".seats", has_text="bob").wait_for()
    ann.press("Begin")
    ann.page.locator(".turn").wait_for()
    shown = asked(quick, "GET", f"/api/tables/{ann.table}", key=other["key"])
    if shown["match"]["names"][0] == "ann":
        ann.page.locator(".turn.mine", has_text="How many").wait_for()
        return
    assert 0 == ann.page.locator(".turn.mine").count()
    asked(quick, "POST", f"/api/tables/{ann.table}/moves", {"move": [1, 1]}, key=other["key"])
    ann.page.locator(".turn.mine").wait_for()
    assert "ann passes" not in ann.page.inner_text(".log"), "nothing is said of somebody who did nothing"


def to_bid(quick: Served, ann: Person) -> tuple[Any, str]:
    """Ann's button for a bid with one die each, and the key of bob, whom nobody plays."""
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "1"})
    other = asked(quick, "POST", f"/api/tables/{ann.table}/players", {"nickname": "bob"})
    ann.page.locator(".seats", has_text="bob").wait_for()
    ann.press("Begin")
    ann.page.locator(".turn").wait_for()
    if asked(quick, "GET", f"/api/tables/{ann.table}")["match"]["names"][0] == "bob":
        asked(quick, "POST", f"/api/tables/{ann.table}/moves", {"move": [1, 1]}, key=other["key"])
    bid = ann.page.locator(".turn.mine .k-send")
    bid.wait_for()
    return bid, other["key"]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_pass_that_nobody_chose_may_come_too_late(quick: Served, person: Callable[..., Person]) -> None:
    """Whoever has bid may only pass until somebody answers, which the page does; if that is refused, nothing is told."""
    ann, late = person(), {"error": "conflict", "message": "it is not your turn"}
    bid, _ = to_bid(quick, ann)
    ann.page.route(
        "**/moves",
        lambda route: (
            route.fulfill(status=409, json=late) if "pass" in route.request.post_data else route.continue_()
        ),
    )
    with expecting(ann, "409"), ann.page.expect_console_message(lambda said: "409" in said.text):
        bid.click()
    ann.page.locator(".whose", has_text="Your turn").wait_for(state="detached")
    assert 0 == ann.page.locator(".trouble").count()


@pytest.mark.slow
def test_a_pass_that_is_lost_is_sent_again(quick: Served, person: Callable[..., Person]) -> None:
    """Without anything else from the server meanwhile; one that was refused is not."""
    ann = person()
    bid, bob = to_bid(quick, ann)
    sent: list[str] = []

    def lose(route: Any) -> None:
        if "pass" not in route.request.post_data:
            route.continue_()
            return
        sent.append(route.request.post_data)
        if len(sent) == 1:
            route.abort()
        else:
            route.fulfill(status=409, json={"error": "conflict", "message": "it is not your turn"})

    def says(text: str) -> None:
        asked(quick, "POST", f"/api/tables/{ann.table}/chat", {"message": text}, key=bob)

    ann.page.route("**/moves", lose)
    with ann.page.expect_console_message(lambda said: "409" in said.text):
        bid.click()
    says("hello")
    says("are you there?")
    ann.opens("Chat")
    ann.page.get_by_text("are you there?").wait_for()
    assert 2 == len(sent)
    assert sent[0] == sent[1]
    ann.troubles.clear()  # a browser notes both


@pytest.mark.slow
def test_a_long_name_and_a_note_find_room_on_a_phone(quick: Served, person: Callable[..., Person]) -> None:
    """A name keeps its end where it is said who is to move; what is told above the board makes that smaller."""
    ann = person(viewport={"width": 360, "height": 740})
    ann.says("ann")
    ann.makes_table("No-Limit Hold'em")
    path, names = f"/api/tables/{ann.table}", ["W" * 22 + end for end in ("X1", "X2", "X3")]
    for name in names:
        asked(quick, "POST", f"{path}/players", {"nickname": name})
    ann.page.locator(".seats", has_text=names[-1]).wait_for()
    ann.press("Begin")
    if ann.page.locator(".whose").first.inner_text().startswith("Your turn"):
        ann.page.get_by_role("button", name="Fold").first.click()
    end = ann.page.locator(".whose .k-long > :last-child")
    end.wait_for()
    assert end.evaluate(
        "(end) => end.getBoundingClientRect().right <= end.closest('.k-long').getBoundingClientRect().right + 1"
    )
    with expecting(ann, "ERR_INTERNET_DISCONNECTED", "WebSocket"):
        ann.page.context.set_offline(True)
        ann.page.get_by_text("Connecting again").wait_for()
        assert not any(ann.page.evaluate(HIDDEN).values())
        ann.page.context.set_offline(False)
        ann.page.get_by_text("Connecting again").wait_for(state="detached")


@pytest.mark.slow
def test_a_bystander_may_answer(quick: Served, person: Callable[..., Person]) -> None:
    """Whoever may challenge the bid of somebody else is not told that it is its turn; the page's icon is marked."""
    ann = person()
    ann.says("ann")
    ann.makes_table("Liar's Dice", {"dice": "1"})
    keys = {"ann": ann.page.evaluate("JSON.parse(Object.values(sessionStorage)[0]).key")}
    for name in ("bob", "cid"):
        keys[name] = asked(quick, "POST", f"/api/tables/{ann.table}/players", {"nickname": name})["key"]
    ann.page.locator(".seats", has_text="cid").wait_for()
    ann.press("Begin")
    ann.page.locator(".turn").wait_for()
    order = asked(quick, "GET", f"/api/tables/{ann.table}")["match"]["names"]
    if order[0] != "ann":
        assert ann.page.evaluate(ICON).endswith("/icon.svg")
    for bid in range(4):
        bidder = order[bid % 3]
        if bid and "ann" not in (bidder, order[(bid - 1) % 3]):
            ann.page.get_by_text("You may answer", exact=True).wait_for()
            assert ann.page.title().startswith("You may answer")
            assert ann.page.evaluate(ICON).endswith("/icon-turn.svg")
            assert 200 == urllib.request.urlopen(ann.page.evaluate(ICON), timeout=20).status
            return
        if bidder == "ann":
            ann.page.locator(".whose", has_text="Your turn").wait_for()
        path = f"/api/tables/{ann.table}/moves"
        asked(quick, "POST", path, {"move": [bid + 1, 1]}, key=keys[bidder])
        for name in order:
            if name not in ("ann", bidder):
                with suppress(urllib.error.HTTPError):  # before a bid only one is asked
                    asked(quick, "POST", path, {"words": "pass"}, key=keys[name])
    raise AssertionError("ann was never a bystander")


@pytest.mark.nightly
@pytest.mark.slow
def test_who_was_away_says_that_it_is_back(quick: Served, person: Callable[..., Person]) -> None:
    """Whoever let two turns go by is shown as away, and one press makes it a player like the others."""
    table = asked(quick, "POST", "/api/tables", {"game": "holdem", "move_time": 1.5})["id"]
    ann = person()
    ann.go(f"/tables/{table}")
    ann.page.get_by_label("Your name").fill("ann")
    ann.page.get_by_role("button", name="Take a seat").click()
    ann.page.get_by_role("button", name="Begin").wait_for()
    asked(quick, "POST", f"/api/tables/{table}/players", {"nickname": "bob"})
    ann.press("Begin")
    ann.page.get_by_text("You are shown as away").wait_for()
    ann.opens("Players")
    ann.page.locator(".people li", has_text="ann").get_by_text("away").wait_for()
    ann.press("I am back")
    ann.page.get_by_text("You are shown as away").wait_for(state="detached")
