"""The words in which games say what may be done: domains, options, events, results."""

from itertools import product
from random import Random
from typing import ClassVar

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.game import (
    CHANCE,
    Between,
    Event,
    Form,
    Items,
    Literal,
    OneOf,
    Option,
    Seat,
    Subset,
    explain,
    is_legal,
    moves_of,
    shared_returns,
)
from arena.words import LISTED_MAX, SPELT_MAX


@attrs.frozen
class Offer:
    form: ClassVar[Form] = Items(("face", "count"))
    face: int
    count: int


@attrs.frozen
class Show:
    form: ClassVar[Form] = Items(("cards",))
    cards: tuple[str, ...]


@attrs.frozen
class Stop:
    form: ClassVar[Form] = Literal("stop")


LOW = Option(Offer, {"face": Between(4, 6), "count": Between(2, 2)})
HIGH = Option(Offer, {"face": Between(1, 6), "count": Between(3, 5)})
STOP = Option(Stop)
SHOW = Option(Show, {"cards": Subset(("AS", "TC", "9D"), 1, 2)})


@pytest.mark.parametrize(
    ("domain", "value", "inside"),
    [
        pytest.param(Between(2, 5), 2, True, id="the lowest"),
        pytest.param(Between(2, 5), 5, True, id="the highest"),
        pytest.param(Between(2, 5), 1, False, id="below"),
        pytest.param(Between(2, 5), 6, False, id="above"),
        pytest.param(Between(2, 5), 3.0, False, id="no integer"),
        pytest.param(Between(2, 5), "3", False, id="text of a number"),
        pytest.param(Between(2, 5), None, False, id="nothing between"),
        pytest.param(OneOf(("a", "b")), "b", True, id="one of them"),
        pytest.param(OneOf(("a", "b")), "c", False, id="none of them"),
        pytest.param(OneOf((None, Seat(1))), None, True, id="nothing, where that is a value"),
        pytest.param(Subset("abc", 1, 2), ("b",), True, id="one member"),
        pytest.param(Subset("abc", 1, 2), ("c", "a"), True, id="members in any order"),
        pytest.param(Subset("abc", 1, 2), (), False, id="too few members"),
        pytest.param(Subset("abc", 1, 2), ("a", "b", "c"), False, id="too many members"),
        pytest.param(Subset("abc", 1, 2), ("a", "a"), False, id="a member twice"),
        pytest.param(Subset("abc", 1, 2), ("a", "d"), False, id="no member"),
        pytest.param(Subset("abc", 1, 2), ["a"], False, id="a list is no tuple"),
        pytest.param(Subset("abc", 0, 2), (), True, id="no member where none is needed"),
    ],
)
def test_domains_contain(domain, value, inside):
    """A domain says which values a field may have."""
    assert inside == (value in domain)


@pytest.mark.parametrize(
    ("options", "move", "legal"),
    [
        pytest.param([LOW, STOP], Offer(5, 2), True, id="in the first option"),
        pytest.param([LOW, HIGH], Offer(1, 3), True, id="in the second option of its kind"),
        pytest.param([LOW, HIGH], Offer(1, 2), False, id="each field in some option, but not in one"),
        pytest.param([LOW, STOP], Stop(), True, id="without fields"),
        pytest.param([LOW], Stop(), False, id="of no option's kind"),
        pytest.param([SHOW], Show(("TC", "AS")), True, id="a subset"),
        pytest.param([SHOW], Show(("TC", "TC")), False, id="a card twice"),
        pytest.param([LOW], (5, 2), False, id="no move at all"),
        pytest.param([], Stop(), False, id="no options"),
    ],
)
def test_is_legal(options, move, legal):
    """A move is legal if one option contains it whole."""
    assert legal == is_legal(options, move)


@pytest.mark.parametrize(
    ("options", "move", "clause"),
    [
        pytest.param(
            [LOW, STOP],
            Show(()),
            "Show is not possible here; possible: Offer, Stop",
            id="another kind is possible",
        ),
        pytest.param([LOW, HIGH], Stop(), "Stop is not possible here; possible: Offer", id="each kind once"),
        pytest.param([LOW], Offer(1, 2), "Offer: face 1 is not 4 to 6", id="one field"),
        pytest.param(
            [LOW],
            Offer(1, 1),
            "Offer: face 1 is not 4 to 6 and count 1 is not 2",
            id="two fields, a lone value",
        ),
        pytest.param(
            [LOW, HIGH, STOP],
            Offer(1, 2),
            "Offer: face 1 is not 4 to 6; or count 2 is not 3 to 5",
            id="two options of the kind",
        ),
        pytest.param(
            [SHOW],
            Show(()),
            "Show: cards nothing is not 1 to 2 different ones of AS, TC, 9D",
            id="a subset",
        ),
    ],
)
def test_explain(options, move, clause):
    """What is wrong with a move is said with its field and the values accepted."""
    assert not is_legal(options, move)
    assert clause == explain(options, move)


HAND = ("AS", "TC", "9D")


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        pytest.param(("AS", "KH"), "KH", id="one that is not there"),
        pytest.param(("AS", "TC", "AS"), "AS, AS", id="one named twice"),
        pytest.param(("AS", "TC", "9D"), "AS, TC, 9D", id="too many, none of them wrong"),
        pytest.param(("AS", "TC", "9D", "9D"), "9D, 9D (among 4)", id="more than there are"),
        pytest.param(("KH",) * 9999, "KH, KH, KH, KH (among 9999)", id="many more"),
        pytest.param(("K" * 9999,), "K" * (SPELT_MAX - 1) + "…", id="a long one"),
    ],
)
def test_wrong_members(cards, found):
    """Of a wrong list its wrong members are named, of a long one no more than show that it is wrong."""
    assert f"Show: cards {found} is not {SHOW.fields['cards']}" == explain([SHOW], Show(cards))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        pytest.param(tuple(f"{rank:02}" for rank in range(52)), ", 51 ", id="a hand of all cards has room"),
        pytest.param(tuple(range(100, 1000)), ", 148, 149, … ", id="a longer list ends"),
        pytest.param(
            (10**90, 10**4299), "one of " + str(10**90)[:79] + "…, a huge number ", id="long numbers"
        ),
    ],
)
def test_lists_in_reasons_are_short(values, text):
    """What is accepted is listed as far as there is room for it."""
    said = f"{OneOf(values)} "
    assert text in said
    assert len(said) <= len("one of ") + LISTED_MAX + len("… ")


class Counted:
    """A member that counts how often it is asked what it is."""

    asked = 0

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        Counted.asked += 1
        return hash(self.number)

    def __eq__(self, other):
        Counted.asked += 1
        return self.number == other.number


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["all the same", "all different", "all there", "alternating"])
def test_judging_a_list_takes_steps_in_proportion(shape):
    """Ten times as many members are judged and explained with at most ten times as many steps."""
    of = tuple(map(Counted, range(52)))
    numbers = {
        "all the same": lambda index: 0,
        "all different": lambda index: index,
        "all there": lambda index: index % 52,
        "alternating": lambda index: index % 2 * 99,
    }[shape]
    steps = []
    for size in (1_000, 4_000, 16_000):
        move = Show(tuple(Counted(numbers(index)) for index in range(size)))
        Counted.asked = 0
        for option in (Option(Show, {"cards": Subset(of, 1, most)}) for most in (52, size)):
            assert not is_legal([option], move)
            explain([option], move)
        steps.append(Counted.asked)
    assert steps[1] <= 4 * steps[0] + 400
    assert steps[2] <= 4 * steps[1] + 400


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (LOW, "Offer(face 4 to 6, count 2)"),
        (STOP, "Stop"),
        (SHOW, "Show(cards 1 to 2 different ones of AS, TC, 9D)"),
        (Option(Offer, {"face": OneOf((1, 3)), "count": OneOf((2,))}), "Offer(face one of 1, 3, count 2)"),
    ],
    ids=str,
)
def test_options_as_text(option, text):
    """An option reads as a call with what each field accepts."""
    assert text == str(option)


def domains():
    """Any domain that has a value."""
    members = st.lists(st.integers(), min_size=1, max_size=6, unique=True).map(tuple)
    return st.one_of(
        st.tuples(st.integers(-9, 9), st.integers(0, 9)).map(lambda pair: Between(pair[0], sum(pair))),
        members.map(OneOf),
        members.flatmap(
            lambda of: st.integers(0, len(of)).flatmap(
                lambda most: st.integers(0, most).map(lambda least: Subset(of, least, most))
            )
        ),
    )


@given(domains(), st.integers())
def test_samples_lie_in_their_domain(domain, seed):
    """A sample is a value of its domain, and depends on the rng alone."""
    sample = domain.sample(Random(seed))
    assert sample in domain
    assert sample == domain.sample(Random(seed))


@given(domains(), domains(), st.integers())
def test_samples_of_options_are_legal(face, count, seed):
    """A sample of an option is contained in it."""
    option = Option(Offer, {"face": face, "count": count})
    assert option.sample(Random(seed)) in option


def test_sampled_subsets_have_any_size():
    """Sizes are drawn uniformly, so that one of six cards is as likely as five of six."""
    rng = Random(1)
    sizes = [len(Subset("abcdef", 1, 5).sample(rng)) for _ in range(5000)]
    for size in range(1, 6):
        assert 850 < sizes.count(size) < 1150  # 1000 expected, standard deviation 28


def test_events_tell_each_its_own():
    """A seat sees its private payload, everyone else the public one, spectators never a private one."""
    event = Event("deal", "some cards", {Seat(1): "AS"})
    assert event.seen_by(Seat(1)) == "AS"
    assert event.seen_by(Seat(0)) == "some cards"
    assert event.seen_by(None) == "some cards"
    assert Event("deal", None, {Seat(1): "AS"}).seen_by(None) is None


def test_seats_are_numbers_with_a_class():
    """A seat counts and compares as its number, and still is known as a seat."""
    assert Seat(2) == 2
    assert {Seat(2): "x"}[2] == "x"
    assert type(Seat(2)) is Seat
    assert repr(Seat(2)) == "Seat(2)"
    assert CHANCE == -1
    assert not isinstance(2, Seat)


@pytest.mark.parametrize(
    ("ranks", "returns"),
    [
        pytest.param((1, 2), (1, -1), id="two seats"),
        pytest.param((1, 1), (0, 0), id="a tie of all"),
        pytest.param((3, 1, 2), (-0.5, 1, -0.5), id="a lone winner"),
        pytest.param((1, 3, 1), (0.25, -0.5, 0.25), id="two share the first place"),
        pytest.param((1, 2, 2, 2), (1, -1 / 3, -1 / 3, -1 / 3), id="the others lose alike"),
    ],
)
def test_shared_returns(ranks, returns):
    """Firsts share what the others lose (RULES.md, "Common to all five")."""
    assert returns == pytest.approx(shared_returns(ranks))


@given(st.lists(st.integers(0, 5), min_size=2, max_size=10))
def test_shared_returns_sum_to_zero(strengths):
    """Whatever the places, nothing is won that nobody lost."""
    ranks = [1 + sum(other > own for other in strengths) for own in strengths]
    assert sum(shared_returns(ranks)) == pytest.approx(0, abs=1e-12)


def test_moves_of_lists_every_legal_move_once():
    """All that `is_legal` accepts, in the order of options and fields; a Subset in one order of its members."""
    overlapping = Option(Offer, {"face": Between(5, 7), "count": OneOf((2, 2))})
    options = (LOW, HIGH, overlapping, SHOW, STOP)
    offers = [Offer(face, count) for count in range(9) for face in range(9)]
    shows = [Show(cards) for size in range(4) for cards in product(SHOW.fields["cards"].of, repeat=size)]
    legal = {move for move in (*offers, *shows, Stop()) if is_legal(options, move)}
    moves = moves_of(options, 34)
    assert moves is not None
    assert len(moves) == len(set(moves))
    assert legal == {*moves, *(Show(move.cards[::-1]) for move in moves if isinstance(move, Show))}
    assert (Offer(4, 2), Offer(5, 2), Offer(6, 2), Offer(1, 3)) == moves[:4]
    assert (Show(("AS",)), Show(("TC",)), Show(("9D",)), Show(("AS", "TC"))) == moves[-7:-3]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ((), 0),
        ((STOP,), 1),
        ((LOW, STOP), 4),
        ((SHOW,), 6),
        ((Option(Offer, {"face": Between(3, 2), "count": Between(1, 9)}),), 0),
        ((Option(Offer, {"face": Between(1, 2 * 10**9), "count": Between(1, 10**9)}),), 2 * 10**18),
        ((Option(Show, {"cards": Subset(tuple(map(str, range(200))), 0, 200)}),), 2**200),
    ],
    ids=str,
)
def test_more_moves_than_the_limit_are_only_counted(options, count):
    """A limit of exactly their number is enough; with one less they are not made, however many there are."""
    assert moves_of(options, count - 1) is None
    if count < 100:
        assert count == len(moves_of(options, count))
