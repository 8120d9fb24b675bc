"""What a league asks of the process that plays its matches, and what that reports.

The process is told the whole field each time; what it makes of the difference is its own affair.  It reports
states through `OpenLeague.report`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import attrs

from arena.league.entering import tried_next
from arena.league.league import League, LeagueEntry, Version, VersionState
from arena.players.transport import Transport


@attrs.frozen
class VersionToPlay:
    """A version that plays, or is to be tried and then plays."""

    id: str
    """As results call it: `b17@2`."""
    owner: str
    """The id of its owner, whose bots do not meet."""
    folder: Path
    """The folder with its files, which is not written to."""
    received_at: float
    connects: bool
    """Whether it has no files, and connects by itself."""
    state: VersionState
    """`playing`, or where trying it is; after a restart of the process that begins anew."""


class LadderProcess(Protocol):
    """The process that plays a league."""

    def set_field(self, versions: Sequence[VersionToPlay]) -> None:
        """All versions that play, then those that are to be tried, in their order; others stop playing."""

    def open_visit(self) -> Transport:
        """A connection on which it takes a bot that connects.  Raises OSError if it cannot now."""

    def set_paused(self, is_paused: bool) -> None:
        """Begins no more matches, builds and checks, or goes on with them."""

    def ask_machine(self) -> None:
        """Looks what bots find on the machine, and says it."""


def field_of_league(league: League) -> list[tuple[LeagueEntry, Version]]:
    """What plays in a league or may connect, then what is to be tried, one of each owner."""
    return [*league.playing(), *league.awaited(), *tried_next(league)]


def version_to_play(bots: Path, entry: LeagueEntry, version: Version) -> VersionToPlay:
    """A version as its process is told of it.  `bots`: the folder of hand-ins."""
    return VersionToPlay(
        entry.of(version),
        entry.owner,
        bots / version.hash,
        version.received_at,
        version.connects,
        version.state,
    )
