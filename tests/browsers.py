"""A browser in which tests look at pages, and what went wrong or out meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from needs import chromium_program, need

HOME = "http://stage.localhost"
"""The host whose files tests serve by themselves, on a free port; browsers know without asking that it is this machine."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = os.environ.get("CHROMIUM") or chromium_program()
    if path is None:
        need("Chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


DESK = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
"""Without motion a click need not wait for the page to come to rest."""


@attrs.frozen
class Watched:
    """A page in the browser, and what went wrong or out while it was open."""

    page: Any
    troubles: list[str]

    def open(self, path: Path, anchor: str = "") -> Any:
        self.page.goto(f"{path.as_uri()}{anchor}")
        return self.page


@pytest.fixture(scope="session")
def tabs(chromium: Any) -> dict[str, Watched]:
    """The pages of the browser by their options: each costs a process, so tests use them one after the other."""
    return {}


@pytest.fixture
def watched(chromium: Any, tabs: dict[str, Watched]) -> Iterator[Any]:
    """Opens pages of a given size and collects console messages, errors, dialogs and requests to anywhere."""
    used = []

    def watch(**options: Any) -> Watched:
        key = repr(sorted(options.items()))
        if key not in tabs:
            tabs[key] = tab(chromium.new_page(**DESK | options))
        used.append(tabs[key])
        return tabs[key]

    yield watch
    for each in used:
        if each.page.url.startswith("file:"):
            each.page.evaluate("localStorage.clear()")
        each.page.emulate_media(media="null")
        each.page.goto("about:blank")
        each.troubles.clear()


def tab(page: Any) -> Watched:
    """The page, listened to."""
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            request.url.startswith(("file:", "about:", f"{HOME}:"))
            or troubles.append(f"asks {request.url[:60]}")
        ),
    )
    return Watched(page, troubles)
