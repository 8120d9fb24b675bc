"""Ring tables survive the end of the server: chips, the button, the queue, and the hand that is being played."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
from trio.testing import MockClock

from arena.server.kept.archive import FinishedTable, open_archive
from arena.server.kept.keeping import NotKept, open_keeper
from arena.server.kept.records import ServerRecords
from arena.server.open_tables import OpenTables
from arena.server.ring.poker import hand_of
from arena.server.ring.ring import CHIPS, PLACES, Ring
from tests.server.poker_client import BET, FOLD, PokerClient
from tests.server.poker_server import RING, FakeUsers, Server, opened
from tests.server.rest_client import rest


async def at_once(commit: Callable[[], None]) -> None:
    commit()


@asynccontextmanager
async def served(
    folder: Path,
    users: FakeUsers,
    archive: Callable[[FinishedTable], None] = lambda match: None,
    starts_s: float = 0.0,
) -> AsyncIterator[Server]:
    """A server over what lies in this folder, as it was left there."""
    with open_keeper(folder, tell=print, in_thread=at_once) as keeper:
        records = ServerRecords(keeper, archive, in_thread=at_once)
        kept = list(records.rings(print))
        ring = kept[0] if kept else Ring(RING)
        matches = records.matches(print)
        unfinished = hand_of(ring, matches)
        async with trio.open_nursery() as nursery:
            await nursery.start(keeper.run)
            async with opened(records, users, ring, unfinished, starts_s=starts_s) as server:
                for each in matches:
                    if each is not unfinished:
                        await OpenTables(server.live._hall).put_away(each)
                yield server
            nursery.cancel_scope.cancel()


async def two_players(server: Server) -> dict[str, PokerClient]:
    clients = [await server.user(name) for name in ("ann", "bob")]
    return {await client.join(RING): client for client in clients}


def reached(clients: dict[str, PokerClient], server: Server) -> dict[str, PokerClient]:
    """The same users at another server."""
    return {player_id: PokerClient(server.http, client.name) for player_id, client in clients.items()}


async def test_a_hand_goes_on_after_a_restart(tmp_path: Path, autojump_clock: MockClock) -> None:
    """The same cards, bets and player on turn, with full time; it ends as it would have."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        clients = await two_players(server)
        await server.asked()
        first = server.on_turn
        assert await clients[first].act(RING, first, BET, 30) == 201
        before = {player_id: await client.game(RING) for player_id, client in clients.items()}
    await trio.sleep(100)
    async with served(tmp_path, users) as server:
        clients = reached(clients, server)
        for player_id, client in clients.items():
            after = await client.game(RING)
            expiries = [state["turn"].pop("expiry") for state in (before[player_id], after)]
            assert before[player_id] == after
            assert expiries[0] < expiries[1]
            assert await client.join(RING) == player_id
        (second,) = clients.keys() - {first}
        assert server.on_turn == second
        assert await clients[second].act(RING, second, FOLD) == 201
        assert server.live.ring.hands == 1
        wealth = {
            player["playerID"]: player["wealth"] for player in (await clients[first].game(RING))["table"]
        }
        assert wealth == {first: CHIPS + 20, second: CHIPS - 20}


async def test_an_act_before_the_house_bot_is_there_again_is_made_then(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whoever does not ask whose turn it is after a restart is not told that there is no hand."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        ann = await server.user("ann")
        player_id = await ann.join(RING)
        await server.asked(player_id)
    async with served(tmp_path, users, starts_s=5.0) as server:
        began = trio.current_time()
        assert await PokerClient(server.http, "ann").act(RING, player_id, FOLD) == 201
        assert trio.current_time() - began == pytest.approx(5.0, abs=0.1)
        assert server.live.ring.hands == 1


async def test_who_left_before_a_restart_folds_after_it(tmp_path: Path, autojump_clock: MockClock) -> None:
    """It is not waited for."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        clients = await two_players(server)
        await server.asked()
        first = server.on_turn
        (second,) = clients.keys() - {first}
        assert await clients[second].leave(RING, second) == 200
    async with served(tmp_path, users) as server:
        clients = reached(clients, server)
        assert await clients[first].act(RING, first, BET, 30) == 201
        assert [player["wealth"] for player in (await clients[first].game(RING))["table"]] == [CHIPS + 20]


async def test_a_hand_that_cannot_go_on_did_not_happen(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Everybody has the chips of before, and the next hand begins."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        clients = await two_players(server)
        await server.asked()
        assert await clients[server.on_turn].act(RING, server.on_turn, BET, 30) == 201
        server.records._keeper.drop_match(server.live.match.terms.match_id)
    async with served(tmp_path, users) as server:
        await server.asked()
        assert server.live.ring.hand.number == 1
        assert server.live.match.turns[1:] == []


async def test_queue_and_chips_are_kept(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Also what changes while nothing is played."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        for number in range(PLACES + 2):
            await (await server.user(f"user{number}")).join(RING)
        before = server.live.ring
        assert len(before.queue) == 2
    async with served(tmp_path, users) as server:
        assert server.live.ring == before


async def test_what_is_kept_of_hands_does_not_grow(tmp_path: Path, autojump_clock: MockClock) -> None:
    """A hand that is over leaves nothing behind."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        clients = await two_players(server)
        for _ in range(5):
            await server.asked()
            assert await clients[server.on_turn].act(RING, server.on_turn, FOLD) == 201
        kept: Any = server.records._keeper
        assert len(list(kept.matches())) <= 1


async def fold_a_hand(server: Server, clients: dict[str, PokerClient]) -> None:
    await server.asked()
    assert await clients[server.on_turn].act(RING, server.on_turn, FOLD) == 201


async def test_a_hand_that_is_over_is_archived(tmp_path: Path, autojump_clock: MockClock) -> None:
    """As a match of people and bots at this table, once its chips are counted."""
    archived: list[FinishedTable] = []
    async with served(tmp_path, FakeUsers(), archived.append) as server:
        clients = await two_players(server)
        await server.asked()
        assert server.live.match is not None
        match_id = server.live.match.terms.match_id
        await fold_a_hand(server, clients)
        await server.asked()
        (hand,) = archived
        assert (hand.match_id, hand.table_id, hand.kinds) == (match_id, RING, ("person", "person"))
        assert sorted(hand.record.returns) == [-10, 10]


async def test_a_hand_that_could_not_be_archived_is_at_the_next_start(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Once, and its chips are not counted again, also where the same two sit in the hand that is lost."""

    def full(match: FinishedTable) -> None:
        raise NotKept("the disk is full")

    archived: list[FinishedTable] = []
    users = FakeUsers()
    async with served(tmp_path, users, full) as server:
        clients = await two_players(server)
        await server.asked()
        seating = server.live.match.terms.seating if server.live.match else ()
        first = server.on_turn
        assert await clients[first].act(RING, first, BET, 10) == 201
        assert await clients[server.on_turn].act(RING, server.on_turn, BET, 100) == 201
        assert await clients[first].act(RING, first, FOLD) == 201
        await fold_a_hand(server, clients)
        await server.asked()
        assert server.live.match is not None
        assert server.live.match.terms.seating == seating
        before = server.live.ring
        server.records._keeper.drop_match(server.live.match.terms.match_id)
    async with served(tmp_path, users, archived.append) as server:
        assert len({match.match_id for match in archived}) == len(archived) == 2
        assert [each.chips for each in server.live.ring.places if each] == [
            each.chips for each in before.places if each
        ]
        assert server.live.ring.hands == 2
    async with served(tmp_path, users, archived.append):
        assert len(archived) == 2


async def test_the_archive_of_an_open_table_hides_what_nobody_showed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Over HTTP; the host of the machine reads the file."""
    archived: list[FinishedTable] = []
    async with served(tmp_path, FakeUsers(), archived.append) as server:
        clients = await two_players(server)
        await fold_a_hand(server, clients)
        await server.asked()
    with open_archive(tmp_path) as archive:
        archive.add(archived[0])
        async with rest(find=archive.find, plays_on=lambda table_id: table_id == RING) as server:
            at = f"/api/matches/{archived[0].match_id}"
            for query in ("", "?seen_by=ann", "?seen_by=bob"):
                status, body = await server.get(at + query)
                assert (status, body.get("field")) == (403, "seen_by"), query
            status, body = await server.get(f"{at}?seen_by=spectator")
            assert status == 200
            assert body["steps"]


@pytest.mark.parametrize("moment", range(4))
async def test_no_end_of_the_server_costs_chips(
    moment: int, tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Whenever it ends, between any two acts: what was acknowledged has happened, and chips are conserved."""
    users = FakeUsers()
    async with served(tmp_path, users) as server:
        clients = await two_players(server)
        hands = []
        for step in range(12):
            await server.asked()
            turn = server.on_turn
            assert (
                await clients[turn].act(
                    RING, turn, *((FOLD, 0) if step % 4 == 3 else (BET, 10 if step % 4 == 0 else 0))
                )
                == 201
            )
            hands.append(server.live.ring.hands)
            if step == 8 + moment:
                break
        turns = 0 if server.live.match is None else len(server.live.match.turns)
    async with served(tmp_path, users) as server:
        assert server.live.ring.hands == hands[-1]
        if turns:
            assert len(server.live.match.moments) - 1 == turns
        assert sum(member.chips for member in server.live.ring.places if member) == 2 * CHIPS


@pytest.mark.nightly
@pytest.mark.slow
async def test_the_server_is_killed_and_people_play_on(tmp_path: Path) -> None:
    """`arena serve`, killed in mid-hand: users, players and what was acknowledged are there, and the house bot too."""
    async with arena_serve(tmp_path) as (process, url), httpx.AsyncClient(base_url=url) as http:
        ann = PokerClient(http, "ann")
        await ann.register()
        player = await ann.join((await ann.games())[0]["gameID"])
        before = await when_asked(ann, player)
        assert await ann.act(before["gameID"], player, BET, 10) == 201
        process.kill()
    async with arena_serve(tmp_path) as (_, url), httpx.AsyncClient(base_url=url) as http:
        ann = PokerClient(http, "ann")
        assert await ann.join(before["gameID"]) == player
        state = await when_asked(ann, player)
        assert state["cards"]["hole"] == before["cards"]["hole"], "the same hand"
        assert await ann.act(state["gameID"], player, FOLD) == 201


@asynccontextmanager
async def arena_serve(folder: Path) -> AsyncIterator[tuple[trio.Process, str]]:
    """A server as a process, and its address."""
    command = [
        sys.executable,
        "-m",
        "arena",
        "serve",
        "--http",
        "127.0.0.1:0",
        "--data",
        str(folder / "data"),
    ]
    async with trio.open_nursery() as nursery:
        run = partial(trio.run_process, command, stderr=subprocess.PIPE, check=False)
        process = await nursery.start(run)
        said = b""
        while not (found := re.search(rb"http://\S+:\d+", said)):
            more = await process.stderr.receive_some()
            assert more, said
            said += more
        yield process, found.group().decode()
        process.kill()


async def when_asked(client: PokerClient, player_id: str) -> dict[str, Any]:
    """The state in which this player is asked."""
    for _ in range(400):
        (state,) = await client.games()
        if state["turn"]["playerID"] == player_id:
            return state
        await trio.sleep(0.05)
    raise AssertionError("it is not asked")
