"""Opens a page in the browser of whoever sits at this machine, if there is one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from arena.terminal.text import say

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables set where windows can be opened; on macOS and Windows, they always can be."""


def has_browser(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a page can be shown: somebody named a browser, or there is a screen for one."""
    return any(map(environment.get, ("BROWSER", *SCREENS))) or platform in ("darwin", "win32")


def show_page(address: str) -> None:
    """Opens the page; where there is no browser, or it does not start, says where the page is.

    A browser that works in the terminal, such as lynx, has this one until it is closed.
    """
    is_open = False
    if has_browser(os.environ, sys.platform):
        import webbrowser

        with suppress(webbrowser.Error, OSError, ValueError):  # a BROWSER that is no command
            is_open = webbrowser.open(address)
    if not is_open:
        say(f"no browser opened here: the page is {address}")


def show_page_beside(address: str, note: Callable[[str], None]) -> None:
    """Opens the page by a process of its own, which this one does not wait for or hear."""
    if not has_browser(os.environ, sys.platform):
        note(f"no browser opened here: the page is {address}")
        return
    threading.Thread(target=_show_apart, args=[address], name="browser", daemon=True).start()


def _show_apart(address: str) -> None:
    with suppress(OSError):
        subprocess.run(
            [sys.executable, "-m", "webbrowser", address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the server
            check=False,
        )
