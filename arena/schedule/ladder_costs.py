"""What a ladder costs in time and room, from how long a match takes: estimates for its host.  Pure.

How many matches it takes follows from schedule and ratings, whatever the game; `tests/trust/placing.py`
measures it, with bots whose true strengths have a standard deviation of 150 Elo.  A newcomer among forty is
placed, within 100 Elo at all looks, after 124 matches of its own or, in every third case, 252.  Of all pairs
100 Elo apart 99 % are in a sure order after 3,300 matches of ten bots, 7,200 of twenty, 19,300 of forty and
47,200 of eighty.
"""

from __future__ import annotations

import attrs

from arena.schedule.ladder_batch import TURN_PART

PLACED_MATCHES = 170
"""How many matches a newcomer plays until it is placed, on average."""
GROWING_BATCHES = 6
"""In how many batches it comes to play as much as it may: its first has two series, and each doubles that."""
SETTLED_MATCHES, SETTLED_GROWTH = 310, 0.3
"""How many matches a bot it takes, of ten bots, until their order is settled, and how that grows with their
number: by this power of it."""
ARENA_S = 0.02
"""What the arena itself computes for a match of some thirty moves (`arena bench`)."""
HOUR_S, WEEK_H, GB = 3_600, 168, 1e9


@attrs.frozen(kw_only=True)
class LadderCosts:
    """What is to be expected of a ladder as it goes now."""

    matches_an_hour: float
    newcomer_minutes: float
    """Until a version that has just been let in is ranked: its rating is known within 100 Elo."""
    settled_hours: float
    """From the first match until bots 100 Elo apart are in a sure order."""
    gb_a_week: float
    """What the matches take on the disk."""


def ladder_costs(
    *, bots: int, match_s: float, cores: float, match_bytes: float, batch_s: float
) -> LadderCosts:
    """The costs of a ladder of so many bots.

    `match_s`: how long a match waits for its bots, all together; they are taken to compute all that time.
    `cores`: what the league may keep busy; `batch_s`: how long a batch lasts at most.
    """
    busy_s = (match_s + ARENA_S) / max(cores, 1e-9)
    an_hour = HOUR_S / busy_s
    own = 1 - 1 / TURN_PART  # a fifth of all series goes to all in turn
    settled = SETTLED_MATCHES * bots * (bots / 10) ** SETTLED_GROWTH
    return LadderCosts(
        matches_an_hour=an_hour,
        newcomer_minutes=(GROWING_BATCHES * batch_s + PLACED_MATCHES * busy_s / own) / 60,
        settled_hours=settled / an_hour,
        gb_a_week=an_hour * WEEK_H * match_bytes / GB,
    )
