"""The bad habits that come with the arena: what each does, and what the arena promises to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import attrs

import arena
from arena.errors import FAULT_KINDS, ConfigError
from arena.players.entrant import Restart
from arena.reading.strict import Reader, many, one_of, read_table, read_toml, readers_of, text, unknown, whole
from arena.reading.units import unexpected
from arena.tournament.bots.game_source import names_files

Way: TypeAlias = Literal["tcp", "stdio", "lobby"]

_KINDS = many(one_of(*FAULT_KINDS), 'a list such as ["too_late"]')

Words: TypeAlias = Annotated[tuple[str, ...], lambda value: tuple(shlex.split(text(value)))]

Kinds: TypeAlias = Annotated[frozenset[str], lambda value: frozenset(_KINDS(value))]

FILE = "habits.toml"
HONEST = "honest.py"


@attrs.frozen(kw_only=True)
class Habit:
    """A way to misbehave; the keys are explained in `habits.toml`."""

    name: str
    run: Words
    """A script in the folder of habits, and its arguments."""
    faults: Kinds = frozenset()
    may: Kinds = frozenset()
    way: Way = "tcp"
    game: str = ""
    """The game to try it in; empty: the default game."""
    copies: Annotated[int, whole(1, 100)] = 1
    refused: bool = False
    restart: Restart = "never"
    slow: bool = False
    box: bool = False
    is_yours: bool = False
    """Whether it is a user's bot to compare with the habits, which may fail in any way."""

    @property
    def is_stranger(self) -> bool:
        """Whether it connects uninvited, and gets no seat."""
        return self.way == "lobby"


def habits() -> list[Habit]:
    """All habits, in the order of the file."""
    return [Habit(name=name, **fields) for name, fields in _read()["habits"].items()]


def honest_bot(game: str) -> str:
    """The built-in bot that plays honestly in this game; empty: `honest.py` does."""
    anywhere = "random" if names_files(game) else ""
    return str(_read()["honest"].get(game, anywhere))


def chosen(names: Collection[str]) -> list[Habit]:
    """The habits with these names, or all if none are given.  Raises ConfigError for an unknown name."""
    known = habits()
    for name in names:
        if name not in {habit.name for habit in known}:
            why = unknown(name, [habit.name for habit in known], "habit")
            raise ConfigError(why, setting="only", value=name)
    return [habit for habit in known if not names or habit.name in names]


def folder() -> Path:
    """The folder of the scripts.  Raises ConfigError if they were not installed."""
    home = Path(arena.__file__).parent
    for place in (home / "_bots" / "misbehaving", home.parent / "bots" / "misbehaving"):
        if (place / FILE).is_file():
            return place
    raise ConfigError("the misbehaving bots were not installed with the arena: reinstall it")


# Reading habits.toml.


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise unexpected(value, "a table")
    return value


def _read() -> dict[str, Any]:
    path = folder() / FILE
    file: dict[str, Any] = read_toml(path, where=str(path))
    readers: dict[str, Reader[Any]] = {"honest": _table, "habits": _table}
    tables = read_table(file, readers, where=str(path), reject=lambda key: unknown(key, readers, "table"))
    for name, table in tables["habits"].items():
        tables["habits"][name] = read_table(table, readers_of(Habit), where=f"{path}: {name}")
    return tables
