"""Sends requests to a server of the arena over HTTP, and reads its answers and the URLs of its tables."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import attrs

from arena.errors import ArenaError, ConfigError
from arena.reading.units import shown

ANSWER_BYTES_MAX = 1 << 22
"""The longest answer: a table has some kilobytes, and what is longer is not from a server of ours."""
FILE_BYTES_MAX = 1 << 28
"""The longest file."""
TIMEOUT_S = 40.0
"""How long an answer may take: longer than any request waits for a table to change."""
HOW = "give the URL of a table, e.g. http://127.0.0.1:8080/api/tables/ID"
_ID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@attrs.frozen
class TableUrl:
    """The URL of a table or of a server, in its parts."""

    is_tls: bool
    host: str
    port: int
    prefix: str
    """What comes before `/api` in paths, if a proxy serves the server below a path of its own."""
    id: str | None
    """The id of the table; None: the URL is that of a server."""

    @property
    def server(self) -> str:
        default = 443 if self.is_tls else 80
        name = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == default else f":{self.port}"
        return f"http{'s' if self.is_tls else ''}://{name}{port}{self.prefix}"

    def of(self, id: str) -> str:
        """The URL of a table of this server."""
        return f"{self.server}/api/tables/{id}"


def read_url(text: str, how: str = HOW) -> TableUrl:
    """Reads the URL of a table or of a server.  Raises ConfigError, which says `how` it would be right."""
    try:
        parts = urlsplit(text if "//" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ConfigError(f"{shown(text)} is not a URL: {how}") from None
    if parts.scheme not in ("http", "https") or not host or not re.fullmatch(r"[\w.:-]+", host):
        raise ConfigError(f"{shown(text)} is not a URL: {how}")
    is_tls = parts.scheme == "https"
    path = parts.path.rstrip("/")
    found = re.fullmatch(
        rf"(?P<prefix>.*?)(/api|/ws)?(/tables/(?P<word>[\w~.-]+)|/(?P<id>{_ID}))", path, re.ASCII
    )
    prefix = found["prefix"] if found else re.sub(r"(/api)?(/tables)?$", "", path)
    if not re.fullmatch(r"[\w./~-]*", prefix, re.ASCII):
        raise ConfigError(f"{shown(text)} is not a URL of a server: {how}")
    id = (found["word"] or found["id"]) if found else None
    return TableUrl(is_tls, host, port or (443 if is_tls else 80), prefix, id)


class NoAnswer(ArenaError):
    """Nobody answers, or not as a server of ours does."""


class NoTls(NoAnswer):
    """Somebody answers, but not encrypted as we expect."""


class NotDone(ArenaError):
    """The server refuses, and says what would be right."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ServerLink:
    """One connection to a server; a request blocks, so each task has a link of its own."""

    def __init__(self, url: TableUrl, key: str | None = None) -> None:
        """`key`: the key of the seat for which it asks."""
        self.url = url
        self.key = key
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None) -> Any:
        """Sends a request to `/api` + path; returns the JSON of the answer.  Raises NotDone or NoAnswer.

        `body`: what is sent as JSON, or the bytes of a file.
        """
        if method != "GET":
            self.close()  # the server closes idle ones, and what changes something must not be sent twice
        was_open = self._connection is not None
        try:
            return self._ask(method, path, body)
        except _Closed as closed:
            if was_open:  # the server may have closed it in the meantime
                return self._ask(method, path, body)
            raise NoAnswer(str(closed)) from None

    def fetch(self, path: str) -> bytes:
        """The file at `/api` + path.  Raises NotDone or NoAnswer."""
        octets: bytes = self._ask("GET", path, None, bytes_max=FILE_BYTES_MAX, is_file=True)
        return octets

    def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None,
        *,
        bytes_max: int = ANSWER_BYTES_MAX,
        is_file: bool = False,
    ) -> Any:
        headers = {"Accept": "application/json"}
        if body is not None:
            kind = "octet-stream" if isinstance(body, bytes) else "json"
            headers["Content-Type"] = f"application/{kind}"
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        connection = self._connection or self._connect()
        octets = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has all of a file
                connection.request(method, f"{self.url.prefix}/api{path}", octets, headers)
            response = connection.getresponse()
            answer = response.read(bytes_max + 1)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            check_tls(self.url.server, error)
            if isinstance(error, http.client.BadStatusLine) and not isinstance(error, ConnectionError):
                raise NoAnswer(not_ours(self.url.server)) from None  # what it sent is not shown
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise _Closed(f"{self.url.server} does not answer: {why}") from None
        if response.will_close:
            self.close()
        if is_file and response.status < 400 and len(answer) <= bytes_max:
            return answer
        return self._read(response.status, answer)

    def _read(self, status: int, answer: bytes) -> Any:
        try:
            if len(answer) > ANSWER_BYTES_MAX:
                raise ValueError
            value = json.loads(answer)
            if status >= 400:
                raise NotDone(status, str(value["message"])[:400])
        except (ValueError, RecursionError, KeyError, TypeError):
            self.close()
            raise NoAnswer(not_ours(self.url.server)) from None
        return value

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.url.is_tls else http.client.HTTPConnection
        self._connection = kind(self.url.host, self.url.port, timeout=TIMEOUT_S)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class _Closed(NoAnswer):
    """The connection was closed, or cannot be opened."""


def check_tls(server: str, error: Exception) -> None:
    """Raises NoTls if the error is one of TLS, which its attributes show."""
    if untrusted := getattr(error, "verify_message", ""):
        remedy = "SSL_CERT_FILE=FILE names one that is"
        raise NoTls(f"the certificate of {server} is not trusted here ({untrusted}): {remedy}") from None
    if getattr(error, "library", None) == "SSL":
        raise NoTls(f"{server} does not speak HTTPS: ask for http://") from None


def check_table(link: ServerLink) -> dict[str, Any]:
    """The table at the link's URL.  Raises ConfigError, which names the public ones, if there is none."""
    url = link.url
    if url.id is not None:
        try:
            found: dict[str, Any] = link.ask("GET", f"/tables/{url.id}")
            return found
        except NotDone as refused:
            if refused.status != 404:
                raise ConfigError(str(refused)) from None
            raise ConfigError(f"no open table has this URL; {_public(link)}") from None
        except NoAnswer as error:
            raise nobody_answers(error) from None
    try:
        raise ConfigError(f"this is the URL of a server, not of a table; {_public(link)}")
    except NoAnswer as error:
        raise nobody_answers(error) from None


def not_ours(server: str) -> str:
    return f"what answers at {server} is not a server of the arena"


def nobody_answers(error: NoAnswer) -> ConfigError:
    """The error that tells a user that no server answers."""
    return ConfigError(
        str(error) if isinstance(error, NoTls) else f"{error}: is `arena serve` running there?"
    )


def _public(link: ServerLink) -> str:
    tables = link.ask("GET", "/tables")
    words = [
        f"{link.url.of(table['id'])} ({table['game']}, {table['seats']['taken']} seated)"
        for table in tables[:5]
    ]
    return f"public ones are {', '.join(words)}" if words else "no public one is open"
