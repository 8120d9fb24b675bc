"""Equal information, equal bytes: of two matches that differ in what a viewer cannot know, it is answered the same.

Both are played over REST, with the answers of a turn in another order and at other times.  The viewer, with the key
of a seat or without, waits for each version, asks for the table, the list and the rounds once a second, and has
moves refused; every answer is compared, with its time.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import trio
import trio.testing
from daily import crossed

from arena.games import GAMES
from arena.match.game import CHANCE, Seat
from tests.server.rest_client import Rest, rest
from tests.server.twins import NAMES, RULES, SCRIPT_OVER, VIEWERS, Turns, script, times_of, twins_heard

Answer = tuple[float, str, int, str]
"""When, to what, with which status, what."""


class Asker:
    """Everything that the viewer can ask, and what it was answered."""

    def __init__(self, server: Rest, at: str, key: str | None) -> None:
        self._server = server
        self._at = at
        self._key = key
        self.answers: list[Answer] = []

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        response = await self._server.send(method, path, body, self._key)
        told = (trio.current_time(), f"{method} {path}", response.status_code, response.text)
        self.answers.append(told)
        return response.json()

    async def wait_for_versions(self) -> None:
        version = 0
        while True:
            told = await self.ask("GET", f"{self._at}?after={version}&wait=30")
            if "version" not in told:
                return
            version = told["version"]

    async def look_around(self) -> None:
        while True:
            told = await self.ask("GET", self._at)
            if "version" not in told:
                return
            await self.ask("GET", "/api/tables")
            for number in range(1, (told["match"] or {"round": 0})["round"] + 1):
                await self.ask("GET", f"{self._at}/rounds/{number}")
            await self.ask("POST", f"{self._at}/moves", {"move": "nonsense"})
            await trio.sleep(1.0)


async def answered(
    game: str, turns: Turns, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch, order: Random
) -> list[Answer]:
    """What the viewer is answered in a match; everything that is drawn is the same each time."""
    script(game, turns, monkeypatch)
    bugs: list[str] = []
    async with rest(note_bug=bugs.append) as server, trio.open_nursery() as nursery:
        at = await server.table(game, rules=RULES.get(game, {}), move_time=10_000)
        keys = {name: (await server.join(at, name))[1] for name in NAMES}
        assert (await server.post(f"{at}/start", key=keys["ann"]))[0] == 200
        await trio.testing.wait_all_tasks_blocked()
        (live,) = server.house
        match = live.match
        assert match is not None
        asker = Asker(server, at, None if viewer is None else keys[match.terms.names[viewer]])
        nursery.start_soon(asker.wait_for_versions)
        await trio.sleep(0.003)
        nursery.start_soon(asker.look_around)
        await trio.sleep(0.01)  # from here on nobody moves at the very moment at which the viewer looks
        for moves in turns:
            if CHANCE not in moves:
                await trio.testing.wait_all_tasks_blocked()
                await trio.sleep(3.5 if match.is_paused else 0.0)
                now = 0.0
                for when, seat in times_of(match, moves, viewer, order):
                    await trio.sleep(when - now)
                    now = when
                    said = {"move": match.showing.codec.move_json(moves[seat])}
                    if seat == viewer:
                        told = await asker.ask("POST", f"{at}/moves", said)
                        assert "you" in told, told
                    else:
                        status, told = await server.post(f"{at}/moves", said, keys[match.terms.names[seat]])
                        assert status == 200, told
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert all(SCRIPT_OVER in bug for bug in bugs), bugs
    return sorted(asker.answers)  # what comes at one moment comes in any order


@pytest.mark.slow
@pytest.mark.parametrize(("game", "viewer"), crossed(GAMES, VIEWERS))
def test_equal_information_gives_equal_bytes(
    game: str, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one, told, instead in twins_heard(game, viewer, monkeypatch, answered, least=2, most=2):
        for first, second in zip(told, instead, strict=True):
            assert first == second
        assert len(told) > len(one)
