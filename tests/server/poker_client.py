"""A client of the poker server, written from its document alone: nothing of this project is imported here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import httpx

Sleep = Callable[[float], Awaitable[None]]

FOLD, BET = 0, 1
POLLS_MAX = 5_000
"""Then something is wrong."""


class PokerClient:
    """One user: joins games, asks for their state every now and then, and acts when it is its turn."""

    def __init__(self, http: httpx.AsyncClient, name: str, password: str = "secret") -> None:
        self.http = http
        self.name = name
        self.auth = httpx.BasicAuth(name, password)

    async def register(self) -> str:
        """POST /users/: the user's GUID."""
        response = await self.http.post("/users/", auth=self.auth)
        assert response.status_code == 201, response.text
        return str(response.json())

    async def games(self) -> list[dict[str, Any]]:
        response = await self.http.get("/games/", auth=self.auth)
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()
        return found

    async def game(self, game_id: str) -> dict[str, Any]:
        response = await self.http.get(f"/games/{game_id}", auth=self.auth)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    async def join(self, game_id: str) -> str:
        """The playerID, seated or in the queue."""
        response = await self.http.post(f"/games/{game_id}/players/", auth=self.auth)
        assert response.status_code in (201, 202), response.text
        return str(response.json())

    async def act(self, game_id: str, player_id: str, action: int, amount: int = 0) -> int:
        """The status."""
        body = {"action": action, "betAmount": amount}
        url = f"/games/{game_id}/players/{player_id}/acts/"
        return (await self.http.post(url, json=body, auth=self.auth)).status_code

    async def leave(self, game_id: str, player_id: str) -> int:
        return (await self.http.delete(f"/games/{game_id}/players/{player_id}", auth=self.auth)).status_code

    async def play(self, sleep: Sleep, rng: Random, acts: int) -> list[dict[str, Any]]:
        """Joins the first game and makes so many acts, with new chips when it is out; all the states it saw."""
        game_id = (await self.games())[0]["gameID"]
        player_id = await self.join(game_id)
        seen: list[dict[str, Any]] = []
        was_in = False
        for _ in range(POLLS_MAX):
            if not acts:
                break
            await sleep(0.05)
            state = await self.game(game_id)
            if not seen or state != seen[-1]:
                seen.append(state)
            is_in = any(player["playerID"] == player_id for player in state["table"])
            if was_in and not is_in:
                player_id = await self.join(game_id)
            was_in = is_in
            if state["turn"]["playerID"] == player_id:
                assert await self.act(game_id, player_id, *chosen(state, player_id, rng)) == 201
                acts -= 1
        assert not acts, f"{self.name} is not asked any more: {seen[-1]}"
        await self.leave(game_id, player_id)
        return seen


def chosen(state: dict[str, Any], player_id: str, rng: Random) -> tuple[int, int]:
    """A valid act: to call mostly, sometimes to raise or to go all-in, seldom to fold."""
    turn = state["turn"]
    wealth = next(player["wealth"] for player in state["table"] if player["playerID"] == player_id)
    to_call = turn["bet_to_player"] - turn["bet_so_far"]
    luck = rng.random()
    if luck < 0.05 and to_call:
        return FOLD, 0
    if luck < 0.4 and turn["minimum_raise"]:
        return BET, min(wealth, to_call + turn["minimum_raise"])
    if luck < 0.5 and turn["minimum_raise"]:
        return BET, wealth
    return BET, min(wealth, to_call)
