"""A small class that every change must pass, the whole one at night, and that the checks see what they should."""

from __future__ import annotations

import attrs
import pytest

import arena.tournament.folder.writer
from arena.store import Store

from ..network import Trace
from ..run import workspace
from ..stand_ins import patched
from . import process
from .checks import wrong_matches, wrong_states
from .leagues import CLASSES, WHOLE_CLASSES, play_class
from .world import HOUR_S, ClassOwner, ClassWorld, PlannedHandIn, draw_whole_class

DAILY = 13
"""The seed of a class in which both halves are killed, the disk is full, a bot is excluded, and the host pauses."""
WORLDS = 40
SLEEPER_MAX = 0.1
"""The most that a sleeper may cost the others of their matches."""


@pytest.mark.slow
def test_a_class_goes_well():
    """Both halves are killed, the disk is full, and nothing is lost, played twice or charged to somebody else."""
    outcome = CLASSES.simulate(DAILY)
    assert [] == outcome.wrong
    assert {"server killed", "process killed", "league's disk full"} <= outcome.counts.keys()


@pytest.mark.slow
@pytest.mark.nightly
def test_no_class_fails():
    """None of the swarm, and all the trouble there is has occurred in some of them."""
    failed: list[str] = []
    counts = CLASSES.simulate_all(range(WORLDS), lambda outcome: failed.append(str(outcome)))
    assert not failed, "\n\n".join(failed)
    assert [] == CLASSES.missing(counts)


@pytest.mark.slow
@pytest.mark.nightly
def test_the_whole_class_goes_well():
    """Forty owners, two hundred hand-ins, and a kill of one half in each of six hours."""
    outcome = WHOLE_CLASSES.simulate(0)
    assert [] == outcome.wrong


@pytest.mark.slow
@pytest.mark.nightly
def test_a_class_is_the_whole_of_its_seed():
    assert CLASSES.simulate(DAILY).digest == CLASSES.simulate(DAILY).digest


@pytest.mark.slow
@pytest.mark.nightly
def test_a_sleeper_costs_the_others_little():
    """Of their matches, beside the same class in which it plays as the others do, within one epoch.

    If time is not shared, it costs them 28 %.  In epochs of an hour and a half it costs them 22 %: each begins
    with what may be saved, and its end waits for the sleeper's open series.
    """
    beside = {habit: _matches_of_others(habit) for habit in ("good", "sleeper")}
    assert beside["sleeper"] >= (1 - SLEEPER_MAX) * beside["good"]


def _matches_of_others(habit: str) -> int:
    """How many matches nineteen owners played among themselves beside one with this habit, in four hours."""
    owners = tuple(
        ClassOwner(
            f"owner {number:02}",
            float(number),
            (PlannedHandIn(60.0 + number, habit if number == 0 else "good", 4.0),),
            None,
            None,
        )
        for number in range(20)
    )
    world = _calm(attrs.evolve(draw_whole_class(0), hours=4.0, owners=owners, tables=4))
    with workspace() as root, patched(process, MOVE_S=60.0, EPOCH_PART=10.0):
        school = play_class(world, root / "data", Trace())
        assert [] == school.wrong
        with Store.open(school.results) as store:
            return sum("b1@1" not in match.bots for match in store.matches())


def _calm(world: ClassWorld) -> ClassWorld:
    """The world without anything that befalls it."""
    return attrs.evolve(
        world, kills=(), excludes_at=None, pauses_at=None, slow_s=0.0, full_at=(), faults=0.0, seed=1
    )


@pytest.fixture
def school():
    """A calm class of three, and the rest of its day."""
    owners = tuple(
        ClassOwner(f"owner {number}", float(number), (PlannedHandIn(20.0, "good", 1.0),), None, None)
        for number in range(3)
    )
    world = attrs.evolve(draw_whole_class(0), hours=100 / HOUR_S, owners=owners, batch_s=15.0)
    with workspace() as root:
        yield play_class(_calm(world), root / "data", Trace())


def _change(school, *statements):
    with Store.open(school.results, write=True) as store:
        for statement in statements:
            store.connection.execute(statement)


@pytest.mark.slow
def test_what_must_not_be_is_seen(school):
    """A match that is lost, begun again, of one owner's bots, a fault of nobody's, a version that still waits."""
    assert [] == [*school.wrong, *wrong_matches(school), *wrong_states(school)]
    school.books.note_begun(min(school.books.kept))
    school.books.kept.add("another")
    _change(
        school,
        "UPDATE seats SET illegal = 1 WHERE match = 1 AND seat = 0",
        "UPDATE seats SET bot = CASE seat WHEN 0 THEN 'b1@1' ELSE 'b2@1' END WHERE match = 2",
    )
    live = school.life.leagues.find("class")
    first, *others = live.league.entries.values()
    for entry in others:
        live.league = live.league.with_entry(attrs.evolve(entry, owner=first.owner))
    live.league = live.league.with_version(first, attrs.evolve(first.versions[0], state="checking"))
    said = "\n".join([*wrong_matches(school), *wrong_states(school)])
    for part in (
        "are lost",
        "begun again",
        "is charged with {'illegal'}",
        "of one owner",
        "is checking still",
    ):
        assert part in said


@pytest.mark.slow
@pytest.mark.nightly
def test_a_writer_that_loses_a_match_is_found():
    """The defect put back: a match that is said to be kept and is not."""
    write_changes = arena.tournament.folder.writer.write_changes

    def lossy(store, changes):
        write_changes(store, changes)
        if store.last_number() > 20:
            store.connection.execute("DELETE FROM matches WHERE number = 7")

    with patched(arena.tournament.folder.writer, write_changes=lossy):
        assert CLASSES.simulate(DAILY).wrong
