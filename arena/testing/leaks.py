"""Equal information, equal view: a walk through a tiny game that finds what anybody could see or compute."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import comb, prod
from random import Random
from typing import Any

import attrs

from arena.game import (
    CHANCE,
    Between,
    Domain,
    Game,
    OneOf,
    Option,
    Seat,
)
from arena.record import Turn
from arena.testing.values import hashable

BRANCHES_MAX = 256
"""Ways on from one history that the leak test walks; where there are more, so many at random."""


@attrs.frozen
class Tiny:
    """A configuration whose histories are few enough to be walked, for the leak test."""

    game: Game[Any, Any]
    seats: int = 2
    draws: int = 64
    """How many times chance is asked at each of its turns; equal moves count once."""
    luck: Callable[[Any], Iterable[Any]] | None = None
    """Instead: all the moves that chance may make in a state, where drawing would meet too few that differ
    for one seat only."""
    histories_max: int = 3000
    """Every history is walked as long as there are fewer; then one continuation of each, chosen at random."""


# Equal information, equal view.


@attrs.frozen
class _History:
    """A state, and for each seat and the spectators (None) the number of what they know of how it came."""

    state: Any
    known: Mapping[Seat | None, int]


def check_leaks(tiny: Tiny, rng: Random) -> None:
    """Who was told the same sees and may do the same; who is asked follows from what everyone was told."""
    told = _Told()
    shown: dict[tuple[str, int, Seat | None], tuple[Any, Any]] = {}
    compared = 0
    for history in _histories(tiny, told, rng):
        for what, known, seat, view in _views(tiny.game, history):
            first, before = shown.setdefault((what, known, seat), (view, history.state))
            who = "a spectator" if seat is None else f"seat {int(seat)}"
            assert first == view, (
                f"{what} tells {who} more than it was told: "
                f"{first} in {before}, but {view} in {history.state}"
            )
            compared += before != history.state and seat is not None
    assert compared, (
        "the leak test compared nothing: in its tiny configuration no seat ever knew the same of two states; "
        "pass a smaller one, or one with `luck`"
    )


def _views(game: Game[Any, Any], history: _History) -> Iterator[tuple[str, int, Seat | None, Any]]:
    """What must not differ for equal information: (what, number of the information, seat, view)."""
    asked = game.to_act(history.state)
    yield "to_act", history.known[None], None, asked
    for seat, known in history.known.items():
        yield "observe", known, seat, game.observe(history.state, seat)
        if seat in asked:
            yield "options", known, seat, game.options(history.state, seat)


class _Told:
    """Numbers for what somebody was told: equal numbers, equal news in equal order."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def more(self, known: int, news: Any) -> int:
        """The number of knowing `news` after all that `known` stands for."""
        return self._numbers.setdefault((known, hashable(news)), len(self._numbers) + 1)


def _histories(tiny: Tiny, told: _Told, rng: Random) -> Iterator[_History]:
    """The histories of the tiny game: all of them while they are few, then a random continuation of each."""
    known: dict[Seat | None, int] = dict.fromkeys((None, *map(Seat, range(tiny.seats))), 0)
    waiting = deque([_History(tiny.game.start(tiny.seats), known)])
    met = 1
    while waiting:
        history = waiting.popleft()
        yield history
        turns = _turns(tiny, history.state, rng, at_most=BRANCHES_MAX if met < tiny.histories_max else 1)
        after = [_after(tiny.game, history, moves, told) for moves in turns]
        distinct = {hashable(each): each for each in after}
        met += len(distinct)
        waiting.extend(distinct.values())


def _turns(tiny: Tiny, state: Any, rng: Random, at_most: int) -> list[Turn]:
    """What can be done in a state, failing to answer included: all of it, or so many ways at random."""
    game = tiny.game
    asked = game.to_act(state)
    if not asked:
        return []
    if asked == (CHANCE,):
        luck = (
            tiny.luck(state) if tiny.luck else [game.draw(state, Random(draw)) for draw in range(tiny.draws)]
        )
        each = [list(dict.fromkeys(luck))]
    else:
        each = [
            [*_moves(game.options(state, seat), rng, at_most), game.default(state, seat)] for seat in asked
        ]
    if prod(map(len, each)) <= at_most:
        return [dict(zip(asked, moves, strict=True)) for moves in product(*each)]
    return [dict(zip(asked, map(rng.choice, each), strict=True)) for _ in range(at_most)]


def _moves(options: Sequence[Option], rng: Random, at_most: int) -> list[Any]:
    """Every move that the options contain (Subsets in one order), or so many of each at random."""
    moves = []
    for option in options:
        if prod(map(_size, option.fields.values())) <= at_most:
            each = product(*map(_values, option.fields.values()))
            moves += [option.move(**dict(zip(option.fields, values, strict=True))) for values in each]
        else:
            moves += [option.sample(rng) for _ in range(at_most)]
    return moves


def _size(domain: Domain) -> int:
    """How many values a domain has."""
    if isinstance(domain, Between):
        return domain.high - domain.low + 1
    if isinstance(domain, OneOf):
        return len(domain.values)
    return sum(comb(len(domain.of), size) for size in range(domain.least, domain.most + 1))


def _values(domain: Domain) -> list[Any]:
    if isinstance(domain, Between):
        return list(range(domain.low, domain.high + 1))
    if isinstance(domain, OneOf):
        return list(domain.values)
    sizes = range(domain.least, domain.most + 1)
    return [chosen for size in sizes for chosen in combinations(domain.of, size)]


def _after(game: Game[Any, Any], history: _History, moves: Turn, told: _Told) -> _History:
    """The history one turn longer: everyone knows its own answer, and what the events tell it."""
    step = game.apply(history.state, moves)
    known = {}
    for seat, before in history.known.items():
        news: list[Any] = [("answered", moves[seat])] if seat is not None and seat in moves else []
        for event in step.events:
            payload = event.seen_by(seat)
            if payload is not None:
                news.append((event.kind, payload))
        known[seat] = told.more(before, tuple(news)) if news else before
    return _History(step.state, known)
