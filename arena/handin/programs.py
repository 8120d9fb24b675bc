"""What a bot's files are: which of them are programs, what would keep them from running, and their hash.

The right to run follows from the files alone, not from what an archive or a disk says about it, so that a
bot is the same from whatever system it comes.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import attrs

from arena.errors import ConfigError
from arena.handin.selection import Selection
from arena.reading.strict import read_toml
from arena.reading.units import shown

RECIPE_FILE = "bot.toml"
_COMMAND_LENGTH_MAX = 10_000
"""Characters of a command that are split into words."""
_ELF, _SCRIPT, _BYTE_ORDER_MARK = b"\x7fELF", b"#!", b"\xef\xbb\xbf"


@attrs.frozen
class HandInNote:
    """Something that is not refused, and will probably keep the bot from running."""

    path: str
    """Where, from the bot's folder; empty if it is about all of it."""
    said: str
    """What is wrong there, and what would be right."""


@attrs.frozen
class BotFile:
    """A file of a bot, as far as it matters here."""

    path: str
    """From the bot's folder, with `/` between its parts."""
    octets: int
    digest: bytes
    """The SHA-256 of its content."""
    head: bytes
    """Its first `bounds.HEAD_BYTES`, or all of it if it is shorter."""


@attrs.frozen
class Commands:
    """The words of `run` and `build` in bot.toml."""

    run: Sequence[str] = ()
    build: Sequence[str] = ()

    @property
    def programs(self) -> frozenset[str]:
        """What they start, as paths from the bot's folder: these files must be programs."""
        return frozenset(posixpath.normpath(words[0]) for words in (self.run, self.build) if words)


def commands_in(recipe: Path) -> Commands:
    """The commands of a bot.toml; none if it is missing or wrong, which whoever checks the bot says."""
    try:
        said = read_toml(recipe, where=RECIPE_FILE)
    except ConfigError:
        return Commands()
    return Commands(_words(said.get("run")), _words(said.get("build")))


def _words(command: object) -> tuple[str, ...]:
    if isinstance(command, list):
        return tuple(word for word in command if isinstance(word, str))
    if not isinstance(command, str) or len(command) > _COMMAND_LENGTH_MAX:
        return ()
    try:
        return tuple(shlex.split(command))
    except ValueError:
        return ()


def is_program(path: str, head: bytes, commands: Commands) -> bool:
    """Whether a file gets the right to run: Linux can run it by itself, or `run` or `build` start it."""
    return head.startswith((_ELF, _SCRIPT)) or path in commands.programs


def content_hash(files: Iterable[BotFile], commands: Commands) -> str:
    """64 hexadecimal digits that change whenever a path, a right to run or a content does.

    SHA-256 over (path, right to run, SHA-256 of the content), sorted by path: an archive has its files in any
    order, and is read once.
    """
    digest = sha256()
    for file in sorted(files, key=lambda file: file.path):
        path = file.path.encode()
        may_run = is_program(file.path, file.head, commands)
        digest.update(len(path).to_bytes(4, "big") + path + (b"x" if may_run else b"-") + file.digest)
    return digest.hexdigest()


def notes_on(files: Iterable[BotFile], commands: Commands, selection: Selection) -> Iterator[HandInNote]:
    """What people should know before the bot is tried."""
    for file in files:
        first_line = file.head.partition(b"\n")[0]
        if first_line.startswith(_SCRIPT) and first_line.endswith(b"\r"):
            yield HandInNote(
                file.path, "its first line ends as on Windows (CR LF), so that it cannot run: save it with LF"
            )
        if file.head.startswith(_BYTE_ORDER_MARK + _SCRIPT):
            yield HandInNote(
                file.path, "a byte order mark is before its #!, so that it cannot run: save it as plain UTF-8"
            )
    if not commands.build:
        for word in commands.run:
            path = "/".join((*selection.top, posixpath.normpath(word), ""))
            if any(path.startswith(f"{each.rstrip('/')}/") for each in selection.left_out):
                yield HandInNote(
                    RECIPE_FILE,
                    f"run names {shown(word)}, which is left out: move it elsewhere, name it in .arenaignore "
                    "with a ! before it, or say in build how it is made",
                )
