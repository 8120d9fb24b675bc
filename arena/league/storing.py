"""What owners' hand-ins take on the disk, and which of them make room for newer ones."""

from __future__ import annotations

import attrs

from arena.league.league import LIVE, League, Version
from arena.refusal import Refusal
from arena.words import sized

LOST = "lost"
"""The hash of a version whose files are not there any more, which no files have."""
NO_FILES = frozenset((LOST, ""))
"""The hashes of versions without files; bots that connect have the second."""
MADE_ROOM = "Its files were removed to make room for newer ones, as it never played."


def hashes_handed_in(league: League) -> frozenset[str]:
    """The hashes of all that was handed in by owners who are not forgotten."""
    return frozenset(
        version.hash
        for entry in league.entries.values()
        for version in entry.versions
        if league.owners[entry.owner].forgotten_at is None and version.hash not in NO_FILES
    )


def without_files(version: Version, why: str) -> Version:
    """A version whose files are gone: it can neither play again nor be downloaded, and its owner is told."""
    return attrs.evolve(version, hash=LOST, octets=0, reason=" ".join(filter(None, (version.reason, why))))


def make_room(league: League, owner_id: str, hash: str, octets: int) -> League:
    """The league in which an owner may hand in so many bytes more.

    Versions that never played, and are not to be tried, lose their files for it, the oldest first; those
    that have played keep theirs.  Raises Refusal if there is no room.
    """
    versions = [version for entry in league.entries_of(owner_id) for version in entry.versions]
    taken = {version.hash: version.octets for version in versions}
    if hash in taken:
        return league
    most = league.settings.owner_mb << 20
    over = sum(taken.values()) + octets - most
    needed = {each.hash for each in versions if each.played_at is not None or each.state in LIVE}
    removed = set[str]()
    for version in sorted(versions, key=lambda each: each.received_at):
        if over > 0 and version.hash not in needed | removed | NO_FILES:
            removed.add(version.hash)
            over -= version.octets
    if over > 0:
        why = f"with this, your hand-ins take {sized(most + over)}, and an owner has {sized(most)} here"
        how = "leave out what the bot does not need, or ask the host for more (`owner_mb`)"
        raise Refusal("too_many", f"{why}: {how}", key="owner_mb")
    for entry in league.entries_of(owner_id):
        gone = tuple(
            without_files(each, MADE_ROOM) if each.hash in removed else each for each in entry.versions
        )
        if gone != entry.versions:
            league = league.with_entry(attrs.evolve(entry, versions=gone))
    return league
