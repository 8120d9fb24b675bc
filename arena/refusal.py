"""Why something that was asked for is not done, and the HTTP status that says so."""

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
    "unavailable",
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
    "unavailable": 503,
}
"""HTTP statuses; packets say the message alone."""


class Refusal(ArenaError):
    """Why something is not done; the message is a sentence that says what would be right.

    Nothing has changed then, with one exception, whose message says so: `unavailable` with the key `not_kept`
    is said of something that is in effect, and lost if the server ends before its disk works again.
    """

    def __init__(
        self, kind: Kind, message: str, *, field: str = "", key: str = "", seconds: float = 0.0
    ) -> None:
        """`field`: the one that is wrong.  `key`: which limit it is (`too_many`), or what does not work
        (`unavailable`); `seconds`: how long to wait then."""
        super().__init__(message)
        self.kind = kind
        self.field = field
        self.key = key
        self.seconds = seconds

    @property
    def status(self) -> int:
        return STATUS[self.kind]
