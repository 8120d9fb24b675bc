"""Knockout: the bracket, ties that end when they are decided, places."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import any_points, first_named_wins, meetings, names, play, terms, tournaments

from arena.schedule import FORMATS, derive_seed

Seeds = st.integers(0, 2**32)
places = FORMATS["knockout"].places


@pytest.mark.parametrize(
    ("count", "ties"),
    [
        (2, ["12"]),
        (3, ["23"]),
        (4, ["14", "23"]),
        (5, ["45"]),
        (6, ["45", "36"]),
        (7, ["45", "27", "36"]),
        (8, ["18", "45", "27", "36"]),
        (9, ["89"]),
    ],
)
def test_the_first_ties_are_those_of_the_standard_bracket(count, ties):
    """From the top of the bracket to its bottom; who is not named has a bye."""
    entrants = [str(seed) for seed in range(1, count + 1)]
    planned = FORMATS["knockout"].pairings(entrants, terms(), {}, {})
    assert ties == ["".join(sorted(pairing.bots)) for pairing in planned if pairing.rotation == 0]


@given(st.integers(1, 40))
def test_when_the_better_seed_wins_places_follow_seeds(count):
    """Seeds 1 and 2 meet in the final only, 3 and 4 leave in the round before, and so on."""
    entrants = names(count)
    _, results = play("knockout", entrants, terms(), first_named_wins(entrants))
    expected = {
        bot: 1 if seed == 0 else (1 << (seed.bit_length() - 1)) + 1 for seed, bot in enumerate(entrants)
    }
    assert expected == places(entrants, terms(), results, {})


@pytest.mark.slow
@given(tournaments("knockout"), Seeds)
def test_each_bot_but_one_is_out_once(tournament, seed):
    """A tie fewer than bots; places are shared by bracket rounds."""
    _, entrants, conditions = tournament
    pairings, results = play("knockout", entrants, conditions, any_points(seed))
    assert len(entrants) - 1 == len({frozenset(pairing.bots) for pairing in pairings})
    shared = Counter(places(entrants, conditions, results, {}).values())
    assert 1 == shared[1] == shared[2]
    for place, bots in shared.items():
        assert place <= 2 or bots <= place - 1
    ranks = sorted(place for place in shared.elements())
    assert [place for place in ranks if place > 1] == [
        (1 << (number.bit_length() - 1)) + 1 for number in range(1, len(entrants))
    ]


A, B, TIED, ABORTED = (1.0, 0.0), (0.0, 1.0), (0.5, 0.5), ()


@pytest.mark.parametrize(
    ("rule", "series", "course", "winner"),
    [
        ("one series is enough for the best of one", 1, [(A, A)], "a"),
        ("more points of two matches win a series", 1, [(A, TIED)], "a"),
        ("who cannot be caught has won: best of three", 3, [(A, A), (A, A)], "a"),
        ("a lead that can be caught up is none yet", 3, [(A, A), (A, B), (A, B)], "a"),
        ("best of two, one each, sudden death", 2, [(A, A), (B, B), (B, B)], "b"),
        ("sudden death goes on while series are tied", 2, [(A, A), (B, B), (A, B), (B, TIED)], "b"),
        ("level to the end: more points", 1, [(A, B), (B, A)], "a"),
        ("level series and more points", 2, [(A, A), (B, TIED), (A, B), (TIED, TIED)], "a"),
        ("and so for the lower seed", 2, [(B, B), (A, TIED), (A, B), (B, A)], "b"),
        ("level in everything: the better seed", 1, [(TIED, TIED), (A, B)], "a"),
        ("an aborted match is tied", 1, [(ABORTED, ABORTED), (ABORTED, B)], "b"),
    ],
)
def test_a_tie_is_decided(rule, series, course, winner):
    """Each row is the whole course of a tie of `a`, the better seed, and `b`: it takes so many series, not more."""
    conditions = terms(series=series)

    def points(pairing):
        repetition = int(pairing.series.rpartition("#")[2])
        gained = course[repetition][pairing.rotation]
        return gained if pairing.bots == ("a", "b") else gained[::-1]

    pairings, results = play("knockout", ["a", "b"], conditions, points)
    assert 2 * len(course) == len(pairings), rule
    loser = "b" if winner == "a" else "a"
    assert {winner: 1, loser: 2} == places(["a", "b"], conditions, results, {}), rule


def test_each_cycle_plays_one_series_of_every_open_tie():
    """While one tie needs all its series, the others wait for the next bracket round."""

    def points(pairing):
        if set(pairing.bots) == {"bot-1", "bot-2"}:
            return (0.5, 0.5)
        return first_named_wins(names(4))(pairing)

    pairings, _ = play("knockout", names(4), terms(series=3), points)
    ties = [
        sorted({"".join(bot[-1] for bot in sorted(p.bots)) for p in pairings if p.cycle == c})
        for c in range(8)
    ]
    # 0 beats 3 in two; 1 and 2 are level after 3 and 3 more, and 1 is the better seed; 0 beats 1 in two.
    assert [["03", "12"], ["03", "12"], ["12"], ["12"], ["12"], ["12"], ["01"], ["01"]] == ties
    assert 7 == pairings[-1].cycle


def test_all_share_the_first_place_at_the_beginning():
    """Places so far: who is out has one, all others are first; a tie that is over places its loser at once."""
    entrants = names(4)
    assert dict.fromkeys(entrants, 1) == places(entrants, terms(), {}, {})
    first = list(FORMATS["knockout"].pairings(entrants, terms(), {}, {}))
    results = {pairing.id: first_named_wins(entrants)(pairing) for pairing in first}
    assert {"bot-0": 1, "bot-1": 1, "bot-2": 3, "bot-3": 3} == places(entrants, terms(), results, {})


@pytest.mark.parametrize(
    ("withdrawn", "ties", "expected"),
    [
        ({"bot-0": 0}, [["03", "12"]], [2, 1, 3, 3]),  # it wins the first round, and leaves the final
        ({"bot-0": -1}, [["12"], ["13"]], [3, 1, 3, 2]),  # never there
        ({"bot-3": -1}, [["12"], ["01"]], [1, 2, 3, 3]),
        ({"bot-0": -1, "bot-3": -1}, [["12"]], [2, 1, 3, 3]),  # the better seed of two goes on, no further
        (dict.fromkeys(["bot-0", "bot-1", "bot-2", "bot-3"], -1), [], [1, 2, 3, 3]),  # seeds decide
        ({"bot-0": 1}, [["03", "12"], ["01"]], [1, 2, 3, 3]),  # who has won the final has won
    ],
)
def test_who_is_withdrawn_leaves_the_tie_to_its_opponent(withdrawn, ties, expected):
    """Four bots of which the better seed wins, if it is there."""
    entrants = names(4)
    pairings, results = play("knockout", entrants, terms(), first_named_wins(entrants), withdrawn)
    cycles = sorted({pairing.cycle for pairing in pairings})
    found = [
        sorted({"".join(b[-1] for b in sorted(p.bots)) for p in pairings if p.cycle == c}) for c in cycles
    ]
    assert ties == found
    assert expected == list(places(entrants, terms(), results, withdrawn).values())


def test_a_tie_is_left_in_the_middle():
    """A bot that is withdrawn while its tie is open loses it, whatever the lead."""
    entrants = ["a", "b"]
    pairings, results = play("knockout", entrants, terms(series=5), first_named_wins(entrants), {"a": 1})
    assert {frozenset("ab"): 2} == meetings(pairings)
    assert {"a": 2, "b": 1} == places(entrants, terms(series=5), results, {"a": 1})


@pytest.mark.parametrize(
    ("count", "series", "words"),
    [
        (2, 1, "1 tie × up to 2 series × 2 seats: at most 4 matches"),
        (8, 10, "7 ties × up to 20 series × 2 seats: at most 280 matches"),
    ],
)
def test_the_size_is_a_bound_that_is_reached(count, series, words):
    """If everything is tied, it is played to the last match."""
    size = FORMATS["knockout"].size(count, terms(series=series))
    pairings, _ = play("knockout", names(count), terms(series=series), lambda pairing: (0.5, 0.5))
    assert (words, len(pairings), False) == (size.words, size.matches, size.is_exact)


@pytest.mark.slow
def test_the_strongest_bot_wins_mostly():
    """A bot that wins three matches of four wins most knockouts of 16, seeded last or not."""
    entrants, won = names(16), 0
    for seed in range(60):

        def points(pairing, seed=seed):
            rng = Random(derive_seed(seed, pairing.id))
            chances = [
                0.75 if bot == "bot-15" else 0.25 if "bot-15" in pairing.bots else 0.5 for bot in pairing.bots
            ]
            return A if rng.random() < chances[0] else B

        _, results = play("knockout", entrants, terms(series=5, seed=seed), points)
        won += places(entrants, terms(series=5), results, {})["bot-15"] == 1
    # 50 of 60 on the first day; were it like the others, it would win 4.
    assert won > 40
