"""Plays one match with the referee, from its seats to the entry that is kept of it, scored and packed."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec

from arena.errors import FAULT_KINDS
from arena.match.game import Game
from arena.match.record import Decision, Entry, MatchRecord, Turn, is_lagged, pack
from arena.match.scoring import points
from arena.players.codec import Codec
from arena.players.lag import LagWatch
from arena.referee import Conduct, Seating, play_match
from arena.schedule import Pairing, bot_seeds, deals_in, match_id
from arena.schedule.course import MatchResult
from arena.schedule.withdrawals import BotOutcome
from arena.tournament.plan import control_of
from arena.tournament.play.conversations import Conversations
from arena.tournament.play.instances import Instance
from arena.tournament.tournament import Tournament


class MatchRunner:
    """Plays matches of one run and makes entries of them."""

    def __init__(self, tournament: Tournament, watch: LagWatch, conversations: Conversations) -> None:
        self.tournament = tournament
        self.watch = watch
        self.conversations = conversations

    async def play(
        self,
        pairing: Pairing,
        without: frozenset[str],
        seated: Sequence[Instance | None],
        decisions: list[Decision] | None = None,
    ) -> Entry:
        """Plays one match and scores it; `decisions` is filled as it goes."""
        run = self.tournament
        id, deals = match_id(run.seed, pairing.id), deals_in(pairing, run.seed)
        started_at = time.time()
        turns: list[Turn] = []
        for instance in filter(None, seated):
            self.conversations.attend(instance.bot, instance.player, id)
        try:
            record = await play_match(
                run.game,
                [None if instance is None else instance.player for instance in seated],
                seed=pairing.seed,
                control=control_of(run.plan, connecting=False),
                conduct=Conduct(run.plan.faults_max),
                seating=Seating(
                    id, pairing.bots, bot_seeds(run.seed, id, pairing.series, len(seated), deals)
                ),
                lag=self.watch.since,
                turns=turns,
                decisions=decisions,
            )
            return self._entry(pairing, without, record, started_at)
        except Exception:  # one of two broad catches in the arena: our bug spoils this match and no other
            error = traceback.format_exc()
        aborted = MatchRecord(tuple(turns), (), (), (), (False,) * len(seated), error=error)
        return self._entry(pairing, without, aborted, started_at)

    def _entry(
        self, pairing: Pairing, without: frozenset[str], record: MatchRecord, started_at: float
    ) -> Entry:
        run = self.tournament
        return Entry(
            match_id=match_id(run.seed, pairing.id),
            pairing=pairing,
            deals=deals_in(pairing, run.seed),
            versions=tuple(run.versions.get(bot, "") for bot in pairing.bots),
            withdrawn=tuple(bot in without for bot in pairing.bots),
            record=record,
            points=() if record.error else points(record.ranks),
            packed=packed_moves(run.game, record),
            decisions=self._kept(pairing, record),
            started_at=started_at,
        )

    def _kept(self, pairing: Pairing, record: MatchRecord) -> tuple[Decision, ...]:
        """The decisions that get rows of their own, with moves as JSON text."""
        wanted = self.tournament.plan.decisions
        if wanted == "none" or (wanted == "faults" and not record.capsules):
            return ()
        codec = Codec(self.tournament.game, pairing.bots, None)
        return tuple(
            decision._replace(move=msgspec.json.encode(codec.move_json(decision.move)).decode())
            for decision in record.decisions
            if wanted == "all" or decision.fault is not None
        )


def packed_moves(game: Game[Any, Any], record: MatchRecord) -> bytes:
    """The moves of a match, packed; if the rules broke, as many of them as can be packed."""
    if record.error is None:
        return pack(game, record.turns)
    for end in range(len(record.turns), 0, -1):
        with suppress(Exception):  # a move of a class unknown to the game may be what broke the rules
            return pack(game, record.turns[:end])
    return pack(game, ())


def result_of(entry: Entry) -> MatchResult:
    """A match's result, as the course takes it."""
    return MatchResult(
        points=entry.points,
        returns=entry.record.adjusted,
        faults=tuple([sum(totals.faults) for totals in entry.totals]),
        withdrawn=entry.withdrawn,
    )


def outcomes_of(entry: Entry) -> dict[str, BotOutcome]:
    """How each bot came through a match."""
    abandoned, withdrawn = entry.record.abandoned, entry.withdrawn
    if not (entry.faults or True in abandoned or True in withdrawn):  # as nearly always
        return dict.fromkeys(entry.pairing.bots, _FINE)
    gone = {decision.seat for decision in entry.faults if decision.fault == "gone"}
    crashed = [seat in gone for seat in range(len(entry.pairing.bots))]
    lagged = [
        is_lagged(sum(totals.faults), totals.faults[_TOO_LATE], totals.lagged) for totals in entry.totals
    ]
    return outcomes_by_bot(entry.pairing, abandoned, lagged, crashed, withdrawn)


def outcomes_by_bot(
    pairing: Pairing,
    abandoned: Sequence[bool],
    lagged: Sequence[bool],
    crashed: Sequence[bool],
    withdrawn: Sequence[bool],
) -> dict[str, BotOutcome]:
    """How each bot came through a match, by its seats' flags, whether just played or read from a folder."""
    return dict(zip(pairing.bots, map(_outcome, abandoned, lagged, crashed, withdrawn), strict=True))


@cache
def _outcome(abandoned: bool, lagged: bool, crashed: bool, withdrawn: bool) -> BotOutcome:
    return BotOutcome(abandoned=abandoned, lagged=abandoned and lagged, crashed=crashed, withdrawn=withdrawn)


_FINE = BotOutcome()
_TOO_LATE = FAULT_KINDS.index("too_late")
