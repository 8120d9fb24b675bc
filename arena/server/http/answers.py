"""Refusals as HTTP answers: their JSON, and the headers that belong to their status."""

from __future__ import annotations

from math import ceil
from typing import Any

import msgspec

from arena.refusal import Refusal
from arena.server.http.connection import Send

BASIC = b'Basic realm="arena", charset="UTF-8"'
"""Browsers ask for a password when they see it: only where `Refusal(..., key="basic")` says so."""


class MethodRefusal(Refusal):
    """The path exists; this method of it does not."""

    def __init__(self, allowed: list[str]) -> None:
        super().__init__("method_not_allowed", f"this path allows {', '.join(allowed)}")
        self.allowed = allowed


def refusal_headers(refusal: Refusal) -> list[tuple[bytes, bytes]]:
    """Headers that belong to a refusal's status."""
    if refusal.kind == "too_many" or (refusal.kind == "unavailable" and refusal.seconds):
        return [(b"retry-after", str(max(1, ceil(refusal.seconds))).encode())]
    if refusal.kind == "unauthorized":
        return [(b"www-authenticate", BASIC if refusal.key == "basic" else b"Bearer")]
    if isinstance(refusal, MethodRefusal):
        return [(b"allow", ", ".join(refusal.allowed).encode())]
    if refusal.kind == "too_large":  # what is left of the body is not read
        return [(b"connection", b"close")]
    return []


def error_body(kind: str, message: str, field: str | None = None) -> dict[str, Any]:
    """What went wrong, in JSON."""
    return {"error": kind, "message": message, "field": field}


def refusal_body(refusal: Refusal) -> dict[str, Any]:
    """What a refusal is in JSON."""
    body = error_body(refusal.kind, str(refusal), refusal.field or None)
    if refusal.kind in ("too_many", "unavailable"):
        body |= {"key": refusal.key, "seconds": round(refusal.seconds, 3)}
    return body


async def send_page(send: Send, status: int, page: str, headers: list[tuple[bytes, bytes]]) -> None:
    """Sends a whole page for people."""
    more = [(b"vary", b"Accept"), *headers]
    await _send(send, "http", status, b"text/html; charset=utf-8", page.encode(), more)


async def send_json(
    send: Send, status: int, value: object, headers: list[tuple[bytes, bytes]], prefix: str = "http"
) -> None:
    """Sends a whole answer; `prefix` is `websocket.http` where a WebSocket is refused."""
    await _send(send, prefix, status, b"application/json", msgspec.json.encode(value), headers)


async def _send(
    send: Send, prefix: str, status: int, kind: bytes, body: bytes, headers: list[tuple[bytes, bytes]]
) -> None:
    described = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": f"{prefix}.response.start", "status": status, "headers": described})
    await send({"type": f"{prefix}.response.body", "body": body, "more_body": False})
