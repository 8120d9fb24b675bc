"""A league as a value: its settings, its owners with their entries and versions, its codes, and its log.

Pure, and frozen: every act is a function that returns the league as it is afterwards, or raises Refusal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

import attrs

from arena.refusal import Refusal
from arena.wire.names import looks_of

Joining: TypeAlias = Literal["code", "open", "closed"]
"""Who may join: whoever has a code, anybody, or nobody any more."""
Looking: TypeAlias = Literal["members", "public"]
"""Who may look."""
ReplaysShown: TypeAlias = Literal["all", "own"]
"""Whose matches an owner may see."""
VersionState: TypeAlias = Literal[
    "waiting",
    "building",
    "checking",
    "playing",
    "refused",
    "failed",
    "replaced",
    "withdrawn",
    "excluded",
]
VERSION_STATES: tuple[VersionState, ...] = get_args(VersionState)
QUEUED: frozenset[VersionState] = frozenset(("waiting", "building", "checking"))
"""The states of a version that is still to be tried, or is being tried."""
LIVE: frozenset[VersionState] = QUEUED | {"playing"}
MAY_BECOME: Mapping[VersionState, frozenset[VersionState]] = {
    "waiting": frozenset(
        ("building", "checking", "playing", "refused", "failed", "replaced", "withdrawn", "excluded")
    ),
    "building": frozenset(("waiting", "checking", "playing", "refused", "replaced", "withdrawn", "excluded")),
    "checking": frozenset(("waiting", "building", "playing", "refused", "replaced", "withdrawn", "excluded")),
    "playing": frozenset(("failed", "replaced", "withdrawn", "excluded")),
    "refused": frozenset(("waiting",)),
    "failed": frozenset(),
    "replaced": frozenset(("playing",)),
    "withdrawn": frozenset(("playing",)),
    "excluded": frozenset(("waiting", "playing")),
}
"""What a version can be next.  A process that was killed tries anew what it had begun to try."""


@attrs.frozen
class LeagueSettings:
    """What the hosts of a league decide; `arena.league.settings` checks it."""

    name: str
    """Its name in addresses, and of its folder."""
    game: str
    rules: Mapping[str, Any] = attrs.field(factory=dict)
    """House rules that differ from the game's own."""
    seats: int | None = None
    """How many play a match; None: the fewest who can."""
    reserved: frozenset[str] = frozenset()
    """Words of the game, which nobody can be called."""
    join: Joining = "code"
    look: Looking = "members"
    replays: ReplaysShown = "all"
    entries_per_owner: int = 1
    hand_ins: bool = True
    """Whether bots are handed in; if not, they connect, as where the server has no box for them."""
    hand_ins_per_day: int = 20
    approve_names: bool = False
    """Whether a name is shown only once a host has approved it."""
    archive_mb: int = 20
    """The most megabytes of a hand-in."""
    files_max: int = 2_000
    """The most files in one."""
    build_s: float = 60.0
    """How long a build may take."""
    epoch_hours: float = 24.0
    """How long an epoch lasts, at whose end its seed is told."""
    owner_mb: int = 500
    """The most megabytes on the disk of all that an owner has handed in."""
    library: str = ""
    """The folders of the server that its bots may read, with `:` between them."""
    matches_gb: int = 20
    """The most gigabytes of matches; then no more are played."""


@attrs.frozen
class TokenHolder:
    """Somebody who acts for an owner, with a token of their own."""

    token_hash: str
    """SHA-256 of the token, in hexadecimal digits."""
    joined_at: float
    roster_name: str = ""
    roster_id: str = ""
    """Who it is in the roster; hosts and the owner alone see that."""


@attrs.frozen
class Owner:
    """Somebody, or a team, whose bots play."""

    id: str
    """`o3`."""
    name: str
    """The public name; empty if it was forgotten."""
    joined_at: float
    persons: tuple[TokenHolder, ...] = ()
    team: str = ""
    """The team of the roster that it is."""
    is_name_shown: bool = True
    """Whether its name needs no approval, or has it."""
    ban: str = ""
    """Why it is banned; empty if it is not."""
    forgotten_at: float | None = None

    @property
    def looks(self) -> frozenset[str]:
        """How its name looks: names that share a look are taken for each other."""
        return looks_of(self.name) if self.name else frozenset()

    @property
    def shown_name(self) -> str:
        """What others call it."""
        return self.name if self.name and self.is_name_shown else self.id


@attrs.frozen
class Version:
    """A bot as it was handed in once; only its state changes."""

    number: int
    """From 1."""
    hash: str
    """Which bytes it is: the hash of its folder; empty for one that connects, which has none."""
    received_at: float
    """When it was received completely."""
    state: VersionState = "waiting"
    reason: str = ""
    """Why it is in this state, as its owner is told."""
    waits_for: str = ""
    """What it waits for at the moment."""
    changed_at: float = 0.0
    """When it got into this state."""
    played_at: float | None = None
    """When it first played."""
    octets: int = 0
    """How many bytes its files have on the disk; 0 in leagues that did not count them."""

    @property
    def connects(self) -> bool:
        """Whether it runs elsewhere, and connects."""
        return not self.hash


@attrs.frozen
class LeagueEntry:
    """A bot of an owner, in all its versions."""

    id: str
    """`b17`."""
    owner: str
    """The id of its owner."""
    name: str
    versions: tuple[Version, ...] = ()
    is_name_shown: bool = True
    exclusion: str = ""
    """Why it is excluded; empty if it is not."""
    excluded: tuple[int, ...] = ()
    """The versions that were excluded with it, and come back with it: others were thrown out one by one."""

    @property
    def looks(self) -> frozenset[str]:
        """How its name looks: names that share a look are taken for each other."""
        return looks_of(self.name) if self.name else frozenset()

    @property
    def shown_name(self) -> str:
        return self.name if self.name and self.is_name_shown else self.id

    @property
    def playing(self) -> Version | None:
        """The version that plays."""
        return next((each for each in self.versions if each.state == "playing"), None)

    def version(self, number: int) -> Version:
        """The version with this number.  Raises Refusal if there is none."""
        if 1 <= number <= len(self.versions):
            return self.versions[number - 1]
        why = f"{self.shown_name} has no version {number}: its versions are 1 to {len(self.versions)}"
        raise Refusal("not_found", why, field="version")

    def of(self, version: Version) -> str:
        """The name of a version in results: `b17@2`."""
        return f"{self.id}@{version.number}"


@attrs.frozen
class Code:
    """What lets somebody join, kept as its hash."""

    hash: str
    made_at: float
    owner: str = ""
    """The owner for whom it lets a person act; empty: it makes a new one, or joins the team."""
    team: str = ""
    roster_name: str = ""
    roster_id: str = ""
    is_personal: bool = False
    """Whether it is for one person, once."""
    used_by: str = ""
    """The id of the owner that it led to."""


@attrs.frozen
class LogLine:
    """Something that a host did, which everybody in the league can read."""

    number: int
    """From 1."""
    at: float
    who: str
    text: str


@attrs.frozen
class League:
    """Everything about a league but its matches."""

    settings: LeagueSettings
    made_at: float
    owners: Mapping[str, Owner] = attrs.field(factory=dict)
    """By id, in the order in which they joined; nobody is ever taken out."""
    entries: Mapping[str, LeagueEntry] = attrs.field(factory=dict)
    """By id, in the order in which they came."""
    codes: Mapping[str, Code] = attrs.field(factory=dict)
    """By hash."""
    log: tuple[LogLine, ...] = ()
    is_paused: bool = False
    version: int = 0
    """Counts the changes."""

    @property
    def name(self) -> str:
        return self.settings.name

    def owner(self, id: str) -> Owner:
        """The owner with this id.  Raises Refusal if there is none, or it was forgotten."""
        found = self.owners.get(id)
        if found is None or found.forgotten_at is not None:
            raise Refusal("not_found", f"nobody in {self.name} has this id", field="owner")
        return found

    def entry(self, id: str) -> LeagueEntry:
        """The bot with this id.  Raises Refusal if there is none."""
        if (found := self.entries.get(id)) is None:
            raise Refusal("not_found", f"no bot in {self.name} has this id", field="bot")
        return found

    def entries_of(self, owner: str) -> list[LeagueEntry]:
        return [each for each in self.entries.values() if each.owner == owner]

    def entries_by_owner(self) -> Mapping[str, list[LeagueEntry]]:
        """The bots of all owners who have some."""
        found: dict[str, list[LeagueEntry]] = {}
        for entry in self.entries.values():
            found.setdefault(entry.owner, []).append(entry)
        return found

    def holder(self, token_hash: str) -> Owner | None:
        """The owner for whom the holder of a token acts."""
        for owner in self.owners.values():
            if any(person.token_hash == token_hash for person in owner.persons):
                return owner
        return None

    def find_version(self, version_id: str) -> tuple[LeagueEntry, Version] | None:
        """The bot and its version that results call so."""
        entry, at, number = version_id.partition("@")
        if not at or entry not in self.entries or not (number.isascii() and number.isdigit()):
            return None
        found = self.entries[entry]
        is_there = 1 <= int(number[:9]) <= len(found.versions)
        return (found, found.versions[int(number) - 1]) if is_there else None

    def playing(self) -> Iterator[tuple[LeagueEntry, Version]]:
        """The versions that play, with their bots."""
        for entry in self.entries.values():
            if (version := entry.playing) is not None:
                yield entry, version

    def awaited(self) -> Iterator[tuple[LeagueEntry, Version]]:
        """The versions that will play once they connect, with their bots."""
        for entry in self.entries.values():
            for version in entry.versions:
                if version.connects and version.state in QUEUED:
                    yield entry, version

    # The league afterwards, for the functions that say what happens.

    def with_owner(self, owner: Owner) -> League:
        return attrs.evolve(self, owners={**self.owners, owner.id: owner}, version=self.version + 1)

    def with_entry(self, entry: LeagueEntry) -> League:
        return attrs.evolve(self, entries={**self.entries, entry.id: entry}, version=self.version + 1)

    def with_version(self, entry: LeagueEntry, version: Version) -> League:
        """The league in which the bot's version of this number is this one; it may be its next."""
        versions = list(entry.versions)
        versions[version.number - 1 : version.number] = [version]
        return self.with_entry(attrs.evolve(entry, versions=tuple(versions)))

    def with_code(self, code: Code) -> League:
        return attrs.evolve(self, codes={**self.codes, code.hash: code}, version=self.version + 1)

    def noting(self, who: str, text: str, now: float) -> League:
        """The league with one more line in its log; `who`: a host, or "" for others, of whom it has none."""
        if not who:
            return self
        number = self.log[-1].number + 1 if self.log else 1
        log = (*self.log, LogLine(number, now, who, text))[-LOG_MAX:]
        return attrs.evolve(self, log=log, version=self.version + 1)


LOG_MAX = 2_000
"""The lines of a log that are kept, the latest ones."""


def moved(
    version: Version, state: VersionState, now: float, reason: str = "", waits_for: str = ""
) -> Version:
    """A version in another state.  Raises Refusal if it cannot get there."""
    if state not in MAY_BECOME[version.state] and state != version.state:
        why = f"version {version.number} is {version.state}, and cannot become {state}"
        raise Refusal("conflict", why, field="version")
    return attrs.evolve(
        version,
        state=state,
        reason=reason,
        waits_for=waits_for,
        changed_at=now if state != version.state else version.changed_at,
        played_at=now if state == "playing" and version.played_at is None else version.played_at,
    )
