"""What earlier releases left is read, computed again, gone on with and served by this one."""

from __future__ import annotations

import csv
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena import __version__
from tests.released import BOTS, GROWS, KEPT, arena, unpack
from tests.server.killed_world import World

RELEASES = sorted(KEPT.glob("*.tar.gz"))
pytestmark = pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name.removesuffix(".tar.gz"))


@pytest.fixture
def left(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What that release left, in the current folder."""
    unpack(release, tmp_path)
    monkeypatch.chdir(tmp_path / "runs")
    monkeypatch.delitem(sys.modules, BOTS, raising=False)
    return tmp_path


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_its_folders_are_read_and_computed_again(left: Path) -> None:
    """By every command that reads one, for every game."""
    folders = sorted(path.parent for path in left.glob("runs/*/arena.db"))
    assert len(folders) > 1
    for folder in folders:
        one = rows(folder, "matches")[0]["match_id"]
        for words in (["leaderboard"], ["matches"], ["replay", one], ["report"], ["verify"]):
            assert 0 == arena([*words, str(folder)]), (words, folder)


def test_its_runs_go_on(left: Path) -> None:
    """With more series; what was played stays as it was."""
    folder = left / "runs" / GROWS
    before = rows(folder, "matches")
    assert 0 == arena(["run", "--resume", GROWS, "--series", "4", "-q"])
    after = rows(folder, "matches")
    assert (4, 8) == (len(before), len(after))
    assert [row["match_id"] for row in before] == [row["match_id"] for row in after[:4]]
    assert [row["turns"] for row in before] == [row["turns"] for row in after[:4]]
    assert 0 == arena(["verify", GROWS])


@pytest.mark.slow
async def test_its_server_goes_on(left: Path) -> None:
    """Its tables are there, their matches go on, and what had ended is in the archive, step by step."""
    with closing(sqlite3.connect(left / "server" / "server.db")) as db:
        tables = {str(at) for (at,) in db.execute("SELECT id FROM tables") if not at.startswith("ring ")}
    with closing(sqlite3.connect(left / "server" / "tables" / "arena.db")) as db:
        archived = [str(match_id) for (match_id,) in db.execute("SELECT match_id FROM matches")]
    assert len(tables) > 1
    assert archived
    world = World(left / "server", seed=1)
    try:
        await world.start()
        assert [] == world.ledger.wrong
        assert world.killed_with_open_matches, "the server said which matches went on"
        for at in tables:
            assert at == (await world.surely("GET", f"/api/tables/{at}"))["id"]
        for match_id in archived:
            assert (await world.surely("GET", f"/api/matches/{match_id}?seen_by=spectator"))["steps"]
        assert 143 == world.end()
    finally:
        world.give_up()
        await world.http.aclose()


def test_what_this_version_writes_is_kept(release: Path) -> None:
    """A version that is released without its archive could not be tried by the next one."""
    assert KEPT / f"{__version__}.tar.gz" in RELEASES
