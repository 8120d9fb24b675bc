"""Asks a server about its leagues over REST, with the token that is kept for it on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from arena.errors import ConfigError, unwritable
from arena.reading.units import shown
from arena.terminal.link import NoAnswer, NotDone, ServerLink, TableUrl, nobody_answers, read_url

HOW = "give the URL of a server or a league, e.g. http://127.0.0.1:8080/leagues/NAME"
TOKEN = "ARENA_TOKEN"
"""The variable of the environment with a token, which counts more than the one that is kept."""
UNAUTHORIZED = 401
WAIT_S = 25
"""How long one request waits for news."""
_LEAGUE = re.compile(r"(.*?)(?:/api)?/leagues/([^/?#]+)/?", re.DOTALL)


def read_league_url(text: str) -> tuple[TableUrl, str | None]:
    """The server and the league that a URL names; None: it names no league.  Raises ConfigError."""
    found = _LEAGUE.fullmatch(text)
    server, name = (found[1], found[2]) if found else (re.sub(r"(/api)?/leagues/?$", "", text), None)
    if name is not None and not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise ConfigError(f"{shown(name)} is not the name of a league: {HOW}")
    url = read_url(server, HOW)
    if url.id is not None:
        raise ConfigError(f"{shown(text)} is the URL of a table: {HOW}")
    return url, name


class LeagueLink:
    """A server's leagues, or one of them; each request has a connection of its own."""

    def __init__(self, url: TableUrl, name: str | None, token: str | None, is_host: bool = False) -> None:
        self.url = url
        self._is_host = is_host
        self._name = name
        self._link = ServerLink(url, token)

    @property
    def name(self) -> str:
        """The league; if the URL names none, the only one that the server shows.  Raises ConfigError."""
        if self._name is None:
            names = [str(each["name"]) for each in self.ask("GET", "/leagues")]
            if len(names) != 1:
                which = f"it shows {', '.join(names)}" if names else "it shows none to you"
                raise ConfigError(f"say which league of {self.url.server} is meant: {which}; {HOW}")
            self._name = names[0]
        return self._name

    def of_league(self, method: str, path: str, body: Any = None, **query: str) -> Any:
        """Asks something of the league.  Raises ConfigError as `ask` does."""
        words = {key: value for key, value in query.items() if value}
        return self.ask(method, f"/leagues/{self.name}{path}{'?' if words else ''}{urlencode(words)}", body)

    def ask(self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None) -> Any:
        """Asks something of the server.  Raises ConfigError if it refuses, or does not answer."""
        with self._asking():
            return self._link.ask(method, path, body)

    def fetch(self, path: str) -> bytes:
        """A file of the league.  Raises ConfigError as `ask` does."""
        name = self.name
        with self._asking():
            return self._link.fetch(f"/leagues/{name}{path}")

    @property
    def token(self) -> str:
        """The token that proves who asks.  Raises ConfigError if there is none."""
        if self._link.key is None:
            raise self._no_token()
        return self._link.key

    def _no_token(self) -> ConfigError:
        if self._is_host:
            return ConfigError(
                f"this needs a token of a host: set {TOKEN} to the one that the server printed"
            )
        join = f"join it by `arena league join {self._name or 'NAME'}`"
        why = f"this needs a token, and none is kept here for {self._name or self.url.server}"
        return ConfigError(f"{why}: {join}, or set {TOKEN}")

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Closes the connection at the end, and turns what is refused into the user's mistakes."""
        try:
            yield
        except NotDone as refused:
            if refused.status == UNAUTHORIZED and self._link.key is None:
                raise self._no_token() from None
            raise ConfigError(str(refused)) from None
        except NoAnswer as error:
            raise nobody_answers(error) from None
        finally:
            self._link.close()


def part(id: str) -> str:
    """An id as a part of a path, whatever somebody typed."""
    return quote(id, safe="")


# Tokens


def league_link(where: str, name: str | None = None, *, is_host: bool = False) -> LeagueLink:
    """A link to the league or the server at a URL, with the token that this machine has for it.

    `name`: the league, if the URL does not say it.  `is_host`: whether a host asks, whose token is not kept.
    """
    url, named = read_league_url(where)
    name = name or named
    token = os.environ.get(TOKEN) or (None if is_host else kept_token(url, name))
    return LeagueLink(url, name, token, is_host)


def kept_token(url: TableUrl, name: str | None) -> str | None:
    """The token that is kept for a league; if none is named, that of the only one of the server."""
    begun = token_file(url, name or "*")
    found = [begun] if name else sorted(begun.parent.glob(begun.name))
    with suppress(OSError):
        if len(found) == 1:
            return found[0].read_text().strip() or None
    return None


def keep_token(url: TableUrl, name: str, token: str) -> Path:
    """Keeps a token for this user alone.  Raises ConfigError if it cannot be written."""
    path = token_file(url, name)
    try:
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            path.unlink()
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"{token}\n")
    except OSError as error:
        raise unwritable(path, error) from None
    return path


def token_file(url: TableUrl, name: str) -> Path:
    """Where the token for a league is kept."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    server = re.sub(r"[^A-Za-z0-9.-]", "_", f"{url.host}_{url.port}{url.prefix}")
    return Path(base, "arena", "tokens", f"{server}_{name}")
