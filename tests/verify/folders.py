"""Results folders to verify: golden tournaments that were played, and copies in which something is changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from arena.cli import cli
from arena.store import DATABASE, Store
from arena.store.checksums import note_all, stored_rows
from tests.golden.plans import TOURNAMENTS, Leg, Tournament
from tests.golden.run import at_home, called

GOLDEN = {tournament.name: tournament for tournament in TOURNAMENTS}
SMALL = Tournament("small", "ann=First bob=Chancy cat=Rude", "--seed 1 --series 2 --rule dice=1")
"""Twelve matches in six series, with faults: what is checked is told from it as well as from a larger one."""


def played(what: str | Tournament, folder: Path, *more: str) -> Path:
    """A tournament, or the golden one of this name, played in one go into this folder."""
    with at_home() as home:
        tournament = GOLDEN[what] if isinstance(what, str) else what
        called(tournament, Leg(" ".join(("--concurrency 1", *more))), home)
        shutil.copytree(home / "out", folder)
    return folder


def changed(folder: Path, copy: Path, *statements: str, is_repaired: bool = True) -> Path:
    """A copy of a folder with its database changed; `is_repaired`: with checksums that fit the change."""
    shutil.copytree(folder, copy)
    with closing(sqlite3.connect(copy / DATABASE, isolation_level=None)) as db:
        for statement in statements:
            assert db.execute(statement).rowcount != 0, f"{statement}: changes nothing"
        if is_repaired:
            db.execute("BEGIN")
            sums = [(rows.checksum, number) for number, _, rows in stored_rows(db)]
            db.executemany("UPDATE matches SET checksum = ? WHERE number = ?", sums)
            note_all(db)
            db.execute("COMMIT")
    return copy


def verified(folder: Path, *words: str) -> tuple[int, str]:
    """Exit code and standard output of `arena verify`."""
    return told(folder, *words)[:2]


def told(folder: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `arena verify`.  Raises what is no exit code."""
    result = CliRunner().invoke(cli, ["verify", str(folder), *words], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return int(result.return_value or 0), result.stdout.strip(), result.stderr.strip()


def untruth(folder: Path) -> dict[str, object]:
    """The first thing that is not true, as JSON."""
    code, told = verified(folder, "--json")
    found = json.loads(told)["untruth"]
    assert (code == 1) == (found is not None), told
    return found or {}


def repacked(folder: Path, copy: Path, match_id: str, change: Callable[[list], object]) -> Path:
    """A copy in which `change` was done to the packed moves of a match."""
    import zlib

    with Store.open(folder) as store:
        turns = json.loads(zlib.decompress(store.match(match_id).packed))
    change(turns)
    packed = zlib.compress(json.dumps(turns, separators=(",", ":")).encode()).hex()
    return changed(folder, copy, f"UPDATE matches SET packed = x'{packed}' WHERE match_id = '{match_id}'")


__all__ = ["GOLDEN", "SMALL", "changed", "played", "repacked", "told", "untruth", "verified"]
