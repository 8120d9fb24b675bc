"""The command that proves a folder: `verify`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.group import DONE, cli
from arena.cli.reading import folder_argument, game_option, opened_to_read
from arena.errors import ConfigError
from arena.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.game import Game
    from arena.store import Store
    from arena.tournament.stopping import StopRule
    from arena.verify.checks import Folder
    from arena.verify.untruth import Untruth

UNTRUE = 1
"""The exit code if something is not true."""
PROVES = "this proves results from moves, not who made the moves"


@cli.command()
@folder_argument
@game_option
@click.option("--seal", metavar="HASH", default="", help="The seal, as it was published before play.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def verify(folder: Path, game: str | None, seal: str, as_json: bool) -> int:
    """Whether every result in a results folder follows from its seeds and moves.

    Every match is played again from its seed and its moves: what chance drew, whether moves were legal, what
    was played for bots that failed, ranks, returns and points.  Then the schedule: who played whom, with
    which seeds and in which seats, who is withdrawn, what counts.  Then the CSVs that are there.  Prints one
    line if all is true; otherwise the first thing that is not, with exit code 1.  It proves results from
    moves, not who made the moves.
    A run with --commit is compared with its seal.

    \b
    Examples:
      arena verify results/quickstart
      arena verify results/kuhn --game examples/kuhn.py
    """
    from arena.show.text import as_json as json_of
    from arena.show.text import out, say
    from arena.units import unexpected

    if seal and not re.fullmatch("[0-9A-Fa-f]{64}", seal):
        raise ConfigError(f"--seal: {unexpected(seal, 'the 64 hexadecimal digits that --commit printed')}")
    with opened_to_read(folder) as sound:
        verified, untruth = _verified(sound, game, seal.lower())
    if as_json:
        out(json_of(_as_values(folder, verified, untruth)))
    elif untruth is None:
        out(_said(verified))
    else:
        out(f"not verified: {untruth}")
    if not as_json:
        for note in verified.notes:
            say(note)
    return DONE if untruth is None else UNTRUE


def _verified(sound: Store, word: str | None, seal: str) -> tuple[Folder, Untruth | None]:
    """The folder as it is, and what is not true of it; `sound`: its sound part; `seal`: as published."""
    from arena.store import Store
    from arena.tournament.stored import stored_game
    from arena.verify.checks import Folder, first_untruth

    game, meta = stored_game(sound, word), sound.meta()
    with Store.unchecked(sound.folder) as store:
        folder = Folder(store, game, meta, _stop_rule(meta, game), sound.damage, published=seal)
        return folder, first_untruth(folder)


def _stop_rule(meta: Mapping[str, Any], game: Game[Any, Any]) -> StopRule | None:
    """What may have stopped the run: the goal of `--until`, or the question of a comparison."""
    from arena.cli.compare import kept_comparison
    from arena.cli.until import kept_goal

    return kept_comparison(meta, game) or kept_goal(meta, game)


def _said(folder: Folder) -> str:
    tally = folder.tally
    parts = [counted(tally.matches, "match"), counted(tally.moves, "move")]
    if tally.draws:
        parts.append(f"{counted(tally.draws, 'draw')} of chance")
    if tally.faults:
        parts.append(counted(tally.faults, "fault"))
    verified = "verified" if folder.is_complete else "verified as far as it is"
    return f"{verified}: {', '.join(parts)}: every result follows from its moves ({PROVES})"


def _as_values(folder: Path, verified: Folder, untruth: Untruth | None) -> dict[str, Any]:
    import attrs

    return {
        "folder": str(folder),
        "verified": untruth is None,
        "complete": verified.is_complete,
        **attrs.asdict(verified.tally),
        "untruth": None if untruth is None else attrs.asdict(untruth),
        "notes": verified.notes,
        "proves": PROVES,
    }
