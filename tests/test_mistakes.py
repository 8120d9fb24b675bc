"""The mistakes of the first hour: each is told in one sentence, in one style, with what would be right."""

from __future__ import annotations

import pytest

from tests.test_cli import arena, call  # noqa: F401  (a fixture)

# The words of a command.

WORDS = [
    ("a bot for a command", ("odds", "random"), '"odds" is not a command: `arena run odds` plays it'),
    ("a file for a command", ("a b.py",), "\"a b.py\" is not a command: `arena run 'a b.py'` plays it"),
    ("a typo in a command", ("rum",), 'no command "rum" (did you mean run?); `arena --help` lists all'),
    (
        "a typo in an option",
        ("run", "odds", "--seris=3"),
        "--seris: no such option (did you mean --series?); `arena run --help` lists all",
    ),
    (
        "another program's option",
        ("run", "odds", "random", "--time-limit", "5"),
        "--time-limit: no such option (did you mean --move-time?); `arena run --help` lists all",
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
    ("a wrong word", ("games", "--color", "blue"), '--color: found "blue", expected auto, always or never'),
    ("no number", ("replay", "a", "--round", "x"), '--round: found "x", expected a whole number from 1'),
]


@pytest.mark.parametrize(("words", "said"), [row[1:] for row in WORDS], ids=[row[0] for row in WORDS])
def test_a_mistake_in_the_words_is_one_sentence(arena, tmp_path, monkeypatch, words, said):  # noqa: F811
    """In the style of all others, without lines of usage above it."""
    (tmp_path / "a b.py").touch()
    monkeypatch.chdir(tmp_path)
    assert (2, "", f"arena: {said}\n") == arena(*words)


def test_without_a_word_there_is_help(arena):  # noqa: F811
    """Whoever types only the program's name has made no mistake."""
    code, out, err = arena()
    assert (0, True, "") == (code, "arena run odds ./mybot" in out, err)
