"""Moves in words at a table: what somebody may do now as the game says it, and words as a move."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.errors import ConfigError
from arena.match.game import Game, Seat
from arena.refusal import Refusal
from arena.server.tables.live import LiveTable
from arena.server.tables.table import Member
from arena.telling.spoken import move_said, spoken_moves


def moves_in_words(live: LiveTable, member: Member | None) -> list[dict[str, Any]] | None:
    """The legal moves of a member, except those of large families; None if nothing is asked of it."""
    if member is None or (asked := _asked(live, member)) is None or live.seats[member.player_id].open is None:
        return None
    return [{"move": move, "words": words} for move, words in spoken_moves(*asked)]


def move_from_words(live: LiveTable, member: Member, words: str) -> Any:
    """The move, as JSON, that a member means.  Raises Refusal with what would be right."""
    if (asked := _asked(live, member)) is None:
        return None  # whatever it is: it cannot be made now, and who is asked to make it says why
    if not words.split():
        raise Refusal("bad_request", "say a move, such as one of those in `moves`", field="words")
    try:
        return move_said(*asked, words.split())
    except ConfigError as error:
        raise Refusal("bad_request", str(error), field="words") from None


def _asked(
    live: LiveTable, member: Member
) -> tuple[list[Any], Game[Any, Any], tuple[str, ...], Seat, Any] | None:
    """What a member may do now, as it is sent, in which game, among whom, and what it sees; None: nothing."""
    player, match = live.seats.get(member.player_id), live.match
    if player is None or not player.options or match is None:
        return None
    options: list[Any] = msgspec.json.decode(match.showing.codec.options(player.options))
    seat = match.viewer(member.player_id).seat
    assert seat is not None, "who is asked has a seat"
    return options, match.game, match.terms.names, seat, match.game.observe(match.state, seat)
