"""`--until` where a game is rated by returns: with declared bounds it knows how much a rare match may change."""

import pytest

from arena.analysis.stopping.goal import parse_goal
from arena.cli.runs.until import UntilRule
from arena.schedule import FORMATS, Terms
from arena.schedule.course import ClosedSeries, Course, MatchResult

WON = {"a": 1.0, "b": -1.0}


def settled_after(bounds, cycles=400):
    """What is concluded of a bot that wins a chip in every match, and after how many cycles; None: never."""
    rule = UntilRule(parse_goal("best at 90%"), rated_by="returns", returns_bounds=bounds)
    terms = Terms(game="toy", seats=2, series=cycles, seed=1, deals="same")
    course = Course(["a", "b"], FORMATS["round-robin"], terms, withdrawn_after=3, restarts_max=9)
    rule.begins(course)
    for cycle in range(cycles):
        matches = tuple(
            (
                pairing,
                MatchResult(points=(1.0, 0.0), returns=tuple(map(WON.get, pairing.bots)), faults=(0, 0)),
            )
            for pairing in course.order
            if pairing.cycle == cycle
        )
        if rule.closed(ClosedSeries(str(cycle), cycle, True, matches)):
            return cycle + 1, rule.conclusion()
    return None, rule.conclusion()


@pytest.mark.parametrize(("bots", "counted"), [("abcd", "of 9 cycles"), ("abcdefgh", "of 25 batches")])
def test_what_is_counted_until_it_is_settled(bots, counted):
    """Laps, or the batches of which a lap of more bots has several."""
    rule = UntilRule(parse_goal("best at 90%"), rated_by="ranks")
    terms = Terms(game="toy", seats=2, series=9, seed=1, deals="same")
    how = {"withdrawn_after": 3, "restarts_max": 9, "shares": rule.shares}
    rule.begins(Course(bots, FORMATS["round-robin"], terms, **how))
    assert counted in rule.conclusion()


@pytest.mark.slow
def test_bounds_keep_a_rare_loss_in_mind():
    """A chip in every match is settled at once if two are the most, and not at all if a thousand may be lost."""
    unknown, warned = settled_after(None)
    close, certain = settled_after((-2.0, 2.0))
    far, _ = settled_after((-1000.0, 1000.0))
    assert unknown <= close < 400
    assert far is None
    assert "returns that are rare and large, and have not come yet, may still change that" in warned
    assert certain.endswith("cycles: a")
