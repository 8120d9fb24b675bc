"""A results folder that a run may write to: whose it is, if its plan fits, what `--fresh` puts aside."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.tables import COLUMNS
from arena.errors import ConfigError
from arena.schedule import ORDERS, SEEDINGS, seed_in
from arena.schedule.roster import Roster
from arena.store import DATABASE, LOCK, Store, erase, holds_tournament, mended, store_lock
from arena.store.capsules import FOLDER as FAULTS
from arena.store.capsules import LEFT_OUT
from arena.store.files import code_of, made_new, open_database, sentences, sweep
from arena.store.schema import APPLICATION_ID
from arena.tournament.game_source import as_kept
from arena.tournament.latest import point_latest
from arena.tournament.logs import FOLDER as LOGS
from arena.tournament.membership import OTHERWISE, Membership, membership, roster_of
from arena.tournament.plan import Plan, differences, format_of, identity
from arena.tournament.prepare import Tournament
from arena.tournament.run import Run
from arena.tournament.stopping import StopRule
from arena.tournament.stored import ORIGIN, stored_form

ASIDE = f"{DATABASE}.before"
"""Where `--fresh` puts the database until play begins."""
_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps for one database."""
_TABLE_FILES = (*(f"{name}.csv" for name in COLUMNS), "report.html")


@contextmanager
def seen_there(tournament: Tournament, *, stop_rule: StopRule | None = None) -> Iterator[Run | None]:
    """The folder as a run would find it, to be looked at; None if it holds no match.  Nothing is written.

    Raises ConfigError if it belongs to another plan.
    """
    _check_ours(tournament.folder)
    if not holds_tournament(tournament.folder):
        yield None
        return
    with Store.checked(tournament.folder) as store:
        if not store.finished():
            yield None
            return
        _check_continues(tournament, store)
        yield _opened(tournament, store, {}, stop_rule=stop_rule, damage=store.damage)


# A folder to play into.


@contextmanager
def open_run(
    tournament: Tournament,
    *,
    fresh: bool,
    only: str | None = None,
    stop_at_fault: bool = False,
    stop_rule: StopRule | None = None,
) -> Iterator[Run]:
    """The results folder, locked and open for writing, and all that a run needs.

    Raises ConfigError if the folder belongs to another plan or to somebody else, or its bots have changed;
    nothing is overwritten then, nor if the run ends before `begin`.  A folder that is made here is removed
    if a mistake ends the run before, unless the bots' logs say something, or tokens may have been sent.
    """
    folder = tournament.folder
    _check_ours(folder)  # before the lock, which is a file too
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    with _locked(tournament) as tournament:
        folder = tournament.folder
        made_here = [folder, *missing[1:]] if tournament.is_named_by_time else missing
        _settle(folder)
        tokens = _stored_tokens(folder)
        damage = None if fresh else mended(folder)
        run: Run | None = None
        old = _put_aside(folder) if fresh else {}
        try:
            is_new = not _has_matches(folder)
            with _created(tournament, tokens) if is_new else _continued(tournament) as store:
                run = _opened(
                    tournament,
                    store,
                    store.meta()["tokens"],
                    only=only,
                    stop_at_fault=stop_at_fault,
                    stop_rule=stop_rule,
                    damage=damage,
                )
                keep_plan = partial(store.set_meta, "plan", stored_form(run.plan, folder))
                run.when_begun.extend(
                    [keep_plan, partial(_forget, folder, old), partial(point_latest, folder)]
                )
                yield run
        except ConfigError:
            if made_here and not (run and run.has_begun) and not tournament.plan.remote:
                _remove_made(folder, made_here)
            raise
        finally:
            if fresh and not (run and run.has_begun):
                _put_back(folder)


@contextmanager
def _locked(tournament: Tournament) -> Iterator[Tournament]:
    """Holds the folder of the tournament, or, if nobody named it, the first one with a free name."""
    if tournament.is_named_by_time:
        tournament = attrs.evolve(tournament, folder=made_new(tournament.folder))
    with store_lock(tournament.folder):
        yield tournament


def _opened(tournament: Tournament, store: Store, tokens: Mapping[str, str], **how: Any) -> Run:
    """`tokens`: name -> token, of those that may connect with one."""
    meta = store.meta()
    kept = meta["identity"]
    members = _members(tournament, store)
    plan = attrs.evolve(tournament.plan, seed=seed_in(ways_of(kept)["seeding"], int(kept["seed"])))
    return Run(
        plan=plan,
        game=tournament.game,
        entrants=members.entrants,
        roster=members.roster,
        renewed=members.renewed,
        tokens={tokens[name]: name for name in plan.remote if name in tokens},
        capacity=tournament.capacity,
        folder=tournament.folder,
        store=store,
        order=ways_of(kept)["order"],
        **how,
    )


def _created(tournament: Tournament, tokens: Mapping[str, str]) -> Store:
    """A new store, in place of one left by a run that ended before its first match."""
    plan = tournament.plan
    if plan.seed is None:
        plan = attrs.evolve(plan, seed=secrets.randbits(128))
    if holds_tournament(tournament.folder):
        erase(tournament.folder)
    meta = {
        "identity": identity(plan, tournament.game),
        "plan": stored_form(plan, tournament.folder),
        "game_version": tournament.game.version,
        "tokens": _tokens(plan, tokens),
        **_scale(tournament),
        **_kept_origin(tournament),
    }
    return Store.create(tournament.folder, meta=meta)


def _continued(tournament: Tournament) -> Store:
    """The store of a folder that has matches.  Raises ConfigError if they belong to another plan."""
    store = Store.open(tournament.folder, write=True)
    try:
        _check_continues(tournament, store)
        store.set_meta("tokens", _tokens(tournament.plan, store.meta()["tokens"]))
        # An older arena may not have kept them, and the game's file may have been moved.
        for key, value in {**_scale(tournament), **_kept_origin(tournament)}.items():
            store.set_meta(key, value)
    except BaseException:
        store.close()
        raise
    return store


def _check_continues(tournament: Tournament, store: Store) -> None:
    """Raises ConfigError if the matches of the store are of another plan, or of bots that have changed."""
    folder, plan = tournament.folder, tournament.plan
    meta = store.meta()
    kept = ways_of(meta["identity"])  # nobody chooses them: they stay what they were
    later = "which this arena does not know: continue with the newer one that began it, or"
    if kept["seeding"] not in SEEDINGS:
        raise ConfigError(f"{folder} draws its matches in way {kept['seeding']}, {later} {OTHERWISE}")
    if kept["order"] not in ORDERS:
        raise ConfigError(f"{folder} plays its matches in order {kept['order']}, {later} {OTHERWISE}")
    changed = differences(meta["identity"] | kept, identity(plan, tournament.game) | kept)
    if changed:
        raise ConfigError(f"{folder} belongs to another plan: {'; '.join(changed)}; {OTHERWISE}")
    _check_same_game(tournament, meta.get(ORIGIN, {}))
    before = meta["plan"]["series"]
    if plan.series < before:
        raise ConfigError(f"{folder} has {before} series, which cannot become {plan.series}; {OTHERWISE}")


def _members(tournament: Tournament, store: Store) -> Membership:
    """Who takes part.  Raises ConfigError if the folder cannot be continued with these bots."""
    bots, finished = store.bots(), len(store.finished())
    return membership(
        tournament.plan,
        tournament.entrants,
        tournament.wishes,
        roster_of(store.meta(), bots) if finished else Roster(),
        bots,
        matches=finished,
        where=str(tournament.folder),
    )


def ways_of(identity: Mapping[str, Any]) -> dict[str, int]:
    """How a folder's seeds are derived and its laps are ordered.

    Folders from before one of these was recorded use its first way.
    """
    return {key: int(identity.get(key, 1)) for key in ("seeding", "order")}


def _tokens(plan: Plan, known: Mapping[str, str]) -> dict[str, str]:
    """A token for every entrant that connects with one; those known before stay the same."""
    return {**known, **{name: known.get(name) or secrets.token_hex(16) for name in plan.remote}}


def _scale(tournament: Tournament) -> dict[str, Any]:
    """What the leaderboard must know of game and format; it sees only the store."""
    game = tournament.game
    return {
        "rated_by": game.rated_by,
        "returns_unit": list(game.returns_unit),
        "ranked_by": format_of(tournament.plan).ranked_by,
    }


def _kept_origin(tournament: Tournament) -> dict[str, Any]:
    """Where the game comes from, if it is not built in, for those who replay its matches."""
    return {} if tournament.origin is None else {ORIGIN: as_kept(tournament.origin)}


def _check_same_game(tournament: Tournament, kept: Mapping[str, str]) -> None:
    """Raises ConfigError if the game's files have changed, whatever its version says."""
    origin = tournament.origin
    if origin is not None and origin.fingerprint != kept.get("fingerprint"):
        raise ConfigError(
            f"{tournament.folder}: {origin.module or origin.file.name} has changed since its matches were "
            f"played; {OTHERWISE}"
        )


def _stored_tokens(folder: Path) -> dict[str, str]:
    try:
        with Store.open(folder) as store:
            tokens: dict[str, str] = store.meta().get("tokens", {})
    except ConfigError:  # nothing there, or nothing that can be read
        return {}
    return tokens


# Whose folder it is, and `--fresh`: old files are put aside, and come back unless play begins.


def _check_ours(folder: Path) -> None:
    """Raises ConfigError if the run would overwrite files that are not ours."""
    if _application_of(folder) not in (None, APPLICATION_ID):
        raise ConfigError(f"{folder / DATABASE} is not a database of the arena: choose another --out")
    _check_no_tables(folder)
    if not (folder / DATABASE).exists():
        tables = [name for name in _TABLE_FILES if (folder / name).exists()]
        if tables:
            raise ConfigError(
                f"{folder} holds {tables[0]} but no {DATABASE}, so the arena will not overwrite it: "
                "choose another --out"
            )


def _check_no_tables(folder: Path) -> None:
    """Raises ConfigError if a server keeps its tables' matches there: nobody could play them again."""
    try:
        with Store.unchecked(folder) as store:
            holds_tables = store.holds_tables()
    except ConfigError:  # nothing there, or nothing that can be read
        return
    if holds_tables:
        raise ConfigError(f"{folder} holds the matches of a server's tables: choose another --out")


def _application_of(folder: Path) -> int | None:
    """The application id of the database; None if there is none, or it is empty or damaged."""
    path = folder / DATABASE
    if not path.is_file():
        return None
    try:
        with sentences(path), closing(open_database(path, "rw")) as db:
            if not db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                return None
            return int(db.execute("PRAGMA application_id").fetchone()[0])
    except ConfigError as error:
        if _is_damage(error):
            return None
        raise


def _is_damage(error: ConfigError) -> bool:
    return code_of(error.__cause__) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _has_matches(folder: Path) -> bool:
    if not holds_tournament(folder):
        return False
    with Store.open(folder) as store:
        return bool(store.finished())


def _put_aside(folder: Path) -> dict[Path, int]:
    """Renames the database; gives the other files to be removed when play begins, each with its time.

    A file that is not a database, or is damaged, is renamed for good.
    """
    try:
        holds_tournament(folder)
    except ConfigError as error:
        if not _is_damage(error):
            raise
        _rename(folder, DATABASE, f"{DATABASE}.damaged")
        return {}
    _rename(folder, DATABASE, ASIDE)
    files = [folder / name for name in (*_TABLE_FILES, "run.json", "run.log", "bugs.log")]
    for pattern in (
        "logs/*-[0-9]*.log",
        "logs/*-build.log",
        f"{FAULTS}/{'[0-9a-f]' * 12}-*-*.jsonl",
        f"{FAULTS}/{LEFT_OUT}",
    ):
        files += folder.glob(pattern)
    return {path: path.stat().st_mtime_ns for path in files if path.is_file()}


def _forget(folder: Path, old: Mapping[Path, int]) -> None:
    """Removes what was put aside, and those of these files that have not changed since."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            (folder / f"{ASIDE}{suffix}").unlink(missing_ok=True)
        for path, time_ns in old.items():
            if path.is_file() and path.stat().st_mtime_ns == time_ns:
                path.unlink()


def _put_back(folder: Path) -> None:
    if (folder / ASIDE).exists():
        with sentences(folder):
            for suffix in _SUFFIXES:
                (folder / f"{DATABASE}{suffix}").unlink(missing_ok=True)
            _rename(folder, ASIDE, DATABASE)


def _remove_made(folder: Path, made_here: Sequence[Path]) -> None:
    """Removes a folder in which nothing happened, and those above it that were made for it.

    It is kept if some bot's log says why it could not play.
    """
    logs = list((folder / LOGS).glob("*.log"))
    if any(log.stat().st_size for log in logs):
        return
    with suppress(OSError):
        for log in logs:
            log.unlink()
        erase(folder)
        (folder / LOCK).unlink()
        if (folder / LOGS).is_dir():
            (folder / LOGS).rmdir()
        for path in made_here:
            path.rmdir()


def _settle(folder: Path) -> None:
    """Cleans up after a run that was killed during `--fresh`, or while it wrote a file."""
    for place in (folder, folder / FAULTS):
        sweep(place)
    if (folder / ASIDE).exists():
        if _has_matches(folder):
            _forget(folder, {})
        else:
            _put_back(folder)


def _rename(folder: Path, old: str, new: str) -> None:
    """Renames a database and the files that SQLite keeps beside it."""
    with sentences(folder):
        for suffix in _SUFFIXES:
            if (folder / f"{old}{suffix}").exists():
                (folder / f"{old}{suffix}").replace(folder / f"{new}{suffix}")
