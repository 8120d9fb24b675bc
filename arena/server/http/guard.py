"""A pure ASGI middleware, which every request passes before the application, and every answer after it.

A request from a page of somebody else's is refused (`Host` against DNS rebinding, `Origin` against
requests in a visitor's name), a body is read with limits, a trusted proxy is believed.  An answer gets
the headers that keep browsers from guessing, storing and leaking it.  A `Refusal` that the application
raises becomes its status and JSON; any other exception is noted, and the client learns that there was one.

The application sees `scope["client"]` and `scope["scheme"]` of who really asks, and a path without final
slash.  Where all paths lie below one of their own, that is its `scope["root_path"]`, as ASGI has it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import attrs

from arena.refusal import Refusal
from arena.server.http.addresses import Asker, asker, is_host_allowed, is_same_origin
from arena.server.http.answers import error_body, refusal_body, refusal_headers, send_json, send_page
from arena.server.http.bodies import SAFE_METHODS, BodyTooLate, ClientGone, is_upload, metered, with_body
from arena.server.http.connection import Application, Message, Receive, Scope, Send
from arena.server.http.quotas import Quota
from arena.server.site.notices import notice

Headers = dict[bytes, bytes]

POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""What a page may load and run: our own files alone, and nothing that is written into the page."""
REPORT_POLICY = (
    "default-src 'none'; script-src {}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ADDED = {
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",
    b"content-security-policy": POLICY,
}
"""Headers added to every answer that does not have them."""
PREFLIGHT_S = b"600"
EMBEDDABLE = ("/matches/", "/results/")
"""How the paths of the pages begin that other sites may show within theirs, if they are allowed to."""
NOBODY = b"frame-ancestors 'none'"
FRAMES = frozenset((b"iframe", b"frame", b"embed", b"object"))
"""What browsers name as the destination of a page that is shown within another one."""


@attrs.frozen
class GuardOptions:
    """Who may ask, and how much."""

    hosts: frozenset[str] = frozenset()
    """Names of this server beside the loopback names and addresses, in lower case, without port."""
    origins: frozenset[str] = frozenset()
    """Origins of other sites whose pages may ask (CORS), such as `https://example.org`; none unless asked
    for."""
    embedders: frozenset[str] = frozenset()
    """Origins of other sites whose pages may show matches and reports within them."""
    trusted_proxies: frozenset[str] = frozenset()
    """Addresses whose X-Forwarded-For, -Proto and -Host count."""
    base_path: str = ""
    """The path below which all others lie, such as `/arena`; empty: none."""
    body_bytes_max: int = 1 << 16
    body_s: float = 10.0
    """How long a body may take."""
    requests_per_address: int = 64
    """Requests and WebSockets at one time of one address behind a trusted proxy."""


class Guard:
    """The application behind its guard; an ASGI application itself."""

    def __init__(self, app: Application, options: GuardOptions, note_bug: Callable[[str], None]) -> None:
        self._app = app
        self._options = options
        self._note_bug = note_bug
        self._requests = Quota(options.requests_per_address)
        """Counts those behind a proxy, whose connections do not tell how many requests are theirs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        base = self._options.base_path
        path = _below(base, scope["path"])
        answer = _Answer(scope, send, self._options.embedders, base, path or "/")
        try:
            await self._serve(scope, receive, answer, path)
        except Refusal as refusal:
            await answer.refuse(refusal.status, refusal_body(refusal), refusal_headers(refusal))
        except BodyTooLate:
            why = "the body did not come in time: send it at once"
            await answer.refuse(408, error_body("timeout", why), [(b"connection", b"close")])
        except ClientGone:
            pass
        except Exception:
            self._note_bug(traceback.format_exc())
            await answer.refuse(500, error_body("internal", "the server made a mistake, and noted it"), [])

    async def _serve(self, scope: Scope, receive: Receive, answer: _Answer, path: str | None) -> None:
        """Answers a request.  `path`: its path below the base path; None: it lies elsewhere."""
        headers: Headers = dict(scope["headers"])
        peer = scope["client"][0] if scope.get("client") else ""
        who = asker(peer, scope["scheme"].replace("ws", "http"), headers, self._options.trusted_proxies)
        if not is_host_allowed(who.host, self._options.hosts):
            why = "this server has no such name: use its address, or a name that it was given"
            raise Refusal("forbidden", why)
        method = scope.get("method", "GET")
        if b"origin" in headers:
            origin = headers[b"origin"].decode("latin1")
            if self._check_origin(scope, method, origin, who, answer) and _is_preflight(method, headers):
                await answer.preflight()
                return
        base = self._options.base_path
        if path is None:
            raise Refusal("not_found", f"there is nothing at this path: all that is here is below {base}/")
        if scope["type"] == "http" and _is_framed_by_stranger(path, headers, self._options.embedders):
            await answer.refuse_frame()
            return
        scope["root_path"], scope["path"] = base, base + path
        is_behind_proxy = peer in self._options.trusted_proxies
        if is_behind_proxy:
            scope["client"] = (who.address, 0)
            scope["scheme"] = who.scheme if scope["type"] == "http" else who.scheme.replace("http", "ws")
        if scope["type"] == "http":
            limits = self._options
            if is_upload(method, path):
                receive = metered(headers, receive)
            else:
                receive = await with_body(method, headers, receive, limits.body_bytes_max, limits.body_s)
        if not is_behind_proxy:
            await self._app(scope, receive, answer.send)
            return
        if self._requests.shortage(who.address):
            why = "your address has too many open requests: wait for one of them"
            raise Refusal("too_many", why, key="requests_per_address", seconds=1)
        with self._requests.counted(who.address):
            await self._app(scope, receive, answer.send)

    def _check_origin(self, scope: Scope, method: str, origin: str, who: Asker, answer: _Answer) -> bool:
        """Whether CORS headers are due; raises Refusal for pages of other sites where it matters."""
        if origin in self._options.origins:
            answer.allow(origin)
            return True
        is_unsafe = scope["type"] == "websocket" or method not in SAFE_METHODS
        if is_unsafe and not is_same_origin(origin, who.scheme, who.host):
            raise Refusal("forbidden", "pages of other sites may not do this")
        return False


def report_policy(script_hash: str) -> str:
    """The policy of a report, which has its style and its one script in itself; empty: it may run none."""
    return REPORT_POLICY.format(f"'{script_hash}'" if script_hash else "'none'")


def _below(base: str, path: str) -> str | None:
    """A path below the base path, without final slash, with which it means the same; None: elsewhere."""
    inner = path.removeprefix(base)
    if base and (inner == path or not f"{inner}/".startswith("/")):
        return None
    return inner.rstrip("/") or "/"


def _is_for_people(scope: Scope, path: str) -> bool:
    """Whether a browser asks for a page; what scripts and programs ask for says `*/*` or less."""
    is_page = scope["method"] in ("GET", "HEAD") and not path.startswith("/api/")
    return is_page and b"text/html" in dict(scope["headers"]).get(b"accept", b"")


def _is_framed_by_stranger(path: str, headers: Headers, embedders: frozenset[str]) -> bool:
    """Whether a page is to be shown within one of another site that is not allowed to.

    Where the browser does not say which site that is, it looks itself who is allowed to.
    """
    is_framed = headers.get(b"sec-fetch-dest") in FRAMES and headers.get(b"sec-fetch-site") != b"same-origin"
    if not is_framed or not (path.startswith(EMBEDDABLE) and embedders):
        return is_framed
    scheme, _, rest = headers.get(b"referer", b"").decode("latin1").partition("://")
    return bool(rest) and f"{scheme}://{rest.partition('/')[0]}".lower() not in embedders


def _is_preflight(method: str, headers: Headers) -> bool:
    return method == "OPTIONS" and b"access-control-request-method" in headers


class _Answer:
    """The answer to one request, from the application or from the guard."""

    def __init__(self, scope: Scope, send: Send, embedders: frozenset[str], base: str, path: str) -> None:
        """`path`: that of the request, below the path `base`."""
        self._scope = scope
        self._send = send
        self._base = base
        self._path = path
        may_be_framed = embedders and path.startswith(EMBEDDABLE)
        self._frames = f"frame-ancestors {' '.join(sorted(embedders))}".encode() if may_be_framed else NOBODY
        """Which pages may show this one within them, as a policy says it."""
        self._is_begun = False
        self._added = ADDED

    def allow(self, origin: str) -> None:
        """Lets the page of another site read the answer."""
        self._added = self._added | {
            b"access-control-allow-origin": origin.encode("latin1"),
            b"vary": b"Origin",
        }

    async def send(self, message: Message) -> None:
        kind = message["type"]
        if kind in ("http.response.start", "websocket.http.response.start"):
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            given += [
                (name, value)
                for name, value in self._added.items()
                if name not in names or name == b"vary"  # an answer may vary by more than one header
            ]
            message["headers"] = [(name, value.replace(NOBODY, self._frames)) for name, value in given]
        self._is_begun = True
        await self._send(message)

    async def refuse_frame(self) -> None:
        """Says, in a page that any site may show, that this one may not show what it asked for."""
        self._frames = b"frame-ancestors *"
        why = "pages of this server are shown within another site only if the server's host allows that site"
        query = self._scope.get("query_string", b"").decode("latin1")
        alone = f"{self._base}/" + quote(self._path.lstrip("/")) + (f"?{query}" if query else "")
        page = notice("Not shown here", why, alone=alone, base=self._base)
        await send_page(self.send, 403, page, [])

    async def preflight(self) -> None:
        """Tells a browser that a page of an allowed site may ask what it would like to ask."""
        headers = [
            (b"access-control-allow-methods", b"GET, POST, DELETE"),
            (b"access-control-allow-headers", b"authorization, content-type"),
            (b"access-control-max-age", PREFLIGHT_S),
        ]
        await self.send({"type": "http.response.start", "status": 204, "headers": headers})
        await self.send({"type": "http.response.body", "body": b""})

    async def refuse(self, status: int, body: dict[str, Any], headers: list[tuple[bytes, bytes]]) -> None:
        """Answers in place of the application; if it had begun to, the connection or WebSocket ends."""
        if self._scope["type"] == "websocket":
            if not self._is_begun and "websocket.http.response" in self._scope.get("extensions", ()):
                await send_json(self.send, status, body, headers, "websocket.http")
            else:
                # A close frame has room for 123 bytes of it, and must not end within a character.
                reason = str(body["message"]).encode()[:120].decode(errors="ignore")
                code = 1011 if status == 500 else 1008
                await self.send({"type": "websocket.close", "code": code, "reason": reason})
        elif not self._is_begun and status == 404 and _is_for_people(self._scope, self._path):
            page = notice("There is no such page", str(body["message"]), base=self._base)
            await send_page(self.send, status, page, headers)
        elif not self._is_begun:
            await send_json(self.send, status, body, headers)
        else:
            self._scope["state"]["connection"].abort()  # half an answer must not look like a whole one
