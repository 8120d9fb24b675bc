"""The swarm that every change must pass, that a seed is a whole run, and that the checks see what they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from daily import nightly

from arena.store import Store

from .checks import differences, exact, wrong_in
from .network import Trace
from .run import play_calmly, workspace
from .tournaments import TOURNAMENTS
from .transcripts import wrong_transcripts

DAILY = (*range(8), 13, 15, 16, 22, 23, 27, 28, 35)
"""Of the forty seeds those with which, in a third of the time, all the trouble there is occurs at every change."""
RUNS = 40
"""Few, so that the suite stays quick; `python -m tests.simulate --worlds 10000` plays as many as one likes."""
QUIET = 7
"""A seed whose world has full-protocol bots that are asked something."""


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [DAILY, *nightly(range(RUNS))], ids=["daily", "forty"])
def test_no_run_fails(seeds):
    """None of the swarm, and all the trouble there is has occurred in some of them."""
    failed: list[str] = []
    counts = TOURNAMENTS.simulate_all(seeds, lambda outcome: failed.append(str(outcome)))
    assert not failed, "\n\n".join(failed)
    assert [] == TOURNAMENTS.missing(counts)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [(3, 5), *nightly((3, 5, 8))], ids=len)
def test_a_seed_is_the_whole_run(seeds):
    """The same seed gives the same bytes at the same moments, in another process and in another order of sets."""
    here = [TOURNAMENTS.simulate(seed).digest for seed in seeds]
    assert here[:1] == [TOURNAMENTS.simulate(seed).digest for seed in seeds[:1]]
    for hash_seed, (seed, digest) in enumerate(zip(seeds, here, strict=True)):
        there = subprocess.run(
            [sys.executable, "-m", "tests.simulate", "--one", str(seed)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent.parent.parent,
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed + 1)},
        ).stdout
        assert [digest] == re.findall(r"^digest (\w+)$", there, re.MULTILINE)


@pytest.fixture
def calm():
    """A world that was played without trouble."""
    with workspace() as root:
        yield play_calmly(TOURNAMENTS.draw(QUIET), root / "calm", Trace())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE seats SET rank = rank + 1 WHERE match = 1 AND seat = 0", "the tables say"),
        ("UPDATE seats SET points = 0.9", "the tables say"),
        ("UPDATE matches SET turns = turns + 1 WHERE number = 1", "turns, its moves are"),
        ("UPDATE seats SET illegal = illegal + 1 WHERE match = 1 AND seat = 0", "is charged with"),
        ("UPDATE matches SET error = 'Boom', status = 'aborted' WHERE number = 1", "was aborted: Boom"),
        ("UPDATE matches SET pairing_id = 'x', match_id = 'y' WHERE number = 1", "were never planned"),
        ("DELETE FROM matches WHERE number = 1", "are missing"),
        ("UPDATE bots SET status = 'withdrawn'", "withdrawn are"),
    ],
)
def test_a_wrong_table_is_seen(calm, change, said):
    """Whatever is changed in a store that was right, a check says so."""
    assert [] == list(wrong_in(calm, None))
    with Store.open(calm.folder, write=True) as store:
        before = exact(store)
        store.connection.execute(change)
        assert list(differences(before, exact(store)))
    assert [wrong for wrong in wrong_in(calm, None) if said in wrong]


@pytest.mark.parametrize("lie", ["your", "twice", "less"])
def test_a_byte_too_many_is_seen(calm, lie):
    """A question with another byte in it, an event told twice or left out: the transcript is not the seat's view."""
    network = calm.last.network
    line = next(
        line for line in network.lines if line.is_full and line.to_bot.sent.count(b'"type":"event"') > 1
    )
    assert [] == list(wrong_transcripts([line], calm.world.game, 0, Counter()))
    said = bytes(line.to_bot.sent).splitlines(keepends=True)
    at = next(index for index, each in enumerate(said) if each.startswith(b'{"type":"event"'))
    match lie:
        case "your":
            said[at] = said[at].replace(b'"payload":{', b'"payload":{"also":1,')
        case "twice":
            said.insert(at, said[at])
        case "less":
            later = next(
                index for index, each in enumerate(said[at + 1 :], at + 1) if b'"type":"event"' in each
            )
            del said[later]
    line.to_bot.sent[:] = b"".join(said)
    assert list(wrong_transcripts([line], calm.world.game, 0, Counter()))
