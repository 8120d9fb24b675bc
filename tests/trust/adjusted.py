"""What it gains that returns are adjusted for luck: fewer series for the same answer, and the same mean.

Real series of bots in one process (`returns_series`): each match as it was played, and without luck.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import attrs

from arena.analysis.stopping.gains import Tails
from arena.bench.measures import Measure, at_most

from .comparison import MOST, SeriesDesign, rules_of
from .returns_series import Floats, both_of, careful, fish, poker, shoving

PAIRS = {
    "all in or fold": (shoving, careful(0.62)),
    "all in and a fish": (shoving, fish),
    "a careful bot and a fish": (careful(0.6), fish),
    "careful bots, near-copies": (careful(0.6), careful(0.62)),
}
SERIES = {1: 3000, 10: 600}
"""Hands of a match -> series that are played."""
COMPARED = "all in and a fish"
SHARE = 16
"""What is asked of its comparison: the spread of series as they were played, divided by this."""

ROOM = 0.9
"""Series are made smaller by this, so that their mean can be shifted and none goes beyond the bounds."""


def adjusted_rows() -> Iterator[Measure]:
    """How many times less series vary, whether their mean is the same, and how long a comparison takes."""
    for hands, series in SERIES.items():
        for what, pair in PAIRS.items():
            game, of = poker(hands=hands), f"adjusted for luck, {what}, hands of a match {hands}"
            as_played, adjusted = both_of(game, *pair, series)
            yield _row(f"{of}: variance of a series ÷ adjusted", _variance(as_played) / _variance(adjusted))
            luck = (as_played - adjusted).mean(axis=1)
            error = luck.std(ddof=1) / len(luck) ** 0.5
            yield Measure(
                "trust", f"{of}: luck ÷ its error", "", (abs(float(luck.mean() / error)),), at_most(3)
            )
            if what == COMPARED:
                yield from _compared(
                    SeriesDesign(of, rules_of(game), as_played / game.returns_unit[1]), adjusted
                )


def _compared(design: SeriesDesign, adjusted: Floats) -> Iterator[Measure]:
    """How long it takes to see that a bot is as far ahead as is asked, as played and adjusted."""
    gain = 4 * design.gain / SHARE
    for tails in get_args(Tails):
        for told, values in (("as played", design.values), ("adjusted", adjusted / design.rules.unit[1])):
            now = attrs.evolve(design, values=ROOM * values)
            found, length = now.ends(gain, gain1=gain, seed=1, tails=tails)
            of = f"{design.what}: compare --tails {tails}, asked {gain:,.0f} bb/100, {told}"
            yield _row(f"{of}, series", length)
            wrong = 100 * (found["not better"] + found["worse"]) / found.total()
            yield Measure("trust", f"{of}, said not to be better", "%", (wrong,), at_most(100 * MOST))


def _variance(matches: Floats) -> float:
    return float(matches.mean(axis=1).var(ddof=1))


def _row(what: str, value: float) -> Measure:
    return Measure("trust", what, "", (value,))
