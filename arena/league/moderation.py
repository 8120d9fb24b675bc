"""What a host does to the bots of a league: pause, exclude, readmit, retry, and messages to all."""

from __future__ import annotations

import attrs

from arena.league.league import LIVE, QUEUED, League, LeagueEntry, Version, moved
from arena.refusal import Refusal
from arena.words import clipped, printable

MESSAGE_MAX = 500
WHY_MAX = 200


def set_paused(league: League, who: str, is_paused: bool, now: float) -> League:
    """Stops play, or goes on with it."""
    if league.is_paused == is_paused:
        raise Refusal("conflict", f"{league.name} is {'paused' if is_paused else 'not paused'} already")
    changed = attrs.evolve(league, is_paused=is_paused, version=league.version + 1)
    return changed.noting(who, "pauses the league" if is_paused else "goes on with the league", now)


def exclude(league: League, entry_id: str, number: int | None, who: str, reason: str, now: float) -> League:
    """Excludes a bot, or one version of it (`number`): it plays no more until a host takes it in again."""
    entry = league.entry(entry_id)
    why = clipped(printable(reason), WHY_MAX) or "a host decided so"
    if number is None:
        if entry.exclusion:
            raise Refusal("conflict", f"{entry_id} is excluded already")
        return exclude_entry(league, entry_id, why, now).noting(who, f"excludes {entry_id}: {why}", now)
    version = entry.version(number)
    if version.state not in LIVE:
        why_not = f"version {number} of {entry_id} is {version.state}: only one that plays or waits to play"
        raise Refusal("conflict", f"{why_not} can be excluded", field="version")
    changed = league.with_version(entry, moved(version, "excluded", now, why))
    return changed.noting(who, f"excludes {entry.of(version)}: {why}", now)


def exclude_entry(league: League, entry_id: str, why: str, now: float) -> League:
    """Excludes a bot with all its versions that play or are to be tried."""
    entry = league.entry(entry_id)
    excluded = tuple(each.number for each in entry.versions if each.state in LIVE)
    versions = tuple(
        moved(each, "excluded", now, why) if each.state in LIVE else each for each in entry.versions
    )
    return league.with_entry(attrs.evolve(entry, exclusion=why, excluded=excluded, versions=versions))


def readmit(league: League, entry_id: str, who: str, now: float) -> League:
    """Takes a bot in again: the version that played plays, and the one that waited is tried anew."""
    entry = league.entry(entry_id)
    if not entry.exclusion:
        raise Refusal("conflict", f"{entry_id} is not excluded")
    if league.owner(entry.owner).ban:
        raise Refusal("conflict", f"{entry.owner}, its owner, is banned: lift the ban first")
    versions = list(entry.versions)
    for place, number in enumerate(entry.excluded):
        version = entry.version(number)
        # One that waits is newer than one that plays, so the first of two is the one that played.
        plays = place == 0 and version.played_at is not None
        versions[number - 1] = moved(version, "playing" if plays else "waiting", now)
    back = attrs.evolve(entry, exclusion="", excluded=(), versions=tuple(versions))
    return league.with_entry(back).noting(who, f"takes in {entry_id} again", now)


def retry(league: League, entry_id: str, number: int, who: str, now: float) -> League:
    """Has a version tried anew that was refused or excluded."""
    entry = league.entry(entry_id)
    version = entry.version(number)
    if version.state == "failed":
        why = f"version {number} of {entry_id} failed in play, and stays out: its owner hands in the next one"
        raise Refusal("conflict", why, field="version")
    if version.state not in ("refused", "excluded"):
        why = f"version {number} of {entry_id} is {version.state}: only one that was refused or excluded"
        raise Refusal("conflict", f"{why} can be tried again", field="version")
    check_may_play(league, entry)
    for other in entry.versions:
        if other.state in QUEUED or (other.state in LIVE and other.number > number):
            why = f"version {other.number} of {entry_id} is {other.state}: {number} would come in its place"
            raise Refusal("conflict", why, field="version")
    tried = league.with_version(entry, moved(version, "waiting", now))
    return tried.noting(who, f"has {entry.of(version)} tried again", now)


def tell_all(league: League, who: str, message: str, now: float) -> League:
    """Says something to everybody in the league: a line of its log."""
    text = message.strip()
    if not 1 <= len(text) <= MESSAGE_MAX or not text.isprintable():
        why = f"a message is 1 to {MESSAGE_MAX} printable characters on one line"
        raise Refusal("bad_request", why, field="message")
    return league.noting(who, f"says: {text}", now)


def check_may_play(league: League, entry: LeagueEntry) -> None:
    """Raises Refusal if the bot or its owner is out of the league."""
    owner = league.owner(entry.owner)
    if owner.ban:
        raise Refusal("forbidden", f"{owner.id} is banned ({owner.ban}): ask the host of the league")
    if entry.exclusion:
        why = f"{entry.shown_name} is excluded ({entry.exclusion}): ask the host of the league"
        raise Refusal("forbidden", why)


def removed_version(version: Version, now: float) -> Version:
    """A version of somebody who is forgotten: nothing is left but that it was there."""
    state = "withdrawn" if version.state in LIVE else version.state
    return attrs.evolve(version, state=state, reason="", waits_for="", changed_at=now)
