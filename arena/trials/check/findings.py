"""What a check has seen of a bot: plain data, filled while it plays and judged afterwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import attrs

from arena.errors import FaultKind
from arena.players.start import BotBroken, BuildFailed, CannotStart
from arena.words import listed

CheckStage: TypeAlias = Literal[
    "recorded", "play", "long", "names", "fault", "again", "fresh", "return", "back"
]
"""The stages of a check: questions of recorded matches; matches at every number of seats; long ones; with
unusual names; with faults that the bot did not commit; the first match again, in the same instance and in a
fresh one; a match in which the connection breaks, and the one after it."""


@attrs.define(kw_only=True)
class Asked:
    """One question that the bot was asked, and what became of it."""

    stage: CheckStage
    seats: int
    place: str = ""
    """Where a recorded question comes from, in words: its number and its match."""
    kinds: tuple[str, ...]
    """The kinds of options that were offered, as bots see them."""
    limit_s: float
    is_first: bool
    """Whether the limit was the longer one of an instance's first answer."""
    elapsed_s: float | None = None
    """How long the answer took; None if there was none."""
    move: Any = None
    """The move; None if the answer was not one."""
    fault: FaultKind | None = None
    reason: str = ""
    is_lagged: bool = False
    """Whether the arena itself was late meanwhile."""
    is_provoked: bool = False
    """Whether the bot was charged with a fault here that it had not committed."""


@attrs.frozen(kw_only=True)
class Example:
    """One fault with its evidence."""

    fault: FaultKind
    reason: str
    lines: tuple[Mapping[str, Any], ...]
    """The last messages both ways, oldest first."""


@attrs.frozen(kw_only=True)
class Introduction:
    """How the bot said who it is."""

    name: str | None
    protocol: int | None
    """The version of the full protocol; None: a plain bot."""


@attrs.frozen(kw_only=True)
class Printed:
    """What an instance printed."""

    octets: int = 0
    stray: int = 0
    """How many values on standard output, over which it plays, were not answers."""
    tail: str = ""
    """The last lines of its log."""

    @property
    def last(self) -> str:
        """The last line that is not empty."""
        said = [line for line in self.tail.splitlines() if line.strip()]
        return said[-1] if said else ""


@attrs.frozen(kw_only=True)
class Ending:
    """How an instance ended when it was told to end."""

    took_s: float
    by: Literal["itself", "SIGTERM", "SIGKILL"]
    exception: str = ""
    """The exception that it raised meanwhile, according to its log."""


Way: TypeAlias = Literal["tcp", "stdio", "local"]


@attrs.define(kw_only=True)
class CheckFindings:
    """Everything that a check has seen."""

    bot: str
    game: str
    title: str
    seats: tuple[int, ...]
    """The numbers of seats at which the game can be played under these rules."""
    other_games: tuple[str, ...] = ()
    """Which other games the bot says it plays."""
    reserved: frozenset[str] = frozenset()
    kinds: tuple[str, ...] = ()
    """The kinds of moves that the game has for bots."""
    possible: frozenset[str] = frozenset()
    """The kinds of moves that were on offer when random players played among themselves."""
    way: Way = "tcp"
    memory_mb: int = 0
    """How much memory the bot may hold."""
    broken: str | None = None
    """Why the bot could not be started; None if it could."""
    broken_at: Literal["command", "build", "start"] = "start"
    """What failed: its command, or its build's, started nothing; its build; or the program once started."""
    remedy: str = ""
    """What to do if its command started nothing; empty: unknown."""
    is_boxed: bool = True
    """Whether it was started in a box, which hides results and other bots."""
    log: str = ""
    """The end of what it printed if it could not be started."""
    starts_s: list[float] = attrs.field(factory=list)
    """How long each instance took to connect."""
    introduction: Introduction | None = None
    asked: list[Asked] = attrs.field(factory=list)
    examples: list[Example] = attrs.field(factory=list)
    """The first fault of each kind."""
    notes: dict[str, int] = attrs.field(factory=dict)
    """The arena's notes on what the bot said unasked, and how often."""
    matches: int = 0
    recorded_wanted: int = 0
    """How many recorded questions were to be asked."""
    recorded_in: str = ""
    """The results folder that these questions are from; empty: they ship with the game."""
    crashes: list[str] = attrs.field(factory=list)
    """Why instances ended in the midst of play."""
    memory_bytes: list[int] = attrs.field(factory=list)
    """The memory of the first instance after each match."""
    printed: list[Printed] = attrs.field(factory=list)
    """What each instance printed."""
    first_moves: Mapping[CheckStage, Sequence[Any]] = attrs.field(factory=dict)
    """The bot's moves in the same match: the first time, again in the same instance, in a fresh one."""
    after_loss: Literal["", "came back", "ended", "stayed"] = ""
    """What the bot did when its connection broke; empty: not tried."""
    loss_reason: str = ""
    endings: list[Ending] = attrs.field(factory=list)
    duration_s: float = 0.0
    is_out_of_time: bool = False
    """Whether something was left out, or cut short, for lack of time."""

    def note_broken(self, error: BotBroken) -> None:
        """Notes why the bot could not be built or started."""
        self.broken, self.log, self.is_boxed = error.reason, error.log, error.is_boxed
        if isinstance(error, CannotStart):
            self.broken, self.broken_at, self.remedy = error.cause, "command", error.remedy
        elif isinstance(error, BuildFailed):
            self.broken_at = "build"

    def recorded(self) -> list[Asked]:
        """The questions that were asked in recorded matches."""
        return [asked for asked in self.asked if asked.stage == "recorded"]

    def answers(self) -> list[Asked]:
        """The questions that were judged as they are in a run."""
        return [asked for asked in self.asked if not asked.is_provoked]


def number_range(numbers: Collection[int]) -> str:
    """Numbers as a range: `2 to 10`, or, if some are left out, `2, 4 and 5`."""
    found = sorted(numbers)
    is_whole = len(found) > 2 and found[-1] - found[0] == len(found) - 1
    return f"{found[0]} to {found[-1]}" if is_whole else listed([str(number) for number in found])
