"""Two matches of which a viewer knows the same, and that differ in what it cannot know.

A match is played at random.  A second one follows it: chance and the others do something else wherever the
viewer is told and asked the same.
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
import trio.testing

import arena.server.open_tables
import arena.server.tables.gathering
from arena.games import GAMES
from arena.match.game import CHANCE, Game, IllegalMove, Seat, is_legal
from arena.server.tables.played_match import PlayedMatch
from arena.tournament.plan import make_game

Turns = list[dict[Seat, Any]]

SEATS = 3
NAMES = ("ann", "bob", "cid")
VIEWERS = (("first", Seat(0)), ("second", Seat(1)), ("spectator", None))
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


def script(game: str, turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chance does what it did in these turns, and ids and keys are the same in every match."""
    numbers = count(1)
    for module in (arena.server.open_tables, arena.server.tables.gathering):
        monkeypatch.setattr(module, "uuid4", lambda: UUID(int=next(numbers)))
    monkeypatch.setattr(arena.server.tables.gathering, "new_key", lambda: f"key-{next(numbers)}")
    monkeypatch.setattr(GAMES[game], "draw", _scripted(turns))


def times_of(
    match: PlayedMatch, moves: dict[Seat, Any], viewer: Seat | None, order: Random
) -> list[tuple[float, Seat]]:
    """When each answers: the viewer after a second, the others in any order, the last of them after two.

    Whoever must answer, while others may stay silent, does so after half a second, which all may know.
    """
    game, state = match.game, match.state
    silent = [seat for seat in moves if game.may_be_silent(game.options(state, seat))]
    leads = [seat for seat in moves if silent and seat not in silent]
    others = [seat for seat in moves if seat != viewer and seat not in leads]
    order.shuffle(others)
    times = {seat: order.randrange(1, 16) / 8 for seat in others} | dict.fromkeys(others[-1:], 2.0)
    times |= dict.fromkeys(leads, 0.5)
    if viewer is not None and viewer in moves:
        times[viewer] = 1.0
    return sorted(((when, seat) for seat, when in times.items()), key=lambda each: each[0])


def _scripted(turns: Turns) -> Callable[[Any, Any, Random], Any]:
    """Draws what chance did in these turns; after them the match is broken off."""
    chance: Iterator[Any] = (moves[CHANCE] for moves in turns if CHANCE in moves)

    def draw(self: Any, state: Any, rng: Random) -> Any:
        for move in chance:
            return move
        raise AssertionError(SCRIPT_OVER)

    return draw


def twins_heard(
    game: str,
    viewer: Seat | None,
    monkeypatch: pytest.MonkeyPatch,
    heard: Callable[..., Any],
    *,
    least: int = 3,
    most: int = 12,
) -> Iterator[tuple[Turns, list[Any], list[Any]]]:
    """Of each pair of such matches the first one's turns, and what the viewer is told of it and of the other.

    `heard(game, turns, viewer, patch, order)` plays a match and gives what it is told, in virtual time from 0.
    """
    rules = make_game(GAMES[game], RULES.get(game, {}))
    compared = 0
    for number in range(12):
        one, other, differ = two_matches(rules, viewer, Random(f"{game} {viewer} {number}"))
        if not differ or compared == most:
            continue
        compared += 1
        told = []
        for place, turns in enumerate((one, other)):
            with monkeypatch.context() as patch:
                clock = trio.testing.MockClock(autojump_threshold=0)
                told.append(trio.run(heard, game, turns, viewer, patch, Random(place), clock=clock))
        yield one, told[0], told[1]
    assert compared >= least, "the matches differ in what is hidden"
