"""The loop of `random_match` on PokerKit: what a well-made poker library plays in the same time.

PokerKit automates everything that it can, and does only what this loop needs, so that the comparison
is fair.  PokerKit is a development dependency, imported here and nowhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.metadata import version
from random import Random
from typing import Any

import pokerkit

VERSION = version("pokerkit")
AUTOMATIONS = tuple(pokerkit.Automation)


def play_hands(rules: Mapping[str, Any], seats: int, rng: Random) -> int:
    """The decisions in `hands` hands of random legal play by these house rules, stacks equal before each.

    Cards come from PokerKit's own random source; random play does not look at them.
    """
    assert rules["reset_stacks"], "every hand here begins with equal stacks"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it finds folding for free unreasonable; ours may do it
        return sum(_play_hand(rules, seats, rng) for _ in range(rules["hands"]))


def _play_hand(rules: Mapping[str, Any], seats: int, rng: Random) -> int:
    state = pokerkit.NoLimitTexasHoldem.create_state(
        AUTOMATIONS,
        True,
        0,
        (rules["small_blind"], rules["big_blind"]),
        rules["big_blind"],
        rules["stack"],
        seats,
        mode=pokerkit.Mode.CASH_GAME,  # in its tournaments nobody may fold for free
    )
    decisions = 0
    while state.status:
        least = state.min_completion_betting_or_raising_to_amount
        chosen = rng.randrange(2 if least is None else 3)
        if chosen == 0:
            state.fold()
        elif chosen == 1:
            state.check_or_call()
        else:
            most = state.max_completion_betting_or_raising_to_amount
            assert least is not None
            assert most is not None
            state.complete_bet_or_raise_to(rng.randint(least, most))
        decisions += 1
    return decisions
