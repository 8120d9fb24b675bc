"""The functions that a run has called on Dask workers: as tasks, in threads of their own, or at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import arena
from arena.cluster.parcels import at_home_in, cache, clear, unpack_into
from arena.cluster.sessions import SessionSaid, forget, new_session, session_of
from arena.tournament.workers.messages import BeginWork, decoded, encoded

GONE = SessionSaid(b"", "has forgotten this run")


def version_there() -> str:
    """Which arena a Dask worker has."""
    return arena.__version__


# Tasks.


def open_session(id: str) -> SessionSaid:
    """Starts a worker of the arena; gives its first words."""
    return new_session(id).fetch(one=True)


def missing_parcels(hashes: Sequence[str]) -> list[str]:
    """Those of these parcels that this host does not have."""
    return [hash for hash in hashes if not (cache() / hash).is_dir()]


def take_piece(hash: str, at: int, octets: bytes, whole: int) -> None:
    """Takes a part of a parcel; with the last one it is unpacked."""
    cache().mkdir(parents=True, exist_ok=True)
    packed = cache() / f"{hash}.{os.getpid()}.packed"
    with packed.open("ab" if at else "wb") as file:
        file.write(octets)
    if at + len(octets) == whole:
        new = cache() / f"{hash}.{os.getpid()}.new"
        clear(new)
        new.mkdir()
        unpack_into(new, packed.read_bytes())
        packed.unlink()
        if not (cache() / hash).is_dir():
            new.rename(cache() / hash)


def begin_session(id: str, begin: bytes, parcels: Mapping[str, str], threads: int) -> SessionSaid:
    """Has the worker hear what it is to play, with the bots' files as this host has them; gives its answer.

    `parcels`: the hashes of the bots' parcels.
    """
    session = session_of(id)
    said: BeginWork = decoded(BeginWork).decode(begin)
    entrants = tuple(
        at_home_in(entrant, cache() / parcels[entrant.name]) if entrant.name in parcels else entrant
        for entrant in said.entrants
    )
    said.entrants, said.folder = entrants, str(session.folder)
    octets = encoded(said)
    session.say(len(octets).to_bytes(4, "big") + octets)
    return session.fetch(one=True)


def play_orders(id: str, octets: bytes, numbers: Sequence[int]) -> SessionSaid:
    """Plays these orders, which are said in `octets`; gives what the worker said meanwhile."""
    try:
        session = session_of(id)
    except KeyError:
        return GONE
    session.expect(numbers)
    session.say(octets)
    return session.fetch(numbers)


def close_session(id: str) -> tuple[SessionSaid, dict[str, bytes]]:
    """Waits until the worker is gone; gives its last words, and the logs of its bots."""
    session = forget(id)
    if session is None:
        return GONE, {}
    session.end()
    session.wait()
    return session.fetch(), session.clear_away()


# At once, in Dask's event loop.


def keep_session(id: str) -> bool:
    """Says that the run is still there; gives whether the session is."""
    try:
        session_of(id).touch()
    except KeyError:
        return False
    return True


def end_session(id: str) -> bool:
    """Has the worker end its bots and itself; returns at once, with whether it was there."""
    try:
        session_of(id).end()
    except KeyError:
        return False
    return True


__all__ = [
    "begin_session",
    "close_session",
    "end_session",
    "keep_session",
    "missing_parcels",
    "open_session",
    "play_orders",
    "take_piece",
    "version_there",
]
