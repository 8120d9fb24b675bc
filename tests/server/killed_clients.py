"""People at a server that is killed at random moments, who reconnect and go on: see `tests.server.killed`.

They note what was acknowledged; what they find to be wrong is in the ledger.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NoReturn

import attrs
import httpx
import trio

from tests.server.halls import any_move
from tests.server.killed_world import Move, Seat, World
from tests.server.raw_http import CLOSE, PONG, TEXT, Raw, upgraded

FOLD, BET = 0, 1


# At tables


async def a_table(world: World, game: str, rules: dict[str, Any], players: int) -> list[Seat]:
    """A table that plays, without a limit of time: a client that is kept waiting by a kill misses nothing."""
    told = await world.surely("POST", "/api/tables", {"game": game, "rules": rules, "move_time": "none"})
    at = f"/api/tables/{told['id']}"
    seats = []
    for number in range(players):
        name = f"{game[:5]}-{number}"
        joined = await world.surely("POST", f"{at}/players", {"nickname": name})
        seats.append(Seat(at, name, joined["key"]))
    await world.surely("POST", f"{at}/start", {}, key=seats[0].key)
    return seats


async def play_by_rest(world: World, seat: Seat, is_host: bool) -> None:
    """Plays match after match; the host asks for the next one."""
    luck, said, version = Random(world.rng.random()), 0, 0
    while True:
        query = f"?after={version}&wait=1" if version else ""
        response = await world.ask("GET", seat.at + query, key=seat.key)
        if response is None:
            version = 0
            continue
        told = response.json()
        assert response.status_code == 200, told
        version = told["version"]
        if told["status"] == "finished":
            if world.is_over(seat, is_host):
                return
            if is_host:
                await world.ask("POST", f"{seat.at}/rematch", {}, key=seat.key)
            continue
        if said < 5 and luck.random() < 0.05:
            said += 1
            await say(world, seat, f"{seat.name} says {said}")
        if told["you"]["options"]:
            await make_move(world, seat, told, luck)
            version = 0


async def make_move(world: World, seat: Seat, told: dict[str, Any], luck: Random) -> None:
    match_id, turn = told["match"]["match_id"], told["match"]["turn"]
    move = any_move(told["you"]["options"], luck)
    made_at = turn + is_early(told, move)
    sent = world.ledger.note(match_id, made_at, seat.name, move, world.ledger.kills)
    response = await world.ask("POST", f"{seat.at}/moves", {"move": move, "turn": turn}, key=seat.key)
    if response is not None and response.status_code == 200:
        sent.is_acknowledged = True
        if acknowledged_before(world, match_id, made_at, seat.name) > 1:
            world.ledger.wrong.append(f"{seat.name} was asked again in turn {made_at} of {match_id}")
    elif response is not None and response.status_code != 409:  # a silence that was passed over
        world.ledger.wrong.append(f"{seat.name} moved {move}: {response.text}")


def is_early(told: dict[str, Any], move: Any) -> bool:
    """Whether it is a play of Bluff that is sent while others may still accuse, for the turn after that."""
    return told["match"]["state"].get("asked") == "accuse" and isinstance(move, dict)


def acknowledged_before(world: World, match_id: str, turn: int, name: str) -> int:
    return sum(move.is_acknowledged for move in world.ledger.moves[match_id, turn, name])


async def say(world: World, seat: Seat, message: str) -> None:
    response = await world.ask("POST", f"{seat.at}/chat", {"message": message}, key=seat.key)
    if response is None or response.status_code != 201:
        return
    world.ledger.chats += 1
    told = await world.surely("GET", seat.at, key=seat.key)
    if [line["message"] for line in told["chat"]].count(message) != 1:
        world.ledger.wrong.append(f"{message!r} is not in the chat once")


async def play_by_packets(world: World, seat: Seat, is_host: bool) -> None:
    """Plays over a WebSocket, opened anew after each kill."""
    luck = Random(world.rng.random())
    while True:
        life = world.ledger.kills
        try:
            raw = await upgraded(world.port, f"/ws{seat.at.removeprefix('/api')}")
        except (OSError, trio.BrokenResourceError, AssertionError):
            await world.up_again()
            continue
        async with raw.stream:
            if await talk(world, raw, seat, is_host, luck, life):
                return
        await world.up_again()


async def talk(world: World, raw: Raw, seat: Seat, is_host: bool, luck: Random, life: int) -> bool:
    """Speaks packets until the connection ends, or the last match is over: whether that is so."""
    sent: tuple[int, Move] | None = None
    has_asked = False
    try:
        await raw.text(json.dumps({"packet": "JoinGame", "key": seat.key}))
        while True:
            kind, payload = PONG, b""
            with trio.move_on_after(0.1):
                kind, payload = await raw.hear()
            if seat.at in world.over:
                return True
            if kind in (0, CLOSE):
                return False
            packet = json.loads(payload) if kind == TEXT else {}
            if packet.get("packet") in ("PlayerJoinRejected", "ActionFailed"):
                world.ledger.wrong.append(f"{seat.name}: {payload.decode()}")
            if packet.get("packet") != "GameDataSync" or packet.get("match") is None:
                continue
            match, options = packet["match"], (packet["you"] or {}).get("options")
            if sent is not None and (match["turn"] > sent[0] or match["ranks"]):
                world.ledger.told.append((time.monotonic(), sent[1]))
                sent = None
            if not packet["gameStarted"] and world.is_over(seat, is_host):
                return True
            if not packet["gameStarted"] and is_host and not has_asked:
                await raw.text(json.dumps({"packet": "StartGame"}))
            has_asked = not packet["gameStarted"]
            if has_asked:
                continue
            if options and sent is None:
                move = any_move(options, luck)
                note = partial(world.ledger.note, match["match_id"], match["turn"], seat.name)
                sent = match["turn"], note(move, life)
                await raw.text(json.dumps({"packet": "Move", "move": move}))
    except (OSError, trio.BrokenResourceError):
        return False


# At the ring table


async def play_poker(world: World, name: str) -> NoReturn:
    """A user who plays by the poker document; a question whose act was acknowledged must not come again."""
    luck, auth = Random(world.rng.random()), httpx.BasicAuth(name, "secret")
    while (response := await world.ask("POST", "/users/", auth=auth)) is None:
        pass
    assert response.status_code in (201, 403), response.text  # it was kept before the kill
    (game,) = await world.surely("GET", "/games/", auth=auth)
    at, answered = f"/games/{game['gameID']}", set()
    ids = world.ledger.owners.setdefault(name, set())
    player_id = await world.surely("POST", f"{at}/players/", auth=auth)
    ids.add(player_id)
    while True:
        await trio.sleep(0.01)
        response = await world.ask("GET", at, auth=auth)
        if response is None:
            continue
        game = response.json()
        if game["turn"]["playerID"] != player_id:
            if not any(player["playerID"] == player_id for player in game["table"]):
                player_id = await world.surely("POST", f"{at}/players/", auth=auth)
                ids.add(player_id)
            continue
        game["turn"].pop("expiry")
        question = json.dumps(game, sort_keys=True)
        if question in answered:
            world.ledger.wrong.append(f"{name} is asked again: {question}")
        action, amount = an_act(game, player_id, luck)
        body = {"action": action, "betAmount": amount}
        acted = await world.ask("POST", f"{at}/players/{player_id}/acts/", body, auth=auth)
        if acted is not None:
            assert acted.status_code == 201, acted.text
            answered.add(question)
            world.ledger.acts += 1


def an_act(game: dict[str, Any], player_id: str, luck: Random) -> tuple[int, int]:
    """To call mostly, sometimes to raise or fold, seldom to go all-in."""
    turn = game["turn"]
    wealth = next(player["wealth"] for player in game["table"] if player["playerID"] == player_id)
    to_call = turn["bet_to_player"] - turn["bet_so_far"]
    chance = luck.random()
    if chance < 0.1 and to_call:
        return FOLD, 0
    if chance < 0.3 and turn["minimum_raise"]:
        return BET, min(wealth, to_call + turn["minimum_raise"])
    return BET, wealth if chance < 0.32 and turn["minimum_raise"] else min(wealth, to_call)


# In the lobby


async def use_lobby(world: World) -> NoReturn:
    """Makes tables, joins, leaves, hands over, publishes, one thing after the other; each is in effect or not."""
    luck, number = Random(world.rng.random()), 0
    while True:
        made = await world.ask("POST", "/api/tables", {"game": "bluff"})
        if made is None:
            continue
        assert made.status_code == 201, made.text
        at, keys = f"/api/tables/{made.json()['id']}", {}
        shown = await shape(world, at)
        for _ in range(12):
            number += 1
            step = lobby_step(luck, at, keys, shown, number)
            response = await world.ask(step.method, at + step.path, step.body, **step.more)
            before, shown = shown, await shape(world, at)
            if response is None:
                if shown not in (before, step.after(before)):
                    world.ledger.wrong.append(f"{step}: {before} became {shown}")
                continue
            assert response.status_code in (200, 201), (step, response.text)
            world.ledger.lobby += 1
            if "key" in response.json():
                keys[step.name] = (response.json()["playerID"], response.json()["key"])
            if shown != step.after(before):
                world.ledger.wrong.append(f"{step}: {before} became {shown}")
            if step.path.startswith("/players/"):
                del keys[step.name]


Shape = tuple[tuple[str, ...], str | None, bool]
"""Nicknames, the host, whether it is public."""


async def shape(world: World, at: str) -> Shape:
    told = await world.surely("GET", at)
    return tuple(each["nickname"] for each in told["players"]), told["admin_nickname"], told["public"]


@attrs.frozen
class Step:
    """Something that is asked for in a lobby, and what it should change."""

    method: str
    path: str
    body: Any
    more: dict[str, Any]
    name: str
    after: Callable[[Shape], Shape]


def lobby_step(luck: Random, at: str, keys: dict[str, Any], shown: Shape, number: int) -> Step:
    names, host, is_public = shown
    mine = [name for name in names if name in keys]
    if host not in keys or (len(names) < 5 and luck.random() < 0.4):
        if host is not None and host not in keys and len(names) >= 5:  # its key was never told
            return Step("GET", "", None, {}, "", lambda shape: shape)
        name = f"guest-{number}"
        body = {"nickname": name}
        return Step(
            "POST",
            "/players",
            body,
            {},
            name,
            lambda shape: (*[(*shape[0], name)], shape[1] or name, shape[2]),
        )
    more = {"key": keys[host][1]}
    others = [name for name in mine if name != host]
    if others and luck.random() < 0.5:
        name = luck.choice(others)
        if luck.random() < 0.5:
            body = {"playerID": keys[name][0]}
            return Step("POST", "/host", body, more, "", lambda shape: (shape[0], name, shape[2]))
        path, more = f"/players/{keys[name][0]}", {"key": keys[name][1]}
        without = tuple(each for each in names if each != name)
        return Step("DELETE", path, None, more, name, lambda shape: (without, *shape[1:]))
    word = "private" if is_public else "public"
    return Step("POST", f"/{word}", {}, more, "", lambda shape: (*shape[:2], not is_public))
