"""`arena verify`: the CSVs of a folder say what follows from its matches."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from daily import daily

from arena.analysis.tables import COLUMNS
from arena.cli import cli
from arena.store import Store
from arena.verify.tables import csv_untruths
from tests.verify.folders import SMALL, changed, played, untruth, verified

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return played(SMALL, tmp_path_factory.mktemp("verify") / "small")


def edited(path: Path, column: str) -> int:
    """Changes the cell of a column in the middle of a CSV; gives the number of its line."""
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    row = rows[len(rows) // 2]
    place = header.index(column)
    try:
        row[place] = repr(float(row[place]) + 0.25) if "." in row[place] else str(int(row[place]) + 1)
    except ValueError:
        row[place] += "x"
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    return len(rows) // 2 + 2


@pytest.mark.parametrize("name", daily({"matches", "leaderboard"}.__contains__, COLUMNS))
def test_a_changed_cell_of_any_csv_is_found(small, tmp_path, name):
    """Every column of every table, measured ones too, as they are in the database."""
    folder = tmp_path / "x"
    shutil.copytree(small, folder)
    path = folder / f"{name}.csv"
    before = path.read_bytes()
    with Store.checked(folder) as store:
        assert [] == [*csv_untruths(store, [])]
        for column in COLUMNS[name]:
            line = edited(path, column.name)
            found = next(csv_untruths(store, []))
            assert (f"{name}.csv, line {line}", column.name) == (found.where, found.column), found
            path.write_bytes(before)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_row_taken_out_of_a_csv_is_found(small, tmp_path, name):
    """The last one of each table."""
    folder = tmp_path / "x"
    shutil.copytree(small, folder)
    path = folder / f"{name}.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    found = untruth(folder)
    assert (f"{name}.csv, line {len(lines)}", "row") == (found["where"], found["column"])


def test_a_line_more_in_a_csv_is_found(small, tmp_path):
    """A copy of the last line, in the middle and at the end; and a line without cells."""
    folder = tmp_path / "x"
    shutil.copytree(small, folder)
    path = folder / "head_to_head.csv"
    lines = path.read_text().splitlines(keepends=True)
    for place, line, column in ((3, lines[-1], "bot"), (len(lines), lines[-1], "row"), (3, "\n", "row")):
        path.write_text("".join([*lines[:place], line, *lines[place:]]))
        found = untruth(folder)
        assert (f"head_to_head.csv, line {place + 1}", column) == (found["where"], found["column"]), found


def test_csvs_of_another_version_of_the_arena_are_told_as_that(small, tmp_path):
    """Another estimate, a column less: that it was another version, and what writes them anew, which it does."""
    folder = Path(shutil.copytree(small, tmp_path / "x"))
    for name, column in (("leaderboard", "rating"), ("series", "points_mean")):
        edited(folder / f"{name}.csv", column)
    lines = [line.rpartition(",")[0] for line in (folder / "leaderboard.csv").read_text().splitlines()]
    (folder / "leaderboard.csv").write_text("\n".join([*lines, ""]))
    again = f": `arena leaderboard {folder}` writes them anew)"
    stamp = json.loads((folder / ".tables.json").read_text())
    (folder / ".tables.json").unlink()
    assert f"as nothing says which one did{again}" in said_of(folder)[1]
    del stamp["maker"]  # as an arena wrote it that did not say who it was
    paths = [folder / name for name in stamp["files"]]
    stamp["files"] = {path.name: [path.stat().st_size, path.stat().st_mtime_ns] for path in paths}
    (folder / ".tables.json").write_text(json.dumps(stamp))
    code, out, _ = said_of(folder)
    assert (1, True) == (code, out.startswith("not verified: series.csv, line "))
    assert f"(another version of the arena wrote the CSVs{again}" in out, out
    CliRunner().invoke(cli, ["leaderboard", str(folder)], standalone_mode=False)
    code, out, err = said_of(folder)
    assert (0, "", True) == (code, err, out.startswith("verified: "))
    edited(folder / "leaderboard.csv", "wins")
    assert "another version" not in said_of(folder)[1]


def said_of(folder: Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["verify", str(folder)], standalone_mode=False)
    return int(result.return_value or 0), result.stdout, result.stderr


def test_csvs_that_are_not_there_are_said(small, tmp_path):
    """The matches are true without them."""
    folder = tmp_path / "x"
    shutil.copytree(small, folder)
    (folder / "series.csv").unlink()
    code, out, err = said_of(folder)
    assert (0, True) == (code, out.startswith("verified: 12 matches"))
    assert "not there: series.csv" in err


def test_csvs_that_are_older_than_the_matches_are_told_as_that(small, tmp_path):
    """A run was killed before it wrote them again: what to do is said."""
    folder = changed(
        small, tmp_path / "x", "UPDATE meta SET value = '\"0123456789abcdef\"' WHERE key = 'mark'"
    )
    assert 0 == verified(folder)[0]  # they are older, and say the same
    edited(folder / "leaderboard.csv", "wins")
    code, out, _ = said_of(folder)
    assert (1, True) == (code, "the CSVs are older than arena.db" in out), out
    assert f"`arena leaderboard {folder}` writes them anew" in out


def test_ratings_may_be_anchored_at_any_bot(small, tmp_path):
    """`arena leaderboard --anchor` writes other ratings, which are true as well."""
    folder = tmp_path / "x"
    shutil.copytree(small, folder)
    CliRunner().invoke(cli, ["leaderboard", str(folder), "--anchor", "bob"], standalone_mode=False)
    code, out, err = said_of(folder)
    assert (0, True) == (code, "relative to bob" in err), out
