"""What the commands that read share: their forms, options and the folder they read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli import completion
from arena.cli.group import DONE, MISTAKE
from arena.cli.mistakes import WordOf
from arena.errors import ConfigError
from arena.words import printable

if TYPE_CHECKING:
    from arena.store import Store

F = TypeVar("F", bound=Callable[..., Any])

color_option = click.option(
    "--color",
    type=WordOf(("auto", "always", "never")),
    help="When to use colour; auto: on a terminal, unless NO_COLOR is set.  [auto]",
)


def reading(command: F) -> F:
    """Adds the options for the forms in which every reading command prints."""
    command = color_option(command)
    command = click.option("--csv", "form", flag_value="csv", help="Print as CSV.")(command)
    return click.option("--json", "form", flag_value="json", help="Print as JSON.")(command)


def latest() -> Path:
    from arena.store import LATEST

    return LATEST


folder_argument = click.argument(
    "folder",
    metavar="[DIR]",
    default=latest,
    type=click.Path(path_type=Path),
    shell_complete=completion.folders,
)
game_option = click.option(
    "--game",
    metavar="FILE.py|module:Class",
    help="The game's file or class, if not the one that the folder names.",
    shell_complete=completion.games,
)


def bot_option(name: str, variable: str, metavar: str, words: str) -> Callable[[F], F]:
    """An option that takes the name of a bot that played in the folder."""
    return click.option(name, variable, metavar=metavar, help=words, shell_complete=completion.bots_of_folder)


def opened_to_read(folder: Path) -> Store:
    """The store of a results folder.  Raises ConfigError with what to do where there is none."""
    from arena.store import DATABASE, Store

    if folder == latest() and not (folder / DATABASE).is_file():
        if folder.is_symlink():
            raise ConfigError(
                f"{folder} points to {os.readlink(folder)}, where there are no results any more: "
                "name a results folder"
            )
        raise ConfigError(
            f"there is no {folder} in this folder: `arena run` creates it, or name a results folder "
            "as the last word of the command"
        )
    return Store.checked(folder)


def faults_listing(where: str, bot: str = "") -> str:
    """The command that lists the matches with faults, or with those of one bot; `where`: its last word."""
    of = f" --bot {shlex.quote(printable(bot))}" if bot else ""
    return f"arena matches{of} --fault any{where}"


def complained(store: Store) -> int:
    """Says what is damaged in the folder, if anything is; returns the exit code."""
    from arena.cli.mistakes import told_mistake
    from arena.terminal.text import say

    if store.damage is None:
        return DONE
    say(f"arena: {told_mistake(store.damage.mistake(', and only those are shown'))}")
    return MISTAKE


def folder_with(match: str) -> Path:
    """The folder that has the match: the latest one, or another in `results/`, if it is the only one.

    Raises ConfigError if several have one.
    """
    from arena.store.finding import folders_with

    found = list(folders_with(match))
    if len(found) > 1:
        raise ConfigError(
            f"matches that begin with {match!r} are in {', '.join(map(str, found))}: "
            "give more of it, or name the folder too"
        )
    return found[0] if found else latest()


def capsule_at(match: str) -> Path | None:
    """The capsule that the word names.  Raises ConfigError if it can only be a path, and nothing is there."""
    if not match:
        raise ConfigError("MATCH is empty: give the beginning of its id; `arena matches` lists them")
    path = Path(match)
    if path.is_dir():
        raise ConfigError(f"{match} is a folder: name the match first, then the folder")
    if path.suffix != ".jsonl":
        if path.is_file():
            raise ConfigError(
                f"{match} is a file, expected the beginning of a match's id, or a capsule (.jsonl)"
            )
        return None
    if not path.is_file():
        raise ConfigError(f"there is no capsule {match}")
    return path
