"""The epochs of a ladder: each has a seed of its own, sealed when it begins, and opened once it has ended.

An epoch ends when all that it has planned is played, so that nothing is played any more with a seed that is
known.  What is planned in one follows from its own rows alone: whoever has them, with its matches and its
opening, can verify it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import attrs

from arena.schedule import Pairing
from arena.schedule.course import ClosedSeries, MatchResult
from arena.store import Store, StoredEpoch
from arena.tournament.folder.run import Run
from arena.tournament.folder.seal import Seal, opening_of, seal_for

NOT_PUBLISHED = ("allow",)
"""What of a league's plan is its host's own matter, and in no opening: folders of the host's machine."""


def drawn_seal(meta: Mapping[str, Any]) -> Seal:
    """The seal of an epoch with a new seed; `meta`: what the league's folder keeps.

    It names no bots: they come and go, and equal fingerprints would tell who handed in the same.
    """
    return seal_for(secrets.randbits(128), published_plan(meta), meta["identity"], ())


def published_plan(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of a league as everybody may see it; `meta`: what its folder keeps."""
    return {key: value for key, value in meta["plan"].items() if key not in NOT_PUBLISHED}


def seed_of(epoch: StoredEpoch) -> int:
    """The seed of an epoch.  Raises ConfigError if its opening has none."""
    return opening_of(Seal(epoch.sha256, epoch.opening)).seed


def run_in(run: Run, seed: int) -> Run:
    """The ladder as it is played in an epoch with this seed."""
    return attrs.evolve(run, plan=attrs.evolve(run.plan, seed=seed))


def counted_in(store: Store, epoch: StoredEpoch, after: StoredEpoch) -> Iterator[ClosedSeries]:
    """The series that count in an epoch that has ended; `after`: the epoch that began then."""
    closed = store.closed_in_batches(epoch.first_batch, after.first_batch) or frozenset()
    rows = store.rows(
        "SELECT m.number, m.pairing_id, m.series_id, m.game, m.rotation, m.cycle, m.status, s.bot, s.points"
        " FROM matches m JOIN seats s ON s.match = m.number WHERE m.number >= ? AND m.number < ?"
        " ORDER BY m.number, s.seat",
        epoch.first_match,
        after.first_match,
    )
    begun: dict[str, list[tuple[Pairing, MatchResult]]] = {}
    for (_, id, series, game, rotation, cycle, status), seats in groupby(rows, itemgetter(slice(7))):
        bots, points = zip(*((bot, points) for *_, bot, points in seats), strict=True)
        if series not in closed:
            continue
        result = MatchResult(points=points if status == "done" else (), returns=(), faults=(), withdrawn=())
        block = begun.setdefault(series, [])
        block.append((Pairing(id, game, bots, 0, series, rotation, cycle), result))
        if len(block) == len(bots):  # one match for each seat
            found = ClosedSeries(series, cycle, ends_cycle=False, matches=tuple(begun.pop(series)))
            if not found.is_spoilt:
                yield found
