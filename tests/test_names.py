"""Names that people can tell apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.tournament.bots.entrants import remote, unique_names
from arena.tournament.bots.field import judged
from arena.wire.messages import NAME_LENGTH_MAX, check_name
from arena.wire.names import alike, looks_like, unseen

ALIKE = [
    pytest.param("odds", "оdds", id="a Cyrillic o"),
    pytest.param("Alpha", "Αlpha", id="a Greek capital"),
    pytest.param("odds", "Odds", id="case"),
    pytest.param("STRASSE", "straße", id="a case of two letters"),
    pytest.param("odds", "ｏｄｄｓ", id="width"),
    pytest.param("b0t", "bOt", id="zero and O"),
    pytest.param("b0t", "bot", id="zero and o"),
    pytest.param("vl", "v1", id="l and one"),
    pytest.param("Il", "lI", id="I and l"),
    pytest.param("a b", "a  b", id="blanks"),
    pytest.param("a b", "a\u00a0b", id="kinds of blanks"),
    pytest.param("\u00e9va", "e\u0301va", id="an accent of its own"),
    pytest.param("ﬁn", "fin", id="a ligature"),
]
APART = [
    ("odds-1", "odds-2"),
    ("ai", "al"),
    ("Eva", "\u00c9va"),
    ("bot-10", "bot-1"),
    ("a_b", "a b"),
    ("дом", "дам"),
]


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_names_that_look_alike_do_not_play_one_tournament(name, other):
    """The sentence shows what is different, where letters do not."""
    assert looks_like(name, other)
    first, second = judged([Entrant(name=each, kind="process") for each in (name, other)], game="blef")
    assert ("", "broken") == (first.problem, second.kind)
    assert "look alike: rename it, or use NAME=BOT" in second.problem
    strange = [char for char in f"{name}{other}" if not char.isascii()]
    assert [] == [char for char in strange if f"U+{ord(char):04X}" not in second.problem]
    with pytest.raises(ConfigError, match="look alike"):
        judged([Entrant(name=each, kind="remote") for each in (name, other)], game="blef")


@pytest.mark.parametrize(("name", "other"), APART)
def test_names_that_differ_do(name, other):
    """A number more, an accent, another letter."""
    assert not looks_like(name, other)
    assert ["", ""] == [one.problem for one in judged(map(remote, (name, other)), game="blef")]


@given(st.lists(st.sampled_from(["odds", "odds-2", "a", "bot-1"]), max_size=12))
def test_numbers_that_we_give_are_told_apart(names):
    """`odds-2` is no other bot's look-alike, whoever is called so already."""
    judged(unique_names(map(remote, names)), game="blef")


@given(st.text(max_size=NAME_LENGTH_MAX), st.text(max_size=NAME_LENGTH_MAX))
def test_looks_are_mutual(name, other):
    """And everybody looks like himself."""
    assert looks_like(name, other) == looks_like(other, name)
    assert looks_like(name, name)
    assert (name != other and looks_like(name, other)) == bool(list(alike([name, other])))


@pytest.mark.parametrize("name", ["นักสู้", "हिन्दी", "Đặng", "e\u0301va", "❤", "가나", "ธ", "日本"])
def test_every_script_has_names(name):
    """Marks on letters are how many of them are written."""
    assert (None, None) == (unseen(name), check_name(name))
