"""DataFrames of a results folder, the data dictionary, and the example that reads them."""

from __future__ import annotations

import csv
import re
import runpy
import sys
from pathlib import Path

import pytest
from synthetic import play

from arena.analysis import LATEST, export, load
from arena.analysis.tables import COLUMNS
from arena.errors import ConfigError
from arena.match.game import Seat
from arena.match.record import Decision
from arena.store import DATABASE, StoredBot, erase

HOUSE = Path(__file__).parents[2]
pytestmark = pytest.mark.slow  # pandas takes half a second to import


@pytest.fixture(params=["database", "CSVs"])
def folder(played, request) -> Path:
    """A results folder with everything, and one that was handed on without its database."""
    export(played)
    played.close()
    if request.param == "CSVs":
        (played.folder / DATABASE).unlink()
    return played.folder


def test_frames_have_the_documented_columns_and_types(folder):
    """The same from the database as from the CSVs."""
    kinds = {"text": ("O", "U"), "integer": ("i",), "real": ("f",), "boolean": ("b",)}
    results = load(folder)
    for name, columns in COLUMNS.items():
        frame = getattr(results, name)
        assert list(frame.columns) == [column.name for column in columns]
        for column in columns:
            assert frame[column.name].dtype.kind in kinds[column.type], column.name
        assert not frame.isna().any().any()


def test_frames_hold_what_was_played(folder):
    """Rows in schedule order; the leaderboard agrees with the seats."""
    results = load(folder)
    assert list(results.matches["pairing_id"]) == ["s0.0", "s0.1", "s1.0", "s1.1", "s2.0", "s2.1"]
    wins = results.seats.groupby("bot")["win"].sum()
    assert dict(wins) == {"ann": 5, "bob": 1}
    assert list(results.leaderboard["wins"]) == [5, 1, 0]
    assert list(results.decisions["reason"]) == ["no answer within 1 s"]
    assert list(results.bots["status"]) == ["ok", "withdrawn", "left out"]
    assert results.seats is results.seats


def test_results_show_themselves(folder):
    """One line says what is there."""
    assert repr(load(folder)) == (
        f"Results of {folder}: dice, 3 bots, 6 matches; tables: "
        "matches, seats, bots, decisions, series, head_to_head, leaderboard"
    )


def test_database_and_csvs_give_equal_frames(played):
    """Nothing is lost on the way through text, whatever the bots are called."""
    from pandas.testing import assert_frame_equal

    names = ("NA", "007", 'a,"b"', "ä 1e5")
    late = Decision(0, Seat(0), "null", 1 / 3, "too_late", "NaN, or 'None'")
    played.add(play(7, 0, names, (1, 2, 3, 4), decisions=(late,)))
    played.put_bots(StoredBot(name, "1.10") for name in names)
    export(played)
    played.close()
    kept, handed_on = load(played.folder), load(played.folder)
    frames = {name: getattr(kept, name) for name in COLUMNS}
    (played.folder / DATABASE).unlink()
    for name, frame in frames.items():
        assert_frame_equal(frame, getattr(handed_on, name), check_exact=True)


def test_run_json_is_read(folder):
    """Empty if there is none, a sentence if it is broken."""
    assert load(folder).run == {}
    (folder / "run.json").write_text('{"arena_version": "0.1.0"}')
    assert load(folder).run == {"arena_version": "0.1.0"}
    (folder / "run.json").write_text("{")
    with pytest.raises(ConfigError, match=r"run\.json is not JSON"):
        _ = load(folder).run


def test_the_default_is_the_last_run(folder, monkeypatch, tmp_path):
    """`load()` reads results/latest of the working directory."""
    monkeypatch.chdir(tmp_path)
    LATEST.parent.mkdir()
    LATEST.symlink_to(folder)
    assert len(load().matches) == 6


def cut_column(path: Path) -> None:
    path.write_text("match_id\nabc\n")


def spoil_number(path: Path) -> None:
    path.write_text(path.read_text().replace(",dice,1,", ",dice,one,"))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        pytest.param(lambda path: path.unlink(), "neither arena.db nor matches.csv", id="missing"),
        pytest.param(lambda path: path.write_bytes(b""), "is not a table", id="empty"),
        pytest.param(lambda path: path.write_bytes(b"\xff\xfe\x00"), "is not a table", id="no text"),
        pytest.param(cut_column, "is missing the columns series_id, cycle", id="columns missing"),
        pytest.param(spoil_number, "has something that is not a number", id="no number"),
    ],
)
def test_a_broken_csv_gets_a_sentence(played, spoil, sentence):
    """It names the file and what is wrong with it."""
    export(played)
    played.close()
    (played.folder / DATABASE).unlink()
    spoil(played.folder / "matches.csv")
    with pytest.raises(ConfigError, match=sentence):
        _ = load(played.folder).matches


def test_a_folder_without_results_gets_a_sentence(tmp_path, played):
    """Missing, empty, or with one table only."""
    with pytest.raises(ConfigError, match="is not a folder"):
        load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"neither arena.db nor matches\.csv"):
        load(tmp_path / "empty")
    export(played)
    played.close()
    (played.folder / DATABASE).unlink()
    (played.folder / "seats.csv").unlink()
    with pytest.raises(ConfigError, match=r"seats.csv is not there: `arena leaderboard .*` writes it"):
        _ = load(played.folder).seats


# the dictionary


def documented() -> dict[str, list[tuple[str, str, str]]]:
    """Table -> (column, type, exact or measured), as results/README.md has them."""
    tables: dict[str, list[tuple[str, str, str]]] = {}
    for line in (HOUSE / "results" / "README.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## `(\w+)\.csv`", line):
            tables[heading[1]] = []
        elif row := re.match(r"\| `(\w+)` \| (\w+) \| (\w+) \| \S", line):
            tables[list(tables)[-1]].append((row[1], row[2], row[3]))
    return tables


def test_the_dictionary_names_every_column(played):
    """results/README.md and the headers of real files agree: names, order, types, what is exact."""
    export(played)
    tables = documented()
    assert set(tables) == {path.stem for path in played.folder.glob("*.csv")}
    for name, columns in COLUMNS.items():
        with (played.folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert [column for column, _, _ in tables[name]] == next(csv.reader(file))
        kinds = [(column.name, column.type, "exact" if column.exact else "measured") for column in columns]
        assert tables[name] == kinds


def test_the_sample_is_of_this_arena():
    """results/sample, which people try things on, has the columns that the dictionary explains."""
    for name, columns in COLUMNS.items():
        path = HOUSE / "results" / "sample" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            assert [column.name for column in columns] == next(csv.reader(file))


# the example


def test_the_example_runs(folder, monkeypatch, capsys):
    """Its tables name the bots."""
    monkeypatch.setattr(sys, "argv", ["analyse.py", str(folder)])
    runpy.run_path(str(HOUSE / "examples" / "analyse.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "ann" in shown
    assert "too_late" in shown


def test_the_example_explains_a_missing_folder(monkeypatch, tmp_path):
    """A sentence and exit code, no traceback."""
    monkeypatch.setattr(sys, "argv", ["analyse.py", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit, match="is not a folder"):
        runpy.run_path(str(HOUSE / "examples" / "analyse.py"), run_name="__main__")


def test_erased_results_are_gone(folder):
    """After `--fresh` nothing old can be taken for new."""
    erase(folder)
    with pytest.raises(ConfigError, match=folder.name):
        load(folder)
