"""Files that others made: pipes, devices, sockets, loops and giants hold nobody up; each gets a sentence or is passed over."""

from __future__ import annotations

import inspect
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from arena.analysis import export, load
from arena.cli import cli
from arena.errors import ArenaError, ConfigError
from arena.page.report.facts import _run_file
from arena.reading.strict import read_regular
from arena.store import Store, is_written
from arena.terminal.text import calm
from arena.tournament.bots.entrants import resolve
from arena.tournament.plan.reading import load_plan

HANGS_S = 5


@pytest.fixture(autouse=True)
def never_for_ever():
    """Whoever reads from a pipe that nobody writes is ended, and the test with him."""

    def ended(*_):
        raise TimeoutError("it was held up")

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(HANGS_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(path.parent)  # its name may have 108 bytes
        made.bind(path.name)
        os.chdir(here)


def giant(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def folder(path: Path) -> None:
    path.mkdir()


ALL = [pipe, device, loop, listener, giant, folder]
kinds = pytest.mark.parametrize("make", ALL)


def bot(path: Path) -> Path:
    path.mkdir()
    (path / "bot.toml").write_text('run = "python3 bot.py"\nbuild = "true"\n')
    (path / "bot.py").write_text("print()")
    return path


@kinds
def test_nothing_but_a_file_is_read(tmp_path, make):
    """Whatever else lies there raises at once."""
    make(tmp_path / "it")
    with pytest.raises(OSError):
        read_regular(tmp_path / "it", 1000)


@kinds
def test_a_plan_is_a_file(tmp_path, make):
    """Or one sentence."""
    make(tmp_path / "it.toml")
    with pytest.raises(ConfigError, match=r"it\.toml: (cannot be read|larger than 1 MiB)"):
        load_plan(tmp_path / "it.toml")


@kinds
def test_a_bots_folder_may_hold_anything(tmp_path, make):
    """What is no file does not count; what is too large is refused."""
    place = bot(tmp_path / "mine")
    before = resolve(str(place), base=tmp_path).fingerprint
    make(place / "it")
    if make is giant:
        with pytest.raises(ConfigError, match="more than 100 MB of files"):
            resolve(str(place), base=tmp_path)
    else:
        assert before == resolve(str(place), base=tmp_path).fingerprint


@pytest.mark.slow
def test_a_bots_folder_may_be_deep(tmp_path, monkeypatch):
    """Deeper than Python may call itself: it is looked through all the same."""
    place = bot(tmp_path / "mine")
    before = resolve(str(place), base=tmp_path).fingerprint
    monkeypatch.chdir(place)
    for _ in range(200):  # a thousand, where nobody lowers the limit, take seconds to remove
        os.mkdir("a")
        os.chdir("a")
    os.chdir(place)
    calls_max = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        assert before == resolve(str(place), base=tmp_path).fingerprint
    finally:
        sys.setrecursionlimit(calls_max)
    Path("a/a/a/more").write_text("it counts")
    assert before != resolve(str(place), base=tmp_path).fingerprint


@kinds
def test_a_bot_file_is_a_file(tmp_path, make):
    """Else the folder has none, or the sentence says what is wrong with it."""
    (tmp_path / "mine").mkdir()
    make(tmp_path / "mine" / "bot.toml")
    with pytest.raises(ConfigError):
        resolve(str(tmp_path / "mine"), base=tmp_path)


@kinds
def test_what_lies_beside_the_database_is_a_file(tmp_path, make):
    """The stamp of the tables and run.json: as good as not there, or a sentence."""
    with Store.create(tmp_path / "run", meta={"game_version": 1}) as store:
        make(store.folder / ".tables.json")
        make(store.folder / "run.json")
        assert not is_written(store.folder, "1", ["matches"])
        assert {} == _run_file(store)
        with pytest.raises(ConfigError, match=r"(run|tables)\.json"):
            _ = load(store.folder).run
        if make is not folder:
            export(store)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "odds", "random", "--out", "a" * 256, "--dry-run"), "no part of it longer than 255 bytes"),
        (("replay", "\udcff"), "arena run"),
    ],
)
def test_paths_that_cannot_be(tmp_path, monkeypatch, words, sentence):
    """One sentence each."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArenaError, match=sentence):
        cli.main(list(words), standalone_mode=False)


@pytest.mark.parametrize(
    "words", [("a\x1b[31mb", "a\\x1b[31mb"), ("a\u202eb\n\tc", "a\\u202eb\n\tc"), ("ä 愛", "ä 愛")]
)
def test_a_terminal_is_told_nothing(words):
    """Control characters and changes of direction are escaped wherever lines come from."""
    assert words[1] == calm(words[0])
