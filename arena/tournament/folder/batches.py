"""The batches of a ladder, as its folder keeps them: a row for each, in JSON.

What ratings said is in the rows too, so that whoever goes on, or checks, plans the same without rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import msgspec

from arena.errors import ConfigError
from arena.schedule.ladder_rows import BatchRow, LadderStanding
from arena.store import Row

PAIRS_MAX = 500
"""How many pairs whose order is open are kept: those that are most open."""


ERROR_MAX = 1e6
"""Ratings that are known less well than this (Elo) are not known."""


class ContradictedBatch(ConfigError):
    """A batch of a folder says what cannot be, or what its matches contradict."""

    def __init__(self, number: int, found: str, right: str) -> None:
        super().__init__(f"batch {number}: found {found}, expected {right}")
        self.number, self.found, self.right = number, found, right


@attrs.frozen
class KeptStanding:
    """What ratings said when a batch was planned, in JSON's types."""

    errors: Mapping[str, float]
    """Bot -> within how many Elo its rating is known."""
    open: tuple[tuple[str, str, float], ...] = ()
    """Two bots, and how open their order is."""

    @classmethod
    def of(cls, standing: LadderStanding) -> KeptStanding:
        """As much of a standing as is kept."""
        pairs = [(min(bots), max(bots), share) for bots, share in (standing.shares or {}).items()]
        pairs.sort(key=lambda pair: (-pair[2], pair))
        errors = {bot: round(error, 1) for bot, error in standing.errors.items() if error < ERROR_MAX}
        return cls(errors, tuple(pairs[:PAIRS_MAX]))

    @property
    def standing(self) -> LadderStanding:
        """The standing, as a ladder takes it."""
        shares = {frozenset((one, other)): share for one, other, share in self.open}
        return LadderStanding(self.errors, shares or None)


@attrs.frozen
class KeptBatch:
    """A batch as its folder has it."""

    row: BatchRow
    standing: KeptStanding | None = None
    """None: what ratings said before still holds."""

    def said(self) -> dict[str, Any]:
        """The batch in JSON's types."""
        said: dict[str, Any] = msgspec.to_builtins(self.row)
        return said if self.standing is None else said | {"standing": msgspec.to_builtins(self.standing)}


def batches_in(rows: Iterable[Row]) -> Iterator[KeptBatch]:
    """The batches of a folder, from their numbers and rows, one by one.

    Raises ContradictedBatch if one of them cannot be read.
    """
    for number, text in rows:
        try:
            row, standing = msgspec.json.decode(text, type=dict[str, Any]), None
            if "standing" in row:
                standing = msgspec.convert(row.pop("standing"), KeptStanding)
            yield KeptBatch(msgspec.convert(row, BatchRow), standing)
        except (msgspec.DecodeError, TypeError, ValueError) as error:
            raise ContradictedBatch(number, str(error), "the row of a batch") from None
