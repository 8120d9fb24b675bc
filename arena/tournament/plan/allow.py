"""What the host of a run grants its bots: reads and checks `[allow]` in a plan, and the options for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import attrs

from arena.box.limits import MEMORY_MB
from arena.errors import ConfigError, of_setting
from arena.players.entrant import Rights
from arena.reading.strict import Reader, flag, many, optional, place, read_table, unknown, whole
from arena.reading.units import shown, unexpected

EVERYONE = "*"
"""Stands for all bots, in place of a bot's name."""

FLAGS = ("network", "build_network", "gpu", "writable")
"""The rights that are granted or not, without a measure."""

ALLOW_OPTIONS = ("allow_read", "allow", "memory_max")
"""The options that stand for the table on the command line."""

Allow: TypeAlias = Mapping[str, Rights]
"""A bot's name, or EVERYONE -> what is granted to it."""

MEMORY_READER = whole(16, 1_000_000)

NOTHING: Allow = MappingProxyType({})
"""What is granted where nobody grants anything."""

RIGHTS_READERS: Mapping[str, Reader[Any]] = {
    "read": many(place, 'a list of paths such as ["~/tables"]'),
    "memory_mb": optional(MEMORY_READER),
    **dict.fromkeys(FLAGS, flag),
}
"""How each key is read in a bot.toml, which asks for it, and in a plan, which grants it.  By hand: `players`,
where Rights are, know no readers."""


def read_allow(value: object, base: Path) -> dict[str, Rights]:
    """`[allow]` and its `[allow.NAME]`; relative paths start at `base`.  Raises ConfigError."""
    if not isinstance(value, Mapping):
        raise unexpected(value, "a table: [allow]")
    tables = {name: table for name, table in value.items() if isinstance(table, Mapping)}
    everyone = {key: given for key, given in value.items() if key not in tables}
    said = {**({EVERYONE: everyone} if everyone else {}), **tables}
    return {name: _read_rights(table, base, "" if name == EVERYONE else name) for name, table in said.items()}


def allow_in_words(options: Mapping[str, Any], *, base: Path) -> dict[str, Rights]:
    """The rights granted by the options `allow_read` and `allow`, each `NAME=…`, and `memory_max` for all.

    Raises ConfigError.
    """
    allow: dict[str, Rights] = {}
    for said in options.get("allow_read", ()):
        name, path = _named(said, "allow_read", "NAME=PATH such as '*=/srv/course/data'")
        with of_setting("allow_read"):
            allow = merged(allow, {name: _read_rights({"read": [path]}, base, "")})
    for said in options.get("allow", ()):
        name, flag = _named(said, "allow", f"NAME=RIGHT, the right one of {', '.join(FLAGS)}")
        if flag not in FLAGS:
            raise ConfigError(f"found {shown(said)}, {unknown(flag, FLAGS, 'right')}", setting="allow")
        allow = merged(allow, {name: _read_rights({flag: True}, base, "")})
    if memory := options.get("memory_max"):
        allow = merged(allow, {EVERYONE: Rights(memory_mb=_memory(str(memory)))})
    return allow


def merged(allow: Allow, more: Allow) -> dict[str, Rights]:
    """What either of the two grants; of two memory limits the later one counts."""
    found = dict(allow)
    for name, rights in more.items():
        found[name] = _both(found[name], rights) if name in found else rights
    return found


def rights_of(allow: Allow, name: str) -> Rights:
    """What is granted to the bot of this name, with a limit for its memory."""
    nothing = Rights(memory_mb=MEMORY_MB)
    return _both(_both(nothing, allow.get(EVERYONE, Rights())), allow.get(name, Rights()))


def allow_as_mapping(allow: Allow, home: Path | None = None) -> dict[str, Any]:
    """The grants in JSON's types, as `read_allow` takes them; paths are relative to `home`, if given."""
    said = {name: _as_mapping(rights, home) for name, rights in allow.items()}
    return said.pop(EVERYONE, {}) | said


def _read_rights(table: Mapping[str, object], base: Path, where: str) -> Rights:
    values = read_table(table, RIGHTS_READERS, where=where, joint="; ")
    values["read"] = tuple(base.absolute() / path for path in values.get("read", ()))
    return Rights(**values)


def _named(said: str, setting: str, expected: str) -> tuple[str, str]:
    name, mark, value = said.partition("=")
    if not (name and mark and value):
        raise ConfigError(f"found {shown(said)}, expected {expected}", setting=setting)
    return name, value


def _memory(said: str) -> int:
    number = int(said) if said.isdecimal() and len(said) < 10 else said
    with of_setting("memory_max"):
        return MEMORY_READER(number)


def _both(one: Rights, other: Rights) -> Rights:
    return attrs.evolve(
        one,
        read=tuple(dict.fromkeys((*one.read, *other.read))),
        memory_mb=one.memory_mb if other.memory_mb is None else other.memory_mb,
        **{flag: getattr(one, flag) or getattr(other, flag) for flag in FLAGS},
    )


def _as_mapping(rights: Rights, home: Path | None) -> dict[str, Any]:
    said = {key: value for key, value in attrs.asdict(rights, recurse=False).items() if value}
    if rights.read:
        said["read"] = [str(path) if home is None else os.path.relpath(path, home) for path in rights.read]
    return said
