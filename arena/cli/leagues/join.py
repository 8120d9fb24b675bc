"""`arena join`: brings a bot that runs here to a league."""

from __future__ import annotations

import click

from arena.cli.group import cli, options


@cli.command()
@click.argument("url", metavar="URL")
@options(
    "The bot",
    ("--bot", "spec", "BOT", "The bot: a folder, a file or a command, as `arena run` takes it."),
    ("--name", "NAME", "What the bot is called there.  [what it calls itself]"),
    ("--new-version", "is_new", None, "It is another one than before: it plays as a new version."),
)
def join(url: str, spec: str | None, name: str | None, is_new: bool) -> int:
    """Bring a bot that runs here to a league, and keep it there.

    It connects, plays, and comes back when the server does.  URL is the league's: http://HOST/leagues/NAME.
    Your token is that of `arena league join`, or ARENA_TOKEN.  The bot runs without a box, with your rights.
    A league cannot know that a program has changed: say so.
    Exit code 1: it plays no more; 2: it was not let in.

    \b
    Examples:
      arena join https://arena.example.org/leagues/class-7b --bot ./mybot
      arena join http://127.0.0.1:8080/leagues/class-7b --bot ./mybot --new-version
    """
    from arena.errors import ConfigError
    from arena.terminal.leagues.joining import bring_bot, own_bot
    from arena.terminal.leagues.league_link import league_link
    from arena.terminal.text import say
    from arena.words import printable

    if spec is None:
        raise ConfigError("--bot: name the bot that is brought there, e.g. --bot ./mybot")
    bot, link = own_bot(spec), league_link(url)
    if is_new:
        named = link.of_league("POST", "/connecting", {"bot": name or ""})
        say(printable(named["said"]))
    return bring_bot(link, bot, name or "", say)
