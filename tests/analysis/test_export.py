"""The CSVs are written anew where the store has changed or somebody touched them, and left alone where not."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from daily import NIGHTLY
from synthetic import play

from arena import analysis
from arena.analysis import export, exported, ranking
from arena.analysis.tables import COLUMNS
from arena.cli.group import INTERRUPTED, TERMINATED
from arena.store import Store, StoredBot, erase, files
from arena.store import aside as aside_module
from arena.store.aside import TABLES_ASIDE, written_aside
from arena.store.files import STAMP, TABLE_FILES, draft_path, write_table
from arena.store.kept import kept_lines, ranges

LASTING = ("matches.csv", "seats.csv", "bots.csv", "decisions.csv", "series.csv")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.csv")}


def written(folder: Path) -> dict[str, int]:
    return {name: (folder / name).stat().st_ino for name in LASTING}


def test_nothing_new_nothing_written(played):
    """The tables of matches stay the very same files; head to head and leaderboard are made again."""
    export(played)
    before, was = written(played.folder), contents(played.folder)
    (played.folder / "leaderboard.csv").unlink()
    with Store.open(played.folder) as reader:
        export(reader)
    assert before == written(played.folder)
    assert was == contents(played.folder)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda store: store.add(play(9, 0)), id="a match more"),
        pytest.param(lambda store: store.remove([f"{2:08x}{1:04x}"]), id="a match less"),
        pytest.param(lambda store: store.put_bots([StoredBot("ann", margin_s=0.5)]), id="a bot changed"),
        pytest.param(lambda store: store.set_schedule([]), id="another schedule"),
        pytest.param(lambda store: store.set_meta("game_version", 7), id="another version"),
    ],
)
def test_what_changed_is_written(played, change):
    """Whatever it was: the tables are those of a folder that was never written before."""
    export(played)
    change(played)
    export(played)
    is_now = contents(played.folder)
    for name in (*TABLE_FILES, STAMP):
        (played.folder / name).unlink()
    export(played)
    assert contents(played.folder) == is_now


def test_a_match_played_again_is_written(played):
    """Though there are as many matches as before, and the last has the same number."""
    export(played)
    played.remove([f"{2:08x}{1:04x}"])
    played.add(play(2, 1, ranks=(1, 2)))
    export(played)
    assert b",too_late," not in (played.folder / "decisions.csv").read_bytes()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def edit(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"ann", b"ANN"))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


@pytest.mark.parametrize("spoil", [Path.unlink, cut, edit], ids=["gone", "cut", "edited"])
@pytest.mark.parametrize("name", ["matches.csv", "seats.csv", "series.csv"])
def test_a_table_that_somebody_touched_is_written(played, spoil, name):
    """Missing, half written, or edited by hand without a change of its length."""
    export(played)
    was = contents(played.folder)
    spoil(played.folder / name)
    export(played)
    assert was == contents(played.folder)


@pytest.mark.parametrize("stamp", [b"", b"{", b"[]", b'{"mark": null, "files": {}}', b"\xff"])
def test_a_broken_stamp_is_no_stamp(played, stamp):
    """Then everything is written."""
    export(played)
    before = written(played.folder)
    (played.folder / STAMP).write_bytes(stamp)
    export(played)
    assert all(before[name] != inode for name, inode in written(played.folder).items())


def test_a_folder_of_an_older_arena_is_always_written(played):
    """Its database has no mark, so nothing tells whether it has changed."""
    export(played)
    played.connection.execute("DELETE FROM meta WHERE key = 'mark'")
    before = written(played.folder)
    export(played)
    assert before != written(played.folder)


def test_another_folder_gets_all_tables(played, tmp_path):
    """And again only what must be."""
    (tmp_path / "copy").mkdir()
    export(played, tmp_path / "copy")
    before = written(tmp_path / "copy")
    export(played, tmp_path / "copy")
    assert before == written(tmp_path / "copy")
    assert set(TABLE_FILES) == set(contents(tmp_path / "copy")) == {f"{name}.csv" for name in COLUMNS}


def test_erasing_takes_the_stamp_too(played):
    """Or a new tournament might be taken for the old one."""
    export(played)
    played.close()
    erase(played.folder)
    assert not list(played.folder.glob("*.csv"))
    assert not (played.folder / STAMP).exists()


def test_the_mark_is_nobody_elses_business(played):
    """It is another after every change, and stands in no meta."""
    before = played.mark()
    assert before == played.mark()
    played.set_meta("x", 1)
    assert played.mark() not in (before, None)
    assert "mark" not in played.meta()


# Lines


@pytest.mark.parametrize(
    ("at_once", "size"), [(1, 2), (2_000, 10_000)], ids=["some at a time", "all at once"]
)
@pytest.mark.parametrize("name", ["ann", "=ann", "+ann", "a,nn", 'a"nn', "ann\rcat", "%s", "3,5;\n"])
def test_lines_are_what_rows_are(store, name, at_once, size, monkeypatch):
    """Put together in SQLite or by `csv.writer`: the same bytes, also where a cell has to be quoted."""
    monkeypatch.setattr(kept_lines, "ROWS_AT_ONCE", at_once)
    monkeypatch.setattr(ranges, "SIZE", size)
    bots = [(name, "bob"), ("bob", "cat"), ("cat", name)]
    entries = [
        play(series, turn, bots[series], returns=(1 / 3, -5e-05)) for series in range(3) for turn in range(2)
    ]
    store.add_many([entries[4], entries[2], *entries[:2], entries[3]])
    for planned in (entries[:2], entries):
        store.set_schedule(entry.pairing for entry in planned)
        with store.frozen():
            _, tables = exported(store)
        for table in ("matches", "seats", "series"):
            write_table(store.folder / "lines.csv", tables[table])
            header, rows = tables[table]
            write_table(store.folder / "rows.csv", (header, list(rows)))
            assert (store.folder / "rows.csv").read_bytes() == (store.folder / "lines.csv").read_bytes()


# Other processes


@pytest.fixture
def large(played, monkeypatch) -> Store:
    """A store that counts as a large one."""
    monkeypatch.setattr(analysis, "LARGE", 0)
    return played


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.glob(".*.tmp")]


@pytest.mark.slow
def test_other_processes_write_their_tables(played):
    """Whole, byte for byte, to their temporary places; and none stays there."""
    export(played)
    with played.frozen(), written_aside(played, played.folder, played.mark() or "") as aside:
        assert {True} == {is_there() for is_there in aside.values()}
        for name in aside:
            place = draft_path(played.folder, f"{name}.csv", os.getpid())
            assert (played.folder / f"{name}.csv").read_bytes() == place.read_bytes()
    assert [] == left(played.folder)


@pytest.mark.slow
def test_what_it_wrote_is_not_written_again(large, monkeypatch):
    """And the tables are those of a single process."""
    export(large)
    was, written_here = contents(large.folder), []
    (large.folder / STAMP).unlink()

    def write(place: Path, table: files.Table) -> None:
        written_here.append(place.name.split(".")[1])
        write_table(place, table)

    monkeypatch.setattr(files, "write_table", write)
    export(large)
    assert set(COLUMNS) - set(TABLES_ASIDE) == set(written_here)
    assert was == contents(large.folder)


@pytest.mark.slow
def test_it_is_not_asked_for_without_need(large, monkeypatch):
    """Neither if the tables are there, nor if the store is small."""
    export(large)
    monkeypatch.setattr(analysis, "written_aside", None)
    export(large)
    monkeypatch.setattr(analysis, "LARGE", 7)
    (large.folder / STAMP).unlink()
    export(large)


def test_without_it_everything_is_written_here(large, monkeypatch):
    """It may fail as it likes."""
    export(large)
    was = contents(large.folder)
    monkeypatch.setattr(aside_module.sys, "executable", "/bin/false")
    for name in TABLE_FILES:
        (large.folder / name).unlink()
    export(large)
    assert (was, []) == (contents(large.folder), left(large.folder))


@pytest.mark.slow
def test_it_does_not_write_another_state(large, monkeypatch):
    """A match that came in meanwhile is in none of the tables."""
    export(large)
    was = contents(large.folder)
    (large.folder / STAMP).unlink()
    start = aside_module._started

    def started_late(*words):
        with Store.open(large.folder, write=True) as writer:
            if large.size() == writer.size():
                writer.add(play(9, 0))
        return start(*words)

    monkeypatch.setattr(aside_module, "_started", started_late)
    export(large)
    assert was == contents(large.folder)
    monkeypatch.setattr(aside_module, "_started", start)
    export(large)
    assert was != contents(large.folder)


def test_nothing_of_it_stays_if_this_one_fails(large, monkeypatch):
    """Neither a process nor a file."""
    started = []

    def fail(*_args, **_named):
        raise KeyboardInterrupt

    start = aside_module._started
    monkeypatch.setattr(aside_module, "_started", lambda *words: started.append(start(*words)) or started[-1])
    monkeypatch.setattr(ranking, "leaderboard", fail)
    with pytest.raises(KeyboardInterrupt):
        export(large)
    assert ({-signal.SIGKILL}, []) == ({each.returncode for each in started}, left(large.folder))


STUCK = """
import os, subprocess, sys
import arena.analysis
from arena.cli import main
from arena.store import aside, store
from arena.store.files import draft_path

def started(words, **how):
    program = words.index("-c") + 1
    words[program] = f"import arena.store.store as store; store.check_folder = lambda _: None; {words[program]}"
    os.mkfifo(draft_path(store.Path(sys.argv[2]), "seats.csv", os.getpid()))
    aside.subprocess.Popen = start
    return start(words, **how)

start, aside.subprocess.Popen = subprocess.Popen, started
arena.analysis.LARGE = 0
main()
"""
"""`arena leaderboard` whose second process writes into a pipe that nobody reads, and waits for ever.

That process is kept from refusing a folder with a pipe in it.
"""


def has_writer(pipe):
    """Whether anybody has opened the other end."""
    try:
        return os.read(pipe, 1) != b""
    except BlockingIOError:
        return True


PIPE_FULL = 2**16 - 2**13
"""A pipe of Linux takes 64 KiB; who writes 8 KiB at a time then waits until somebody reads."""


def unread(pipe):
    """How many bytes wait in it."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "start"),
    [
        pytest.param(signal.SIGINT, INTERRUPTED, "", id="Ctrl-C"),
        pytest.param(signal.SIGTERM, TERMINATED, "", id="SIGTERM", marks=NIGHTLY),
        pytest.param(signal.SIGKILL, -9, "", id="SIGKILL", marks=NIGHTLY),
        pytest.param(signal.SIGKILL, -9, "trap '' INT;", id="SIGKILL, in the background of a script"),
    ],
)
def test_it_ends_with_the_first_process(store, number, code, start):
    """However that ends, no process and no temporary file of a table is left."""
    store.add_many(play(series, 0) for series in range(1000))  # more than a pipe holds
    words = ["sh", "-c", f'{start} exec "$@"', "sh", sys.executable, "-c", STUCK, "leaderboard"]
    process = subprocess.Popen([*words, str(store.folder)])
    place = draft_path(store.folder, "seats.csv", process.pid)
    deadline = time.monotonic() + 120  # two processes that import pandas; a minute and more on a busy machine
    while not place.exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
    pipe = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    try:
        while not has_writer(pipe):
            assert time.monotonic() < deadline
            assert process.poll() is None
        while unread(pipe) < PIPE_FULL:
            assert time.monotonic() < deadline
            assert process.poll() is None
        process.send_signal(number)
        assert code == process.wait(60)
        while place.exists():  # after SIGKILL only the second process is there to remove it
            assert time.monotonic() < deadline
    finally:
        os.close(pipe)
        process.kill()
