"""A table as the chamber document's `GameData` and `Player` objects, for every game.

Where an observation has fields of these names they are the document's; the whole observation stands beside
them as `state`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena.server.tables.live import LiveTable
from arena.server.tables.table import ChatLine, Member
from arena.server.tables.views import SPECTATORS_NAMED, Views

CHAT_SHOWN = 20
"""The newest messages that a GameData holds: it is sent after every action."""
BLANK = {"lives": 0, "items": (), "isSkipped": False}
"""What a `Player` shows of somebody of whom the game shows nothing."""

Fields = Mapping[str, Any]


class GameDataMaker:
    """Makes the objects of one table."""

    def __init__(self, live: LiveTable, views: Views) -> None:
        self._live = live
        self._views = views

    def game_data(self, member: Member | None) -> dict[str, Any]:
        """A `GameData` as a member, or anybody else (None), may see it now."""
        live, table = self._live, self._live.table
        told = self._views.table_fields(member)
        match, observed = told["match"], self.observed(member)
        host = table.host_member
        shown = [*table.players, *table.spectators[:SPECTATORS_NAMED]]
        turn_count = observed.get("turnCount", 0)
        return {
            **(observed if _is_of_document(observed) else {}),
            "gameID": table.id,
            "game": table.game,
            "gameHost": None if host is None else host.nickname,
            "gameStarted": table.is_playing,
            "players": [self._player(each, observed) for each in shown],
            "spectatorCount": len(table.spectators),
            "turnCount": turn_count,
            "turnOrder": rotated(observed.get("turnOrder", ()), turn_count),
            "chat": [self._chat(line, observed) for line in table.chat[-CHAT_SHOWN:]],
            "match": match and {key: value for key, value in match.items() if key != "state"},
            "state": match and match["state"],
            "you": told["you"],
            "version": live.version,
        }

    def player(self, member: Member) -> dict[str, Any]:
        """A `Player`: who it is, and what the game shows everybody of it."""
        return self._player(member, self.observed(None))

    def chat(self, line: ChatLine) -> dict[str, Any]:
        """A message of the chat, with the `Player` who said it."""
        return self._chat(line, self.observed(None))

    def observed(self, member: Member | None) -> dict[str, Any]:
        """The observation of a member, or of anybody; empty before the first match."""
        state = self._views.state_of(member)
        observed: dict[str, Any] = {} if state is None else msgspec.json.decode(state)
        return observed

    def turn_count(self) -> object:
        """How many turns have ended, if the game says so."""
        return self.observed(None).get("turnCount")

    def _player(self, member: Member, observed: Fields) -> dict[str, Any]:
        shown = _shown(observed, member)
        seat = self._live.seats.get(member.player_id)
        return {
            **BLANK,
            **shown,
            "username": member.nickname,
            "playerID": member.player_id,
            "joinTime": member.joined_at,
            "inGame": not member.has_left,
            "isReady": member.is_ready,
            "isAway": seat is not None and seat.is_away,
            "isSpectator": self._live.only_watches(member),
        }

    def _chat(self, line: ChatLine, observed: Fields) -> dict[str, Any]:
        speaker = self._live.table.find(line.player_id)
        player = {"username": line.nickname} if speaker is None else self._player(speaker, observed)
        return {"message": line.message, "player": player, "timestamp": line.timestamp}


def rotated(order: Sequence[str], turn_count: int) -> list[str]:
    """The order of play such that `order[turn_count % len(order)]` is whose turn it is.

    `order` begins with the one whose turn it is.
    """
    return [order[(place - turn_count) % len(order)] for place in range(len(order))]


def _is_of_document(observed: Fields) -> bool:
    """Whether the observation has the document's own fields."""
    return "turnOrder" in observed and "turnCount" in observed


def _shown(observed: Fields, member: Member) -> Fields:
    """What the observation tells of a member under its username."""
    players = observed["players"] if _is_of_document(observed) else ()
    return next((player for player in players if player["username"] == member.nickname), {})
