"""The document of Blef over real HTTP, by a client written from its roles alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from random import Random
from typing import Any

import pytest
import trio

from arena.server.tables.pauses import Pauses
from tests.server.blef_client import CHECK, BlefUser
from tests.server.halls import a_house
from tests.server.raw_http import served
from tests.server.rest_client import app_of

NAMES = ("Alice", "Bob", "Carol")


def whole_match(port: int) -> None:
    """Everything that the document has its users do, in its order."""
    with ExitStack() as opened:
        users = [opened.enter_context(closing(BlefUser(port, name))) for name in NAMES]
        observer = opened.enter_context(closing(BlefUser(port, "Olga")))
        game = created(users[0])
        for user in users:
            user.join_game(game)
        made_public_and_back(users, observer, game)
        started(users, game)
        with ThreadPoolExecutor(len(users)) as pool:
            turns = [pool.submit(user.play, game, Random(user.nickname)) for user in users]
            own = {user.nickname: turn.result() for user, turn in zip(users, turns, strict=True)}
        check_game_over(users, observer, game, own)


def created(alice: BlefUser) -> str:
    """Creating a game does not join it."""
    game = alice.create_game()
    told = alice.state(game)
    assert (told["players"], told["admin_nickname"], told["status"], told["public"]) == (
        [],
        None,
        "waiting",
        False,
    )
    return game


def made_public_and_back(users: list[BlefUser], observer: BlefUser, game: str) -> None:
    """The admin, who joined first, and nobody else, has the game listed."""
    alice, bob, _ = users
    assert observer.state(game)["admin_nickname"] == "Alice"
    assert observer.public_games() == []
    status, told = bob.ask("POST", f"/api/tables/{game}/public")
    assert (status, told["error"]) == (403, "forbidden")
    alice.make_public(game, True)
    ((listed_id, nicknames),) = [(each["id"], each["nicknames"]) for each in observer.public_games()]
    assert (listed_id, nicknames) == (game, list(NAMES))
    alice.make_public(game, False)
    assert observer.public_games() == []
    alice.make_public(game, True)
    late = BlefUser(alice._http.port, "Bob")
    assert late.ask("POST", f"/api/tables/{game}/players", {"nickname": "Bob"})[0] == 409
    late.close()


def started(users: list[BlefUser], game: str) -> None:
    """Only the admin starts; then the game is private, and nobody can join it."""
    alice, bob, _ = users
    assert bob.ask("POST", f"/api/tables/{game}/start")[0] == 403
    assert bob.ask("POST", f"/api/tables/{game}/start", as_player=False)[0] == 401
    told = alice.start_game(game)
    assert (told["status"], told["public"]) == ("playing", False)
    dave = BlefUser(alice._http.port, "Dave")
    assert dave.ask("POST", f"/api/tables/{game}/players", {"nickname": "Dave"})[0] == 409
    dave.close()
    hidden = alice.state(game, as_player=False)["match"]["state"]
    assert (hidden["hands"], hidden["max_cards"], hidden["round_number"]) == ([], 8, 1)
    assert alice.round(game, 1)["state"] is None, "it is not over"
    for user in users:
        (hand,) = user.state(game)["match"]["state"]["hands"]
        assert (hand["nickname"], len(hand["hand"])) == (user.nickname, 1)


def check_game_over(users: list[BlefUser], observer: BlefUser, game: str, own: dict[str, list[Any]]) -> None:
    """One is left; each past round shows all hands, and they are the ones that were held."""
    told = observer.state(game)
    assert told["status"] == "finished"
    assert sorted(told["match"]["ranks"].values())[0] == 1
    final = told["match"]["state"]
    assert [each["n_cards"] > 0 for each in final["players"]].count(True) == 1
    held = {(state["round_number"], name): state["hands"][0]["hand"] for name in own for state in own[name]}
    order = [each["nickname"] for each in final["players"]]
    cards_of = dict.fromkeys(order, 1)
    for number in range(1, final["round_number"] + 1):
        past = observer.round(game, number)["state"]
        last = number == final["round_number"]
        assert past.keys() == final.keys() - {"last_round"}
        assert (past["round_number"], past["max_cards"], past["cp_nickname"]) == (number, 8, None)
        assert past["status"] == ("Finished" if last else "Running")
        assert past["players"] == [{"nickname": name, "n_cards": cards_of[name]} for name in order]
        for hand in past["hands"]:
            assert hand["hand"] == held.get((number, hand["nickname"]), hand["hand"])
            assert len(hand["hand"]) == cards_of[hand["nickname"]] > 0
        check, lost = past["history"][-2:]
        assert (check["action_id"], lost["action_id"]) == (CHECK, CHECK + 1)
        loser = lost["player"]
        cards_of[loser] = 0 if cards_of[loser] == past["max_cards"] else cards_of[loser] + 1
    assert {each["nickname"]: each["n_cards"] for each in final["players"]} == cards_of
    assert final["last_round"]["history"] == past["history"]
    assert final["last_round"]["hands"] == past["hands"]
    assert observer.ask("GET", f"/api/tables/{game}/rounds/{final['round_number'] + 1}")[0] == 404


@pytest.mark.slow
@pytest.mark.parametrize("showdown_s", [0.0, 0.1])
async def test_a_whole_match_from_the_document(showdown_s: float) -> None:
    """Three users in threads of their own, over sockets; where people read a showdown first, the users know nothing
    of it, and move as soon as it is their turn."""
    pauses = partial(Pauses, bot_s=0.0, showdown_s=showdown_s)
    async with a_house(pauses=pauses) as house, served(app_of(house)) as port:
        with trio.fail_after(40):
            await trio.to_thread.run_sync(whole_match, port, abandon_on_cancel=True)
