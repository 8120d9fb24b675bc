"""`arena ask`: puts one recorded question to a bot."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion
from arena.cli.group import FAULTS, cli, options

if TYPE_CHECKING:
    from arena.trials.check.asking import BotAnswer


@cli.command(
    epilog="Exit codes: 0 an answer, legal as far as that is known; 1 a fault; "
    "2 a mistake in what was asked; 130 Ctrl-C; 143 SIGTERM."
)
@click.argument("bot", metavar="BOT", shell_complete=completion.bots)
@options(
    "What is asked",
    ("--question", "FILE", "A recorded question, or JSON Lines with some: a capsule, a conversation."),
    ("--at", "N", "The N-th question in FILE.  [the last]"),
    ("--game", "NAME", "The game, where FILE does not say it.  [as recorded, or the bot's own]"),
    ("--move-time", "D", "How long to wait.  [10s]"),
)
@options(
    "How",
    ("--sandbox", "shield|strict|off", "What the bot is shut in.  [shield]"),
    ("--json", "as_json", None, "Print as JSON."),
)
def ask(bot: str, question: str | None, at: str | None, as_json: bool, **wishes: Any) -> int:
    """Put one recorded question to a bot, and print what it answers.

    The bot is told the match and the events before the question as far as they were recorded, then the
    question.  What it prints goes to standard error.

    \b
    Examples:
      arena ask ./mybot --question faults/9092bfe0c756-1-0.jsonl
      arena ask ./mybot --question conversation.jsonl --at 7
    """
    import trio

    from arena.cli.mistakes import ungrouped
    from arena.errors import ConfigError
    from arena.terminal.text import as_json as json_text
    from arena.terminal.text import out, say
    from arena.trials.check.candidate import asked_of

    if question is None:
        raise ConfigError("--question is missing: name a file with a recorded question, such as a capsule")
    if at is not None and not at.isdecimal():
        raise ConfigError(f"--at: found {at!r}, expected the number of a question, from 1")
    number = None if at is None else int(at)
    with ungrouped():
        answer = trio.run(partial(asked_of, bot, Path(question), number, wishes, base=Path.cwd()))
    if as_json:
        import attrs

        out(json_text(attrs.asdict(answer)))
    else:
        for line in answer.log.splitlines():
            say(f"| {line}")
        out("\n".join(_lines(answer)))
    return FAULTS if answer.fault else 0


def _lines(answer: BotAnswer) -> list[str]:
    """The answer, for people."""
    import json

    from arena.words import measured, printable

    judged = "legal" if answer.is_judged else "not judged: the file has no options"
    verdict = f"{answer.fault}: {printable(answer.reason)}" if answer.fault else judged
    move = [] if answer.move is None else [f"move  {json.dumps(answer.move, ensure_ascii=False)}"]
    return [*move, f"      {verdict}" if move else verdict, f"time  {measured(answer.elapsed_s)}"]
