"""Tells the flow of a table, line by line, as its versions come, even across lost connections."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import trio

from arena.errors import ConfigError
from arena.terminal.link import NoAnswer, NotDone, ServerLink
from arena.terminal.news import News, clean

WAIT_S = 20
"""How long one request waits for the table to change (s)."""
GIVE_UP_S = 60.0
"""How long a server may be silent before it counts as gone."""
AGAIN_S = 1.0
WIDTH_MAX = 80

Say = Callable[[str], None]


def show_line(text: str) -> None:
    """Prints a line of what others may have written, wrapped where the terminal ends."""
    width = min(WIDTH_MAX, shutil.get_terminal_size((WIDTH_MAX, 24)).columns)
    lines = textwrap.wrap(clean(text), max(20, width), subsequent_indent="  ", break_on_hyphens=False)
    print("\n".join(lines), flush=True)


async def ask_server(link: ServerLink, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """Calls `ServerLink.ask` in a thread."""
    return await trio.to_thread.run_sync(partial(link.ask, method, path, body), abandon_on_cancel=True)


async def follow(link: ServerLink, news: News, tell: Say) -> AsyncIterator[dict[str, Any]]:
    """Tells what happens at a table until it is closed; yields each version of the table once it is told.

    Raises ConfigError if the server has not answered for a minute.
    """
    path, version = f"/tables/{link.url.id}", None
    while True:
        waits = "" if version is None else f"?after={version}&wait={WAIT_S}"
        try:
            table = await patiently(link, path + waits, tell)
            if table["version"] != version:
                version = table["version"]
                await _tell(link, news, table, tell)
                yield table
        except NotDone as refused:
            if refused.status == 429:
                await trio.sleep(AGAIN_S)
                continue
            tell(str(refused))
            return
        except (KeyError, TypeError, IndexError, AttributeError):
            raise ConfigError(f"what answers at {link.url.server} is not a server of the arena") from None


async def _tell(link: ServerLink, news: News, table: dict[str, Any], tell: Say) -> None:
    for line in news.lobby(table):
        tell(line)
    for number in news.rounds():
        try:
            told = await patiently(link, f"/tables/{link.url.id}/rounds/{number}", tell)
        except NotDone as refused:
            if refused.status != 404:
                raise
            break  # another match has begun since
        for line in news.steps(told):
            tell(line)
    for line in news.result():
        tell(line)


async def patiently(link: ServerLink, path: str, tell: Say) -> Any:
    """Asks again and again until the server answers; returns its answer.

    Raises NotDone, or ConfigError if the server has not answered for a minute.
    """
    lost_at = None
    while True:
        try:
            found = await ask_server(link, "GET", path)
        except NoAnswer as error:
            now = trio.current_time()
            if lost_at is None:
                lost_at = now
                tell(f"the connection is lost ({error}): trying again for {GIVE_UP_S:.0f} s")
            elif now - lost_at > GIVE_UP_S:
                raise ConfigError(f"{error}, for {GIVE_UP_S:.0f} s") from None
            await trio.sleep(AGAIN_S)
        else:
            if lost_at is not None:
                tell("the server answers again")
            return found


async def watch_table(link: ServerLink) -> None:
    """Tells the flow of a table until it is closed."""
    async for _ in follow(link, News(), show_line):
        pass
