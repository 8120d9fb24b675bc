"""What a ladder is told batch by batch, and what it says: frozen values, the rows of a folder.  Pure.

Bots are versions of entries (`b17@2`) and owners are ids (`o4`).  Names of people are never in a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, TypeAlias

import attrs

from arena.schedule.allocation import Shares
from arena.schedule.course import ClosedSeries, MatchResult
from arena.schedule.withdrawals import BotOutcome


@attrs.frozen
class PresentBot:
    """A version that may be paired when a batch is planned: it plays, and is connected."""

    bot: str
    owner: str
    arrived: int
    """The first batch in which it was present."""


@attrs.frozen(kw_only=True)
class BatchRow:
    """What is known when a batch is planned; with the results of what has closed, all that decides it."""

    batch: int
    """The number of the batch, from 0."""
    present: tuple[PresentBot, ...]
    """Who may be paired, in any order."""
    closed: tuple[str, ...] = ()
    """The ids of the series that closed during the batch before, in any order."""
    spent: Mapping[str, float] = attrs.field(factory=dict)
    """Owner -> the seconds for which matches of the batch before waited for bots of this owner."""
    ends: bool = False
    """Whether the ladder comes to its end: nothing more is planned, and what is open is played by all."""
    connecting: tuple[str, ...] = ()
    """Those present that connect by themselves, and so may remember deals: theirs never come twice."""


@attrs.frozen
class LadderMatch:
    """A finished match, as the folder has it."""

    result: MatchResult
    outcomes: Mapping[str, BotOutcome]


@attrs.frozen(kw_only=True)
class LadderSettings:
    """What a host settles about a ladder besides its terms; it stays the same for all batches."""

    placed_within: float = 100.0
    """A new version is placed once its rating is known within this many Elo, at all looks."""
    series_least: int = 16
    """A batch brings the open series up to this number, where bots have room."""
    series_most: int = 1000
    """There are never more open series than this, except those with which new versions begin."""
    owners_may_meet: bool = False
    """Whether two bots of one owner may sit in one match."""
    withdrawn_after: int = 3
    """After so many matches in a row in which it was abandoned, a bot has failed."""
    restarts_max: int = 3
    """A bot that crashed in more than so many of its last `crashes_among` matches has failed."""
    crashes_among: int = 200
    """Not all that it ever played: in weeks of play a seldom crash would add up to a failure."""


@attrs.frozen
class LadderStanding:
    """What ratings say about the bots that are present, for the next batch."""

    errors: Mapping[str, float]
    """Bot -> within how many Elo its rating is known, at all looks; bots without series are left out."""
    shares: Shares = None
    """Two bots -> how open their order is, as a weight; None: nothing is known."""


class LadderJudge(Protocol):
    """Rates the bots of a ladder: told every series that counts, in order, and asked once a batch.

    What it says must depend only on what it was told.
    """

    def add(self, series: ClosedSeries) -> None:
        """Takes in the next series that counts."""

    def standing(self, bots: tuple[str, ...]) -> LadderStanding:
        """What is known about these bots."""


WaitReason: TypeAlias = Literal["match", "batch", "share", "room", "opponents", "failed", "absent"]
"""What a bot waits for: its next planned match; the next batch; its owner's share of the playing time; series
of its owner that are open; bots of other owners; nothing, as it has failed; or its connection."""


@attrs.frozen
class Waiting:
    """What a bot waits for."""

    reason: WaitReason
    place: int = 0
    """`match`: the place of its series in the queue, 1 the next one.  `batch`: its place among new versions,
    0 if it is none."""
    matches: int = 0
    """`match`: how many matches come before it."""
    batches: int = 0
    """`share`: in how many batches its owner has a share again, if as much is played as in the last one."""
