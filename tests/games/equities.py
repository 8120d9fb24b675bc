"""Makes arena/games/holdem/equities.py: who wins how often if two hands are all in before the flop.

    python tests/games/equities.py        # about ten minutes; needs numpy

Every board is looked at, those that differ in their suits only once: on each, all 1,081 hands that may be
held there are compared with one another by the arena's own evaluator, and counted by their classes.  The two
hands have no card in common; the classes of all pairs are counted, so the mean goes over all suits.
"""

from __future__ import annotations

import base64
import sys
import zlib
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import numpy as np

from arena.games.cards import DECK
from arena.games.hands import codes, strengths_with
from arena.games.holdem.classes import CLASSES, class_of

TARGET = Path("arena/games/holdem/equities.py")
STEPS = 1 << 16
LINE = 100

HANDS = list(combinations(range(52), 2))
NUMBER = np.array([CLASSES.index(class_of((DECK[one], DECK[other]))) for one, other in HANDS])
PLACE = np.full((52, 52), -1)
for place, (one, other) in enumerate(HANDS):
    PLACE[one, other] = place
CODES = np.array(codes(DECK))
N = len(CLASSES)

# Of the 47 cards that are left, by their places: the hands, and which pairs of hands have one card in common.
LEFT = np.array(list(combinations(range(47), 2)))
_SHARED = (LEFT[:, None, :, None] == LEFT[None, :, None, :]).any((2, 3))
np.fill_diagonal(_SHARED, val=False)
ONE, OTHER = _SHARED.nonzero()


def boards() -> Counter[tuple[int, ...]]:
    """One of all boards that differ in their suits only, and how many these are."""
    suits = [card[1] for card in DECK]
    ranks = [card[0] for card in DECK]
    place = {card: number for number, card in enumerate(DECK)}
    letters = sorted(set(suits))
    turned = np.array(
        [
            [place[rank + order[letters.index(suit)]] for rank, suit in zip(ranks, suits, strict=True)]
            for order in permutations(letters)
        ]
    )
    every = np.array(list(combinations(range(52), 5)), dtype=np.int64)
    least = None
    for order in turned:
        cards = np.sort(order[every], axis=1)
        key = cards @ (52 ** np.arange(4, -1, -1, dtype=np.int64))
        least = key if least is None else np.minimum(least, key)
    keys, counts = np.unique(least, return_counts=True)
    cards = keys[:, None] // 52 ** np.arange(4, -1, -1) % 52
    return Counter({tuple(map(int, board)): int(count) for board, count in zip(cards, counts, strict=True)})


def compared(board: tuple[int, ...]) -> np.ndarray:
    """By both classes: how many more pairs of hands without a common card the one wins than it loses."""
    left = np.setdiff1d(np.arange(52), board)
    one, other = left[LEFT[:, 0]], left[LEFT[:, 1]]
    kinds = NUMBER[PLACE[one, other]]
    known = CODES[list(board)].tolist()
    hands = list(zip(CODES[one].tolist(), CODES[other].tolist(), strict=True))
    strength = np.fromiter((each for (each,) in strengths_with([known], hands)), np.int64, len(hands))
    # All pairs, by how many hands of each class are weaker than each hand, and how many are not stronger.
    order = np.argsort(strength)
    ordered = strength[order]
    below = np.zeros((len(hands) + 1, N), np.int16)
    below[np.arange(1, len(hands) + 1), kinds[order]] = 1
    np.cumsum(below, axis=0, out=below)
    weaker = below[np.searchsorted(ordered, strength, "left")]
    weaker += below[np.searchsorted(ordered, strength, "right")] - below[-1]
    by_class = np.argsort(kinds, kind="stable")
    starts = np.searchsorted(kinds[by_class], np.arange(N))
    is_there = np.bincount(kinds, minlength=N) > 0
    found = np.zeros((N, N))
    found[is_there] = np.add.reduceat(weaker[by_class], starts[is_there], axis=0, dtype=np.int32)
    # Less those that cannot be: two hands with a card in common.
    key = kinds[ONE] * N + kinds[OTHER]
    sign = np.sign(strength[ONE] - strength[OTHER])
    return found - np.bincount(key, sign, N * N).reshape(N, N)


def equities(won: np.ndarray) -> np.ndarray:
    """The share of the pot that the one wins of the other on average, from all that it wins on all boards."""
    apart = np.zeros((N, N))
    for one, hand in enumerate(HANDS):
        for other, its in enumerate(HANDS):
            if not {*hand} & {*its}:
                apart[NUMBER[one], NUMBER[other]] += 1
    return 0.5 + won / (2 * apart * 1_712_304)


def write(shares: np.ndarray) -> None:
    """Writes the shares of the first of each pair of classes."""
    assert np.allclose(shares + shares.T, 1)
    steps = np.rint(shares[np.triu_indices(N, 1)] * STEPS).astype("<u2")
    text = base64.b85encode(zlib.compress(steps.tobytes(), 9)).decode()
    lines = [f'    "{text[at : at + LINE]}"' for at in range(0, len(text), LINE)]
    before, after = TARGET.read_text().split("_PACKED = (\n")
    TARGET.write_text(before + "_PACKED = (\n" + "\n".join(lines) + "\n)" + after.split(")\n", 1)[1] + "\n")


def main() -> None:
    """Looks at every board."""
    won, everything = np.zeros((N, N)), boards()
    assert sum(everything.values()) == 2_598_960
    for number, (board, count) in enumerate(everything.items()):
        won += count * compared(board)
        if number % 5_000 == 0:
            print(f"{number:,} of {len(everything):,} boards", file=sys.stderr, flush=True)
    write(equities(won))


if __name__ == "__main__":
    main()
