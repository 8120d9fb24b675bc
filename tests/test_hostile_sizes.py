"""Results folders from strangers that are small and become large, or are never read to their end: each is bounded."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from daily import daily, nightly

from arena.cli import cli
from arena.errors import ConfigError
from arena.match.record import UNPACKED_LISTS_MAX
from arena.store import DATABASE, Store, capsules
from arena.store.checksums import note_all, stored_rows
from tests.verify.folders import SMALL, played

pytestmark = pytest.mark.slow

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
COMMANDS = (("leaderboard",), ("report",), ("matches",), ("replay", "{match}"), ("verify",))
MEGABYTES_MAX, CPU_S_MAX = 400, 60
"""Of all these commands in one process: a sound folder takes a fifth of the memory, and three seconds."""
CHILD = """
import json, os, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
resource.setrlimit(resource.RLIMIT_AS, (4 << 30,) * 2)  # so that a failure is no harm to others
from arena.cli import main
from arena.trials.torture.processes import peak_mb
codes = {}
for words in json.loads(sys.argv[2]):
    sys.argv = ["arena", *words]
    try:
        main()
    except SystemExit as end:
        codes[words[0]] = end.code or 0
print(json.dumps([codes, peak_mb(os.getpid())]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return played(SMALL, tmp_path_factory.mktemp("sizes") / "small")


def forged(small: Path, folder: Path, change: Callable[[sqlite3.Connection], object]) -> Path:
    """A copy with checksums that fit what was changed, as far as that can be."""
    shutil.copytree(small, folder)
    with closing(sqlite3.connect(folder / DATABASE)) as db, db:
        change(db)
        if not change.__name__.startswith("view"):
            sums = [(rows.checksum, number) for number, _, rows in stored_rows(db)]
            db.executemany("UPDATE matches SET checksum = ? WHERE number = ?", sums)
            note_all(db)
    return folder


def view_that_never_ends(db: sqlite3.Connection) -> None:
    db.execute("DROP VIEW unplayed")
    db.execute(
        f"CREATE VIEW unplayed AS {ENDLESS} SELECT x AS position, '' AS pairing_id, '' AS series_id FROM n"
    )


def view_of_a_table(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE matches RENAME TO others")
    db.execute(f"CREATE VIEW matches AS {ENDLESS} SELECT others.* FROM n, others")


def view_that_a_column_computes(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE bots ADD COLUMN x AS (zeroblob(16000000))")


def moves_that_are_no_lists(db: sqlite3.Connection) -> None:
    db.execute("UPDATE matches SET packed = ?", (zlib.compress(bytes(1 << 28), 9),))


def moves_of_too_many_lists(db: sqlite3.Connection) -> None:
    lists = b"[%s[]]" % (b"[]," * (2 * UNPACKED_LISTS_MAX))
    db.execute("UPDATE matches SET packed = ?", (zlib.compress(lists, 9),))


def moves_that_are_more_than_the_turns(db: sqlite3.Connection) -> None:
    lists = b"[%s[]]" % (b"[]," * (UNPACKED_LISTS_MAX // 2))
    db.execute("UPDATE matches SET packed = ?", (zlib.compress(lists, 9),))


def plan_that_is_deep(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO meta VALUES ('deep', ?)", ("[" * 1_000_000,))


def name_that_is_long(db: sqlite3.Connection) -> None:
    db.execute("UPDATE seats SET version = ? WHERE match = 4", ("x" * 20_000_000,))


BOMBS = {
    view_that_never_ends: (2, 2, 2, 0, 1),
    view_of_a_table: (2, 2, 2, 2, 2),
    view_that_a_column_computes: (2, 2, 2, 2, 2),
    moves_that_are_no_lists: (0, 2, 0, 2, 1),
    moves_of_too_many_lists: (0, 2, 0, 2, 1),
    moves_that_are_more_than_the_turns: (0, 2, 0, 2, 1),
    plan_that_is_deep: (2, 2, 0, 2, 2),
    name_that_is_long: (2, 2, 2, 0, 1),
}
"""What a stranger does to a folder -> the exit codes of `COMMANDS`; none is that of a bug, or of a signal."""


NIGHTLY_BOMBS = {view_of_a_table, moves_that_are_more_than_the_turns}
"""Each as another one is, in another place."""


@pytest.mark.parametrize(
    "bomb",
    daily(lambda bomb: bomb not in NIGHTLY_BOMBS, BOMBS),
    ids=lambda bomb: bomb.__name__.replace("_", " "),
)
def test_what_it_costs_to_read_a_folder_is_bounded(small, tmp_path, bomb):
    """Time and memory, of every command that reads one."""
    with Store.open(small) as store:
        match = next(store.matches()).match_id
    folder = forged(small, tmp_path / "it", bomb)
    words = [[word.format(match=match) for word in (*command, "it")] for command in COMMANDS]
    child = [sys.executable, "-c", CHILD, str(CPU_S_MAX), json.dumps(words)]
    ended = subprocess.run(child, cwd=folder.parent, capture_output=True, text=True, check=False)
    codes, megabytes = json.loads(ended.stderr.splitlines()[-1])
    assert BOMBS[bomb] == tuple(codes.values()), ended.stderr
    assert megabytes < MEGABYTES_MAX, ended.stderr


def lead_back(path: Path) -> None:
    """Puts pages between the root of `matches` and its rows, each of which leads to the next a hundred times."""
    with closing(sqlite3.connect(path)) as db:
        ((root, size, pages),) = db.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size), (SELECT page_count FROM pragma_page_count)"
            " FROM sqlite_master WHERE name = 'matches' AND type = 'table'"
        )
    content = bytearray(path.read_bytes())
    rows = content[(root - 1) * size : root * size]
    for depth in range(6):
        at = root if depth == 0 else pages + depth
        content[(at - 1) * size : at * size] = _leading_to(pages + depth + 1, size)
    content += rows
    content[28:32] = (len(content) // size).to_bytes(4, "big")
    path.write_bytes(content)


def _leading_to(page: int, size: int) -> bytes:
    """A page of a table's tree whose hundred children, and one, are this one."""
    cells = [page.to_bytes(4, "big") + bytes([number]) for number in range(100)]
    begins = [size - 5 * (number + 1) for number in range(100)]
    head = (
        b"\x05\0\0"
        + (100).to_bytes(2, "big")
        + begins[-1].to_bytes(2, "big")
        + b"\0"
        + page.to_bytes(4, "big")
    )
    places = b"".join(begin.to_bytes(2, "big") for begin in begins)
    return (head + places).ljust(begins[-1], b"\0") + b"".join(reversed(cells))


@pytest.mark.parametrize(
    "command", [("matches", "it"), *nightly(("verify", "it"), ("leaderboard", "it"))], ids=" ".join
)
def test_pages_that_lead_to_the_same_pages_are_not_read_for_ever(small, tmp_path, monkeypatch, command):
    """A few kilobytes that hold a billion rows: one sentence."""
    monkeypatch.chdir(shutil.copytree(small, tmp_path / "it").parent)
    lead_back(Path("it") / DATABASE)
    with pytest.raises(ConfigError, match="takes longer to read than any of its size"):
        cli.main(command, standalone_mode=False)


def test_evidence_takes_only_so_much_room(small, tmp_path, monkeypatch):
    """Capsules that unpack to a thousand times their size: what is not written is said, and written next time."""
    monkeypatch.setattr(capsules, "PUBLISHED_BYTES_MAX", 1_000_000)
    packed = zlib.compress(b"{}" + bytes(100_000), 9)

    def insert(db: sqlite3.Connection) -> None:
        rows = [(number, 0, place, packed) for number in (1, 2) for place in range(100, 110)]
        db.executemany("INSERT INTO capsules VALUES (?, ?, ?, ?)", rows)

    folder = forged(small, tmp_path / "it", insert)
    shutil.rmtree(folder / "faults", ignore_errors=True)
    assert 0 == (cli.main(("leaderboard", str(folder)), standalone_mode=False) or 0)
    written = sum(os.path.getsize(path) for path in folder.glob("faults/*.jsonl"))
    assert 900_000 < written < 1_200_000
    assert "more are written by the next `arena leaderboard`" in (folder / "faults/left-out.txt").read_text()
    for _ in range(4):
        cli.main(("leaderboard", str(folder)), standalone_mode=False)
    assert 20 == len([path for path in folder.glob("faults/*.jsonl") if path.stat().st_size > 100_000])
