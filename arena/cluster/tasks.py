"""The functions that a run calls on Dask workers: as tasks, in threads of their own, or at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ParamSpec, TypeVar

import msgspec

from arena.box.demand import is_demand_known
from arena.cluster.homes import home_of, is_kept, keep_piece, locked, tidy_up
from arena.cluster.parcels import at_home_in
from arena.cluster.sessions import SESSIONS, TURNS, Session, SessionSaid
from arena.errors import ConfigError, is_full
from arena.players.entrant import Entrant
from arena.tournament.bots.fingerprints import fingerprint, needs_build
from arena.tournament.bots.game_source import as_kept, moved_to, origin_from
from arena.tournament.plan import capacity_of, plan_from
from arena.tournament.workers.messages import BeginWork, GameSaid, decoded, encoded
from arena.tournament.workers.serve import full_disk

GONE = SessionSaid(b"", "had forgotten this run")
GAME = ""
"""The key of the game's parcel among those of the bots, which have names."""

P = ParamSpec("P")
T = TypeVar("T")


def room_wanted(act: Callable[P, T]) -> Callable[P, T]:
    """Decorates a task that writes files: a full disk is reported with the name of its host."""

    @functools.wraps(act)
    def told(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return act(*args, **kwargs)
        except OSError as error:
            if not is_full(error):
                raise
            raise ConfigError(full_disk(error.filename)) from None

    return told


# Tasks.


@room_wanted
def open_session(id: str) -> SessionSaid:
    """Starts a worker of the arena; returns its first message."""
    from distributed import get_worker

    scratch = get_worker().local_directory  # Dask cleans up here after a worker that was killed
    session = SESSIONS[id] = Session(id, scratch)
    return session.fetch(one=True)


def missing_parcels(hashes: Sequence[str]) -> list[str]:
    """The hashes of the parcels that this host does not have."""
    tidy_up()
    return [hash for hash in hashes if not is_kept(hash)]


@room_wanted
def take_piece(id: str, hash: str, at: int, octets: bytes, whole: int) -> None:
    """Writes a piece of a parcel that a session needs."""
    keep_piece(hash, at, octets, whole, by=id)


@room_wanted
def begin_session(id: str, begin: bytes, parcels: Mapping[str, str], threads: int) -> SessionSaid:
    """Tells the worker what it is to play, with the files where this host has them; returns its answer.

    `parcels`: the hashes of the bots' parcels by bot, and of the game's.
    """
    try:
        session = SESSIONS[id]
    except KeyError:
        return GONE
    said: BeginWork = decoded(BeginWork).decode(begin)
    said.folder = str(session.folder)
    wanted = {bot: hash for bot, hash in parcels.items() if bot in said.playing or bot == GAME}
    with ExitStack() as until_ready:
        until_ready.enter_context(locked([*wanted.values()]))
        if GAME in wanted and said.game.origin is not None:
            home, lock = home_of(wanted[GAME], lambda home: True)
            session.locks.append(lock)
            origin = moved_to(origin_from(said.game.origin), home)
            said.game = GameSaid(said.game.name, said.game.version, as_kept(origin))
        entrants = []
        for entrant in said.entrants:
            if entrant.name in wanted:
                home, lock = home_of(wanted[entrant.name], functools.partial(_is_whole, entrant))
                session.locks.append(lock)
                entrant = at_home_in(entrant, home)
            entrants.append(entrant)
        said.entrants, said.tables = tuple(entrants), _tables(said, threads)
        if not any(map(needs_build, entrants)):
            until_ready.close()
        octets = encoded(said)
        session.say(len(octets).to_bytes(4, "big") + octets)
        return session.fetch(one=True)


def play_orders(id: str, octets: bytes, numbers: Sequence[int]) -> SessionSaid:
    """Plays orders; returns what the worker said meanwhile.  `octets`: the messages with these orders."""
    with TURNS.turn(id):
        try:
            session = SESSIONS[id]
        except KeyError:
            return GONE
        session.expect(numbers)
        session.say(octets)
        return session.fetch(numbers)


def close_session(id: str) -> tuple[SessionSaid, dict[str, bytes]]:
    """Waits until the worker is gone; returns its last messages, and the logs of its bots."""
    session = SESSIONS.pop(id, None)
    if session is None:
        return GONE, {}
    session.end()
    session.wait()
    return session.fetch(), session.clear_away()


# At once, in Dask's event loop.


def keep_session(id: str) -> bool:
    """Notes that the run is still there; returns whether the session is."""
    try:
        SESSIONS[id].touch()
    except KeyError:
        return False
    return True


def end_session(id: str) -> bool:
    """Has the worker end its bots and itself; returns at once whether there was a session."""
    try:
        SESSIONS[id].end()
    except KeyError:
        return False
    return True


# Helpers.


def _is_whole(entrant: Entrant, home: Path) -> bool:
    """Whether the bot's files in a home are as they came."""
    try:
        return fingerprint(at_home_in(entrant, home)) == entrant.fingerprint
    except ConfigError:
        return False


def _tables(said: BeginWork, threads: int) -> tuple[int, int, float]:
    """The tables that were asked for, or else those that a run has on a machine with this many cores."""
    plan = plan_from(msgspec.json.decode(said.plan), where="the plan", base=Path(said.folder))
    if plan.concurrency:
        return said.tables
    is_measured = is_demand_known() and not any(entrant.kind == "local" for entrant in said.entrants)
    capacity = capacity_of(plan, threads, is_measured=is_measured)
    return capacity.first, capacity.most, capacity.cores
