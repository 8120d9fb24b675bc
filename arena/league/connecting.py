"""Bots that connect instead of being handed in: for which version a connection plays, how a new one is named.

Such a version has no files here, and so no fingerprint: only its owner can say that it is another one.  Pure.
"""

from __future__ import annotations

from arena.league.entering import HandedIn, add_version, only_or_named
from arena.league.joining import banned_words
from arena.league.league import LIVE, League
from arena.league.moderation import check_may_play
from arena.refusal import Refusal

WAITS = "its connection"
"""What such a version waits for."""


def name_version(league: League, owner_id: str, name: str, now: float) -> tuple[League, HandedIn]:
    """A new version, which will connect, of the owner's bot of this name, or of a new bot.

    It replaces what plays now once it has connected.  Raises Refusal.
    """
    return add_version(league, owner_id, name, "", now, waits_for=WAITS)


def connect_bot(league: League, owner_id: str, said: str, now: float) -> tuple[League, HandedIn]:
    """The version for which a connection of an owner plays; the first one of a new bot if there is room.

    `said`: what the bot calls itself; where an owner has one bot and may have no other, it may be anything.
    Raises Refusal if that is no bot that connects.
    """
    owner, mine = league.owner(owner_id), league.entries_of(owner_id)
    if owner.ban:
        raise Refusal("forbidden", banned_words(owner))
    entry = next((each for each in mine if said in (each.id, each.name)), None)
    if entry is None and (not said or len(mine) >= league.settings.entries_per_owner):
        entry = only_or_named(mine, "")
    if entry is None:
        return name_version(league, owner_id, said, now)
    check_may_play(league, entry)
    version = next((each for each in reversed(entry.versions) if each.state in LIVE), None)
    if version is not None and version.connects:
        return league, HandedIn(entry, version, is_new=False)
    stands = "none of its versions plays" if version is None else f"version {version.number} was handed in"
    why = f"{entry.shown_name} cannot connect, as {stands}: name a new version that connects, by `arena join`"
    raise Refusal("conflict", f"{why} or on the page of the league", field="version")
