"""Runs on a Dask cluster of real processes, of which one is killed in the middle."""

from __future__ import annotations

import signal
from importlib.util import find_spec

import pytest
from clusters import DaskCluster, heard, last_heard
from daily import nightly
from golden.bots import STOP
from golden.keeping import first_difference, golden, kept
from golden.plans import TOURNAMENTS, Leg
from golden.run import bring_bots, tables_in

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="no Dask: runs on a cluster were not tested"
)


@pytest.fixture
def cluster(tmp_path_factory):
    """Two workers: one stops when its first match begins, and the other is killed when its fourth one does.

    Together they would race: a quick one may play all that there is before its neighbour has begun four matches.
    """
    made = DaskCluster(tmp_path_factory.mktemp("dask"))
    try:
        made.add_worker(**{STOP: "SIGSTOP 1 parent"})
        made.add_worker(**{STOP: "SIGKILL 4 parent"})
        assert made.has_all()
        yield made
    finally:
        made.close()


AT_ONCE = [("until", "holdem-2"), *nightly(("until", "withdrawn-when-gone", "holdem-2"))]
"""The last one has twelve matches, of which a worker that stops at its first one has two at most."""


@pytest.mark.slow
@pytest.mark.parametrize("names", AT_ONCE, ids=" ".join)
def test_a_cluster_that_loses_a_worker_plays_the_same(names, cluster, tmp_path):
    """Tournaments of several kinds at once: exact columns are as ever, no match is there twice, no process stays."""
    tournaments = [one for one in TOURNAMENTS if one.name in names]
    runs = {}
    for tournament in tournaments:
        home = tmp_path / tournament.name
        home.mkdir()
        bring_bots(home)
        runs[tournament.name] = cluster.arena(*tournament.argv(home, "out"), cwd=home)
    _, waits, doomed = cluster.processes
    assert cluster.goes_on_when_lost(waits, doomed, list(runs.values())), "nothing was stopped"
    assert -signal.SIGKILL == doomed.poll()
    said = {name: last_heard(run) for name, run in runs.items()}
    if failed := [name for name, run in runs.items() if run.returncode not in Leg().codes]:
        pytest.fail(f"{failed}: {said[failed[0]]}", pytrace=False)
    for tournament in tournaments:
        told = first_difference(golden(tournament), kept(tables_in(tmp_path / tournament.name / "out")))
        assert told is None, f"{tournament.name}: {told}; {said[tournament.name]}"
    assert [] == cluster.others()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_cluster_that_loses_all_its_workers_is_waited_for(tmp_path):
    """With a message; the run goes on when one comes."""
    (tournament,) = (one for one in TOURNAMENTS if one.name == "bluff-2")
    bring_bots(tmp_path)
    cluster = DaskCluster(tmp_path)
    try:
        cluster.add_worker(**{STOP: "SIGKILL 2 parent"})
        assert cluster.has_all()
        words = [word for word in tournament.argv(tmp_path, "out") if word != "--quiet"]
        run = cluster.arena(*words, cwd=tmp_path)
        said = heard(run, "has no workers: waiting for one")
        cluster.add_worker()
        said += last_heard(run)
        assert 0 == run.returncode, said
        assert first_difference(golden(tournament), kept(tables_in(tmp_path / "out"))) is None
        assert [] == cluster.others()
    finally:
        cluster.close()
