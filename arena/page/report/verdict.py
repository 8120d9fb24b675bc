"""Says in sentences what the tournament shows, and honestly if it shows nothing yet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from arena.page.report import phrases
from arena.page.report.facts import Facts
from arena.reading.units import format_duration
from arena.words import chance, clipped, counted, listed, number_word, spaced, with_half

NOTE_MAX = 400
"""The most characters of a note: it may name every series that was left out."""
SURE, LIKELY = 0.95, 0.5
"""From which probability of being the best the report says that a bot leads, or is likely to."""


def heading(facts: Facts) -> str:
    """The heading of the page: what was played."""
    played = facts.played
    return played.game.title if played.game is not None else played.name or "A tournament"


def verdict(facts: Facts) -> str:
    """Who is best, or why that cannot be said, in a sentence or two."""
    rows = [row for row in facts.rows if row.matches]
    if not rows:
        return "No match counts yet, so there is nothing to say about the bots."
    if len(rows) == 1:
        return f"Only {rows[0].bot} has a match that counts: there is nobody to compare it with."
    first, second = rows[0], rows[1]
    standing = f"{_rating(first)} {first.rating_unit}"
    if first.rank == second.rank:
        level = [row.bot for row in rows if row.rank == first.rank]
        return f"Undecided: {listed(level, most=phrases.NAMES_MAX)} share the first place."
    if facts.scale.ranked_by == "places":
        return (
            f"{first.bot} takes the first place, with {standing}; it is better than {second.bot}, "
            f"the second, with {chance(first.better_than_next)} probability."
        )
    if not facts.board.is_ordered:
        return (
            "One number does not order this field: who wins depends on who meets whom. "
            f"{first.bot} stands first with {standing}; the results head to head say more."
        )
    best = f"the best of the {number_word(len(rows))} with {chance(facts.board.leader_is_best)} probability"
    if facts.board.leader_is_best >= SURE:
        return f"{first.bot} leads with {standing}, and is {best}."
    if facts.board.leader_is_best >= LIKELY:
        return f"Undecided: {first.bot} stands first with {standing}, and is {best}."
    return f"No bot clearly leads: {first.bot} stands first with {standing}, but is {best} only."


def _rating(row: Any) -> str:
    if bound := phrases.bound(row):
        return f"a rating {bound}"
    half = (row.rating_high - row.rating_low) / 2
    return with_half(row.rating, half, "" if row.rating_unit == "Elo" else "+")


def notes(facts: Facts) -> list[str]:
    """What a reader must know before trusting the tables."""
    return [_sentence(note) for note in _notes(facts)]


def _notes(facts: Facts) -> Iterator[str]:
    yield from facts.played.conclusion
    if facts.board.progress.note:
        yield facts.board.progress.note
    for status, said in (
        ("withdrawn", "withdrawn after failing match after match; default moves were played from then on"),
        ("left out", "left out after failing to start"),
    ):
        bots = [row.bot for row in facts.rows if row.status == status]
        if bots:
            yield f"{listed(bots, most=phrases.NAMES_MAX)}: {said}"
    yield from facts.board.notes
    if facts.played.is_guessable:
        yield "the seed was given and is short: a program could guess it, and with it every deal"
    if facts.played.trouble:
        yield f"matches cannot be shown: {facts.played.trouble}"


def _sentence(note: str) -> str:
    note = clipped(note, NOTE_MAX)
    return note if note.endswith(".") else f"{note}."


def facts_list(facts: Facts) -> list[tuple[str, str]]:
    """What was played, how, when: pairs for the head of the page; never the seed."""
    return [(name, said) for name, said in _facts_list(facts) if said]


def _facts_list(facts: Facts) -> Iterator[tuple[str, str]]:
    played, progress = facts.played, facts.board.progress
    plan, identity = played.plan, played.identity
    seats = identity.get("seats")
    yield "Game", f"{heading(facts)}, {counted(seats, 'seat')}" if seats else heading(facts)
    yield "House rules", _rules(facts)
    yield "Format", _format(plan, identity)
    yield "Bots", f"{len(facts.rows):,}"
    yield "Matches counted", f"{progress.counted:,} of {progress.planned:,} planned"
    yield "Time for a move", _time(identity)
    yield (
        "Deals",
        {"same": "the same in all rotations of a series", "fresh": "fresh in every match"}.get(
            identity.get("deals", ""), ""
        ),
    )
    yield "Played with", f"arena {played.version}"
    yield "On", phrases.day(played.ended_at) if isinstance(played.ended_at, int | float) else ""


def _rules(facts: Facts) -> str:
    if facts.played.game is None:
        return ""
    changed = [f"{spaced(rule)} {phrases.scalar(value)}" for rule, value in facts.played.house_rules.items()]
    return ", ".join(changed) or "standard"


def _format(plan: Any, identity: Any) -> str:
    kind = str(identity.get("tournament", ""))
    series = plan.get("series")
    if not kind or not isinstance(series, int):
        return kind
    if identity.get("allocate") == "open":
        return f"{kind}, {counted(series, 'series')} each on average, more where the order is open"
    return f"{kind}, {counted(series, 'series')} each"


def _time(identity: Any) -> str:
    parts: Sequence[tuple[str, str]] = (
        ("move_time", "{}"),
        ("bank", "{} a match"),
        ("increment", "{} more a move"),
    )
    said = [form.format(_duration(identity[key])) for key, form in parts if identity.get(key)]
    return ", ".join(said)


def _duration(time_s: float) -> str:
    """A duration as people write it, with a space: `500 ms`."""
    return re.sub(r"(?<=\d)(?=[a-z])", " ", format_duration(time_s))
