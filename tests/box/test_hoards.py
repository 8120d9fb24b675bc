"""Memory that belongs to no process: counted where no cgroup does, or refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
from as_user import Outcome, Try, need_root, outcomes_of, try_all
from boxes import LANDLOCK, OFF, SHIELD, STRICT, need

from arena.box import spawn

pytestmark = pytest.mark.slow

MEMORY_MB = 64
MEMORY = "used more than 64 MB of memory"
TEMPORARY = "had more than 64 MB of temporary files"
HIDDEN = "kept the arena from seeing how much memory it uses"
BOXES = (STRICT, SHIELD, LANDLOCK)

ENDED = [
    *((box, "hoard", MEMORY) for box in (*BOXES, OFF)),
    (LANDLOCK, "hoard_temporary", TEMPORARY),
    (LANDLOCK, "hoard_deep", TEMPORARY),
]
"""Boxes, what is hoarded there, and why it is ended."""
REFUSED = [
    *((box, act) for box in BOXES for act in ("hoard_system_v", "hoard_hidden", "be_ended_last")),
    *((box, "hoard_temporary") for box in (STRICT, SHIELD)),
]
TRIES = [
    *(Try(box, act, ("200",), MEMORY_MB, is_ended=True) for box, act, _ in ENDED),
    *(Try(box, act, ("200",), MEMORY_MB) for box, act in REFUSED),
]


@pytest.fixture
def without_cgroups(monkeypatch):
    """The keeper is a process of its own: what it imports is told that no cgroup can be made."""
    stub = "import arena.box.kernel.cgroups as c; c.made_for = lambda *_: []; "
    monkeypatch.setattr(spawn, "_MAIN", stub + spawn._MAIN)


def check(found: Sequence[Outcome]) -> None:
    """Each was ended for what it did, or refused it."""
    reasons = [outcome.excess for outcome in found[: len(ENDED)]]
    assert [why for _, _, why in ENDED] == reasons
    assert [Outcome("held", "")] * len(REFUSED) == list(found[len(ENDED) :])


async def test_what_root_hoards(tmp_path, without_cgroups):
    """Memory files, temporary files, System V; what hides them is refused, and nobody is ended last."""
    for box in BOXES:
        need(box)
    check(await try_all(tmp_path, TRIES))


async def test_what_a_user_hoards():
    """The same, and a program that nobody may read, whose files the guard of a user cannot see."""
    need_root()
    for box in BOXES:
        need(box)
    hiding = [Try(box, "hoard_unreadable", ("200",), MEMORY_MB, is_ended=True) for box in BOXES]
    found = await trio.to_thread.run_sync(outcomes_of, [*TRIES, *hiding])
    check(found[: len(TRIES)])
    assert [HIDDEN] * len(hiding) == [outcome.excess for outcome in found[len(TRIES) :]]
