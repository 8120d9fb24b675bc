"""The bot that searches any game with sampled states: its answers are legal, repeatable, and beat who plays at random."""

import csv
import importlib.util
import json
import sys
import tomllib
from math import inf
from random import Random

import attrs
import pytest
import trio
from calls import call
from daily import crossed, daily, nightly_rows
from liars_dice_questions import BOTS, play

from arena.analysis.intervals import win_rate_interval
from arena.game import CHANCE, Information, Seat, Told, moves_of
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
Chance = load("search", "chance", "Chance")
Claims = load("search", "claims", "Claims")
Croupier = load("croupier", "croupier", "Croupier")
Tally = load("tally", "tally", "Tally")
KUHN = find_game(str(BOTS.parent / "examples" / "kuhn.py")).cls
RandomBot = load("random", "random_bot", "RandomBot")

SHORT = {
    "liars-dice": {"dice": 2},
    "holdem": {"hands": 2},
    "bluff": {"plays_max": 8},
    "chamber": {"lives": 1},
}
"""House rules for short matches."""
LONG = {"blef"}
"""Games without such rules, in which it thinks as in another one: of claims, as in Liar's Dice."""


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


@pytest.mark.slow
@pytest.mark.parametrize(("name", "table"), crossed(GAMES, [("two", 0), ("three", 1), ("full", -1)]))
def test_its_answers_are_legal(name, table):
    """A short match among its likes in every game, at small and full tables: `play` takes legal answers alone."""
    seats = GAMES[name].seats[table]
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
@pytest.mark.parametrize("name", daily(lambda name: name not in LONG, GAMES))
def test_the_same_seed_gives_the_same_match(name):
    """With so many rounds of thought instead of a time, nothing but the seed counts."""
    game = GAMES[name](**SHORT.get(name, {}))
    told = []
    for _ in range(2):
        bots = [Search(rounds=2), Search(rounds=2)]
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
    ("control", "most"), [({"move_s": 0.02, "bank_s": None}, 0.014), ({"move_s": None}, 0.08)]
)
def test_it_keeps_within_the_limit(control, most):
    """Of a short limit it plans to use two thirds, and never more than 80 ms."""
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


async def wins_of(game, other, series, rounds):
    """Wins and matches of each series: it sits once in each of two seats against another, on the same deals."""
    tallies = []
    for number in range(series):
        won = 0
        for seat in (0, 1):
            bots = [Search(rounds=rounds), other()]
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
    tallies = trio.run(wins_of, GAMES[name](**rules), RandomBot, series, rounds)
    low, high = win_rate_interval(tallies)
    print(f"{name}: {sum(won for won, _ in tallies)} of {2 * series}, {low:.3f} to {high:.3f}")
    assert low > at_least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "other", "series", "rounds", "at_least"),
    nightly_rows(("chamber", Tally, 20, 500, 0.3), ("blef", Croupier, 15, 60, 0.4)),
)
def test_it_holds_its_own_against_who_knows_the_game(name, other, series, rounds, at_least):
    """With 95 % confidence, clustered by series, it wins more than this share of its matches with `other`.

    These series come out the same every time: it won 21 of 40 matches (38 to 66 %), and 19 of 30 (43 to 80 %).
    """
    tallies = trio.run(wins_of, GAMES[name](), other, series, rounds)
    low, high = win_rate_interval(tallies)
    print(f"{name}: {sum(won for won, _ in tallies)} of {2 * series}, {low:.3f} to {high:.3f}")
    assert low > at_least


# Where only chance is hidden.


def chance_to_win(live, blank):
    """Of who is on turn, if the first live shell kills whom it hits."""
    if not blank:
        return 1.0
    is_live, later = live / (live + blank), chance_to_win(live, blank - 1)
    return max(is_live + (1 - is_live) * (1 - later), (1 - is_live) * later)


@pytest.mark.parametrize("live", [1, 2])
@pytest.mark.parametrize("blank", [1, 2, 3])
def test_what_luck_and_the_best_moves_lead_to_is_worked_out(live, blank):
    """Chamber for two with one life each and no items: it knows nearly how likely it is to win."""
    game, seat = GAMES["chamber"](lives=1, items_per_round=0), Seat(0)
    load = next(
        load
        for load, _ in game.chances(game.start(2))
        if (load.chamber.count("live"), load.chamber.count("blank")) == (live, blank)
    )
    step = game.apply(game.start(2), {CHANCE: load})
    known = next_information(game, first_information(game, game.start(2), 2, seat), {CHANCE: None}, step)
    chance = Chance(game, seat, 2)
    assert chance.fits(known, step.state, Random(1))
    move = chance.move(known, step.state, Random(2), inf, 500)
    (root,) = [each for each in chance.positions.values() if each.times >= 500]
    assert root.value[seat] == pytest.approx(chance_to_win(live, blank), abs=0.04)
    assert move == root.moves[chance.best(root)]


@pytest.mark.parametrize("name", ["liars-dice", "blef", "bluff", "holdem"])
def test_hidden_hands_are_no_mere_chance(name):
    """Others know their own hands."""
    game, seat = GAMES[name](), Seat(0)
    start = game.start(2)
    step = game.apply(start, {CHANCE: game.draw(start, Random(1))})
    known = next_information(game, first_information(game, start, 2, seat), {CHANCE: None}, step)
    assert not Chance(game, seat, 2).fits(known, step.state, Random(2))


# Claims.


def test_claims_that_never_stand_are_not_thought_of():
    """Blef with one card each: no set of more than two cards is looked at, a high card of its own is."""
    bot = Search(rounds=20)
    tried = []
    bot.begin(messages.Match("m", 1, "blef", 1, {}, 0, ["ann", "bob"], {}, "7"))
    game = GAMES["blef"]()
    start = game.start(2)
    step = game.apply(start, {CHANCE: game.draw(start, Random(1))})
    known = next_information(game, first_information(game, start, 2, Seat(0)), {CHANCE: None}, step)
    outlook = bot.thinker.claims.outlook
    bot.thinker.claims.outlook = lambda hands, claims, *more: (
        tried.extend(claims),
        outlook(hands, claims, *more),
    )[1]
    bot.thinker.move(known, Random(3), inf, 20)
    assert any(claim.action_id < 6 for claim in tried)
    assert all(claim.action_id < 12 for claim in tried)


class Stop(Exception):
    """Ends a thought where a test has seen enough."""


def thought(name, rules, rounds, seed, **changes):
    """What the first claim of a match is chosen by: the reasoner, the hands, claims and their worth."""
    game, seat, rng = GAMES[name](**rules), Seat(0), Random(seed)
    start = attrs.evolve(game.start(2), **changes)
    step = game.apply(start, {CHANCE: game.draw(start, rng)})
    known = next_information(game, first_information(game, start, 2, seat), {CHANCE: None}, step)
    claims, seen = Claims(game, seat), []

    def look(*found):
        seen.extend(found)
        raise Stop

    claims.outlook = look
    with pytest.raises(Stop):
        claims.move(known, rng, inf, rounds)
    return claims, step.state, *seen


@pytest.mark.parametrize("seed", range(3))
def test_what_the_other_would_claim_is_looked_at(seed):
    """Blef with six cards each: the highest claim that the likeliest hands would take to stand is among those."""
    reasoner, state, hands, claims, _, _ = thought("blef", {}, 10, seed, n_cards=(6, 6))
    legal = [move for option in reasoner.game.options(state, Seat(0)) for move in moves_of((option,), 300)]
    for row in hands.guesses[:4]:
        stand = [move for move in legal if all(reasoner.doubted_at_once(each, move) > 0 for each in row[:3])]
        assert not stand or stand[-1] in claims


@pytest.mark.parametrize(("name", "rules"), [("blef", {}), ("liars-dice", {"dice": 4})])
def test_a_doubt_is_worth_the_same_however_it_is_looked_at(name, rules):
    """Of a claim after another: by the deal as it was drawn, and by playing all that was claimed since."""
    changes = {"n_cards": (5, 5)} if name == "blef" else {}
    reasoner, _, hands, claims, own, _ = thought(name, rules, 40, 3, **changes)
    last = next(claims[which] for which in range(1, len(claims)) if len(set(own[:, which])) == 2)
    for seat, claim in ((Seat(0), claims[0]), (Seat(1), last)):
        hands = hands.after(reasoner.played(hands.now, seat, claim), seat, claim)
    found = reasoner.ended(hands, hands.deals, Seat(0), [reasoner.doubt])[:, 0]
    played = [reasoner.now(hands, deal) for deal in hands.deals]
    ends = [reasoner.played(state, Seat(0), reasoner.doubt) for state in played]
    assert list(found) == [reasoner.won(state, end, Seat(0)) for state, end in zip(played, ends, strict=True)]
    assert len(set(found)) == 2


def test_only_hands_that_were_thought_of_are_followed():
    """Others would blur what a claim of the other says."""
    _, _, hands, _, own, told = thought("blef", {}, 10, 4, n_cards=(6, 6))
    assert len(hands.deals) == len(own) == len(told) == 10


def test_who_doubts_against_all_odds_is_expected_to_do_so_again():
    """And less so who lets a claim stand that deserved a doubt; one claim is one lesson."""
    claims = Claims(GAMES["blef"](), Seat(0))
    claims.expected = 0.1
    claims.learn(True)
    eager = claims.doubting
    assert eager > 0
    claims.learn(True)
    assert claims.doubting == eager
    claims.expected = 0.9
    claims.learn(False)
    assert claims.doubting < eager


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


@pytest.mark.nightly
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
    words = ("run", "--game", game, tmp_path, "random", "--series", 12, "--seed", 1, "-q", "--move-time", 20)
    code, _, said = call(capsys, monkeypatch, *words, "--out", out)
    assert code == 0, said
    rows = {row["bot"]: row for row in csv.DictReader((out / "leaderboard.csv").read_text().splitlines())}
    search = rows["search"]
    assert [search[kind] for kind in ("too_late", "malformed", "illegal", "gone")] == ["0"] * 4
    assert float(search["returns_mean"]) > 0.2, "who does not think has nothing, with this seed"


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
