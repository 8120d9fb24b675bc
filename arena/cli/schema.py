"""`arena schema`: prints what a bot is asked in a game, and what it may answer, as JSON Schema."""

from __future__ import annotations

import click

from arena.cli import completion
from arena.cli.group import cli


@cli.command()
@click.argument("game", shell_complete=completion.games)
def schema(game: str) -> None:
    """Print the JSON Schema of a game's questions and moves.

    GAME is a name, a file or module:Class, as for `arena run --game`.  `question` is what a plain bot is
    asked, `ask` the same in the full protocol, `answer` what a bot sends; all of them are in `$defs`.  House
    rules do not change it: the options of a question say what they allow.

    \b
    Example: arena schema liars-dice > liars-dice.schema.json
    """
    from arena.terminal.text import as_json, out
    from arena.tournament.bots.schemas import schema_of

    out(as_json(schema_of(game)))
