"""What seats lose and win, and what timelines mark: as the sentences say, and as `check_game` wants it."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

import pytest
from test_check_game import tiny
from test_sentences import EVENTS

from arena.game import CHANCE, Game
from arena.games import GAMES
from arena.games.bluff import Bluff
from arena.games.chamber import Chamber
from arena.games.holdem import Holdem
from arena.games.liars_dice import LiarsDice
from arena.games.wording import some
from arena.testing import check_game, random_move

NAMES = ("ann", "bob", "cat")
PLAYED = [
    LiarsDice(),
    GAMES["blef"](),
    Bluff(),
    Bluff("free_suit"),
    Chamber(),
    Holdem(hands=8),
    Holdem(hands=8, reset_stacks=False, stack=200),
    Holdem(hands=8, reset_stacks=False, stacks=(90, 200, 25)),
]


def steps(game: Game[Any, Any], seed: int) -> list[tuple[Any, Any, list[str]]]:
    """A match of random moves and failures: the states before and after each step, and what all are told."""
    rng, state, found = Random(seed), game.start(3), []
    while asked := game.to_act(state):
        if asked == (CHANCE,):
            moves = {CHANCE: game.draw(state, rng)}
        else:
            fails = {seat: rng.random() < 0.05 for seat in asked}
            moves = {
                seat: game.default(state, seat) if fails[seat] else random_move(game, state, seat, rng)
                for seat in asked
            }
        step = game.apply(state, moves)
        public = [(event.kind, event.public) for event in step.events if event.public is not None]
        said = [game.tell_event(kind, payload, None, NAMES.__getitem__) for kind, payload in public]
        found.append((state, step.state, [sentence or "" for sentence in said]))
        state = step.state
    return found


def changes(game: Game[Any, Any], before: Any, after: Any) -> dict[str, float]:
    """By name, how much more somebody has; who has as much as before is left out."""
    each = zip(NAMES, game.holdings(before) or (), game.holdings(after) or (), strict=True)
    return {name: there - here for name, here, there in each if there != here}


# What a sentence says of losses: a pattern of who, and of how much where it differs.

LOST = {
    "liars-dice": r"(?:so|^)\b ?(\w+) (?:forfeits the round and )?loses a die$",
    "blef": r"so (\w+) loses the round$|^(\w+) forfeits the round",
    "bluff": r"so (\w+) takes the pile of (.+)$",
    "chamber": r"shoots (\w+): live",
}


@pytest.mark.parametrize("game", [game for game in PLAYED if game.name in LOST], ids=repr)
def test_a_loss_is_what_the_sentences_say(game):
    """Whoever has less after a step than before is who is told to have lost, and nobody else."""
    losses = 0
    for seed in range(3):
        for before, after, said in steps(game, seed):
            lost = {name: -more for name, more in changes(game, before, after).items() if more < 0}
            told = [match.groups() for sentence in said if (match := re.search(LOST[game.name], sentence))]
            told = [tuple(filter(None, groups)) for groups in told]
            whom = {name if name != "themselves" else NAMES[before.on_turn] for name, *_ in told}
            assert whom == lost.keys(), said
            for _, *how_many in told:
                assert [some(int(loss), *game.holding) for loss in lost.values()] == how_many or not how_many
            losses += len(lost)
    assert losses > 10


@pytest.mark.parametrize("game", [game for game in PLAYED if game.name == "holdem"], ids=repr)
def test_chips_are_lost_when_a_hand_is_over(game):
    """What each won or lost in it, as it is told then; at no other step anything changes, and the sum is zero."""
    for before, after, said in steps(game, 1):
        results = [sentence for sentence in said if sentence.startswith("the hand ends: ")]
        told = dict(re.findall(r"(\w+) ([+−][\d,]+)", results[0])) if results else {}
        chips = {name: int(text.replace("−", "-").replace(",", "")) for name, text in told.items()}
        assert {name: won for name, won in chips.items() if won} == changes(game, before, after)
        assert sum(game.holdings(after)) == 0


def test_at_the_end_the_chips_are_the_returns():
    """Those of the hands together are those of the match."""
    for game in (game for game in PLAYED if game.name == "holdem"):
        *_, (_, end, _) = steps(game, 2)
        assert game.returns(end) == game.holdings(end)


def test_every_round_costs_a_die():
    """In each some seat loses one, however it ends."""
    game = LiarsDice()
    for seed in range(3):
        sums = [sum(game.holdings(state)) for state, _, _ in steps(game, seed)]
        assert {0, 1} == {before - after for before, after in pairwise(sums)}
        assert sums == sorted(sums, reverse=True)
        assert [15 - state.round_number + 1 for state, _, _ in steps(game, seed)] == sums


def test_every_round_costs_a_card():
    """Also the one with which a seat is out: who is out has lost as many as there are."""
    game = GAMES["blef"]()
    *_, (_, end, _) = steps(game, 3)
    assert 2 == sorted(game.holdings(end)).count(-game.max_cards(3) - 1)
    for state, _, _ in steps(game, 3):
        assert -3 - (state.round_number - 1) == sum(game.holdings(state))


def test_cards_on_hands_and_pile_are_the_deck():
    """The deal is no loss: the cards count before it too."""
    for state, _, _ in steps(Bluff(), 4):
        assert sum(Bluff().holdings(state)) == len(state.pile) - 52


def test_lives_are_won_by_an_item_only():
    """One at a time, by whoever uses it."""
    won = 0
    for before, after, said in steps(Chamber(), 5):
        more = {name: lives for name, lives in changes(Chamber(), before, after).items() if lives > 0}
        if more:
            assert [1] == list(more.values())
            assert any("Add Life" in sentence and sentence.startswith((*more,)) for sentence in said)
            won += 1
    assert won


# Marks.

MARKS = {
    ("liars-dice", "challenge"): "challenge",
    ("blef", "check"): "check",
    ("bluff", "challenge"): "accusation",
    ("holdem", "call"): "all-in",
}
"""Of the payloads of `test_sentences`; a live shot is the one with which a life is lost."""


def test_marks_of_events():
    """Of all kinds of events only a few are marked; whole matches with their marks are in the playthroughs."""
    for game, kind, payload, sentence in EVENTS:
        mark = MARKS.get((game.name, kind), "live shot" if ": live" in sentence else "")
        assert mark == game().tell_mark(kind, payload), sentence


def test_without_words_of_its_own_a_game_marks_its_showdowns():
    """So that a sixth game has a timeline worth looking at."""
    assert "showdown" == Game.tell_mark(LiarsDice(), "challenge", None)
    assert "" == Game.tell_mark(LiarsDice(), "bid", None)


# Planted faults.


class HoldsByHands(LiarsDice):
    def holdings(self, state):
        return tuple(map(sum, state.hands)) or (0,) * len(state.dice)


class HoldsNothingAtFirst(LiarsDice):
    def holdings(self, state):
        return super().holdings(state) if state.hands else None


class HoldsTooFew(LiarsDice):
    def holdings(self, state):
        return super().holdings(state)[1:]


class HoldsNoNumbers(LiarsDice):
    def holdings(self, state):
        return tuple(float("nan") for _ in state.dice)


class HoldsTheUnnamed(LiarsDice):
    holding: ClassVar[tuple[str, str]] = ("", "")


class NamesOneAlone(LiarsDice):
    holding: ClassVar[tuple[str, str]] = ("die", "")


class MarksAtLength(LiarsDice):
    def tell_mark(self, kind, payload):
        return "a challenge that counts" if kind == "challenge" else ""


class MarksSecrets(LiarsDice):
    def tell_mark(self, kind, payload):
        return "good hand" if kind == "hand" else ""


class MarksByCounting(LiarsDice):
    asked: ClassVar[list[str]] = []

    def tell_mark(self, kind, payload):
        self.asked.append(kind)
        return str(len(self.asked)) if kind == "bid" else ""


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (HoldsByHands, "holdings tells a spectator more than it was told"),
        (HoldsNothingAtFirst, "holdings returns None, not a tuple with a number of dice"),
        (HoldsTooFew, r"holdings returns \(5, 5\) at a table of 3"),
        (HoldsNoNumbers, r"holdings returns \(nan, .* not a tuple with a number of dice"),
        (HoldsTheUnnamed, r"holdings returns \(5, 5, 5\), but holding does not name of what"),
        (NamesOneAlone, r"holding is \('die', ''\), neither two words"),
        (MarksAtLength, "tell_mark says 'a challenge that counts' of challenge, .* at most 20 characters"),
        (MarksSecrets, r"tell_mark says 'good hand' of hand, .* which seat \d alone is told"),
        (MarksByCounting, "tell_mark says .* a sentence is made from its move or payload alone"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_wrong_is_found(kind, sentence):
    """A sentence says what the game does wrong."""
    with pytest.raises(AssertionError, match=sentence):
        check_game(kind(), seats=3, matches=1, tiny=tiny(kind))
