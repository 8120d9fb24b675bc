"""What the referee decides without a clock: chance's moves, the judgement of each answer, and when a seat is
not asked any more.  Pure.

Matches are played with these functions, and verified with them long after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from random import Random
from typing import Any, Final, Literal, TypeAlias

import attrs

from arena.errors import FaultKind
from arena.match.clock import Limit
from arena.match.game import Game
from arena.schedule import derive_seed

UNREAD = "does not read: the question could not be handed over in time"


def draw_of(game: Game[Any, Any], state: Any, seed: int) -> Any:
    """The move that chance makes in this state of the match with this seed."""
    return game.draw(state, Random(derive_seed(seed, *game.chance_key(state))))


def lucks_of(game: Game[Any, Any], state: Any, seed: int) -> Iterator[tuple[float, ...]]:
    """What chance gave each seat in each stretch that was left to it, if the game declares it."""
    return (
        game.luck(state, lambda key: Random(derive_seed(seed, "luck", key)))
        if game.adjusts_luck
        else iter(())
    )


def less_luck(returns: Sequence[float], lucks: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """The returns without their luck."""
    summands = [[won] for won in returns]
    for luck in lucks:
        for own, gained in zip(summands, luck, strict=True):
            own.append(-gained)
    return tuple(map(fsum, summands))


def is_given_up(faults: int, faults_max: int) -> bool:
    """Whether a seat with this many faults is not asked any more in its match."""
    return faults >= faults_max


# The judgement of an answer: a table.


Arrival: TypeAlias = Literal["in time", "unheard", "late", "unread"]
"""When an answer, or the news that there will be none, came: see the table."""


@attrs.frozen
class Ruling:
    """What an answer comes to: its move counts, or it is a fault and the game's default move is played."""

    fault: FaultKind | None = None
    """None: its move counts."""
    reason: str = ""
    """With the times in braces, where the player gave no reason of its own for this very fault."""
    is_charged_limit: bool = False
    """Whether it costs all its limit, however long it took."""
    is_lagged: bool | None = False
    """Whether the arena's own lag may have caused it; None: if the arena was late meanwhile."""

    def reason_for(self, fault: FaultKind | None, reason: str, elapsed_s: float, limit: Limit) -> str:
        """The reason to record for this fault; `fault` and `reason` are those that the player gave."""
        if reason and fault == self.fault:
            return reason
        return self.reason.format(elapsed_s=elapsed_s, time_s=limit.time_s)


_COUNTS, _ILLEGAL, _MALFORMED, _GONE = Ruling(), Ruling("illegal"), Ruling("malformed"), Ruling("gone")
_SILENT = Ruling("too_late", "no answer within {time_s:g} s", is_lagged=None)
# The wait is shared, and others may have had more time: silence costs one's own limit, not the wait.
_WAITED_FOR = attrs.evolve(_SILENT, is_charged_limit=True)
_LATE = Ruling("too_late", "answered after {elapsed_s:.3f} s; the limit is {time_s:g} s", is_lagged=None)
_UNREAD = Ruling("gone", UNREAD)

RULINGS: Final[Mapping[Arrival, Mapping[FaultKind | None, Ruling]]] = {
    "in time": {
        None: _COUNTS,
        "illegal": _ILLEGAL,
        "malformed": _MALFORMED,
        "too_late": _SILENT,  # given up at its very limit, or by a player that keeps its time itself
        "gone": _GONE,
    },
    "unheard": {  # it has the benefit of the doubt, and whatever it is counts; nobody can tell its time
        None: Ruling(None, is_charged_limit=True, is_lagged=True),
        "illegal": Ruling("illegal", is_charged_limit=True, is_lagged=True),
        "malformed": Ruling("malformed", is_charged_limit=True, is_lagged=True),
        "too_late": _WAITED_FOR,
        "gone": _GONE,
    },
    "late": {  # what it is does not matter any more
        None: _LATE,
        "illegal": _LATE,
        "malformed": _LATE,
        "too_late": _WAITED_FOR,
        "gone": _GONE,
    },
    "unread": {  # what answers a question that was not handed over is a guess
        None: _UNREAD,
        "illegal": _UNREAD,
        "malformed": _UNREAD,
        "too_late": _WAITED_FOR,  # the player that gives up knows whether it was read
        "gone": _GONE,
    },
}
"""When it came -> what it is, by the player that was asked and the options -> what it comes to.  Every
combination has a row."""
MAY_BE_LAGGED: Final = frozenset(
    ruling.fault for row in RULINGS.values() for ruling in row.values() if ruling.is_lagged is not False
)
"""The faults, and None for a move that counts, that the arena's own lag may have caused."""


def ruling_on(
    fault: FaultKind | None, elapsed_s: float, heard_since_s: float, limit_s: float, was_read: bool
) -> Ruling:
    """The ruling on an answer that came this long after its question; `fault`: None if its move is legal.

    `heard_since_s`: when the arena had last listened and heard nothing, on the same clock.  `was_read`:
    whether the question was handed over.
    """
    if elapsed_s <= limit_s:
        return RULINGS["in time"][fault]
    if not was_read:
        return RULINGS["unread"][fault]
    return RULINGS["late" if heard_since_s > limit_s else "unheard"][fault]
