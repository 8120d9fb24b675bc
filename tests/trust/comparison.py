"""Is the new version better: how often the verdict on returns is wrong, right, and after how many series.

Series are played once (`returns_series`), shifted to the mean that is asked about, and drawn anew for a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import fsum

import attrs
import numpy as np

from arena.analysis.comparison import ReturnsRules, begun_test, ranges
from arena.analysis.stopping.gains import Gains, Tails
from arena.analysis.stopping.gsprt import Gsprt, Hypotheses, expected_series
from arena.bench.measures import Measure, Threshold, at_least, at_most
from arena.match.game import Game

from .returns_intervals import kinds
from .returns_series import (
    Floats,
    Played,
    against_field,
    careful,
    fish,
    head_to_head,
    poker,
    shoving,
)

RUNS = 400
ERROR = 0.05
MOST = ERROR + 3 * (ERROR * (1 - ERROR) / RUNS) ** 0.5
"""What a rate of 5 % may come to in so many runs: three standard errors more."""
NORMAL_MOST = 9.0
"""What a rate of 5 %, promised if means are normal, comes to at most on real series (%)."""
SERIES_MAX = 3000
FORETOLD_AFTER = 20


@attrs.frozen
class SeriesDesign:
    """Series of two bots, and the rules that they were played by."""

    what: str
    rules: ReturnsRules
    values: Floats
    """(series, matches)"""
    is_field: bool = False

    @property
    def gain(self) -> float:
        """The gain asked about: a quarter of how much series differ."""
        return float(self.values.mean(axis=1).std()) / 4

    def ends(
        self, mean: float, *, gain1: float, seed: int, tails: Tails = "any"
    ) -> tuple[Counter[str], float]:
        """How many runs ended with each verdict if this is the true mean, and the median of their lengths."""
        rng, found, lengths = np.random.default_rng(seed), Counter[str](), []
        gains = Gains(gain1=gain1, series_max=SERIES_MAX, tails=tails)
        shifted = self.values - self.values.mean() + mean
        if tails == "any":  # which is promised that nothing is beyond the bounds
            shifted = np.clip(shifted, *ranges(self.rules, is_field=self.is_field)[0])
        for _ in range(RUNS):
            test = begun_test(gains, self.rules, is_field=self.is_field)
            while not test.is_over:
                for matches in shifted[rng.integers(0, len(shifted), 100)].tolist():
                    test.add(fsum(matches) / len(matches), matches)
            found[test.verdict or "undecided"] += 1
            lengths.append(test.series)
        return found, float(np.median(lengths))


def comparison_rows() -> Iterator[Measure]:
    """Real series of three kinds, and one that seldom loses all; then the lengths that are foretold."""
    one, five, ten = poker(hands=1), poker(hands=5), poker(hands=10)
    pair = careful(0.6), careful(0.62)
    shoves = head_to_head(one, shoving, careful(0.62), 2000)
    fishes, copies = against_field(five, *pair, fish, 500), head_to_head(ten, *pair, 500)
    yield from _verdict_rows(SeriesDesign("all in or fold, 1 hand", rules_of(one), shoves.values[:, None]))
    yield from _verdict_rows(
        SeriesDesign("one fish, 5 hands", rules_of(five), fishes.values[:, None], is_field=True)
    )
    yield from _verdict_rows(SeriesDesign("near-copies, 10 hands", rules_of(ten), copies.values[:, None]))
    for what, hands, played in kinds():
        game = poker(hands=hands)
        values = played / game.returns_unit[1]
        yield from _normal_rows(SeriesDesign(f"{what}, hands of a match {hands}", rules_of(game), values))
    yield from _rare_rows()
    yield from _length_rows(copies)


def _normal_rows(design: SeriesDesign) -> Iterator[Measure]:
    """How often the test that takes means for normal errs on real series; its promise is not kept on all."""
    gain, what = design.gain, f"--tails normal, {design.what}"
    for case, mean, wrong, seed in (("even", 0.0, "better", 1), ("ahead", gain, "not better", 2)):
        found, series = design.ends(mean, gain1=gain, seed=seed, tails="normal")
        yield _row(what, f"{case}: said to be {wrong}", 100 * found[wrong] / RUNS, "%", at_most(NORMAL_MOST))
        yield _row(what, f"{case}: series", series, "series")


def _verdict_rows(design: SeriesDesign) -> Iterator[Measure]:
    """Even bots, one that is as far ahead as is asked, and one that is twice as far behind."""
    gain = design.gain
    even, even_series = design.ends(0.0, gain1=gain, seed=1)
    ahead, ahead_series = design.ends(gain, gain1=gain, seed=2)
    behind, behind_series = design.ends(-2 * gain, gain1=gain, seed=3)
    missed = ahead["not better"] + ahead["worse"]
    what = f"{design.what} (asked: {gain:,.0f} bb/100)"
    for found, runs, goal in (
        ("even: said to be better", even["better"], at_most(100 * MOST)),
        ("even: said to be worse", even["worse"], at_most(100 * MOST)),
        ("ahead: said not to be", missed, at_most(100 * MOST)),
        ("ahead: said to be better", ahead["better"], at_least(90)),
        ("twice as far behind: said to be worse", behind["worse"], None),
    ):
        yield _row(what, found, 100 * runs / RUNS, "%", goal)
    yield _row(what, "even: series", even_series, "series")
    yield _row(what, "ahead: series", ahead_series, "series")
    yield _row(what, "twice as far behind: series", behind_series, "series")


def _row(what: str, found: str, value: float, unit: str, goal: Threshold | None = None) -> Measure:
    return Measure("trust", f"compare, {what}: {found}", unit, (value,), goal)


def rules_of(game: Game[object, object]) -> ReturnsRules:
    """What is declared of returns at the smallest table."""
    seats = game.seats[0]
    return ReturnsRules("returns", game.returns_unit, game.returns_bounds(seats), game.returns_reach(seats))


def _rare_rows() -> Iterator[Measure]:
    """One match in 1,000 is lost in every one of its 100 hands, for which the others make up: an even bot."""
    values = np.random.default_rng(7).normal(0, 200, 20_000)
    values[::1000] = -25_000.0
    design = SeriesDesign("one match in 1,000 lost in full", rules_of(poker(hands=100)), values[:, None])
    rows: tuple[tuple[Tails, Threshold | None], ...] = (("normal", None), ("any", at_most(100 * MOST)))
    for tails, goal in rows:
        ends, _ = design.ends(0.0, gain1=50.0, seed=4, tails=tails)
        share = 100 * ends["better"] / RUNS
        yield _row(design.what, f"even: said to be better, --tails {tails}", share, "%", goal)


def _length_rows(copies: Played) -> Iterator[Measure]:
    """Near-copies by wins: the length foretold after 20 series, and the length that it was."""
    rng, said, found = np.random.default_rng(6), [], []
    asked = Hypotheses(elo1=30)
    for _ in range(40):
        test = Gsprt(asked)
        for score in rng.choice(copies.scores, asked.series_max).tolist():
            test.add(score)
            if test.series == FORETOLD_AFTER and (left := test.left()) is not None:
                said.append(left)
            if test.is_over:
                break
        found.append(test.series)
    least, most = np.median(said, axis=0) + FORETOLD_AFTER
    what = "near-copies by wins (asked: 30 Elo)"
    yield _row(what, "foretold before, whatever they are", expected_series(asked)[0], "series")
    yield _row(what, f"foretold after {FORETOLD_AFTER}, at least", float(least), "series")
    yield _row(what, f"foretold after {FORETOLD_AFTER}, at most", float(most), "series")
    yield _row(what, "it took", float(np.median(found)), "series")
