"""Opens a results folder for a run, if the folder is the arena's and the plan fits."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from arena.analysis.intervals import bound_of
from arena.errors import START_OVER, ConfigError, DiskFull
from arena.match.game import Game
from arena.reading.units import shown
from arena.schedule import ORDER, SEEDING
from arena.schedule.roster import Roster
from arena.store import Damage, Store, erase, mended, store_lock
from arena.store.files import made_new
from arena.tournament.bots.game_source import as_kept
from arena.tournament.folder.contents import (
    FolderContents,
    contents_of,
    put_aside,
    recover,
    remove_made,
    settle_folder,
)
from arena.tournament.folder.latest import point_latest
from arena.tournament.folder.membership import OTHERWISE, membership, roster_of
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import SEAL, is_sealed, opening_of, seal_for, seal_in, show_seal
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
from arena.tournament.tournament import Tournament


@contextmanager
def seen_there(tournament: Tournament) -> Iterator[Run | None]:
    """The folder as a run would find it, only to be read; None if it holds no match, or starts over.

    What a killed fresh start put aside is put back before.
    Raises ConfigError if it belongs to another plan.
    """
    _contents_to_use(tournament)
    if not tournament.fresh:
        recover(tournament.folder)
    if tournament.fresh or contents_of(tournament.folder).is_empty:
        yield None
        return
    with Store.checked(tournament.folder) as store:
        if not store.size():
            yield None
            return
        _check_continues(tournament, store.meta())
        yield _opened(tournament, store, {}, store.damage)


@contextmanager
def open_run(tournament: Tournament) -> Iterator[Run]:
    """The results folder, locked and open for writing, and all that a run needs.

    Raises ConfigError if the folder belongs to another plan or to somebody else, or its bots have changed;
    nothing is overwritten then, nor if the run ends before `begin`.  If a mistake ends it before, a folder
    that was made here is removed, unless the bots' logs say something, or tokens may have been sent.
    """
    folder = tournament.folder
    _contents_to_use(tournament)  # before the lock, which is a file too
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    with _locked(tournament) as tournament:
        folder = tournament.folder
        made_here = [folder, *missing[1:]] if tournament.is_named_by_time else missing
        settle_folder(folder)
        damage = None if tournament.fresh else mended(folder)
        before = contents_of(folder)
        run: Run | None = None
        try:
            with (
                put_aside(folder, before) if tournament.fresh else nullcontext(bool) as forget_old,
                _store_for(tournament, before) as store,
            ):
                run = _opened(tournament, store, store.meta()["tokens"], damage)
                run.when_begun.extend(
                    [
                        partial(store.set_meta, "plan", stored_form(run.plan, folder)),
                        forget_old,
                        partial(show_seal, store),
                    ]
                )
                if not format_of(run.plan).is_endless:  # a league is no run of whoever serves it
                    run.when_begun.append(partial(point_latest, folder))
                yield run
        except ConfigError as error:
            if made_here and not (run and run.has_begun) and not tournament.plan.remote:
                remove_made(folder, made_here)
                if isinstance(error, DiskFull) and not folder.exists():  # it says how to continue
                    raise DiskFull(f"the disk is full: make room for {folder}; nothing was played") from error
            raise


def _contents_to_use(tournament: Tournament) -> FolderContents:
    """What the folder holds.

    Raises ConfigError if it is somebody else's, or if a tournament would begin there with a seed that bots
    which connect can guess.
    """
    contents = contents_of(tournament.folder)
    if not tournament.fresh and contents.problem and contents.problem.__cause__ is None:
        raise contents.problem  # of another version: there is nothing to mend, and no lock is left there
    goes_on = not tournament.fresh and (contents.matches or contents.is_aside)
    if not goes_on and (reason := seed_refusal(tournament.plan)):
        raise ConfigError(reason)
    return contents


@contextmanager
def _locked(tournament: Tournament) -> Iterator[Tournament]:
    """Holds the folder of the tournament, or, if nobody named it, the first one with a free name."""
    if tournament.is_named_by_time:
        tournament = attrs.evolve(tournament, folder=made_new(tournament.folder))
    with store_lock(tournament.folder):
        yield tournament


def _store_for(tournament: Tournament, before: FolderContents) -> Store:
    """The store to play in: that of the folder, or a new one if no match was played there."""
    if not tournament.fresh and before.readable().matches:
        return _continued(tournament)
    return _created(tournament, before)


def _opened(tournament: Tournament, store: Store, tokens: Mapping[str, str], damage: Damage | None) -> Run:
    """The run in an open folder; `tokens`: name -> token, of the bots that may connect with one.

    Raises ConfigError if the folder cannot be continued with these bots.
    """
    meta, matches = store.meta(), store.size()
    plan = plan_as_begun(tournament.plan, meta["identity"])
    members = membership(
        plan,
        tournament.entrants,
        tournament.wishes,
        roster_of(meta) if matches else Roster(),
        store.bots(),
        matches=matches,
        where=str(tournament.folder),
    )
    same = attrs.asdict(tournament, recurse=False)
    return Run(
        **same | {"plan": plan, "entrants": members.entrants},
        store=store,
        tokens={tokens[name]: name for name in plan.remote if name in tokens},
        roster=members.roster,
        renewed=members.renewed,
        damage=damage,
    )


def _created(tournament: Tournament, before: FolderContents) -> Store:
    """A new store, in place of any that a run left which ended before its first match.

    The old one's seal, which may have been published, stays if this is the tournament that was sealed.
    """
    folder, game = tournament.folder, tournament.game
    plan = attrs.evolve(tournament.plan, allocate=allocation_of(tournament.plan))
    left = None if tournament.fresh else seal_in(before.meta, folder)
    seal = left if left and is_sealed(left, plan.seed, identity(plan, game)) else None
    seed = plan.seed if seal is None else opening_of(seal).seed
    plan = attrs.evolve(plan, seed=secrets.randbits(128) if seed is None else seed)
    if before.meta and not tournament.fresh:
        erase(folder)
    assert plan.seed is not None, "it was given, or drawn"
    meta = {
        "identity": identity(plan, game),
        "plan": stored_form(plan, folder),
        "game_version": game.version,
        "tokens": _tokens(plan, before.meta.get("tokens", {})),
        DECISIONS: [plan.decisions],
        **scale_of(game, plan),
        **_kept_origin(tournament),
    }
    if seal is None and (tournament.commit or left):
        seal = seal_for(plan.seed, meta["plan"], meta["identity"], tournament.entrants)
    if seal is not None:
        meta[SEAL] = attrs.asdict(seal)
    return Store.create(folder, meta=meta)


def _continued(tournament: Tournament) -> Store:
    """The store of a folder that has matches.  Raises ConfigError if they belong to another plan."""
    store = Store.open(tournament.folder, write=True)
    try:
        meta, plan = store.meta(), tournament.plan
        _check_continues(tournament, meta)
        if tournament.commit and seal_in(meta, tournament.folder) is None:
            raise ConfigError(
                f"{tournament.folder} began without a seal, and what has begun cannot be sealed any more: "
                "leave commit out",
                hints=OTHERWISE,
            )
        store.set_meta("tokens", _tokens(plan, meta["tokens"]))
        if plan.decisions not in meta[DECISIONS]:
            store.set_meta(DECISIONS, [*meta[DECISIONS], plan.decisions])
        for key, value in _kept_origin(tournament).items():  # the game's file may have been moved
            store.set_meta(key, value)
    except BaseException:
        store.close()
        raise
    return store


def _check_continues(tournament: Tournament, meta: Mapping[str, Any]) -> None:
    """Raises ConfigError if the matches of the store that keeps `meta` are of another plan."""
    folder, plan = tournament.folder, tournament.plan
    check_ways(folder, meta["identity"])
    if changed := differences(meta["identity"], identity(plan, tournament.game)):
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


def plan_as_begun(plan: Plan, kept: Mapping[str, Any]) -> Plan:
    """The plan with the seed and allocation that were decided when the folder, of identity `kept`, began."""
    return attrs.evolve(plan, seed=int(kept["seed"]), allocate=kept["allocate"])


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
