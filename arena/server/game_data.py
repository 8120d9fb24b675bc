"""A table as the chamber document's `GameData` and `Player` objects, for every game.

Where an observation has fields of these names they are the document's; the whole observation stands beside
them as `state`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena.server.live import LiveTable
from arena.server.table import Member
from arena.server.views import Views


def player_object(live: LiveTable, member: Member, observed: Mapping[str, Any]) -> dict[str, Any]:
    """A `Player`: who it is, and what the game shows of it."""
    return {
        "username": member.nickname,
        "playerID": member.player_id,
        "joinTime": member.joined_at,
        "inGame": not member.has_left,
        "isSkipped": False,
        "isReady": member.is_ready,
        **_shown(observed, member.nickname),
        "isSpectator": member.is_spectator or bool(_shown(observed, member.nickname).get("isSpectator")),
    }


def game_data(live: LiveTable, views: Views, member: Member | None) -> dict[str, Any]:
    """A `GameData` as a member, or anybody else (None), may see it now."""
    table = live.table
    told = views.table_fields(member)
    match = told["match"]
    observed: Mapping[str, Any] = {} if match is None else msgspec.json.decode(match["state"])
    host = table.host_member
    return {
        **(
            {key: value for key, value in observed.items() if key != "players"}
            if _is_lobby_game(observed)
            else {}
        ),
        "gameID": table.id,
        "game": table.game,
        "gameHost": None if host is None else host.nickname,
        "gameStarted": table.is_playing,
        "players": [player_object(live, each, observed) for each in table.members],
        "turnCount": observed.get("turnCount", 0),
        "turnOrder": rotated(observed.get("turnOrder", []), observed.get("turnCount", 0)),
        "chat": [
            chat_object(live, line.player_id, line.message, line.timestamp, observed) for line in table.chat
        ],
        "match": None if match is None else {key: value for key, value in match.items() if key != "state"},
        "state": None if match is None else match["state"],
        "you": told["you"],
        "version": live.version,
    }


def chat_object(
    live: LiveTable, player_id: str, message: str, timestamp: float, observed: Mapping[str, Any]
) -> dict[str, Any]:
    """A message of the chat, with the `Player` who said it."""
    speaker = next((each for each in live.table.members if each.player_id == player_id), None)
    return {
        "message": message,
        "player": None if speaker is None else player_object(live, speaker, observed),
        "timestamp": timestamp,
    }


def rotated(order: Sequence[str], turn_count: int) -> list[str]:
    """The order of play such that `order[turn_count % len(order)]` is whose turn it is.

    `order` begins with the one whose turn it is.
    """
    return [order[(place - turn_count) % len(order)] for place in range(len(order))]


def _is_lobby_game(observed: Mapping[str, Any]) -> bool:
    """Whether the observation has the document's own fields."""
    return "turnOrder" in observed and "turnCount" in observed


def _shown(observed: Mapping[str, Any], nickname: str) -> Mapping[str, Any]:
    """What the observation tells of a player under its username."""
    if _is_lobby_game(observed):
        for shown in observed.get("players", ()):
            if shown.get("username") == nickname:
                return dict(shown)
    return {}


__all__ = ["chat_object", "game_data", "player_object", "rotated"]
