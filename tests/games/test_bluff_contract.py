"""Bluff keeps the contract of a game; planted leaks of hands and pile are found."""

from itertools import permutations

import attrs
import pytest
from daily import crossed

from arena.games.bluff import Bluff
from arena.games.bluff.moves import Deal
from arena.games.cards import sort_cards
from arena.testing import Tiny, check_game


class Short(Bluff):
    """With six cards only, so that every deal can be walked."""

    deck = ("AC", "AD", "2C", "2D", "3C", "3D")


def every_deal(state):
    """All deals of the short deck that give different hands."""
    seats = len(state.hands)
    deals = {
        tuple(sort_cards(cards[seat::seats]) for seat in range(seats)): Deal(cards)
        for cards in permutations(Short.deck)
    }
    return list(deals.values())


def tiny(kind=Short, *, seats=3, histories_max=1000, **rules):
    return Tiny(kind(plays_max=3, **rules), seats, luck=every_deal, histories_max=histories_max)


TINY = tiny()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claims", "seats"), crossed(["sequence", "free_rank", "free_suit"], [("2", 2), ("3", 3), ("10", 10)])
)
def test_the_contract(claims, seats):
    """At small tables and at the largest every house rule keeps the contract, and nobody sees too much."""
    game = Bluff(claims, plays_max=0 if seats < 10 else 40)
    turns_max = 2 * (100 * seats if seats < 10 else 40)
    # With ten seats it is the walk of three: once is enough.
    walked = tiny(seats=min(seats, 3), claims=claims, histories_max=1000 if seats <= 3 else 50)
    check_game(game, seats=seats, matches=2, tiny=walked, turns_max=turns_max)


@pytest.mark.slow
@pytest.mark.parametrize("plays_max", [1, 2])
def test_the_shortest_matches(plays_max):
    """A match of one or two plays keeps the contract too."""
    walked = tiny(histories_max=50)  # `test_the_contract` walks further
    check_game(Bluff(plays_max=plays_max), matches=2, tiny=walked, turns_max=2 * plays_max)


# Planted leaks.


class LeakyPile(Short):
    """Shows in `pile_size` what lies there."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        return attrs.evolve(seen, pile_size=sum(map(self.deck.index, state.pile)))


class LeakyForSpectators(Short):
    """Shows spectators the hand of seat 0."""

    def observe(self, state, seat):
        return attrs.evolve(super().observe(state, seat), hand=state.hands[seat or 0])


class LeakyOptions(Short):
    """Lets nobody accuse in vain."""

    def options(self, state, seat):
        options = super().options(state, seat)
        is_true = state.last_play and all(card[0] == state.last_play.claim for card in state.played)
        return options[:1] if state.asked == "accuse" and is_true else options


class LeakyToAct(Short):
    """Asks only those who hold what was claimed."""

    def to_act(self, state):
        asked = super().to_act(state)
        if state.asked != "accuse":
            return asked
        return tuple(seat for seat in asked if state.hands[seat][:1] < ("3",)) or asked


class ShowsTooMuch(Short):
    """Shows the whole pile when somebody accuses."""

    def _accused(self, state, accuser):
        step = super()._accused(state, accuser)
        shown = attrs.evolve(step.state.last_challenge, cards=sort_cards(state.pile))
        return attrs.evolve(step, state=attrs.evolve(step.state, last_challenge=shown))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (LeakyPile, "observe tells"),
        (LeakyForSpectators, "observe tells a spectator more"),
        (LeakyOptions, "options tells"),
        (LeakyToAct, "to_act tells"),
        (ShowsTooMuch, "observe tells"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_planted_leaks_are_found(kind, sentence):
    """The walk over the short deck finds whatever shows hidden cards, directly or by who is asked what."""
    with pytest.raises(AssertionError, match=sentence):
        check_game(Bluff(plays_max=1), seats=2, matches=1, tiny=tiny(kind, histories_max=3000))
