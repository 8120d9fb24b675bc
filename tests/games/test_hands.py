"""Hand strength: a row a category and a rule of ties, every seven-card hand counted, two oracles."""

from collections import Counter
from itertools import combinations, pairwise
from math import comb, prod
from random import Random

import pytest
from daily import nightly

from arena.games.cards import DECK, SUITS
from arena.games.hands import CATEGORIES, category, strength

ASCENDING = "23456789TJQKA"


def of(text):
    """The strength of cards such as `AS KS`."""
    return strength(text.split())


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        pytest.param("AS KD 9C 7H 5S 3D 2C", "high card", id="nothing"),
        pytest.param("AS AD 9C 7H 5S 3D 2C", "pair", id="one pair"),
        pytest.param("AS AD 9C 9H 5S 5D 2C", "two pair", id="of three pairs the best two"),
        pytest.param("AS AD AC 7H 5S 3D 2C", "three of a kind", id="three"),
        pytest.param("AS 2D 3C 4H 5S 9D KC", "straight", id="the ace is low in a straight"),
        pytest.param("AS KD QC JH TS 3D 2C", "straight", id="and high"),
        pytest.param("QS KD AC 2H 3S 8D 8C", "pair", id="but no straight goes round the ace"),
        pytest.param("AS 9S 7S 4S 2S KD KC", "flush", id="five of a suit"),
        pytest.param("AS 9S 7S 5S 3S 4S 2S", "straight flush", id="ace to five of a suit with more of it"),
        pytest.param("AS AD AC KH KS 3D 2C", "full house", id="three and a pair"),
        pytest.param("AS AD AC KH KS KD 2C", "full house", id="twice three"),
        pytest.param("AS AD AC AH KS KD KC", "four of a kind", id="four before a full house"),
        pytest.param("2D 3D 4D 5D 6D AS KS", "straight flush", id="straight flush"),
        pytest.param("AD 2D 3D 4D 5D 6S 7S", "straight flush", id="a higher straight of mixed suits"),
        pytest.param("2D 3D 4D 5D 6S 9D AC", "flush", id="straight and flush, but not in the same cards"),
        pytest.param("AS KD 9C 7H 5S", "high card", id="of five cards"),
        pytest.param("TS JS QS KS AS AD", "straight flush", id="of six cards"),
    ],
)
def test_categories(cards, name):
    """The best five of the cards decide what a hand is called, in whatever order the cards come."""
    assert name == category(of(cards))
    shuffled = cards.split()
    Random(1).shuffle(shuffled)
    assert of(cards) == strength(shuffled)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param("AS KD 9C 7H 5S", "AD KC 9H 7S 4D", id="high card: down to the fifth"),
        pytest.param("AS AD KC 7H 5S", "AC AH QC JH TS", id="a pair's kickers"),
        pytest.param("3S 3D 2C 4H 5S", "2S 2D AC KH QS", id="the higher pair"),
        pytest.param("KS KD 2C 2H 5S", "QS QD JC JH AS", id="two pair: the higher one first"),
        pytest.param("KS KD 3C 3H 2S", "KC KH 2D 2H AS", id="then the lower one"),
        pytest.param("KS KD 3C 3H AS 2D 2H", "KC KH 3D 3S QS 2C 2S", id="a third pair is a kicker at most"),
        pytest.param("6S 5D 4C 3H 2S", "5S 4D 3C 2H AS", id="ace to five is the lowest straight"),
        pytest.param("2S 2D 2C AH KS", "AS AD KC KH QS", id="three before two pair"),
        pytest.param("9S 7S 5S 4S 3S", "9D 7D 5D 4D 2D", id="flush: down to the fifth"),
        pytest.param("3S 3D 3C 2H 2S", "2S 2D 2C AH AS", id="full house: the three first"),
        pytest.param("3S 3D 3C KH KS 2S 2D", "3S 3D 3C QH QS JS JD", id="then the higher pair"),
        pytest.param("2S 2D 2C 2H AS KS KD", "2S 2D 2C 2H KS KD KC", id="four: the highest other card"),
        pytest.param("6S 5S 4S 3S 2S", "5D 4D 3D 2D AD", id="straight flush"),
    ],
)
def test_ties_are_broken(better, worse):
    """Of two hands of one category the higher cards win, those that weigh most first."""
    assert of(better) > of(worse)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("AS KD 9C 7H 5S 3D 2C", "AD KC 9H 7S 5D 4D 3C", id="a sixth card counts for nothing"),
        pytest.param("AS KS 9S 7S 5S", "AD KD 9D 7D 5D", id="suits have no rank"),
        pytest.param("AS AD KC KH QS QD JC", "AS AD KC KH QS JD 9C", id="a pair as good as its one card"),
    ],
)
def test_equal_hands(one, other):
    """What differs only outside the best five is equal."""
    assert of(one) == of(other)


def spread(counts):
    """Cards with so many of each rank, no five of a suit: each rank takes the suits least used."""
    used, cards = Counter(dict.fromkeys(SUITS, 0)), []
    for rank, count in zip(ASCENDING, counts, strict=True):
        for suit in sorted(SUITS, key=used.__getitem__)[:count]:
            cards.append(rank + suit)
            used[suit] += 1
    assert max(used.values()) < 5
    return cards


def multisets(cards, ranks=13):
    """How many cards of each rank, four at most."""
    if ranks == 0:
        yield from [()] if cards == 0 else []
        return
    for count in range(min(4, cards) + 1):
        for rest in multisets(cards - count, ranks - 1):
            yield (count, *rest)


def ways_with_flush(counts):
    """In how many ways cards with so many of each rank have five of one suit or more."""
    ways = [1] + [0] * 7  # by how many cards have the suit
    for count in counts:
        has, has_not = comb(3, count - 1) if count else 0, comb(3, count)
        ways = [has_not * ways[k] + (has * ways[k - 1] if k else 0) for k in range(8)]
    return 4 * sum(ways[5:])


@pytest.mark.slow
def test_every_hand_of_seven_cards():
    """All C(52, 7) hands fall into the categories as RULES.md, "No-Limit Hold'em", counts them.

    Without a flush every choice of suits is worth the same, so one of each multiset of ranks is asked;
    with one, only the ranks of its suit count, whatever the other cards are.
    """
    found = Counter()
    for counts in multisets(7):
        ways = prod(comb(4, count) for count in counts) - ways_with_flush(counts)
        found[category(strength(spread(counts)))] += ways
    for size in (5, 6, 7):
        others = ["2D", "2C"] if size == 5 else ["2D"] if size == 6 else []
        for ranks in combinations(ASCENDING, size):
            name = category(strength([*(rank + "S" for rank in ranks), *others]))
            found[name] += 4 * comb(39, 7 - size)
    assert comb(52, 7) == sum(found.values())
    straight_flush_to_high_card = [found[name] for name in reversed(CATEGORIES)]
    assert straight_flush_to_high_card == [
        41584, 224848, 3473184, 4047644, 6180020, 6461620, 31433400, 58627800, 23294460,
    ]  # fmt: skip


def test_what_else_lies_beside_a_flush_does_not_count():
    """Two cards more of other suits, whatever they are, leave a flush what it is."""
    flush = ["AS", "JS", "9S", "6S", "3S"]
    rest = [card for card in DECK if card[1] != "S"]
    expected = strength(flush)
    assert {expected} == {strength([*flush, *two]) for two in combinations(rest, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("cards", [7, *nightly(5, 6)])
def test_all_orders_of_strength_are_those_of_the_oracles(cards):
    """On 100,000 random hands eval7 and phevaluator rank every two hands as we do, ties included."""
    eval7 = pytest.importorskip("eval7")
    phevaluator = pytest.importorskip("phevaluator")
    rng = Random(7)
    theirs = {card: eval7.Card(card[0] + card[1].lower()) for card in DECK}
    by_strength = {}
    for _ in range(100_000):
        hand = rng.sample(DECK, cards)
        eval7_says = eval7.evaluate([theirs[card] for card in hand])
        ph_says = -phevaluator.evaluate_cards(*(card[0] + card[1].lower() for card in hand))
        by_strength.setdefault(strength(hand), set()).add((eval7_says, ph_says))
    assert all(len(same) == 1 for same in by_strength.values())
    ordered = [by_strength[ours].pop() for ours in sorted(by_strength)]
    for one, other in pairwise(ordered):
        assert one[0] < other[0]
        assert one[1] < other[1]
