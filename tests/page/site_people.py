"""People at a server in a real browser: each has a browser context of their own, and does what people do."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import attrs
import pytest
from browsers import DESK

from tests.report.reports import tournament
from tests.server.served import Served, a_server

OFFERED = ".turn.mine button:enabled:not(.typed button)"
"""What somebody whose turn it is may press, but for the field for words."""
SEEN = ":visible"
"""Of what a selector finds, what is not folded away, such as ranks of cards where there are few; Playwright's own."""
SENDS = ".turn.mine .k-send:enabled"
OVER = ".outcome"
PRESSES_MAX = 600
"""In one match: many of them only choose what the move shall be."""


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that makes no pauses and shows one tournament, for all tests of the site."""
    home = tmp_path_factory.mktemp("site")
    tournament(home / "results" / "spring cup", "liars-dice", ("ann", "bob"), series=1)
    shelf = ("--results", str(home / "results"))
    with a_server(home / "data", "127.0.0.1:0", "127.0.0.1:0", *shelf, is_quick=True) as server:
        yield server


@attrs.frozen
class Person:
    """Somebody in front of a page, and what went wrong there or was asked of others."""

    page: Any
    home: str
    troubles: list[str]

    @property
    def table(self) -> str:
        """The id of the table that is shown."""
        return str(self.page.url.rsplit("/", 1)[1])

    def go(self, path: str = "/") -> None:
        self.page.goto(self.home + path)
        self.page.locator("h1").first.wait_for()  # a report has one for each bot

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def opens(self, tab: str) -> None:
        """Turns to one of the tabs beside a match."""
        self.page.get_by_role("tab", name=tab).click()

    def says(self, name: str) -> None:
        """Goes to the first page and says how it wants to be called."""
        self.go()
        self.page.get_by_label("You play as").fill(name)

    def makes_table(
        self, title: str, rules: dict[str, str] | None = None, bots: tuple[str, ...] = ()
    ) -> None:
        """Makes a table by the form, with house rules and bots."""
        self.press("Create a table")
        form = self.page.locator("form.make")
        game = form.locator("select").first
        game.select_option(game.locator("option", has_text=title).get_attribute("value"))
        for place, bot in enumerate(bots, 1):
            form.get_by_role("button", name="Add a bot").click()
            form.get_by_label(f"Bot {place}", exact=True).select_option(bot)
        if rules:
            form.get_by_text("House rules").click()
        for rule, value in (rules or {}).items():
            form.locator("details").get_by_label(rule).fill(value)
        form.get_by_role("button", name="Create the table").click()
        self.page.get_by_role("heading", name="Who plays").wait_for()

    def is_asked(self) -> bool:
        """Waits until a move is asked of it; False: the match is over."""
        self.page.locator(f"{OFFERED}{SEEN}, {OVER}").first.wait_for()
        return not self.page.locator(OVER).count()

    def plays_on(self, rng: Random, by: str = "click") -> None:
        """Presses offered buttons with the mouse, or by "tap" with a finger, until the match is over."""
        for _ in range(PRESSES_MAX):
            if not self.is_asked():
                return
            self.moves(rng, by)
        raise AssertionError("the match does not end")

    def moves(self, rng: Random, by: str = "click") -> None:
        """Presses one of the offered buttons, if the turn is not over before."""
        sends, offered = self.page.locator(SENDS + SEEN), self.page.locator(OFFERED + SEEN)
        chosen = sends if sends.count() and rng.random() < 0.6 else offered
        count = chosen.count()
        with suppress(timed_out()):
            getattr(chosen.nth(rng.randrange(max(1, count))), by)(timeout=500)

    def plays_by_keyboard(self, rng: Random) -> None:
        """The same with the keyboard alone: Tab, and Enter where the focus is then."""
        for _ in range(PRESSES_MAX):
            if not self.is_asked():
                return
            steps = rng.randrange(3)
            for _ in range(80):
                self.page.keyboard.press("Tab")
                if self.page.evaluate(f"document.activeElement.matches('{OFFERED}')"):
                    if not steps:
                        self.page.keyboard.press("Enter")
                        break
                    steps -= 1
        raise AssertionError("the match does not end")


def timed_out() -> type[Exception]:
    """What is raised when something does not appear."""
    from playwright.sync_api import TimeoutError  # not installed everywhere

    return TimeoutError


@pytest.fixture(scope="session")
def left() -> dict[str, list[Any]]:
    """The contexts of people who have left, by their options: a new one costs the browser half a second of work."""
    return {}


@pytest.fixture
def person(chromium: Any, quick: Served, left: dict[str, list[Any]]) -> Iterator[Callable[..., Person]]:
    """Gives people; in the end nothing may have gone wrong in front of them."""
    used: list[tuple[str, Any]] = []
    everybody: list[Person] = []

    def come(*, is_new: bool = False, **options: Any) -> Person:
        """Somebody whom the browser does not know; `is_new`: to whom it has shown nothing yet, to speak of the cache."""
        key = repr(sorted(options.items()))
        if is_new or not left.get(key):
            context = chromium.new_context(**DESK | options)
            context.set_default_timeout(60_000)  # for a machine that is busy with other things
        else:
            context = left[key].pop()
        used.append((key, context))
        everybody.append(Person(context.new_page(), quick.http, []))
        _watch(everybody[-1])
        return everybody[-1]

    try:
        yield come
        troubles = [trouble for each in everybody for trouble in each.troubles]
        assert not troubles, troubles
    except BaseException:
        for _, context in used:
            context.close()
        raise
    for key, context in used:
        if _forgets(context, quick.http):
            left.setdefault(key, []).append(context)
        else:
            context.close()


def _forgets(context: Any, home: str) -> bool:
    """Closes the pages, with all that they kept; False: they were elsewhere, and may have kept more."""
    page, *others = context.pages
    if others or not page.url.startswith(home + "/"):
        return False
    page.evaluate("localStorage.clear()")
    context.clear_cookies()
    context.clear_permissions()
    page.close()
    return True


def _watch(person: Person) -> None:
    page, note = person.page, person.troubles.append
    own = (person.home + "/", person.home.replace("http", "ws") + "/")
    page.on("console", lambda message: note(f"console: {message.text}"))
    page.on("pageerror", lambda error: note(f"error: {error}"))
    page.on("dialog", lambda dialog: (note(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: request.url.startswith(own) or note(f"asks {request.url[:80]}"))
    page.on("websocket", lambda socket: socket.url.startswith(own) or note(f"asks {socket.url[:80]}"))


@contextmanager
def expecting(person: Person, *words: str) -> Iterator[None]:
    """What the browser itself notes about requests that fail is no trouble here, if it has one of these words."""
    before = len(person.troubles)
    yield
    person.troubles[before:] = [
        each for each in person.troubles[before:] if not any(word in each for word in words)
    ]


def asked(server: Served, method: str, path: str, body: Any = None, key: str = "") -> Any:
    """What the server answers to a program."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    octets = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.http + path, data=octets, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def until(page: Any, holds: str) -> None:
    """Waits for something; the page forbids to make functions of texts, as Playwright would."""
    page.evaluate(
        f"async () => {{ while (!({holds})()) await new Promise((done) => setTimeout(done, 20)); }}"
    )
