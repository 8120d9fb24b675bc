"""The games of the house and finished matches over HTTP, below `/api`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

import attrs
import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.games import GAMES
from arena.players.codec import rules_json
from arena.players.schema import game_schema
from arena.replay import Replay
from arena.server.addresses import neighbourhood
from arena.server.answer_types import GameListed, GameShown, MatchPage, SeatsOfGame
from arena.server.api import address_of, json_answer
from arena.server.endpoints import Endpoint, QueryField
from arena.server.house import House
from arena.server.limits import STEPS_MAX
from arena.server.past import PastMatches
from arena.server.refusal import Refusal
from arena.server.request_types import number_in_query

FIRST_MAX = 10**9
SEEN_BY = QueryField(
    "seen_by",
    {"type": "string"},
    "Who played, or `spectator`: what they knew then. Without it everything is shown.",
)
FIRST = QueryField(
    "first",
    {"type": "integer", "minimum": 0, "maximum": FIRST_MAX, "default": 0},
    "The first step, from 0.",
)
COUNT = QueryField(
    "count",
    {"type": "integer", "minimum": 1, "maximum": STEPS_MAX, "default": STEPS_MAX},
    "How many steps.",
)


class GamesApi:
    """The handlers; `find` gives a match of the archive."""

    def __init__(
        self,
        house: House,
        find: Callable[[str], Replay | None] = lambda match_id: None,
        plays_on: Callable[[str], bool] = lambda table_id: False,
    ) -> None:
        """`plays_on`: whether a table plays hand after hand, so that what one hid must stay hidden."""
        self._past = PastMatches(house, find, plays_on)

    def endpoints(self) -> list[Endpoint]:
        """Every path with its methods."""
        return [
            Endpoint(
                method="GET",
                path="/api/games",
                handle=self.list_games,
                summary="The games of the house.",
                answers={200: list[GameListed]},
            ),
            Endpoint(
                method="GET",
                path="/api/games/{name}",
                handle=self.get_game,
                summary="A game: its rules, and JSON Schema of what is asked and answered.",
                answers={200: GameShown},
            ),
            Endpoint(
                method="GET",
                path="/api/matches/{match}",
                handle=self.get_match,
                summary="A finished match, step by step.",
                query=(SEEN_BY, FIRST, COUNT),
                answers={200: MatchPage},
                refusals=("conflict",),
            ),
        ]

    async def list_games(self, request: Request) -> Response:
        return json_answer(msgspec.json.encode([GameListed(name, GAMES[name].title) for name in GAMES]))

    async def get_game(self, request: Request) -> Response:
        return json_answer(_game(request.path_params["name"]))

    async def get_match(self, request: Request) -> Response:
        first = number_in_query(request, "first", 0, FIRST_MAX)
        count = number_in_query(request, "count", 1, STEPS_MAX)
        page = await self._past.page(
            request.path_params["match"],
            request.query_params.get("seen_by"),
            first or 0,
            count or STEPS_MAX,
            address=neighbourhood(address_of(request)),
        )
        return json_answer(page)


def _game(name: str) -> bytes:
    if name not in GAMES:
        raise Refusal("not_found", f"no game is called that: {', '.join(GAMES)} are")
    return _encoded_game(name)


@cache
def _encoded_game(name: str) -> bytes:
    cls = GAMES[name]
    shown = GameShown(
        name=name,
        title=cls.title,
        version=cls.version,
        description=(sys.modules[cls.__module__].__doc__ or "").strip(),
        seats=SeatsOfGame(cls.seats[0], cls.seats[-1]),
        move_time_s=cls.people_move_s,
        rules=msgspec.Raw(rules_json(cls(), cls.seats[0])),
        accepts={rule.name: str(rule.validator) for rule in attrs.fields(cls)},
        schema=game_schema(cls),
    )
    return msgspec.json.encode(shown)


__all__ = ["GamesApi"]
