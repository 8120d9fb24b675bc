"""Leagues that come from elsewhere, or go there: what is left out, what was lost, who stays forgotten."""

from __future__ import annotations

from collections.abc import Container, Iterable

import attrs

from arena.league.joining import forget_owner
from arena.league.league import LIVE, League, LeagueEntry, Owner, Version
from arena.league.storing import LOST, NO_FILES, without_files

LOST_WHY = "Its files were lost when the league was moved: hand it in again."


def without_people(league: League) -> League:
    """The league as strangers may have it: ids and states, and no names, roster, tokens, reasons or log.

    Nor hashes, which tell who handed in the same, nor what bots may read of the host's machine.
    """
    owners = {
        id: Owner(id, "", owner.joined_at, forgotten_at=owner.forgotten_at)
        for id, owner in league.owners.items()
    }
    entries = {id: _without_words(entry) for id, entry in league.entries.items()}
    settings = attrs.evolve(league.settings, library="")
    return attrs.evolve(league, settings=settings, owners=owners, entries=entries, codes={}, log=())


def _without_words(entry: LeagueEntry) -> LeagueEntry:
    versions = tuple(
        attrs.evolve(each, hash=each.hash and LOST, reason="", waits_for="") for each in entry.versions
    )
    return attrs.evolve(entry, name="", exclusion="excluded" if entry.exclusion else "", versions=versions)


def without_lost(league: League, there: Container[str], now: float) -> tuple[League, list[str]]:
    """The league in which versions whose files are not `there` are out of play, as their owners are told.

    Also returns their ids.  Their owners can hand in the same files again.
    """
    gone = list[str]()
    for entry in league.entries.values():
        if league.owners[entry.owner].forgotten_at is not None:
            continue
        lost = [
            version
            for version in entry.versions
            if version.hash not in NO_FILES and version.hash not in there
        ]
        for version in lost:
            league = league.with_version(league.entry(entry.id), _lost(version, now))
            gone.append(entry.of(version))
    return league, gone


def _lost(version: Version, now: float) -> Version:
    lost = without_files(version, LOST_WHY)
    return attrs.evolve(lost, state="failed", waits_for="", changed_at=now) if version.state in LIVE else lost


def still_forgotten(league: League, owners: Iterable[str], now: float) -> League:
    """The league without the owners who were forgotten after it was kept."""
    for id in owners:
        if id in league.owners and league.owners[id].forgotten_at is None:
            league, _ = forget_owner(league, id, "", now)
    return league
