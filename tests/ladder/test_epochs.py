"""Epochs of a ladder: sealed when they begin, opened when they have ended, published, and verified by anybody."""

from __future__ import annotations

import json
import platform
import zipfile
from pathlib import Path

import pytest
import trio
from needs import needs

from arena.ladder import play
from arena.store import Store
from arena.store.checksums import note_all
from arena.tournament.folder.epochs import seed_of
from arena.tournament.folder.published import archive_of, publish_ended
from tests.ladder.ladders import FIELD, house, league
from tests.verify.folders import verified

pytestmark = [pytest.mark.slow, needs("bubblewrap")]


@pytest.fixture(autouse=True)
def short_batches(monkeypatch):
    monkeypatch.setattr(play, "LEAST_S", 0.05)


async def test_an_epoch_that_has_ended_is_published_and_verified_by_whoever_has_the_copy(
    tmp_path, monkeypatch
):
    """It has what was played, and nothing else: no byte of it tells what people may not know."""
    monkeypatch.setattr("arena.ladder.serve.publish_epochs", _not_now)
    folder = tmp_path / "league"
    async with league(folder, epoch_s=0.3) as server:
        await server.wants(*FIELD, house(4, "Talker"))
        with trio.fail_after(60):
            while len(_epochs(folder)) < 3:
                await server.batches(1)
    first, second, *_, last = _epochs(folder)
    assert (0, None) == (first.number, last.ended_at)
    assert len({epoch.sha256 for epoch in (first, second, last)}) == 3
    code, said = verified(folder)
    assert code == 0, said

    (folder / "epochs" / ".copy-killed").mkdir(parents=True)
    publish_ended(folder, 2)
    assert {path.name for path in (folder / "epochs").iterdir()} >= {"0.zip", "1.zip"}
    assert not (folder / "epochs" / ".copy-killed").exists()
    with zipfile.ZipFile(archive_of(folder, 0)) as packed:
        packed.extractall(tmp_path / "copies")
        files = {name: packed.read(name) for name in packed.namelist()}
    copy = tmp_path / "copies" / "league-0"
    code, said = verified(copy, "--seal", first.sha256)
    assert code == 0, said
    with Store.open(copy) as store, Store.open(folder) as whole:
        assert second.first_match - 1 == store.size() > 0
        assert set(store.finished()) < set(whole.finished())
        secrets = [seed_of(second), seed_of(last), int(whole.meta()["identity"]["seed"])]
    told = [str(tmp_path), "a word to the host", "Talker"]
    for text in told[1:]:
        assert text.encode() in (folder / "arena.db").read_bytes(), "else nothing is shown"
    told.append(platform.node())
    told += [text for seed in secrets for text in (str(seed), f"{seed:x}")]
    for name, content in files.items():
        assert not [text for text in told if text.encode() in content], name
        assert not [seed for seed in secrets if seed.to_bytes(16, "big") in content], name


async def test_a_ladder_goes_on_in_the_epoch_in_which_it_was_killed(tmp_path):
    """Only that one is planned again; what the earlier ones played still counts."""
    folder = tmp_path / "league"
    async with league(folder, epoch_s=0.2) as server:
        await server.wants(*FIELD)
        with trio.fail_after(60):
            while len(_epochs(folder)) < 2:
                await server.batches(1)
    before = _epochs(folder)
    async with league(folder) as server:
        await server.wants(*FIELD)
        await server.batches(3)
    assert len(before) == len(_epochs(folder))
    with Store.open(folder) as store:
        rows = [json.loads(row) for _, row in store.batches()]
        closed = [series for row in rows for series in row["closed"]]
        assert len(closed) == len(set(closed))
        assert store.closed_in_batches() == set(closed)
    code, said = verified(folder)
    assert code == 0, said
    with Store.open(folder, write=True) as store, store.transaction() as db:
        db.execute("UPDATE epochs SET sha256 = ? WHERE number = 0", ("0" * 64,))
        note_all(db)
    code, said = verified(folder)
    assert (code, "epoch 0, sha256" in said) == (1, True), said


async def _not_now(folder: Path, before: int) -> None:
    """The copies are made by the test, in its own process."""


def _epochs(folder: Path):
    with Store.open(folder) as store:
        return store.epochs()
