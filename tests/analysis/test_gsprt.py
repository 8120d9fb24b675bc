"""The sequential test of `arena compare`: its errors are as rare as it says, for scores of any shape."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.analysis.intervals import win_rate_interval
from arena.analysis.stopping.gsprt import (
    ELO_MAX,
    SERIES_MIN,
    Gsprt,
    Hypotheses,
    elo_of,
    expected_series,
    log_likelihood_ratio,
    mean_of,
    steps_left,
)


def told(scores, **hypotheses) -> Gsprt:
    """A test that was told these scores."""
    test = Gsprt(Hypotheses(**hypotheses))
    for score in scores:
        test.add(score)
    return test


# what is weighed


@pytest.mark.parametrize(
    ("elo", "mean"), [(0, 1 / 2), (400, 10 / 11), (-400, 1 / 11), (20, 0.528751), (800, 100 / 101)]
)
def test_an_elo_difference_stands_for_a_mean(elo, mean):
    """1 / (1 + 10^(−δ/400)), both ways."""
    assert mean_of(elo) == pytest.approx(mean, abs=1e-6)
    assert elo_of(mean_of(elo)) == pytest.approx(elo, abs=1e-9)


@pytest.mark.parametrize(
    ("mean", "elo"), [(0.0, -ELO_MAX), (1.0, ELO_MAX), (1e-300, -ELO_MAX), (1 - 1e-16, ELO_MAX)]
)
def test_an_elo_difference_is_finite(mean, elo):
    """All won is told as the largest difference, not as infinite."""
    assert elo_of(mean) == elo


def test_the_defaults():
    """0 against 20 Elo at 5 % and 5 %: Wald's bounds are ± the logarithm of 19."""
    hypotheses = Hypotheses()
    assert (hypotheses.mean0, hypotheses.mean1) == (0.5, pytest.approx(0.528751, abs=1e-6))
    assert (hypotheses.lower, hypotheses.upper) == (pytest.approx(-log(19)), pytest.approx(log(19)))
    assert hypotheses.series_max == 5000


def test_the_bounds_of_unequal_errors():
    """A rarer false "better" needs more evidence for it, and hardly changes what refutes it."""
    hypotheses = Hypotheses(alpha=0.01, beta=0.1)
    assert hypotheses.upper == pytest.approx(log(0.9 / 0.01))
    assert hypotheses.lower == pytest.approx(log(0.1 / 0.99))


# the likelihood ratio


def likeliest(weights, values, mean) -> float:
    """The largest log-likelihood with this mean, found by a general optimiser over the chances themselves."""
    from scipy.optimize import minimize

    weights, values = np.array(weights), np.array(values)
    found = minimize(
        lambda chances: -np.sum(weights * np.log(chances)),
        np.full(len(values), 1 / len(values)),
        jac=lambda chances: -weights / chances,
        bounds=[(1e-9, 1)] * len(values),
        constraints=[
            {"type": "eq", "fun": lambda chances: chances.sum() - 1},
            {"type": "eq", "fun": lambda chances: chances @ values - mean},
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.success, found.message
    return -float(found.fun)


@pytest.mark.parametrize(
    ("weights", "values"),
    [
        ((10.5, 20.0, 12.5), (0.0, 0.5, 1.0)),
        ((0.5, 30.0, 0.5), (0.0, 0.5, 1.0)),
        ((0.5, 40.5), (0.0, 1.0)),
        ((1.5, 3, 9, 8, 4, 2.5), (0.0, 0.2, 0.45, 0.6, 0.9, 1.0)),
    ],
)
def test_the_likelihood_ratio_is_exact(weights, values):
    """It is the ratio of the likeliest distributions with either mean, as a general optimiser finds them."""
    expected = likeliest(weights, values, 0.6) - likeliest(weights, values, 0.5)
    assert float(log_likelihood_ratio(np.array(weights), values, 0.5, 0.6)) == pytest.approx(
        expected, abs=1e-5
    )


def test_the_likelihood_ratio_of_wins_and_losses():
    """With wins and losses alone it is the textbook's, of a coin: w·log(μ₁/μ₀) + l·log((1−μ₁)/(1−μ₀))."""
    test = told([1, 0, 0, 1, 1, 1, 0, 1], elo0=0, elo1=100)
    mean = mean_of(100)
    assert test.llr == pytest.approx(5.5 * log(mean / 0.5) + 3.5 * log((1 - mean) / 0.5))


scores = st.lists(st.sampled_from([0, 0.25, 1 / 3, 0.5, 2 / 3, 0.9, 1]), max_size=40)


@settings(max_examples=25)
@given(scores=scores)
def test_what_speaks_for_one_speaks_against_the_other(scores):
    """Scores and hypotheses mirrored: the ratio changes its sign."""
    test, mirrored = Gsprt(Hypotheses(elo0=-7, elo1=30)), Gsprt(Hypotheses(elo0=-30, elo1=7))
    for score in scores:
        test.add(score)
        mirrored.add(1 - score)
    assert mirrored.series == test.series
    assert mirrored.llr == pytest.approx(-test.llr, abs=1e-7)


@settings(max_examples=25)
@given(scores=scores)
def test_every_number_is_finite(scores):
    """Whatever was scored, and before anything was; the interval holds the estimate."""
    test = told(scores)
    assert all(map(isfinite, (test.mean, test.llr, test.elo, test.elo_low, test.elo_high)))
    assert test.elo_low <= test.elo <= test.elo_high


def test_rounding_makes_no_new_scores():
    """1/3 as a sum of sixths is the same score as 1/3; both ways give the same ratio."""
    exact, summed = [float(Fraction(1, 3))] * 12, [1 / 6 + 1 / 6 + 1e-16] * 12
    assert told(summed).llr == told(exact).llr


# the course of a test


def test_no_verdict_before_ten_series():
    """Nine that were all won say nothing yet, though the ratio is over the bound; the tenth does."""
    nine = told([1.0] * (SERIES_MIN - 1), elo1=600)
    assert nine.llr > nine.hypotheses.upper
    assert (nine.verdict, nine.is_over) == (None, False)
    nine.add(1.0)
    assert (nine.verdict, nine.is_over, nine.series) == ("better", True, 10)


def test_the_verdict_falls_where_the_bound_is_crossed():
    """By hand, all won: k·log(μ₁/½) + ½·log(μ₁/½) + ½·log((1−μ₁)/½) exceeds log 19 at k = 53."""
    mean = mean_of(20)
    by_hand = [(k + 0.5) * log(2 * mean) + 0.5 * log(2 - 2 * mean) for k in range(100)]
    first = next(k for k, llr in enumerate(by_hand) if llr >= log(19))
    test = told([1.0] * 100)
    assert (test.verdict, test.series) == ("better", first) == ("better", 53)
    assert test.llr == pytest.approx(by_hand[first])


def test_worse_is_said_where_the_mirrored_test_crosses():
    """All lost: "not better" after 50 series, and three more show what all won would have shown of the other."""
    mean = mean_of(20)
    by_hand = [(k + 0.5) * log(2 - 2 * mean) + 0.5 * log(2 * mean) for k in range(100)]
    assert 50 == next(k for k, llr in enumerate(by_hand) if llr <= -log(19))
    lost, won = told([0.0] * 100), told([1.0] * 100)
    assert (lost.verdict, lost.series) == ("worse", won.series)
    assert lost.evidence.worse == pytest.approx(won.evidence.better)


def test_worse_is_not_waited_for_in_vain():
    """Halved series refute 20 Elo and say nothing against the new bot: the test ends at once."""
    test = told([0.5] * 200)
    assert (test.verdict, test.evidence.worse) == ("not better", 0.0)
    assert test.evidence.not_better < 1.05


@pytest.mark.parametrize("elo0", [-30.0, 30.0])
def test_worse_means_behind_whatever_is_asked(elo0):
    """Asked for more than −30 or +30 Elo: a bot that is even is not worse, however long it plays."""
    test = told([0.0, 1.0] * 100, elo0=elo0, elo1=elo0 + 20)
    assert test.verdict != "worse"
    assert test.evidence.worse == 0.0


def test_what_comes_after_the_verdict_does_not_count():
    """A test that was told more, as matches were played at once, says the same."""
    early = told([1.0] * 100, elo1=100)
    late = told([1.0] * 100 + [0.0] * 500, elo1=100)
    assert early.verdict == "better"
    assert vars(late).keys() == vars(early).keys()
    assert (late.values, late.llr, late.evidence, late.verdict) == (
        early.values,
        early.llr,
        early.evidence,
        early.verdict,
    )


def test_it_ends_without_a_verdict_at_the_last_series():
    """Neither hypothesis has won by then, and it says so."""
    test = told([0.0, 1.0, 0.5, 0.5, 0.75] * 10, series_max=20)
    assert (test.series, test.verdict, test.is_over) == (20, None, True)


def test_series_that_all_went_alike_claim_no_certainty():
    """Mirrored deals between equal bots: 0.5 each time.  One in 17 won would be 20 Elo: 50 series exclude it."""
    test = told([0.5] * 200)
    assert test.verdict == "not better"
    assert 50 < test.series < 120, "0.942^50 = 5 %"
    assert test.elo == 0


def test_the_interval_is_the_leaderboard_s():
    """Elo of the ends of the clustered Wilson interval."""
    scores = [0.5, 1, 0.5, 0, 1, 1, 0.5]
    low, high = win_rate_interval([(score, 1) for score in scores])
    test = told(scores)
    assert test.mean == pytest.approx(4.5 / 7)
    assert (test.elo_low, test.elo_high) == (elo_of(low), elo_of(high))


# how long it takes


def test_the_expected_length_by_wald():
    """By hand at 5 % and 5 %: 0.9 · log 19 · 2σ² / 0.028751² at either hypothesis."""
    at_elo0, at_elo1 = expected_series(Hypotheses(), 0.125)
    assert (at_elo0, at_elo1) == pytest.approx((801, 801), abs=1)


@pytest.mark.slow
def test_the_length_that_is_left_follows_from_the_series():
    """Near-copies, nine series of ten halved: what is said after 30 holds on average, and is far less than before."""
    rng, said, found = np.random.default_rng(8), [], []
    for _ in range(16):
        scores = rng.choice([0, 0.5, 1], p=[0.04, 0.88, 0.08], size=400).tolist()
        test = told(scores[:30], elo1=60)
        assert told(scores[:9]).left() is None, "too few to say how much series differ"
        if (left := test.left()) is not None:
            whole = told(scores, elo1=60)
            assert whole.left() is None, "it is over"
            said.append(left)
            found.append(whole.series - 30)
    least, most = np.mean(said, axis=0)
    assert len(found) > 8
    assert least < np.mean(found) < most
    assert most < expected_series(Hypotheses(elo1=60), 0.125)[1]


@pytest.mark.parametrize(
    ("drift", "steps"),
    [(0.0, 4.0), (1e-12, 4.0), (0.1, 2 / 0.1 * np.tanh(0.2)), (-3.0, 2 / 3), (900.0, 2 / 900)],
)
def test_a_walk_leaves_after_so_many_steps(drift, steps):
    """From the middle of −2 and 2 with variance 1: 4 without drift, 2/d · tanh 2d with one (Wald's identity)."""
    assert steps_left(0.0, -2.0, 2.0, drift, 1.0) == pytest.approx(steps, rel=1e-2)
    assert steps_left(2.0, -2.0, 2.0, drift, 1.0) == 0.0


def test_the_expected_length_stays_within_what_is_allowed():
    """Never below the first stop, never above the last; easier questions are shorter."""
    assert expected_series(Hypotheses(elo1=600)) == (SERIES_MIN, SERIES_MIN)
    assert expected_series(Hypotheses(elo1=0.001)) == (5000, 5000)
    assert expected_series(Hypotheses(alpha=0.01))[0] < expected_series(Hypotheses(alpha=0.01))[1]


# error rates, by simulation

SHAPES = {
    "two matches, independent": ((0, 0.5, 1), (25, 50, 25)),
    "two matches that mostly go alike": ((0, 0.5, 1), (45, 10, 45)),
    "two matches that always go alike": ((0, 1), (50, 50)),
    "nine of ten halved": ((0, 0.5, 1), (5, 90, 5)),
    "nearly all halved": ((0, 0.5, 1), (1, 98, 1)),
    "differences in a field": (tuple(np.linspace(0, 1, 13)), (1, 2, 4, 8, 14, 20, 22, 20, 14, 8, 4, 2, 1)),
    "seldom lost": ((0, 0.48, 0.52, 1), (2, 30, 67, 1)),
    "seldom won": ((0, 0.48, 0.52, 1), (1, 67, 30, 2)),
}
RUNS = 1000
SLACK = 3 * (0.05 * 0.95 / RUNS) ** 0.5  # three standard errors of a rate of 5 % in so many runs: 2.1 %


def daily_and_nightly(shapes: Iterable[str]) -> list[Any]:
    """The first shape for every change, the others at night: each takes a second of simulation."""
    first, *others = shapes
    return [first, *(pytest.param(shape, marks=pytest.mark.nightly) for shape in others)]


def tilted(shape: str, mean: float):
    """The values of a shape, and its chances, bent exponentially until they have this mean."""
    values, weights = map(np.array, SHAPES[shape])
    low, high = -200.0, 200.0
    for _ in range(100):
        bend = (low + high) / 2
        chances = weights * np.exp(bend * (values - 0.5))
        chances /= chances.sum()
        low, high = (bend, high) if chances @ values < mean else (low, bend)
    assert chances @ values == pytest.approx(mean)
    return values, chances


def normal_ratio(weights, values, mean0, mean1):
    """The usual approximation of the ratio: n·(μ₁−μ₀)·(x̄ − (μ₀+μ₁)/2) / s²."""
    total, places = weights.sum(axis=-1), np.array(values)
    mean = weights @ places / total
    return total * (mean1 - mean0) * (mean - (mean0 + mean1) / 2) / (weights @ places**2 / total - mean**2)


def simulate(hypotheses, values, chances, *, seed, ratio=log_likelihood_ratio):
    """The shares of runs that end with "better" and with "not better", and their mean length; all runs at once."""
    rng = np.random.default_rng(seed)
    places = sorted({0.0, 1.0, *map(float, values)})
    columns = np.array([places.index(float(value)) for value in values])
    weights = np.zeros((RUNS, len(places)))
    weights[:, [0, -1]] = 0.5
    better, worse, lengths = 0, 0, []
    for series in range(1, hypotheses.series_max + 1):
        drawn = columns[rng.choice(len(values), size=len(weights), p=chances)]
        weights[np.arange(len(weights)), drawn] += 1
        if series >= SERIES_MIN:
            llr = ratio(weights, places, hypotheses.mean0, hypotheses.mean1)
            up, down = llr >= hypotheses.upper, llr <= hypotheses.lower
            better, worse = better + up.sum(), worse + down.sum()
            lengths += [series] * int((up | down).sum())
            weights = weights[~(up | down)]
            if not len(weights):
                break
    lengths += [hypotheses.series_max] * len(weights)
    return better / RUNS, worse / RUNS, float(np.mean(lengths))


def test_a_simulated_run_is_a_test():
    """What the simulations below count is what `Gsprt` does: the same series, the same end."""
    rng = np.random.default_rng(5)
    test = Gsprt(Hypotheses(elo1=150))
    weights = np.array([[0.5, 0, 0.5]])
    while not test.is_over:
        score = rng.choice([0, 0.5, 1], p=[0.2, 0.4, 0.4])
        test.add(float(score))
        weights[0, int(2 * score)] += 1
        ratio = log_likelihood_ratio(weights, (0, 0.5, 1), test.hypotheses.mean0, test.hypotheses.mean1)
        assert test.llr == pytest.approx(float(ratio[0]), abs=1e-9)
    assert test.verdict == "better"


@pytest.mark.slow
@pytest.mark.parametrize("shape", daily_and_nightly(SHAPES))
def test_errors_are_as_rare_as_promised(shape):
    """At 0 Elo "better" comes in 5 % at most, at 60 Elo "not better" does, within the error of the simulation.

    Measured with these seeds: 0 to 4.8 % and 1.5 to 5.2 %.
    """
    hypotheses = Hypotheses(elo1=60)
    wrongly_better, rightly_not, _ = simulate(hypotheses, *tilted(shape, hypotheses.mean0), seed=1)
    rightly_better, wrongly_not, _ = simulate(hypotheses, *tilted(shape, hypotheses.mean1), seed=2)
    assert wrongly_better <= 0.05 + SLACK
    assert wrongly_not <= 0.05 + SLACK
    assert wrongly_better + rightly_not == rightly_better + wrongly_not == pytest.approx(1), (
        "all came to an end"
    )


@pytest.mark.slow
@pytest.mark.parametrize("shape", daily_and_nightly(["nine of ten halved", "differences in a field"]))
def test_errors_at_twenty_elo(shape):
    """The default question, and other error rates: 10 % for "better", 2 % for "not better"."""
    hypotheses = Hypotheses(alpha=0.1, beta=0.02)
    wrongly_better, _, _ = simulate(hypotheses, *tilted(shape, hypotheses.mean0), seed=3)
    _, wrongly_not, _ = simulate(hypotheses, *tilted(shape, hypotheses.mean1), seed=4)
    assert wrongly_better <= 0.1 + 3 * (0.1 * 0.9 / RUNS) ** 0.5
    assert wrongly_not <= 0.02 + 3 * (0.02 * 0.98 / RUNS) ** 0.5


@pytest.mark.slow
def test_the_normal_approximation_would_break_the_promise():
    """Why the ratio is exact: where nearly all series are alike, the other misses "better" twice too often (11.5 %)."""
    hypotheses = Hypotheses(elo1=60)
    shape = tilted("nearly all halved", hypotheses.mean1)
    _, wrongly_not, _ = simulate(hypotheses, *shape, seed=2, ratio=normal_ratio)
    assert wrongly_not > 0.05 + SLACK


@pytest.mark.slow
@pytest.mark.parametrize("shape", daily_and_nightly(list(SHAPES)[:3]))
def test_it_takes_about_as_long_as_said(shape):
    """Wald's formula, with the true variance, is met within 20 %: the last series overshoots the bound."""
    hypotheses = Hypotheses(elo1=60)
    for number, mean in enumerate((hypotheses.mean0, hypotheses.mean1)):
        values, chances = tilted(shape, mean)
        said = expected_series(hypotheses, float(chances @ values**2 - mean**2))[number]
        _, _, length = simulate(hypotheses, values, chances, seed=6)
        assert said * 0.9 < length < said * 1.2
