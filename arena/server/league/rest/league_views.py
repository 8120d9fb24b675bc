"""A league as somebody sees it: anybody, an owner, or a host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from arena.games import GAMES
from arena.league.entering import HandedIn
from arena.league.league import LIVE, League, LeagueEntry, Owner, Version
from arena.league.roster import roster_text
from arena.server.league.hosts import Host
from arena.server.league.leagues import OpenLeague
from arena.server.league.rest.league_types import (
    BotShown,
    ConnectionShown,
    LeagueListed,
    LeagueShown,
    OwnerKnown,
    OwnerShown,
    PersonShown,
    SelfInLeague,
    VersionShown,
)
from arena.words import counted

NOT_PLAYED = "It is not played at the moment: what is handed in waits."


@attrs.frozen
class LeagueViewer:
    """Who looks at a league."""

    host: Host | None = None
    owner: Owner | None = None

    @property
    def is_anybody(self) -> bool:
        return self.host is None and self.owner is None

    def knows(self, owner: str) -> bool:
        """Whether it is told what only this owner and hosts are told."""
        return self.host is not None or (self.owner is not None and self.owner.id == owner)


def listed_league(live: OpenLeague) -> LeagueListed:
    """A league as a list shows it."""
    return LeagueListed(**_common(live))


def shown_league(live: OpenLeague) -> LeagueShown:
    """All that everybody who may look at a league sees of it."""
    league, settings = live.league, live.league.settings
    return LeagueShown(
        **_common(live),
        rules=dict(settings.rules),
        seats=settings.seats,
        replays=settings.replays,
        entries_per_owner=settings.entries_per_owner,
        hand_ins=settings.hand_ins,
        hand_ins_per_day=settings.hand_ins_per_day,
        approve_names=settings.approve_names,
        archive_mb=settings.archive_mb,
        files_max=settings.files_max,
        build_s=settings.build_s,
        epoch_hours=settings.epoch_hours,
        owner_mb=settings.owner_mb,
        library=settings.library,
        matches_gb=settings.matches_gb,
        made=league.made_at,
        state=_state(live),
        version=league.version,
    )


def _common(live: OpenLeague) -> dict[str, Any]:
    league, settings = live.league, live.league.settings
    return {
        "name": settings.name,
        "game": settings.game,
        "title": GAMES[settings.game].title if settings.game in GAMES else settings.game,
        "join": settings.join,
        "look": settings.look,
        "is_paused": league.is_paused,
        "is_played": live.is_played and not live.rests,
        "owners": sum(owner.forgotten_at is None for owner in league.owners.values()),
        "bots": sum(entry.playing is not None for entry in league.entries.values()),
    }


def _state(live: OpenLeague) -> str:
    if live.league.is_paused:
        return "Its host has paused it: what is handed in waits."
    if live.is_full:
        most = live.league.settings.matches_gb
        return f"It rests: its matches take all of its {most} GB, and its host can give it more (matches_gb)."
    if not live.is_played:
        return NOT_PLAYED
    playing = sum(1 for _ in live.league.playing())
    return f"It is being played by {counted(playing, 'bot')}."


def shown_owner(owner: Owner, entries: Iterable[LeagueEntry]) -> OwnerShown:
    """An owner with its bots, as all in the league see it."""
    bots = [entry.id for entry in entries]
    return OwnerShown(owner.id, owner.shown_name, owner.joined_at, bool(owner.ban), bots)


def known_owner(league: League, owner: Owner) -> OwnerKnown:
    """An owner, as it and hosts see it."""
    shown = shown_owner(owner, league.entries_of(owner.id))
    return OwnerKnown(
        id=shown.id,
        name=shown.name,
        joined=shown.joined,
        is_banned=shown.is_banned,
        bots=shown.bots,
        own_name=owner.name,
        is_name_shown=owner.is_name_shown,
        team=owner.team,
        people=[PersonShown(each.roster_name, each.roster_id, each.joined_at) for each in owner.persons],
        ban=owner.ban,
    )


def shown_bot(live: OpenLeague, entry: LeagueEntry, viewer: LeagueViewer) -> BotShown:
    """A bot with its versions; what it is told of them depends on who looks."""
    league = live.league
    knows = viewer.knows(entry.owner)
    owner, playing = league.owners[entry.owner], entry.playing
    return BotShown(
        id=entry.id,
        name=entry.name if knows and entry.name else entry.shown_name,
        owner=owner.id,
        owner_name=owner.shown_name,
        playing=None if playing is None else playing.number,
        excluded=entry.exclusion or None,
        connection=_shown_connection(live, entry),
        versions=[shown_version(entry, version, knows) for version in entry.versions],
        version=league.version,
    )


def _shown_connection(live: OpenLeague, entry: LeagueEntry) -> ConnectionShown | None:
    """How the newest version of a bot that plays or may play is connected; None if it was handed in."""
    version = next((each for each in reversed(entry.versions) if each.state in LIVE), None)
    if version is None or not version.connects:
        return None
    said, route = live.visits.get(entry.of(version)), live.routes.get(entry.of(version))
    if said is None or not said.is_connected:
        return ConnectionShown(False, False, None)
    trip_s = None if route is None else route.round_trip_s
    return ConnectionShown(True, said.has_answered, None if trip_s is None else round(1_000 * trip_s, 1))


def shown_version(entry: LeagueEntry, version: Version, knows: bool) -> VersionShown:
    """A version; `knows`: whether its owner or a host looks."""
    return VersionShown(
        number=version.number,
        id=entry.of(version),
        state=version.state,
        received=version.received_at,
        changed=version.changed_at,
        played=version.played_at,
        reason=version.reason if knows else None,
        waits_for=version.waits_for if knows else None,
        hash=version.hash if knows and version.hash else None,
        connects=version.connects,
    )


def shown_self(live: OpenLeague, viewer: LeagueViewer) -> SelfInLeague:
    """Who asks, with its bots."""
    league = live.league
    owner, host = viewer.owner, viewer.host
    entries = [] if owner is None else league.entries_of(owner.id)
    return SelfInLeague(
        owner=None if owner is None else known_owner(league, owner),
        host=None if host is None else host.name,
        is_assistant=host is not None and host.role == "assistant",
        bots=[shown_bot(live, entry, viewer) for entry in entries],
        version=league.version,
    )


def hand_in_words(live: OpenLeague, handed: HandedIn) -> str:
    """What came of a hand-in, in a sentence."""
    version, name = handed.version, handed.entry.name
    if not handed.is_new:
        return (
            f"nothing has changed: these are the files of {name} version {version.number}, "
            f"which is {version.state}"
        )
    waits = "" if live.is_played and not live.rests else "; the league is not played at the moment"
    return f"{name} version {version.number} was received and waits to be tried{waits}"


ROSTER_HEAD = ("name", "team", "id", "owner", "public_name", "bots", "playing")


def shown_roster(league: League) -> str:
    """Who of the roster has joined and handed in, as CSV; then owners who are in no roster."""
    rows = list[tuple[object, ...]]()
    for code in league.codes.values():
        if code.roster_name and not code.used_by:
            rows.append((code.roster_name, code.team, code.roster_id, "", "", 0, 0))
    bots = league.entries_by_owner()
    for owner in league.owners.values():
        if owner.forgotten_at is not None:
            continue
        entries = bots.get(owner.id, [])
        more = (owner.id, owner.name, len(entries), sum(each.playing is not None for each in entries))
        people = owner.persons or (None,)
        for person in people:
            name, id = ("", "") if person is None else (person.roster_name, person.roster_id)
            rows.append((name, owner.team, id, *more))
    return roster_text(ROSTER_HEAD, sorted(rows, key=lambda row: [str(cell) for cell in row]))
