"""`--open`: the browser of whoever sits there, or where the page is, and never a wait or a traceback."""

from __future__ import annotations

import time
import webbrowser
from pathlib import Path
from typing import Any

import attrs
import pytest

from arena.cli.browser import has_browser, show_page, show_page_beside
from arena.cli.hosting import page_of
from arena.server.serve import OpenServer

PAGE = "http://127.0.0.1:8080/"
HERE = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No screen and no browser, wherever the tests run."""
    for name in HERE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")


@pytest.mark.parametrize(
    ("environment", "platform", "has"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "w3m"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_where_a_page_can_be_shown(environment: dict[str, str], platform: str, has: bool) -> None:
    assert has == has_browser(environment, platform)


def test_without_a_browser_the_address_is_told(capsys: Any) -> None:
    show_page(PAGE)
    assert f"no browser opened here: the page is {PAGE}\n" == capsys.readouterr().err
    notes: list[str] = []
    show_page_beside(PAGE, notes.append)
    assert [f"no browser opened here: the page is {PAGE}"] == notes


@pytest.mark.parametrize("outcome", [False, OSError(), webbrowser.Error()])
def test_a_browser_that_does_not_start_is_none(outcome: Any, monkeypatch: Any, capsys: Any) -> None:
    def refuse(address: str) -> bool:
        if isinstance(outcome, Exception):
            raise outcome
        return False

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", refuse)
    show_page(PAGE)
    assert PAGE in capsys.readouterr().err


def test_a_page_is_opened(monkeypatch: Any, capsys: Any) -> None:
    asked: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: asked.append(address) or True)
    show_page(PAGE)
    assert [PAGE] == asked
    assert "" == capsys.readouterr().err


@pytest.mark.slow
def test_the_browser_that_is_named_is_not_waited_for(monkeypatch: Any, tmp_path: Path) -> None:
    """A real one, which writes down what it was asked and stays."""
    asked = tmp_path / "asked"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}.new && mv {asked}.new {asked}; sleep 2\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    began_at = time.monotonic()
    show_page_beside(PAGE, print)
    assert time.monotonic() < began_at + 1.0
    while not asked.exists():
        assert time.monotonic() < began_at + 30.0
        time.sleep(0.02)
    assert PAGE == asked.read_text().strip()


@pytest.mark.parametrize(
    ("http", "page"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("http://0.0.0.0:80", "http://127.0.0.1:80/"),
        ("http://[::]:80", "http://127.0.0.1:80/"),
        ("http://[::1]:80", "http://[::1]:80/"),
        ("http://arena.example.org:80", "http://arena.example.org:80/"),
        ("https://0.0.0.0:443", "https://127.0.0.1:443/"),
    ],
)
def test_a_server_is_found_from_its_own_machine(http: str, page: str) -> None:
    empty: Any = None
    fields = {field.name: empty for field in attrs.fields(OpenServer)}
    assert page == page_of(OpenServer(**{**fields, "http": http}))
