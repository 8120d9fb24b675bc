"""The outcome of a function on a Dask worker, as bytes: written there, and read here without trust."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

import msgspec

from arena.cluster.unread import NotAResult
from arena.errors import ConfigError
from arena.tournament.workers.messages import decoded, encoded
from arena.words import clipped, printable

TOLD_MAX = 500
"""The longest sentence that is told from there, in characters."""
MISTAKE_MAX = 20_000
"""The same for a mistake of the user's, which may come with the end of a log."""


class TaskOutcome(msgspec.Struct, array_like=True):
    """What a function returned, or why it did not."""

    result: msgspec.Raw
    """The value it returned, encoded; null if it raised."""
    mistake: str = ""
    """The user's mistake that it raised, in a sentence."""
    failure: str = ""
    """Any other error that it raised, in a few words."""


def in_bytes(act: Callable[..., object], *args: object) -> bytes:
    """Calls a function there; returns the outcome.  Never raises: exceptions would travel as pickles."""
    try:
        return encoded(TaskOutcome(msgspec.Raw(encoded(act(*args)))))
    except ConfigError as error:
        return encoded(TaskOutcome(_NOTHING, mistake=str(error)))
    except Exception as error:  # `result_in` tells it
        return encoded(TaskOutcome(_NOTHING, failure=f"{type(error).__name__}: {error}"))


def result_in(octets: bytes, act: Callable[..., object]) -> Any:
    """What a function returned there, out of the bytes of its outcome.

    Raises its ConfigError, RuntimeError if it failed otherwise, and NotAResult for bytes that cannot be its
    outcome.
    """
    try:
        outcome: TaskOutcome = _ANSWERS.decode(octets)
        if outcome.mistake:
            raise ConfigError(_told(outcome.mistake, keep="\n"))
        if outcome.failure:
            raise RuntimeError(_told(outcome.failure))
        return _results(act).decode(outcome.result)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotAResult(_told(str(error))) from None


@cache
def _results(act: Callable[..., object]) -> msgspec.msgpack.Decoder[Any]:
    """A decoder of this function's results, by its annotation."""
    return decoded(get_type_hints(act)["return"])


def _told(text: str, keep: str = "") -> str:
    return printable(text[:MISTAKE_MAX] if keep else clipped(text, TOLD_MAX), keep=keep)


_ANSWERS = decoded(TaskOutcome)
_NOTHING = msgspec.Raw(encoded(None))
