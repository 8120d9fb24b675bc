"""The 88 sets of Blef: how often each is in a pool, which are there, and what they are called."""

from itertools import combinations
from math import comb

import pytest
from daily import NIGHTLY
from hypothesis import given
from hypothesis import strategies as st

from arena.games.blef.sets import CARDS, SETS, TEXTS, Card, pool

# RULES.md, "Blef", "Check against": of the C(24, 5) pools, how many hold one given set.
KINDS = [
    ("high card", range(6), 27000),
    ("pair", range(6, 12), 7620),
    ("two pair", range(12, 27), 624),
    ("straight of five", range(27, 29), 1024),
    ("great straight: six cards", range(29, 30), 0),
    ("three", range(30, 36), 780),
    ("full house", range(36, 66), 24),
    ("flush", range(66, 70), 6),
    ("four", range(70, 76), 20),
    ("straight flush of five", range(76, 84), 1),
    ("great straight flush: six cards", range(84, 88), 0),
]


def pools(size):
    """All pools of so many cards."""
    return [sum(1 << number for number in numbers) for numbers in combinations(range(24), size)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ids", "expected"),
    [
        pytest.param(*row, id=row[0], marks=() if row[0] in ("full house", "flush") else NIGHTLY)
        for row in KINDS
    ],
)
def test_how_many_pools_of_five_hold_a_set(kind, ids, expected):
    """Over all C(24, 5) pools, every set of a kind is in as many as RULES.md says."""
    every = pools(5)
    assert comb(24, 5) == len(every)
    assert dict.fromkeys(ids, expected) == {number: sum(map(SETS[number].is_in, every)) for number in ids}


@pytest.mark.slow
def test_how_many_pools_of_six_hold_the_six_card_sets():
    """A great straight is in 4**6 pools of six, one great straight flush of each colour in one."""
    every = pools(6)
    assert [4**6, 1, 1, 1, 1] == [sum(map(SETS[number].is_in, every)) for number in (29, 84, 85, 86, 87)]


def test_the_kinds_are_all_ids():
    """The table above leaves none of the 88 out."""
    assert list(range(88)) == [number for _, ids, _ in KINDS for number in ids]
    assert len(SETS) == 88


ROWS = [
    ("9C", 0, True, "the lowest: a nine is a high card nine"),
    ("TC", 0, False, "a higher card is no nine"),
    ("AS", 5, True, "an ace is the highest high card"),
    ("AS", 11, False, "one ace is no pair"),
    ("AS AC", 11, True, "two aces are a pair"),
    ("AS AC AD", 11, True, "three aces hold the pair"),
    ("TC TD 9C 9D", 12, True, "two pair begins with tens and nines"),
    ("JC JD TC TD", 12, False, "jacks and tens are another two pair"),
    ("JC JD 9C 9D", 13, True, "two pair goes by X"),
    ("JC JD TC TD", 14, True, "and then by Y"),
    ("AC AD KC KD", 26, True, "two pair ends with aces and kings"),
    ("9C TD JH QS KC", 27, True, "small straight: nine to king, any colours"),
    ("9C TD JH QS KC", 28, False, "the small straight is not the big one"),
    ("TD JH QS KC AC", 28, True, "big straight: ten to ace"),
    ("TD JH QS KC AC", 29, False, "the great straight needs the nine too"),
    ("9C TD JH QS KC AD", 29, True, "great straight: all six"),
    ("9C TD JH QS KC AD", 27, True, "the great straight holds the small one"),
    ("9C 9D 9H", 30, True, "three nines"),
    ("9C 9D 9H TC TD", 36, True, "full house begins with nines over tens"),
    ("9C 9D TC TD TH", 36, False, "tens over nines is another full house"),
    ("9C 9D TC TD TH", 41, True, "full house goes by X"),
    ("AC AD AH KC KD", 65, True, "full house ends with aces over kings"),
    ("9C TC QC KC AC", 66, True, "flush of clubs: five clubs"),
    ("9C TC QC KC AD", 66, False, "four clubs are no flush"),
    ("9C TC JC QC KC AC", 66, True, "six clubs are at least five"),
    ("9S TS QS KS AS", 69, True, "flushes end with spades"),
    ("9C 9D 9H 9S", 70, True, "four nines"),
    ("9C 9D 9H 9S", 30, True, "four of a kind holds three"),
    ("9C 9D 9H 9S", 6, True, "and a pair"),
    ("AC AD AH AS", 75, True, "four aces"),
    ("9C TC JC QC KC", 76, True, "small straight flush of clubs"),
    ("9C TC JC QC KD", 76, False, "a straight of two colours is no straight flush"),
    ("9S TS JS QS KS", 79, True, "small straight flushes end with spades"),
    ("TC JC QC KC AC", 80, True, "big straight flush of clubs"),
    ("TD JD QD KD AD", 81, True, "and of diamonds"),
    ("9C TC JC QC KC AC", 84, True, "great straight flush of clubs"),
    ("9S TS JS QS KS AS", 87, True, "the highest: great straight flush of spades"),
    ("TS JS QS KS AS", 87, False, "five of its cards are not enough"),
]


@pytest.mark.parametrize(("cards", "action_id", "is_there", "rule"), ROWS, ids=[row[3] for row in ROWS])
def test_what_a_set_is(cards, action_id, is_there, rule):
    """A row a rule."""
    assert is_there == SETS[action_id].is_in(pool(CARDS[TEXTS.index(card)] for card in cards.split()))


def is_there(action_id, values, colours, cards):
    """The rules of the sets once more, told by kind: what the needs of `blef_sets` are compared with."""
    pairs = [(x, y) for x in range(6) for y in range(6)]
    runs = [range(5), range(1, 6), range(6)]
    if action_id < 12:
        return values[action_id % 6] >= 1 + action_id // 6
    if action_id < 27:
        x, y = [(x, y) for x, y in pairs if x > y][action_id - 12]
        return values[x] >= 2 and values[y] >= 2
    if action_id < 30:
        return all(values[value] for value in runs[action_id - 27])
    if action_id < 36:
        return values[action_id - 30] >= 3
    if action_id < 66:
        x, y = [(x, y) for x, y in pairs if x != y][action_id - 36]
        return values[x] >= 3 and values[y] >= 2
    if action_id < 70:
        return colours[action_id - 66] >= 5
    if action_id < 76:
        return values[action_id - 70] == 4
    run, colour = divmod(action_id - 76, 4)
    return all(Card(value, colour) in cards for value in runs[run])


@given(st.sets(st.sampled_from(CARDS)))
def test_any_pool_holds_what_the_rules_say(cards):
    """For pools of any size, the needs agree with the rules told in another way."""
    values = [sum(card.value == value for card in cards) for value in range(6)]
    colours = [sum(card.colour == colour for card in cards) for colour in range(4)]
    bits = pool(cards)
    assert [is_there(number, values, colours, cards) for number in range(88)] == [
        each.is_in(bits) for each in SETS
    ]


@given(st.sets(st.sampled_from(range(24))), st.integers(0, 23))
def test_a_card_more_takes_no_set_away(numbers, more):
    """Every set means "at least"."""
    bits = sum(1 << number for number in numbers)
    assert [] == [each.name for each in SETS if each.is_in(bits) and not each.is_in(bits | 1 << more)]


def test_names_and_texts_are_all_different():
    """88 names, 24 cards, 24 texts; a card's text is its value and colour."""
    assert [88, 24, 24] == [len({each.name for each in SETS}), len(set(CARDS)), len(set(TEXTS))]
    assert list(zip(TEXTS, CARDS, strict=True)) == [
        (value + colour, Card("9TJQKA".index(value), "CDHS".index(colour))) for value, colour in TEXTS
    ]
