"""Moves in words at a table: what somebody may do now as the game says it, and words as a move."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.errors import ConfigError
from arena.server.refusal import Refusal
from arena.server.tables.live import LiveTable
from arena.server.tables.table import Member
from arena.telling.spoken import move_said, spoken_moves


def moves_in_words(live: LiveTable, member: Member | None) -> list[dict[str, Any]] | None:
    """The legal moves of a member, but those of large families; None if nothing is asked of it."""
    options, match = _options(live, member), live.match
    if options is None or match is None or member is None or live.seats[member.player_id].open is None:
        return None
    seat = match.viewer(member.player_id).seat
    assert seat is not None, "who is asked has a seat"
    seen = match.game.observe(match.state, seat)
    spoken = spoken_moves(options, match.game, match.terms.names, seat, seen)
    return [{"move": move, "words": words} for move, words in spoken]


def move_from_words(live: LiveTable, member: Member, words: str) -> Any:
    """The move, as JSON, that a member means.  Raises Refusal with what would be right."""
    options, match = _options(live, member), live.match
    if options is None or match is None:
        return None  # whatever it is: it cannot be made now, and who is asked to make it says why
    if not words.split():
        raise Refusal("bad_request", "say a move, such as one of those in `moves`", field="words")
    seat = match.viewer(member.player_id).seat
    assert seat is not None, "who is asked has a seat"
    seen = match.game.observe(match.state, seat)
    try:
        return move_said(options, match.game, match.terms.names, seat, seen, words.split())
    except ConfigError as error:
        raise Refusal("bad_request", str(error), field="words") from None


def _options(live: LiveTable, member: Member | None) -> list[Any] | None:
    """What a member may do now, as it is sent."""
    seat = None if member is None else live.seats.get(member.player_id)
    if seat is None or not seat.options or live.match is None:
        return None
    options: list[Any] = msgspec.json.decode(live.match.showing.codec.options(seat.options))
    return options
