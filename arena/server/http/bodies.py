"""The body of a request: read before the application is asked, up to a size and within a time.

Of an upload the application reads the body itself, piece by piece, up to a size and at a least rate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import trio

from arena.refusal import Refusal
from arena.server.http.connection import Message, Receive

SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
UPLOADS = re.compile(r"/api/leagues/[^/]+/versions/?")
"""The paths to which archives are sent."""
UPLOAD_BYTES_MAX = 200 << 20
"""The most bytes of one, wherever it is sent."""
UPLOAD_BYTES_PER_S, UPLOAD_START_S = 20_000, 10.0
"""The least rate of an upload, and the time after which it counts."""


class BodyTooLate(Exception):
    """The body did not come in time."""


class ClientGone(Exception):
    """The connection ended before the whole body had come."""


def is_upload(method: str, path: str) -> bool:
    """Whether the body of a request is an archive, which the application reads itself."""
    return method == "POST" and UPLOADS.fullmatch(path) is not None


def metered(headers: Mapping[bytes, bytes], receive: Receive) -> Receive:
    """A `receive` of an upload, which raises Refusal (`too_large`), BodyTooLate or ClientGone."""
    if (length := _length(headers)) is None or length > UPLOAD_BYTES_MAX:
        raise _too_large(UPLOAD_BYTES_MAX)
    began_at, size = trio.current_time(), 0

    async def receive_piece() -> Message:
        nonlocal size
        due_at = began_at + UPLOAD_START_S + size / UPLOAD_BYTES_PER_S
        with trio.CancelScope(deadline=due_at):
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            size += len(message.get("body", b""))
            if size > UPLOAD_BYTES_MAX:
                raise _too_large(UPLOAD_BYTES_MAX)
            return message
        raise BodyTooLate

    return receive_piece


def _length(headers: Mapping[bytes, bytes]) -> int | None:
    """How long a body says it is; None if no body is so long."""
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) <= 18 else None


async def with_body(
    method: str, headers: Mapping[bytes, bytes], receive: Receive, bytes_max: int, limit_s: float
) -> Receive:
    """A `receive` that has the whole body already, so that reading it takes no time and cannot fail.

    Raises Refusal (`too_large`; `unsupported_media_type` for a body that is not JSON), BodyTooLate or
    ClientGone.
    """
    length = _length(headers)
    if length == 0 and b"transfer-encoding" not in headers:
        return receive
    if length is None or length > bytes_max:
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
