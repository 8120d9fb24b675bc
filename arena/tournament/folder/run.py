"""A tournament's folder, open for play."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import attrs
import trio

from arena.schedule.roster import Roster
from arena.store import Damage, Store
from arena.tournament.tournament import Tournament


@attrs.frozen(kw_only=True)
class Run(Tournament):
    """A tournament whose folder is locked and open, with everything that is decided before a match is played.

    Its plan has a seed, and its entrants have the names of their versions.  What the folder held before stays
    until play begins.
    """

    store: Store
    tokens: Mapping[str, str]
    """Token -> name, of the entrants that connect with one."""
    roster: Roster = attrs.field(factory=Roster)
    """Who took part so far, and what this run changes about it; new bots are added when play begins."""
    renewed: frozenset[str] = frozenset()
    """The roster's slots whose bots are new versions in this run."""
    may_cut: bool = True
    """Whether the folder was played under `stop_rule`: matches past its end may then be removed."""
    in_thread: Callable[[Callable[[], None]], Awaitable[None]] = trio.to_thread.run_sync
    """Runs code that may wait for a disk where that delays no bot.  Tests in virtual time, which has no other
    threads, set a function that calls it at once."""
    damage: Damage | None = None
    """What was damaged in the folder and is played again."""
    when_begun: list[Callable[[], object]] = attrs.field(factory=list, repr=False)
    """What is to be done when play begins."""

    @property
    def has_begun(self) -> bool:
        """Whether play has begun: until then the folder is left as it was."""
        return not self.when_begun

    def begin(self) -> None:
        """Begins play, as all bots are here: from now on the folder belongs to this run."""
        acts = list(self.when_begun)
        self.when_begun.clear()
        for act in acts:
            act()
