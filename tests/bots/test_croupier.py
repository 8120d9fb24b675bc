"""The built-in bot for Blef: it knows the odds, makes sense, and beats who plays at random."""

import importlib.util
import sys
import tomllib
from itertools import combinations
from time import process_time

import pytest
import trio
from daily import nightly_rows
from hypothesis import given
from hypothesis import strategies as st
from liars_dice_questions import BOTS, play

from arena.analysis.intervals import win_rate_interval
from arena.games.blef import Blef
from arena.games.blef.sets import CARDS, SETS, pool
from arena.match.clock import Control
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.schedule import derive_seed
from arena.wire import messages


def load(file, name):
    spec = importlib.util.spec_from_file_location(f"bot_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, getattr(module, name)


CODE, Croupier = load(BOTS / "croupier" / "croupier.py", "Croupier")
_, RandomBot = load(BOTS / "random" / "random_bot.py", "RandomBot")

PAIRS = [(card.value, card.colour) for card in CARDS]
"""The cards as the bot has them."""


def question(hand, others=1, history=(), **more):
    """A question to bob; `hand` are card numbers, `history` the ids of the bets so far."""
    cards = [{"value": number // 4, "colour": number % 4} for number in hand]
    return {
        "status": "Running",
        "round_number": 3,
        "max_cards": 11,
        "players": [{"nickname": "ann", "n_cards": others}, {"nickname": "bob", "n_cards": len(hand)}],
        "hands": [{"nickname": "bob", "hand": cards}],
        "cp_nickname": "bob",
        "history": [{"player": "ann", "action_id": action_id} for action_id in history],
        "last_round": None,
        **more,
    }


def begun():
    bot = Croupier()
    bot.begin(messages.Match("m", 1, "blef", 1, {}, 1, ["ann", "bob"], {}, "7"))
    return bot


@pytest.mark.parametrize("own", [(0,), (0, 1), (3, 7, 11, 15)], ids=str)
def test_its_odds_are_exact(own):
    """For every set the same as counting all deals, with two more cards dealt."""
    unseen = [number for number in range(24) if number not in own]
    deals = [pool(CARDS[number] for number in (*own, *more)) for more in combinations(unseen, 2)]
    known = frozenset(PAIRS[number] for number in own)
    for action_id, each in enumerate(SETS):
        share = sum(map(each.is_in, deals)) / len(deals)
        assert share == pytest.approx(CODE.likelihood(action_id, known, 2)), each.name


def test_its_odds_of_a_first_pool():
    """Without a card of its own, the shares of RULES.md: so many of the C(24, 5) pools of five."""
    counts = [round(CODE.likelihood(action_id, frozenset(), 5) * 42504) for action_id in (0, 6, 12, 27, 30)]
    assert counts == [27000, 7620, 624, 1024, 780]
    counts = [round(CODE.likelihood(action_id, frozenset(), 5) * 42504) for action_id in (36, 66, 70, 76)]
    assert counts == [24, 6, 20, 1]


@pytest.mark.parametrize(
    ("state", "moves"),
    [
        pytest.param(question((0,), history=(87,)), {88}, id="only the check is left"),
        pytest.param(question((0,), 1, (80,)), {88}, id="a bet that cannot be: it checks"),
        pytest.param(question((20, 21)), set(range(11, 88)), id="it opens with what it holds, or higher"),
        pytest.param(question((20,)), {5}, id="one ace: high card ace"),
        pytest.param(question((20, 21), 1, (3,)), {11}, id="it raises to the pair that it holds"),
        pytest.param(question((0, 1), 1, (80,)), {88}, id="five cards are not there in three"),
        pytest.param(question((20, 21, 22, 23), 1, (30,)), {75}, id="four aces of its own"),
        pytest.param(question((0,), 1, (5,)), {6, 88}, id="two cards are no straight flush, however high"),
    ],
)
def test_it_makes_sense(state, moves):
    """Where there is no doubt it does what its description says."""
    assert begun().move(state, []) in moves


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 23), min_size=1, max_size=11, unique=True),
    st.integers(1, 11),
    st.sets(st.integers(0, 87)),
)
def test_its_answers_are_legal(hand, others, bets):
    """Whatever is asked, the answer is above the last bet, or a check of one; the same when asked again."""
    history = sorted(bets)
    state = question(hand, others, history)
    move = begun().move(state, [])
    assert (history[-1] if history else -1) < move <= (88 if history else 87)
    assert begun().move(state, []) == move


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_it_plays_to_the_end_within_milliseconds(seats):
    """Whole matches against itself, every answer legal; on average far less than the time that counts."""
    bots = [Croupier() for _ in range(seats)]
    began = process_time()
    asked = 0
    for bot in bots:
        ask = bot.move

        def counted(state, options, ask=ask):
            nonlocal asked
            asked += 1
            return ask(state, options)

        bot.move = counted
    assert min(play(Blef(), bots, seats)) == 1
    assert (process_time() - began) / asked < 0.02


async def wins_of(seats, series_number):
    """Wins and matches of each series: it sits once in every seat against random ones, on the same deals."""
    tallies = []
    for series in range(series_number):
        seed, won = derive_seed(1, "blef", seats, series), 0
        for rotation in range(seats):
            bots = [Croupier() if seat == rotation else RandomBot() for seat in range(seats)]
            players = [LocalPlayer(f"bot-{seat}", bot) for seat, bot in enumerate(bots)]
            names = tuple(player.name for player in players)
            seeds = tuple(derive_seed(seed, rotation, seat) for seat in range(seats))
            record = await play_match(
                Blef(),
                players,
                seed=seed,
                control=Control(move_s=None),
                conduct=Conduct(),
                seating=Seating("m", names, seeds),
            )
            assert not record.capsules
            won += record.ranks[rotation] == 1
        tallies.append((won, seats))
    return tallies


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("seats", "series", "at_least"), [(4, 40, 0.9), *nightly_rows((2, 100, 0.95))])
def test_it_beats_random(seats, series, at_least):
    """With 95 % confidence, clustered by series, it wins more than this share against random ones."""
    tallies = trio.run(wins_of, seats, series)
    low, high = win_rate_interval(tallies)
    wins = sum(won for won, _ in tallies)
    print(f"{seats} seats: {wins} of {seats * series}, {low:.3f} to {high:.3f}")
    assert low > at_least


@pytest.mark.slow
def test_it_is_a_program_of_its_own(remote):
    """The command of bot.toml connects, answers and ends with the connection."""
    manifest = tomllib.loads((BOTS / "croupier" / "bot.toml").read_text())
    assert (Croupier.name, Croupier.version, ["blef"]) == (
        manifest["name"],
        manifest["version"],
        manifest["games"],
    )
    run = manifest["run"].split()
    assert run[0] == "python3"
    bot = remote([sys.executable, *run[1:]], BOTS / "croupier")
    assert bot.greeting == {"type": "hello", "protocol": 1, "name": "croupier"}
    bot.send(messages.encode(messages.Match("m", 1, "blef", 1, {}, 1, ["ann", "bob"], {}, "7")))
    bot.send(messages.encode(messages.Ask("1", 1, "m", 1.0, None, question((20,)), [])))
    assert bot.read() == {"message_id": "1", "move": 5}
    assert bot.hang_up() == (0, "")
