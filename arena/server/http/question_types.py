"""What a question to a house bot about a finished match holds, and what its answer does."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from arena.server.http.request_types import Body


class NewQuestion(Body):
    """A question of a finished match that is put to a house bot."""

    bot: Annotated[str, Meta(min_length=1, max_length=64)]
    step: Annotated[int, Meta(ge=0, le=10**9)]
    """The step after which it was put, from 0."""
    name: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    """Who was asked there; null: of several whoever comes first in the order of play."""


class NewStart(Body):
    """Where in a finished match another one begins."""

    match: Annotated[str, Meta(min_length=1, max_length=64)]
    step: Annotated[int, Meta(ge=0, le=10**9)]
    """The step after which somebody was asked, from 0."""
    name: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    """Whose seat the host has; null: of whoever was asked there first in the order of play."""
    results: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    """The results folder that the match is of; null: it was played at a table."""


class AnswerCounted(msgspec.Struct):
    """One answer of a bot."""

    move: Any
    """As it would be sent over TCP; null: it was none."""
    words: str
    """What it does, in words."""
    count: int
    """How often it answered so."""
    fault: str | None
    """Its kind, if the answer is a fault."""


class QuestionAnswered(msgspec.Struct):
    """What a house bot would do where somebody was asked."""

    bot: str
    step: int
    name: str
    """Who was asked."""
    played: str | None
    """What that one did, in words; null: the match ended before."""
    draws: int
    """How often the bot was asked, each time with other randomness of its own."""
    answers: list[AnswerCounted]
    """The most frequent first."""
    note: str
    """Why there are fewer answers than draws were planned, if so."""
