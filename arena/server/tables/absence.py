"""Pure: people who are not at their table: who is waited for, what falls asleep, when a table is closed.

Among people the whole limit runs each time, whoever is away.  One person against house bots has no limit,
unless the table's maker asked for one, and after two minutes without that person the match falls asleep.
"""

from __future__ import annotations

from math import inf

import attrs

from arena.server.limits import ABSENT_S, IDLE_ASLEEP_S, IDLE_EMPTY_S, IDLE_PLAYING_S, IDLE_S
from arena.server.tables.table import After, FellAsleep, Member, Table, Woke


def only_person(table: Table) -> Member | None:
    """The person whom nobody waits for, as all others with a seat are house bots or have left; or None."""
    here = [each for each in table.players if each.way != "house" and not each.has_left]
    return here[0] if len(here) == 1 and here[0].is_person and not table.is_standing else None


def limit_s(table: Table) -> float | None:
    """The limit of every move of a match that begins now; None: there is none."""
    is_against_bots = only_person(table) is not None and len(table.players) > 1
    return None if is_against_bots and not table.is_clock_chosen else table.move_s


def note_missed(table: Table, player_id: str, missed: int) -> Table:
    """Notes how many turns in a row a player has missed by now; nobody is told."""
    return table.with_member(attrs.evolve(table.member(player_id), missed=missed))


def note_seen(table: Table, player_id: str, now: float) -> After:
    """Notes that a member is there; a match that slept until then goes on."""
    seen = attrs.evolve(table.member(player_id), seen_at=now)
    person = only_person(table)
    if not table.is_asleep or person is None or person.player_id != player_id:
        return table.with_member(seen), ()
    awake = table.with_member(attrs.evolve(seen, missed=0))
    return attrs.evolve(awake, asleep_at=None, active_at=now), (Woke(),)


def fall_asleep(table: Table, now: float) -> After:
    """A match whose only person has been away for long stops, and is kept."""
    person = only_person(table)
    if person is None or not table.is_playing or table.is_asleep or now - person.seen_at < ABSENT_S:
        return table, ()
    return attrs.evolve(table, asleep_at=now), (FellAsleep(),)


def after_restart(table: Table, now: float) -> Table:
    """The table as it goes on: nobody could be there while the server did not run."""
    members = tuple(attrs.evolve(member, seen_at=now) for member in table.members)
    return attrs.evolve(table, members=members, active_at=now)


def idle_s(table: Table, now: float, *, is_short: bool = False) -> float:
    """How many seconds are left until the table is closed because nothing happens; may be negative.

    `is_short`: whether the server has few places left for tables.
    """
    if table.is_standing:
        return inf
    if table.asleep_at is not None:
        return table.asleep_at + IDLE_ASLEEP_S - now
    if table.is_playing:
        return table.active_at + IDLE_PLAYING_S - now
    is_in_the_way = is_short and not table.has_sitters
    return table.active_at + (IDLE_EMPTY_S if is_in_the_way else IDLE_S) - now
