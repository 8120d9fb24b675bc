"""Checks what a game says of a finished match: returns, ranks, bounds, and luck.  For `check_game`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import fsum, isclose, isfinite
from typing import Any

from arena.match.game import Game, shared_returns
from arena.match.rulings import less_luck, lucks_of

SLACK = 1e-9
"""How far sums of fractions may be off, as a share of the largest."""


def check_result(game: Game[Any, Any], state: Any, seats: int) -> None:
    """Checks that there are returns and ranks, that ranks are places, and that the two agree."""
    ranks, returns = game.ranks(state), game.returns(state)
    for name, values in (("ranks", ranks), ("returns", returns)):
        assert isinstance(values, tuple), f"{name} are {values!r}, not a tuple"
        assert len(values) == seats, f"{name} are {values} at a table of {seats}"
    places = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
    assert places == ranks, f"ranks are {ranks}; as places, ties sharing the best, they would be {places}"
    for one, other in permutations(range(seats), 2):
        ok = returns[one] <= returns[other] or ranks[one] <= ranks[other]
        assert ok, f"returns {returns} and ranks {ranks} do not agree on seats {one} and {other}"
    if game.rated_by == "ranks":
        due = shared_returns(ranks)
        assert due == returns, f"returns are {returns}; for the ranks {ranks} they would be {due}"

    bounds = game.returns_bounds(seats)
    ok = bounds is None or bounds[0] <= min(returns) <= max(returns) <= bounds[1]
    assert ok, f"returns are {returns}, beyond the {bounds} of returns_bounds"
    _check_adjusted(game, state, returns, bounds)


def _check_adjusted(
    game: Game[Any, Any], state: Any, returns: Sequence[float], bounds: tuple[float, float] | None
) -> None:
    """Checks that luck, if declared, is chips that seats win of each other, and that nothing else made it.

    Whether it is 0 on average depends on the moves that are likely: a test of the game's own must show that.
    """
    lucks, again = (list(lucks_of(game, state, seed=0)) for _ in range(2))
    assert lucks == again, "luck returns two answers to one question"
    for luck in lucks:
        ok = isinstance(luck, tuple) and all(type(each) in (int, float) and isfinite(each) for each in luck)
        assert ok, f"luck gives {luck!r}, not a tuple with a number for each seat"
        assert len(luck) == len(returns), f"luck gives {luck} at a table of {len(returns)}"
        ok = fsum(returns) != 0 or isclose(fsum(luck), 0, abs_tol=SLACK * max(map(abs, (*luck, 1))))
        assert ok, f"luck gives {luck}, which seats have not won of each other, as they do their returns"
    if bounds is not None:
        adjusted, slack = less_luck(returns, lucks), SLACK * (bounds[1] - bounds[0])
        ok = bounds[0] - slack <= min(adjusted) <= max(adjusted) <= bounds[1] + slack
        assert ok, f"returns without luck are {adjusted}, beyond the {bounds} of returns_bounds"


def check_bounds(bounds: Any) -> None:
    """Checks that bounds of returns, if declared, are two finite numbers, the lower one first."""
    if bounds is None:
        return
    ok = isinstance(bounds, tuple) and all(type(each) in (int, float) and isfinite(each) for each in bounds)
    assert ok, f"returns_bounds returns {bounds!r}, not two numbers"
    ok = len(bounds) == 2 and bounds[0] < bounds[1]
    assert ok, f"returns_bounds returns {bounds}, not the lowest returns and then the highest"
