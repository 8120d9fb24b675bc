"""The bot `doubter` for Bluff: what it does where there is no doubt, and by how much it beats `random`."""

import importlib.util
import tomllib
from statistics import mean

import pytest
from daily import nightly_rows
from liars_dice_questions import BOTS, play

from arena.analysis.intervals import win_rate_interval
from arena.games.bluff import Bluff
from arena.games.cards import sort_cards
from arena.players.local import LocalPlayer
from arena.sdk import Bot
from arena.testing import play_once
from arena.wire import messages


def load(name, file, cls):
    """A bot's class out of its file."""
    spec = importlib.util.spec_from_file_location(f"bot_{name}", BOTS / name / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, cls)


Doubter = load("doubter", "doubter.py", "Doubter")
RandomBot = load("random", "random_bot.py", "RandomBot")


def begun(**rules):
    """The bot at the start of a match."""
    bot = Doubter()
    rules = {"claims": "sequence", "plays_max": 300, **rules}
    bot.begin(messages.Match("m", 1, "bluff", 1, rules, 0, ["ann", "bob", "cem"], {}, "1"))
    return bot


def question(asked, hand, due="A", *, sizes=(("bob", 9), ("cem", 20), ("ann", 20)), pile=3, last=None):
    """A question to ann; `last` is bob's play, its count and claim."""
    shown = list(sort_cards(hand.split()))
    return {
        "you": "ann",
        "asked": asked,
        "current_player": sizes[0][0],
        "hand": shown,
        "pile_size": pile,
        "hand_sizes": [list(each) for each in sizes],
        "claim_due": due,
        "last_play": last and {"player": "bob", "count": last[0], "claim": last[1]},
        "last_challenge": None,
    }


MINE = (("ann", 5), ("bob", 9), ("cem", 20))
WINS = (("bob", 0), ("cem", 7), ("ann", 20))


@pytest.mark.parametrize(
    ("state", "rules", "move"),
    [
        pytest.param(
            question("play", "3C 7D 7H 7S KC", "7", sizes=MINE),
            {},
            {"play": ["7D", "7H", "7S"]},
            id="all it has of the due rank",
        ),
        pytest.param(
            question("play", "5C 6D 7H 8S TC", "4", sizes=MINE),
            {},
            {"play": ["8S"]},  # by turns of three: after 27, 15, 3, 30 and 6 plays
            id="none: what it could play last",
        ),
        pytest.param(
            question("play", "3C 7D 7H KC", None, sizes=MINE),
            {"claims": "free_rank"},
            {"play": ["7D", "7H"], "claim": "7"},
            id="a free rank: what it has most of",
        ),
        pytest.param(
            question("play", "3C 7D 7C KC", None, sizes=MINE),
            {"claims": "free_suit"},
            {"play": ["3C", "7C", "KC"], "claim": "C"},
            id="a free suit: what it has most of",
        ),
        pytest.param(question("accuse", "7D 7H KC", last=(3, "7")), {}, "bluff", id="there are not so many"),
        pytest.param(question("accuse", "7D 7H KC", last=(5, "K")), {}, "bluff", id="nobody can have five"),
        pytest.param(question("accuse", "7D 7H KC", last=(2, "7")), {}, "pass", id="there are so many"),
        pytest.param(
            question("accuse", "2C 3C", None, last=(12, "C")),
            {"claims": "free_suit"},
            "bluff",
            id="a suit has thirteen",
        ),
        pytest.param(
            question("accuse", "2C 3C", None, last=(2, "C")), {"claims": "free_suit"}, "pass", id="of a suit"
        ),
        pytest.param(
            question("accuse", "7D 7H KC", sizes=WINS, last=(1, "7")),
            {},
            "bluff",
            id="the player wins else, and there is no place to lose",
        ),
    ],
)
def test_it_makes_sense(state, rules, move):
    """Honest when it can be; accuses on impossible counts, and when there is nothing to lose."""
    assert move == begun(**rules).move(state, [])


def test_it_remembers_what_it_laid_down():
    """Its own cards in the pile cannot be in another hand, until the pile is taken."""
    bot = begun()
    lie = bot.move(question("play", "7D 8C", "5", sizes=MINE, pile=0), [])
    assert {"play": ["7D"]} == lie
    other = question("accuse", "7C 7H", last=(2, "7"), pile=3)
    assert "bluff" == bot.move(other, [])
    assert "pass" == bot.move({**other, "pile_size": 2}, [])


def test_it_learns_who_lies():
    """Who was seen to lie with several cards is not believed any more; others are."""
    bot = begun()
    state = question("accuse", "KC", last=(2, "7"), pile=5)
    assert "pass" == bot.move(state, [])
    shown = {"accuser": "cem", "player": "bob", "cards": ["2C", "3C"], "bluff": True}
    for _ in range(20):
        bot.event("challenge", shown)
    assert "bluff" == bot.move(state, [])
    assert "pass" == bot.move({**state, "last_play": {"player": "cem", "count": 2, "claim": "7"}}, [])
    bot.begin(bot.match)
    assert "pass" == bot.move(state, [])


@pytest.mark.slow
@pytest.mark.parametrize("claims", ["sequence", "free_rank", "free_suit"])
@pytest.mark.parametrize("seats", [2, 5, 10])
def test_every_answer_is_legal(claims, seats):
    """Whole matches under all house rules, among its like and random bots, without an illegal move."""
    for seed in range(2):
        bots = [(Doubter, RandomBot)[seed * seat % 2]() for seat in range(seats)]
        assert 1 == min(play(Bluff(claims), bots, seed))


def test_a_seed_gives_one_play():
    """Two matches of the same seed go the same way."""
    assert play(Bluff(), [Doubter(), RandomBot()], 5) == play(Bluff(), [Doubter(), RandomBot()], 5)


async def wins_against_random(game, seats, series):
    """Series by series, in each seat once on the same deal: how often the doubter was first, of how many."""
    won = []
    for seed in range(series):
        wins = 0
        for own in range(seats):
            bots = [LocalPlayer(f"random-{seat}", RandomBot()) for seat in range(seats)]
            bots[own] = LocalPlayer("doubter", Doubter())
            record = await play_once(game, bots, seed=seed)
            assert not record.capsules
            wins += record.ranks[own] == 1
        won.append((wins, seats))
    return won


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("claims", "seats", "series", "least"),
    [
        ("sequence", 4, 28, 0.85),
        *nightly_rows(
            ("sequence", 2, 80, 0.95),
            ("free_rank", 2, 80, 0.95),
            ("free_suit", 2, 80, 0.95),
        ),
    ],
)
async def test_it_beats_random(claims, seats, series, least):
    """The 95 % interval of its win rate, clustered by series, lies above `least`; chance is 1 in `seats`.

    It wins every match: so many series are just enough for that, and one that is lost is told.
    """
    won = await wins_against_random(Bluff(claims), seats, series)
    low, high = win_rate_interval(won)
    rate = mean(wins / matches for wins, matches in won)
    print(f"doubter, {claims}, {seats} seats: {rate:.3f} [{low:.3f}, {high:.3f}]")
    assert least < low <= rate <= high


def test_the_manifest_fits_the_bot():
    """bot.toml says the same as the class."""
    manifest = tomllib.loads((BOTS / "doubter" / "bot.toml").read_text())
    assert issubclass(Doubter, Bot)
    assert ("doubter", "1") == (Doubter.name, Doubter.version) == (manifest["name"], manifest["version"])
    assert ["bluff"] == manifest["games"]
