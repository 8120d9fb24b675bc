"""Seeds that seats share: who knows its own knows nothing more."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import pytest

from arena.analysis import load
from arena.cli import cli

BOT = """
from arena.sdk import Bot, choose

TOLD = []


class Noting(Bot):
    def started(self, match):
        TOLD.append((self, match.names[match.seat], match.seat, match.bot_seed))

    def move(self, state, options):
        return choose(options, self.rng)
"""


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Plays a tournament of three bots with these options, and gives what each instance was told."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "noting_bot.py").write_text(BOT)

    def play(*words):
        sys.modules.pop("noting_bot", None)
        bots = [f"{name}=noting_bot:Noting" for name in ("ann", "bob", "cat")]
        common = ["--rule", "dice=1", "--series", "4", "--seed", "1", "-q", "--out", "out"]
        assert not cli.main(["run", *bots, *common, *words], standalone_mode=False)
        return sys.modules["noting_bot"].TOLD

    yield play
    sys.modules.pop("noting_bot", None)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3])
def test_a_seed_never_comes_to_an_instance_twice(told, seats):
    """All who sit in a seat of shared deals have one seed, each in an instance that is told it once.

    So whoever keeps seeds, and computes what was drawn from them, knows nothing of any draw to come.
    """
    holders, instances = defaultdict(list), defaultdict(list)
    for instance, name, seat, seed in told("--seats", str(seats)):
        holders[seed].append((name, seat))
        instances[id(instance)].append(seed)
    sets = 3 if seats == 2 else 1
    assert sets * 4 * seats == len(holders)
    for sat in holders.values():
        assert seats == len(sat) == len({name for name, _ in sat}), "each bot sits there once"
        assert 1 == len({seat for _, seat in sat})
    assert all(len(seeds) == len(set(seeds)) for seeds in instances.values())
    assert max(map(len, instances.values())) > 1, "instances do play several matches"


@pytest.mark.slow
def test_fresh_deals_come_with_fresh_seeds(told):
    """Where no deal is shared, no seed is."""
    seeds = [seed for *_, seed in told("--deals", "fresh")]
    assert 48 == len(seeds) == len(set(seeds))


SEERS = """
from arena.sdk import Bot
from arena.sdk.chance import MatchRandom

THROWS = ("rock", "paper", "scissors")  # each is beaten by the next
SEEDS = []


class Even(Bot):
    def move(self, state, options):
        return self.rng.choice(THROWS)


class Seer(Bot):
    def __init__(self):
        self.seeds = self.remembered()

    def remembered(self):
        return []

    def started(self, match):
        # The opponent has the seed that this bot had in the rotation before, if it knows one.
        self.chance = MatchRandom(self.seeds[-1]) if self.seeds else self.rng
        self.seeds.append(int(match.bot_seed))

    def move(self, state, options):
        self.chance.begin_decision(state)
        return THROWS[(THROWS.index(self.chance.choice(THROWS)) + 1) % 3]


class SharedSeer(Seer):
    def remembered(self):
        return SEEDS
"""


@pytest.mark.slow
@pytest.mark.parametrize(("seer", "low", "high"), [("Seer", 0.4, 0.6), ("SharedSeer", 0.7, 1.0)])
def test_who_keeps_its_seeds_foresees_no_throw(tmp_path, monkeypatch, seer, low, high):
    """A bot that computes its opponent's throws from the seeds that it had itself is even with one that does not.

    The second row shows that it could: with one memory for all of its instances, which the rules of instances
    cannot forbid in this process, it wins every second rotation.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(Path(__file__).parent), *sys.path])
    (tmp_path / "seers.py").write_text(SEERS)
    sys.modules.pop("seers", None)
    game = f"{Path(__file__).with_name('roshambo.py')}:Roshambo"
    bots = [f"seer=seers:{seer}", "even=seers:Even"]
    words = ["run", "--game", game, *bots, "--series", "100", "--seed", str(2**64 + 7), "--concurrency", "1"]
    assert not cli.main([*words, "-q", "--out", "out"], standalone_mode=False)
    seats = load(tmp_path / "out").seats
    assert low <= seats[seats.bot == "seer"].points.mean() <= high
    sys.modules.pop("seers", None)
