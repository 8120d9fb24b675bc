"""A small synthetic tournament, without a game: what the store keeps needs none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.analysis.clusters import Clusters, Groups
from arena.analysis.strata import Deviations, Strata, StratifiedMeans
from arena.match.game import Seat
from arena.match.record import Decision, Entry, MatchRecord
from arena.schedule import Pairing


def play(
    series: int,
    rotation: int,
    bots: Sequence[str] = ("ann", "bob"),
    ranks: Sequence[int] = (1, 2),
    *,
    returns: Sequence[float] = (),
    decisions: Sequence[Decision] = (),
    error: str | None = None,
) -> Entry:
    """A match of series `s<series>` that ended with these ranks; each seat thought 0.25 s once.

    Returns are 1 for a first place, −1 for a second, −3 for a third, if nothing else is said.
    """
    name = f"s{series}"
    pairing = Pairing(f"{name}.{rotation}", "dice", tuple(bots), 0xFEED, name, rotation, series)
    beaten = [
        sum(rank < other for other in ranks) + sum(rank == other for other in ranks) / 2 - 0.5
        for rank in ranks
    ]
    seats = range(len(bots))
    all_decisions = tuple(decisions) or tuple(Decision(s, Seat(s), "pass", 0.25) for s in seats)
    aborted = error is not None
    return Entry(
        match_id=f"{series:08x}{rotation:04x}",
        pairing=pairing,
        deals="same",
        versions=("1.0",) * len(bots),
        withdrawn=(False,) * len(bots),
        record=MatchRecord(
            turns=({},) * 3,
            decisions=all_decisions,
            ranks=() if aborted else tuple(ranks),
            returns=() if aborted else tuple(returns) or tuple(3.0 - 2 * rank for rank in ranks),
            abandoned=(False,) * len(bots),
            duration_s=0.5,
            error=error,
        ),
        points=() if aborted else tuple(share / (len(bots) - 1) for share in beaten),
        packed=b"moves",
        decisions=tuple(decision for decision in all_decisions if decision.fault),
        started_at=1_700_000_000.0,
    )


def clusters_of(*groups: Sequence[tuple[float, int]]) -> Clusters:
    """Columns of (sum, matches) of each series, group after group."""
    sums, counts = zip(*(tally for group in groups for tally in group), strict=True)
    keys = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return Clusters(np.array(sums, dtype=float), np.array(counts, dtype=float), Groups.of(keys))


def mean_interval(tallies: Sequence[tuple[float, int]], largest: float) -> tuple[float, float]:
    """The interval of one group."""
    low, high = clusters_of(tallies).mean_intervals(np.full(len(tallies), largest))
    return float(low[0]), float(high[0])


def means_of(series: Sequence[dict[int, float]], size: int = 2) -> StratifiedMeans:
    """From series of one match each, as bot -> its value."""
    sets = sorted({tuple(sorted(values)) for values in series})
    slots = max(len(bots) for bots in sets)
    cells = [
        (number * slots + slot, value)
        for number, values in enumerate(series)
        for slot, (_, value) in enumerate(sorted(values.items()))
    ]
    of_series = np.array([sets.index(tuple(sorted(values))) for values in series])
    strata = Strata(
        bots=size,
        members=np.array([[*bots, *[-1] * (slots - len(bots))] for bots in sets]),
        of_series=of_series,
        series=np.bincount(of_series),
        cell=np.array([cell for cell, _ in cells]),
        played=np.array([[float(slot < len(values)) for slot in range(slots)] for values in series]),
    )
    return Deviations.of(strata, np.array([value for _, value in cells])).together()
