"""The poker document's chips and pots at a ring table, also where somebody has more than may be at stake."""

from __future__ import annotations

import attrs
import pytest
from trio.testing import MockClock

from arena.server.ring.ring import CHIPS, STACK_MAX, Ring, join_ring
from tests.server.poker_client import BET, FOLD
from tests.server.poker_server import RING, opened


def rich(chips: int, seats: int = 2) -> Ring:
    """A ring table at which everybody has so many chips."""
    ring = Ring(RING)
    for number in range(seats):
        name = f"user{number}"
        ring = join_ring(ring, owner=f"id-{name}", handle=name, player_id=f"p-{name}", now=0.0)
    return attrs.evolve(ring, places=tuple(each and attrs.evolve(each, chips=chips) for each in ring.places))


@pytest.mark.parametrize("bet", [STACK_MAX, STACK_MAX + 1, 3 * STACK_MAX - 10])
async def test_a_bet_of_what_is_set_aside_too_is_all_that_is_at_stake(
    bet: int, autojump_clock: MockClock
) -> None:
    """All of the `wealth` that is shown, or less of it: 200,000 chips are bet, and the rest is kept."""
    chips = 3 * STACK_MAX
    async with opened(ring=rich(chips)) as server:
        users = {f"p-{name}": await server.user(name) for name in ("user0", "user1")}
        await server.asked()
        first = server.on_turn
        (second,) = users.keys() - {first}
        assert await users[first].act(RING, first, BET, bet) == 201
        state = await users[second].game(RING)
        seen = {player["playerID"]: player for player in state["table"]}
        assert seen[first]["state"] == "called"
        assert seen[first]["wealth"] == chips - STACK_MAX
        assert state["turn"]["bet_to_player"] == STACK_MAX
        assert seen[second]["wealth"] == chips - 20
        assert await users[second].act(RING, second, BET, chips - 20) == 201
        after = {player["playerID"]: player["wealth"] for player in (await users[first].game(RING))["table"]}
        assert sum(after.values()) == 2 * chips
        assert sorted(after.values()) in ([chips - STACK_MAX, chips + STACK_MAX], [chips, chips])


@pytest.mark.parametrize("bet", [3 * STACK_MAX - 9, 10**30])
async def test_a_bet_above_all_the_wealth_folds_however_rich(bet: int, autojump_clock: MockClock) -> None:
    """As the document says, also of whoever has chips set aside."""
    async with opened(ring=rich(3 * STACK_MAX)) as server:
        users = {f"p-{name}": await server.user(name) for name in ("user0", "user1")}
        await server.asked()
        first = server.on_turn
        assert await users[first].act(RING, first, BET, bet) == 201
        after = {player["playerID"]: player["wealth"] for player in (await users[first].game(RING))["table"]}
        assert after[first] == 3 * STACK_MAX - 10


async def test_a_pot_names_who_has_bet_into_it_and_folded(autojump_clock: MockClock) -> None:
    """The chips of a seat that folded are in the pot, and so is its playerID."""
    async with opened(ring=rich(CHIPS, 3)) as server:
        users = {f"p-user{number}": await server.user(f"user{number}") for number in range(3)}
        await server.asked()
        for act in (BET, FOLD):
            first = server.on_turn
            assert await users[first].act(RING, first, act, 20) == 201
        state = await users[first].game(RING)
        assert {player["playerID"]: player["state"] for player in state["table"]}[first] == "folded"
        assert state["pots"] == [{"size": 50, "players": [*users][1:] + [*users][:1]}]
