"""The HTTP side: it answers, it refuses what is not for it, and it closes what takes too long."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path

import pytest
import trio
from raw_http import (
    Raw,
    connect,
    headers_of,
    json_of,
    request,
    said_by,
    served,
    status_of,
    until_closed,
    upgraded,
)
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

import arena.server.http.http
from arena.players.tcp import listen
from arena.refusal import Refusal
from arena.server.http.clients import Caps
from arena.server.http.connection import Patience
from arena.server.http.guard import GuardOptions
from arena.server.http.http import HttpOptions, serve_http
from arena.server.http.routing import Routing
from arena.server.http.sockets import SocketOwner
from arena.tournament.lobby.callers import lift_files_limit

SECRET = "a secret of the server"
SECURITY = Path(__file__).parents[2] / "SECURITY.md"


async def hello(request: Request) -> JSONResponse:
    assert request.client is not None
    return JSONResponse({"hello": request.path_params.get("name", "world"), "from": request.client.host})


async def said(request: Request) -> JSONResponse:
    return JSONResponse(len(await request.body()))


async def broken(request: Request) -> JSONResponse:
    raise ValueError(SECRET)


async def refused(request: Request) -> JSONResponse:
    raise Refusal("too_many", "wait a little", key="chat", seconds=1.2)


async def unknown_user(request: Request) -> JSONResponse:
    raise Refusal("unauthorized", "Who is that?", key=request.path_params["key"])


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    owner = SocketOwner(websocket)
    await owner.run(owner.put)


async def closed_door(websocket: WebSocket) -> None:
    raise Refusal("not_found", "There is no such table.")


APP = Routing(
    [
        Route("/", hello),
        Route("/names/{name}", hello),
        Route("/names/{name}", said, methods=["DELETE"]),
        Route("/said", said, methods=["POST"]),
        Route("/broken", broken),
        Route("/refused", refused),
        Route("/users/{key}", unknown_user),
        WebSocketRoute("/ws", echo),
        WebSocketRoute("/closed", closed_door),
    ]
)
JSON = "Content-Type: application/json"


async def test_an_application_answers() -> None:
    """A GET gets its JSON, without a Server header, with the headers that keep browsers careful."""
    async with served(APP) as port:
        answer = await said_by(port, request("GET", "/"))
    assert 200 == status_of(answer)
    assert {"hello": "world", "from": "127.0.0.1"} == json_of(answer)
    headers = headers_of(answer)
    assert "server" not in headers
    assert ("nosniff", "no-store", "no-referrer") == (
        headers["x-content-type-options"],
        headers["cache-control"],
        headers["referrer-policy"],
    )
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "connect-src 'self';" in policy
    assert "unsafe" not in policy
    assert not [name for name in headers if name.startswith("access-control")]


def chunked(*pieces: bytes) -> bytes:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in [*pieces, b""])
    return request("POST", "/said", JSON, "Transfer-Encoding: chunked") + chunks


CASES = [
    ("another server's name", request("GET", "/", "Host: evil.example:8080"), 403, "forbidden"),
    ("a loopback name with any port", request("GET", "/", "Host: LOCALHOST:1"), 200, None),
    ("an address in brackets", request("GET", "/", "Host: [::1]:8080"), 200, None),
    ("no Host at all", b"GET / HTTP/1.0\r\n\r\n", 403, "forbidden"),
    ("a name that was given", request("GET", "/", "Host: arena.example"), 200, None),
    (
        "another site's GET, which learns nothing",
        request("GET", "/", "Origin: http://evil.example"),
        200,
        None,
    ),
    ("another site's POST", request("POST", "/said", "Origin: http://evil.example"), 403, "forbidden"),
    ("another port's POST", request("POST", "/said", "Origin: http://localhost:81"), 403, "forbidden"),
    ("no site's POST", request("POST", "/said", "Origin: null"), 403, "forbidden"),
    ("our own POST", request("POST", "/said", "Origin: http://localhost"), 200, None),
    ("a POST without a body", request("POST", "/said"), 200, None),
    ("JSON", request("POST", "/said", JSON, body=b"{}"), 200, None),
    ("JSON with a charset", request("POST", "/said", JSON + "; charset=utf-8", body=b"{}"), 200, None),
    (
        "a form",
        request("POST", "/said", "Content-Type: text/plain", body=b"{}"),
        415,
        "unsupported_media_type",
    ),
    ("a body of no type", request("POST", "/said", body=b"{}"), 415, "unsupported_media_type"),
    ("the largest body", request("POST", "/said", JSON, body=b"1" * 65536), 200, None),
    ("a larger one", request("POST", "/said", JSON, body=b"1" * 65537), 413, "too_large"),
    ("a larger one in chunks", chunked(*[b"1" * 8000] * 9), 413, "too_large"),
    ("chunks", chunked(b"[1", b"]"), 200, None),
    ("a claimed size", request("POST", "/said", JSON, "Content-Length: 9999999999"), 413, "too_large"),
    ("nothing there", request("GET", "/nothing"), 404, "not_found"),
    ("a final slash", request("GET", "/names/ann/"), 200, None),
    ("no final slash", request("GET", "/names/ann"), 200, None),
    ("a method it does not have", request("PUT", "/names/ann"), 405, "method_not_allowed"),
    ("a refusal", request("GET", "/refused"), 429, "too_many"),
    ("a WebSocket's path", request("GET", "/ws"), 404, "not_found"),
    ("no HTTP at all", b"\x16\x03\x01\r\n\r\n", 400, "bad_request"),
    ("HTTP/2 at once", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "bad_request"),
    ("too many headers", request("GET", "/", *[f"X-{n}: 1" for n in range(120)]), 431, "too_large"),
]


@pytest.mark.parametrize(
    ("octets", "status", "error"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
async def test_what_is_answered(octets: bytes, status: int, error: str | None) -> None:
    """Every refusal is JSON that names its kind and says what would be right."""
    options = HttpOptions(guard=GuardOptions(hosts=frozenset(["arena.example"])))
    async with served(APP, options) as port:
        answer = await said_by(port, octets)
    assert status == status_of(answer), answer
    if error is not None:
        body = json_of(answer)
        assert (error, None) == (body["error"], body["field"])
        assert body["message"][0].islower()
        assert not body["message"].endswith(".")


async def test_refusals_carry_the_headers_of_their_status() -> None:
    """Allow for 405 and OPTIONS, Retry-After for 429, and Basic only where it is asked for."""
    async with served(APP) as port:
        wrong = headers_of(await said_by(port, request("PUT", "/names/ann")))
        asked = await said_by(port, request("OPTIONS", "/names/ann"))
        many = await said_by(port, request("GET", "/refused"))
        basic = headers_of(await said_by(port, request("GET", "/users/basic")))
        bearer = headers_of(await said_by(port, request("GET", "/users/other")))
    assert "DELETE, GET, HEAD, OPTIONS" == wrong["allow"]
    assert (204, "DELETE, GET, HEAD, OPTIONS") == (status_of(asked), headers_of(asked)["allow"])
    assert ("2", "chat", 1.2) == (
        headers_of(many)["retry-after"],
        json_of(many)["key"],
        json_of(many)["seconds"],
    )
    assert basic["www-authenticate"].startswith("Basic ")
    assert "Bearer" == bearer["www-authenticate"]


async def test_head_has_the_headers_of_get_and_no_body() -> None:
    async with served(APP) as port:
        answer = await said_by(port, request("HEAD", "/"))
    assert (200, b"") == (status_of(answer), answer.partition(b"\r\n\r\n")[2])
    assert int(headers_of(answer)["content-length"]) > 10


async def test_an_exception_of_a_handler_is_noted_once_and_not_told() -> None:
    """The client learns that there was a mistake; the traceback is for us, and the same one comes once."""
    bugs: list[str] = []
    async with served(APP, bugs=bugs) as port:
        answers = [await said_by(port, request("GET", "/broken")) for _ in range(3)]
        fine = await said_by(port, request("GET", "/"))
    assert [500] * 3 + [200] == [status_of(answer) for answer in [*answers, fine]]
    assert "internal" == json_of(answers[0])["error"]
    assert SECRET.encode() not in b"".join(answers)
    assert 1 == len(bugs)
    assert SECRET in bugs[0]


async def test_requests_on_one_connection_are_answered_in_order() -> None:
    """Also those that were sent without waiting for an answer."""
    three = b"".join(request("GET", f"/names/{name}", close=name == "c") for name in "abc")
    async with served(APP) as port:
        answer = await said_by(port, three)
    assert [answer.index(b'"%c"' % name) for name in b"abc"] == sorted(
        answer.index(b'"%c"' % n) for n in b"abc"
    )


async def test_only_a_trusted_proxy_says_who_asks() -> None:
    """The last entry of X-Forwarded-For counts, from a trusted address alone."""
    forwarded = request("GET", "/", "X-Forwarded-For: 1.1.1.1, 2.2.2.2", "X-Forwarded-Host: evil.example")
    behind = request(
        "POST",
        "/said",
        "X-Forwarded-Host: a.example",
        "X-Forwarded-Proto: https",
        "Origin: https://a.example",
    )
    trusting = HttpOptions(
        guard=GuardOptions(trusted_proxies=frozenset(["127.0.0.1"]), hosts=frozenset(["a.example"]))
    )
    async with served(APP) as port:
        assert "127.0.0.1" == json_of(await said_by(port, forwarded))["from"]
        assert 403 == status_of(await said_by(port, behind))
    async with served(APP, trusting) as port:
        assert 403 == status_of(await said_by(port, forwarded))
        assert 200 == status_of(await said_by(port, behind))
        plain = request("GET", "/", "X-Forwarded-For: 1.1.1.1, 2.2.2.2")
        assert "2.2.2.2" == json_of(await said_by(port, plain))["from"]


async def test_pages_of_a_site_that_was_allowed_may_ask() -> None:
    """CORS for the named origin alone, with an answer to the browser's question beforehand."""
    options = HttpOptions(guard=GuardOptions(origins=frozenset(["https://page.example"])))
    before = request(
        "OPTIONS", "/said", "Origin: https://page.example", "Access-Control-Request-Method: POST"
    )
    async with served(APP, options) as port:
        preflight = await said_by(port, before)
        post = await said_by(port, request("POST", "/said", "Origin: https://page.example"))
        other = await said_by(port, before.replace(b"page.", b"evil."))
    assert (204, "https://page.example") == (
        status_of(preflight),
        headers_of(preflight)["access-control-allow-origin"],
    )
    assert (200, "https://page.example") == (status_of(post), headers_of(post)["access-control-allow-origin"])
    assert "access-control-allow-origin" not in headers_of(other)


async def test_a_web_socket_that_is_refused_gets_the_status() -> None:
    """A refusal before the upgrade is an HTTP answer; so is a page of another site."""
    upgrade = request(
        "GET",
        "/closed",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: eA==",
        close=False,
    )
    upgrade = upgrade.replace(b"Upgrade:", b"Connection: Upgrade\r\nUpgrade:", 1)
    foreign = upgrade.replace(b"/closed", b"/ws").replace(
        b"Upgrade:", b"Origin: http://evil.example\r\nUpgrade:", 1
    )
    async with served(APP) as port:
        answers = [
            await said_by(port, octets) for octets in (upgrade, foreign, upgrade.replace(b"/closed", b"/x"))
        ]
    assert [404, 403, 404] == [status_of(answer) for answer in answers]
    assert "There is no such table." == json_of(answers[0])["message"]


async def test_the_http_side_starts_again_on_the_same_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in the HTTP side itself ends neither the process's other tasks nor the listening socket."""
    monkeypatch.setattr(arena.server.http.http, "RESTART_PAUSE_S", 0.0)
    real, calls = arena.server.http.http.Clients.has_room, iter([RuntimeError("our bug")])

    def has_room(self: arena.server.http.http.Clients, address: str) -> bool:
        for error in calls:
            raise error
        return real(self, address)

    monkeypatch.setattr(arena.server.http.http.Clients, "has_room", has_room)
    notes: list[str] = []
    bugs: list[str] = []
    listener = listen("127.0.0.1", 0)
    serve = partial(serve_http, APP, [listener], HttpOptions(), note=notes.append, note_bug=bugs.append)
    async with trio.open_nursery() as nursery:
        await nursery.start(serve)
        port = listener.getsockname()[1]
        assert 0 == status_of(await said_by(port, request("GET", "/")))
        assert 200 == status_of(await said_by(port, request("GET", "/")))
        nursery.cancel_scope.cancel()
    listener.close()
    assert (1, 1) == (len(notes), len(bugs))
    assert "our bug" in bugs[0]


async def test_a_bug_that_one_connection_sets_off_costs_that_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others that are open at the time go on."""
    bugs: list[str] = []
    async with served(APP, bugs=bugs) as port:
        other = await upgraded(port)
        real = arena.server.http.connection.Http11.handle

        async def handle(self: arena.server.http.connection.Http11, event: object) -> None:
            if b"boom" in getattr(event, "data", b""):
                raise RuntimeError("a bug")
            await real(self, event)  # type: ignore[arg-type]

        monkeypatch.setattr(arena.server.http.connection.Http11, "handle", handle)
        assert 0 == status_of(await said_by(port, request("GET", "/boom")))
        await other.text("still here")
        assert (1, b"still here") == await other.hear()
    assert 1 == len(bugs)


QUICK = Patience(head_s=0.1, idle_s=0.1, send_s=0.2, ping_s=0.05)


async def test_an_idle_connection_is_closed_and_a_slow_head_is_told() -> None:
    """Bytes that trickle in do not extend the time for a head."""
    async with served(APP, HttpOptions(patience=QUICK)) as port:
        assert b"" == await said_by(port, b"")
        async with await connect(port) as stream, trio.open_nursery() as nursery:

            async def trickle() -> None:
                with trio.CancelScope():
                    for octet in request("GET", "/" + "a" * 200):
                        try:
                            await stream.send_all(bytes([octet]))
                        except trio.BrokenResourceError:
                            return
                        await trio.sleep(0.01)

            nursery.start_soon(trickle)
            with trio.fail_after(30):
                assert 408 == status_of(await until_closed(stream))
            nursery.cancel_scope.cancel()


async def test_a_body_that_does_not_come_is_told() -> None:
    options = HttpOptions(guard=GuardOptions(body_s=0.1))
    async with served(APP, options) as port:
        answer = await said_by(port, request("POST", "/said", JSON, "Content-Length: 10") + b"12345")
    assert (408, "timeout") == (status_of(answer), json_of(answer)["error"])


async def test_a_silent_web_socket_is_pinged_and_then_closed() -> None:
    """One that answers stays; one whose machine is gone does not keep its place."""
    async with served(APP, HttpOptions(patience=QUICK)) as port:
        raw = await upgraded(port)
        assert (9, b"") == await raw.hear()
        await raw.send(b"\x8a\x80\0\0\0\0")
        assert (9, b"") == await raw.hear()
        assert (0, b"") == await raw.hear()


async def test_an_address_has_so_many_connections() -> None:
    """One more takes the place of one that is idle; if none is, it is told that there is no room."""
    options = HttpOptions(caps=Caps(per_near_address=3))
    async with served(APP, options) as port:
        idle = await connect(port)
        sockets = [await upgraded(port) for _ in range(2)]
        assert 200 == status_of(await said_by(port, request("GET", "/")))
        assert b"" == await until_closed(idle)
        sockets.append(await upgraded(port))
        full = await until_closed(await connect(port))  # it has sent nothing that the server would not read
        assert (503, "full") == (status_of(full), json_of(full)["error"])
        await sockets.pop().stream.aclose()
        for raw in sockets:
            await raw.text("hello")
            assert (1, b"hello") == await raw.hear()


@pytest.mark.slow
async def test_no_more_connections_are_open_than_the_document_says() -> None:
    """1,024, all in use: one more is told in a sentence that there is no room; a free place is had again."""
    lift_files_limit()
    most = Caps().total
    assert f"{most:,} HTTP connections in all" in SECURITY.read_text()
    async with served(APP) as port:
        sockets = [await upgraded(port) for _ in range(most)]
        full = await until_closed(await connect(port))  # says nothing, so that no reset takes the answer away
        assert (503, "Too many connections are open.") == (status_of(full), json_of(full)["message"])
        leaver = sockets.pop()
        await leaver.stream.send_eof()
        assert (0, b"") == await leaver.hear()
        await upgraded(port)


async def test_stopping_takes_no_time_whatever_clients_do(nursery: trio.Nursery) -> None:
    """A client that reads nothing cannot hold up the end, and the address is free again."""

    async def flood(websocket: WebSocket) -> None:
        await websocket.accept()
        while True:
            await websocket.send_text("x" * 10_000)

    app = Routing([WebSocketRoute("/ws", flood)])
    with trio.fail_after(1):
        async with served(app) as port:
            raw = await upgraded(port)
            await trio.sleep(0.05)
        await raw.stream.aclose()


async def test_bytes_leave_at_once() -> None:
    """Nagle's algorithm would hold a small answer back until the one before it is acknowledged."""
    seen: list[int] = []

    async def look(websocket: WebSocket) -> None:
        sock = websocket.scope["state"]["connection"]._socket
        seen.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        await websocket.accept()

    async with served(Routing([WebSocketRoute("/ws", look)])) as port:
        assert isinstance(await upgraded(port), Raw)
    assert [1] == [min(1, value) for value in seen]
