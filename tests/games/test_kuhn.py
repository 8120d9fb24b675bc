"""`examples/kuhn.py`, a game outside the house: the contract, a row a rule, and what Kuhn proved of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest

from arena.game import CHANCE, Seat
from arena.testing import check_game
from arena.tournament.bots.game_source import find_game

HOUSE = Path(__file__).parents[2]
FILE = HOUSE / "examples" / "kuhn.py"
KUHN = find_game(str(FILE)).cls
CARDS, PASS, BET = KUHN.moves


def test_kuhn_keeps_the_contract():
    """What an author runs: no leak, no move that is offered and refused, nothing that a replay would change."""
    check_game(KUHN())


def returns_of(cards: str, said: str) -> tuple[float, ...]:
    """What comes of a match in which this was dealt and said, a letter a word."""
    game = KUHN()
    state = game.apply(game.start(2), {CHANCE: CARDS(tuple(cards))}).state
    for place, word in enumerate(said):
        assert (Seat(place % 2),) == game.to_act(state)
        state = game.apply(state, {Seat(place % 2): BET() if word == "b" else PASS()}).state
    assert () == game.to_act(state)
    assert game.ranks(state) == ((1, 2) if game.returns(state)[0] > 0 else (2, 1))
    return game.returns(state)


RULES = [
    ("two passes: the higher card wins a chip", "KQJ", "pp", 1),
    ("two passes: the lower card loses it", "JQK", "pp", -1),
    ("a bet is called: two chips", "KQJ", "bb", 2),
    ("a bet is called: also by who passed first", "JQK", "pbb", -2),
    ("seat 1 folds the higher card", "JKQ", "bp", 1),
    ("seat 0 folds the higher card", "KJQ", "pbp", -1),
]


@pytest.mark.parametrize(
    ("cards", "said", "chips"), [row[1:] for row in RULES], ids=[row[0] for row in RULES]
)
def test_the_rules(cards, said, chips):
    """A row a rule: what seat 0 wins, and seat 1 loses."""
    assert (chips, -chips) == returns_of(cards, said)


THIRD = Fraction(1, 3)
BETS = {  # how often Kuhn's best players bet, by what was said and the own card
    "": {"J": 0, "Q": 0, "K": 0},
    "p": {"J": THIRD, "Q": 0, "K": 1},
    "b": {"J": 0, "Q": THIRD, "K": 1},
    "pb": {"J": 0, "Q": THIRD, "K": 1},
}


def value(cards: str, said: str = "") -> Fraction:
    if said not in BETS:
        return Fraction(returns_of(cards, said)[0])
    bets = Fraction(BETS[said][cards[len(said) % 2]])
    parts = [(bets, "b"), (1 - bets, "p")]
    return sum((share * value(cards, said + word) for share, word in parts if share), Fraction(0))


def test_the_value_of_the_game():
    """Played best by both it is worth -1/18 chip to seat 0, as Kuhn proved in 1950."""
    deals = [value("".join(cards)) for cards in permutations("JQK")]
    assert Fraction(-1, 18) == sum(deals) / len(deals)


@pytest.mark.slow
def test_a_game_of_the_house_is_a_folder_and_a_line(tmp_path):
    """In a copy of the package, Kuhn poker as a folder and a line of the registry is played, told and offered."""
    copy = tmp_path / "arena"
    shutil.copytree(HOUSE / "arena", copy)  # with what is compiled
    shutil.copytree(HOUSE / "bots" / "random", tmp_path / "bots" / "random")
    (copy / "games" / "kuhn").mkdir()
    shutil.copy(FILE, copy / "games" / "kuhn" / "__init__.py")
    registry = copy / "games" / "__init__.py"
    registry.write_text(
        registry.read_text().replace("_PLACES = {\n", '_PLACES = {\n    "kuhn": "kuhn.Kuhn",\n')
    )

    def arena(*words: str) -> str:
        command = [sys.executable, "-m", "arena.cli", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "kuhn,Kuhn Poker,2,2,returns,1" in arena("games", "--csv")
    # Without a box: the bots import the arena that is installed, which a box of this copy need not show.
    words = "run --game kuhn random other=random --series 1 --strict -q --sandbox off --out out"
    arena(*words.split())
    match = arena("matches", "out", "--csv").splitlines()[1].split(",")[0]
    assert "of Kuhn Poker" in arena("replay", match, "out")
    assert "Kuhn Poker" in Path(tmp_path, arena("report", "out").strip()).read_text()


def test_it_is_short():
    """The example can be read in one go."""
    assert len(FILE.read_text().splitlines()) < 130
