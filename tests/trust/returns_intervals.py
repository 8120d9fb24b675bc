"""How often the 95 % interval of mean returns holds the truth where two bots meet on shared luck.

Series are those of real bots (`returns_series`, `equity_series`), drawn again; the truth is the mean of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.analysis.clusters import Clusters, Groups
from arena.analysis.intervals import bound_of
from arena.bench.measures import Measure, at_least
from arena.match.game import Game

from .equity_series import kept
from .returns_series import Floats, careful, fish, matches_of, poker, shoving

SERIES = (10, 50, 200)
TOURNAMENTS = 4000
LOWEST = 0.93
SEED = 23


def kinds() -> Iterator[tuple[str, int, Floats]]:
    """What meets, how many hands a match has, and (series, 2): the chips that the first won in each match."""
    pairs = {
        "careful bots, near-copies": (careful(0.6), careful(0.62)),
        "all in or fold": (shoving, careful(0.62)),
        "a careful bot and a fish": (careful(0.6), fish),
        "all in and a fish": (shoving, fish),
    }
    for hands, series, name in ((1, 3000, "one"), (10, 600, "ten")):
        game = poker(hands=hands)
        yield "`equity` and a bolder copy", hands, kept(name)
        for what, pair in pairs.items():
            yield what, hands, matches_of(game, *pair, series)


def _bound(game: Game[Any, Any]) -> float:
    reach = game.returns_reach(2)
    assert reach is not None, "the game declares its bounds"
    return bound_of(reach)


def coverage(played: Floats, series: int, bound: float | None) -> float:
    """In which share of tournaments of so many series the interval holds the mean of all that were played.

    Without the `bound` of a match nothing is added for series that were not seen: it is Student's t alone.
    """
    drawn = played[np.random.default_rng([SEED, series]).integers(0, len(played), TOURNAMENTS * series)]
    groups = Groups.of(np.repeat(np.arange(TOURNAMENTS), series))
    clusters = Clusters(drawn.sum(axis=1), np.full(len(drawn), 2.0), groups)
    low, high = clusters.mean_intervals(np.abs(drawn).max(axis=1), bound)
    return float(np.mean((low <= played.mean()) & (played.mean() <= high)))


def returns_interval_rows() -> Iterator[Measure]:
    """Of each kind, after few and after many series; with few an interval may be too wide."""
    for what, hands, played in kinds():
        for series in SERIES:
            words = f"two bots × {series} series, hands of a match {hands}: {what}"
            share = 100 * coverage(played, series, _bound(poker(hands=hands)))
            yield Measure(
                "trust", f"95 % intervals of returns, {words}", "%", (share,), at_least(100 * LOWEST)
            )
            alone = 100 * coverage(played, series, None)
            yield Measure("trust", f"Student's t alone, returns, {words}", "%", (alone,))
