"""Where two owners handed in equal files: for hosts, who judge what that means.  Pure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise

import attrs

from arena.league.league import League

FAMILIAR_OWNERS = 4
"""A file that more owners have comes from a template or a library, and says nothing.  Of more who handed in
the same version, each is told beside the next."""
PATHS_MAX = 10
"""How many equal files of two owners are named."""


@attrs.frozen
class AlikeOwners:
    """Two owners who handed in equal files."""

    owners: tuple[str, str]
    """Their ids."""
    versions: tuple[str, str]
    """The first version of each that has one of these files, as results call it."""
    is_whole: bool
    """Whether they handed in a version with all files equal."""
    files: int
    """How many different files both have."""
    paths: tuple[str, ...]
    """Where these are in the first owner's version, at most `PATHS_MAX`."""


def alike_owners(league: League, files: Mapping[str, Mapping[str, str]]) -> list[AlikeOwners]:
    """The owners with equal files, those with equal versions and most files first.

    `files`: the hash of a hand-in -> what each of its files holds, as a hash -> the file's path.
    """
    found = dict[tuple[str, str], list[tuple[str, str, str]]]()
    for content, holders in _holders(league, files).items():
        is_familiar = len(holders) > FAMILIAR_OWNERS
        if is_familiar and content not in files:
            continue
        for one, other in pairwise(holders) if is_familiar else combinations(holders, 2):
            (version, path), (version_of_other, _) = holders[one], holders[other]
            found.setdefault((one, other), []).append((version, version_of_other, path))
    alike = [_alike(pair, same) for pair, same in found.items()]
    return sorted(alike, key=lambda each: (not each.is_whole, -each.files, each.owners))


def _alike(owners: tuple[str, str], same: list[tuple[str, str, str]]) -> AlikeOwners:
    paths = sorted(path for *_, path in same if path)
    is_whole = any(not path for *_, path in same)
    one, other, _ = same[0]
    return AlikeOwners(owners, (one, other), is_whole, len(paths), tuple(paths[:PATHS_MAX]))


def _holders(league: League, files: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, tuple[str, str]]]:
    """The hash of a file, or of a hand-in -> its owners, each with a version and the path; "": all of it."""
    holders: dict[str, dict[str, tuple[str, str]]] = {}
    for entry in league.entries.values():
        if league.owners[entry.owner].forgotten_at is not None:
            continue
        for version in entry.versions:
            if version.hash not in files:
                continue
            for content, path in {version.hash: "", **files[version.hash]}.items():
                holders.setdefault(content, {}).setdefault(entry.owner, (entry.of(version), path))
    return holders
