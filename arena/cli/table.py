"""The commands for people in a terminal: `play` and `watch`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from arena.cli import completion
from arena.cli.group import GRANTS, RULE, TERMINATED, cli, options
from arena.cli.reading import color_option, game_option, latest
from arena.errors import ConfigError


@cli.command()
@click.argument("game", metavar="[GAME]", required=False, shell_complete=completion.games)
@options(
    "Against bots, here",
    ("--against", "*BOT", "A bot to play against, as `arena run` takes it; may be repeated.  [a house bot]"),
    ("--seats", "N", "How many sit at the table, the bots in turn.  [you and the bots that are named]"),
    RULE,
    ("--seed", "N", "The source of all luck.  [drawn]"),
    ("--move-time", "D", "Everybody's limit for a move.  [1s for bots, none for you]"),
    (
        "--sandbox",
        "shield|strict|off",
        "What confines the bots.  [strict if any comes from a folder of bots, else shield]",
    ),
    *GRANTS,
)
@options("At a server's table", ("--table", "URL", "The table of a server (`arena serve`)."))
@options(
    "You",
    ("--name", "NAME", "What you are called.  [player; at a server's table you enter it later]"),
    ("--plain", None, "For a screen reader: every line a sentence, no drawings, no colour."),
)
def play(
    game: str | None,
    table: str | None,
    name: str | None,
    plain: bool,
    against: tuple[str, ...],
    rules: tuple[str, ...],
    **wishes: Any,
) -> int:
    """Play in the terminal, against bots or at a server's table.

    GAME is a name (`arena games`), a .py file or module:Class.  What happens is told in sentences, and the
    legal moves are numbered; `?` lists what can be typed, `q` leaves.

    \b
    Examples:
      arena play liars-dice
      arena play holdem --against equity --against random --rule hands=10
      arena play --table http://127.0.0.1:8080/api/tables/ID --name Romeo
    """
    if (game is None) == (table is None):
        raise ConfigError("say a game (arena play liars-dice) or a server's table (arena play --table URL)")
    if table is None:
        from arena.cli.person import play_here

        return play_here(str(game), against, rules, name=name, is_plain=plain, wishes=wishes)
    if against or rules or any(wishes.values()):
        raise ConfigError("--table: the server's host decides how it is played; leave out all but --name")
    return _play_there(table, name)


def _play_there(table: str, name: str | None) -> int:
    """Plays at a server's table; returns the exit code."""
    import trio

    from arena.terminal.link import ServerLink, check_table, read_url
    from arena.terminal.person import Person

    url = read_url(table)
    check_table(ServerLink(url))
    try:
        trio.run(Person(ServerLink(url), ServerLink(url)).play, name)
    except BaseExceptionGroup as group:
        if group.subgroup(SystemExit) is not None:
            raise SystemExit(TERMINATED) from None
        if group.subgroup(KeyboardInterrupt) is None:
            raise
        raise KeyboardInterrupt from None
    return 0


@cli.command()
@click.argument("where", metavar="[DIR|URL]", default="", shell_complete=completion.folders)
@click.option(
    "--match", metavar="ID|latest", help="DIR: tell this match once it is over, or always the latest."
)
@game_option
@color_option
def watch(where: str, match: str | None, game: str | None, color: str | None) -> int:
    """Follow a run, or a table of a server, as it happens.

    DIR is a results folder, by default results/latest: the matches as they finish and the standings, until
    the run is over.  It is only read.  URL is a table of a server (`arena serve`), until it is closed.

    \b
    Examples:
      arena watch results/quickstart
      arena watch results/quickstart --match latest
      arena watch http://127.0.0.1:8080/api/tables/ID
    """
    if not _is_address(where):
        from arena.cli.runs.watching import watch_folder

        return watch_folder(Path(where) if where else latest(), match, game, color)
    if match is not None or game is not None:
        raise ConfigError("--match and --game are for a results folder: a server's table is told as it is")
    import trio

    from arena.terminal.flow import watch_table
    from arena.terminal.link import ServerLink, check_table, read_url

    url = read_url(where)
    check_table(ServerLink(url))
    trio.run(watch_table, ServerLink(url))
    return 0


def _is_address(where: str) -> bool:
    """Whether the word is meant as a URL, perhaps without `http://`, and not as a folder."""
    return "://" in where or bool(re.match(r"[^/]+:\d+(/|$)", where) and not Path(where).exists())
