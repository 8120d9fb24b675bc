"""Writes a new bot's folder: all of it or nothing, and never over anything."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from arena.errors import ConfigError, unwritable
from arena.match.game import Game
from arena.reading.units import shown
from arena.starter.languages import Language
from arena.starter.recording import recording
from arena.wire.messages import NAME_LENGTH_MAX, check_name
from arena.words import listed, printable

TEMPLATES = Path(__file__).parent / "templates"
RECORDED = "recorded.jsonl"
"""The file with what the bot is told in the recorded matches."""

README = "README.md.template"
"""The template of the one file that all languages share."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*", re.ASCII)
_PLACEHOLDER = re.compile("@([A-Z_]+)@")
_SUFFIX = ".template"
"""Ends the names of templates, so that linters and tests do not read them as code of the arena."""


@attrs.frozen(kw_only=True)
class Starter:
    """What a new bot's folder is made from."""

    name: str
    """The name of the bot and of its folder."""
    language: Language
    game: Game[Any, Any]
    game_word: str
    """The game as commands take it; empty: the default game."""

    @property
    def commands(self) -> Mapping[str, str]:
        """The commands that the folder's README explains, by what they do; they run in the folder above."""
        game = ["--game", self.game_word] if self.game_word else []
        seats = ["--seats", str(self.game.seats[0])] if 2 not in self.game.seats else []
        others = ["random"] * (self.game.seats[0] - 1)
        return {
            "play": shlex.join(["arena", "run", *game, *seats, self.name, *others]),
            "test": self.language.test.format(folder=self.name),
            "check": shlex.join(["arena", "check", self.name, *game]),
        }


def check_new_name(name: str, game: Game[Any, Any], taken: Mapping[str, object]) -> None:
    """Raises ConfigError if no folder and bot can have this name; `taken` are the built-in bots."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"found {shown(name)}, expected a name of letters, digits, - and _: "
            "it is the bot's, and that of its folder, which is made here"
        )
    if len(name) > NAME_LENGTH_MAX:
        raise ConfigError(f"a name has at most {NAME_LENGTH_MAX} characters, this one {len(name)}")
    if name in taken:
        raise ConfigError(f"{name} is a built-in bot: choose another name")
    if reason := check_name(name, game.reserved_names):
        raise ConfigError(f"no bot can be called {name}: {reason}")


def write_starter(starter: Starter, into: Path) -> Path:
    """Writes the bot's folder into `into` and returns its path.

    Raises ConfigError if something other than an empty folder has that name already.
    """
    folder = into / starter.name
    _check_free(folder)
    files = dict(_files(starter))  # before anything is written: a game's rules may fail
    try:
        new = Path(tempfile.mkdtemp(prefix=f".{starter.name}.", dir=into))
        try:
            for name, content in files.items():
                place = new / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            new.chmod(0o777 & ~_umask())  # a temporary folder is its owner's alone
            os.rename(new, folder)  # fails if the folder is not empty by now
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
    except OSError as error:
        _check_free(folder)
        raise unwritable(folder, error) from None
    return folder


def _check_free(folder: Path) -> None:
    if not os.path.lexists(folder):
        return
    if not folder.is_dir() or folder.is_symlink():
        raise ConfigError(f"{folder} is already there: choose another name")
    try:
        is_empty = not os.listdir(folder)
    except OSError as error:
        raise ConfigError(f"{folder} is already there and cannot be read: {error.strerror}") from None
    if not is_empty:
        raise ConfigError(f"{folder} is already there and not empty: choose another name")


def _umask() -> int:
    mask = os.umask(0o77)
    os.umask(mask)
    return mask


def _files(starter: Starter) -> Iterator[tuple[str, bytes]]:
    """Every file of the folder: its relative path and its content."""
    lines = list(recording(starter.game, starter.name))
    yield RECORDED, b"".join(lines)
    values = _values(starter, lines)
    folder = TEMPLATES / starter.language.name
    for path in (TEMPLATES / README, *sorted(folder.rglob(f"*{_SUFFIX}"))):
        text = _PLACEHOLDER.sub(lambda found: values[found[1]], path.read_text(encoding="utf-8"))
        name = path.name if path.name == README else str(path.relative_to(folder))
        yield name.removesuffix(_SUFFIX), text.encode()


def _values(starter: Starter, lines: Sequence[bytes]) -> Mapping[str, str]:
    """The values that replace `@NAME@` and the like in templates."""
    language, commands = starter.language, starter.commands
    return {
        "NAME": starter.name,
        "GAME": starter.game.name,
        "TITLE": printable(starter.game.title),
        "GAME_WORD": shlex.quote(starter.game_word or starter.game.name),
        "LANGUAGE": language.title,
        "SOURCE": language.source,
        "NEEDS": _needs(language),
        "QUESTION": _example(lines),
        "PLAY": commands["play"],
        "TEST": commands["test"],
        "CHECK": commands["check"],
    }


def _needs(language: Language) -> str:
    return (
        f"\nThey need {listed([*language.needs, *language.libraries])}: `{language.install}`."
        if language.install
        else ""
    )


def _example(lines: Sequence[bytes]) -> str:
    """The recorded question that shows most kinds of moves, a line for each field and each option."""
    questions = [message for line in lines if (message := json.loads(line))["type"] == "ask"]
    most = max(questions, key=lambda question: len({option["kind"] for option in question["options"]}))
    state = [f"{_compact(key)}: {_compact(value)}" for key, value in most["state"].items()]
    options = [_compact(option) for option in most["options"]]
    return '{{\n  "state": {{\n    {}\n  }},\n  "options": [\n    {}\n  ]\n}}'.format(
        ",\n    ".join(state), ",\n    ".join(options)
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
