"""A match as a story: steps numbered as they are told, simple acts gathered, one part of it told alone."""

from __future__ import annotations

import re
from random import Random

import attrs
import pytest
from replays import random_replay

from arena.errors import ConfigError
from arena.games import GAMES
from arena.games.bluff import Bluff
from arena.games.bluff.moves import Accuse, Pass, Play
from arena.games.cards import DECK
from arena.games.holdem import Holdem
from arena.games.holdem.moves import Bet, Deal, Fold
from arena.games.liars_dice import LiarsDice
from arena.match.game import CHANCE, Seat
from arena.match.record import pack
from arena.telling.replay import EVERYBODY, SPECTATOR, Replay, Viewer
from arena.telling.story import Act, Passage, StoryPart, gathered, story
from arena.tournament.bots.game_source import find_game

ANN, BOB, CAT, DAN = map(Seat, range(4))


def replayed(game, turns, seats: int) -> Replay:
    """A match of these turns, which need not have ended."""
    replay = random_replay(LiarsDice(dice=1), 2, 1)
    names = ("ann", "bob", "cat", "dan")[:seats]
    rows = tuple(
        attrs.evolve(replay.match.seats[0], seat=seat, bot=name, rank=1) for seat, name in enumerate(names)
    )
    match = attrs.evolve(replay.match, seats=rows, packed=pack(game, turns))
    return Replay(match, game)


def lines(replay: Replay, viewer: Viewer = EVERYBODY) -> list[tuple[str, str, tuple[str, ...]]]:
    """Numbers, line and news of each passage that has a number."""
    told = [passage for passage in story(replay, viewer) if passage.first]
    return [(f"{each.first}–{each.last}", each.line, each.news) for each in told]


HOLDEM = Holdem(hands=2)
FOLDS = (
    {CHANCE: Deal(DECK)},
    {CAT: Fold()},
    {DAN: Fold()},
    {ANN: Bet(10)},
    {BOB: Bet(0)},
)


def test_those_who_do_the_same_simple_thing_are_told_together():
    """Two folds in a row are one line with both numbers; what says more stays by itself."""
    assert [
        ("1–2", "cat and dan fold", ()),
        ("3–3", "ann calls 10", ()),
        ("4–4", "bob checks", ("the flop: 6C 6D 6H (pot 40)",)),
    ] == lines(replayed(HOLDEM, FOLDS, 4))


@pytest.mark.parametrize(
    ("acts", "news", "is_gathered"),
    [
        ((Act("ann", "ann passes"), Act("bob", "bob passes")), (), True),
        ((Act("ann", "ann passes"), Act("ann", "ann passes")), (), False),
        ((Act("ann", "ann passes"), Act("bob", "bob folds")), (), False),
        ((Act("ann", "ann passes"), Act("bob", "bob passes", "too late: 2 s")), (), False),
        ((Act("ann", "ann bids"), Act("bob", "bob bids")), ("ann is out",), False),
    ],
    ids=["both pass", "one twice", "two things", "a fault", "what came of the first"],
)
def test_only_different_seats_that_do_the_same_and_nothing_else_are_gathered(acts, news, is_gathered):
    """Two steps are one line with both numbers, or stay two."""
    one, other = (
        Passage(number, number, 1, False, "", (act,), told)
        for number, act, told in zip((3, 4), acts, (news, ()), strict=True)
    )
    both = gathered(one, other)
    assert is_gathered == (both is not None)
    if both is not None:
        assert (3, 4, "ann and bob pass") == (both.first, both.last, both.line)


def bluff_match() -> Replay:
    game = Bluff()
    state = game.start(3)
    turns = [{CHANCE: game.draw(state, Random(1))}]
    state = game.apply(state, turns[0]).state
    turns.append({ANN: Play(state.hands[0][:2])})
    turns.append({BOB: Pass(), CAT: Pass()})
    for moves in turns[1:]:
        state = game.apply(state, moves).state
    turns.append({BOB: Play(state.hands[1][:1])})
    turns.append({CAT: Accuse(), ANN: Accuse()})
    return replayed(game, turns, 3)


def test_a_move_that_says_more_than_its_event_is_told_with_it():
    """Who may see the cards reads which they were; others what was claimed; nobody is said to pass."""
    everything, spectator = lines(bluff_match()), lines(bluff_match(), SPECTATOR)
    assert everything[0][1].startswith("ann plays ")
    assert everything[0][1].endswith(" and claims two aces, with 16 cards left")
    assert "ann claims two aces, with 16 cards left" == spectator[0][1]
    assert ("2–2", "nobody accuses ann, and the pile has two cards", ()) == everything[1] == spectator[1]
    assert everything[3][1].startswith("cat accuses bob: the 2 is ")
    assert everything[3][1].endswith("; ann accuses")
    assert "ann accuses" not in spectator[3][1]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("viewer", [EVERYBODY, SPECTATOR, Viewer("bob", BOB)], ids=str)
def test_numbers_are_those_of_the_turns_that_bots_took(name, viewer):
    """The same for every viewer, in order, none twice, and no deck is ever told."""
    game = Holdem(hands=5) if name == "holdem" else GAMES[name]()
    replay = random_replay(game, 3, 7)
    passages = list(story(replay, viewer))
    turns = sum(bool(moment.moves) and not moment.is_of_chance for moment in replay.moments())
    numbers = [number for each in passages if each.first for number in range(each.first, each.last + 1)]
    assert sorted(set(numbers)) == numbers
    assert numbers[-1] == turns
    if viewer is EVERYBODY:
        assert list(range(1, turns + 1)) == numbers
    text = " ".join(" ".join((each.heading, each.line, *each.news)) for each in passages)
    assert not re.search(r"[\[{=]|(?:\b[A2-9TJQK][CDHS] ){45}", text)


def test_every_round_has_its_number():
    """Five hands; what belongs to a hand has its number."""
    passages = list(story(random_replay(Holdem(hands=5), 3, 7), EVERYBODY))
    begun = [passage for passage in passages if passage.begins_round]
    assert [1, 2, 3, 4, 5] == [passage.round_number for passage in begun]
    assert all(passage.heading.startswith(f"hand {passage.round_number}: ") for passage in begun)


def test_a_game_without_sentences_is_told_by_its_fields():
    """Kuhn poker has none: its kinds and fields are named, and no move is told twice."""
    kuhn = find_game("examples/kuhn.py").cls()
    passages = list(story(random_replay(kuhn, 2, 3), EVERYBODY))
    assert passages[0].begins_round
    assert [True, False] == [news.startswith("dealt: ann ") for news in (*passages[0].news, "")]
    assert all(passage.line.startswith(("ann: ", "bob: ")) for passage in passages[1:])
    assert not [line for passage in passages for line in passage.news if line.startswith("said")]


# A part of it.


def part_of(**wanted) -> list[Passage]:
    return StoryPart(**wanted).of(story(random_replay(LiarsDice(dice=2), 3, 7), EVERYBODY))


def test_a_round_is_told_alone():
    """With its heading and its hands, and nothing of the others."""
    told = part_of(round_number=2)
    assert {2} == {passage.round_number for passage in told}
    assert told[0].heading.startswith("round 2: ")


def test_from_a_step_to_another():
    """Both included; before them the deal of the round in which the first one is."""
    told = part_of(first=5, last=7)
    assert [0, 5, 6, 0, 7] == [passage.first for passage in told]
    assert [True, False, False, True, False] == [passage.begins_round for passage in told]
    assert [0, 7] == [passage.first for passage in part_of(first=6, last=7, round_number=3)]
    assert [0, 1, 2] == [passage.first for passage in part_of(last=2)]
    assert 11 == part_of(first=11)[-1].last


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"round_number": 9}, "^round 9: this match has 4 rounds, numbered from 1"),
        ({"round_number": 0}, "^round 0: this match has 4 rounds"),
        ({"first": 12}, "^from 12: this match has 11 steps, numbered from 1"),
        ({"last": 0}, "^to 0: this match has 11 steps"),
        ({"first": 5, "last": 3}, "^from: found 5, expected no step after the last one, 3"),
    ],
)
def test_a_part_that_is_not_there_is_a_mistake_of_the_user(wanted, sentence):
    """One sentence that says how many there are."""
    with pytest.raises(ConfigError, match=sentence):
        part_of(**wanted)
