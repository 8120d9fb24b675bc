"""The mistakes of the first hour: each is told in one sentence, in one style, with what would be right."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest
from test_cli import call

from arena.cli.mistakes import told_mistake
from arena.errors import ELSEWHERE, START_OVER, ConfigError, Hint
from arena.games import GAMES
from arena.sdk import Bot, run
from arena.store.files import write_text
from arena.terminal import text
from arena.terminal.text import reflowed
from arena.tournament.plan.checking import differences
from arena.words import version_words, width


@pytest.fixture
def arena(capsys, monkeypatch, tmp_path):
    """`arena WORDS` in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: call(capsys, monkeypatch, *map(str, words))


def test_without_a_word_there_is_help(arena):
    """Whoever types only the program's name has made no mistake."""
    code, out, err = arena()
    assert (0, True, "") == (code, "arena run odds ./mybot" in out, err)


# What other rooms say of settings, as it is typed.

TOLD = [
    ("as it is", ConfigError("out is a file"), "out is a file"),
    (
        "a setting",
        ConfigError("found 0, expected 1", setting="move_time"),
        "--move-time: found 0, expected 1",
    ),
    (
        "a setting and its value",
        ConfigError("no such rule", setting="rule", value="move_time"),
        "--rule move_time: no such rule",
    ),
    ("bots, which need no option", ConfigError("found 3", setting="bots"), "BOT: found 3"),
    (
        "ways out",
        ConfigError("out is there", hints=[START_OVER, ELSEWHERE]),
        "out is there; --fresh starts over, --out DIR plays elsewhere",
    ),
    (
        "a way out by another command",
        ConfigError("it is half done", hints=[Hint("resume", "goes on", "my run", command="run")]),
        "it is half done; `arena run --resume 'my run'` goes on",
    ),
    (
        "ways out of a list of mistakes",
        ConfigError("two are broken:\n  a\n  b", hints=[Hint("leave_out_broken", "plays without them")]),
        "two are broken:\n  a\n  b\n--leave-out-broken plays without them",
    ),
    (
        "several mistakes",
        ConfigError(
            "seats: found 0\nper_address: found x",
            parts=[
                ConfigError("found 0", setting="seats"),
                ConfigError("found x", setting="per_address"),
            ],
        ),
        "--seats: found 0\n--per-address: found x",
    ),
]


@pytest.mark.parametrize(("error", "said"), [row[1:] for row in TOLD], ids=[row[0] for row in TOLD])
def test_settings_are_told_as_options(error, said):
    """Only here: elsewhere the same sentence has the words of a plan, and what only options can do is data."""
    assert said == told_mistake(error)
    assert "--" not in str(error)


# Words about bots.


def test_a_bot_named_twice_is_told_its_name(arena):
    """It is allowed, and a name that nobody chose is not found in the tables unprepared."""
    code, _, err = arena("run", "odds", "odds", "x=odds", "--dry-run")
    assert (0, "another odds plays as odds-2; NAME=BOT gives it a name of your choice\n") == (code, err)


def test_a_bot_without_a_version_has_none():
    """The tables have 0 for it, which is no version to people."""
    assert ["", "", "1.2", "\\x1b"] == [version_words(version) for version in ("0", "", "1.2", "\x1b")]


@pytest.mark.parametrize(
    ("first_line", "said"),
    [
        (b"#!/usr/bin/env python3\r\n", "its first line ends as on Windows: save it with the line ends of Unix (LF)"),
        (b"#!/usr/bin/env ruby99\n", "its first line names ruby99, which is not on this machine"),
        (b"#!/opt/none/ruby -w\n", "its first line names /opt/none/ruby, which is not on this machine"),
    ],
)  # fmt: skip
def test_a_script_that_nothing_runs(arena, tmp_path, first_line, said):
    """Its first line is told, of which the system only says that there is no such file."""
    for name in ("mine", "yours"):
        (tmp_path / name).write_bytes(first_line + b"print(1)\n")
        (tmp_path / name).chmod(0o755)
    code, _, err = arena("run", "./mine", "./yours", "--sandbox", "off", "-q", "--out", "new")
    told = [f"  ./{name}: cannot run ./{name}: {said}" for name in ("mine", "yours")]
    assert (2, ["arena: 2 of 2 bots cannot play; fix them:", *told]) == (code, err.splitlines())


def test_a_bot_started_by_hand_says_who_starts_it(capsys, monkeypatch):
    """In a terminal; what it should do there otherwise nobody could guess."""
    monkeypatch.delenv("ARENA_PORT", raising=False)
    monkeypatch.setattr(sys, "argv", ["bots/mybot.py"])
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda self: True})())
    with pytest.raises(SystemExit, match="2"):
        run(Bot)
    assert capsys.readouterr().err.startswith("The arena starts this bot: arena run mybot.py random; or tell")


# Folders.


def test_another_game_is_told_without_its_rules():
    """All rules differ then, and nobody asks for them."""
    old, new = ({"game": game, "rules": {"dice": dice}} for game, dice in (("liars-dice", 5), ("blef", None)))
    assert ["game: was liars-dice, now blef"] == differences(old, new)
    assert ["rules: dice: was 5, now 6"] == differences(old, old | {"rules": {"dice": 6}})


def test_a_disk_that_cannot_be_written_is_told_by_the_files_own_name(tmp_path, monkeypatch):
    """Not by that of its draft, though removing that fails as well."""

    def refuse(path, *_, **__):
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ConfigError) as raised:
        write_text(tmp_path / "run.json", "{}")
    assert f"{tmp_path}/run.json cannot be written: read-only file system" == str(raised.value)


# Texts in a terminal.

RULES = """Kuhn: a game.

One line that is long enough to be broken.
And one more.

- an item that is long enough
  to be broken too
- a short one

    x = 1  # code, or a table, which stays as it is
"""


def test_a_text_fits_the_terminal():
    """Its paragraphs and items are broken again; where there is no terminal it is as it was written."""
    assert RULES == reflowed(RULES, None) == reflowed(RULES, 60)
    assert [
        "Kuhn: a game.",
        "",
        "One line that is long enough",
        "to be broken. And one more.",
        "",
        "- an item that is long enough",
        "  to be broken too",
        "- a short one",
        "",
        "    x = 1  # code, or a table, which stays as it is",
    ] == reflowed(RULES, 30).splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_every_game_fit_80_columns(arena, monkeypatch, game):
    """As `arena games NAME` prints them in a terminal; a game without house rules says so."""
    monkeypatch.setattr(text, "columns_of", lambda stream: 80)
    out = arena("games", game)[1]
    assert [] == [line for line in out.splitlines() if width(line) > 80]
    assert (game == "blef") == ("no house rules\n" in out)
