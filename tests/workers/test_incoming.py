"""Matches that come from elsewhere: honest ones are all believed, and what cannot be is not booked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio
from crews import enlisting, play_with
from tournaments import FIELD, Fragile, Hopeless, Record, exact, local, opened, play

from arena.tournament.workers import serve
from arena.tournament.workers.hiring import Hiring
from arena.verify.incoming import Incoming

sys.path.append(str(Path(__file__).parent.parent / "cluster"))
from liars import LIES

PLAN = {"series": 2, "seed": 7, "decisions": "all"}
TROUBLE = (*FIELD[:3], local("eve", Hopeless), local("fay", Fragile))


async def played(folder, entrants=FIELD, **plan):
    """A run with workers whose matches are checked; gives the lines for people, and what checked them."""
    with opened(folder / "plan", entrants, **plan) as run:
        incoming = Incoming(run)
    reporter = Record()
    await play_with(
        folder / "out",
        entrants=entrants,
        hiring=Hiring(enlisting(), doubt=incoming.untruth),
        reporter=reporter,
        **plan,
    )
    return reporter, incoming


@pytest.mark.slow
@pytest.mark.parametrize("decisions", ["all", "faults", "none"])
async def test_honest_matches_are_believed(tmp_path, decisions):
    """With faults of every kind, withdrawals and bots that are given up, whatever is kept of decisions."""
    plan = {"series": 6, "withdrawn_after": 2, "faults_max": 3, "restarts_max": 3, "decisions": decisions}
    reporter, incoming = await played(tmp_path, TROUBLE, **plan)
    assert incoming.matches == incoming.checked >= len(reporter.entries)
    assert [] == [line for line in reporter.notes if "another one" in line]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The exact columns of a run in one process."""
    folder = tmp_path_factory.mktemp("whole")
    trio.run(lambda: play(folder, FIELD, **PLAN))
    return exact(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("lie", "told"), [
    ("swaps ranks", "rank: "),
    ("invents luck", "luck_adjusted_returns: "),
    ("invents a move", "move"),
    ("tells of another match", ""),
    ("invents a time", "it took 1e+06 s, and was ordered "),
    ("counts a fault", "seat 0 has other faults than are counted"),
    ("leaves decisions out", "rows of decisions, expected "),
])  # fmt: skip
async def test_a_lie_is_not_booked(lie, told, tmp_path, whole, monkeypatch):
    """The match is played again elsewhere; the run says why in a sentence."""
    honest, lies, before = serve.record_said, [LIES[lie]], []

    def record_said(entry):
        said = honest(entry)
        if before and lies:  # as the second match
            return lies.pop()(said, before)
        before.append(honest(entry))
        return said

    monkeypatch.setattr(serve, "record_said", record_said)
    reporter, _ = await played(tmp_path, **PLAN)
    (line,) = [line for line in reporter.notes if "another one plays its matches again" in line]
    assert "told what cannot be (" in line
    assert told in line
    assert whole == exact(tmp_path / "out")


def test_where_checks_take_all_the_time_a_share_is_drawn(tmp_path, monkeypatch):
    """All at first; some of those that come when a core is busy with checks, which nobody can foresee."""
    with opened(tmp_path, FIELD, **PLAN) as run:
        clock = [0.0]
        incoming = Incoming(run, clock=lambda: clock[0])
    monkeypatch.setattr(incoming, "_first", lambda entry, wait_s: None)
    incoming.untruth(None, 0.0)
    assert (1, 1) == (incoming.matches, incoming.checked)
    assert incoming.summary is None
    incoming._spent_s = 1.0
    for _ in range(2_000):
        incoming.untruth(None, 0.0)
    assert 20 < incoming.checked < 300
    assert "of 2,001 matches from the cluster were checked as they came" in incoming.summary
    clock[0] = 1e6
    before = incoming.checked
    incoming.untruth(None, 0.0)
    assert before + 1 == incoming.checked
