"""The place of a worker in a run: what it has been given, and whether it has room for more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import inf
from typing import Protocol

import attrs
import trio

from arena.record import Entry
from arena.tournament.grounds import TakenMatch
from arena.tournament.workers.messages import (
    BeginWork,
    DropMatches,
    Errand,
    MatchOrder,
    PlayMatches,
    WithdrawBot,
)
from arena.tournament.workers.translation import ordered_match

AHEAD_S = 0.25
"""Matches for so long wait at a worker, so that it need not wait for the next one."""
AHEAD_MAX = 64


class Recruit(Protocol):
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


@attrs.define(eq=False)
class TakenThere(TakenMatch):
    """A match that a worker has."""

    number: int
    post: Post
    answered: trio.Event = attrs.field(factory=trio.Event)
    entry: Entry | None = None
    """None: it was dropped, or it is not over."""
    is_dropped: bool = False
    """Whether it is to be dropped if it has not begun."""

    def answer(self, entry: Entry | None) -> None:
        self.entry = entry
        self.answered.set()


class Post:
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
        """In how many of them each bot plays."""
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
        self.recruit: Recruit | None = None
        """The worker, while it plays."""
        self._match_s: float | None = None
        """The time from one finished match to the next, on average."""
        self._finished_at = 0.0

    @property
    def has_room(self) -> bool:
        """Whether it is there and has fewer matches than it can make use of."""
        return self.wanted > 0 and len(self.taken_on) < self.wanted + self._ahead

    @property
    def _ahead(self) -> int:
        """How many matches may wait at the worker."""
        return 1 if self._match_s is None else min(AHEAD_MAX, int(AHEAD_S / max(self._match_s, 1e-6)))

    def can_seat(self, bots: Iterable[str]) -> bool:
        """Whether it has room for a match between these."""
        return self.has_room and all(self.is_free(bot) for bot in bots)

    def is_free(self, bot: str) -> bool:
        """Whether the bot may play in one more match here."""
        return bot in self.fingerprints and self.busy[bot] < self.quotas.get(bot, inf)

    def note_finished(self, wanted: int) -> None:
        """A match is over; the worker could have so many now."""
        now = trio.current_time()
        if self._finished_at:
            took_s = now - self._finished_at
            self._match_s = took_s if self._match_s is None else 0.9 * self._match_s + 0.1 * took_s
        self._finished_at, self.wanted, self.lost_in_a_row = now, max(1, wanted), 0

    def say(self, message: Errand) -> None:
        """Has this sent, once the worker is there."""
        self.outbox.append(message)
        self.has_mail.set()

    def resubmit(self, withdrawn: Iterable[str]) -> None:
        """The worker is lost: all that it has not answered is ordered anew."""
        self.wanted, self._finished_at = 0, 0.0
        self.outbox = [WithdrawBot(bot) for bot in withdrawn]
        for taken in self.taken_on.values():
            if taken.answered.is_set():
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


__all__ = ["Post", "Recruit", "TakenThere", "bundled"]
