"""Compares a folder's `run.json` with its database: plan, seed, roster, seal, whether the run is over.

What one call was (`arena`, `concurrency`, `workers`, `machine`, the times, `played`) follows from nothing,
and is not verified; but no call played more matches than there are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import attrs

from arena.reading.strict import read_regular
from arena.store.files import stamped_mark
from arena.tournament.folder.membership import ROSTER
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import told_of_seal
from arena.tournament.plan import is_guessable
from arena.verify.schedule import Planned
from arena.verify.untruth import Untruth, Untruths
from arena.words import counted, listed

RUN_FILE = "run.json"
NOT_CLAIMED = frozenset({"arena", "concurrency", "workers", "machine", "began_at", "ended_at", "played"})
"""The keys about one call of the arena, whose values nobody can compute again."""
STATUSES = ("finished", "stopped", "interrupted", "failed")
"""The ways in which a run may have ended."""

_BYTES_MAX = 10_000_000
_NOTHING = object()
"""Stands for a value that is missing, on either side."""


def run_file_untruths(
    run: Run, meta: Mapping[str, Any], planned: Planned | None, notes: list[str]
) -> Untruths:
    """Where `run.json` differs from the folder; `planned`: the tournament, if any match was played."""
    try:
        told = json.loads(read_regular(run.folder / RUN_FILE, _BYTES_MAX))
    except FileNotFoundError:
        notes.append(f"not there: {RUN_FILE}; {made_again(run)}")
        return
    except (OSError, ValueError, RecursionError) as error:
        yield Untruth(RUN_FILE, "JSON", str(error), "what the run wrote")
        return
    if not isinstance(told, dict):
        yield Untruth(RUN_FILE, "JSON", _shown(told), "an object")
        return
    is_older = stamped_mark(run.folder) not in (None, run.store.mark())
    hint = f"{RUN_FILE} is older than arena.db: {made_again(run)} anew" * is_older
    if untruth := _status_untruth(told.get("status", _NOTHING), planned):
        yield attrs.evolve(untruth, hint=hint)
    played, matches = told.get("played", _NOTHING), run.store.size()
    if type(played) is not int or not 0 <= played <= matches:
        yield Untruth(RUN_FILE, "played", _shown(played), f"a number from 0 to {matches}", hint=hint)
    expected = _expected(run, meta, told)
    for key in dict.fromkeys((*expected, *told)):
        if key in {*NOT_CLAIMED, "status"}:
            continue
        for untruth in _differences(key, told.get(key, _NOTHING), expected.get(key, _NOTHING)):
            yield attrs.evolve(untruth, hint=hint)


def _status_untruth(status: Any, planned: Planned | None) -> Untruth | None:
    """A wrong status; a run that was interrupted, or failed, may all the same be complete."""
    missing = 0 if planned is None else len(planned.missing)
    if planned is not None and planned.is_complete:
        wrong, right = ("stopped",), "finished, as nothing is left to play"
    else:
        why = (
            f", as {counted(missing, 'match')} of the plan {'is' if missing == 1 else 'are'} missing"
            * bool(missing)
        )
        wrong, right = ("finished",), f"{listed(STATUSES[1:], 'or')}{why}"
    if status in STATUSES and status not in wrong:
        return None
    return Untruth(RUN_FILE, "status", _shown(status), right)


def _expected(run: Run, meta: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What `run.json` should say; `told`: what it says, which may lack the seed while the run goes on."""
    seal, plan = told_of_seal(run.store), told.get("plan")
    is_open = told.get("status") == "finished" or (seal is not None and seal["opening"] is not None)
    is_secret = not is_open and isinstance(plan, dict) and plan.get("seed") is None
    return {
        "plan": {**meta["plan"], "seed": None if is_secret else str(int(run.seed))},
        "guessable": is_guessable(run.seed),
        "seal": seal,
        "game_version": run.game.version,
        "roster": meta.get(ROSTER, []),
    }


def _differences(where: str, stored: Any, expected: Any) -> Untruths:
    """Where two values of JSON differ: objects are compared by key, arrays by place."""
    if isinstance(stored, dict) and isinstance(expected, Mapping):
        for key in dict.fromkeys((*expected, *stored)):
            yield from _differences(f"{where}.{key}", stored.get(key, _NOTHING), expected.get(key, _NOTHING))
    elif isinstance(stored, list) and isinstance(expected, list):
        for place, (one, other) in enumerate(zip_longest(stored, expected, fillvalue=_NOTHING)):
            yield from _differences(f"{where}[{place}]", one, other)
    elif _shown(stored) != _shown(expected):
        yield Untruth(RUN_FILE, where, _shown(stored), _shown(expected))


def _shown(value: Any) -> str:
    """The value as JSON, where `true` is not 1 and nothing is not null."""
    return "nothing" if value is _NOTHING else json.dumps(value, ensure_ascii=False)


def made_again(run: Run) -> str:
    """A clause about how a file of the run can be written again."""
    return f"a run that goes on in {run.folder} writes it"
