"""Equal information, equal frames: of two matches that differ in what a viewer cannot know, it hears the same.

A match is played at random.  A second one follows it: chance and the others do something else wherever the
viewer is told and asked the same.  Then both are played by packets, with the answers of a turn in another
order and at other times, and every frame that the viewer hears is compared, with its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

import attrs
import pytest
import trio

import arena.server.house
import arena.server.live
from arena.game import CHANCE, Game, IllegalMove, Seat, is_legal
from arena.games import GAMES
from arena.tournament.plan import make_game
from tests.server.halls import a_house
from tests.server.pages import Page, a_room

Turns = list[dict[Seat, Any]]

SEATS = 3
NAMES = ("ann", "bob", "cid")
RULES: dict[str, dict[str, Any]] = {"liars-dice": {"dice": 2, "faces": 3}, "holdem": {"hands": 3}}
STEPS_MAX = 30
SCRIPT_OVER = "the script is over"
TRIES_MAX = 300


def two_matches(game: Game[Any, Any], viewer: Seat | None, luck: Random) -> tuple[Turns, Turns, bool]:
    """The beginnings of two matches of which the viewer knows the same, and whether something differs."""
    states = [game.start(SEATS)] * 2
    played: tuple[Turns, Turns] = ([], [])
    differ = False
    for _ in range(STEPS_MAX):
        if not (asked := game.to_act(states[0])):
            break
        moves = {seat: _any_move(game, states[0], seat, luck) for seat in asked}
        step = game.apply(states[0], moves)
        news = _news(game, step, viewer)
        may_differ = luck.random() < 0.6
        for attempt in range(TRIES_MAX):
            like = dict(moves) if not (may_differ or attempt) else _like(game, states[1], moves, viewer, luck)
            try:
                other = game.apply(states[1], like)
            except IllegalMove:
                continue
            if _news(game, other, viewer) == news:
                break
        else:
            break  # from here on the viewer would be told something else
        for turns, each in zip(played, (moves, like), strict=True):
            turns.append(each)
        states = [step.state, other.state]
        differ |= states[0] != states[1]
    return *played, differ


def _any_move(game: Game[Any, Any], state: Any, seat: Seat, luck: Random) -> Any:
    return game.draw(state, luck) if seat == CHANCE else luck.choice(game.options(state, seat)).sample(luck)


def _news(game: Game[Any, Any], step: Any, viewer: Seat | None) -> Any:
    told = [(event.kind, event.seen_by(viewer)) for event in step.events]
    return [each for each in told if each[1] is not None], game.to_act(step.state)


def _like(
    game: Game[Any, Any], state: Any, moves: Mapping[Seat, Any], viewer: Seat | None, luck: Random
) -> dict[Seat, Any]:
    """Moves that the viewer may not be able to tell from these."""
    found = {}
    for seat, move in moves.items():
        if seat == CHANCE:
            found[seat] = _swapped(move, luck)
        elif seat == viewer or (is_legal(game.options(state, seat), move) and luck.random() < 0.7):
            found[seat] = move
        else:
            found[seat] = _any_move(game, state, seat, luck)
    return found


def _swapped(move: Any, luck: Random) -> Any:
    """A move of chance with some of its values exchanged, all of the same field."""
    name = luck.choice([field.name for field in attrs.fields(type(move))])
    rows = getattr(move, name)
    is_flat = not isinstance(rows[0], tuple)
    leaves = list(rows) if is_flat else [leaf for row in rows for leaf in row]
    for _ in range(luck.randint(1, 3)):
        one, other = luck.randrange(len(leaves)), luck.randrange(len(leaves))
        leaves[one], leaves[other] = leaves[other], leaves[one]
    values = iter(leaves)
    swapped = tuple(leaves) if is_flat else tuple(tuple(next(values) for _ in row) for row in rows)
    return attrs.evolve(move, **{name: swapped})


async def heard(
    game: str, turns: Turns, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch, order: Random
) -> list[tuple[float, str]]:
    """What the viewer hears of a match, with the times; everything that is drawn is the same each time."""
    numbers = count(1)
    for module in (arena.server.house, arena.server.live):
        monkeypatch.setattr(module, "uuid4", lambda: UUID(int=next(numbers)))
    monkeypatch.setattr(arena.server.live, "new_key", lambda: f"key-{next(numbers)}")
    monkeypatch.setattr(GAMES[game], "draw", _scripted(turns))
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
                await _answer(pages, match.terms.names, said, viewer, order)
        wire = (watcher if viewer is None else pages[match.terms.names[viewer]]).wire
        await trio.testing.wait_all_tasks_blocked()
    assert all(SCRIPT_OVER in bug for bug in bugs), bugs
    assert not [frame for frame in wire.frames if '"ActionFailed"' in frame]
    return list(zip(wire.times, wire.frames, strict=True))


def _scripted(turns: Turns) -> Callable[[Any, Any, Random], Any]:
    """Draws what chance did in these turns; after them the match is broken off."""
    chance: Iterator[Any] = (moves[CHANCE] for moves in turns if CHANCE in moves)

    def draw(self: Any, state: Any, rng: Random) -> Any:
        for move in chance:
            return move
        raise AssertionError(SCRIPT_OVER)

    return draw


async def _answer(
    pages: dict[str, Page], names: tuple[str, ...], moves: dict[Seat, Any], viewer: Seat | None, order: Random
) -> None:
    """The viewer answers after a second; the others in any order, the last of them after two."""
    others = [seat for seat in moves if seat != viewer]
    order.shuffle(others)
    times = {seat: order.randrange(1, 16) / 8 for seat in others} | dict.fromkeys(others[-1:], 2.0)
    if viewer in moves:
        times[viewer] = 1.0
    now = 0.0
    for seat in sorted(times, key=lambda seat: times[seat]):
        await trio.sleep(times[seat] - now)
        now = times[seat]
        pages[names[seat]].say("Move", move=moves[seat])
    for page in pages.values():
        if viewer is None or page.name != names[viewer]:
            page.sync()  # what others ask is no business of the viewer


def heard_of(
    game: str, turns: Turns, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch, order: Random
) -> list[tuple[float, str]]:
    """The same, in virtual time that begins at 0."""
    with monkeypatch.context() as patch:
        clock = trio.testing.MockClock(autojump_threshold=0)
        return trio.run(heard, game, turns, viewer, patch, order, clock=clock)


@pytest.mark.slow
@pytest.mark.parametrize("viewer", [Seat(0), Seat(1), None], ids=["first", "second", "spectator"])
@pytest.mark.parametrize("game", GAMES)
def test_equal_information_gives_equal_frames(
    game: str, viewer: Seat | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = make_game(GAMES[game], RULES.get(game, {}))
    compared = 0
    for number in range(12):
        one, other, differ = two_matches(rules, viewer, Random(f"{game} {viewer} {number}"))
        if not differ:
            continue
        compared += 1
        told, instead = [
            heard_of(game, turns, viewer, monkeypatch, Random(number))
            for number, turns in enumerate((one, other))
        ]
        for first, second in zip(told, instead, strict=True):
            assert first == second
        assert len(told) > len(one)
    assert compared >= 3, "the matches differ in what is hidden"
