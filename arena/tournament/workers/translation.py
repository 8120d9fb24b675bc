"""Translates matches and orders into messages between a run and its workers, and back.  Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast, overload

import attrs

from arena.errors import FAULT_KINDS, FaultKind
from arena.match.game import Game, Seat
from arena.match.record import (
    TIME_BYTES,
    Capsule,
    Decision,
    Entry,
    MatchRecord,
    Place,
    SeatTotals,
    Turn,
    unpack,
)
from arena.schedule import Pairing, match_id
from arena.tournament.plan import deals_of
from arena.tournament.tournament import Tournament
from arena.tournament.workers.messages import (
    CapsuleSaid,
    DecisionSaid,
    MatchOrder,
    RecordSaid,
    RowSaid,
    TotalsSaid,
)

SEED_BYTES = 64
"""The length of a seed in messages, as seeds have at most 512 bits."""


def ordered_match(number: int, pairing: Pairing, without: frozenset[str]) -> MatchOrder:
    """The order to play this match."""
    return MatchOrder(
        number=number,
        id=pairing.id,
        bots=pairing.bots,
        seed=seed_bytes(pairing.seed),
        series=pairing.series,
        rotation=pairing.rotation,
        cycle=pairing.cycle,
        without=tuple(sorted(without)) if without else (),
    )


def pairing_of(order: MatchOrder, game: str) -> Pairing:
    """The planned match that is ordered."""
    return Pairing(
        id=order.id,
        game=game,
        bots=order.bots,
        seed=int.from_bytes(order.seed, "big"),
        series=order.series,
        rotation=order.rotation,
        cycle=order.cycle,
    )


def seed_bytes(seed: int) -> bytes:
    """A seed as bytes in a message."""
    return int(seed).to_bytes(SEED_BYTES, "big").lstrip(b"\0")


def record_said(entry: Entry) -> RecordSaid:
    """A finished match as a worker reports it."""
    record = entry.record
    return RecordSaid(
        turns=len(record.turns),
        totals=tuple([TotalsSaid(*attrs.astuple(totals)) for totals in entry.totals]),
        faults=tuple(map(_decision_said, entry.faults)),
        ranks=tuple(record.ranks),
        returns=tuple(map(float, record.returns)),
        adjusted=tuple(map(float, record.adjusted)),
        abandoned=tuple(map(bool, record.abandoned)),
        capsules=tuple(
            CapsuleSaid(_decision_said(each.decision), each.number, json.dumps(each.lines).encode())
            for each in record.capsules
        ),
        duration_s=record.duration_s,
        error=None if record.error is None else without_surrogates(record.error),
        points=tuple(map(float, entry.points)),
        packed=entry.packed,
        rows=tuple(
            RowSaid(_decision_said(each), without_surrogates(str(each.move))) for each in entry.decisions
        ),
        started_at=entry.started_at,
    )


def entry_from(
    tournament: Tournament,
    pairing: Pairing,
    without: frozenset[str],
    said: RecordSaid,
    place: Place | None = None,
) -> Entry:
    """The match as the run keeps it.  Raises ValueError if what was said cannot be true of this match."""
    bots, versions = pairing.bots, tournament.versions
    seats = len(bots)
    results = {len(said.ranks), len(said.returns), len(said.adjusted), len(said.points)}
    if not (len(said.abandoned) == len(said.totals) == seats and results <= {0, seats}):  # 0: aborted
        raise ValueError(f"found a result of another number of seats, expected {seats}")
    if said.rows or said.faults or said.capsules:  # most matches have none
        _check_decisions(said, seats)
    record = MatchRecord(
        turns=PackedTurns(tournament.game, said.packed, said.turns),
        decisions=(),
        ranks=said.ranks,
        returns=said.returns,
        adjusted=said.adjusted,
        abandoned=said.abandoned,
        capsules=tuple([_capsule_of(each) for each in said.capsules]) if said.capsules else (),
        duration_s=said.duration_s,
        error=said.error,
    )
    # Most matches have no fault, no rows of their own, and nobody withdrawn.
    return Entry(
        match_id=match_id(tournament.seed, pairing.id),
        pairing=pairing,
        deals=deals_of(tournament.plan),
        versions=tuple([versions.get(bot, "") for bot in bots]),
        withdrawn=tuple([bot in without for bot in bots]) if without else (False,) * seats,
        record=record,
        points=said.points,
        packed=said.packed,
        decisions=tuple([_decision_of(row.decision, row.move) for row in said.rows]) if said.rows else (),
        started_at=said.started_at,
        faults=tuple([_decision_of(each) for each in said.faults]) if said.faults else (),
        totals=tuple([_totals_of(each) for each in said.totals]),
        place=place,
    )


def _check_decisions(said: RecordSaid, seats: int) -> None:
    """Raises ValueError for a decision of a seat that does not exist, or with an unknown fault."""
    decisions = (
        *said.faults,
        *[row.decision for row in said.rows],
        *[capsule.decision for capsule in said.capsules],
    )
    for each in decisions:
        if not 0 <= each.seat < seats or each.turn < 0:
            raise ValueError(f"found a decision of seat {each.seat} in turn {each.turn}")
        if each.fault is not None and each.fault not in FAULT_KINDS:
            raise ValueError("found an unknown kind of fault")


def _capsule_of(said: CapsuleSaid) -> Capsule:
    try:
        lines = json.loads(said.lines)
    except RecursionError:
        raise ValueError("found evidence that is nested too deep") from None
    if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
        raise ValueError("found evidence that is not a list of objects")
    return Capsule(_decision_of(said.decision), said.number, tuple(lines))


class PackedTurns(Sequence[Turn]):
    """The turns of a match that was played elsewhere; they are unpacked when somebody looks at them."""

    def __init__(self, game: Game[Any, Any], packed: bytes, turns: int) -> None:
        self._game, self._packed, self._turns = game, packed, turns

    def __len__(self) -> int:
        return self._turns

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | Sequence[Turn]:
        return unpack(self._game, self._packed)[index]

    def __iter__(self) -> Iterator[Mapping[Seat, Any]]:
        return iter(unpack(self._game, self._packed))


def _decision_said(decision: Decision) -> DecisionSaid:
    return DecisionSaid(
        decision.turn,
        int(decision.seat),
        decision.elapsed_s,
        decision.fault,
        without_surrogates(decision.reason) if decision.reason else "",
        decision.asked,
        bool(decision.lagged),
    )


def _decision_of(said: DecisionSaid, move: str | None = None) -> Decision:
    return Decision(
        said.turn,
        Seat(said.seat),
        move,
        said.elapsed_s,
        cast("FaultKind | None", said.fault),
        said.reason,
        said.asked,
        said.lagged,
    )


def _totals_of(said: TotalsSaid) -> SeatTotals:
    """The totals in a message.  Raises ValueError if there is not one time for each decision."""
    if len(said.faults) != len(FAULT_KINDS):
        raise ValueError(f"found {len(said.faults)} kinds of faults, expected {len(FAULT_KINDS)}")
    if len(said.times) != TIME_BYTES * (said.decisions - said.not_asked):
        asked = said.decisions - said.not_asked
        raise ValueError(f"found {len(said.times) // TIME_BYTES} times, expected those of {asked} decisions")
    return SeatTotals(
        said.decisions, said.not_asked, said.lagged, said.faults, said.think_s, said.think_max_s, said.times
    )


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which cannot be encoded, written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
