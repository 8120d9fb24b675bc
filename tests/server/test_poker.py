"""The poker document over HTTP, with a client written from the document alone."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

import attrs
import pytest
import trio
from trio.testing import MockClock

from arena.games.holdem import Holdem
from arena.games.holdem.moves import Bet, Deal
from arena.match.game import CHANCE, Seat
from arena.players.codec import Codec
from arena.server.ring.live_ring import BETWEEN_S
from arena.server.ring.poker import read_act, ring_game
from arena.server.ring.poker_view import poker_game
from arena.server.ring.ring import CHIPS, PLACES, STACK_MAX, Ring, begin_hand, join_ring
from arena.server.tables.pauses import SHOWDOWN_S
from tests.server.poker_client import BET, FOLD
from tests.server.poker_server import NOBODY, RING, Crasher, duel, now, opened

# A whole evening.


@pytest.mark.slow
async def test_a_client_written_from_the_document_plays(autojump_clock: MockClock) -> None:
    """Six users poll, act, bust and leave; what they see keeps to the document all the time."""
    seen: dict[str, list[dict[str, Any]]] = {}
    async with opened() as server:

        async def one(name: str, seed: int) -> None:
            seen[name] = await (await server.user(name)).play(trio.sleep, Random(seed), acts=40)

        async with trio.open_nursery() as nursery:
            for seed, name in enumerate(("ann", "bob", "eve", "kim", "lou", "zoe")):
                nursery.start_soon(one, name, seed)
    for states in seen.values():
        for state in states:
            check_document(state)
    assert any(state["cards"]["river"] for states in seen.values() for state in states)
    assert any(len(state["pots"]) > 1 for states in seen.values() for state in states), "side pots occur"
    ids = {player["playerID"] for states in seen.values() for state in states for player in state["table"]}
    assert len(ids) > len(seen), "some are out, and come back as somebody new"
    assert any(state["turn"]["playerID"] is None for states in seen.values() for state in states)
    assert server.live.ring.hands > 5


FIELDS = {
    "game": {"gameID", "table", "turn", "cards", "pots"},
    "player": {"playerID", "handle", "state", "wealth", "bet_so_far", "small_blind"},
    "turn": {"playerID", "bet_so_far", "bet_to_player", "minimum_raise", "expiry"},
    "cards": {"hole", "flop", "turn", "river"},
    "pot": {"size", "players"},
}


def check_document(state: dict[str, Any]) -> None:
    """All fields of the document and no others, with the types and relations that it gives."""
    assert set(state) == FIELDS["game"]
    assert UUID(state["gameID"])
    ids = [player["playerID"] for player in state["table"]]
    assert len(ids) == len(set(ids)) <= PLACES
    for player in state["table"]:
        assert set(player) == FIELDS["player"]
        assert UUID(player["playerID"])
        assert player["state"] in ("active", "folded", "called")
        assert type(player["wealth"]) is type(player["bet_so_far"]) is int
        assert min(player["wealth"], player["bet_so_far"]) >= 0
    check_turn(state, ids)
    assert set(state["cards"]) == FIELDS["cards"]
    sizes = [len(state["cards"][name] or ()) for name in ("flop", "turn", "river")]
    assert sizes in ([0, 0, 0], [3, 0, 0], [3, 1, 0], [3, 1, 1])
    cards = [card for name in FIELDS["cards"] for card in state["cards"][name] or ()]
    assert len(cards) == len(set(cards))
    assert all(len(card) == 2 and card[0] in "23456789TJQKA" and card[1] in "CDHS" for card in cards)
    assert state["pots"]
    for pot in state["pots"]:
        assert set(pot) == FIELDS["pot"]
        assert set(pot["players"]) <= set(ids), "pots name playerIDs"


def check_turn(state: dict[str, Any], ids: list[str]) -> None:
    turn = state["turn"]
    assert set(turn) == FIELDS["turn"]
    if turn["playerID"] is None:
        assert set(turn.values()) == {None}, "all null between hands"
        assert not any(state["cards"].values())
        return
    assert sum(player["small_blind"] for player in state["table"]) == 1
    assert datetime.fromisoformat(turn["expiry"]).utcoffset() is not None, "RFC 3339 with offset"
    asked = next(player for player in state["table"] if player["playerID"] == turn["playerID"])
    assert asked["state"] == "active"
    assert asked["bet_so_far"] == turn["bet_so_far"]
    assert turn["bet_to_player"] == max(player["bet_so_far"] for player in state["table"])
    assert turn["minimum_raise"] >= 0


# Users.


def basic(text: str) -> dict[str, str]:
    return {"Authorization": f"Basic {b64encode(text.encode()).decode()}"}


async def test_a_user_is_made_once(autojump_clock: MockClock) -> None:
    """201 and a JSON string; 403 the second time, with another password too."""
    async with opened() as server:
        response = await server.http.post("/users/", auth=("ann", "secret"))
        assert (response.status_code, response.json()) == (201, "id-ann")
        for password in ("secret", "other"):
            assert (await server.http.post("/users", auth=("ann", password))).status_code == 403


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Basic ?"}, {"Authorization": "Bearer x"}, basic("ann")]
)
async def test_a_user_needs_a_name_and_a_password(headers: dict[str, str], autojump_clock: MockClock) -> None:
    """400 if they cannot be read."""
    async with opened() as server:
        assert (await server.http.post("/users/", headers=headers)).status_code == 400


async def test_wrong_credentials_are_unauthorized_everywhere(autojump_clock: MockClock) -> None:
    """Also where none are needed, and before anything is looked for; nothing changes."""
    async with opened() as server:
        ann = await server.user("ann")
        player = await ann.join(RING)
        before = server.live.ring
        for auth in (("ann", "wrong"), ("nobody", "secret")):
            for game in (RING, NOBODY):
                requests = [
                    ("GET", "/games/"),
                    ("GET", f"/games/{game}"),
                    ("POST", f"/games/{game}/players/"),
                    ("POST", f"/games/{game}/players/{player}/acts/"),
                    ("DELETE", f"/games/{game}/players/{player}"),
                ]
                for method, url in requests:
                    assert (await server.http.request(method, url, auth=auth)).status_code == 401
        assert server.live.ring is before
        for method, url in requests[2:]:
            assert (await server.http.request(method, url)).status_code == 401


# Joining and leaving.


async def test_joining_again_gives_the_same_player(autojump_clock: MockClock) -> None:
    """201 both times; the table is public, and needs no credentials to be seen."""
    async with opened() as server:
        response = [
            await server.http.get(url) for url in ("/games", "/games/", f"/games/{RING}", f"/games/{RING}/")
        ]
        assert [each.status_code for each in response] == [200] * 4
        assert response[0].json() == response[1].json() == [response[2].json()] == [response[3].json()]
        ann = await server.user("ann")
        responses = [await server.http.post(f"/games/{RING}/players/", auth=ann.auth) for _ in range(2)]
        assert [each.status_code for each in responses] == [201, 201]
        assert responses[0].json() == responses[1].json()
        (player,) = (await ann.game(RING))["table"]
        assert player == {
            "playerID": responses[0].json(),
            "handle": "ann",
            "state": "active",
            "wealth": CHIPS,
            "bet_so_far": 0,
            "small_blind": False,
        }


async def test_the_eleventh_is_queued_and_cannot_act(autojump_clock: MockClock) -> None:
    """202 and a playerID, the same when it asks again; 403 for its acts until it has a place."""
    async with opened() as server:
        for number in range(PLACES):
            await (await server.user(f"user{number}")).join(RING)
        kim = await server.user("kim")
        responses = [await server.http.post(f"/games/{RING}/players/", auth=kim.auth) for _ in range(2)]
        assert [each.status_code for each in responses] == [202, 202]
        assert responses[0].json() == responses[1].json()
        player = responses[0].json()
        assert player not in str(await kim.game(RING))
        assert await kim.act(RING, player, BET, 20) == 403
        assert await kim.leave(RING, player) == 200
        assert await kim.act(RING, player, BET, 20) == 404


async def test_unknown_games_and_players_are_not_found(autojump_clock: MockClock) -> None:
    """And somebody else's player is as unknown."""
    async with opened() as server:
        ann, bob = await server.user("ann"), await server.user("bob")
        player = await ann.join(RING)
        await bob.join(RING)
        await server.asked()
        before = server.live.ring
        assert (await server.http.get(f"/games/{NOBODY}")).status_code == 404
        assert (await server.http.post(f"/games/{NOBODY}/players/", auth=ann.auth)).status_code == 404
        for game, player_id in ((RING, player), (RING, NOBODY), (NOBODY, player)):
            assert await bob.act(game, player_id, FOLD) == 404
            assert await bob.leave(game, player_id) == 404
        assert server.live.ring is before


# Acting.


async def test_who_leaves_on_turn_folds(autojump_clock: MockClock) -> None:
    """The hand is over at once, and the other one has the blind."""
    async with duel() as at:
        assert await at.first.leave() == 200
        assert await at.first.leave() == 404
        assert await at.second.wealth() == {at.second.id: CHIPS + 10}


async def test_who_leaves_before_its_turn_folds_then(autojump_clock: MockClock) -> None:
    """It is not waited for."""
    async with duel() as at:
        assert await at.second.leave() == 200
        assert (await at.second.game())["cards"]["hole"] is None, "it is not a player of the hand any more"
        assert await at.first.act(BET, 110) == 201
        assert await at.first.wealth() == {at.first.id: CHIPS + 20}


async def test_a_showdown_can_be_read(autojump_clock: MockClock) -> None:
    """Three seconds are between it and the next hand, one after a fold; all see the cards that were shown."""
    async with duel() as at:
        hole = {each.id: (await each.game())["cards"]["hole"] for each in (at.first, at.second)}
        by_id = {each.id: each for each in (at.first, at.second)}
        assert await at.first.act(BET, 10) == 201
        while at.server.live.ring.hands == 0:
            assert (await at.server.http.get(f"/games/{RING}/showdown/")).json() is None
            assert await by_id[at.server.on_turn].act(BET, 0) == 201
        assert at.server.live.match is None
        over_at = trio.current_time()
        await at.server.asked()
        assert trio.current_time() - over_at == pytest.approx(SHOWDOWN_S, abs=0.05)
        shown = (await at.server.http.get(f"/games/{RING}/showdown")).json()
        assert len(shown["board"]) == 5
        assert {player: cards for player, cards, _ in shown["hands"]} == hole
        assert await by_id[at.server.on_turn].act(FOLD) == 201
        over_at = trio.current_time()
        await at.server.asked()
        assert trio.current_time() - over_at == pytest.approx(BETWEEN_S, abs=0.05)
        assert (await at.server.http.get(f"/games/{RING}/showdown")).json() is None


async def test_who_is_not_asked_may_not_act(autojump_clock: MockClock) -> None:
    """403, and the same act counts when it is its turn."""
    async with duel() as at:
        assert await at.second.act(BET, 0) == 403
        assert await at.first.act(BET, 10) == 201
        assert await at.first.act(BET, 10) == 403
        assert await at.second.act(BET, 0) == 201
        assert (await at.first.game())["cards"]["flop"] is not None


@pytest.mark.parametrize("amount", [-1, 5, 9, 29, CHIPS, 10**9, 10**30, -(10**30)])
async def test_a_bet_that_is_not_valid_folds(amount: int, autojump_clock: MockClock) -> None:
    """201, as the document says: below the call, below the least raise, above the wealth, negative."""
    async with duel() as at:
        assert await at.first.act(BET, amount) == 201
        assert await at.first.wealth() == {at.first.id: CHIPS - 10, at.second.id: CHIPS + 10}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"{}",
        b'{"action": 1}',
        b'{"betAmount": 20}',
        b'{"action": null, "betAmount": 20}',
        b'{"action": true, "betAmount": 20}',
        b'{"action": 2, "betAmount": 20}',
        b'{"action": 0.5, "betAmount": 20}',
        b'{"action": "1", "betAmount": 20}',
        b'{"action": 1, "betAmount": 20.5}',
        b'{"action": 1, "betAmount": "20"}',
        b'{"action": 1, "betAmount": null}',
        b'{"action": 1, "betAmount": NaN}',
        b'{"action": 1, "betAmount": 1e999}',
        b'{"action": 1, "betAmount": [20]}',
        b"[" * 60_000,
    ],
)
async def test_what_is_no_act_changes_nothing(body: bytes, autojump_clock: MockClock) -> None:
    """400, and the player can still act."""
    async with duel() as at:
        before = await at.first.game()
        url, auth = f"/games/{RING}/players/{at.first.id}/acts", at.first.client.auth
        headers = {"Content-Type": "application/json"}
        response = await at.server.http.post(url, content=body, auth=auth, headers=headers)
        assert response.status_code == 400
        assert await at.first.game() == before
        assert await at.first.act(BET, 10) == 201


def test_an_act_is_read_as_the_document_has_it() -> None:
    """A fold needs no amount; a whole number may be written with a point."""
    assert read_act(b'{"action": 0}') == {"action": 0}
    assert read_act(b'{"action": 0, "betAmount": "junk"}') == {"action": 0}
    assert read_act(b'{"action": 1, "betAmount": 20.0}') == {"action": 1, "betAmount": 20}


async def test_who_stays_silent_is_folded_and_removed(autojump_clock: MockClock) -> None:
    """After 15 s, which is what `expiry` says; it may join again as somebody new, with new chips."""
    async with duel() as at:
        turn = (await at.first.game())["turn"]
        left_s = datetime.fromisoformat(turn["expiry"]).timestamp() - now()
        assert 14.9 < left_s <= 15.0
        await trio.sleep(left_s - 0.1)
        assert (await at.second.game())["turn"] == turn, "the same expiry for everybody, always"
        await trio.sleep(0.2)
        assert at.server.on_turn is None
        assert await at.first.act(BET, 10) == 404
        assert await at.second.wealth() == {at.second.id: CHIPS + 10}
        again = await at.first.client.join(RING)
        assert again not in (at.first.id, at.second.id)
        assert await at.first.wealth() == {again: CHIPS, at.second.id: CHIPS + 10}


async def test_who_is_all_in_has_called(autojump_clock: MockClock) -> None:
    """The document has no other word for it."""
    async with duel() as at:
        assert await at.first.act(BET, CHIPS - 10) == 201
        players = {player["playerID"]: player for player in (await at.second.game())["table"]}
        assert players[at.first.id]["state"] == "called"
        assert players[at.first.id]["wealth"] == 0
        assert players[at.second.id]["state"] == "active"


def test_chips_that_are_not_at_stake_are_wealth() -> None:
    """A stack has a limit in the rules; the rest of it lies beside."""
    ring = Ring(RING)
    for owner in ("ann", "bob"):
        ring = join_ring(ring, owner=owner, handle=owner, player_id=f"p-{owner}", now=0.0)
    rich = tuple(each and attrs.evolve(each, chips=STACK_MAX + 5_000) for each in ring.places)
    ring, hand = begin_hand(attrs.evolve(ring, places=rich))
    game = ring_game(hand.stacks)
    state = game.apply(game.start(2), {CHANCE: game.draw(game.start(2), Random(1))}).state
    observed = json.loads(Codec(game, hand.player_ids, None).encode(game.observe(state, None)))
    wealth = [player["wealth"] for player in poker_game(ring, observed, None)["table"]]
    assert wealth == [STACK_MAX + 5_000 - 10, STACK_MAX + 5_000 - 20]


async def test_who_has_lost_all_chips_may_join_again_at_once(autojump_clock: MockClock) -> None:
    """The answer to the last act comes when the chips are counted: whoever is out is somebody new from then on."""
    async with duel() as at:
        assert await at.first.act(BET, CHIPS - 10) == 201
        assert await at.second.act(BET, CHIPS - 20) == 201
        wealth = await at.first.wealth()
        assert list(wealth.values()) == [2 * CHIPS], "this deal has one winner"
        (loser,) = (player for player in (at.first, at.second) if player.id not in wealth)
        assert await loser.act(FOLD) == 404
        again = await loser.client.join(RING)
        assert again != loser.id
        assert (await loser.wealth())[again] == CHIPS


async def test_two_acts_at_once_are_one(autojump_clock: MockClock) -> None:
    """The second one comes when it is not its turn any more."""
    async with duel() as at:
        statuses = []

        async def act() -> None:
            statuses.append(await at.first.act(BET, 10))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(act)
            nursery.start_soon(act)
        assert sorted(statuses) == [201, 403]


async def test_what_is_acknowledged_is_kept(autojump_clock: MockClock) -> None:
    """Joining, acting and leaving are answered after their commit."""
    async with opened() as server:
        ann = await server.user("ann")
        player = await ann.join(RING)
        assert server.records.kept_at[-1] == len(server.records.rings) == 1
        await ann.leave(RING, player)
        assert server.records.kept_at[-1] == len(server.records.rings) == 2


# The house bot.


async def test_who_is_alone_plays_a_house_bot(autojump_clock: MockClock) -> None:
    """It comes after five seconds, and goes after the hand in which somebody else has come."""
    async with opened() as server:
        ann = await server.user("ann")
        one = await ann.join(RING)
        await trio.sleep(4.9)
        assert len((await ann.game(RING))["table"]) == 1
        await server.asked(one)
        assert trio.current_time() < 7
        assert [player["handle"] for player in (await ann.game(RING))["table"]] == ["ann", "caller"]
        bob = await server.user("bob")
        two = await bob.join(RING)
        assert two not in str(await bob.game(RING)), "it plays from the next hand on"
        assert await ann.act(RING, one, FOLD) == 201
        await server.asked()
        assert {player["playerID"] for player in (await ann.game(RING))["table"]} == {one, two}


async def test_a_house_bot_that_crashed_is_replaced(autojump_clock: MockClock) -> None:
    """It loses its hand, and another one comes after five seconds."""
    async with opened(house=Crasher) as server:
        ann = await server.user("ann")
        one = await ann.join(RING)
        seen: set[str] = set()
        for _ in range(600):
            await trio.sleep(0.05)
            state = await ann.game(RING)
            seen |= {player["playerID"] for player in state["table"]} - {one}
            if state["turn"]["playerID"] == one:
                assert await ann.act(RING, one, BET, 10) == 201
        assert len(seen) >= 3
        assert server.live.ring.hands >= 3


async def test_somebody_called_like_the_house_bot_plays_it(autojump_clock: MockClock) -> None:
    """Names need not differ for the document, but do for the bot."""
    async with opened() as server:
        client = await server.user("caller")
        one = await client.join(RING)
        await server.asked(one)
        assert [player["handle"] for player in (await client.game(RING))["table"]] == ["caller", "caller"]
        assert await client.act(RING, one, BET, 10) == 201


# Equal information, equal bytes.


def dealt(deck: tuple[str, ...], moves: int) -> Iterator[tuple[Any, Any]]:
    """A hand of three with this deck, checked and called through: the game and its state, step by step."""
    game = Holdem(hands=1, reset_stacks=False)
    state = game.apply(game.start(3), {CHANCE: Deal(deck)}).state
    for _ in range(moves):
        yield game, state
        (seat,) = game.to_act(state)
        call = game.options(state, seat)[1].fields["amount"].low  # type: ignore[union-attr]
        state = game.apply(state, {seat: Bet(call)}).state


def test_equal_information_gives_equal_bytes() -> None:
    """Other hands and the cards to come change nothing for a seat or a spectator, at any step."""
    ring = Ring(RING)
    for owner in ("ann", "bob", "kim"):
        ring = join_ring(ring, owner=owner, handle=owner, player_id=f"p-{owner}", now=0.0)
    ring, hand = begin_hand(ring)
    rng = Random(1)
    order = list(Holdem().draw(Holdem().start(3), Random(3)).deck)
    for viewer in (None, *map(Seat, range(3))):
        own = [] if viewer is None else order[2 * viewer : 2 * viewer + 2]
        for step in range(12):
            opened_now = [0, 3, 4, 5][step // 3]
            known = {*own, *order[20 : 20 + opened_now]}
            views = set()
            for _ in range(5):
                hidden = [card for card in order if card not in known]
                rng.shuffle(hidden)
                deck = tuple(card if card in known else hidden.pop() for card in order)
                game, state = list(dealt(deck, step + 1))[step]
                octets = Codec(game, hand.player_ids, None).encode(game.observe(state, viewer))
                views.add(json.dumps(poker_game(ring, json.loads(octets), "soon")))
            assert len(views) == 1
            (view,) = views
            shown = {card for cards in json.loads(view)["cards"].values() for card in cards or ()}
            assert shown == known


async def test_hole_cards_are_shown_to_their_owner_alone(autojump_clock: MockClock) -> None:
    """In both paths; all else is the same for everybody."""
    async with duel() as at:
        eve = await at.server.user("eve")
        views = [
            (await at.server.http.get(url, auth=auth)).json()
            for auth in (at.first.client.auth, at.second.client.auth, eve.auth, None)
            for url in (f"/games/{RING}", "/games")
        ]
        assert views[1::2] == [[view] for view in views[::2]]
        mine, theirs, eves, nobodys = views[::2]
        assert len({*mine["cards"]["hole"], *theirs["cards"]["hole"]}) == 4
        assert eves == nobodys
        assert eves["cards"]["hole"] is None
        for view in (mine, theirs):
            assert {**view, "cards": {**view["cards"], "hole": None}} == eves


@pytest.mark.slow
async def test_a_spectator_sees_no_card_that_is_not_on_the_board(autojump_clock: MockClock) -> None:
    """At any poll of three hands; all else is the same for the player and the spectator."""
    async with opened() as server:
        ann = await server.user("ann")
        one = await ann.join(RING)
        board: set[str] = set()
        for _ in range(2_000):
            await trio.sleep(0.05)
            state, public = await ann.game(RING), (await server.http.get(f"/games/{RING}")).json()
            shown = {card for cards in public["cards"].values() for card in cards or ()}
            assert public["cards"]["hole"] is None
            assert not shown & set(state["cards"]["hole"] or ())
            assert {**state, "cards": {**state["cards"], "hole": None}} == public
            board |= shown
            if state["turn"]["playerID"] == one:
                assert (
                    await ann.act(
                        RING, one, BET, state["turn"]["bet_to_player"] - state["turn"]["bet_so_far"]
                    )
                    == 201
                )
            if server.live.ring.hands == 3:
                break
        assert len(board) > 10
