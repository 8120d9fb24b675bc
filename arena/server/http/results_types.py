"""What answers about results folders hold, as JSON."""

from __future__ import annotations

import msgspec


class ResultsListed(msgspec.Struct):
    """A results folder."""

    name: str
    game: str | None
    title: str | None
    """The title of its game; null if this server does not have it."""
    bots: int
    matches: int
    planned: int
    """How many matches its schedule has."""
    changed: float
    """Unix time of its latest change."""
    running: bool
    """Whether a tournament is played there now."""
    problem: str | None
    """Why it cannot be read, if so; all other fields are empty then."""


class ResultsMatch(msgspec.Struct):
    """A match of a results folder."""

    match_id: str
    names: list[str]
    """Who played, by seat."""
    status: str
    """`done`, or `aborted` if the rules failed."""
    ranks: list[int] | None
    """The rank of each seat."""
    returns: list[float] | None
    turns: int
    faults: int
    sealed: bool
    """Its series is still being played: what happened is shown once that is over."""


class ResultsMatches(msgspec.Struct):
    """A part of the matches of a results folder, in schedule order."""

    name: str
    bots: list[str]
    """Every bot that played."""
    versions: dict[str, list[str]]
    """The bots that are versions of one, the oldest first, by the name that they share."""
    bot: str | None
    """Whose matches these are; null: all."""
    against: str | None
    only: str | None
    """Who played in them too, and what kind of them is shown, such as `lost`; null: any."""
    matches_in_all: int
    first: int
    next: int | None
    """The `first` of the next page; null: this is the last one."""
    matches: list[ResultsMatch]
