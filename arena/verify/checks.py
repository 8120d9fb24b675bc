"""The checks of a results folder, in order: each yields what is not true, and the first untruth is told."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import attrs

from arena.errors import ConfigError
from arena.match.game import Game
from arena.schedule.collector import without_collector
from arena.store import Damage, Store
from arena.store.checksums import HANGING, stored_rows
from arena.store.files import DATABASE_ERRORS
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.folder.membership import roster_of
from arena.tournament.folder.seal import SEAL
from arena.tournament.folder.stored import DECISIONS
from arena.tournament.plan import format_of
from arena.tournament.play.stopping import StopRule
from arena.verify.ladder import ladder_untruths
from arena.verify.matches import MatchVerifier, Tally
from arena.verify.run_file import made_again, run_file_untruths
from arena.verify.schedule import (
    Planned,
    plan_untruths,
    planned_again,
    schedule_untruths,
    stored_run,
    told_of,
)
from arena.verify.sealed import seal_notes, seal_untruths
from arena.verify.tables import csv_untruths
from arena.verify.untruth import Untruth
from arena.words import counted

CONCLUSION = "conclusion"
"""The store's key for what the run came to."""
AT_ONCE = 256
"""How many matches are checked until their garbage is collected, without a search of all that is kept."""


@attrs.define
class Folder:
    """A results folder, open to be verified."""

    store: Store
    """The folder's store, read as it is, damaged or not."""
    game: Game[Any, Any]
    meta: Mapping[str, Any]
    rule: StopRule | None = None
    """The rule that may have stopped the run, as the folder keeps it."""
    damage: Damage | None = None
    """What in the database is not as it was written, by its checksums."""
    tally: Tally = attrs.field(factory=Tally)
    """What was found true so far."""
    published: str = ""
    """The seal as it was published before play; empty if that is not known."""
    conclusion: Callable[[], Iterable[str]] = tuple
    """Returns what the rule that may have stopped the run says about it, once it was told all that counts."""
    rules: str = ""
    """The rules that were named, in words; empty if they are the very ones that were played with."""
    planned: Planned | None = None
    """The tournament as it follows from its matches, once these are known to be true."""
    notes: list[str] = attrs.field(factory=list)
    """What people are told though nothing is untrue, such as that the run is unfinished."""

    @property
    def is_complete(self) -> bool:
        """Whether everything that was planned has been played, as far as is known by now."""
        return self.planned is not None and self.planned.is_complete


Check: TypeAlias = Callable[[Folder], Iterator[Untruth]]


def seal_check(folder: Folder) -> Iterator[Untruth]:
    """Checks that a sealed folder was played with the seed and on the terms that were sealed."""
    store, meta = folder.store, folder.meta
    yield from seal_untruths(store.folder, meta, folder.published)
    if SEAL in meta:
        roster = roster_of(meta)
        folder.notes.extend(seal_notes(meta, roster, len(store.finished()), folder.published))


def matches_check(folder: Folder) -> Iterator[Untruth]:
    """Checks that every match follows from its seed and its moves."""
    choices = folder.meta[DECISIONS]
    verifier = MatchVerifier(folder.game, int(folder.meta["identity"]["faults_max"]), folder.tally, choices)
    for place, (_, _, rows) in enumerate(stored_rows(folder.store.connection), 1):
        yield from verifier.untruths(rows)
        if rows.games:
            where = f"match {rows.match[0]}"
            yield Untruth(where, "games", "a game of its own", "none: the folder says which game it is")
        if place % AT_ONCE == 0:
            gc.collect(1)  # what a game may have dropped
    for table in HANGING:
        query = f"SELECT COUNT(*) FROM {table} WHERE match NOT IN (SELECT number FROM matches)"
        for (count,) in folder.store.rows(query):
            if count:
                yield Untruth("arena.db", table, f"{counted(count, 'row')} of no match", "none")


def schedule_check(folder: Folder) -> Iterator[Untruth]:
    """Checks that pairings, with their seeds and seats, follow from the plan and the results before."""
    run = stored_run(folder.store, folder.meta, folder.game, folder.rule)
    yield from plan_untruths(run, folder.meta)
    if not folder.tally.matches:
        folder.notes.append("no match has been played")
        return
    if format_of(run.plan).is_endless:
        ladder = LadderCourse(run.plan)
        yield from ladder_untruths(run, folder.meta, ladder)
        folder.planned = planned = Planned(run, ladder, tuple(ladder.open_matches))
    else:
        folder.planned = planned = planned_again(run)
    yield from schedule_untruths(planned, folder.meta)
    folder.notes.extend(told_of(planned))


def conclusion_check(folder: Folder) -> Iterator[Untruth]:
    """Checks what the run came to, in the words with which its report begins."""
    planned, kept = folder.planned, folder.meta.get(CONCLUSION)
    if planned is None or not planned.is_complete or kept is None:
        return  # it has not come to anything yet, or its run ended before it could say so
    if kept != (right := [*folder.conclusion()]):
        hint = f"another version of the arena may have worded it: {made_again(planned.run)} anew"
        yield Untruth("arena.db", CONCLUSION, _lines(kept), _lines(right), hint=hint)


def unchanged_check(folder: Folder) -> Iterator[Untruth]:
    """Checks that nothing was changed since it was written, not even times, which follow from nothing."""
    if folder.damage is not None:
        yield _damaged(folder.damage)


def tables_check(folder: Folder) -> Iterator[Untruth]:
    """Checks that the CSVs that are there say what follows from the matches."""
    yield from csv_untruths(folder.store, folder.notes)


def run_file_check(folder: Folder) -> Iterator[Untruth]:
    """Checks that `run.json` says what the database does."""
    planned = folder.planned
    run = stored_run(folder.store, folder.meta, folder.game, None) if planned is None else planned.run
    yield from run_file_untruths(run, folder.meta, planned, folder.notes)


CHECKS: tuple[Check, ...] = (
    seal_check,
    matches_check,
    schedule_check,
    conclusion_check,
    unchanged_check,
    run_file_check,
    tables_check,
)
"""All checks; a cause comes before what follows from it.  A new check has its place here."""


def first_untruth(folder: Folder) -> Untruth | None:
    """The first thing that is not true; None if everything is."""
    try:
        with folder.store.frozen(), without_collector():
            return next((untruth for check in CHECKS for untruth in check(folder)), None)
    except (ConfigError, *DATABASE_ERRORS):  # it cannot be read where it is damaged
        if folder.damage is None:
            raise
        return _damaged(folder.damage)


def _damaged(damage: Damage) -> Untruth:
    return Untruth(
        damage.path.name, "checksums", "something else than was written", "what was written", hint=str(damage)
    )


def _lines(said: object) -> str:
    lines = said if isinstance(said, list) else [said]
    return " ".join(map(str, lines)) or "nothing"
