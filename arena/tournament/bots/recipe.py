"""Reads bot.toml: which keys it may have, and what they may say."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.players.entrant import Argv, Rights
from arena.reading.strict import Reader, duration, many, one_of, read_table, read_toml, text, unknown, whole
from arena.reading.units import unexpected
from arena.tournament.plan.allow import RIGHTS_READERS

CONNECT_S_MAX = 300.0
"""Loading a large model takes a minute or two; what takes longer holds up everybody else's tournament."""

_A_COMMAND = 'a command such as "python3 bot.py" or ["python3", "bot.py"]'

_SHELL_WORDS = frozenset(("&&", "||", "|", ";", "&", ">", ">>", "<"))


def _read_argv(value: object) -> Argv:
    """A command as words, from a list or from a text that needs no shell."""
    if isinstance(value, str):
        try:
            words = tuple(shlex.split(value))
        except ValueError:
            raise unexpected(value, _A_COMMAND) from None
        if _SHELL_WORDS & set(words):
            raise unexpected(value, 'one command; for a shell, say ["sh", "-c", "…"]')
    else:
        words = many(text, _A_COMMAND)(value)
    if not words:
        raise unexpected(value, _A_COMMAND)
    return words


def _read_build(value: object) -> Argv:
    """A build command; a text goes to the shell, so it may hold several: people run it by hand too."""
    return ("sh", "-c", text(value)) if isinstance(value, str) else _read_argv(value)


RECIPE: Mapping[str, Reader[Any]] = {
    "name": text,
    "version": text,
    "games": many(text, 'a list of games such as ["liars-dice"]'),
    "language": text,
    "build": _read_build,
    "run": _read_argv,
    "transport": one_of("tcp", "stdio"),
    "restart": one_of("never", "series", "match"),
    "instances_max": whole(1, 1000),
    "connect_s": duration(beyond=True, most_s=CONNECT_S_MAX),
    **RIGHTS_READERS,
}
"""Read by hand, not by annotation (`readers_of`): few fields of an Entrant may be written, most bounded."""

_OTHER_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("command", "cmd", "exec", "start", "main", "entry", "script"), "run"),
    **dict.fromkeys(("compile", "make"), "build"),
    "game": "games",
    "lang": "language",
    "memory": "memory_mb",
}
"""What newcomers call a key -> what it is called here."""


def recipe_in(folder: Path, said: str) -> dict[str, Any]:
    """What a folder's bot.toml says, as fields of an Entrant; `said` names the file in messages.

    Raises ConfigError if that is wrong, or if the file is a link to one that is not the bot's.
    """
    path = folder / "bot.toml"
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ConfigError(f"{said}: it is a link that leads out of the bot's folder, expected a file")
    recipe = read_table(read_toml(path, where=said), RECIPE, where=said, reject=_no_such_key)
    if "run" not in recipe:
        raise ConfigError(f"{said}: run: found nothing, expected {_A_COMMAND}")
    asked = {key: recipe.pop(key) for key in RIGHTS_READERS if key in recipe}
    read = tuple(folder.absolute() / path for path in asked.get("read", ()))
    return recipe | {"asked": Rights(**asked | {"read": read})}


def _no_such_key(key: str) -> str:
    """The message for a key that bot.toml does not know."""
    if other := _OTHER_WORDS.get(key.lower()):
        return f"no such key (did you mean {other}?); accepted: {', '.join(RECIPE)}"
    return unknown(key, RECIPE, "key")
