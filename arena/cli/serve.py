"""The command that opens the server: `serve`."""

from __future__ import annotations

from pathlib import Path

from arena.cli.group import cli, options


@cli.command()
@options(
    "Where",
    ("--http", "HOST:PORT", "HTTP and WebSocket.  [127.0.0.1:8080]"),
    ("--listen", "HOST:PORT|none", "Bots over TCP.  [127.0.0.1:8888]"),
    ("--data", "DIR", "What the server keeps.  [arena-data]"),
)
def serve(http: str | None, listen: str | None, data: str | None) -> int:
    """A server at which bots and people meet: tables of all games, over HTTP, WebSocket and TCP.

    It stays up until Ctrl-C; what is at its tables is there again when it starts in the same folder.

    \b
    Examples:
      arena serve
      arena serve --http 127.0.0.1:9000 --data /srv/arena
    """
    from arena.cli.mistakes import the_mistake_in
    from arena.server.command import run_server
    from arena.server.serve import ServerPlan
    from arena.units import parse_address

    plan = ServerPlan(
        http=parse_address(http or "127.0.0.1:8080"),
        listen=None if listen == "none" else parse_address(listen or "127.0.0.1:8888"),
        data=Path(data or "arena-data"),
    )
    try:
        return run_server(plan)
    except BaseExceptionGroup as group:
        if (mistake := the_mistake_in(group)) is not None:
            raise mistake from None
        raise
