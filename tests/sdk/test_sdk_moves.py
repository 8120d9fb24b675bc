"""Moves out of options."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sdk import allows, choose, every
from arena.sdk.moves import fill


def option(form, **fields):
    return {"kind": "Any", "form": form, "fields": fields}


BID = option(["<face>", "<count>"], face={"min": 5, "max": 6}, count={"min": 4, "max": 5})

FORMS = [
    ("a word", "pass", {}, "pass"),
    ("a number", 88, {}, 88),
    ("the only field, bare", "<packet>", {"packet": 7}, 7),
    ("fields in a list", ["<face>", "<count>"], {"face": 6, "count": 2}, [6, 2]),
    ("a tagged object", {"action": "raise", "to": "<amount>"}, {"amount": 40}, {"action": "raise", "to": 40}),
    ("a subset", {"play": "<cards>"}, {"cards": ["AS", "TC"]}, {"play": ["AS", "TC"]}),
    ("angle brackets that name no field", ["<other>", "<>"], {"face": 1}, ["<other>", "<>"]),
    ("a value that looks like a field", ["<a>", "<b>"], {"a": "<b>", "b": 1}, ["<b>", 1]),
]


@pytest.mark.parametrize(("name", "form", "values", "move"), FORMS, ids=[row[0] for row in FORMS])
def test_a_form_is_filled(name, form, values, move):
    """A form is the move once its fields stand in it."""
    assert move == fill(form, values)


def test_every_move_is_listed():
    """All values of all fields of all options, in order; of a subset every size."""
    subset = option("<cards>", cards={"subset_of": ["a", "b", "c"], "least": 2, "most": 3})
    one_of = option({"at": "<who>"}, who={"one_of": ["ann", "bob"]})
    expected = [
        *([5, 4], [5, 5], [6, 4], [6, 5]),
        "challenge",
        *({"at": "ann"}, {"at": "bob"}),
        *(["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"]),
    ]
    assert expected == list(every([BID, option("challenge"), one_of, subset]))


def test_an_option_is_drawn_before_its_fields():
    """A family of a thousand moves is as likely as a single one."""
    wide = option(["<count>"], count={"min": 1, "max": 1000})
    rng = Random(1)
    challenges = sum(choose([wide, option("challenge")], rng) == "challenge" for _ in range(1000))
    assert 450 < challenges < 550  # a thousand fair coins: six standard deviations are 95


def test_the_size_of_a_subset_is_drawn_before_its_members():
    """Every size is equally likely, however many subsets it has."""
    cards = option("<cards>", cards={"subset_of": list("abcdefgh"), "least": 1, "most": 4})
    rng = Random(2)
    sizes = Counter(len(choose([cards], rng)) for _ in range(1000))
    assert {1, 2, 3, 4} == set(sizes)
    assert all(180 < number < 320 for number in sizes.values())  # 250, five standard deviations are 68


between = st.integers(-20, 20).flatmap(
    lambda low: st.integers(low, low + 3).map(lambda high: {"min": low, "max": high})
)
one_of = st.lists(st.integers() | st.text(), min_size=1, max_size=4).map(lambda values: {"one_of": values})
subset = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True).flatmap(
    lambda of: st.tuples(st.integers(0, len(of)), st.integers(0, len(of))).map(
        lambda bounds: {"subset_of": of, "least": min(bounds), "most": max(bounds)}
    )
)
options = st.lists(
    st.tuples(between | one_of | subset, between | one_of | subset).map(
        lambda domains: option({"tag": ["<x>"], "y": "<y>"}, x=domains[0], y=domains[1])
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.slow
@given(options=options, seed=st.integers(0, 10))
def test_a_chosen_move_is_one_of_all(options, seed):
    """Whatever the options, the move drawn is one that they allow; of a subset the order is free."""
    drawn = choose(options, Random(seed))
    assert any(same_move(drawn, move) for move in every(options))


def same_move(one, other):
    return canonical(one) == canonical(other)


def canonical(move):
    x, y = move["tag"][0], move["y"]
    return [sorted(value) if isinstance(value, list) else value for value in (x, y)]


@pytest.mark.slow
@given(options=options, seed=st.integers(0, 10))
def test_a_seed_gives_one_move(options, seed):
    """The same seed draws the same move."""
    assert choose(options, Random(seed)) == choose(options, Random(seed))


CARDS = option({"play": "<cards>"}, cards={"subset_of": ["AS", "TC", "9H"], "least": 1, "most": 2})
CLAIM = option({"play": "card", "claim": "<claim>"}, claim={"one_of": ["J", None]})
ALLOWED = [
    ("a word", "pass", option("pass"), True),
    ("another word", "fold", option("pass"), False),
    ("a number", 88, option(88), True),
    ("the same number as text", "88", option(88), False),
    ("in a list", [6, 4], BID, True),
    ("out of range", [6, 6], BID, False),
    ("true is not 1", True, option("<n>", n={"min": 0, "max": 1}), False),
    ("true is not the number 1", True, option(1), False),
    ("a list that is too short", [6], BID, False),
    ("a list that is too long", [6, 4, 4], BID, False),
    ("no list", "64", BID, False),
    ("a subset, in any order", {"play": ["9H", "AS"]}, CARDS, True),
    ("a member twice", {"play": ["AS", "AS"]}, CARDS, False),
    ("too few", {"play": []}, CARDS, False),
    ("too many", {"play": ["AS", "TC", "9H"]}, CARDS, False),
    ("another member", {"play": ["2C"]}, CARDS, False),
    ("a text for a subset", {"play": "AS"}, CARDS, False),
    ("an object in a subset", {"play": [{}]}, CARDS, False),
    ("one of", {"play": "card", "claim": "J"}, CLAIM, True),
    ("null", {"play": "card", "claim": None}, CLAIM, True),
    ("left out, which means null", {"play": "card"}, CLAIM, True),
    ("left out, though null is not allowed", {}, CARDS, False),
    ("a key too many", {"play": "card", "more": 1}, CLAIM, False),
    ("another tag", {"play": "all", "claim": "J"}, CLAIM, False),
    ("no object", ["J"], CLAIM, False),
]


@pytest.mark.parametrize(("name", "move", "family", "legal"), ALLOWED, ids=[row[0] for row in ALLOWED])
def test_what_options_allow(name, move, family, legal):
    """A move is allowed if one option's form, filled from its domains, gives it."""
    assert legal is allows([option("other"), family], move)


def test_every_listed_move_is_allowed():
    """`every` and `allows` read options alike."""
    options = [BID, CARDS, CLAIM, option("challenge")]
    assert all(allows(options, move) for move in every(options))
    assert not allows([], "challenge")
