"""Why something that was asked of the server is not done, and the status that says so."""

from __future__ import annotations

from typing import Literal, TypeAlias

from arena.errors import ArenaError

Kind: TypeAlias = Literal[
    "bad_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "conflict",
    "too_large",
    "unsupported_media_type",
    "too_many",
]

STATUS: dict[Kind, int] = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "too_many": 429,
}
"""HTTP statuses; packets say the message alone."""


class Refusal(ArenaError):
    """Nothing has changed; the message is a sentence that says what would be right."""

    def __init__(
        self, kind: Kind, message: str, *, field: str = "", key: str = "", seconds: float = 0.0
    ) -> None:
        """`field`: what is wrong in it.  Of `too_many`, `key` is the limit and `seconds` the wait."""
        super().__init__(message)
        self.kind = kind
        self.field = field
        self.key = key
        self.seconds = seconds

    @property
    def status(self) -> int:
        return STATUS[self.kind]
