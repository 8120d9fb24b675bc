"""The place of a worker in a run: what it has been given, and whether it has room for more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

import attrs
import trio

from arena.match.record import Entry
from arena.tournament.play.grounds import Over, TakenMatch
from arena.tournament.workers.messages import (
    BeginWork,
    DropMatches,
    Errand,
    MatchOrder,
    PlayMatches,
    WithdrawBot,
)
from arena.tournament.workers.translation import ordered_match

AHEAD_S = 0.5
"""Matches for so long wait at a worker, so that it need not wait for the next one: it tells of finished ones
some at a time."""
AHEAD_MAX = 512

WANTED_MAX = 20_000
"""So many matches at once are given to one worker, whatever it asks for: others are to play as well."""


class StartedWorker(Protocol):
    """A worker that was started, however it is reached."""

    @property
    def stream(self) -> trio.abc.HalfCloseableStream:
        """Leads to its pipe."""

    @property
    def host(self) -> str:
        """The name of its machine."""

    @property
    def where(self) -> str:
        """Behind its name in messages: ` on host7`; nothing if it is on this machine."""

    @property
    def ending(self) -> str:
        """What became of it, once it is gone: `was killed by SIGKILL`."""

    is_trusted: bool
    """Whether it has said nothing yet that cannot be."""


@attrs.define(eq=False)
class TakenThere(TakenMatch):
    """A match that a worker has."""

    number: int
    post: WorkerPost
    ordered_at: float
    over: Over | None = None
    """Whom to tell."""
    is_answered: bool = False
    is_dropped: bool = False
    """Whether it is to be dropped if it has not begun."""

    def answer(self, entry: Entry | None) -> None:
        """It is over; None: it was dropped."""
        assert self.over is not None, "what was ordered was started in the same step"
        self.is_answered = True
        self.over(self, entry)


class WorkerPost:
    """The place of one worker: when it is lost, another one takes its place."""

    def __init__(self, name: str, begin: BeginWork, fingerprints: Mapping[str, str]) -> None:
        self.name = name
        self.begin = begin
        self.fingerprints = fingerprints
        """Of the bots that may be seated here."""
        self.quotas = {one.name: one.instances_max for one in begin.entrants if one.instances_max is not None}
        self.taken_on: dict[int, TakenThere] = {}
        """What it has been given, by number."""
        self.busy: Counter[str] = Counter()
        """In how many of them each bot plays that can only play in so many."""
        self.wanted = 0
        """How many matches it could have; 0: it is not there."""
        self.outbox: list[Errand] = []
        self.has_mail = trio.Event()
        self.is_manned = trio.Event()
        """Set when its first worker is there."""
        self.lost_in_a_row = 0
        self.is_over = False
        """Whether it has said goodbye."""
        self.gone = trio.Event()
        self.scope = trio.CancelScope(shield=True)  # a run that is cancelled ends its workers in order
        self.recruit: StartedWorker | None = None
        """The worker, while it plays."""
        self._match_s: float | None = None
        """The time from one finished match to the next, on average."""
        self._ahead = 1
        """How many matches may wait at the worker."""
        self._finished_at: float | None = None

    @property
    def has_room(self) -> bool:
        """Whether it is there and has fewer matches than it can make use of."""
        return self.wanted > 0 and len(self.taken_on) < self.wanted + self._ahead

    def can_seat(self, bots: Iterable[str]) -> bool:
        """Whether it has room for a match between these."""
        if not self.has_room:
            return False
        # No `all`, which takes twice as long: this is asked three times for every match.
        for bot in bots:  # noqa: SIM110
            if not self.is_free(bot):
                return False
        return True

    def seat(self, bots: Iterable[str]) -> None:
        """These play in one more match here."""
        for bot in bots:
            if bot in self.quotas:
                self.busy[bot] += 1

    def unseat(self, bots: Iterable[str]) -> None:
        """A match between these is over."""
        for bot in bots:
            if bot in self.quotas:
                self.busy[bot] -= 1

    def is_free(self, bot: str) -> bool:
        """Whether the bot may play in one more match here."""
        return bot in self.fingerprints and (bot not in self.quotas or self.busy[bot] < self.quotas[bot])

    def note_finished(self, matches: int, wanted: int) -> None:
        """So many matches are over; the worker could have so many now."""
        now = trio.current_time()
        if self._finished_at is not None and matches:
            took_s = (now - self._finished_at) / matches
            weight = 1.0 if self._match_s is None else 1 - 0.9**matches
            self._match_s = weight * took_s + (1 - weight) * (self._match_s or 0.0)
            self._ahead = min(AHEAD_MAX, int(AHEAD_S / max(self._match_s, 1e-6)))
        self._finished_at, self.lost_in_a_row = now, 0
        self.want(wanted)

    def want(self, matches: int) -> None:
        """The worker could have so many matches."""
        self.wanted = min(max(1, matches), WANTED_MAX)

    def say(self, message: Errand) -> None:
        """Has this sent, once the worker is there."""
        self.outbox.append(message)
        self.has_mail.set()

    def resubmit(self, withdrawn: Iterable[str]) -> None:
        """The worker is lost: all that it has not answered is ordered anew."""
        self.wanted, self._finished_at = 0, None
        self.outbox = [WithdrawBot(bot) for bot in withdrawn]
        for taken in self.taken_on.values():
            if taken.is_answered:
                continue
            if taken.is_dropped:
                taken.answer(None)
            else:
                self.outbox.append(ordered_match(taken.number, taken.pairing, taken.without))
        self.has_mail.set()


def bundled(
    mail: Iterable[Errand],
) -> list[PlayMatches | DropMatches | WithdrawBot]:
    """Messages in the same order; orders in succession are one."""
    bundles: list[PlayMatches | DropMatches | WithdrawBot] = []
    orders: list[MatchOrder] = []
    for message in mail:
        if isinstance(message, MatchOrder):
            orders.append(message)
            continue
        if orders:
            bundles.append(PlayMatches(tuple(orders)))
            orders = []
        bundles.append(message)
    return [*bundles, PlayMatches(tuple(orders))] if orders else bundles


__all__ = ["StartedWorker", "TakenThere", "WorkerPost", "bundled"]
