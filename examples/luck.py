"""What shared deals gain, and that memory gains nothing: python examples/luck.py [--series N] [GAME…]

Each pair of bots meets in two tournaments of equally many matches: in one every match has its own deals, in
the other the rotations of a series share theirs (`arena run --deals`).  What is compared is the half-width of
the 95 % interval of the mean score.  The first pair of a game is two versions of a built-in bot, with one
constant changed: alike enough that luck decides.  The second pair is far apart, so that there is less luck to
remove.

A half-width is itself known only to within 1/√(2 × series) of its size, ratio² to within 2/√series: a fifth
for 100 series.

Then a bot that remembers deals plays Liar's Dice, under the arena's rules and with a way around them.
"""

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import click
from pandas import DataFrame

from arena.analysis import load
from arena.games import GAMES
from arena.tournament.entrants import builtin_bots


def built_in(file, cls, **constants):
    """A built-in bot's class, from a copy of its module in which these constants differ."""
    path = builtin_bots()[file.split("/")[0]].parent / file
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    unknown = constants.keys() - vars(module).keys()
    assert not unknown, f"{file} has no {unknown}: the two versions would be the same"
    vars(module).update(constants)
    return getattr(module, cls)


# In the arena's process (`luck:Odds`) bots play many times faster than as programs.
Odds, HighOdds = (built_in("odds/odds.py", "Odds", **new) for new in ({}, {"HEIGHT": 0.08}))
Croupier, WaryCroupier = (built_in("croupier/croupier.py", "Croupier", **new) for new in ({}, {"TRUST": 0.6}))
Doubter, KeenDoubter = (
    built_in("doubter/doubter.py", "Doubter", **new) for new in ({}, {"LIES_OF_ONE": 0.3})
)
Tally, ThriftyTally = (built_in("tally/tally.py", "Tally", **new) for new in ({}, {"WORTH_DOUBLING": 0.7}))
Equity, BoldEquity = (built_in("equity/equity.py", "Equity", **new) for new in ({}, {"BLUFFS": 0.3}))
Truthful = built_in("truthful/truthful.py", "Truthful")
RandomBot = built_in("random/random_bot.py", "RandomBot")


class Remembers(Odds):
    """`odds` with a memory: if a match begins with its dice of the previous one, it looks up the other's."""

    def __init__(self):
        self.matches = []  # of each match the dice that were shown, by round and seat

    def started(self, match):
        self.matches.append({})

    def event(self, kind, payload):
        if kind == "challenge":
            for name, dice in payload["hands"]:
                seat = self.match.seat if name == "yourself" else self.match.names.index(name)
                self.matches[-1][self.round, seat] = dice

    def move(self, state, options):
        self.round = state["round_number"]
        self.matches[-1][self.round, self.match.seat] = state["your_hand"]
        self.theirs = self.looked_up(state)
        return super().move(state, options)

    def looked_up(self, state):
        """The other bot's dice, or None."""
        *_, before, now = [{}, *self.matches]
        own = (1, self.match.seat)
        hidden = sum(dice for _, dice in state["other_hands"]) - len(state["your_hand"])
        theirs = before.get((self.round, 1 - self.match.seat), [])
        return theirs if before.get(own) == now[own] and len(theirs) == hidden else None

    def likelihood(self, bid, state, trust=0):
        """What `odds` decides by; once the dice are known there is nothing to guess."""
        if self.theirs is None:
            return super().likelihood(bid, state, trust)
        face, count = bid
        return float((state["your_hand"] + self.theirs).count(face) >= count)


class RemembersAll(Remembers):
    """The same with one memory for all instances: what it would gain if the arena did not keep them apart."""

    def __init__(self):
        self.matches = EVERYTHING


EVERYTHING = []


@attrs.frozen
class Pair:
    """Two bots, the game they meet in, and how often by default."""

    game: str
    bots: tuple[str, str]
    series: int
    rules: tuple[str, ...] = ()


TEN = ("hands=10",)  # a match; the usual 100 would take minutes
PAIRS = (
    Pair("liars-dice", ("odds=luck:Odds", "odds-high=luck:HighOdds"), 100),
    Pair("liars-dice", ("odds=luck:Odds", "truthful=luck:Truthful"), 50),
    Pair("holdem", ("equity=luck:Equity", "equity-bold=luck:BoldEquity"), 40, TEN),
    Pair("holdem", ("equity=luck:Equity", "random=luck:RandomBot"), 20, TEN),
    Pair("bluff", ("doubter=luck:Doubter", "doubter-keen=luck:KeenDoubter"), 100),
    Pair("bluff", ("doubter=luck:Doubter", "random=luck:RandomBot"), 50),
    Pair("blef", ("croupier=luck:Croupier", "croupier-wary=luck:WaryCroupier"), 60),
    Pair("blef", ("croupier=luck:Croupier", "random=luck:RandomBot"), 30),
    Pair("chamber", ("tally=luck:Tally", "tally-thrifty=luck:ThriftyTally"), 100),
    Pair("chamber", ("tally=luck:Tally", "random=luck:RandomBot"), 50),
)
MEMORIES = (
    Pair("liars-dice", ("no-memory=luck:Odds", "plain=luck:Odds"), 50),
    Pair("liars-dice", ("remembers=luck:Remembers", "plain=luck:Odds"), 50),
    Pair("liars-dice", ("remembers-all=luck:RemembersAll", "plain=luck:Odds"), 50),
)
MEMORY_COLUMNS = ["bot", "matches", "points_mean", "points_low", "points_high"]


def played(pair, deals, series, seed):
    """The leaderboard of a tournament of the two; the first one's row comes first."""
    with TemporaryDirectory() as folder:
        words = [*pair.bots, "--game", pair.game, "--deals", deals, "--seed", str(seed)]
        words += ["--series", str(series or pair.series), "--strict", "--quiet", "--out", f"{folder}/run"]
        words += [word for rule in pair.rules for word in ("--rule", rule)]
        # One table at a time: a deal that comes again must come in the very next match to be recognised.
        run_arena("run", *words, "--concurrency", "1", cwd=folder)
        names = [bot.split("=")[0] for bot in pair.bots]
        return load(f"{folder}/run").leaderboard.set_index("bot").loc[names].reset_index()


def run_arena(*words, cwd):
    """Runs `arena` with these arguments.  Raises ClickException with the arena's message if it fails.

    In a folder of its own, or `results/latest` here would point to a folder that is removed afterwards.
    """
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "arena.cli", *words]
    environment = {**os.environ, "PYTHONPATH": path}
    result = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode:
        raise click.ClickException(result.stderr)


def score_of(board):
    """The first bot's score with the ends of its 95 % interval: points, or returns in the game's unit."""
    kind = ("points_mean", "points_low", "points_high")
    if board.rating_unit[0] != "Elo":
        kind = ("rating", "rating_low", "rating_high")
    return [board[column][0] for column in kind]


def half_width(board):
    """Half of the 95 % interval of the first bot's score; the other's is as wide."""
    _, low, high = score_of(board)
    return (high - low) / 2


def compared(pair, independent, shared):
    """A row of the first table, from the pair's two leaderboards."""
    widths = half_width(independent), half_width(shared)
    return {
        "game": pair.game,
        "bots": " : ".join(shared.bot),
        "matches": shared.matches[0],
        "score": score_of(shared)[0],
        "unit": "points" if shared.rating_unit[0] == "Elo" else shared.rating_unit[0],
        "independent": widths[0],
        "shared": widths[1],
        "ratio": widths[0] / widths[1],
        "ratio²": (widths[0] / widths[1]) ** 2,
    }


def show(title, rows):
    """Prints a table, with numbers to three digits."""
    print(title, DataFrame(rows).to_string(index=False, float_format=three_digits), sep="\n\n", end="\n\n")


def three_digits(number):
    return f"{number:.0f}" if abs(number) >= 1000 else f"{number:#.3g}".rstrip(".")


@click.command()
@click.option("--series", type=click.IntRange(2), help="Series of every pair.  [20 to 100]")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.argument("games", nargs=-1, metavar="[GAME]...", type=click.Choice(list(GAMES)))
def main(series, seed, games):
    """What shared deals and a memory gain in these games (all, if none is named)."""
    pairs, memories = ([each for each in some if each.game in (games or GAMES)] for some in (PAIRS, MEMORIES))
    with ThreadPoolExecutor(os.cpu_count()) as workers:

        def boards(pairs, deals):
            return workers.map(lambda pair: played(pair, deals, series, seed), pairs)

        both = boards(pairs, "fresh"), boards(pairs, "same")
        remembered = boards(memories, "same")
        rows = [compared(*each) for each in zip(pairs, *both, strict=True)]
        memory = [board.loc[0, MEMORY_COLUMNS] for board in remembered]
    show("Half-width of the 95 % interval of the score, with independent and with shared deals:", rows)
    print("Independent deals would need ratio² times as many matches for the same precision.", end="\n\n")
    if memory:
        show("What a memory gains in Liar's Dice with shared deals, against the same bot without:", memory)


if __name__ == "__main__":
    main()
