"""The 169 classes of two cards before the flop: pairs, suited and not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.cards import RANKS

_DESCENDING: Final = RANKS[0] + RANKS[:0:-1]
"""The ranks from the ace to the deuce."""

CLASSES: Final = tuple(
    (one + other + ("" if one == other else kind))
    for at, one in enumerate(_DESCENDING)
    for other in _DESCENDING[at:]
    for kind in ("s", "o")[: 1 + (one != other)]
)
"""`"AA"`, `"AKs"`, `"AKo"` and so on, the highest ranks first."""


def class_of(cards: Sequence[str]) -> str:
    """The class of two cards."""
    one, other = sorted(cards, key=lambda card: _DESCENDING.index(card[0]))
    return one[0] + other[0] + ("" if one[0] == other[0] else "s" if one[1] == other[1] else "o")
