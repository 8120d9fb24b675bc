"""A case: something that is wrong, and how it comes to be told."""

from __future__ import annotations

import csv
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import attrs
from calls import called

from arena.errors import ArenaError

from .keeping import neutral


@attrs.frozen(eq=False)
class Case:
    """One entry of the file."""

    name: str
    names: str
    """What every wording names: what is wrong, and after a `|` what would be right."""
    tell: Callable[[], Told]
    typed: str = ""
    """The words after `arena`; nothing if no command is called."""

    @property
    def told(self) -> Told:
        return _told(self)

    def entry(self) -> str:
        typed = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in self.typed)
        return f"$ arena {typed}\n{self.told.text}" if typed else self.told.text


@attrs.frozen
class Told:
    """What a case came to, without what differs between machines."""

    text: str
    code: int = 2
    printed: str = ""
    made: tuple[str, ...] = ()
    """Files that were not there before, or not as they are."""


@cache
def _told(case: Case) -> Told:
    return case.tell()


# Commands.

Files: TypeAlias = Mapping[str, str | Callable[[Path], object] | None]
"""By path: the text of a file, None for an empty folder, or what makes whatever else is there."""


MATCH = "{match}"
"""Stands in words for a match that is there, and in what is told of it."""


def typed(name: str, words: str, names: str, files: Files) -> Case:
    """`arena WORDS` in a folder with these files."""
    return Case(name, names, lambda: _called(words, files), words)


def _called(words: str, files: Files) -> Told:
    with ground(files) as here:
        match = _match(here) if MATCH in words else MATCH
        before = _contents(here)
        code, printed, told = called(*shlex.split(words.replace(MATCH, match)))
        made = tuple(sorted(path for path, _ in _contents(here) - before))
        text = neutral(told.removesuffix("\n"), here).replace(match, MATCH)
        return Told(text, code, printed, made)


def _match(here: Path) -> str:
    """The id of a match that was played there."""
    with (here / "results/first/matches.csv").open(encoding="utf-8") as file:
        return next(csv.DictReader(file))["match_id"]


def _contents(here: Path) -> set[tuple[str, bytes]]:
    """All files there, and what is in those that no mere opening changes."""
    paths = (path for path in here.rglob("*") if "__pycache__" not in path.parts)
    return {(str(path.relative_to(here)), _content(path)) for path in paths}


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() and path.suffix != ".db" else b""


@contextmanager
def ground(files: Files) -> Iterator[Path]:
    """A new working directory with these files; what is imported there is forgotten."""
    before, paths, modules = Path.cwd(), list(sys.path), set(sys.modules)
    with tempfile.TemporaryDirectory(prefix="arena-sentences-") as name:
        here = Path(name).resolve()
        for path, what in files.items():
            _make(here / path, what)
        os.chdir(here)
        try:
            yield here
        finally:
            os.chdir(before)
            sys.path[:] = paths
            for module in set(sys.modules) - modules:
                if str(here) in str(getattr(sys.modules[module], "__file__", "")):
                    del sys.modules[module]


def _make(path: Path, what: str | Callable[[Path], object] | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if what is None:
        path.mkdir()
    elif isinstance(what, str):
        path.write_text(what, encoding="utf-8")
    else:
        what(path)


# What rooms refuse.


def refused(name: str, names: str, call: Callable[[], object], files: Files = MappingProxyType({})) -> Case:
    """A call that raises, or returns what is wrong: as the room puts it, in whose words no option is."""
    return Case(name, names, lambda: _refused(call, files))


def _refused(call: Callable[[], object], files: Files) -> Told:
    with ground(files) as here:
        try:
            text = call()
        except ArenaError as error:
            text = str(error)
        assert isinstance(text, str), "this was to be refused, and was not"
        return Told(neutral(text, here))


def key_of(toml: str) -> str:
    """The key of its last line."""
    return toml.splitlines()[-1].partition(" ")[0]
