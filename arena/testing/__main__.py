"""`python -m arena.testing` tries an installation: a bot plays all built-in games over the wire."""

from __future__ import annotations

import sys

import trio

from arena.games import GAMES
from arena.testing import check_player, honest, seat_bots

MATCHES = 3
"""How many matches of each game are played: enough for every kind of message; all take about a second."""


def main() -> int:
    """Plays matches of every game and prints a line for each; returns exit code 1 if one does not work."""
    failed = 0
    for name in GAMES:
        complaint = trio.run(_complaint_about, name)
        print(f"{name}: {complaint or 'ok'}")
        failed += bool(complaint)
    return 1 if failed else 0


async def _complaint_about(name: str) -> str:
    """What goes wrong with a well-behaved bot at the other end of a connection; empty if nothing."""
    async with seat_bots({"bot": honest}) as players:
        try:
            await check_player(players["bot"], GAMES[name](), matches=MATCHES)
        except AssertionError as error:
            return str(error) or "an assertion failed"
    return ""


if __name__ == "__main__":
    sys.exit(main())
