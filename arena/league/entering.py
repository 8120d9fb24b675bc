"""Hand-ins and their versions: what is handed in, what is tried next, what the playing process reports.

What fails never displaces the version that plays, and costs no quota.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import attrs

from arena.league.league import LIVE, QUEUED, League, LeagueEntry, Version, VersionState, moved
from arena.league.moderation import check_may_play
from arena.league.naming import check_league_name
from arena.league.storing import make_room
from arena.refusal import Refusal
from arena.words import counted

DAY_S = 86_400.0
REFUSED_PER_DAY = 100
"""Hand-ins of an owner in a day that may be refused before it has to wait: each costs a build."""
VERSIONS_MAX = 1_000
"""Versions of a bot."""
REPORTED_MAX = 4_000
"""Characters of a reason that are kept."""


@attrs.frozen
class HandedIn:
    """What came of a hand-in."""

    entry: LeagueEntry
    version: Version
    is_new: bool
    """False: these bytes were handed in before, and nothing has happened."""

    @property
    def id(self) -> str:
        return self.entry.of(self.version)


def check_may_hand_in(
    league: League, owner_id: str, name: str, now: float, *, connects: bool = False
) -> LeagueEntry | None:
    """The bot of this name of which a new version may be handed in; None if it would be a new bot.

    `name`: empty for the only one, or the owner's own name; `connects`: whether it is not handed in, but
    connects.  Raises Refusal, so that nothing is sent in vain.
    """
    if not (connects or league.settings.hand_ins):
        why = f"bots are not handed in to {league.name}, as its server cannot confine them: they connect"
        raise Refusal("conflict", f"{why} (`arena join`)")
    owner = league.owner(owner_id)
    if owner.ban:
        raise Refusal("forbidden", f"{owner_id} is banned ({owner.ban}): ask the host of the league")
    mine = league.entries_of(owner_id)
    entry = only_or_named(mine, name)
    if entry is not None:
        check_may_play(league, entry)
        if len(entry.versions) >= VERSIONS_MAX:
            why = f"{entry.shown_name} has as many versions as a bot may have"
            raise Refusal("too_many", why, key="versions")
    else:
        if len(mine) >= league.settings.entries_per_owner:
            names = " or ".join(each.shown_name for each in mine)
            why = f"an owner has at most {counted(league.settings.entries_per_owner, 'bot')} here"
            raise Refusal("conflict", f"{why}: hand in a new version of {names}", field="name")
        check_league_name(league, name or owner.name, owner_id, _next_id(league))
    _check_quota(league, mine, now)
    return entry


def only_or_named(mine: Sequence[LeagueEntry], name: str) -> LeagueEntry | None:
    """The bot that is meant by a name or an id, or by nothing.  Raises Refusal if it may be several."""
    if name:
        return next((each for each in mine if name in (each.id, each.name)), None)
    if len(mine) > 1:
        names = ", ".join(each.shown_name for each in mine)
        raise Refusal("bad_request", f"say of which bot it is a version: you have {names}", field="name")
    return mine[0] if mine else None


def _next_id(league: League) -> str:
    return f"b{len(league.entries) + 1}"


def _check_quota(league: League, mine: Sequence[LeagueEntry], now: float) -> None:
    """Raises Refusal if the owner handed in as much as it may; setting back the clock gives no more."""
    recent = [version for entry in mine for version in entry.versions if version.received_at > now - DAY_S]
    failed = [version for version in recent if version.state in ("refused", "failed")]
    others = [version for version in recent if version not in failed]
    limits = (
        (others, league.settings.hand_ins_per_day, "hand_ins_per_day", "hand-ins"),
        (failed, REFUSED_PER_DAY, "refused_per_day", "hand-ins that fail"),
    )
    for counting, most, key, noun in limits:
        if len(counting) >= most:
            wait_s = max(60.0, min(version.received_at for version in counting) + DAY_S - now)
            why = f"an owner has at most {most} {noun} a day"
            why = f"{why}: hand in the next one in {counted(ceil(wait_s / 60), 'minute')}"
            raise Refusal("too_many", why, key=key, seconds=wait_s)


def hand_in(
    league: League, owner_id: str, name: str, hash: str, now: float, octets: int = 0
) -> tuple[League, HandedIn]:
    """Takes in what was received completely: a version of the bot of this name, or a new bot.

    The owner's versions of that bot that were still to be tried are replaced.  `octets`: how many bytes it
    has on the disk.  Raises Refusal.
    """
    mine = league.entries_of(owner_id)
    same = _same(mine, name, hash)
    if same is not None:
        return league, same
    return add_version(league, owner_id, name, hash, now, octets=octets)


def add_version(
    league: League,
    owner_id: str,
    name: str,
    hash: str,
    now: float,
    *,
    waits_for: str = "",
    octets: int = 0,
) -> tuple[League, HandedIn]:
    """A new version of the bot of this name, or a new bot, in place of what was still to be tried of it."""
    entry = check_may_hand_in(league, owner_id, name, now, connects=not hash)
    if entry is None:
        owner = league.owner(owner_id)
        is_shown = not league.settings.approve_names
        entry = LeagueEntry(_next_id(league), owner_id, name or owner.name, is_name_shown=is_shown)
    kept = tuple(
        moved(each, "replaced", now, "a newer version came") if each.state in QUEUED else each
        for each in entry.versions
    )
    if kept:
        league = league.with_entry(attrs.evolve(entry, versions=kept))
    league = make_room(league, owner_id, hash, octets)
    kept = league.entry(entry.id).versions if kept else ()
    version = Version(len(kept) + 1, hash, now, changed_at=now, waits_for=waits_for, octets=octets)
    entry = attrs.evolve(entry, versions=(*kept, version))
    return league.with_entry(entry), HandedIn(entry, version, is_new=True)


def _same(mine: Sequence[LeagueEntry], name: str, hash: str) -> HandedIn | None:
    """The version of the bot that has the same bytes."""
    entry = only_or_named(mine, name)
    if entry is None:
        return None
    for version in reversed(entry.versions):
        if version.hash == hash:
            return HandedIn(entry, version, is_new=False)
    return None


# What is tried, and what is reported.


def tried_next(league: League) -> list[tuple[LeagueEntry, Version]]:
    """The versions that are to be tried, in their order: one of each owner, its newest.

    Those that are being tried come first, then whoever has waited longest.
    """
    newest = dict[str, tuple[LeagueEntry, Version]]()
    for entry in league.entries.values():
        for version in entry.versions:
            if version.state in QUEUED and not version.connects:
                before = newest.get(entry.owner)
                if before is None or _is_first(version, before[1]):
                    newest[entry.owner] = entry, version
    return sorted(newest.values(), key=lambda it: (it[1].state == "waiting", it[1].received_at, it[0].id))


def _is_first(version: Version, other: Version) -> bool:
    """Of one owner's versions: one that is being tried first, then the newest."""
    return (version.state != "waiting", version.received_at) > (other.state != "waiting", other.received_at)


def next_to_try(league: League) -> tuple[LeagueEntry, Version] | None:
    """The version that waits and is to be tried next; None if there is none."""
    return next((each for each in tried_next(league) if each[1].state == "waiting"), None)


def note_state(
    league: League, version_id: str, state: VersionState, reason: str, waits_for: str, now: float
) -> League:
    """Takes in what the playing process reports of a version.

    Once a version plays, it replaces the one that played before.  A report of a version that is not the
    process's any more, as it was withdrawn meanwhile, changes nothing.
    """
    found = league.find_version(version_id)
    if found is None:
        return league
    entry, version = found
    reported = moved_by_process(version, state, reason[:REPORTED_MAX], waits_for[:REPORTED_MAX], now)
    if reported is None:
        return league
    if state == "playing":
        older = entry.playing
        if older is not None and older.number != version.number:
            why = f"version {version.number} plays in its place"
            league = league.with_version(entry, moved(older, "replaced", now, why))
            entry = league.entry(entry.id)
    return league.with_version(entry, reported)


PROCESS_REPORTS: frozenset[VersionState] = frozenset(
    ("waiting", "building", "checking", "playing", "refused", "failed")
)


def moved_by_process(
    version: Version, state: VersionState, reason: str, waits_for: str, now: float
) -> Version | None:
    """A version as it was reported; None if the report says nothing, or is late."""
    if version.state not in LIVE or state not in PROCESS_REPORTS:
        return None
    if version.state == "playing" and state == "refused":  # it played once, and can be started no more
        state = "failed"
    try:
        reported = moved(version, state, now, reason, waits_for)
    except Refusal:
        return None
    return None if reported == version else reported


# What an owner does.

BACK_S = 600.0
"""How long a version is out of play once it left: its open series ended with it, lost ones too."""


def roll_back(league: League, entry_id: str, number: int, now: float, *, is_host: bool = False) -> League:
    """Has an earlier version play again that has played, in place of the one that plays.

    A host may do so at once, owners not soon after it has left.  Raises Refusal.
    """
    entry = league.entry(entry_id)
    check_may_play(league, entry)
    version = entry.version(number)
    if version.state == "playing":
        raise Refusal("conflict", f"version {number} plays already", field="version")
    if version.state not in ("replaced", "withdrawn") or version.played_at is None:
        why = f"version {number} {_why_not_back(version)}: name one that has played and did not fail"
        raise Refusal("conflict", why, field="version")
    older = entry.playing
    wait_s = min(BACK_S, version.changed_at + BACK_S - now)
    if wait_s > 0 and not is_host and (older is not None or version.state == "withdrawn"):
        why = (
            f"version {number} left play just now: it can come back in {counted(ceil(wait_s / 60), 'minute')}"
        )
        raise Refusal("too_many", why, key="back", seconds=wait_s)
    if older is not None:
        league = league.with_version(entry, moved(older, "replaced", now, f"rolled back to version {number}"))
        entry = league.entry(entry_id)
    return league.with_version(entry, moved(version, "playing", now, "rolled back to it"))


def _why_not_back(version: Version) -> str:
    return "has never played" if version.played_at is None else f"is {version.state}"


def withdraw_entry(league: League, entry_id: str, now: float) -> League:
    """Takes a bot out of play, with its versions that are still to be tried."""
    entry = league.entry(entry_id)
    if not any(each.state in LIVE for each in entry.versions):
        why = f"no version of {entry.shown_name} plays or waits to play: there is nothing to withdraw"
        raise Refusal("conflict", why)
    versions = tuple(
        moved(each, "withdrawn", now, "withdrawn") if each.state in LIVE else each for each in entry.versions
    )
    return league.with_entry(attrs.evolve(entry, versions=versions))
