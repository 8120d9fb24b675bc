"""Finds the bots in a folder of bots, such as the submissions of a class, and their names.

A bot is anything in the folder that is

- a folder: with `bot.toml`, or with a program called `bot` (`bot.py`, `bot.js`, or `bot` with the right to
  run), named after the folder, whatever its files say;
- a file: `.py`, `.js`, or anything with the right to run, named after the file without its suffix.

Passed over in silence: names that begin with `.` or `__`, READMEs and licences, documents, pictures, tables
and settings (`_NOT_MEANT` lists them), and what the arena and other tools leave behind: results, logs,
`node_modules`, environments.  Everything else was probably meant as a bot, and is taken as one: what is
wrong with it is told together with what is wrong with all others.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.reading.units import shown
from arena.store import DATABASE, RESULTS
from arena.tournament.bots.entrants import (
    bot_at,
    builtin_bots,
    can_run,
    names_of_bots,
    no_bot_in,
    program_at,
    why_not_run,
)
from arena.tournament.plan import BotSpec
from arena.words import printable

BOTS_MAX = 1000
"""How many bots one folder may have: more than any class, and few enough to try every one before play."""

_NOT_MEANT = re.compile(
    r"(?:readme|licen[cs]e|copying|authors|notice|makefile|dockerfile).*|.*\.(?:"
    r"bak|bib|cfg|conf|css|csv|db|docx?|gif|html?|ico|ini|ipynb|jpe?g|jsonl?|lock|log|md|od[st]|pdf|png|pptx?|pyc|"
    r"rst|rtf|sqlite|svg|tex|toml|tsv|txt|webp|xlsx?|xml|ya?ml)",
    re.DOTALL,
)
"""Files that nobody means as a bot, in lowercase."""
_FOLDERS = frozenset(("node_modules", "venv", "env", "logs", RESULTS.name))
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_NOT_IN_NAMES = re.compile(r"""[\s=/\\:'"]+""")
"""Characters that no name before `=` on a command line can have."""


def expanded(specs: Iterable[BotSpec]) -> Iterator[BotSpec]:
    """The specs, with one for each bot of a folder in place of each that names a folder of bots.

    A folder without any bot, or with too many, stays as it is, for `entrants.resolve` to refuse.
    """
    for spec in specs:
        is_path = spec.name is None and spec.spec not in builtin_bots()
        names = names_of_bots(place_of_spec(spec)) if is_path else ()
        yield from _bots_of(spec, names)


def not_named_yet(named: Sequence[BotSpec], planned: Sequence[BotSpec]) -> list[BotSpec]:
    """The named bots that a plan does not have yet: its own may be named again."""
    missing = []
    left = Counter(map(_what_is_named, planned))
    for spec in named:
        what = _what_is_named(spec)
        if left[what]:
            left[what] -= 1
        else:
            missing.append(spec)
    return missing


def _what_is_named(spec: BotSpec) -> object:
    """A key that is equal for two specs of the same bot, as a path may be written in many ways."""
    return (spec.name, os.path.realpath(place_of_spec(spec))) if spec.is_submission else spec


def _bots_of(spec: BotSpec, names: Iterable[str]) -> list[BotSpec]:
    """The bots of a folder with these names in it, or the spec itself."""
    folder = place_of_spec(spec)
    names = [name for name in names if is_meant(folder / name)]
    if not 0 < len(names) <= BOTS_MAX:
        return [spec]
    above = os.path.normpath(spec.spec)
    return [_submission(os.path.join("" if above == "." else above, name), folder, spec) for name in names]


def _submission(path: str, folder: Path, spec: BotSpec) -> BotSpec:
    is_folder = os.path.isdir(folder / os.path.basename(path))
    path = printable(path)  # a plan is text; a name that is not printable is refused by `submitted`
    return BotSpec(path, spec.base, name=_name_of(path, is_folder=is_folder), is_submission=True)


def _name_of(path: str, *, is_folder: bool) -> str:
    name = os.path.basename(path)
    return name if is_folder else os.path.splitext(name)[0]


def is_meant(place: Path) -> bool:
    """Whether somebody means this as a bot."""
    name = place.name.lower()
    if name.startswith((".", "__")):
        return False
    if os.path.isdir(place):
        return name not in _FOLDERS and not os.path.isfile(place / DATABASE)
    return name.endswith((".py", ".js")) or not _NOT_MEANT.fullmatch(name)


def place_of_spec(spec: BotSpec) -> Path:
    """Where a spec that is a path leads."""
    return spec.base / os.path.expanduser(spec.spec)


def submitted(spec: BotSpec) -> Entrant:
    """The bot that such a spec leads to.  Raises ConfigError with what is wrong, without its path."""
    name, place = spec.name or "", place_of_spec(spec)
    check_submitted_name(name)
    if not os.path.lexists(place):
        raise ConfigError("it is not there any more")
    if not os.path.exists(place):
        raise ConfigError(f"a link that leads nowhere: {printable(os.readlink(place))}")
    if (found := bot_at(place, where=Path())) is not None:
        return found
    if os.path.isdir(place):
        raise no_bot_in(place, spec.spec)
    if not os.path.isfile(place):
        raise ConfigError("neither a file nor a folder")
    if place.suffix.lower() in _ARCHIVES:
        raise ConfigError("an archive: unpack it into a folder")
    if not can_run(place):
        raise ConfigError(why_not_run(place))
    return program_at(place)


def check_submitted_name(name: str) -> None:
    """Raises ConfigError if this name could not be said on a command line, as in NAME=PATH."""
    if wrong := _NOT_IN_NAMES.search(name):
        if "\\" in name:  # or what `printable` makes of a character
            raise ConfigError("its name has a backslash in it, or what cannot be printed: rename it")
        what = "a space" if wrong[0].isspace() else shown(wrong[0][0])
        better = _NOT_IN_NAMES.sub("-", name).strip("-")
        raise ConfigError(f"its name has {what} in it: rename it" + (f", such as {better}" if better else ""))
    if name.startswith("-"):
        raise ConfigError("its name begins with -, like an option: rename it")
