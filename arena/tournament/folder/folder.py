"""Opens a results folder for a run, if the folder is the arena's and the plan fits."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.intervals import bound_of
from arena.errors import ELSEWHERE, START_OVER, ConfigError, DiskFull
from arena.match.game import Game
from arena.reading.units import shown
from arena.schedule import ORDER, SEEDING
from arena.schedule.roster import Roster
from arena.store import DATABASE, Damage, Store, erase, holds_tournament, mended, store_lock
from arena.store.files import made_new, open_database, sentences
from arena.store.foreign import check_folder
from arena.store.schema import APPLICATION_ID
from arena.tournament.bots.game_source import as_kept
from arena.tournament.folder.fresh import (
    ASIDE,
    TABLE_FILES,
    forget_aside,
    has_matches,
    is_damage,
    put_aside,
    put_back,
    remove_made,
    settle_folder,
)
from arena.tournament.folder.latest import point_latest
from arena.tournament.folder.membership import OTHERWISE, Membership, membership, roster_of
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import SEAL, Seal, is_sealed, opening_of, seal_for, seal_of, show_seal
from arena.tournament.folder.stored import DECISIONS, ORIGIN, stored_form
from arena.tournament.plan import (
    Plan,
    allocation_of,
    differences,
    format_of,
    identity,
    join_refusal,
    seed_refusal,
)
from arena.tournament.prepare import Tournament


@contextmanager
def seen_there(tournament: Tournament) -> Iterator[Run | None]:
    """The folder as a run would find it, only to be read; None if it holds no match.

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
        yield _opened(tournament, store, {}, store.damage)


def refuse_guessable(tournament: Tournament, *, fresh: bool) -> None:
    """Raises ConfigError if bots would connect to a tournament that begins with a seed they can guess."""
    folder = tournament.folder
    goes_on = not fresh and (has_matches(folder) or (folder / ASIDE).exists())
    if not goes_on and (reason := seed_refusal(tournament.plan)):
        raise ConfigError(reason)


@contextmanager
def open_run(tournament: Tournament, *, fresh: bool) -> Iterator[Run]:
    """The results folder, locked and open for writing, and all that a run needs.

    Raises ConfigError if the folder belongs to another plan or to somebody else, or its bots have changed;
    nothing is overwritten then, nor if the run ends before `begin`.  If a mistake ends it before, a folder
    that was made here is removed, unless the bots' logs say something, or tokens may have been sent.
    """
    folder = tournament.folder
    _check_ours(folder)  # before the lock, which is a file too
    refuse_guessable(tournament, fresh=fresh)
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    with _locked(tournament) as tournament:
        folder = tournament.folder
        made_here = [folder, *missing[1:]] if tournament.is_named_by_time else missing
        settle_folder(folder)
        tokens = _stored_tokens(folder)
        damage = None if fresh else mended(folder)
        run: Run | None = None
        old = put_aside(folder) if fresh else {}
        try:
            is_new = not has_matches(folder)
            opened = _created(tournament, tokens) if is_new else _continued(tournament)
            with opened as store:
                run = _opened(tournament, store, store.meta()["tokens"], damage)
                run.when_begun.extend(
                    [
                        partial(store.set_meta, "plan", stored_form(run.plan, folder)),
                        partial(forget_aside, folder, old),
                        partial(show_seal, store),
                        partial(point_latest, folder),
                    ]
                )
                yield run
        except ConfigError as error:
            if made_here and not (run and run.has_begun) and not tournament.plan.remote:
                remove_made(folder, made_here)
                if isinstance(error, DiskFull) and not folder.exists():  # it says how to continue
                    raise DiskFull(f"the disk is full: make room for {folder}; nothing was played") from error
            raise
        finally:
            if fresh and not (run and run.has_begun):
                put_back(folder)


@contextmanager
def _locked(tournament: Tournament) -> Iterator[Tournament]:
    """Holds the folder of the tournament, or, if nobody named it, the first one with a free name."""
    if tournament.is_named_by_time:
        tournament = attrs.evolve(tournament, folder=made_new(tournament.folder))
    with store_lock(tournament.folder):
        yield tournament


def _opened(tournament: Tournament, store: Store, tokens: Mapping[str, str], damage: Damage | None) -> Run:
    """The run in an open folder; `tokens`: name -> token, of the bots that may connect with one."""
    plan = plan_as_begun(tournament.plan, store.meta()["identity"])
    members = _members(attrs.evolve(tournament, plan=plan), store)
    return Run(
        plan=plan,
        game=tournament.game,
        entrants=members.entrants,
        roster=members.roster,
        renewed=members.renewed,
        tokens={tokens[name]: name for name in tournament.plan.remote if name in tokens},
        capacity=tournament.capacity,
        workers=tournament.workers,
        folder=tournament.folder,
        store=store,
        only=tournament.only,
        stop_at_fault=tournament.stop_at_fault,
        stop_rule=tournament.stop_rule,
        damage=damage,
    )


def _created(tournament: Tournament, tokens: Mapping[str, str]) -> Store:
    """A new store, in place of any that a run left which ended before its first match.

    The old one's seal, which may have been published, stays if this is the tournament that was sealed.
    """
    plan = attrs.evolve(tournament.plan, allocate=allocation_of(tournament.plan))
    before = _seal_there(tournament.folder)
    seal = before if before and is_sealed(before, plan.seed, identity(plan, tournament.game)) else None
    if seal is not None:
        plan = attrs.evolve(plan, seed=opening_of(seal).seed)
    if plan.seed is None:
        plan = attrs.evolve(plan, seed=secrets.randbits(128))
    if holds_tournament(tournament.folder):
        erase(tournament.folder)
    assert plan.seed is not None, "it was given, or drawn"
    meta = {
        "identity": identity(plan, tournament.game),
        "plan": stored_form(plan, tournament.folder),
        "game_version": tournament.game.version,
        "tokens": _tokens(plan, tokens),
        DECISIONS: [plan.decisions],
        **scale_of(tournament.game, tournament.plan),
        **_kept_origin(tournament),
    }
    if seal is None and (tournament.commit or before):
        seal = seal_for(plan.seed, meta["plan"], meta["identity"], tournament.entrants)
    if seal is not None:
        meta[SEAL] = attrs.asdict(seal)
    return Store.create(tournament.folder, meta=meta)


def _seal_there(folder: Path) -> Seal | None:
    if not holds_tournament(folder):
        return None
    with Store.open(folder) as store:
        return seal_of(store)


def _continued(tournament: Tournament) -> Store:
    """The store of a folder that has matches.  Raises ConfigError if they belong to another plan."""
    store = Store.open(tournament.folder, write=True)
    try:
        _check_continues(tournament, store)
        if seal_of(store) is None and tournament.commit:
            raise ConfigError(
                f"{tournament.folder} began without a seal, and what has begun cannot be sealed any more: "
                "leave commit out",
                hints=OTHERWISE,
            )
        meta, chosen = store.meta(), tournament.plan.decisions
        store.set_meta("tokens", _tokens(tournament.plan, meta["tokens"]))
        if chosen not in meta[DECISIONS]:
            store.set_meta(DECISIONS, [*meta[DECISIONS], chosen])
        for key, value in _kept_origin(tournament).items():  # the game's file may have been moved
            store.set_meta(key, value)
    except BaseException:
        store.close()
        raise
    return store


def _check_continues(tournament: Tournament, store: Store) -> None:
    """Raises ConfigError if the matches of the store are of another plan, or of bots that have changed."""
    folder, plan = tournament.folder, tournament.plan
    meta = store.meta()
    check_ways(folder, meta["identity"])
    if changed := plan_changes(plan, tournament.game, meta["identity"]):
        raise ConfigError(f"{folder} belongs to another plan: {'; '.join(changed)}", hints=OTHERWISE)
    if reason := join_refusal(plan, int(meta["identity"]["seed"])):
        raise ConfigError(f"{folder}: {reason}", hints=OTHERWISE)
    if plan.until is None and meta["identity"]["allocate"] == "open":
        raise ConfigError(
            f"{folder} gave its matches to the bots whose order its goal left open, and cannot do without: "
            "set until to the same goal again",
            hints=OTHERWISE,
        )
    _check_same_game(tournament, meta.get(ORIGIN, {}))
    series = meta["plan"]["series"]
    if plan.series < series:
        why = f"{folder} has {series} series, which cannot become {plan.series}"
        raise ConfigError(why, hints=OTHERWISE)


def _members(tournament: Tournament, store: Store) -> Membership:
    """Who takes part.  Raises ConfigError if the folder cannot be continued with these bots."""
    bots, finished = store.bots(), len(store.finished())
    return membership(
        tournament.plan,
        tournament.entrants,
        tournament.wishes,
        roster_of(store.meta()) if finished else Roster(),
        bots,
        matches=finished,
        where=str(tournament.folder),
    )


def plan_as_begun(plan: Plan, kept: Mapping[str, Any]) -> Plan:
    """The plan with the seed and allocation that were decided when the folder, of identity `kept`, began."""
    return attrs.evolve(plan, seed=int(kept["seed"]), allocate=kept["allocate"])


def plan_changes(plan: Plan, game: Game[Any, Any], kept: Mapping[str, Any]) -> list[str]:
    """What this plan would change about the matches of the folder whose identity is `kept`, in words."""
    return differences(kept, identity(plan, game))


def check_ways(folder: Path, kept: Mapping[str, Any]) -> None:
    """Raises ConfigError if the folder whose identity is `kept` draws or orders its matches in another way.

    A folder without the number of a way is from the time of the first one, which was not kept.
    """
    for key, ours, told in (
        ("seeding", SEEDING, "draws its matches in way"),
        ("order", ORDER, "plays its matches in order"),
    ):
        if (way := kept.get(key, 1)) != ours:
            raise ConfigError(
                f"{folder} {told} {shown(way)}, and this arena in {ours}: use the version of the arena that "
                "began it",
                hints=(START_OVER,),
            )


def _tokens(plan: Plan, known: Mapping[str, str]) -> dict[str, str]:
    """Name -> token, for all entrants that connect with one; tokens known before stay the same."""
    return {**known, **{name: known.get(name) or secrets.token_hex(16) for name in plan.remote}}


def scale_of(game: Game[Any, Any], plan: Plan) -> dict[str, Any]:
    """What the leaderboard, which sees only the store, must know of game and format."""
    reach = game.returns_reach(plan.seats)
    return {
        "rated_by": game.rated_by,
        "returns_bound": reach and bound_of(reach),
        "returns_unit": list(game.returns_unit),
        "adjusts_luck": game.adjusts_luck,
        "ranked_by": format_of(plan).ranked_by,
    }


def _kept_origin(tournament: Tournament) -> dict[str, Any]:
    """The store's entry for the origin of a game that is not built in, for those who replay its matches."""
    return {} if tournament.origin is None else {ORIGIN: as_kept(tournament.origin)}


def _check_same_game(tournament: Tournament, kept: Mapping[str, str]) -> None:
    """Raises ConfigError if the game's files have changed, whatever its version says."""
    origin = tournament.origin
    if origin is not None and origin.fingerprint != kept.get("fingerprint"):
        raise ConfigError(
            f"{tournament.folder}: {origin.module or origin.file.name} has changed since its matches were "
            "played",
            hints=OTHERWISE,
        )


def _stored_tokens(folder: Path) -> dict[str, str]:
    try:
        with Store.open(folder) as store:
            tokens: dict[str, str] = store.meta().get("tokens", {})
    except ConfigError:  # nothing there, or nothing that can be read
        return {}
    return tokens


def _check_ours(folder: Path) -> None:
    """Raises ConfigError if the run would overwrite files that are not ours, or read what no run wrote."""
    check_folder(folder)
    if _application_of(folder) not in (None, APPLICATION_ID):
        raise ConfigError(f"{folder / DATABASE} is not a database of the arena", hints=(ELSEWHERE,))
    _check_no_tables(folder)
    if not (folder / DATABASE).exists():
        tables = [name for name in TABLE_FILES if (folder / name).exists()]
        if tables:
            raise ConfigError(
                f"{folder} holds {tables[0]} but no {DATABASE}, so the arena will not overwrite it",
                hints=(ELSEWHERE,),
            )


def _check_no_tables(folder: Path) -> None:
    """Raises ConfigError if a server keeps its tables' matches in the folder: they cannot be played again."""
    try:
        with Store.unchecked(folder) as store:
            holds_tables = store.holds_tables()
    except ConfigError:  # nothing there, or nothing that can be read
        return
    if holds_tables:
        raise ConfigError(f"{folder} holds the matches of a server's tables", hints=(ELSEWHERE,))


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
        if is_damage(error):
            return None
        raise
