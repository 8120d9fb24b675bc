"""Verifies the rows of decisions that a match kept: all, those with faults, or none, as its plan chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs
import msgspec

from arena.errors import FAULT_KINDS
from arena.match.game import CHANCE, Game
from arena.match.record import PackedMoves
from arena.match.rulings import MAY_BE_LAGGED
from arena.players.codec import Codec
from arena.store.schema import STORED, Row
from arena.verify.untruth import Untruth, Untruths, differs
from arena.words import printable

CHOICES = ("all", "faults", "none")
"""The decisions that a match may have kept rows of."""


class DecisionRows:
    """The rows of decisions of one match."""

    def __init__(self, where: str, rows: Sequence[Row], choices: Sequence[str]) -> None:
        """`choices`: which decisions may have been chosen to be kept: `all`, `faults`, `none`."""
        self.where = where
        self.choices = choices
        self.rows = [dict(zip(STORED["decisions"], row, strict=True)) for row in rows]
        self.faults = {(row["turn"], row["seat"]): row["fault"] for row in self.rows if row["fault"]}
        """(turn, seat) -> the kind of fault."""
        self.are_known = True
        """Whether these are all faults of the match: with decisions = none only their counts are kept."""
        self.are_all = False

    def shape(self, match: dict[str, Any], seats: Sequence[dict[str, Any]]) -> Untruths:
        """Checks that there are as many rows as there should be, as the counts of each seat say."""
        faults = sum(row[kind] for row in seats for kind in FAULT_KINDS)
        counts = {"all": match["decisions"], "faults": faults, "none": 0}
        allowed = sorted({counts[choice] for choice in self.choices})
        if len(self.rows) not in allowed:
            yield self._untruth("rows", len(self.rows), " or ".join(map(str, allowed)))
        self.are_all = len(self.rows) == match["decisions"]
        self.are_known = bool(self.rows) or not faults
        for number, row in enumerate(self.rows):
            if row["number"] != number:
                yield self._untruth("number", row["number"], number, row)
            if row["fault"] not in ("", *FAULT_KINDS):
                yield self._untruth("fault", row["fault"], "a kind of fault", row)
            if row["lagged"] and not (row["asked"] and (row["fault"] or None) in MAY_BE_LAGGED):
                yield self._untruth("lagged", row["lagged"], "0, as no lag can have caused it", row)
        if not self.are_known or (not faults and not self.rows):
            return
        found = Counter((row["seat"], row["fault"]) for row in self.rows)
        for row in seats:
            for kind in FAULT_KINDS:
                if row[kind] != (count := found[row["seat"], kind]):
                    yield differs(self.where, kind, row[kind], f"{count}, by its decisions", seat=row["seat"])

    def untruths(
        self,
        turns: list[list[bytes]],
        packed: PackedMoves,
        game: Game[Any, Any],
        seats: Sequence[dict[str, Any]],
    ) -> Untruths:
        """Checks that each row tells of a decision of the match, in order, with the move that was played."""
        if not self.rows:
            return
        codec = Codec(game, tuple(str(row["bot"]) for row in seats), None)
        rows, done = iter(self.rows), [0] * len(seats)
        for turn, moves in enumerate(turns):
            for seat, move in map(packed.move, moves):
                if seat == CHANCE:
                    continue
                row, number = seats[seat], done[seat]
                done[seat] += 1
                if not self.are_all and (turn, seat) not in self.faults:
                    continue
                said = printable(msgspec.json.encode(codec.move_json(move)).decode())
                asked = row["decisions"] - row["not_asked"]
                yield from self._compared(
                    next(rows), turn=turn, seat=int(seat), move=said, asked=int(number < asked)
                )
                fault = self.faults.get((turn, seat), "")
                if fault and number >= asked:
                    yield Untruth(self.where, "fault", fault, "none: it was not asked", turn, int(seat))
                if row["abandoned"] and number == asked - 1 and not fault:
                    not_asked, right = str(row["not_asked"]), "those after its last fault"
                    yield Untruth(self.where, "not_asked", not_asked, right, turn, int(seat))
        for row in rows:
            yield self._untruth("rows", "one of no decision of the match", "none", row)

    def _compared(self, row: dict[str, Any], **expected: object) -> Untruths:
        """Where a row is not as expected."""
        for name, value in expected.items():
            if row[name] != value:
                yield self._untruth(name, row[name], value, row)

    def _untruth(
        self, column: str, stored: object, expected: object, row: dict[str, Any] | None = None
    ) -> Untruth:
        told = differs(self.where, f"decisions, {column}", stored, expected)
        return told if row is None else attrs.evolve(told, turn=row["turn"], seat=row["seat"])
