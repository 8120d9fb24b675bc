"""Strict reading of what users write in TOML: nothing is coerced, every mistake gets one sentence.

A reader takes a raw value and returns the checked one, or raises ConfigError with what was found and what is
expected; `read_table` adds where it was found, and collects all mistakes.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from math import inf
from pathlib import Path
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    BinaryIO,
    Literal,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from arena.errors import ConfigError
from arena.reading.units import DURATION, format_duration, parse_duration, shown, unexpected
from arena.words import listed

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
Reader = Callable[[object], T]

FILE_NAME_BYTES_MAX = 255
"""The longest name that Linux, macOS and their file systems allow."""
_BYTES_MAX = 1 << 20
"""The largest file that is read: a plan is a page of text, and parsing anything larger would waste time."""
KEY_LENGTH_MAX = 60
"""The longest key that a message repeats as it is."""
MISTAKES_MAX = 20
"""The most mistakes reported for one table: these must be fixed before the rest is checked."""
_DEEP_KEY = re.compile(
    rb"""(?: (?: (?<![A-Za-z0-9_-])[A-Za-z0-9_-]++ | "(?:[^"\\\n]|\\.){0,64}+" | '[^'\n]{0,64}+' )
         [ \t]*+ \. [ \t]*+ ){64}""",
    re.VERBOSE,
)
"""A key such as `a.a.a.a` with absurdly many parts: tomllib takes quadratic time for it, 8 s for 64 kB."""


# Readers.


def whole(least: int, most: int | None = None, expected: str = "") -> Reader[int]:
    """A whole number in a range; neither `"3"` nor `3.0` nor `true` is one."""
    expected = expected or f"a whole number from {least}" + (f" to {most}" if most is not None else "")

    def read(value: object) -> int:
        if type(value) is int and least <= value and (most is None or value <= most):
            return value
        raise unexpected(value, expected)

    return read


def integer(value: object) -> int:
    """Any whole number."""
    if type(value) is int:
        return value
    raise unexpected(value, "a whole number")


def flag(value: object) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise unexpected(value, "true or false")


def text(value: object) -> str:
    """Some text, neither empty nor with control characters."""
    if isinstance(value, str) and value.strip() and value.isprintable():
        return value
    raise unexpected(value, "some printable text in quotes")


def place(value: object) -> Path:
    """A path, in which `~` or `~user` is replaced by that home folder."""
    path = Path(text(value))
    if any(len(os.fsencode(part)) > FILE_NAME_BYTES_MAX for part in path.parts):
        raise unexpected(value, f"a path, no part of it longer than {FILE_NAME_BYTES_MAX} bytes")
    try:
        return path.expanduser()
    except RuntimeError:  # there is no such user
        raise unexpected(value, f"a path: there is no user {path.parts[0][1:] or 'of that name'}") from None


def one_of(*words: str) -> Reader[str]:
    """One of these words."""

    def read(value: object) -> str:
        if isinstance(value, str) and value in words:
            return value
        raise unexpected(value, f"{listed(words, 'or')}{did_you_mean(value, words)}")

    return read


def duration(least_s: float = 0.0, *, beyond: bool = False, most_s: float = inf) -> Reader[float]:
    """A duration in seconds of at least `least_s` (`beyond`: of more than that), and of at most `most_s`."""

    def read(value: object) -> float:
        seconds = parse_duration(value)
        if seconds < least_s or (beyond and seconds == least_s):
            least = f"{'more than' if beyond else 'at least'} {format_duration(least_s)}"
            raise unexpected(value, f"{least}: {DURATION}")
        if seconds > most_s:
            raise unexpected(value, f"at most {format_duration(most_s)}")
        return seconds

    return read


def many(read: Reader[T], expected: str) -> Reader[tuple[T, ...]]:
    """A list whose items are each read by `read`; an error names the item's position, from 1."""

    def read_all(value: object) -> tuple[T, ...]:
        if not isinstance(value, list | tuple):
            raise unexpected(value, expected)
        items = []
        for number, item in enumerate(value, 1):
            try:
                items.append(read(item))
            except ConfigError as error:
                raise ConfigError(f"item {number}: {error}") from None
        return tuple(items)

    return read_all


def optional(read: Reader[T]) -> Reader[T | None]:
    """A value that `read` reads, or None: TOML has no null, but a stored plan does."""
    return lambda value: None if value is None else read(value)


@cache
def readers_of(kind: type[Any]) -> Mapping[str, Reader[Any]]:
    """How each field of an attrs class is read, by its annotation: `Annotated[int, whole(1)]` has a reader.

    Without one a float is a duration; a TypeError, once a value comes, if the type does not say enough.
    """
    return {name: reader_of(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}


def reader_of(hint: Any) -> Reader[Any]:
    """How a value of an annotated type is read; nothing is coerced."""
    return lambda value: _converter().structure(value, hint)


@cache
def _converter() -> Converter:
    """A cattrs that coerces nothing: by itself it makes ints from "3", 2.7 and true."""
    from cattrs import Converter  # here: help is shown without it

    converter = Converter(detailed_validation=False)
    converter.register_structure_hook_factory(lambda hint: NoneType not in get_args(hint), _hook)
    for kind in (int, str, bool, float, bytes, Path):  # cattrs prefers its own hooks to that factory
        converter.register_structure_hook(kind, lambda value, kind: _hook(kind)(value, kind))
    return converter


def _hook(hint: Any) -> Callable[[object, Any], Any]:
    """The hook of every type but `X | None`, which cattrs takes apart."""
    readers: dict[Any, Reader[Any]] = {int: integer, str: text, bool: flag, float: duration()}
    if get_origin(hint) is Annotated:
        readers[hint] = hint.__metadata__[0]
    elif get_origin(hint) is Literal:
        readers[hint] = one_of(*get_args(hint))
    if hint not in readers:
        raise TypeError(f"no reader for {hint}: name one, as in Annotated[int, whole(1)]")
    return lambda value, _: readers[hint](value)


# Tables and files.


def read_table(
    table: Mapping[str, object],
    readers: Mapping[str, Reader[Any]],
    *,
    where: str,
    reject: Callable[[str], str] | None = None,
    joint: str = "\n",
) -> dict[str, Any]:
    """The values of a table, each read by its key's reader.

    Raises ConfigError with a sentence for every mistake, `where: key: found …, expected …`, one per
    line (or joined by `joint`), up to MISTAKES_MAX.  Where `where` is empty, the keys are settings.
    `reject` says what is wrong with a key that has no reader.
    """
    values, mistakes = {}, list[ConfigError]()
    prefix = f"{where}: " if where else ""
    for key, value in table.items():
        try:
            if key not in readers:
                raise ConfigError(reject(key) if reject else unknown(key, readers, "key"))
            values[key] = readers[key](value)
        except ConfigError as error:
            mistakes.append(ConfigError(str(error), setting=f"{prefix}{as_said(key)}"))
            if len(mistakes) == MISTAKES_MAX:
                mistakes.append(ConfigError(f"{prefix}the rest was not checked: fix these first"))
                break
    if mistakes:
        raise ConfigError(joint.join(map(str, mistakes)), parts=() if where else mistakes)
    return values


def read_toml(path: Path, *, where: str) -> dict[str, Any]:
    """The table that a TOML file holds.

    Raises ConfigError if the file cannot be read, is too large, is not UTF-8, or (with the line) is not TOML.
    """
    import tomllib

    raw = _read(path, where)
    try:
        if _DEEP_KEY.search(raw):
            raise RecursionError
        return tomllib.loads(raw.decode("utf-8-sig"))  # some editors put a byte order mark at the beginning
    except UnicodeDecodeError as error:
        said = f"line {_line(raw, error.start)}: not UTF-8 text"
    except RecursionError:
        said = "nested too deeply"
    except ValueError as error:  # TOMLDecodeError is one, and so is the error for an int of 5000 digits
        said = _syntax(error, last=_line(raw, len(raw) - 1))
    raise ConfigError(f"{where}: {said}")


def _read(path: Path, where: str) -> bytes:
    try:
        return read_regular(path, _BYTES_MAX)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            raise ConfigError(
                f"{where}: larger than 1 MiB, which no TOML file for the arena needs to be"
            ) from None
        reason = error.strerror if isinstance(error, OSError) else None
        raise ConfigError(f"{where}: cannot be read: {reason or error}") from None


def _line(raw: bytes, place: int) -> int:
    """The number of the line, from 1, that contains this byte."""
    return raw.count(b"\n", 0, max(0, place)) + 1


def _syntax(error: ValueError, *, last: int) -> str:
    """What tomllib says, in words for everybody: `line 3, column 8: expected a value: …`."""
    said, _, place = str(error).rpartition(" (at ")
    if not said:
        return f"not TOML: {error}"
    where = place[:-1] if place.startswith("line ") else f"line {last}, at the end of the file"
    words = next((words for start, words in _SYNTAX.items() if said.startswith(start)), None)
    return f"{where}: {words or said[:1].lower() + said[1:]}"


_ESCAPE = "a \\ in a text means something else: write / or \\\\, or use single quotes"
_ENDLESS = "a text in quotes that has no closing quote"
_SYNTAX = {
    "Illegal character '\\n'": f"{_ENDLESS} on its line",
    'Expected "\'"': _ENDLESS,
    "Unterminated string": _ENDLESS,
    "Invalid value": 'expected a value: a text in quotes, a number, true, false, or a list: ["a", "b"]',
    "Invalid statement": "expected a line such as key = 3, or a table such as [rules]",
    "Invalid initial character for a key": "expected a key: letters, digits, - and _ without quotes",
    "Expected '=' after a key": "expected = after a key, as in key = 3",
    "Expected newline or end of document": (
        'expected nothing more on the line after the value; a text such as "500ms" needs quotes'
    ),
    "Cannot overwrite a value": "this key was there before: each may be given once",
    "Cannot declare": "this table was there before: its keys belong together",
    "Unclosed array": "a list whose items have no comma between them, or that has no closing ]",
    "Unclosed inline table": "a table in { } must be on one line, with commas between its keys",
    "Expected ']' at the end of a table": "expected ] after the name of a table, as in [rules]",
    "Unescaped '\\' in a string": _ESCAPE,
    "Invalid hex value": _ESCAPE,
}
"""Maps the beginning of each of tomllib's sentences to what is wrong or missing there."""


# Words.


def unknown(word: str, known: Iterable[str], kind: str) -> str:
    """Why a word is not known: `no such key (did you mean …?); accepted: …`."""
    words = list(known)
    return f"no such {kind}{did_you_mean(word, words)}; accepted: {', '.join(words) or 'none'}"


def as_said(key: str) -> str:
    """A key as it was written; quoted, with unprintable characters escaped, if it is not a plain word."""
    return key if key.strip() and key.isprintable() and len(key) <= KEY_LENGTH_MAX else shown(key)


def did_you_mean(word: object, words: Collection[str], most: int = 1) -> str:
    """A suggestion, ` (did you mean odds?)`, with up to `most` of the words; empty if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), words, most) if isinstance(word, str) and len(word) < 100 else []
    return f" (did you mean {listed(near, 'or')}?)" if near else ""


# Files that somebody else wrote.


_FLAGS = sum(getattr(os, f"O_{flag}", 0) for flag in ("CLOEXEC", "NONBLOCK", "NOCTTY", "BINARY"))
"""Flags with which opening never blocks, neither on a pipe that has just appeared nor on a kernel file.

Windows has only the last one of them, which is needed there.
"""


def open_within(folder: Path, path: Path) -> BinaryIO:
    """A file below a folder, open to be read, which no link on the way leads to.

    Raises OSError if it is missing, not regular, or behind a link.
    """
    *folders, name = path.relative_to(folder).parts
    here = os.open(folder, os.O_RDONLY | _FLAGS)
    try:
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | _FLAGS, dir_fd=here)
            os.close(here)
            here = inner
        found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | _FLAGS, dir_fd=here)
    finally:
        os.close(here)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise _no_regular(path)
    return os.fdopen(found, "rb")


def read_regular(path: Path, bytes_max: int) -> bytes:
    """The content of a file.  Raises OSError if it is missing, not regular, or larger than `bytes_max`."""
    with open_regular(path) as file:
        content = file.read(bytes_max + 1)
    if content is None or len(content) > bytes_max:
        raise OSError(errno.EFBIG, f"larger than {bytes_max:,} bytes", str(path))
    return content


def open_regular(path: Path) -> BinaryIO:
    """A file, open to be read.  Raises OSError if it is missing, or not regular."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # before opening: opening a device may have effects
        raise _no_regular(path)
    file = os.fdopen(os.open(path, _FLAGS), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise _no_regular(path)
    return file


def _no_regular(path: Path) -> OSError:
    what = "it is a folder, expected a file" if path.is_dir() else "not a regular file"
    return OSError(errno.EINVAL, what, str(path))
