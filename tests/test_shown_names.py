"""Names beside a league's folder: what is shown in place of ids, and what is not."""

from __future__ import annotations

import tomllib

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.store.shown_names import ShownNames, names_beside, names_file, names_text


def beside(tmp_path, names):
    folder = tmp_path / "class"
    names_file(folder).write_text(names_text(names), encoding="utf-8")
    return names_beside(folder)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("b17@2 beats b1@12", "shark@2 beats fox@12"),
        ("b17@2+b1@1#0.3/1", "shark@2+fox@1#0.3/1"),
        ("b171@2, xb17@2, b17", "b171@2, xb17@2, b17"),
        ("", ""),
    ],
)
def test_a_version_is_read_as_the_name_of_its_bot(tmp_path, text, shown):
    """Nothing else is."""
    names = beside(tmp_path, {"b17": "shark", "b1": "fox"})
    assert shown == names.said(text)
    assert ("b17@2", "b17@2", "odds") == tuple(map(names.bot, ("shark@2", "b17@2", "odds")))


def test_a_name_that_would_be_taken_for_another_bot_is_not_shown(tmp_path):
    names = beside(tmp_path, {"b17": "b1", "b2": "x b3@1", "b4": "b4"})
    assert "b17@2 b2@1 b4@1" == names.said("b17@2 b2@1 b4@1")


@given(st.dictionaries(st.from_regex("b[0-9]{1,3}", fullmatch=True), st.text(max_size=24), max_size=3))
def test_any_name_is_read_as_it_was_written(names):
    assert names == tomllib.loads(names_text(names))["bots"]


def test_names_are_shown_in_all_texts_of_a_value(tmp_path):
    @attrs.frozen
    class Row:
        bot: str
        count: int
        more: tuple[object, ...] = ()

    names, row = ShownNames({"b1": "fox"}), Row("b2@1", 3, ("b1@1", {"b1@2": ["b1@3"]}))
    assert Row("b2@1", 3, ("fox@1", {"fox@2": ["fox@3"]})) == names.shown(row)
    same = Row("b2@1", 3)
    assert same is names.shown(same)


@pytest.mark.parametrize("text", ["bots = 3", "[bots]\nb1 = 2", "[bots"])
def test_a_file_that_says_no_names_is_a_mistake(tmp_path, text):
    folder = tmp_path / "class"
    names_file(folder).write_text(text)
    with pytest.raises(ConfigError, match=r"class\.names\.toml"):
        names_beside(folder)
