"""The arena's errors: one root, so that the command line can tell the user's mistakes from ours.

Every room may import this module, and it imports none of them.
Each message is one sentence: what is wrong, where, and what would be right.  What a bot does wrong in a match
is not an error but a fault, which is recorded.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple, TypeAlias

FaultKind: TypeAlias = Literal["too_late", "malformed", "illegal", "gone"]
FAULT_KINDS: tuple[FaultKind, ...] = ("too_late", "malformed", "illegal", "gone")


class Hint(NamedTuple):
    """A way out of a mistake that is a setting.  How one types it, only the command line knows."""

    setting: str
    """Its name, which is its key if plans have it."""
    does: str
    """What comes of it: `starts over`."""
    value: str = ""
    """What it is set to, or a word such as `DIR` that stands for it."""
    command: str = ""
    """The command that takes it: `run`; empty: the one that was given."""


START_OVER = Hint("fresh", "starts over")
ELSEWHERE = Hint("out", "plays elsewhere", "DIR")


class ArenaError(Exception):
    """A mistake that its author can fix; printed without a traceback."""


class ConfigError(ArenaError):
    """The user asked for something impossible: a wrong option, plan, bot or folder."""

    def __init__(
        self,
        message: str,
        *,
        setting: str = "",
        value: str = "",
        hints: Iterable[Hint] = (),
        parts: Iterable["ConfigError"] = (),
    ) -> None:
        """`setting`: the name of the one that is wrong, and `value` what it is, if `message` does not say so;
        `hints`: the ways out that `message` does not name; `parts`: the mistakes, if these are several."""
        head = f"{setting} {value}".rstrip()
        super().__init__(f"{head}: {message}" if head else message)
        self.setting, self.hints, self.parts = setting, tuple(hints), tuple(parts)


class DiskFull(ConfigError):
    """There is no room for something that must be written."""

    path: object = None
    """The path that could not be written, if it is known."""


def is_full(error: BaseException | None) -> bool:
    """Whether the error says that a disk has no room left."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def of_setting(setting: str) -> Iterator[None]:
    """ConfigErrors that are raised here name this setting."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(str(error), setting=setting, hints=error.hints) from None


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Makes system errors in this block name the file if they name none, as those of a write do."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.fspath(path)
        raise


def unwritable(path: object, error: OSError) -> ConfigError:
    """The error that people see if a file cannot be written."""
    if is_full(error):
        full = DiskFull(f"{path} cannot be written: the disk is full, make room there")
        full.path = path
        return full
    return ConfigError(f"{path} cannot be written: {error.strerror or error}")


class LocalProtocolError(ArenaError):
    """We were about to break the protocol: a bug of ours."""


class RemoteProtocolError(ArenaError):
    """The other side broke the protocol."""


class MalformedAnswer(ArenaError):
    """The answer is not a move of the game at all; `str(error)` says why."""


class IllegalMove(ArenaError):
    """A move that no option contains, and that is not the game's default."""
