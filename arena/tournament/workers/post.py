"""The post of a worker in a run: which matches it has been given, and whether it has room for more."""

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
"""How much play waits at a worker, so that it never waits for a match: it reports finished ones only now
and then."""
AHEAD_MAX = 512
WANTED_MAX = 20_000
"""How many matches one worker gets at once at most, whatever it asks for, as others must play too."""


class StartedWorker(Protocol):
    """A worker that was started, by whatever way it is reached."""

    @property
    def stream(self) -> trio.abc.HalfCloseableStream:
        """The stream under its pipe."""

    @property
    def host(self) -> str:
        """The name of its machine."""

    @property
    def where(self) -> str:
        """What follows its name in messages: ` on host7`; empty if it is on this machine."""

    @property
    def ending(self) -> str:
        """How it ended, once it is gone: `was killed by SIGKILL`."""

    is_trusted: bool
    """Whether everything that the worker has said so far can be true."""


@attrs.define(eq=False)
class TakenThere(TakenMatch):
    """A match that was given to a worker."""

    number: int
    post: WorkerPost
    ordered_at: float
    over: Over | None = None
    """Called when the match is over."""
    is_answered: bool = False
    is_dropped: bool = False
    """Whether it is to be dropped if it has not begun."""

    def answer(self, entry: Entry | None) -> None:
        """Tells that the match is over; None: it was dropped."""
        assert self.over is not None, "a match is ordered and started in the same step"
        self.is_answered = True
        self.over(self, entry)


class WorkerPost:
    """The post of one worker, which another one takes if it is lost."""

    def __init__(self, name: str, begin: BeginWork, fingerprints: Mapping[str, str]) -> None:
        self.name = name
        self.begin = begin
        self.fingerprints = fingerprints
        """Name -> fingerprint, of the bots that may be seated here."""
        self.quotas = {one.name: one.instances_max for one in begin.entrants if one.instances_max is not None}
        self.taken_on: dict[int, TakenThere] = {}
        """The matches that the worker has been given, by number."""
        self.busy: Counter[str] = Counter()
        """Bot -> how many of these matches it plays in, for bots for which that is limited."""
        self.wanted = 0
        """How many matches the worker can use; 0: there is no worker."""
        self.outbox: list[Errand] = []
        self.has_mail = trio.Event()
        self.is_manned = trio.Event()
        """Set when its first worker is ready."""
        self.lost_in_a_row = 0
        self.is_over = False
        """Whether the worker has said goodbye."""
        self.gone = trio.Event()
        self.scope = trio.CancelScope(shield=True)  # a run that is cancelled lets its workers end properly
        self.recruit: StartedWorker | None = None
        """The worker, while it plays."""
        self._match_s: float | None = None
        """The time from one finished match to the next, on average."""
        self._ahead = 1
        """How many matches may wait at the worker."""
        self._finished_at: float | None = None

    @property
    def has_room(self) -> bool:
        """Whether there is a worker that has fewer matches than it can use."""
        return self.wanted > 0 and len(self.taken_on) < self.wanted + self._ahead

    def can_seat(self, bots: Iterable[str]) -> bool:
        """Whether a match between these bots may begin here."""
        if not self.has_room:
            return False
        # Not `all`, which takes twice as long: this is asked three times for every match.
        for bot in bots:  # noqa: SIM110
            if not self.is_free(bot):
                return False
        return True

    def seat(self, bots: Iterable[str]) -> None:
        """Counts one more match here between these bots."""
        for bot in bots:
            if bot in self.quotas:
                self.busy[bot] += 1

    def unseat(self, bots: Iterable[str]) -> None:
        """Counts one match fewer here between these bots."""
        for bot in bots:
            if bot in self.quotas:
                self.busy[bot] -= 1

    def is_free(self, bot: str) -> bool:
        """Whether the bot may play in one more match here."""
        return bot in self.fingerprints and (bot not in self.quotas or self.busy[bot] < self.quotas[bot])

    def note_finished(self, matches: int, wanted: int) -> None:
        """Notes how many matches have just ended, and how many the worker can use now."""
        now = trio.current_time()
        if self._finished_at is not None and matches:
            took_s = (now - self._finished_at) / matches
            weight = 1.0 if self._match_s is None else 1 - 0.9**matches
            self._match_s = weight * took_s + (1 - weight) * (self._match_s or 0.0)
            self._ahead = min(AHEAD_MAX, int(AHEAD_S / max(self._match_s, 1e-6)))
        self._finished_at, self.lost_in_a_row = now, 0
        self.want(wanted)

    def want(self, matches: int) -> None:
        """Notes how many matches the worker can use."""
        self.wanted = min(max(1, matches), WANTED_MAX)

    def say(self, message: Errand) -> None:
        """Has a message sent as soon as there is a worker."""
        self.outbox.append(message)
        self.has_mail.set()

    def resubmit(self, withdrawn: Iterable[str]) -> None:
        """Orders again, after the worker was lost, all matches that it has not answered."""
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


def bundled(mail: Iterable[Errand]) -> list[PlayMatches | DropMatches | WithdrawBot]:
    """The messages in the same order; successive orders become one message."""
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
