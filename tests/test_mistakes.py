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
from arena.tournament.bots.entrants import resolve
from arena.tournament.plan.checking import differences
from arena.words import version_words, width


@pytest.fixture
def arena(capsys, monkeypatch, tmp_path):
    """`arena WORDS` in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: call(capsys, monkeypatch, *map(str, words))


# The words of a command.

WORDS = [
    ("a bot for a command", ("odds", "random"), '"odds" is not a command: `arena run odds` plays it'),
    ("a file for a command", ("a b.py",), "\"a b.py\" is not a command: `arena run 'a b.py'` plays it"),
    ("a typo in a command", ("rum",), 'no command "rum" (did you mean run?); `arena --help` lists all'),
    (
        "a typo in a command to tell of",
        ("help", "rum"),
        'no command "rum" (did you mean run?); `arena --help` lists all',
    ),
    (
        "a typo in an option",
        ("run", "odds", "--seris=3"),
        "--seris: no such option (did you mean --series?); `arena run --help-all` lists all",
    ),
    (
        "another program's option",
        ("run", "odds", "random", "--time-limit", "5"),
        "--time-limit: no such option (did you mean --move-time?); `arena run --help-all` lists all",
    ),
    (
        "bots as an option",
        ("run", "--bots", "odds"),
        "--bots: no such option; bots are named without one: arena run odds random",
    ),
    ("an option of nobody", ("matches", "--zzz"), "--zzz: no such option; `arena matches --help` lists all"),
    ("no value", ("run", "odds", "--series"), "--series: its value is missing, expected: --series N"),
    ("no word", ("matches", "--color"), "--color: its value is missing, expected: --color auto|always|never"),
    ("a value for a flag", ("run", "--quiet=3"), "--quiet takes no value"),
    ("a word too few", ("replay",), "MATCH is missing, expected: arena replay MATCH [DIR]"),
    ("a word too many", ("games", "blef", "x"), "a word too many (x), expected: arena games [NAME]"),
    ("two too many", ("games", "blef", "x", "y"), "too many words (x y), expected: arena games [NAME]"),
    (
        "an option for a value",
        ("run", "odds", "random", "--out", "--fresh"),
        "--out: its value is missing, expected: --out DIR",
    ),
    (
        "an option for a name",
        ("run", "odds", "--remote", "--dry-run"),
        "--remote: its value is missing, expected: --remote NAME",
    ),
    (
        "a file for a match",
        ("replay", "a b.py"),
        "a b.py is a file, expected the beginning of a match's id, or a capsule (.jsonl)",
    ),
    (
        "a file for a folder",
        ("leaderboard", "a b.py"),
        "a b.py is not a results folder: it is a file, expected the folder that a run wrote",
    ),
    ("no folder", ("report", "none"), "none is not a results folder: there is no such folder"),
    (
        "a file for --out",
        ("run", "odds", "random", "--out", "a b.py/x"),
        "a b.py cannot be written: it is a file, expected a folder",
    ),
    (
        "bots with a comma",
        ("run", "odds,random"),
        "no such bot: odds,random; these are 2 bots, expected a word for each: odds random",
    ),
    (
        "bots in quotes",
        ("run", "odds random"),
        "no such bot: odds random; these are 2 bots, expected a word for each: odds random",
    ),
    ("a wrong word", ("games", "--color", "blue"), '--color: found "blue", expected auto, always or never'),
    ("no number", ("replay", "a", "--round", "x"), '--round: found "x", expected a whole number from 1'),
]


@pytest.mark.parametrize(("words", "said"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS])
def test_a_mistake_in_the_words_is_one_sentence(arena, tmp_path, words, said):
    """In the style of all others, without lines of usage above it."""
    (tmp_path / "a b.py").touch()
    assert (2, "", f"arena: {said}\n") == arena(*words)


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


def test_an_option_that_is_mistyped_is_named_as_an_option(arena):
    """A value that a plan would not take either, and a rule that is a setting of its own."""
    assert (2, "", "arena: --per-address: found 0, expected a whole number from 1\n") == arena(
        "run", "odds", "random", "--per-address", "0"
    )
    code, _, err = arena("run", "odds", "--expect", "1")
    assert (2, err) == (
        code,
        "arena: there is no address for 1 bot to connect to: listen is not set; "
        "--listen 127.0.0.1:8888 sets one\n",
    )
    code, _, err = arena("run", "odds", "random", "--rule", "series=3")
    assert (2, True, True) == (code, "arena: --rule series: no rule of" in err, "; --series sets it\n" in err)


# Words about bots.


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nobody", "no such bot: nobody; built-in bots are"),
        ("ods", "no such bot: ods (did you mean odds?)"),
        ("./nobody.py", 'there is no file or folder "./nobody.py"'),
        ("odds", "1 bot for 2 seats: name more bots\n"),
    ],
)
def test_one_word_that_is_no_bot(arena, word, said):
    """It is told that it leads nowhere, not that one bot is too few."""
    code, _, err = arena("run", word)
    assert (2, True) == (code, err.startswith(f"arena: {said}")), err


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


@pytest.mark.parametrize(("key", "meant"), [("command", "run"), ("Cmd", "run"), ("game", "games")])
def test_a_key_of_bot_toml_by_another_name(tmp_path, key, meant):
    """What other programs call it is no slip of the pen, and is guessed all the same."""
    (tmp_path / "bot.toml").write_text(f'{key} = "x"\nrun = "./x"\n')
    with pytest.raises(ConfigError, match=rf"{key}: no such key \(did you mean {meant}\?\); accepted: name,"):
        resolve(str(tmp_path), base=tmp_path)


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
