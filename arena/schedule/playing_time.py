"""How playing time is shared by owner: everybody has an equal part of what is played.  Pure.

Each owner has an account.  A batch adds an equal part of the time that all bots took in it, and takes off
what the owner's own bots took.  What an owner leaves is saved, up to `CREDIT`: that places a new version
quickly.  Who is below nothing is not paired until the account has been filled again, so that a bot that
sleeps, or forty of one owner, cost their owner's share and nobody else's.  (Token buckets: Turner, IEEE
Communications Magazine 24, 1986.)

The credit is counted in *average series*: the mean time that one of the last series took one of its bots.
So it means the same in a ladder of quick bots and in one of slow ones.  What is remembered is counted in
series too: by batches, some short ones in which nothing closed would forget what a series takes, and with it
what all have saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, fsum

import attrs

CREDIT = 100.0
"""How many average series an owner may save: about as many as it takes to place a new version."""
REMEMBERED = 500
"""Over about how many of the last series, counted once for each bot, the mean goes."""


@attrs.frozen
class TimeAccounts:
    """What each owner may still use, and what a series takes on average."""

    left: Mapping[str, float] = attrs.field(factory=dict)
    """Owner -> seconds left; owners who are not in it have what may be saved."""
    income: float = 0.0
    """How many seconds the last batch added to the account of each owner who was present."""
    seconds: float = 0.0
    """The time that the last series took, older ones a smaller part."""
    series: float = 0.0
    """How many these are, once for each bot, counted alike."""

    @property
    def credit(self) -> float:
        """How many seconds an owner may save."""
        return CREDIT * self.seconds / max(1.0, self.series)

    def of(self, owner: str) -> float:
        """How many seconds this owner may still use; negative if it has used more."""
        return self.left.get(owner, self.credit)

    def is_overdrawn(self, owner: str) -> bool:
        """Whether this owner has used more than its share."""
        return self.of(owner) < 0

    def batches_until_share(self, owner: str) -> int:
        """How many batches like the last one it takes until the owner has a share again."""
        return ceil(-self.of(owner) / self.income) if self.is_overdrawn(owner) and self.income > 0 else 0

    def after(self, spent: Mapping[str, float], owners: Iterable[str], seats_closed: int) -> TimeAccounts:
        """The accounts after a batch.

        `spent`: owner -> seconds that its bots took; `owners`: those who were present, among whom this is
        shared; `seats_closed`: of how many bots, all together, a series has closed.  An owner who is away
        keeps the account as it is: a debt does not go by leaving.
        """
        present = sorted(set(owners))
        total = fsum(spent.values())
        kept = (1 - 1 / REMEMBERED) ** seats_closed
        known = attrs.evolve(
            self,
            income=total / len(present) if present else 0.0,
            seconds=kept * self.seconds + total,
            series=kept * self.series + seats_closed,
        )
        left = dict(self.left)
        for owner in sorted({*present, *spent}):
            added = known.income if owner in present else 0.0
            left[owner] = min(known.credit, known.of(owner) + added) - spent.get(owner, 0.0)
        return attrs.evolve(known, left=left)

    def during(self, spent: Mapping[str, float]) -> TimeAccounts:
        """The accounts in the middle of a batch, in which each owner's bots have taken so many seconds.

        Nobody is charged before it is known what a series takes.
        """
        if not self.credit:
            return self
        taken = {owner: self.of(owner) - seconds for owner, seconds in spent.items()}
        return attrs.evolve(self, left={**self.left, **taken})

    def admitted(self, owners: Iterable[str], least: int) -> frozenset[str]:
        """The owners whose bots may be paired: all who are not overdrawn.

        If these are fewer than the `least` that a match takes, those who are overdrawn least come in: a share
        matters only where others want to play.
        """
        ranked = sorted(set(owners), key=lambda owner: (-self.of(owner), owner))
        return frozenset(
            owner for place, owner in enumerate(ranked) if place < least or not self.is_overdrawn(owner)
        )


def spent_by_owner(seats: Iterable[tuple[str, float]], owner_of: Mapping[str, str]) -> dict[str, float]:
    """Owner -> the seconds that its bots took; `seats`: a bot and its seconds, for each seat of each match.

    So a bot that sleeps is charged for it, and those that wait for it are not.
    """
    parts: dict[str, list[float]] = {}
    for bot, seconds in seats:
        parts.setdefault(owner_of[bot], []).append(seconds)
    return {owner: fsum(each) for owner, each in sorted(parts.items())}
