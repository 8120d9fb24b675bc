"""`arena league export` and `import`: a league as one file, written and read in a server's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.group import DONE, options
from arena.cli.leagues.league import league
from arena.cli.serve import DATA

if TYPE_CHECKING:
    from arena.server.league.league_archive import MovedLeague

WHERE = ("--data", "DIR", f"The folder of the server.  [{DATA}]")


@league.command("export")
@click.argument("name", metavar="NAME")
@click.argument("file", metavar="FILE")
@options(
    "What",
    WHERE,
    ("--without-people", None, "To be shared: no names, roster, tokens, logs and files of bots."),
)
def export(name: str, file: str, data: str | None, without_people: bool) -> int:
    """Write a league to a file, as it is at one moment.

    It is played on meanwhile.  The file has the hashes of tokens, so that they work wherever it is imported.

    \b
    Examples:
      arena league export class-7b class-7b.zip
      arena league export class-7b shared.zip --data /srv/arena --without-people
    """
    from arena.server.league.league_archive import export_league
    from arena.terminal.text import say

    moved = export_league(Path(data or DATA), name, Path(file), has_people=not without_people)
    say(f"{file} has {_words(moved)}")
    if without_people:
        say("deals that are yet to come follow from the seed in it: share it when the league is over")
    return DONE


@league.command("import")
@click.argument("file", metavar="FILE")
@options("Where", WHERE)
def import_(file: str, data: str | None) -> int:
    """Take a league from a file into the folder of a server.

    The server does not run meanwhile.  Its tokens and codes work, and it is played on when the server starts.

    \b
    Example: arena league import class-7b.zip --data /srv/arena
    """
    import time

    from arena.server.league.league_archive import import_league
    from arena.terminal.text import say

    moved = import_league(Path(file), Path(data or DATA), time.time())
    say(f"{_words(moved)}: it is played on by `arena serve`")
    return DONE


def _words(moved: MovedLeague) -> str:
    """What an archive holds, in words."""
    from arena.words import counted

    lost = f"; the files of {', '.join(moved.lost)} are lost, as their owners are told" if moved.lost else ""
    return (
        f"{moved.name} with {counted(moved.owners, 'owner')}, {counted(moved.versions, 'version')} and "
        f"{counted(moved.matches, 'match')}{lost}"
    )
