"""Scout plays a second game: Blef over the plain protocol, known by the fields of the question alone."""

import tomllib
from itertools import islice
from random import Random

import pytest
from liars_dice_questions import BOTS, QUESTIONS, PlainSeat, play
from liars_dice_questions import may_answer as may_answer_dice
from needs import need

from arena.analysis.intervals import win_rate_interval
from arena.games.blef import Blef
from arena.games.blef.sets import SETS
from arena.sdk import choose

pytestmark = pytest.mark.slow


@pytest.fixture
def scout(remote):
    """The running bot."""
    need("node")
    return remote(["node", "scout.js"], BOTS / "scout")


class AtRandom:
    """Plays at random, in this process."""

    def __init__(self, seed):
        self.rng = Random(seed)

    def begin(self, match):
        pass

    def event(self, kind, payload):
        pass

    def move(self, state, options):
        return choose(options, self.rng)


def question(hand, others=1, history=()):
    """A question to `bob`, with the cards of these numbers in hand and these bets made by `ann`."""
    cards = [{"value": number // 4, "colour": number % 4} for number in hand]
    return {
        "status": "Running",
        "round_number": 1,
        "max_cards": 11,
        "players": [{"nickname": "ann", "n_cards": others}, {"nickname": "bob", "n_cards": len(hand)}],
        "hands": [{"nickname": "bob", "hand": cards}],
        "cp_nickname": "bob",
        "history": [{"player": "ann", "action_id": action_id} for action_id in history],
        "last_round": None,
    }


@pytest.mark.parametrize(
    ("state", "move"),
    [
        pytest.param(question((20,)), 5, id="one ace: high card ace"),
        pytest.param(question((0,), 1, (87,)), 88, id="only the check is left"),
        pytest.param(question((0,), 1, (80,)), 88, id="a bet that cannot be"),
        pytest.param(question((20, 21), 1, (3,)), 11, id="it raises to the pair that it holds"),
        pytest.param(question((20, 21, 22, 23), 1, (30,)), 75, id="four aces of its own"),
        pytest.param(question((0, 4, 8, 12, 16, 20), 1, (70,)), 84, id="a great straight flush of clubs"),
        pytest.param(question((3, 7, 11, 15, 19), 1, (70,)), 79, id="a small one of spades"),
        pytest.param(question((5, 9, 13, 17, 21), 1, (70,)), 81, id="a big one of diamonds"),
        pytest.param(question((0, 4, 8, 12, 20, 1), 1, (65,)), 66, id="a flush of clubs"),
        pytest.param(question((20, 21, 22, 16, 17), 1, (64,)), 65, id="a full house, aces over kings"),
        pytest.param(question((0, 1, 2, 20, 21), 1, (39,)), 40, id="a full house, nines over aces"),
        pytest.param(question((16, 17, 20, 21), 1, (25,)), 26, id="two pair, aces and kings"),
    ],
)
def test_it_makes_sense(scout, state, move):
    """Its ids are the document's: it bets what it holds, and checks what cannot be."""
    assert scout.ask(1, state) == move


def test_games_may_alternate_on_one_connection(scout):
    """Each question is answered as one of its own game, whatever came before."""
    for number, dice in enumerate(islice(QUESTIONS.values(), 5)):
        assert may_answer_dice(dice, scout.ask(2 * number, dice))
        assert scout.ask(2 * number + 1, question((20,))) == 5


def test_matches_are_played_to_the_end(scout):
    """Whole matches against itself at all sizes of tables, every answer legal."""
    for seats in (2, 3, 8):
        assert sorted(play(Blef(), [PlainSeat(scout)] * seats, seats)) == list(range(1, seats + 1))


def test_it_beats_random(scout):
    """With 95 % confidence, clustered by series, it wins more than 85 % of two-seat matches."""
    tallies = []
    for series in range(40):
        seats = [PlainSeat(scout), AtRandom(series)]
        won = sum(play(Blef(), seats[::turn], series)[::turn][0] == 1 for turn in (1, -1))
        tallies.append((won, 2))
    low, high = win_rate_interval(tallies)
    print(f"{sum(won for won, _ in tallies)} of 80, {low:.3f} to {high:.3f}")
    assert low > 0.85


def test_the_manifest_names_both_games():
    """bot.toml lists what it plays; the ids that it knows are all there are."""
    assert ["liars-dice", "blef"] == tomllib.loads((BOTS / "scout" / "bot.toml").read_text())["games"]
    assert 88 == len(SETS)
