"""`arena check`: tries one bot in every way that a run may, and says what its author should mend."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion
from arena.cli.group import COLOR, FIRST_MOVE_TIME, MEMORY_MAX, QUIET, RULE, cli, options

if TYPE_CHECKING:
    from arena.trials.check.candidate import Candidate
    from arena.trials.check.matches import StoredSource

FINE, TO_MEND = 0, 1


@cli.command(
    epilog="Exit codes: 0 nothing to fix; 1 something to fix; 2 a mistake in what was asked; "
    "70 a bug in the arena or a game's rules; 130 Ctrl-C; 143 SIGTERM."
)
@click.argument("bot", metavar="BOT", shell_complete=completion.bots)
@options(
    "What is checked",
    ("--game", "NAME", "What BOT plays: a name, a .py file or module:Class.  [its own, or liars-dice]"),
    RULE,
    ("--seed", "N", "The source of all luck.  [0]"),
    ("--recorded", "MATCH|DIR", "First the questions of a stored match, or of matches of this folder."),
)
@options(
    "Time (500ms, 2s, 20m; a bare number is seconds)",
    ("--move-time", "D", "Limit for every answer.  [1s]"),
    FIRST_MOVE_TIME,
    ("--max-time", "D", "About how long to play with it.  [15s]"),
)
@options(
    "How and where",
    ("--sandbox", "shield|strict|off", "What confines it.  [shield]"),
    MEMORY_MAX,
    ("--json", "as_json", None, "Print as JSON."),
    COLOR,
    QUIET,
)
def check(
    bot: str, recorded: str | None, as_json: bool, color: str | None, quiet: bool, **wishes: Any
) -> int:
    """Try one bot in every way that a run may, and say what to fix.

    It is started as a run would start it, and plays random opponents at every number of seats that the game
    allows, so that it is asked whatever can be asked.  Before that it is put questions of recorded matches,
    those that come with the game or yours (--recorded): it takes a seat where the question came up.  What is
    looked at: its name and ids, illegal and malformed answers, time, faults it is charged with, a broken
    connection, memory, what it prints, how it ends, and whether it answers the same again.

    MATCH is as in `arena replay`; its game and its house rules hold for the whole check.

    \b
    Examples:
      arena check ./mybot
      arena check mybot.py --game holdem --json
      arena check ./mybot --recorded 3f0a
    """
    import attrs

    from arena.cli.mistakes import with_hints
    from arena.terminal.inks import inks_for
    from arena.terminal.text import as_json as json_text
    from arena.terminal.text import columns_of, out
    from arena.trials.check.advice import check_points
    from arena.trials.check.candidate import candidate_of, examine_bot
    from arena.trials.check.telling import check_json, check_text

    inks = inks_for(color)
    source = None if recorded is None else _source(recorded)
    candidate = candidate_of(bot, wishes, base=Path.cwd(), source=source)
    code, found = run_on(candidate, examine_bot, is_quiet=quiet), candidate.findings
    if code is not None:
        return code
    points = [
        attrs.evolve(point, advice=with_hints(point.advice, point.hints), hints=())
        for point in check_points(found)
    ]
    if as_json:
        out(json_text(check_json(found, points)))
    else:
        out(check_text(found, points, columns_of(sys.stdout), inks), inks)
    return TO_MEND if any(point.standing == "mend" for point in points) else FINE


def _source(word: str) -> StoredSource:
    """The matches that `--recorded` names: those of a folder, or one, by its id or one of its capsules."""
    from arena.cli.reading import capsule_at, folder_with
    from arena.store import DATABASE, RESULTS
    from arena.trials.check.matches import StoredSource

    path = Path(word)
    if word and path.is_dir():
        return StoredSource(folder=path)
    capsule = capsule_at(word)
    if capsule is not None:
        return StoredSource(folder=capsule.absolute().parent.parent, prefix=capsule.name.partition("-")[0])
    if (path.parent / DATABASE).is_file():
        return StoredSource(folder=path.parent, prefix=path.name)
    return StoredSource(folder=folder_with(word), prefix=word, searched=f"{RESULTS}/")


def run_on(
    candidate: Candidate,
    work: Callable[[Candidate, Callable[[str], None]], Awaitable[None]],
    *,
    is_quiet: bool,
) -> int | None:
    """Does this work on a bot, which notes what it does; returns the exit code, if a signal ended it."""
    import trio

    from arena.cli.mistakes import ungrouped
    from arena.cli.stop import Stop
    from arena.terminal.text import say

    stop, entrant = Stop(), candidate.entrant
    note = (lambda line: None) if is_quiet else (lambda line: say(f"{entrant.name}: {line}"))
    away = redirect_stdout(sys.stderr) if entrant.kind == "local" else nullcontext()
    with stop.listening(), away, ungrouped():
        trio.run(stop.cancellable, partial(work, candidate, note))
    return stop.exit_code
