"""Equal information, equal frames: of two matches that differ in what a viewer cannot know, its page hears the same.

Answers of a turn come in another order and at other times; every frame is compared, with its time, and what a page
that comes late is told at the end.
"""

from __future__ import annotations

import json
from random import Random

import pytest
import trio
import trio.testing
from daily import crossed

from arena.games import GAMES
from arena.match.game import CHANCE, Seat
from tests.server.halls import a_house
from tests.server.scene_pages import ScenePage, a_scene_room
from tests.server.twins import NAMES, RULES, SCRIPT_OVER, VIEWERS, Turns, script, times_of, twins_heard

Heard = list[tuple[float, str]]


async def heard(
    game: str, turns: Turns, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch, order: Random
) -> Heard:
    """What the viewer's page hears, and then another page of the same viewer; luck is the same each time."""
    script(game, turns, monkeypatch)
    bugs: list[str] = []
    async with a_house(note_bug=bugs.append) as house, trio.open_nursery() as nursery:
        room = a_scene_room(house, game, 10_000.0, **RULES.get(game, {}))
        live = room.live
        members = dict(live.join(name) for name in NAMES)
        keys = {member.player_id: key for member, key in members.items()}
        live.begin(next(iter(members)))
        await trio.testing.wait_all_tasks_blocked()
        match = live.match
        assert match is not None
        key = None if viewer is None else keys[match.terms.seating[viewer]]
        page = await ScenePage(room, nursery).looks(key)
        for moves in turns:
            if CHANCE not in moves:
                await trio.testing.wait_all_tasks_blocked()
                await trio.sleep(3.5 if match.is_paused else 0.0)
                now = 0.0
                for when, seat in times_of(match, moves, viewer, order):
                    await trio.sleep(when - now)
                    now = when
                    said = json.loads(json.dumps(match.showing.codec.move_json(moves[seat])))
                    live.play(live.holder(keys[match.terms.seating[seat]]), said)
        await trio.testing.wait_all_tasks_blocked()
        late = await ScenePage(room, nursery).looks(key)
        told = [
            each
            for wire in (page.wire, late.wire)
            for each in zip(wire.times, wire.frames, strict=True)
            if '"bye"' not in each[1]
        ]
        nursery.cancel_scope.cancel()
    assert all(SCRIPT_OVER in bug for bug in bugs), bugs
    return told


@pytest.mark.slow
@pytest.mark.parametrize(("game", "viewer"), crossed(GAMES, VIEWERS))
def test_equal_information_gives_equal_films(
    game: str, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one, told, instead in twins_heard(game, viewer, monkeypatch, heard, least=3, most=3):
        for first, second in zip(told, instead, strict=True):
            assert first == second
        assert len(told) > len(one) / 2
