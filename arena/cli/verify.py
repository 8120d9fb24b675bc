"""`arena verify`: proves that a folder's results follow from its seeds and moves."""

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
    from collections.abc import Callable, Iterable, Mapping

    from arena.match.game import Game
    from arena.store import Store
    from arena.tournament.play.stopping import StopRule
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
    """Check that all results of a folder follow from seeds and moves.

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
    from arena.cli.runs.closing import resume_command
    from arena.cli.runs.compare import META
    from arena.reading.units import unexpected
    from arena.terminal.text import as_json as json_of
    from arena.terminal.text import out, say

    if seal and not re.fullmatch("[0-9A-Fa-f]{64}", seal):
        raise ConfigError(f"--seal: {unexpected(seal, 'the 64 hexadecimal digits that --commit printed')}")
    _check_has_database(folder)
    with opened_to_read(folder) as sound:
        verified, untruth = _verified(sound, game, seal.lower())
    if as_json:
        out(json_of(_as_values(folder, verified, untruth)))
    elif untruth is None:
        out(_said(verified))
    else:
        by = f" by the rules of {verified.rules}" if verified.rules else ""
        out(f"not verified{by}: {untruth}")
    if not as_json:
        for note in verified.notes:
            say(note)
        planned = verified.planned
        if planned is not None and not (verified.is_complete or planned.course.kind.is_endless):
            command = "arena compare" if META in verified.meta else "arena run"
            say(f"to continue: {resume_command(command, folder)}")
    return DONE if untruth is None else UNTRUE


def _check_has_database(folder: Path) -> None:
    """Raises ConfigError if a folder has only tables, as people hand them on."""
    from arena.store import DATABASE
    from arena.store.files import TABLE_FILES

    tables = [name for name in TABLE_FILES if (folder / name).is_file()]
    if tables and not (folder / DATABASE).exists():
        raise ConfigError(
            f"{folder} has {tables[0]} but no {DATABASE}, which holds seeds and moves, and without it "
            f"nothing can be verified: name the folder that `arena run` wrote, or ask for its {DATABASE}"
        )


def _verified(sound: Store, word: str | None, seal: str) -> tuple[Folder, Untruth | None]:
    """The folder as it was read, and the first untruth; `sound`: its sound part; `seal`: as published."""
    from arena.store import Store
    from arena.tournament.folder.stored import stored_game
    from arena.verify.checks import Folder, first_untruth
    from arena.verify.stored_record import check_record

    if sound.holds_tables():
        raise ConfigError(
            f"{sound.folder} holds the matches of a server's tables, of which nothing is verified: that "
            "takes a tournament, with a plan and a seed from which all follows; "
            f"`arena replay MATCH {sound.folder}` plays one of them again from its moves"
        )
    meta = sound.meta()
    check_record(sound.folder, meta)
    game = stored_game(sound, word)
    rule, conclusion = _stop_rule(sound.folder, meta, game)
    with Store.unchecked(sound.folder) as store:
        folder = Folder(
            store,
            game,
            meta,
            rule,
            sound.damage,
            published=seal,
            conclusion=conclusion,
            rules=_other_rules(meta, word),
        )
        return folder, first_untruth(folder)


def _stop_rule(
    folder: Path, meta: Mapping[str, Any], game: Game[Any, Any]
) -> tuple[StopRule | None, Callable[[], Iterable[str]]]:
    """The rule that may have stopped the run, of `--until` or a comparison, and what it concludes."""
    from arena.cli.runs.compare import kept_comparison
    from arena.cli.runs.until import kept_goal
    from arena.terminal.verdict import told

    try:
        if (comparison := kept_comparison(meta, game)) is not None:
            return comparison, lambda: told(comparison.outcome, comparison.question)
        if (until := kept_goal(meta, game)) is not None:
            return until, lambda: [until.conclusion()]
    except (AttributeError, KeyError, TypeError, ValueError):  # no arena wrote it
        raise ConfigError(
            f"{folder}: nothing can be verified, as arena.db does not say what was asked of the run"
        ) from None
    return None, tuple


def _other_rules(meta: Mapping[str, Any], word: str | None) -> str:
    """The rules that were named, in words; empty if they are from the very files that were played with."""
    from arena.tournament.bots.game_source import find_game
    from arena.tournament.folder.stored import ORIGIN

    origin, kept = None if word is None else find_game(word).origin, meta.get(ORIGIN)
    kept = kept if isinstance(kept, dict) else {}
    if origin is None or origin.fingerprint == kept.get("fingerprint"):
        return ""
    if str(origin.file) == kept.get("file"):
        return f"{origin.file.name}, which has changed since the matches were played"
    return f"{origin.file.name}, which is another file than the one that the matches were played with"


def _said(folder: Folder) -> str:
    tally = folder.tally
    parts = [counted(tally.matches, "match"), counted(tally.moves, "move")]
    if tally.draws:
        parts.append(f"{counted(tally.draws, 'draw')} of chance")
    if tally.faults:
        parts.append(counted(tally.faults, "fault"))
    verified = "verified" if folder.is_complete else "verified as far as it is"
    by = f" by the rules of {folder.rules}" if folder.rules else ""
    return f"{verified}{by}: {', '.join(parts)}: every result follows from its moves ({PROVES})"


def _as_values(folder: Path, verified: Folder, untruth: Untruth | None) -> dict[str, Any]:
    import attrs

    return {
        "folder": str(folder),
        "verified": untruth is None,
        "complete": verified.is_complete,
        **attrs.asdict(verified.tally),
        "other_rules": verified.rules,
        "untruth": None if untruth is None else attrs.asdict(untruth),
        "notes": verified.notes,
        "proves": PROVES,
    }
