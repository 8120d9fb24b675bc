"""Every mistake is told in one sentence that names it, with the words that the file has; see the package."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from arena.games import GAMES

from .cases import CASES
from .keeping import PATH, REWRITE, differences, entries_of, kept, neutral, text_of

TESTS = Path(__file__).parents[1]
WORDS_MIN = 6
"""Fewer in a row may stand in a test."""
SEVERAL = "cannot play; fix "
"""Ends the first line where bots follow, a line for each."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_mistake_is_named_in_one_sentence_as_it_was(case):
    """Whatever its words: it names what is wrong, and a command ends with 2, prints no table and makes no file."""
    told = case.told
    assert (2, "", ()) == (told.code, told.printed, told.made)
    assert [] == [name for name in case.names.split("|") if name not in told.text]
    first, *more = told.text.split("\n")
    assert first.startswith("arena: ") if case.typed else "--" not in told.text or "--" in case.name
    assert SEVERAL in first if more else told.text.isprintable()
    assert "Traceback" not in told.text
    if changed := differences({case.name: kept().get(case.name)}, {case.name: case.entry()}):
        pytest.fail(f"{changed[0]}\nIf that is meant: {REWRITE}", pytrace=False)


def test_the_file_has_an_entry_for_each_case():
    """None is missing, none is left over of a case that is gone, and no name is given twice."""
    assert [case.name for case in CASES] == [*kept()], REWRITE


def test_another_word_a_missing_and_a_surplus_entry_are_found():
    """Each is told by the name of its case; what was written is read as it was."""
    before = {"a": "one\n  two: {x}", "b": "three"}
    assert before == entries_of(text_of(before))
    assert [] == differences(before, {**before})
    assert ["a", "b", "c"] == [told.split("\n")[0] for told in differences(before, {"a": "one", "c": ""})]


def test_what_differs_elsewhere_has_a_word_for_it():
    """Paths of this machine, and lists of all that there is: not a list of some."""
    games = list(GAMES)
    text = f"no game in /x/y; known: {', '.join(games)} or {', '.join(games[1:])}"
    assert f"no game in {{HERE}}; known: {{GAMES}} or {', '.join(games[1:])}" == neutral(text, Path("/x/y"))


@pytest.mark.slow
def test_no_other_test_has_the_words_of_a_sentence():
    """A change of words would be found twice; a few words of one, or a name, may be anywhere."""
    told = "\n".join(kept().values())
    again = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in sorted({*TESTS.rglob("*.py")} - {*PATH.parent.iterdir()})
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if len(node.value.split()) >= WORDS_MIN
        and re.sub(r"\\(\W)", r"\1", node.value.strip("^$\n ")) in told
    ]
    assert [] == again
