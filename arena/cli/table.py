"""The commands for a server's table in a terminal: `play` and `watch`."""

from __future__ import annotations

import click

from arena.cli.group import TERMINATED, cli, options
from arena.errors import ConfigError


@cli.command()
@options(
    "Where",
    ("--table", "URL", "The table of a server (`arena serve`)."),
    ("--name", "NAME", "Take a seat under this name at once."),
)
def play(table: str | None, name: str | None) -> int:
    """Play at a server's table, in the terminal.

    What happens is told in sentences, and the legal moves are numbered; `?` lists the words.

    \b
    Examples:
      arena play --table http://127.0.0.1:8080/api/tables/ID --name Romeo
    """
    import trio

    from arena.shell.link import ServerLink, check_table, read_url
    from arena.shell.person import Person

    if table is None:
        raise ConfigError("say at which table: arena play --table URL")
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
@click.argument("where", metavar="URL")
def watch(where: str) -> int:
    """Tell what happens at a server's table, as it happens, until the table is closed.

    \b
    Examples:
      arena watch http://127.0.0.1:8080/api/tables/ID
    """
    import trio

    from arena.shell.follow import watch_table
    from arena.shell.link import ServerLink, check_table, read_url

    url = read_url(where)
    check_table(ServerLink(url))
    trio.run(watch_table, ServerLink(url))
    return 0
