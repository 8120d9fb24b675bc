"""The body of a request: read before the application is asked, up to a size and within a time."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from arena.refusal import Refusal
from arena.server.http.connection import Message, Receive

SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))


class BodyTooLate(Exception):
    """The body did not come in time."""


class ClientGone(Exception):
    """The connection ended before the whole body had come."""


async def with_body(
    method: str, headers: Mapping[bytes, bytes], receive: Receive, bytes_max: int, limit_s: float
) -> Receive:
    """A `receive` that has the whole body already, so that reading it takes no time and cannot fail.

    Raises Refusal (`too_large`; `unsupported_media_type` for a body that is not JSON), BodyTooLate or
    ClientGone.
    """
    length = headers.get(b"content-length", b"0")
    if length == b"0" and b"transfer-encoding" not in headers:
        return receive
    if not length.isdigit() or len(length) > 18 or int(length) > bytes_max:
        raise _too_large(bytes_max)
    body = await _read(receive, bytes_max, limit_s)
    if body and method not in SAFE_METHODS:
        _check_type(headers.get(b"content-type", b"").decode("latin1"))
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_read() -> Message:
        return pending.pop() if pending else await receive()

    return receive_read


async def _read(receive: Receive, bytes_max: int, limit_s: float) -> bytes:
    pieces, size = [], 0
    with trio.move_on_after(limit_s):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            piece = message.get("body", b"")
            size += len(piece)
            if size > bytes_max:
                raise _too_large(bytes_max)
            if piece:
                pieces.append(piece)
            if not message.get("more_body", False):
                return b"".join(pieces)
    raise BodyTooLate


def _too_large(bytes_max: int) -> Refusal:
    return Refusal("too_large", f"a body has at most {bytes_max} bytes")


def _check_type(content_type: str) -> None:
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refusal("unsupported_media_type", "a body is JSON: send it with Content-Type: application/json")
