"""What boards say of chance: as often as it comes true among everything that may be hidden, and to nobody too much."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from replays import SMALL, random_replay

from arena.games import GAMES
from arena.games.blef.sets import CARDS, SETS, TEXTS, pool
from arena.page.boards import board_of
from arena.page.film import film_json
from tests.replays import film_of

pytestmark = pytest.mark.slow

SAID = """([text, viewers]) => {
    const film = page.film.openFilm(JSON.parse(text));
    return viewers.map((viewer) => film.steps.map((_, at) => {
        const scene = page.film.sceneAt(film, at, viewer);
        return [JSON.stringify(scene.own), module.chances ? module.chances(scene, page.kit) : []];
    }));
}"""


def said(
    game: str, seats: int, stage: Callable[..., Any], *viewers: int | str
) -> tuple[Any, list[str], list[list[list[str]]]]:
    """A film of random play, what each seat saw at each of its steps as JSON, and what the board says of chance there to each viewer."""
    film = film_of(random_replay(SMALL.get(game) or GAMES[game](), seats, 7))
    page = stage(f"games/{game.replace('-', '_')}/board.js").page
    found = page.evaluate(SAID, [film_json(film).decode(), viewers])
    return film, [own for own, _ in found[0]], [[sentences for _, sentences in steps] for steps in found]


@pytest.mark.parametrize("game", [game for game, its in GAMES.items() if board_of(its)])
def test_what_is_said_of_chance_is_whole_sentences(game: str, stage: Callable[..., Any]) -> None:
    """At any step of a match, to anybody."""
    *_, found = said(game, 3, stage, "all", "spectator", 0)
    for each in (sentence for steps in found for step in steps for sentence in step):
        assert re.search(r"\d%", each)
        assert not re.search(r"undefined|null|NaN|\[object", each)


def test_a_spectator_hears_no_chance_that_needs_a_hand(stage: Callable[..., Any]) -> None:
    """How often a bid is true depends on the dice of whoever is asked."""
    *_, (everything, spectator) = said("liars-dice", 2, stage, "all", "spectator")
    assert any(everything)
    assert not any(spectator)


@pytest.mark.parametrize(("own", "hidden"), [(1, 2), (3, 3), (5, 2)])
def test_a_bet_is_as_likely_as_the_deals_in_which_it_is_true(
    own: int, hidden: int, stage: Callable[..., Any]
) -> None:
    """For every set of Blef, by all hands that the others may hold."""
    hand = Random(own).sample(range(24), own)
    rest = [card for card in range(24) if card not in hand]
    deals = [pool(CARDS[card] for card in (*hand, *others)) for others in combinations(rest, hidden)]
    found = stage("games/blef/board.js").page.evaluate(
        "([own, hidden]) => module.SETS.map((set) => module.chanceOf(set, own, hidden))",
        [[TEXTS[card] for card in hand], hidden],
    )
    assert [sum(each.is_in(cards) for cards in deals) / len(deals) for each in SETS] == pytest.approx(found)


def test_a_bid_is_as_likely_as_the_rolls_in_which_it_is_true(stage: Callable[..., Any]) -> None:
    """In Liar's Dice by all rolls of the others, as whoever is to answer sees it."""
    film, seen, (found,) = said("liars-dice", 2, stage, "all")
    tried = 0
    for owns, sentences in zip(map(json.loads, seen), found, strict=True):
        for sentence in sentences:
            name, share = re.search(r"dice of (\S+) alone.* in (?:under |over )?(\d+)%", sentence).groups()  # type: ignore[union-attr]
            own = owns[film["names"].index(name)]
            face, count = own["last_bid"]
            hidden = sum(dice for _, dice in own["other_hands"]) - len(own["your_hand"])
            faces, wild = film["rules"]["faces"], film["rules"]["wild_ones"]
            counts = [die == face or (wild and die == 1) for die in range(1, faces + 1)]
            held = sum(counts[die - 1] for die in own["your_hand"])
            rolls = [held + sum(roll) >= count for roll in product(counts, repeat=hidden)]
            assert abs(int(share) - 100 * sum(rolls) / len(rolls)) <= 1
            tried += 1
    assert tried


def test_hands_are_as_likely_to_win_as_boards_may_come(stage: Callable[..., Any]) -> None:
    """In Hold'em, once cards lie open and all hands are known: the shares are of all boards, and of everybody in it."""
    *_, (found,) = said("holdem", 2, stage, "all")
    sentences = [sentence for step in found for sentence in step if sentence.startswith("If nobody folds")]
    assert sentences
    for sentence in sentences:
        wins = [int(each) for each in re.findall(r"wins (?:under |over )?(\d+)%", sentence)]
        shares = [int(each) for each in re.findall(r"shares (?:under |over )?(\d+)%", sentence)]
        assert 2 == len(wins), sentence
        assert abs(sum(wins) + max(shares, default=0) - 100) <= 2, sentence
