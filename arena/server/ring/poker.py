"""The poker document over HTTP: users, ring tables, joining, acting, leaving; its paths and statuses.

Source: the document of the Hacker School Poker Engine.  Authority is HTTP Basic authentication: a playerID is
public, and obeys its owner alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from arena.games import GAMES, SERVICES
from arena.match.game import Game
from arena.refusal import Refusal
from arena.server.http.endpoints import Api, endpoint, json_answer
from arena.server.kept.records import Unfinished
from arena.server.ring.accounts import Accounts, User, read_basic
from arena.server.ring.live_ring import LiveRing
from arena.server.ring.poker_types import PokerAct, PokerGame, PokerShowdown
from arena.server.ring.ring import Ring, is_seated
from arena.server.services import ServerServices
from arena.server.tables.api import address_of

FOLD, BET = 0, 1
"""The values of an Act's `action`."""
PLAYER = "/games/{game}/players/{player}"


def ring_game(stacks: tuple[int, ...]) -> Game[Any, Any]:
    """The game of one hand at a ring table, from the chips at stake by seat."""
    game: Any = GAMES[SERVICES["poker"]]
    made: Game[Any, Any] = game(hands=1, reset_stacks=False, stacks=stacks)
    return made


async def open_rings(
    hall: ServerServices, left: Sequence[Ring], matches: Sequence[Unfinished], *, bot: str
) -> tuple[list[LiveRing], list[Unfinished]]:
    """The ring tables as they were left, one at least, with the hands that were being played; other matches.

    `matches`: what was played of the hands, among others.  `bot`: who keeps somebody company who is alone.
    """
    rings, others = [], list(matches)
    for ring in left or [Ring(str(uuid4()))]:
        live = LiveRing(ring, ring_game, hall, bot=bot)
        hand = hand_of(ring, matches)
        await hall.nursery.start(live.run, hand)
        others = [each for each in others if each is not hand]
        rings.append(live)
    return rings, others


def hand_of(ring: Ring, matches: Iterable[Unfinished]) -> Unfinished | None:
    """What was played of the hand under way, if it can go on."""
    match_id = None if ring.hand is None else ring.hand.match_id
    return next((each for each in matches if each.kept.terms.match_id == match_id), None)


class PokerApi(Api):
    """The handlers, over the ring tables."""

    def __init__(self, rings: Sequence[LiveRing], users: Accounts) -> None:
        self.rings = rings
        self._rings = {live.ring.id: live for live in rings}
        self._users = users

    def has_table(self, table_id: str) -> bool:
        """Whether it is one of the ring tables, which never close."""
        return table_id in self._rings

    @endpoint("POST", "/users", {201: str}, proof="password")
    async def create_user(self, request: Request) -> str:
        """Makes a user; returns its GUID."""
        name, password = _credentials(request, "bad_request")
        return await self._users.create(name, password, address=address_of(request))

    @endpoint("GET", "/games", {200: list[PokerGame]}, proof="password or none")
    async def list_games(self, request: Request) -> bytes:
        """The ring tables, with your own hole cards."""
        owner = await self._viewer(request)
        return b"[" + b",".join([live.view(owner) for live in self._rings.values()]) + b"]"

    @endpoint("GET", "/games/{game}", {200: PokerGame}, proof="password or none")
    async def get_game(self, request: Request) -> bytes:
        """A ring table, with your own hole cards."""
        owner = await self._viewer(request)
        return self._ring(request).view(owner)

    @endpoint("GET", "/games/{game}/showdown", {200: PokerShowdown | None})
    async def get_showdown(self, request: Request) -> bytes:
        """The cards that were shown at the end of the last hand; null if none were."""
        return self._ring(request).showdown  # the document's Game has no field for the cards of others

    @endpoint("POST", "/games/{game}/players", {201: str, 202: str}, proof="password")
    async def join(self, request: Request) -> Response:
        """Joins, seated (201) or in the queue (202); returns the playerID."""
        user = await self._user(request)
        live = self._ring(request)
        player_id = live.join(user.id, user.name).player_id
        has_place = is_seated(live.ring, player_id)
        await live.kept()
        return json_answer(player_id, 201 if has_place else 202)

    @endpoint("POST", f"{PLAYER}/acts", {201: None}, body=PokerAct, proof="password")
    async def act(self, request: Request) -> Response:
        """Bets or folds; a number of chips that is no valid bet folds."""
        user = await self._user(request)
        octets = await request.body()
        live, player_id = self._ring(request), request.path_params["player"]
        await live.resumed()
        live.check_turn(player_id, user.id)
        live.act(player_id, user.id, read_act(octets))
        await live.kept()
        return Response(status_code=201)

    @endpoint("DELETE", PLAYER, {200: None}, proof="password")
    async def leave(self, request: Request) -> Response:
        """Leaves; folds if it is in a hand."""
        user = await self._user(request)
        live = self._ring(request)
        live.leave(request.path_params["player"], user.id)
        await live.kept()
        return Response(status_code=200)

    # Who asks for what

    async def _user(self, request: Request) -> User:
        name, password = _credentials(request, "unauthorized")
        return await self._users.verify(name, password, address=address_of(request))

    async def _viewer(self, request: Request) -> str | None:
        """The id of who asks; None if it does not say.  Raises Refusal for wrong credentials."""
        if "authorization" not in request.headers:
            return None
        return (await self._user(request)).id

    def _ring(self, request: Request) -> LiveRing:
        live = self._rings.get(request.path_params["game"])
        if live is None:
            raise Refusal("not_found", "no game has this gameID: GET /games/ lists them")
        return live


def read_act(octets: bytes) -> dict[str, Any]:
    """The move that an Act means, as bots write it.  Raises Refusal if it cannot be read."""
    try:
        value = msgspec.json.decode(octets)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise _no_act("the body is not JSON", "") from None
    if not isinstance(value, dict):
        raise _no_act("the body is not a JSON object", "")
    action = _whole(value.get("action"))
    if action not in (FOLD, BET) or action is None:
        raise _no_act("action is 0 to fold or 1 to bet", "action")
    if action == FOLD:
        return {"action": FOLD}
    amount = _whole(value.get("betAmount"))
    if amount is None:
        raise _no_act("betAmount is a whole number of chips", "betAmount")
    return {"action": BET, "betAmount": amount}


def _no_act(why: str, field: str) -> Refusal:
    said = f'{why}: send {{"action": 1, "betAmount": 20}} to bet 20 chips, or {{"action": 0}} to fold'
    return Refusal("bad_request", said, field=field)


def _whole(value: object) -> int | None:
    """A JSON number as an integer; None if it is not one."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _credentials(request: Request, kind: Any) -> tuple[str, str]:
    found = read_basic(request.headers.get("authorization", ""))
    if found is None:
        raise Refusal(kind, "send a name and a password by HTTP Basic authentication", key="basic")
    return found
