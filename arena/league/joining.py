"""How people come into a league, and how their access ends: codes, tokens, bans, and being forgotten.

Who makes codes and tokens draws them; here are their hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import attrs

from arena.league.league import Code, League, LeagueEntry, Owner, TokenHolder
from arena.league.moderation import exclude_entry, removed_version
from arena.league.naming import check_league_name
from arena.league.roster import RosterRow
from arena.refusal import Refusal
from arena.words import clipped, printable

OWNERS_MAX = 2_000
"""Owners of a league."""
PERSONS_MAX = 20
"""People who act for one owner."""
CODES_MAX = 4_000
"""Codes of a league."""
REASON_MAX = 200


def hash_of_code(code: str) -> str:
    """The hash of a code, whatever its case, hyphens and spaces."""
    return hashlib.sha256(plain_code(code).encode("utf-8", "replace")).hexdigest()


def hash_of_token(token: str) -> str:
    """The hash of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def plain_code(code: str) -> str:
    """A code as it is compared."""
    return "".join(char for char in code if char not in " -–_\t").casefold()


def set_join_code(league: League, who: str, code_hash: str, now: float) -> League:
    """Makes a code with which anybody joins, in place of the one before; who has joined stays."""
    others = {key: code for key, code in league.codes.items() if code.is_personal}
    code = Code(code_hash, now)
    changed = attrs.evolve(league, codes={**others, code_hash: code}, version=league.version + 1)
    return changed.noting(who, "makes a new code for all", now)


def revoke_join_code(league: League, who: str, now: float) -> League:
    """Ends the code with which anybody joins.  Raises Refusal if there is none."""
    others = {key: code for key, code in league.codes.items() if code.is_personal}
    if len(others) == len(league.codes):
        raise Refusal("conflict", "no code for all is in use: there is nothing to revoke")
    return attrs.evolve(league, codes=others, version=league.version + 1).noting(who, "revokes the code", now)


def join_league(
    league: League, name: str, code_hash: str | None, token_hash: str, now: float
) -> tuple[League, Owner]:
    """Somebody comes in: a new owner, or one more person of a team or of the owner whom the code names.

    `name`: the public name of a new owner; empty: the roster's.  Raises Refusal.
    """
    code = _code_for(league, code_hash)
    there = _owner_of(league, code)
    named = (code.roster_name, code.roster_id) if code is not None else ("", "")
    person = TokenHolder(token_hash, now, *named)
    if there is not None:
        if there.ban:
            raise Refusal("forbidden", banned_words(there))
        if len(there.persons) >= PERSONS_MAX:
            why = f"{there.shown_name} has {PERSONS_MAX} people already: revoke the tokens of the owner first"
            raise Refusal("conflict", why)
        owner = attrs.evolve(there, persons=(*there.persons, person))
    else:
        owner = _newcomer(league, name or (code.team or code.roster_name if code else ""), person, code, now)
    joined = league.with_owner(owner)
    if code is not None and code.is_personal:
        joined = joined.with_code(attrs.evolve(code, used_by=owner.id))
    return joined, owner


def undo_join(league: League, owner_id: str, code_hash: str | None, token_hash: str, now: float) -> League:
    """Undoes a joining of which nobody was told: the token ends, and the code works again.

    Of an owner for whom nobody else acts nothing is left but its id.
    """
    owner = league.owner(owner_id)
    left = tuple(person for person in owner.persons if person.token_hash != token_hash)
    code = league.codes.get(code_hash or "")
    if code is not None and code.used_by:
        league = league.with_code(attrs.evolve(code, used_by=""))
    if left or league.entries_of(owner_id):
        return league.with_owner(attrs.evolve(owner, persons=left))
    return league.with_owner(Owner(owner_id, "", owner.joined_at, forgotten_at=now))


def _code_for(league: League, code_hash: str | None) -> Code | None:
    """The code that was sent; None if none is needed.  Raises Refusal."""
    how = league.settings.join
    code = None if code_hash is None else league.codes.get(code_hash)
    if code is not None and code.used_by:
        raise Refusal("conflict", "this code was used: ask a host for another one", field="code")
    if how == "closed" and (code is None or not code.owner):
        raise Refusal("forbidden", f"{league.name} takes nobody new: ask its host to open it", field="code")
    if how == "code" and code_hash is None:
        raise Refusal("bad_request", "send the code of the league: its host has it", field="code")
    if code_hash is not None and code is None:
        raise Refusal("forbidden", "no such code: compare it with what the host gave you", field="code")
    return code


def _owner_of(league: League, code: Code | None) -> Owner | None:
    """The owner to whom a code leads who is there already."""
    if code is not None and code.owner:
        return league.owner(code.owner)
    if code is None or not code.team:
        return None
    owners = (owner for owner in league.owners.values() if owner.forgotten_at is None)
    return next((owner for owner in owners if owner.team == code.team), None)


def _newcomer(league: League, name: str, person: TokenHolder, code: Code | None, now: float) -> Owner:
    if len(league.owners) >= OWNERS_MAX:
        raise Refusal("too_many", f"{league.name} has as many owners as it takes", key="owners")
    id = f"o{len(league.owners) + 1}"
    check_league_name(league, name, id)
    team = code.team if code is not None else ""
    return Owner(id, name, now, (person,), team, is_name_shown=not league.settings.approve_names)


def add_roster(
    league: League, who: str, rows: Sequence[RosterRow], code_hashes: Sequence[str], now: float
) -> League:
    """Makes a personal code for whoever of these has not joined; their unused codes end.  Raises Refusal."""
    named = {(row.name, row.team, row.id) for row in rows}
    codes = {
        key: code
        for key, code in league.codes.items()
        if code.used_by or (code.roster_name, code.team, code.roster_id) not in named
    }
    here = joined_of_roster(league)
    for row, code_hash in zip(rows, code_hashes, strict=True):
        if (row.name, row.team, row.id) in here:
            continue  # another code would make another owner of them
        codes[code_hash] = Code(code_hash, now, "", row.team, row.name, row.id, is_personal=True)
    if len(codes) > CODES_MAX:
        raise Refusal("too_many", f"a league has at most {CODES_MAX:,} codes", key="codes")
    changed = attrs.evolve(league, codes=codes, version=league.version + 1)
    made = sum((row.name, row.team, row.id) not in here for row in rows)
    return changed.noting(who, f"makes {made} personal codes from a roster", now)


def joined_of_roster(league: League) -> frozenset[tuple[str, str, str]]:
    """The people of rosters who have joined: name, team and id."""
    return frozenset(
        (code.roster_name, code.team, code.roster_id) for code in league.codes.values() if code.used_by
    )


def add_person_code(league: League, owner_id: str, who: str, code_hash: str, now: float) -> League:
    """Makes a code for one more person of an owner, or for one whose token is lost.  `who`: a host, or ""."""
    owner = league.owner(owner_id)
    if owner.ban:
        raise Refusal("forbidden", banned_words(owner))
    open_ones = sum(code.owner == owner_id and not code.used_by for code in league.codes.values())
    if open_ones >= PERSONS_MAX:
        raise Refusal("too_many", f"{open_ones} codes of this owner are unused: use one of them", key="codes")
    coded = league.with_code(Code(code_hash, now, owner=owner_id, is_personal=True))
    return coded.noting(who, f"makes a code for {owner_id}", now)


def revoke_tokens(league: League, owner_id: str, who: str, now: float) -> League:
    """Ends all tokens of an owner, and its unused codes.  `who`: a host, or "" for the owner itself."""
    owner = league.owner(owner_id)
    codes = {key: each for key, each in league.codes.items() if each.owner != owner_id or each.used_by}
    ended = attrs.evolve(league, codes=codes).with_owner(attrs.evolve(owner, persons=()))
    return ended.noting(who, f"revokes the tokens of {owner_id}", now)


def ban_owner(league: League, id: str, who: str, reason: str, now: float) -> League:
    """Keeps an owner from everything but looking; its bots are excluded."""
    owner = league.owner(id)
    why = clipped(printable(reason), REASON_MAX) or "a host decided so"
    if owner.ban:
        raise Refusal("conflict", f"{id} is banned already")
    banned = league.with_owner(attrs.evolve(owner, ban=why))
    for entry in league.entries_of(id):
        if not entry.exclusion:
            banned = exclude_entry(banned, entry.id, why, now)
    return banned.noting(who, f"bans {id}: {why}", now)


def lift_ban(league: League, id: str, who: str, now: float) -> League:
    """Lets an owner take part again; its bots stay excluded until they are readmitted."""
    owner = league.owner(id)
    if not owner.ban:
        raise Refusal("conflict", f"{id} is not banned")
    return league.with_owner(attrs.evolve(owner, ban="")).noting(who, f"lifts the ban of {id}", now)


def banned_words(owner: Owner) -> str:
    return f"{owner.id} is banned ({owner.ban}): ask the host of the league"


def forget_owner(league: League, id: str, who: str, now: float) -> tuple[League, frozenset[str]]:
    """Removes names, roster, tokens and codes of an owner; its bots are withdrawn and keep their ids alone.

    Also returns the hashes of what it alone has handed in, which are to be deleted.
    """
    owner = league.owner(id)
    codes = {
        key: code
        for key, code in league.codes.items()
        if id not in (code.owner, code.used_by) and not (owner.team and code.team == owner.team)
    }
    stone = Owner(id, "", owner.joined_at, forgotten_at=now)
    left = attrs.evolve(league, codes=codes).with_owner(stone)
    for entry in league.entries_of(id):
        versions = tuple(removed_version(each, now) for each in entry.versions)
        left = left.with_entry(attrs.evolve(entry, name="", versions=versions))
    mine = _hashes(league.entries_of(id))
    others = _hashes(each for each in league.entries.values() if each.owner != id)
    return left.noting(who, f"forgets {id}", now), mine - others


def _hashes(entries: Iterable[LeagueEntry]) -> frozenset[str]:
    return frozenset(version.hash for entry in entries for version in entry.versions if version.hash)
