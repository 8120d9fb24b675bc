"""Names in a league: which can be had, who is renamed, and which a host has to approve.

Names equal but for case, width, alphabet or Unicode form are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from arena.league.league import League, LeagueEntry, Owner
from arena.refusal import Refusal
from arena.wire.names import is_readable, looks_of, told_apart

NAME_MAX = 24
"""Characters of a name, as at tables."""
LIKE_AN_ID = re.compile(r"[ob][0-9]+(?:@[0-9]+)?")
"""How ids of owners, bots and versions look: whoever is called so is taken for another one."""


def check_league_name(league: League, name: str, owner: str, entry: str = "") -> None:
    """Raises Refusal if nobody can have the name, or somebody has it or one like it.

    `owner`, `entry`: whose it shall be.  A bot may have its owner's name.
    """
    if not is_readable(name, NAME_MAX):
        why = f"a name is 1 to {NAME_MAX} printable characters, without spaces at its ends"
        raise Refusal("bad_request", why, field="name")
    if name in league.settings.reserved:
        why = f"{name} is a word of the game: choose another name"
        raise Refusal("bad_request", why, field="name")
    looks = looks_of(name)
    if any(LIKE_AN_ID.fullmatch(look.partition(" ")[2]) for look in looks):
        why = f"{told_apart(name)} looks like the id of an owner or a bot: choose another name"
        raise Refusal("bad_request", why, field="name")
    for holder, taken in _others(league, owner, entry):
        if looks.isdisjoint(holder.looks):
            continue
        if name == taken or not holder.is_name_shown:
            raise Refusal("conflict", f"{name} is taken in this league: choose another name", field="name")
        why = f"{told_apart(name)} looks like {told_apart(taken)}, which is taken: choose another name"
        raise Refusal("conflict", why, field="name")


def _others(league: League, owner: str, entry: str) -> Iterator[tuple[Owner | LeagueEntry, str]]:
    """Everybody else with a name, and the names."""
    for each in league.owners.values():
        if each.id != owner:
            yield each, each.name
    for bot in league.entries.values():
        if bot.id != entry and (entry or bot.owner != owner):
            yield bot, bot.name


def rename_owner(league: League, id: str, name: str, who: str, now: float, *, by_host: bool) -> League:
    """Gives an owner another name, by itself or a host, whose names need no approval."""
    owner = league.owner(id)
    check_league_name(league, name, id)
    if name == owner.name:
        return league
    shown = by_host or not league.settings.approve_names
    renamed = league.with_owner(attrs.evolve(owner, name=name, is_name_shown=shown))
    return renamed.noting(who if by_host else "", f"renames {id}", now)


def rename_entry(league: League, id: str, name: str, who: str, now: float, *, by_host: bool) -> League:
    """Gives a bot another name, by its owner or a host."""
    entry = league.entry(id)
    check_league_name(league, name, entry.owner, id)
    if name == entry.name:
        return league
    shown = by_host or not league.settings.approve_names
    renamed = league.with_entry(attrs.evolve(entry, name=name, is_name_shown=shown))
    return renamed.noting(who if by_host else "", f"renames {id}", now)


def show_name(league: League, id: str, who: str, is_shown: bool, now: float) -> League:
    """A host approves the name of an owner or a bot, or has its id shown in its place."""
    said = f"approves the name of {id}" if is_shown else f"hides the name of {id}"
    if id in league.entries:
        entry = league.entry(id)
        if entry.is_name_shown == is_shown:
            return league
        return league.with_entry(attrs.evolve(entry, is_name_shown=is_shown)).noting(who, said, now)
    owner = league.owner(id)
    if owner.is_name_shown == is_shown:
        return league
    return league.with_owner(attrs.evolve(owner, is_name_shown=is_shown)).noting(who, said, now)
