"""What requests and answers of leagues hold: the types that are read and written, for `openapi` too."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from arena.games import GAMES
from arena.league.league import Joining, Looking, ReplaysShown, VersionState
from arena.server.http.request_types import Body

LeagueName = Annotated[str, Meta(min_length=1, max_length=40)]
Reason = Annotated[str, Meta(max_length=200)]
CodeText = Annotated[str, Meta(max_length=100)]


class ChangedSettings(Body):
    """The settings of a league that change; those that are left out stay."""

    join: Joining | UnsetType = UNSET
    look: Looking | UnsetType = UNSET
    replays: ReplaysShown | UnsetType = UNSET
    entries_per_owner: Annotated[int, Meta(ge=1, le=20)] | UnsetType = UNSET
    """Bots of an owner."""
    hand_ins_per_day: Annotated[int, Meta(ge=1, le=1_000)] | UnsetType = UNSET
    """Hand-ins of an owner; what is refused does not count."""
    approve_names: bool | UnsetType = UNSET
    """Whether names are shown only once a host has approved them."""
    archive_mb: Annotated[int, Meta(ge=1, le=200)] | UnsetType = UNSET
    """The most megabytes of a hand-in."""
    files_max: Annotated[int, Meta(ge=1, le=10_000)] | UnsetType = UNSET
    build_s: Annotated[float, Meta(ge=1.0, le=3_600.0)] | UnsetType = UNSET
    """How many seconds a build may take."""
    epoch_hours: Annotated[float, Meta(ge=0.1, le=744.0)] | UnsetType = UNSET
    """How long an epoch lasts, at whose end its seed is told."""
    owner_mb: Annotated[int, Meta(ge=1, le=100_000)] | UnsetType = UNSET
    """The most megabytes on the disk of all that an owner has handed in."""
    library: Annotated[str, Meta(max_length=2_000)] | UnsetType = UNSET
    """The folders of the server that its bots may read, with `:` between them."""
    matches_gb: Annotated[int, Meta(ge=1, le=100_000)] | UnsetType = UNSET
    """The most gigabytes of matches; then no more are played."""

    def changes(self) -> dict[str, Any]:
        """The settings that were sent."""
        sent = {name: getattr(self, name) for name in ChangedSettings.__struct_fields__}
        return {name: value for name, value in sent.items() if value is not UNSET}


class NewLeague(ChangedSettings, kw_only=True):
    """A league to make."""

    name: LeagueName
    """Lower-case letters, digits and inner hyphens, as it stands in addresses."""
    game: Annotated[str, Meta(max_length=64, extra_json_schema={"enum": list(GAMES)})]
    rules: dict[str, Any] = msgspec.field(default_factory=dict)
    """House rules that differ from the game's own."""
    seats: Annotated[int, Meta(ge=1, le=100)] | None = None
    """How many play a match; null: the fewest who can."""
    code: CodeText = ""
    """The code with which people join; one is drawn if it is left out."""
    hand_ins: bool = True
    """Whether bots are handed in; if not, they connect.  They only connect where the server has no box."""


class NewOwner(Body):
    """Somebody who joins a league."""

    name: Annotated[str, Meta(max_length=100)] = ""
    """The public name; left out, that of the roster."""
    code: CodeText | None = None
    """The league's code, or a personal one."""


class NewName(Body):
    """Another name."""

    name: Annotated[str, Meta(max_length=100)]


class NameDecided(Body):
    """Whether a name is shown, or the id in its place."""

    shown: bool


class NewCode(Body):
    """A code to be used; empty: one is drawn."""

    code: CodeText = ""


class NewRoster(Body):
    """The people of a class."""

    roster: str
    """CSV, with the columns `name`, and perhaps `team` and `id`."""


class NewReason(Body):
    """Why something is done; everybody in the league can read it."""

    reason: Reason = ""


class NewExclusion(NewReason):
    """What is excluded, and why."""

    version: Annotated[int, Meta(ge=1)] | None = None
    """One version; null: the bot."""


class NewConnecting(Body):
    """A new version of a bot, which will connect."""

    bot: Annotated[str, Meta(max_length=100)] = ""
    """The name or id of the bot; left out, your only one, or a new one with your own name."""


class VersionNamed(Body):
    """Which version is meant."""

    version: Annotated[int, Meta(ge=1, le=1_000_000)]


class NewAnnouncement(Body):
    """A message to everybody in a league."""

    message: Annotated[str, Meta(min_length=1, max_length=500)]


class LeagueListed(msgspec.Struct):
    """A league as a list shows it."""

    name: str
    game: str
    title: str
    """The title of its game."""
    join: Joining
    look: Looking
    is_paused: bool
    is_played: bool
    """Whether it is being played; if not, what is handed in waits."""
    owners: int
    bots: int


class OwnerShown(msgspec.Struct):
    """An owner, as all in the league see it."""

    id: str
    name: str
    """Its id, if its name is not shown."""
    joined: float
    is_banned: bool
    bots: list[str]
    """The ids of its bots."""


class PersonShown(msgspec.Struct):
    """Somebody who acts for an owner."""

    name: str
    """As in the roster; empty without one."""
    id: str
    joined: float


class OwnerKnown(OwnerShown):
    """An owner, as it and hosts see it."""

    own_name: str
    """Its name, also where it is not shown."""
    is_name_shown: bool
    team: str
    people: list[PersonShown]
    ban: str
    """Why it is banned; empty if it is not."""


class VersionShown(msgspec.Struct):
    """A version of a bot."""

    number: int
    id: str
    """As results call it."""
    state: VersionState
    received: float
    """When it was completely received."""
    changed: float
    """When it got into this state."""
    played: float | None
    """When it first played; null: it has not."""
    reason: str | None
    """Why it is in this state; null: only its owner and hosts are told."""
    waits_for: str | None
    hash: str | None
    """The hash of its files; for its owner and hosts, of what was handed in."""
    connects: bool
    """Whether it was not handed in, but connects."""


class ConnectionShown(msgspec.Struct):
    """How a bot that connects is connected."""

    is_connected: bool
    has_answered: bool
    """Whether it has answered a question since it came."""
    round_trip_ms: float | None
    """How long the way to it and back takes, as the system measures it; null: it is away, or not known."""


class BotShown(msgspec.Struct):
    """A bot of a league."""

    id: str
    name: str
    owner: str
    owner_name: str
    playing: int | None
    """The number of the version that plays; null: none does."""
    excluded: str | None
    """Why it is excluded; null: it is not."""
    connection: ConnectionShown | None
    """Null: its version that plays, or waits to play, was handed in."""
    versions: list[VersionShown]
    version: int
    """The version of the league that this shows, to be sent as `after`."""


class SelfInLeague(msgspec.Struct):
    """Who asks."""

    owner: OwnerKnown | None
    """Null for a host."""
    host: str | None
    """The name of a host; null for an owner."""
    is_assistant: bool
    bots: list[BotShown]
    version: int
    """The version of the league that this shows, to be sent as `after`."""


class LeagueShown(LeagueListed):
    """A league, as somebody may see it."""

    rules: dict[str, Any]
    seats: int | None
    replays: ReplaysShown
    entries_per_owner: int
    hand_ins: bool
    """Whether bots are handed in; if not, they connect."""
    hand_ins_per_day: int
    approve_names: bool
    archive_mb: int
    files_max: int
    build_s: float
    epoch_hours: float
    owner_mb: int
    library: str
    matches_gb: int
    made: float
    state: str
    """How play stands, in a sentence."""
    version: int
    """Counts the changes."""


class LeagueMade(msgspec.Struct):
    """A new league."""

    league: LeagueShown
    code: str
    """The code with which people join, told this once; empty if none is needed."""
    said: str
    """Why bots are not handed in there, but connect; empty if they are."""


class CodeMade(msgspec.Struct):
    """A code, told this once."""

    code: str


class OwnerJoined(msgspec.Struct):
    """A newcomer's id and name, and the token that proves who it is, told this once."""

    owner: str
    name: str
    token: str


class RosterCode(msgspec.Struct):
    """A personal code."""

    name: str
    team: str
    id: str
    code: str


class RosterCodes(msgspec.Struct):
    """The personal codes of a roster, told this once."""

    codes: list[RosterCode]
    csv: str
    """The same as CSV."""


class RosterShown(msgspec.Struct):
    """Who of the roster has joined, and who has handed in."""

    csv: str
    """Columns: name, team, id, owner, public_name, bots, playing."""


class HandInTaken(msgspec.Struct):
    """What came of a hand-in."""

    bot: BotShown
    version: VersionShown
    is_new: bool
    """False: these bytes were handed in before, and nothing has happened."""
    said: str
    """The same in a sentence."""
    left_out: list[str]
    """What of the archive is not in it."""
    notes: list[str]
    """What its owner should know."""


class ConnectingNamed(msgspec.Struct):
    """A version that waits for its connection."""

    bot: BotShown
    version: VersionShown
    said: str
    """The same in a sentence."""


class OwnerForgotten(msgspec.Struct):
    """What was removed of an owner, beside its names."""

    owner: str
    bots: list[str]
    """The ids of its bots, which their matches keep."""
    people: int
    """How many tokens ended."""
    hand_ins: int
    """How many hand-ins were deleted."""
    logs: int
    """How many files with what its bots printed were deleted."""


class LogShown(msgspec.Struct):
    """A line of a league's log: what a host did."""

    number: int
    at: float
    who: str
    text: str
