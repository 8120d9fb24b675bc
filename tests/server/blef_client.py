"""A client of Blef written from the roles in its document: nothing of this project is imported here."""

from __future__ import annotations

import http.client
import json
from random import Random
from typing import Any

CHECK = 88


class BlefUser:
    """Somebody who creates games, joins them under a nickname, and plays; each has a connection of its own."""

    def __init__(self, port: int, nickname: str) -> None:
        self.nickname = nickname
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._key = ""
        self.player = ""

    def close(self) -> None:
        self._http.close()

    def ask(self, method: str, path: str, body: Any = None, *, as_player: bool = True) -> tuple[int, Any]:
        """The status and the JSON that come back."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if as_player and self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        octets = None if body is None else json.dumps(body).encode()
        self._http.request(method, path, octets, headers)
        response = self._http.getresponse()
        return response.status, json.loads(response.read())

    def done(self, method: str, path: str, body: Any = None, *, as_player: bool = True) -> Any:
        """The same of what must be done."""
        status, told = self.ask(method, path, body, as_player=as_player)
        assert status in (200, 201), (method, path, status, told)
        return told

    # The roles of the document.

    def create_game(self) -> str:
        """The UUID of a new game, which others are told."""
        return str(self.done("POST", "/api/tables", {"game": "blef", "move_time": "none"})["id"])

    def join_game(self, game: str) -> None:
        joined = self.done("POST", f"/api/tables/{game}/players", {"nickname": self.nickname})
        self.player, self._key = joined["playerID"], joined["key"]

    def start_game(self, game: str) -> Any:
        return self.done("POST", f"/api/tables/{game}/start")

    def state(self, game: str, *, as_player: bool = True) -> Any:
        """The current state: own cards with the key, nobody's without."""
        return self.done("GET", f"/api/tables/{game}", as_player=as_player)

    def newer_state(self, game: str, version: int) -> Any:
        return self.done("GET", f"/api/tables/{game}?after={version}&wait=30")

    def round(self, game: str, number: int) -> Any:
        """What a past round was like, with everybody's cards."""
        return self.done("GET", f"/api/tables/{game}/rounds/{number}", as_player=False)

    def move(self, game: str, action_id: int) -> Any:
        return self.done("POST", f"/api/tables/{game}/moves", {"move": action_id})

    def make_public(self, game: str, is_public: bool) -> Any:
        return self.done("POST", f"/api/tables/{game}/{'public' if is_public else 'private'}")

    def public_games(self) -> Any:
        return self.done("GET", "/api/tables")

    def play(self, game: str, rng: Random) -> list[Any]:
        """Plays until the game is over; all the states in which it was this player's turn."""
        seen, told = [], self.state(game)
        while told["status"] == "playing":
            state = told["match"]["state"]
            if state["cp_nickname"] == self.nickname:
                seen.append(state)
                told = self.move(game, self._choose(state, rng))
            else:
                told = self.newer_state(game, told["version"])
        return seen

    def _choose(self, state: Any, rng: Random) -> int:
        """A bet a little higher than the last one, or a check."""
        last = state["history"][-1]["action_id"] if state["history"] else -1
        if last == CHECK - 1 or (last >= 0 and rng.random() < 0.4):
            return CHECK
        return int(min(CHECK - 1, last + rng.randint(1, 8)))
