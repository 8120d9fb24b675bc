"""The poker document over HTTP: what nobody should send, and disks that fail.  A refused request changes nothing."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import trio
from trio.testing import MockClock

from arena.refusal import Refusal
from arena.server.kept.keeping import not_kept, open_keeper
from arena.server.ring.accounts import Accounts, Cost
from arena.server.ring.ring import CHIPS
from tests.server.poker_client import BET, PokerClient
from tests.server.poker_server import NOBODY, RING, KeptRings, duel, opened

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/users", 405),
        ("DELETE", "/games", 405),
        ("POST", "/games", 405),
        ("PUT", f"/games/{RING}", 405),
        ("GET", f"/games/{RING}/players", 405),
        ("GET", f"/games/{RING}/players/{NOBODY}", 405),
        ("GET", f"/games/{RING}/players/{NOBODY}/acts", 405),
        ("GET", f"/games/{RING.upper()}", 404),
        ("GET", f"/games/{RING}%00", 404),
        ("GET", "/games/%2e%2e/users", 404),
        ("GET", f"/games/{'x' * 10_000}", 404),
        ("GET", f"/games/{RING}//", 200),
        ("HEAD", f"/games/{RING}/", 200),
        ("POST", f"/games/{RING}/players/{NOBODY}/acts", 404),
        ("DELETE", f"/games/{RING}/players/%0a", 404),
        ("DELETE", f"/games/{RING}/players/", 405),
    ],
)
async def test_a_path_that_is_none_changes_nothing(
    method: str, path: str, status: int, autojump_clock: MockClock
) -> None:
    """404 or 405, whoever asks; a gameID is taken as it was given."""
    async with opened() as server:
        ann = await server.user("ann")
        await ann.join(RING)
        before = server.live.ring
        response = await server.http.request(method, path, auth=ann.auth, headers=JSON)
        assert response.status_code == status
        assert server.live.ring is before


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b'{"action": 1, "betAmount": 10}', {"Content-Type": "text/plain"}, 415),
        (b"action=1&betAmount=10", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        (b" " * 70_000, JSON, 413),
        (b'{"action": 1, "betAmount": 10}', {**JSON, "Origin": "http://evil.example"}, 403),
        (b'{"action": 1, "betAmount": 10}', {**JSON, "Host": "evil.example"}, 403),
    ],
)
async def test_an_act_that_is_not_let_in_changes_nothing(
    body: bytes, headers: dict[str, str], status: int, autojump_clock: MockClock
) -> None:
    """The player is still asked."""
    async with duel() as at:
        url, auth = f"/games/{RING}/players/{at.first.id}/acts", at.first.client.auth
        response = await at.server.http.post(url, content=body, auth=auth, headers=headers)
        assert response.status_code == status
        assert at.server.on_turn == at.first.id


class FullDisk(KeptRings):
    """Keeps nothing from some moment on."""

    is_full = False

    def check(self) -> None:
        if self.is_full:
            raise Refusal("unavailable", "the disk is full", key="disk", seconds=1.0)


async def test_a_full_disk_changes_nothing(autojump_clock: MockClock) -> None:
    """What could not be kept is not done; looking on is still possible."""
    records = FullDisk()
    async with duel(records) as at:
        eve = await at.server.user("eve")
        records.is_full, before = True, at.server.live.ring
        assert await at.first.act(BET, 10) == 503
        assert await at.first.leave() == 503
        assert (await at.server.http.post(f"/games/{RING}/players/", auth=eve.auth)).status_code == 503
        assert at.server.live.ring is before
        assert (await at.first.game())["turn"]["playerID"] == at.first.id
        records.is_full = False
        assert await at.first.act(BET, 10) == 201


class LateDisk(KeptRings):
    """Fails when something is in effect already."""

    fails = False

    async def kept(self) -> None:
        if self.fails:
            raise not_kept()


async def test_a_disk_that_fails_too_late_does_not_deny_what_was_done(autojump_clock: MockClock) -> None:
    """The answer is no 429, which would ask for it a second time: it says that the act is in effect."""
    records = LateDisk()
    async with duel(records) as at:
        records.fails = True
        url, auth = f"/games/{RING}/players/{at.first.id}/acts/", at.first.client.auth
        response = await at.server.http.post(url, json={"action": BET, "betAmount": 10}, auth=auth)
        assert (response.status_code, response.json()["key"]) == (503, "not_kept")
        assert response.json()["message"].startswith("it is done, but")
        assert "retry-after" not in response.headers
        assert at.server.on_turn == at.second.id


@pytest.mark.slow
async def test_a_poll_never_has_to_wait(tmp_path: Any, autojump_clock: MockClock) -> None:
    """A thousand polls of one user, every 50 ms, and of fifty at once: no 429, and one hash for each."""
    hashes = 0

    async def hashed(work: Any) -> bytes:
        nonlocal hashes
        hashes += 1
        await trio.sleep(0.1)
        digest: bytes = work()
        return digest

    async def at_once(commit: Any) -> None:
        commit()

    with open_keeper(tmp_path, tell=print, in_thread=at_once) as keeper:
        made, users = (Accounts(keeper, cost=Cost(2, 1, 1), in_thread=hashed) for _ in range(2))
        async with trio.open_nursery() as nursery:
            await nursery.start(keeper.run)
            for number in range(50):
                await made.create(f"user{number}", "secret")
            users = Accounts(keeper, cost=Cost(2, 1, 1), in_thread=hashed)
            hashes = 0
            async with opened(users=users) as server:

                async def poll(name: str, times: int) -> None:
                    client = PokerClient(server.http, name)
                    for _ in range(times):
                        await client.games()
                        await trio.sleep(0.05)

                async with trio.open_nursery() as pollers:
                    for number in range(50):
                        pollers.start_soon(poll, f"user{number}", 5)
                await poll("user0", 1_000)
            assert hashes == 50
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'a"b', "ann\u00e9", "\u202eann"])
async def test_names_from_outside_are_data(name: str, autojump_clock: MockClock) -> None:
    """A handle is shown as it is, in JSON that no browser takes for a page."""
    async with opened() as server:
        await (await server.user(name)).join(RING)
        response = await server.http.get("/games/")
        assert response.headers["content-type"] == "application/json"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert [player["handle"] for player in response.json()[0]["table"]] == [name]


async def test_nobody_can_act_for_a_player_whose_id_they_know(autojump_clock: MockClock) -> None:
    """A playerID is public: it opens nothing."""
    async with duel() as at:
        public = (await at.server.http.get(f"/games/{RING}")).json()
        assert at.first.id in {player["playerID"] for player in public["table"]}
        url = f"/games/{RING}/players/{at.first.id}"
        for auth in (at.second.client.auth, None, httpx.BasicAuth("ann", "guess")):
            assert (await at.server.http.delete(url, auth=auth)).status_code in (401, 404)
            body = {"action": 1, "betAmount": 10}
            assert (await at.server.http.post(f"{url}/acts", json=body, auth=auth)).status_code in (401, 404)
        assert at.server.on_turn == at.first.id
        assert set((await at.first.wealth()).values()) == {CHIPS - 10, CHIPS - 20}
