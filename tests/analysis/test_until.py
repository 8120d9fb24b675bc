"""The goals of `--until`, and what its rule makes of odd series."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from arena.analysis.stopping.goal import Goal, parse_goal
from arena.analysis.stopping.mixture import CYCLES_MIN, Mixture
from arena.analysis.student import as_normal
from arena.errors import ConfigError

# the goal


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("top 3 at 95%", Goal(3, 0.95)),
        ("top 1 at 99 %", Goal(1, 0.99)),
        ("best at 95%", Goal(1, 0.95)),
        ("  Top  12 at 99.99% ", Goal(12, 0.9999)),
        ("best at 50%", Goal(1, 0.5)),
    ],
)
def test_a_goal(text, goal):
    """As people say it; it says itself so that it is read back."""
    found = parse_goal(text)
    assert (found.top, found.confidence) == (goal.top, pytest.approx(goal.confidence))
    assert parse_goal(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "top",
        "top 0 at 95%",
        "top three at 95%",
        "top 3 at 100%",
        "top 3 at 49%",
        "top 3",
        "best at 95",
        "top -1 at 95%",
        "order at 95%",
    ],
)
def test_what_is_no_goal(text):
    """One sentence: what was found, and what would be right."""
    with pytest.raises(ConfigError) as caught:
        parse_goal(text)
    assert str(caught.value) == (
        f'until: found "{text}", expected a goal such as "top 3 at 95%" or "best at 99%" (from 50% to 99.99%)'
    )


@pytest.mark.parametrize("top", [3, 4])
def test_all_bots_are_no_leaders(top):
    """The top three of three bots need no tournament."""
    with pytest.raises(ConfigError) as caught:
        Mixture(Goal(top, 0.95), ["ann", "bob", "cat"], 100)
    assert str(caught.value) == f"until: found top {top} of 3 bots, expected fewer than all"


# what it makes of series


def test_returns_in_any_unit():
    """Chips, hundreds of chips, or chips less a thousand: the same sureness."""
    scores = [3, 1, 2, 2, 5, 1, 4, 1, 3, 2]
    plain, hundreds, shifted = (Mixture(Goal(1, 0.999), "ab", 20) for _ in range(3))
    for score in scores:
        plain.add({"a": (score, 2), "b": (-score, 2)})
        hundreds.add({"a": (score / 100, 2), "b": (-score / 100, 2)})
        shifted.add({"a": (score - 2000, 2), "b": (-score - 2000, 2)})
        assert plain.look() == hundreds.look() == shifted.look() is False
    assert plain.sureness > 0.3
    assert [hundreds.sureness, shifted.sureness] == pytest.approx([plain.sureness] * 2)


def test_a_series_without_matches_says_nothing():
    """Neither of a bot that has no match in it nor of a whole series."""
    plain, empty = (Mixture(Goal(1, 0.99), "abc", 20) for _ in range(2))
    for cycle in range(8):
        for bots in ("ab", "ac", "bc"):
            one = {bots[0]: (2 - cycle % 2, 2), bots[1]: (cycle % 2, 2)}
            plain.add(one)
            empty.add({**one, **dict.fromkeys(set("abc") - set(bots), (0, 0))})
            empty.add({"a": (0, 0), "b": (0, 0)})
        plain.look()
        empty.look()
    assert (empty.sureness, empty.margin) == (plain.sureness, plain.margin)
    assert plain.margin > 0


@pytest.mark.parametrize("freedom", [1, 4, 9.5, 30, 200, 5000])
def test_student_s_t_as_a_normal_deviate(freedom):
    """As unlikely as scipy says to 0.01, and beyond t = 2 never a bit less likely than it is."""
    from scipy.special import ndtri, stdtr

    student = np.linspace(-2, 2, 41)
    exact = -ndtri(stdtr(freedom, -student))
    assert as_normal(student, np.float64(freedom)) == pytest.approx(exact, abs=0.01)
    far = np.linspace(2, 12, 41)
    assert (as_normal(far, np.float64(freedom)) <= -ndtri(stdtr(freedom, -far)) + 1e-9).all()


def cycles(until: Mixture, count: int) -> Mixture:
    """Cycles of one series of two matches, both won by a."""
    for _ in range(count):
        until.add({"a": (2, 2), "b": (0, 2)})
        until.look()
    return until


def test_no_look_before_five_cycles():
    """Whatever the first cycles say: there is no sureness, no leader, and no time left to be told."""
    until = cycles(Mixture(Goal(1, 0.5), "ab", 6), 4)
    assert (until.settled, until.sureness, until.leaders, until.cycles_left()) == (False, 0.0, (), None)
    assert CYCLES_MIN == 5
    assert cycles(until, 1).leaders == ("a",)


# rare large losses


@pytest.mark.slow
@pytest.mark.nightly
def test_with_known_extremes_seldom_and_much_does_not_deceive():
    """Even bots, of which b wins 1 nine times of ten and loses 9 once: the promise holds.

    What has not been seen yet is allowed for.
    """
    rng, runs, wrong = np.random.default_rng(3), 200, 0
    for _ in range(runs):
        until = Mixture(Goal(1, 0.8), "ab", 40, extremes=(-9, 9))
        for lost in rng.random(40) < 0.1:
            won = -9 if lost else 1
            until.add({"a": (-2 * won, 2), "b": (2 * won, 2)})
            if until.look():
                break
        wrong += until.settled and until.leaders == ("b",)
    assert wrong / runs <= 0.2 + 2 * sqrt(0.2 * 0.8 / runs)


def test_with_unknown_extremes_seldom_and_much_deceives():
    """The limit that the docstring tells: it is declared when it has won eight times and not yet lost.

    That is so in 0.43 of the runs, and not in 0.2: by arithmetic, without a simulation.
    """
    until, won = Mixture(Goal(1, 0.8), "ab", 40), 0
    while not until.settled:
        won += 1
        until.add({"a": (-2, 2), "b": (2, 2)})
        until.look()
    assert (8, ("b",)) == (won, until.leaders)
    assert 0.9**won > 2 * 0.2
