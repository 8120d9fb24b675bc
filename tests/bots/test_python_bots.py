"""The built-in bots in Python, as objects in this process and as programs of their own."""

import importlib.util
import json
import sys
import tomllib
from types import SimpleNamespace

import pytest
from documents import block_named
from liars_dice_questions import BOTS, HOUSE, QUESTIONS, may_answer, play, question

from arena.games import GAMES
from arena.games.liars_dice import LiarsDice
from arena.sdk import Bot
from arena.tournament.bots.entrants import builtin_bots, resolve
from arena.wire import messages

GAME = LiarsDice.name
ENTRANTS = {name: resolve(name, base=HOUSE) for name in builtin_bots()}
PROGRAMS = {
    name: bot.folder / bot.run[1]
    for name, bot in ENTRANTS.items()
    if bot.language == "Python" and GAME in (bot.games or GAME) and name != "search"
}
"""The file of every built-in bot in Python that plays this game by what it is asked alone; `search` goes by all
that it was told in a match: test_search.py."""


def load(path):
    """A bot's class out of its file."""
    spec = importlib.util.spec_from_file_location(f"bot_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (found,) = (
        each
        for each in vars(module).values()
        if getattr(each, "__module__", "") == spec.name and isinstance(each, type) and issubclass(each, Bot)
    )
    return found


PYTHON_BOTS = {name: load(path) for name, path in PROGRAMS.items()}
PYTHON_BOTS["first"] = load(HOUSE / "examples" / "first_bot.py")


def begun(name, bot_seed="1", **rules):
    """A bot at the start of a match."""
    bot = PYTHON_BOTS[name]()
    rules = {"dice": 5, "faces": 6, "wild_ones": False, "challenge": "anyone", **rules}
    bot.begin(messages.Match("m", 1, "liars-dice", 1, rules, 0, ["ann", "bob"], {}, bot_seed))
    return bot


def options_for(state, faces=6):
    """The options of a state, as the arena gives them."""
    face, count = state["last_bid"]
    in_play = sum(dice for _, dice in state["other_hands"])
    challenge = {"kind": "Challenge", "form": "challenge", "fields": {}}
    if state["other_hands"][0][0] != "yourself":
        challenges = [challenge] if count and state["last_bidder"] != "yourself" else []
        return [{"kind": "Pass", "form": "pass", "fields": {}}, *challenges]
    bids = [(face + 1, faces, count, count)] if 0 < face < faces else []
    bids += [(1, faces, count + 1, in_play)] if count < in_play else []
    return [
        *(bid_option(*bounds) for bounds in bids),
        *([challenge] if count else []),
    ]


def bid_option(face_min, face_max, count_min, count_max):
    fields = {"face": {"min": face_min, "max": face_max}, "count": {"min": count_min, "max": count_max}}
    return {"kind": "Bid", "form": ["<face>", "<count>"], "fields": fields}


@pytest.mark.parametrize("case", QUESTIONS)
@pytest.mark.parametrize("bot", PYTHON_BOTS)
@pytest.mark.parametrize("wild_ones", [False, True])
def test_every_answer_is_legal(bot, case, wild_ones):
    """Whatever the question, a bot in Python makes a legal move."""
    state = QUESTIONS[case]
    for seed in range(5):
        move = begun(bot, str(seed), wild_ones=wild_ones).move(state, options_for(state))
        assert may_answer(state, move), move


CERTAIN = [
    ("odds challenges what cannot be", "odds", "an impossible bid", "challenge"),
    ("truthful challenges what cannot be", "truthful", "an impossible bid", "challenge"),
    ("bluffer challenges what cannot be", "bluffer", "an impossible bid", "challenge"),
    ("odds does so off turn", "odds", "off turn, impossible", "challenge"),
    ("truthful does so off turn", "truthful", "off turn, impossible", "challenge"),
    ("odds lets a likely bid pass", "odds", "off turn, likely", "pass"),
    ("truthful lets a likely bid pass", "truthful", "off turn, likely", "pass"),
    ("odds bids what it holds", "odds", "five equal dice", [6, 5]),
    ("truthful bids the face it holds most of", "truthful", "five equal dice", [6, 1]),
    ("odds does not top what is hardly true", "odds", "one higher bid is left", "challenge"),
]


@pytest.mark.parametrize(("name", "bot", "case", "move"), CERTAIN, ids=[row[0] for row in CERTAIN])
def test_bots_make_sense(name, bot, case, move):
    """Where there is no doubt, a bot does what its description says."""
    state = QUESTIONS[case]
    assert begun(bot).move(state, options_for(state)) == move


def test_odds_knows_wild_ones():
    """With wild ones its ones count for every other face, and so a bid stands that would not."""
    state = question((1, 1, 1), [("yourself", 3), ("bob", 1)], (5, 3), "bob")
    assert begun("odds", wild_ones=True).move(state, options_for(state)) != "challenge"
    assert begun("odds", wild_ones=False).move(state, options_for(state)) == "challenge"


def test_truthful_bids_what_it_can_support():
    """It counts its own dice and its share of the hidden ones, and challenges when that is not enough."""
    state = QUESTIONS["an ordinary bid"]
    assert begun("truthful").move(state, options_for(state)) == "challenge"
    low = {**state, "last_bid": [1, 2]}
    assert begun("truthful").move(low, options_for(low)) == [2, 2]


@pytest.mark.parametrize("bot", PYTHON_BOTS)
def test_a_bot_seed_gives_one_play(bot):
    """Two objects of a bot with the same bot_seed answer a row of questions alike."""

    def answers():
        player = begun(bot, "99")
        return [player.move(state, options_for(state)) for state in QUESTIONS.values()]

    assert answers() == answers()


TABLES = [
    ("two seats", LiarsDice(), 2),
    ("five seats", LiarsDice(), 5),
    ("wild ones", LiarsDice(wild_ones=True), 3),
    ("only the next seat may challenge", LiarsDice(challenge="next"), 3),
    ("two faces", LiarsDice(faces=2, dice=2), 3),
    ("nine faces", LiarsDice(faces=9, dice=3), 3),
    ("one die each", LiarsDice(dice=1), 4),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "game", "seats"), TABLES, ids=[row[0] for row in TABLES])
def test_matches_are_played_to_the_end(name, game, seats):
    """Under all house rules every bot plays whole matches without an illegal move."""
    players = list(PYTHON_BOTS)
    for seed in range(len(players)):
        chosen = [players[(seed + seat) % len(players)] for seat in range(seats)]
        ranks = play(game, [PYTHON_BOTS[bot]() for bot in chosen], seed)
        assert min(ranks) == 1


@pytest.mark.slow
def test_odds_beats_random():
    """Of 100 seeded two-seat matches, half in each seat, odds wins at least 80."""
    wins = 0
    for seed in range(50):
        wins += play(LiarsDice(), [PYTHON_BOTS["odds"](), PYTHON_BOTS["random"]()], seed)[0] == 1
        wins += play(LiarsDice(), [PYTHON_BOTS["random"](), PYTHON_BOTS["odds"]()], seed)[1] == 1
    assert wins >= 80


def test_random_needs_options_only():
    """It plays a game that nobody here has heard of."""
    move = {
        "kind": "Shoot",
        "form": {"packet": "Shoot", "at": "<who>"},
        "fields": {"who": {"one_of": ["bob"]}},
    }
    bot = PYTHON_BOTS["random"]()
    bot.begin(SimpleNamespace(bot_seed="3"))
    assert bot.move({}, [move]) == {"packet": "Shoot", "at": "bob"}


@pytest.mark.parametrize("name", ENTRANTS)
def test_the_manifest_fits_the_bot(name):
    """bot.toml says what it must, and of a Python bot the same as its class."""
    manifest = tomllib.loads((BOTS / name / "bot.toml").read_text())
    assert manifest.keys() <= {"name", "version", "games", "language", "build", "run", "transport"}
    assert manifest["name"] == name
    assert set(manifest["games"]) <= {*GAMES, "kuhn"}
    if name in PYTHON_BOTS:
        cls = PYTHON_BOTS[name]
        assert (cls.name, cls.version) == (manifest["name"], manifest["version"])


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_its_own_plays_over_tcp(name, remote):
    """The command of bot.toml connects, says hello and answers; it ends with the connection, exit code 0."""
    assert ENTRANTS[name].run[0] == "python3"
    bot = remote([sys.executable, PROGRAMS[name]], BOTS / name, ARENA_NAME="ann", ARENA_TOKEN="secret")
    assert bot.greeting == {"type": "hello", "protocol": 1, "name": "ann", "token": "secret"}
    bot.send(messages.encode(messages.Welcome("ann")))
    bot.send(
        messages.encode(messages.Match("m", 1, "liars-dice", 1, {}, 0, ["ann", "bob"], {"move_s": 1.0}, "7"))
    )
    for number, state in enumerate(QUESTIONS.values()):
        ask = messages.Ask(str(number), 1, "m", 1.0, None, state, options_for(state))
        bot.send(messages.encode(ask))
        answer = bot.read()
        assert answer["message_id"] == str(number)
        assert may_answer(state, answer["move"])
    assert bot.hang_up() == (0, "")


@pytest.mark.slow
def test_a_bot_without_the_arena_plays(remote):
    """The plain example reads one chunk as one question, gives ids back as integers and ends no line."""
    bot_path = HOUSE / "examples" / "plain_bot.py"
    bot = remote([sys.executable, str(bot_path), "bob"], HOUSE, ends_lines=False)
    assert bot.greeting == {"name": "bob"}
    for number, state in enumerate(QUESTIONS.values()):
        bot.send(json.dumps({"message_id": str(number), "game_number": 1, **state}).encode())
        answer = bot.read()
        assert answer["message_id"] == number
        assert may_answer(state, answer["move"])
    assert bot.hang_up() == (0, "")


@pytest.mark.slow
def test_the_ten_lines_of_the_readme_play(remote):
    """The bot printed in bots/README.md answers legally over a real socket."""
    code = block_named("bots/README.md", "python ten lines")
    assert len([line for line in code.splitlines() if line]) <= 10
    bot = remote([sys.executable, "-c", code], HOUSE)
    assert bot.greeting == {"name": "tenner"}
    for number, state in enumerate(QUESTIONS.values()):
        assert may_answer(state, bot.ask(number, state))
    assert bot.hang_up() == (0, "")


def test_the_sdk_example_of_the_readme_plays():
    """The class printed in bots/README.md makes a legal move."""
    code = block_named("bots/README.md", "python class")
    names = {"__name__": "mybot"}
    exec(code, names)
    bot = names["MyBot"]()
    bot.begin(SimpleNamespace(bot_seed="3"))
    state = QUESTIONS["an ordinary bid"]
    assert may_answer(state, bot.move(state, options_for(state)))
