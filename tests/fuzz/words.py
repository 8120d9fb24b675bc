"""Target: the words of the command line, in this process, in a folder of its own, where nothing is played."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from unittest.mock import patch

import click

# What commands import when they are first used, some of it by starting programs.
import arena.analysis.bot_page
import arena.cli.runs.compare
import arena.cli.runs.run
import arena.page.report
import arena.terminal.match  # noqa: F401
from arena.cli import cli, main

from .files import scratch
from .tape import Tape

COMMANDS = ("run", "compare", "leaderboard", "report", "matches", "replay", "games", "bots", "--version", "")
DRY = ("run", "compare")
VALUES = (
    *(
        "odds",
        "bluffer",
        "random",
        "truthful",
        "mine.py",
        "no.py",
        "plan.toml",
        "odd.toml",
        "results/x",
        "nobody",
    ),
    *(
        "a=odds",
        "=odds",
        "a=",
        "yourself=odds",
        "module:Class",
        "python3 mine.py",
        "'",
        '"x',
        "a b",
        "arena.sdk:Bot",
    ),
    *(
        "liars-dice",
        "holdem",
        "bluff",
        "blef",
        "chamber",
        "chess",
        "dice=3",
        "dice",
        "dice=x",
        "wild=true",
        "=",
        "x=1",
    ),
    *("round-robin", "gauntlet", "swiss", "knockout", "all", "balanced", "same", "fresh", "none", "faults"),
    *("0", "1", "2", "3", "10", "-1", "1.5", "1e9", "nan", "inf", "9" * 20, "9" * 5000, "0x10", "٣", "½"),
    *("500ms", "2s", "20m", "1h", "0s", "1d", "99999999h", "1e400", "-2s", "s"),
    *("127.0.0.1:0", "127.0.0.1:8888", "[::1]:1", ":1", "host", "host:99999", "host:x"),
    *("top 3 at 95%", "leader", "top 0 at 95%", "top 2 at 200%", "top", "0.05", "0", "1", "2.0", "1e-300"),
    *(
        "too_late",
        "any",
        "spectator",
        "3f",
        "faults/x-0-0.jsonl",
        "",
        " ",
        "\x1b[2J",
        "\udcff",
        "é😀",
        "a" * 300,
        "--",
    ),
    *(".", "./", "a/b", "x.jsonl", "plan.json", "\n", "%s", "{0}", "*"),
)
PLANS = {
    "plan.toml": 'game = "liars-dice"\nbots = ["odds", "bluffer"]\nseries = 2\n[rules]\ndice = 2\n',
    "odd.toml": 'game = "chess"\nbots = [3]\n"\\u001b[2J" = 1\n',
    "mine.py": "print('not to be run')\n",
}


@cache
def _options() -> dict[str, tuple[str, ...]]:
    """Every command's options, and those of all together."""
    own = {
        name: tuple(word for each in command.params if isinstance(each, click.Option) for word in each.opts)
        for name, command in cli.commands.items()
    }
    return own | {"": tuple(sorted({word for words in own.values() for word in words}))}


def words(data: bytes) -> None:
    """Any words end in an answer, or in sentences and exit code 2; nothing is started or connected to."""
    vector = list(_vector(Tape(data)))
    with _at_home(), _alone():
        code, told = _answer(vector)
    assert code in (0, 1, 2), f"arena {vector}: exit code {code}\n{told}"
    assert code != 2 or told.strip(), f"arena {vector}: says nothing"
    odd = [symbol for symbol in told if not symbol.isprintable() and symbol != "\n"]
    assert not odd, f"arena {vector}: the terminal would get {odd[:3]!r}"


def _answer(vector: list[str]) -> tuple[object, str]:
    """Exit code and standard error of the program."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    with (
        patch.object(sys, "argv", ["arena", *vector]),
        patch.object(signal, "signal"),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    streams[1].flush()
    return code, streams[1].buffer.getvalue().decode()  # type: ignore[attr-defined]


def _vector(tape: Tape) -> Iterator[str]:
    """A command, `--dry-run` where it would play, then options and values in any order."""
    command = tape.pick(COMMANDS)
    yield command
    if command in DRY:
        yield "--dry-run"  # first: behind an option it could be that option's value
    while not tape.is_over:
        kind = tape.below(8)
        if kind < 3:
            yield tape.pick(_options().get(command) or _options()[""])
        elif kind == 3:
            yield tape.pick(_options()[""])
        elif kind < 7:
            yield tape.pick(VALUES)
        else:
            yield _harmless(tape.chunk(tape.below(24)).decode("utf-8", "surrogateescape"))


def _harmless(word: str) -> str:
    """The word, but no place outside of the folder, and no way up: what is written is written here."""
    return re.sub(r"\.\.|^/+|~|(?<==)/+", "", word).replace("\0", "").replace("//", "/")


@contextmanager
def _at_home() -> Iterator[None]:
    home = scratch() / "home"
    if not home.is_dir():
        home.mkdir()
        for name, text in PLANS.items():
            (home / name).write_text(text)
    before = os.getcwd()
    os.chdir(home)
    try:
        yield
    finally:
        os.chdir(before)


class _Started(AssertionError):
    """A program was started, or somebody was connected to."""


@contextmanager
def _alone() -> Iterator[None]:
    """Whatever would reach out of this process fails, as nothing that is asked for here may."""

    def refuse(*arguments: object, **more: object) -> None:
        raise _Started(f"reached out: {arguments!r}")

    places = ("subprocess.Popen", "os.posix_spawn", "socket.socket.connect", "socket.socket.bind", "trio.run")
    patches = [patch(place, refuse) for place in (*places, "webbrowser.open")]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
