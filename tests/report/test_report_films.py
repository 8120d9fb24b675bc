"""Films of a report: small, and each with the moment at which a bot lost most at once."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from replays import SMALL, random_replay

from arena.games import GAMES
from arena.match.game import Seat
from arena.page.film import ACT, HEADING, NEWS, FilmStep, Watcher
from arena.page.report.chosen import Wish
from arena.page.report.films import STEPS_MAX, Turning, film_for, turning_of

ALL, ANN, BOB = 0b1111, 0b0001, 0b0010
"""Who is told a line at a table of two: everybody, or one seat."""
START = FilmStep(-1, 0, (Seat(0),), {}, {}, (), (), (), (), (), ())


def lost(*lost: tuple[int, float], lines: Any = (), fault: str = "") -> FilmStep:
    """A step at which these seats lost so much; a fault is ann's."""
    return attrs.evolve(
        START,
        lost=tuple((Seat(seat), amount) for seat, amount in lost),
        lines=lines,
        times=((Seat(0), 9.0, fault),),
    )


CASES = [
    ("nothing was lost", [START], None),
    ("the most at once", [lost((0, 1)), lost((0, 3)), lost((0, 2))], 1),
    ("of several, the last", [lost((0, 1)), lost((0, 1)), START], 1),
    ("of several, one with a fault", [lost((0, 1)), lost((0, 1), fault="gone"), lost((0, 1))], 1),
    ("more without a fault", [lost((0, 1), fault="gone"), lost((0, 2))], 1),
    ("what others lost", [lost((0, 1)), lost((1, 9))], 0),
]


@pytest.mark.parametrize(("steps", "place"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_where_a_bot_lost_most_at_once(steps: list[FilmStep], place: int | None) -> None:
    found = turning_of(steps, 0, ("ann", "bob"))
    assert place == (found and found.step)


def test_the_moment_in_words() -> None:
    """What was done and what came of it, without what one seat alone was told, the heading, and who passed meanwhile."""
    lines = (
        (ALL, HEADING, -1, "round 3: ann has two dice", ""),
        (ALL, ACT, 1, "bob challenges ann's bid", ""),
        (ALL, ACT, 0, "ann passes", ""),
        (ANN, NEWS, -1, "ann holds 4 4", ""),
        (ALL, NEWS, -1, "ann is out", ""),
    )
    assert "bob challenges ann's bid; ann passes; ann is out" == said_of(lines)
    assert "ann forfeits (malformed); ann is out" == said_of(
        ((ALL, ACT, 0, "ann forfeits", "malformed: no JSON"), (ALL, ACT, 1, "bob passes", ""), lines[-1])
    )


def said_of(lines: Any) -> str:
    found = turning_of([lost((0, 1), lines=lines)], 0, ("ann", "bob"))
    assert isinstance(found, Turning)
    return found.said


@pytest.mark.parametrize("game", list(GAMES))
def test_a_film_of_a_report_is_small_and_holds_the_loss(game: str) -> None:
    """At most STEPS_MAX steps, and among them the largest loss of the whole match; its words are not empty."""
    replay = random_replay(SMALL.get(game) or GAMES[game](), 2, seed=4)
    watcher, drops = Watcher(replay), [0.0]
    for moment in replay.moments():
        drops += [drop for seat, drop in watcher.note(moment).lost if seat == 1]
    film = film_for(replay, Wish("0123456789ab", "why", "bob"))
    assert film.steps <= STEPS_MAX
    if max(drops):
        assert max(drops) == film.turnings["bob"].lost
        assert "bob" in film.turnings["bob"].said
    assert film.largest is not None
    assert film.largest.lost == max(each.lost for each in film.turnings.values())
