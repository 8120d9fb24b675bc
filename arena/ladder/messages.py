"""The messages between a server and the process that plays one of its leagues.

    server  BeginLadder     the league: its folder, its game, how it is played
    server  SetField        all versions that are to be tried or to play, again whenever they change
    server  SetPaused       whether it rests
    server  SetCores        how much of the machine is its own
    ladder  VersionSaid     how far one of them is
    ladder  VisitSaid       whether one of them that connects is here
    ladder  StandingsSaid   where everybody stands
    ladder  CannotPlay      why the league cannot be played here at all
    server  closes its end  the process ends its bots, and itself

For each bot that connects the process is passed a socket (`connected`): the server has found out who it is,
and carries its bytes both ways.

Either side may be killed at any time.  A server that comes back sends the whole field again; the process
takes from its folder what was played, and from the field what is to go on.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["waiting", "building", "checking", "playing", "refused", "failed"]
"""How far a version is; `refused`: it cannot play; `failed`: it could, and failed in play."""
FIELD_MAX = 10_000
"""How many versions there may be in a field."""
REASON_MAX = 2_000
"""Characters of a reason."""


class FieldVersion(msgspec.Struct, frozen=True):
    """A version of a bot that is to be tried, and to play if it can."""

    id: str
    """Its entry and number, as the tables name it: `b17@2`."""
    owner: str
    """The id of its owner, or of the house."""
    bot: str
    """Where its files lie; for a house bot its name; empty for one that connects."""
    received_at: float = 0.0
    """When all of it had come (Unix time)."""
    is_house: bool = False
    """Whether it comes with the arena: it is neither checked nor confined like others' bots."""
    connects: bool = False
    """Whether it has no files here, and connects by itself."""


class BeginLadder(msgspec.Struct, frozen=True, tag=True):
    """The league that is to be played."""

    folder: str
    """The results folder."""
    plan: str
    """How its matches are played, as JSON: what a plan file may say."""
    batch_s: float = 15.0
    """The longest that a batch lasts."""
    check_s: float = 3.0
    """How long a version plays in its check; starting and ending it comes on top."""
    rate_s: float = 10.0
    """How old what is said of ratings may be."""
    build_s: float = 60.0
    """How long a build may take."""
    epoch_s: float = 86_400.0
    """How long an epoch lasts, after which what it has planned is played to its end."""
    sandbox: Literal["strict", "off"] = "strict"
    """The box of what is handed in; `off`: nothing is, and the bots that come with the arena need none."""
    bots_fd: int = -1
    """The descriptor of the socket on which bots' connections are passed on; negative: another, or none."""


class SetField(msgspec.Struct, frozen=True, tag=True):
    """All versions that are to be tried or to play; one that is missing is not played any more."""

    versions: tuple[FieldVersion, ...]


class SetPaused(msgspec.Struct, frozen=True, tag=True):
    """Whether no more matches begin, and no version is tried, for the time being."""

    is_paused: bool


class SetCores(msgspec.Struct, frozen=True, tag=True):
    """How many cores its matches may keep busy; until that is said, all but one."""

    cores: float
    """At least one match is played at a time, however small this is."""


class VersionSaid(msgspec.Struct, frozen=True, tag=True):
    """How far a version is."""

    id: str
    state: State
    reason: str = ""
    """Why it is refused or failed, as a sentence; what it waits for otherwise."""


class VisitSaid(msgspec.Struct, frozen=True, tag=True):
    """Whether a version that connects is here."""

    id: str
    is_connected: bool
    has_answered: bool = False
    """Whether it has answered a question since it came."""


class LadderRow(msgspec.Struct, frozen=True):
    """Where a version stands."""

    id: str
    best: int
    """The best place that its true strength may have, from 1, and the worst."""
    worst: int
    rating: float
    """In Elo, about the mean of those that play, which is 1500."""
    error: float | None
    """Within how many Elo the rating is known, however often one looks; None: not yet."""
    series: int
    """How many of its series count."""


class StandingsSaid(msgspec.Struct, frozen=True, tag=True):
    """Where everybody stands after a batch."""

    batch: int
    """The number of the batch that begins."""
    matches: int
    """How many matches are over."""
    rows: tuple[LadderRow, ...]
    """Those that play and are rated, the best first."""
    match_s: float = 0.0
    """How long a match has waited for its bots lately, all together; 0: not known yet."""
    match_bytes: float = 0.0
    """What a match takes on the disk."""
    cores: float = 1.0
    """How many cores it may keep busy."""
    batch_s: float = 15.0
    """How long a batch lasts at most."""


class AskMachine(msgspec.Struct, frozen=True, tag=True):
    """Asks what bots find on the machine."""


class MachineSaid(msgspec.Struct, frozen=True, tag=True):
    """What bots find on the machine, each with its version."""

    programs: tuple[str, ...]
    libraries: tuple[str, ...]


class CannotPlay(msgspec.Struct, frozen=True, tag=True):
    """The league cannot be played here; the process ends."""

    why: str


FromServer: TypeAlias = BeginLadder | SetField | SetPaused | SetCores | AskMachine
FromLadder: TypeAlias = VersionSaid | VisitSaid | StandingsSaid | MachineSaid | CannotPlay
