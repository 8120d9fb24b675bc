"""The tournaments that these tests look at."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic import play

from arena.match.game import Seat
from arena.match.record import Decision
from arena.store import Store, StoredBot


@pytest.fixture
def store(tmp_path: Path):
    """An empty store in `tmp_path / "run"`."""
    with Store.create(tmp_path / "run", meta={"game": "dice", "game_version": 1}) as store:
        yield store


@pytest.fixture
def chips(tmp_path: Path):
    """An empty store of a game that is rated by returns; 4 of them are one bb/100."""
    meta = {"game_version": 1, "rated_by": "returns", "returns_unit": ["bb/100", 4.0]}
    with Store.create(tmp_path / "chips", meta=meta) as store:
        yield store


@pytest.fixture
def played(store: Store) -> Store:
    """Three series of ann against bob: ann wins all but one match; and a bot that was left out."""
    entries = [play(series, rotation) for series in range(3) for rotation in range(2)]
    late = Decision(1, Seat(0), "0", 1.0, "too_late", "no answer within 1 s")
    entries[5] = play(2, 1, ranks=(2, 1), decisions=(late, Decision(2, Seat(1), "1", 0.125)))
    store.set_schedule(entry.pairing for entry in entries)
    store.put_bots([StoredBot("ann", "1.0", margin_s=0.2), StoredBot("bob", "1.0", status="withdrawn")])
    store.put_bots([StoredBot("cat", "2.0", status="left out")])
    store.add_many(entries)
    return store
