"""`arena replay`: tells a match step by step."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import completion
from arena.cli.group import cli
from arena.cli.mistakes import WholeNumber
from arena.cli.reading import (
    bot_option,
    capsule_at,
    complained,
    folder_with,
    game_option,
    opened_to_read,
    reading,
)
from arena.errors import ConfigError
from arena.words import printable

if TYPE_CHECKING:
    from arena.store import Store
    from arena.telling.replay import Replay, Viewer
    from arena.terminal.exchanges import Exchanges
    from arena.terminal.text import TableFormat

CAPSULE_BYTES_MAX = 100_000_000


@cli.command()
@click.argument("match", metavar="MATCH", shell_complete=completion.matches)
@click.argument(
    "folder",
    metavar="[DIR]",
    required=False,
    type=click.Path(path_type=Path),
    shell_complete=completion.folders,
)
@bot_option("--as", "viewer", "BOT|spectator", "Show only what this bot, or a spectator, knew.")
@click.option(
    "--round", "--hand", "round_number", metavar="N", type=WholeNumber(), help="Only this round or hand."
)
@click.option("--from", "first", metavar="N", type=WholeNumber(), help="From this step on.")
@click.option("--to", "last", metavar="N", type=WholeNumber(), help="Up to this step.")
@click.option(
    "--logs", "has_logs", is_flag=True, help="With --as BOT: what it was asked, answered and printed."
)
@game_option
@reading
def replay(
    match: str,
    folder: Path | None,
    viewer: str | None,
    round_number: int | None,
    first: int | None,
    last: int | None,
    has_logs: bool,
    game: str | None,
    form: TableFormat,
    color: str | None,
) -> None:
    """Tell a match step by step, with all hands.

    MATCH is the beginning of its id (`arena matches` lists them), or the path of a capsule, whose
    evidence is shown too.  Without DIR it is looked for in results/latest, then in all of results/.
    --json gives state, options and moves of every step, --csv a row for every move.  With --logs each move
    of the bot is followed by its question, its answer, the time and its output; long questions are cut on a
    terminal, and whole in a pipe and with --json.

    \b
    Examples:
      arena replay 3f0a --as odds
      arena replay 3f0a --as mybot --logs --from 10
      arena replay 3f0a --hand 12
      arena replay 3f0a --from 10 --to 20
    """
    from arena.store import RESULTS
    from arena.telling.replay import replay_of, viewer_of
    from arena.telling.story import StoryPart
    from arena.terminal.inks import inks_for
    from arena.terminal.match import STEP_COLUMNS, retold, step_rows, steps_json
    from arena.terminal.text import as_json, as_table, columns_of, out, say
    from arena.tournament.folder.stored import stored_game

    inks, part = inks_for(color), StoryPart(round_number, first, last)
    if form is not None and not part.is_all:
        raise ConfigError(f"--{form} prints the whole match: leave out --round, --hand, --from and --to")
    if has_logs and viewer in (None, "spectator"):
        raise ConfigError("--logs shows one bot's side: name it with --as BOT")
    if has_logs and form == "csv":
        raise ConfigError("--logs has no --csv: use --json, or leave it out")
    capsule, searched = capsule_at(match), ""
    if capsule is not None:
        match, home = capsule.name.partition("-")[0], capsule.absolute().parent.parent
        folder = home if (home / "arena.db").is_file() else folder
    if folder is None:
        folder, searched = folder_with(match), f"{RESULTS}/"
    with opened_to_read(folder) as store:
        found = store.match(match, searched=searched)
        if viewer is not None:
            viewer = store.names.bot(viewer)
        if form is None and not has_logs:  # of a log, the file is called as the bot is
            found, viewer = store.names.shown((found, viewer))
        played = replay_of(store, found, stored_game(store, game, found))
        seen_by = viewer_of(played.match, viewer)
        exchanges = _exchanges(store, played, seen_by) if has_logs else None
        if form == "json":
            out(as_json(steps_json(played, seen_by, exchanges)))
        elif form == "csv":
            out(as_table(STEP_COLUMNS, step_rows(played, seen_by), form))
        else:
            out("\n".join(retold(played, seen_by, part, columns_of(sys.stdout), inks, exchanges)), inks)
            if capsule is not None and viewer is None:
                out(_evidence(capsule))
        if exchanges is not None and not exchanges.is_recorded:
            say(f"to keep what it says: arena run --debug {printable(shlex.quote(str(seen_by.name)))} …")
        complained(store)  # this match is sound, or it would not have been told


def _exchanges(store: Store, played: Replay, viewer: Viewer) -> Exchanges:
    """What the bot was asked, answered and printed in the match, as far as that was kept."""
    from arena.terminal.exchanges import exchanges_of
    from arena.tournament.folder.stored import stored_plan
    from arena.tournament.plan import control_of
    from arena.tournament.play.conversations import conversation_in

    assert viewer.seat is not None, "a bot, which --logs asks for"
    said = conversation_in(store.folder, str(viewer.name), played.match.match_id)
    control = control_of(stored_plan(store.folder), connecting=False)
    move_s = control.move_s if control.bank_s is None else None
    return exchanges_of(played, viewer.seat, said, move_s, store.folder)


def _evidence(capsule: Path) -> str:
    import json

    from arena.reading.strict import read_regular
    from arena.terminal.text import capsule_lines

    try:
        said = read_regular(capsule, CAPSULE_BYTES_MAX).decode()
        return "\n".join(["", *capsule_lines([json.loads(line) for line in said.splitlines()])])
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ConfigError(f"{capsule} is not a capsule: {error}") from None
