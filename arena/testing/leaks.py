"""Walks through a tiny game and finds where anybody is told or shown too much.

Two rules, each the converse of the other:

- Seats that were told the same observe the same and may do the same; who is asked follows from public events.
- Seats that observed the same, including the observation after an event, and answered the same were told
  the same, except for the kinds of events that the game `reveals`.

With the first rule alone an event could give a hand away: all would be shown what they were told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product, zip_longest
from math import prod
from random import Random
from typing import Any

import attrs

from arena.match.game import CHANCE, Game, Option, Seat, Told, moves_of
from arena.match.information import told_to
from arena.match.record import Turn
from arena.testing.values import hashable

BRANCHES_MAX = 256
"""How many continuations of one history the leak test walks; if there are more, this many at random."""


@attrs.frozen
class Tiny:
    """A configuration whose histories are few enough to be walked, for the leak test."""

    game: Game[Any, Any]
    seats: int = 2
    draws: int = 64
    """How many times chance is asked at each of its turns; equal moves count once."""
    luck: Callable[[Any], Iterable[Any]] | None = None
    """Used instead of drawing: returns all moves that chance may make in a state, for games in which draws
    would too rarely differ for one seat only."""
    histories_max: int = 3000
    """How many histories are walked with all their continuations; then one at random of each."""


# Equal information, equal view.


@attrs.frozen
class _History:
    """A state, and numbers for what each seat and the spectators (None) know about how it came about."""

    state: Any
    known: Mapping[Seat | None, int]
    """What each was told and answered."""
    seen: Mapping[Seat | None, int]
    """What each observed and answered."""


def check_leaks(tiny: Tiny, rng: Random) -> None:
    """Checks both rules above: seats that were told the same see and may do the same, and the converse."""
    told = _Told(tiny.game)
    shown: dict[tuple[str, int, Seat | None], tuple[Any, Any]] = {}
    compared = 0
    for history in _histories(tiny, told, rng):
        for what, known, seat, view in _views(tiny.game, history):
            first, before = shown.setdefault((what, known, seat), (view, history.state))
            assert first == view, (
                f"{what} tells {_name(seat)} more than it was told: "
                f"{first} in {before}, but {view} in {history.state}"
            )
            compared += before != history.state and seat is not None
    # Last: an observation that shows something other than was told breaks both rules, and is the cause.
    assert told.complaint is None, told.complaint
    assert compared, (
        "the leak test compared nothing: in its tiny configuration no seat ever knew the same of two states; "
        "pass a smaller one, or one with `luck`"
    )


def _views(game: Game[Any, Any], history: _History) -> Iterator[tuple[str, int, Seat | None, Any]]:
    """What must not differ for equal information: (what, number of the information, seat, view)."""
    asked = game.to_act(history.state)
    yield "to_act", history.known[None], None, asked
    yield "eliminated", history.known[None], None, game.eliminated(history.state)
    yield "holdings", history.known[None], None, game.holdings(history.state)
    for seat, known in history.known.items():
        yield "observe", known, seat, game.observe(history.state, seat)
        if seat in asked:
            yield "options", known, seat, game.options(history.state, seat)


def _name(seat: Seat | None) -> str:
    return "a spectator" if seat is None else f"seat {int(seat)}"


class _Told:
    """Numbers for what somebody was told or shown: equal numbers mean equal things in the same order."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game = game
        self._numbers: dict[Any, int] = {}
        self._observed: dict[tuple[Seat | None, int], int] = {}
        self._first: dict[tuple[Seat | None, int], tuple[int, tuple[Told, ...], Any]] = {}
        self.complaint: str | None = None
        """A sentence about the first event that told too much, or None."""

    def more(self, known: int, news: Any) -> int:
        """The number that stands for knowing `news` after everything that `known` stands for."""
        try:
            return self._numbers.setdefault((known, news), len(self._numbers) + 1)
        except TypeError:  # holds mappings; testing for them first would cost more than all the rest
            return self._numbers.setdefault((known, hashable(news)), len(self._numbers) + 1)

    def seen(self, seat: Seat | None, before: int, answer: Any, known: int, state: Any) -> int:
        """The number for observing this state and giving this answer after all that `before` stands for.

        Seats told the same observe the same (otherwise `check_leaks` fails), so one observation for each
        number of what was told is enough.
        """
        observed = self._observed.get((seat, known))
        if observed is None:
            observed = self.more(-1, self._game.observe(state, seat))
            self._observed[seat, known] = observed
        return self._numbers.setdefault((before, answer, observed), len(self._numbers) + 1)

    def compare(self, seat: Seat | None, seen: int, known: int, news: tuple[Told, ...], state: Any) -> None:
        """Complains if somebody who had seen the same was told something else before."""
        first_known, first, before = self._first.setdefault((seat, seen), (known, news, state))
        if first_known == known or self.complaint:
            return
        one, other = ([each for each in news if each[0] not in self._game.reveals] for news in (first, news))
        if one != other:
            told, instead = next((a, b) for a, b in zip_longest(one, other) if a != b)
            kind = (told or instead or ("",))[0]
            self.complaint = (
                f"the event {kind} tells {_name(seat)} what no observation says: {_payload(told)} before "
                f"{before}, but {_payload(instead)} before {state}, though it observed and answered the same;"
                f" only the kinds of events in `reveals` may do that, here {sorted(self._game.reveals)}"
            )


def _payload(told: Told | None) -> str:
    return "nothing" if told is None else f"{told.payload}"


def _histories(tiny: Tiny, told: _Told, rng: Random) -> Iterator[_History]:
    """The histories of the tiny game: all while they are few, then a random continuation of each."""
    game, start = tiny.game, tiny.game.start(tiny.seats)
    nothing: dict[Seat | None, int] = dict.fromkeys((None, *map(Seat, range(tiny.seats))), 0)
    seen = {seat: told.seen(seat, 0, None, 0, start) for seat in nothing}
    waiting = deque([_History(start, nothing, seen)])
    met = 1
    while waiting:
        history = waiting.popleft()
        yield history
        turns = _turns(tiny, history.state, rng, at_most=BRANCHES_MAX if met < tiny.histories_max else 1)
        # Histories that lead to the same state, with everybody told the same, count as one.
        distinct = {}
        for moves in turns:
            step = game.apply(history.state, moves)
            news = {seat: told_to(step.events, seat) for seat in history.known}
            known = {seat: _known(told, seat, before, moves, news) for seat, before in history.known.items()}
            distinct[step.state, tuple(known.values())] = (moves, step.state, news, known)
        met += len(distinct)
        waiting.extend(_after(told, history, *each) for each in distinct.values())


def _known(
    told: _Told, seat: Seat | None, before: int, moves: Turn, news: Mapping[Seat | None, tuple[Told, ...]]
) -> int:
    """The number that stands for what a seat was told and answered, this turn included."""
    answered = (("answered", moves[seat]),) if seat is not None and seat in moves else ()
    return told.more(before, answered + news[seat]) if answered or news[seat] else before


def _after(
    told: _Told,
    history: _History,
    moves: Turn,
    state: Any,
    news: Mapping[Seat | None, tuple[Told, ...]],
    known: Mapping[Seat | None, int],
) -> _History:
    """The history extended by one turn, after comparing what the turn's events told."""
    seen = {}
    for seat, before in history.seen.items():
        answer = moves.get(seat) if seat is not None else None
        seen[seat] = told.seen(seat, before, answer, known[seat], state)
        told.compare(seat, seen[seat], known[seat], news[seat], state)
    return _History(state, known, seen)


def _turns(tiny: Tiny, state: Any, rng: Random, at_most: int) -> list[Turn]:
    """All turns possible in a state, failures to answer included, or `at_most` of them at random."""
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
    """Every move that the options contain (Subsets in one order), or `at_most` of each at random."""
    moves: list[Any] = []
    for option in options:
        every = moves_of((option,), at_most)
        moves += [option.sample(rng) for _ in range(at_most)] if every is None else every
    return moves
