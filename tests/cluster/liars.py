"""What a lying Dask worker does, by the environment variable LIE: its `sitecustomize` imports this, and calls `lie`.

Whoever unpickles a `Trap` leaves a file in the folder MARKS, named after the process.
"""

from __future__ import annotations

import copyreg
import os
from pathlib import Path

TRAP = "(__import__('pathlib').Path({!r}) / str(__import__('os').getpid())).touch()"


def sprung():
    """What a pickle does that is a trap."""
    return eval, (TRAP.format(os.environ["MARKS"]),)


class Kind(type):
    """Of a class that is a trap itself, as Dask sends the types of results."""


copyreg.pickle(Kind, lambda kind: sprung())


class Trap(metaclass=Kind):
    def __reduce__(self):
        return sprung()


class TrapError(Exception):
    def __reduce__(self):
        return sprung()


def lie() -> None:
    """Has this process lie as it is told to."""
    kind = os.environ.get("LIE", "")
    if kind in ("returns a trap", "raises a trap"):
        _lie_to_dask(kind)
    elif kind:
        _lie_of_matches(LIES[kind])


def _lie_to_dask(kind: str) -> None:
    """Tasks return what is no bytes, serialized in another way than was asked, or fail; and events are told."""
    from distributed import Worker, get_worker

    from arena.cluster import answers

    honest, get_data = answers.in_bytes, Worker.get_data

    async def pickled(self, comm, keys, who=None, serializers=None):
        return await get_data(self, comm, keys, who, None)

    def in_bytes(act, *args):
        if act.__name__ != "play_orders":
            return honest(act, *args)
        get_worker().log_event("warn", {"category": _pickled(Trap), "message": _pickled(Trap())})
        get_worker().log_event("print", {"args": ("printed by a worker",)})
        if kind == "raises a trap":
            raise TrapError
        return Trap()

    in_bytes.__module__, in_bytes.__qualname__ = answers.__name__, "in_bytes"
    Worker.get_data, answers.in_bytes = pickled, in_bytes


def _pickled(value) -> bytes:
    import pickle

    return pickle.dumps(value)


def _lie_of_matches(change) -> None:
    """The worker's matches are told otherwise than they were played."""
    from arena.tournament.workers import serve

    honest, before = serve.record_said, []

    def record_said(entry):
        said = honest(entry)
        changed = change(said, before)
        before.append(said)
        return changed

    serve.record_said = record_said


def _ranks_swapped(said, before):
    said.ranks, said.returns, said.points = said.ranks[::-1], said.returns[::-1], said.points[::-1]
    return said


def _luck_invented(said, before):
    said.adjusted = said.adjusted[::-1]
    return said


def _move_invented(said, before):
    """The last move of a bot is another one: a bid that nobody made."""
    import zlib

    import msgspec

    turns = msgspec.json.decode(zlib.decompress(said.packed))
    turns[1][0][-1] = 5 if turns[1][0][-1] != 5 else 4
    said.packed = zlib.compress(msgspec.json.encode(turns))
    return said


def _another(said, before):
    return before[0] if before else said


def _time_invented(said, before):
    said.duration_s = 1e6
    return said


def _fault_counted(said, before):
    said.totals[0].faults = (1, *said.totals[0].faults[1:])
    return said


def _decisions_left_out(said, before):
    said.rows = ()
    return said


LIES = {
    "swaps ranks": _ranks_swapped,
    "invents luck": _luck_invented,
    "invents a move": _move_invented,
    "tells of another match": _another,
    "invents a time": _time_invented,
    "counts a fault": _fault_counted,
    "leaves decisions out": _decisions_left_out,
}


def liar_at(place: Path, kind: str) -> dict[str, str]:
    """The environment of a Dask worker that lies so."""
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_text("import liars\n\nliars.lie()\n")
    marks = place / "marks"
    marks.mkdir(exist_ok=True)
    return {"PYTHONPATH": f"{place}{os.pathsep}{Path(__file__).parent}", "LIE": kind, "MARKS": str(marks)}
