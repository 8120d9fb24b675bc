"""Two matches that differ only in what a viewer cannot know, each at a server that is killed: it is told the same bytes.

The answers of a turn come in another order and at other moments, so that at a kill others have answered.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import attrs
import pytest
import trio
import trio.testing

from arena.games import GAMES
from arena.match.game import CHANCE, Seat
from arena.tournament.plan import make_game
from tests.server.twins import NAMES, RULES, SCRIPT_OVER, Turns, script, times_of, two_matches

from ..network import Trace
from .town import Town
from .world import draw

MOVE_S = 10_000.0
LOOKS_S = (0.03, 0.28, 0.78, 1.03, 1.53)
"""When in a turn the viewer looks: never at the moment at which somebody answers."""
LATER_S = 0.0625
"""So much later than `times_of` says the viewer answers: a commit of somebody else's answer delays its own."""
KILL_S = 1.1
"""When in a turn the server is killed: the viewer has answered, and some of the others."""
TURN_S = 2.6
"""From the beginning of a turn to that of the next one, before any silence counts."""

Heard = list[tuple[float, str, int, bytes]]
"""When, to what, with which status, what."""


def wrong_twins(seed: int, folder: Path, trace: Trace) -> list[str]:
    """Where the viewer of a seed can tell its two matches apart."""
    rng = Random(f"twins/{seed}")
    game, viewer = rng.choice(sorted(GAMES)), rng.choice([Seat(0), Seat(1), Seat(2), None])
    one, other, differ = two_matches(make_game(GAMES[game], RULES.get(game, {})), viewer, rng)
    if not differ:
        return []
    world = attrs.evolve(draw(seed), seed=2 * seed + 1, ends=(), full_at=(), faults=0.0, slow_s=0.0)
    killed = {turn for turn in range(len(one)) if rng.random() < 0.25}
    pairs = []
    for place, turns in enumerate((one, other)):
        match = _Twin(Town(world, folder / f"{place}", trace), game, turns, viewer, killed, Random(place))
        pairs.append(match.heard())
        if match.wrong:
            return match.wrong
    trace.counts["twins"] += 1
    trace.counts["twins' kills"] += len(killed)
    for first, second in zip(*pairs, strict=False):
        if first != second:
            return [f"twins of {game} differ for {viewer}: {first} and {second}"]
    return [] if len(pairs[0]) == len(pairs[1]) else [f"twins of {game} differ in length for {viewer}"]


class _Twin:
    """One of both."""

    def __init__(
        self, town: Town, game: str, turns: Turns, viewer: Seat | None, killed: set[int], order: Random
    ) -> None:
        self._town = town
        self._game = game
        self._turns = turns
        self._viewer = viewer
        self._killed = killed
        self._order = order
        self._keys: dict[str, str] = {}
        self._at = ""
        self._heard: Heard = []

    @property
    def wrong(self) -> list[str]:
        return [wrong for wrong in self._town.ledger.wrong if SCRIPT_OVER not in wrong]

    def heard(self) -> Heard:
        """All that the viewer is answered."""
        clock = trio.testing.MockClock(autojump_threshold=0)
        with pytest.MonkeyPatch.context() as patch:
            script(self._game, self._turns, patch)
            trio.run(self._main, clock=clock, instruments=[self._town])
        return self._heard

    async def _main(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._town.serve)
            await self._sit_down()
            began = trio.current_time() - TURN_S + 0.5
            for turn, moves in enumerate(self._turns):
                if CHANCE not in moves:
                    began += TURN_S
                    await self._turn(moves, began, is_killed=turn in self._killed)
            nursery.cancel_scope.cancel()

    async def _sit_down(self) -> None:
        new = {"game": self._game, "rules": RULES.get(self._game, {}), "move_time": MOVE_S}
        self._at = f"/api/tables/{(await self._town.surely('POST', '/api/tables', new)).body['id']}"
        for name in NAMES:
            joined = await self._town.surely("POST", f"{self._at}/players", {"nickname": name})
            self._keys[name] = joined.body["key"]
        await self._town.surely("POST", f"{self._at}/start", key=self._keys[NAMES[0]])
        await trio.testing.wait_all_tasks_blocked()

    @property
    def _match(self) -> Any:
        (live,) = self._town.life.house
        return live.match

    def _key(self, seat: Seat | None) -> str | None:
        return None if seat is None else self._keys[self._match.terms.names[seat]]

    async def _turn(self, moves: dict[Seat, Any], began: float, *, is_killed: bool) -> None:
        """The answers, the looks of the viewer between them, and a kill."""
        match = self._match
        times = times_of(match, moves, self._viewer, self._order)
        said = {seat: match.showing.codec.move_json(move) for seat, move in moves.items()}
        happens: list[tuple[float, Any]] = [
            (when + LATER_S if seat == self._viewer else when, seat) for when, seat in times
        ]
        happens += [(when, "look") for when in LOOKS_S]
        if is_killed:
            happens.append((KILL_S, "kill"))
        async with trio.open_nursery() as others:
            for when, what in sorted(happens, key=lambda each: each[0]):
                await trio.sleep(max(0.0, began + when - trio.current_time()))
                if what == "kill":
                    await self._town.restart()
                elif what == "look":
                    await self._look()
                elif what == self._viewer:
                    await self._ask("POST", "/moves", {"move": said[what]}, what)
                else:
                    others.start_soon(self._move, said[what], what)

    async def _move(self, move: Any, seat: Seat) -> None:
        answer = await self._town.ask("POST", f"{self._at}/moves", {"move": move}, self._key(seat))
        assert answer is not None, "it is killed when nobody waits for an answer"
        assert answer.status == 200, answer

    async def _look(self) -> None:
        (live,) = self._town.life.house
        if not live.table.is_playing:
            return  # once it is over everybody may see all of it
        await self._ask("GET", "", None, self._viewer)
        await self._ask("GET", "/rounds/1", None, self._viewer)
        if self._viewer is not None:
            await self._ask("POST", "/moves", {"move": "nonsense"}, self._viewer)

    async def _ask(self, method: str, path: str, body: Any, seat: Seat | None) -> None:
        """Something that the viewer asks, and hears."""
        answer = await self._town.ask(method, self._at + path, body, self._key(seat))
        assert answer is not None, "it is killed when nobody waits for an answer"
        self._heard.append((trio.current_time(), f"{method} {path}", answer.status, answer.octets))


__all__ = ["wrong_twins"]
