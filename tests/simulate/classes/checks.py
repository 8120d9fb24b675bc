"""What must hold of a class when its day is over: each check gives what is wrong, a sentence each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.errors import FAULT_KINDS
from arena.league.league import QUEUED
from arena.schedule.roster import slot_name
from arena.store import Store
from tests.verify.folders import verified

from .bots import HABITS
from .school import AT, School, versions_of

MAY_END: dict[str, frozenset[str]] = {
    "plays": frozenset(("playing", "replaced", "withdrawn", "excluded")),
    "fails": frozenset(("playing", "failed", "replaced", "withdrawn", "excluded")),
    "refused": frozenset(("refused", "replaced", "withdrawn", "excluded")),
}


def wrong_states(school: School) -> Iterator[str]:
    """Every version has come to an end that it has earned, and says why."""
    for entry, version in versions_of(school.league):
        name = entry.of(version)
        if version.state in QUEUED:
            yield f"{name} is {version.state} still: {version.waits_for}"
            continue
        habit = school.told.versions.get((entry.id, version.number), ("", ""))[1]
        if habit and version.state not in MAY_END[HABITS[habit].fate]:
            yield f"{name}, which is {habit!r}, is {version.state}: {version.reason}"
        if version.state != "playing" and not version.reason:
            yield f"{name} is {version.state} without a reason"


async def wrong_answers(school: School) -> Iterator[str]:
    """All that was acknowledged is so."""
    wrong = []
    for token, owner in school.told.owners.items():
        answer = await school.surely("GET", f"{AT}/me", token=token)
        if answer.status != 200 or answer.body["owner"]["id"] != owner:
            wrong.append(f"the token of {owner} is answered {answer}")
    for (bot, number), (token, habit) in school.told.versions.items():
        entry = school.league.entries.get(bot)
        if entry is None or len(entry.versions) < number:
            wrong.append(f"{bot}@{number}, which is {habit!r}, is not there")
        elif entry.owner != school.told.owners[token]:
            wrong.append(f"{bot} is {entry.owner}'s")
    return iter(wrong)


def wrong_matches(school: School) -> Iterator[str]:
    """No match twice, none lost, nobody charged for another's fault, and no two of one owner."""
    books = school.books
    if books.again:
        yield f"{len(books.again)} matches were begun again that were on the disk, {books.again[0]} among them"
    owners = {entry.id: entry.owner for entry in school.league.entries.values()}
    with Store.open(school.results) as store:
        found = list(store.matches())
    ids = {match.match_id for match in found}
    if len(ids) < len(found):
        yield "a match is there twice"
    if lost := books.kept - ids:
        yield f"{len(lost)} of {len(books.kept)} matches are lost"
    for match in found:
        school.trace.counts["matches"] += 1
        if match.error is not None:
            yield f"match {match.match_id} was aborted: {match.error.strip().splitlines()[-1]}"
        whose = [owners[slot_name(seat.bot)] for seat in match.seats if slot_name(seat.bot) in owners]
        if len(set(whose)) < len(whose):
            yield f"match {match.match_id} is among bots of one owner: {match.bots}"
        for seat in match.seats:
            charged = {kind for kind in FAULT_KINDS if getattr(seat, kind)}
            school.trace.counts.update(charged)
            if not charged <= _earned(school, seat.bot):
                yield f"match {match.match_id}: {seat.bot} is charged with {charged}"


def _earned(school: School, version: str) -> set[str]:
    bot, _, number = version.partition("@")
    habit = school.told.versions.get((bot, int(number or 0)), ("", "good"))[1]
    fault = HABITS[habit].fault
    return set() if fault is None else {fault}


def wrong_field(school: School) -> Iterator[str]:
    """Who plays in the league is who is paired in it."""
    with Store.open(school.results) as store:
        paired = {bot.bot for bot in store.bots() if bot.status == "ok"}
    playing = {entry.of(version) for entry, version in school.league.playing()}
    versions = {bot for bot in paired if "@" in bot}
    if versions != playing:
        yield f"{sorted(playing - versions)} play and are not paired, {sorted(versions - playing)} the other way"


def wrong_folder(folder: Path) -> Iterator[str]:
    """`arena verify` says what is not true."""
    code, said = verified(folder)
    if code:
        yield f"verify: {said}"


__all__ = ["wrong_answers", "wrong_field", "wrong_folder", "wrong_matches", "wrong_states"]
