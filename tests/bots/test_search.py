"""The bot that searches any game with sampled states: its answers are legal, repeatable, and beat who plays at random."""

import csv
import importlib.util
import json
import sys
import tomllib
from random import Random

import attrs
import pytest
import trio
from calls import call
from daily import nightly_rows
from liars_dice_questions import BOTS, play

from arena.analysis.intervals import win_rate_interval
from arena.game import CHANCE, Information, Seat, Told
from arena.games import GAMES
from arena.match.clock import Control
from arena.match.information import first_information, next_information
from arena.players.codec import Codec
from arena.players.decoder import Decoder
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.schedule import derive_seed
from arena.testing import random_move
from arena.tournament.bots.game_source import find_game
from arena.wire import messages


def load(folder, file, name):
    sys.path.insert(0, str(BOTS / folder))  # as for a program, whose own folder comes first
    try:
        spec = importlib.util.spec_from_file_location(f"bot_{file}", BOTS / folder / f"{file}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BOTS / folder))
    return getattr(module, name)


Search = load("search", "search", "Search")
KUHN = find_game(str(BOTS.parent / "examples" / "kuhn.py")).cls
RandomBot = load("random", "random_bot", "RandomBot")

SHORT = {
    "liars-dice": {"dice": 2},
    "holdem": {"hands": 2},
    "bluff": {"plays_max": 8},
    "chamber": {"lives": 2},
}
"""House rules for short matches."""


class FitKuhn(KUHN):
    """Kuhn poker, with states that fit what a seat knows."""

    def sample_state(self, information, rng):
        seen, seat = information.observation, information.seat
        state = self.start(2)
        if seen.your_card is None:
            return state
        others = sorted([card for card in "JQK" if card != seen.your_card], key=lambda _: rng.random())
        others.insert(seat, seen.your_card)
        return attrs.evolve(state, cards=tuple(others), said=seen.said)


def tables():
    return [(name, seats) for name, kind in GAMES.items() for seats in (2, 3, kind.seats[-1])]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seats"), tables())
def test_its_answers_are_legal(name, seats):
    """A short match among its likes in every game, at small and full tables: `play` takes legal answers alone."""
    ranks = play(GAMES[name](**SHORT.get(name, {})), [Search(rounds=3) for _ in range(seats)], seats)
    assert min(ranks) == 1


def test_it_plays_a_game_that_is_not_built_in():
    """With its class; without it, or where the game gives no states that fit, at random."""
    for game, bots in [
        (FitKuhn(), [Search(FitKuhn, rounds=40), Search(FitKuhn, rounds=40)]),
        (KUHN(), [Search(KUHN, rounds=40), Search(rounds=40)]),
    ]:
        assert sorted(play(game, bots, 2)) == [1, 2]


def test_it_never_folds_a_king():
    """Kuhn poker: it holds the best card, so it calls; with the worst one it folds, whatever the seed."""
    for card, word in [("K", "bet"), ("J", "pass")]:
        for seed in range(5):
            bot = Search(FitKuhn, rounds=200)
            bot.begin(messages.Match("m", 1, "kuhn", 1, {}, 1, ["ann", "bob"], {}, str(seed)))
            bot.event("dealt", {"cards": [card]})
            bot.event("said", {"seat": "ann", "word": "bet"})
            assert bot.move({"your_card": card, "said": ["bet"]}, []) == word


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_same_seed_gives_the_same_match(name):
    """With so many rounds of thought instead of a time, nothing but the seed counts."""
    game = GAMES[name](**SHORT.get(name, {}))
    told = []
    for _ in range(2):
        bots = [Search(rounds=4), Search(rounds=4)]
        told.append([])
        for bot in bots:
            bot.event = lambda kind, payload, bot=bot, hear=bot.event: (
                told[-1].append((kind, payload)),
                hear(kind, payload),
            )
        record = trio.run(recorded, game, bots, 5)
        told[-1].append(record.turns)
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("control", "most"), [({"move_s": 0.02, "bank_s": None}, 0.011), ({"move_s": None}, 0.08)]
)
def test_it_keeps_within_the_limit(control, most):
    """Of a short limit it plans to use half, and never more than 80 ms."""
    bot = Search()
    bot.begin(messages.Match("m", 1, "chamber", 1, {}, 0, ["ann", "bob"], control, "7"))
    assert 0 < bot.time_s() < most


async def recorded(game, bots, seed, seats=2):
    players = [LocalPlayer(f"bot-{seat}", bot) for seat, bot in enumerate(bots)]
    names = tuple(player.name for player in players)
    seeds = tuple(derive_seed(seed, "bot", seat) for seat in range(seats))
    return await play_match(
        game,
        players,
        seed=seed,
        control=Control(move_s=None),
        conduct=Conduct(),
        seating=Seating("m", names, seeds),
    )


async def wins_of(game, series, rounds):
    """Wins and matches of each series: it sits once in each of two seats against a random one, on the same deals."""
    tallies = []
    for number in range(series):
        won = 0
        for seat in (0, 1):
            bots = [Search(rounds=rounds), RandomBot()]
            record = await recorded(game, bots if seat == 0 else bots[::-1], derive_seed(1, number))
            assert not record.capsules
            won += record.ranks[seat] == 1
        tallies.append((won, 2))
    return tallies


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rules", "series", "rounds", "at_least"),
    nightly_rows(
        ("liars-dice", {"dice": 3}, 20, 12, 0.8),
        ("blef", {}, 8, 2, 0.5),
        ("bluff", {}, 8, 1, 0.5),
        ("holdem", {"hands": 10}, 12, 30, 0.55),
        ("chamber", {}, 20, 12, 0.6),
    ),
)
def test_it_beats_random(name, rules, series, rounds, at_least):
    """With 95 % confidence, clustered by series, it wins more than this share, with little thought."""
    tallies = trio.run(wins_of, GAMES[name](**rules), series, rounds)
    low, high = win_rate_interval(tallies)
    print(f"{name}: {sum(won for won, _ in tallies)} of {2 * series}, {low:.3f} to {high:.3f}")
    assert low > at_least


FIT_KUHN = """
class FitKuhn(Kuhn):
    def sample_state(self, information, rng):
        seen, start = information.observation, self.start(2)
        if seen.your_card is None:
            return start
        cards = sorted([card for card in "JQK" if card != seen.your_card], key=lambda _: rng.random())
        cards.insert(information.seat, seen.your_card)
        return attrs.evolve(start, cards=tuple(cards), said=seen.said)
"""


@pytest.mark.slow
def test_a_started_program_reads_a_game_from_a_file(tmp_path, capsys, monkeypatch):
    """In a box, from its own folder: it thinks, so that it gains on who plays at random, and never fails."""
    for file in (BOTS / "search").glob("*.py"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "kuhn.py").write_text((BOTS.parent / "examples" / "kuhn.py").read_text() + FIT_KUHN)
    (tmp_path / "bot.toml").write_text(
        'name = "search"\nversion = "1"\ngames = ["kuhn"]\n'
        'run = "python3 search.py --rounds 20 --game kuhn.py:FitKuhn"\n'
    )
    monkeypatch.chdir(tmp_path)
    game, out = f"{tmp_path / 'kuhn.py'}:FitKuhn", tmp_path / "out"
    words = ("run", "--game", game, tmp_path, "random", "--series", 40, "--seed", 1, "-q", "--move-time", 20)
    code, _, said = call(capsys, monkeypatch, *words, "--out", out)
    assert code == 0, said
    rows = {row["bot"]: row for row in csv.DictReader((out / "leaderboard.csv").read_text().splitlines())}
    search = rows["search"]
    assert [search[kind] for kind in ("too_late", "malformed", "illegal", "gone")] == ["0"] * 4
    assert float(search["returns_mean"]) > 0.25


def test_it_is_described_as_it_is():
    """The class and bot.toml agree; the command is the file."""
    manifest = tomllib.loads((BOTS / "search" / "bot.toml").read_text())
    assert (Search.name, Search.version) == (manifest["name"], manifest["version"])
    assert set(manifest["games"]) == set(GAMES)
    assert manifest["run"] == "python3 search.py"


# What it is told, read back.


@pytest.mark.parametrize(("name", "seats"), [(name, 2) for name in GAMES] + [("chamber", 4), ("kuhn", 2)])
def test_what_was_sent_is_read_back(name, seats):
    """Of random matches, faults included: every observation, and every payload's fields, with names as seats."""
    game = KUHN() if name == "kuhn" else GAMES[name](**SHORT.get(name, {}))
    names, rng = ("ann", "AS", "live", "two")[:seats], Random(name)  # names that are words in some games
    for _ in range(6):
        state = game.start(seats)
        known = [first_information(game, state, seats, Seat(seat)) for seat in range(seats)]
        while asked := game.to_act(state):
            moves = {seat: random_move(game, state, seat, rng) for seat in asked if seat != CHANCE}
            moves |= {seat: game.default(state, seat) for seat in moves if rng.random() < 0.05}
            step = game.apply(state, moves or {CHANCE: game.draw(state, rng)})
            known = [next_information(game, each, moves or {CHANCE: None}, step) for each in known]
            state = step.state
        for seat, information in enumerate(known):
            assert plain(information) == plain(read_back(game, names, Seat(seat), information))


def read_back(game, names, seat, information):
    codec, decoder = Codec(game, names, seat), Decoder(game, names, seat)

    def sent(value):
        return json.loads(codec.encode(value))

    past = [
        decoder.told(each.kind, sent(each.payload)) if isinstance(each, Told) else each
        for each in information.past
    ]
    return Information(seat, len(names), decoder.observation(sent(information.observation)), tuple(past))


def plain(value):
    """The value with the types of its seats, but without the names of classes."""
    if attrs.has(type(value)):
        return {field.name: plain(getattr(value, field.name)) for field in attrs.fields(type(value))}
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return (type(value), value)
