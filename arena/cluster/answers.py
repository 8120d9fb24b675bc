"""What a function on a Dask worker came to, in bytes: written there, and read here without trust."""

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
"""Of a sentence that came from there."""
MISTAKE_MAX = 20_000
"""Of a mistake of the user's, with the end of a log."""


class TaskOutcome(msgspec.Struct, array_like=True):
    """What the function returned, or why it did not."""

    result: msgspec.Raw
    """Its value, encoded; null if it returned none."""
    mistake: str = ""
    """Of the user, in a sentence."""
    failure: str = ""
    """Anything else that was raised, in a few words."""


def in_bytes(act: Callable[..., object], *args: object) -> bytes:
    """Calls this, there, and gives what came of it.  Nothing is raised: exceptions would cross as pickles."""
    try:
        return encoded(TaskOutcome(msgspec.Raw(encoded(act(*args)))))
    except ConfigError as error:
        return encoded(TaskOutcome(_NOTHING, mistake=str(error)))
    except Exception as error:  # it is told here
        return encoded(TaskOutcome(_NOTHING, failure=f"{type(error).__name__}: {error}"))


def result_in(octets: bytes, act: Callable[..., object]) -> Any:
    """What the function returned there.

    Raises its ConfigError, RuntimeError if it failed otherwise, and NotAResult for bytes that it cannot have
    returned.
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
    """What reads the results of this function, as its annotation says."""
    return decoded(get_type_hints(act)["return"])


def _told(text: str, keep: str = "") -> str:
    return printable(text[:MISTAKE_MAX] if keep else clipped(text, TOLD_MAX), keep=keep)


_ANSWERS = decoded(TaskOutcome)
_NOTHING = msgspec.Raw(encoded(None))

__all__ = ["in_bytes", "result_in"]
