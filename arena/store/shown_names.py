"""The names of a league's bots, which lie beside its folder, and not in it: matches know ids alone.

So names can change, and be forgotten, and what was played stays as it was, with its checksums and seals.
`class-7b.names.toml` beside the folder `class-7b` says that `b17` is to be read as somebody's name, and
`b17@2` as its second version.  The league's server writes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from arena.errors import ConfigError
from arena.reading.strict import read_toml
from arena.words import printable

T = TypeVar("T")
BOTS = "bots"
"""The table of the file that has the names of bots, by their ids."""
HEAD = "# How the bots of this league are called.  Its server writes this file.\n"
_VERSION = re.compile(r"(?<![\w@])b\d+(?=@\d)", re.ASCII)
"""The id of a bot, where a version of it is named."""


@attrs.frozen
class ShownNames:
    """How bots are to be shown."""

    _names: Mapping[str, str] = attrs.field(factory=dict)

    def said(self, text: str) -> str:
        """A text with names in place of ids: `shark@2` for `b17@2`."""
        told = _VERSION.sub(lambda found: self._names.get(found[0], found[0]), text)
        return text if told == text else told

    def bot(self, word: str) -> str:
        """The bot that somebody means, who may know it by its name: `b17@2` for `shark@2`."""
        name, at, version = word.rpartition("@")
        found = [id for id, shown in self._names.items() if at and shown == name]
        return f"{found[0]}@{version}" if found else word

    def shown(self, value: T) -> T:
        """A value with names in all its texts, however deep."""
        return self._shown(value) if self._names else value

    def _shown(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.said(value)
        if isinstance(value, Mapping):
            return {self._shown(key): self._shown(each) for key, each in value.items()}
        if type(value) in (tuple, list, frozenset):
            told = [*map(self._shown, value)]
            is_same = all(one is other for one, other in zip(told, value, strict=True))
            return value if is_same else type(value)(told)
        return self._of_fields(value) if attrs.has(type(value)) else value

    def _of_fields(self, value: Any) -> Any:
        """An instance of an attrs class with names in its fields; itself, if they have none."""
        fields = [field for field in attrs.fields(type(value)) if field.init]
        told = {field.name: self._shown(getattr(value, field.name)) for field in fields}
        if all(told[field.name] is getattr(value, field.name) for field in fields):
            return value
        return type(value)(**{field.alias: told[field.name] for field in fields})


def names_file(folder: Path) -> Path:
    """Where the names of a folder's bots lie, if there are any."""
    return folder.with_name(f"{folder.name}.names.toml")


def names_beside(folder: Path) -> ShownNames:
    """The names beside a folder; none if there is no file.  Raises ConfigError if it cannot be read."""
    path = names_file(folder.absolute())
    if not path.exists():
        return ShownNames()
    names = read_toml(path, where=str(path)).get(BOTS, {})
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise ConfigError(f"{path}: {BOTS} is a table of the names of bots, by their ids")
    return ShownNames({id: printable(name) for id, name in names.items() if _is_clear(name)})


def _is_clear(name: str) -> bool:
    """Whether a version that is shown under this name cannot be taken for another bot's."""
    return not _VERSION.search(f"{name}@1")


def names_text(names: Mapping[str, str]) -> str:
    """The file that says these names, by the ids of bots."""
    lines = (f"{id} = {_quoted(name)}" for id, name in names.items())
    return "\n".join([HEAD, f"[{BOTS}]", *lines, ""])


def _quoted(text: str) -> str:
    """A text as a string of TOML."""
    marks = {'"': '\\"', "\\": "\\\\"}
    written = (marks.get(each, each if each.isprintable() else f"\\U{ord(each):08X}") for each in text)
    return f'"{"".join(written)}"'
