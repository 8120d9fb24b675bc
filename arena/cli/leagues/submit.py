"""`arena submit`: hands a bot in to a league."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import completion
from arena.cli.group import cli, options

SERVER = "http://127.0.0.1:8080"
TO = ("--to", "URL", f"The server, or the league: http://HOST/leagues/NAME.  [{SERVER}]")


@cli.command()
@click.argument("bot", metavar="BOT", shell_complete=completion.folders)
@options(
    "Where",
    TO,
    ("--name", "NAME", "What the bot is called there.  [your only bot, or your own name]"),
    ("--wait", None, "Wait until it plays, or is refused, and tell why."),
)
def submit(bot: str, to: str | None, name: str | None, wait: bool) -> int:
    """Hand in a bot to a league: a folder, an archive or one file.

    Your token is that of `arena league join`, or ARENA_TOKEN.  The same files again change nothing.  Exit
    code 0: it plays; 1: it was refused; 2: a mistake in what was asked; 3: it is still to be tried.

    \b
    Examples:
      arena submit ./mybot --to https://arena.example.org/leagues/class-7b
      arena submit ./mybot --to https://arena.example.org/leagues/class-7b --name dicer --wait
    """
    from arena.terminal.leagues.league_link import league_link
    from arena.terminal.leagues.submitting import submit_bot
    from arena.terminal.text import say

    return submit_bot(league_link(to or SERVER), Path(bot), name or "", say, is_waiting=wait)
