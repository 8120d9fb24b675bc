"""Equal information, equal frames: of two matches that differ in what a viewer cannot know, it hears the same.

Both are played by packets, with the answers of a turn in another order and at other times, and every frame that
the viewer hears is compared, with its time.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import trio
from daily import crossed

from arena.games import GAMES
from arena.match.game import CHANCE, Seat
from arena.server.tables.played_match import PlayedMatch
from tests.server.halls import a_house
from tests.server.pages import Page, a_room
from tests.server.twins import NAMES, RULES, SCRIPT_OVER, VIEWERS, Turns, script, times_of, twins_heard


async def heard(
    game: str, turns: Turns, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch, order: Random
) -> list[tuple[float, str]]:
    """What the viewer hears of a match, with the times; everything that is drawn is the same each time."""
    script(game, turns, monkeypatch)
    bugs: list[str] = []
    async with a_house(note_bug=bugs.append) as house:
        room = a_room(house, game, 10_000.0, **RULES.get(game, {}))
        pages = {name: Page(room).join(name) for name in NAMES}
        watcher = Page(room)
        pages["ann"].say("StartGame")
        await trio.testing.wait_all_tasks_blocked()
        match = room.live.match
        assert match is not None
        for moves in turns:
            if CHANCE not in moves:
                await trio.testing.wait_all_tasks_blocked()
                await trio.sleep(3.5 if match.is_paused else 0.0)
                said = {seat: match.showing.codec.move_json(move) for seat, move in moves.items()}
                await _answer(pages, match, said, viewer, order)
        wire = (watcher if viewer is None else pages[match.terms.names[viewer]]).wire
        await trio.testing.wait_all_tasks_blocked()
    assert all(SCRIPT_OVER in bug for bug in bugs), bugs
    assert not [frame for frame in wire.frames if '"ActionFailed"' in frame]
    return list(zip(wire.times, wire.frames, strict=True))


async def _answer(
    pages: dict[str, Page], match: PlayedMatch, moves: dict[Seat, Any], viewer: Seat | None, order: Random
) -> None:
    """Each at its time; then the others ask for the state, which is no business of the viewer."""
    now, names = 0.0, match.terms.names
    for when, seat in times_of(match, moves, viewer, order):
        await trio.sleep(when - now)
        now = when
        pages[names[seat]].say("Move", move=moves[seat])
    for page in pages.values():
        if viewer is None or page.name != names[viewer]:
            page.sync()


@pytest.mark.slow
@pytest.mark.parametrize(("game", "viewer"), crossed(GAMES, VIEWERS))
def test_equal_information_gives_equal_frames(
    game: str, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one, told, instead in twins_heard(game, viewer, monkeypatch, heard):
        for first, second in zip(told, instead, strict=True):
            assert first == second
        assert len(told) > len(one)
