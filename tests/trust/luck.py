"""What shared luck gains, and that memory gains nothing: python -m tests.trust.luck [--series N] [GAME…]

Each set of bots meets in two tournaments of equally many matches: in one every match has its own deals, and
every bot its own chance in it; in the other the rotations of a series share their deals and, in each seat,
the chance of the bots (`arena run --deals`).  What is compared is the half-width of the 95 % interval of the
first bot's mean score, from the spread of its series.  Most are two versions of a built-in bot with one
constant changed: alike enough that luck decides.  One pair is far apart: there is less luck to remove.

The first table is the one in README.md.  Its last column is the ratio of the half-widths, squared, with a
95 % interval: a bootstrap over series.  Then a bot that remembers deals plays Liar's Dice, under the arena's
rules and with a way around them.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
import click

from arena.analysis import load
from arena.games import GAMES

from .chance import ratio_of_variances
from .versions import version_with

# In the arena's process (`tests.trust.luck:Odds`) bots play many times faster than as programs.
Odds, HighOdds = (version_with("odds/odds.py", "Odds", **new) for new in ({}, {"HEIGHT": 0.08}))
Croupier, WaryCroupier = (
    version_with("croupier/croupier.py", "Croupier", **new) for new in ({}, {"TRUST": 0.6})
)
Doubter, KeenDoubter = (
    version_with("doubter/doubter.py", "Doubter", **new) for new in ({}, {"LIES_OF_ONE": 0.3})
)
Tally, ThriftyTally = (
    version_with("tally/tally.py", "Tally", **new) for new in ({}, {"WORTH_DOUBLING": 0.7})
)
Equity, BoldEquity = (version_with("equity/equity.py", "Equity", **new) for new in ({}, {"BLUFFS": 0.3}))
Bluffer, ShyBluffer = (version_with("bluffer/bluffer.py", "Bluffer", **new) for new in ({}, {"NERVE": 0.3}))
Truthful = version_with("truthful/truthful.py", "Truthful")


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
class Meeting:
    """Bots that meet in a game, at a table of all of them."""

    game: str
    bots: tuple[str, ...]
    draws: bool = False
    """Whether they have chance of their own."""
    series: int = 300
    rules: tuple[str, ...] = ()

    @property
    def names(self):
        return [bot.split("=")[0] for bot in self.bots]


def two_pairs(one, other):
    """The same two bots twice, for a table of four."""
    return (one, other, *(f"{bot.split('=')[0]}-2={bot.split('=')[1]}" for bot in (one, other)))


TEN = ("hands=10",)  # a match; the usual 100 would take many minutes
ODDS = ("odds=tests.trust.luck:Odds", "odds-high=tests.trust.luck:HighOdds")
EQUITY = ("equity=tests.trust.luck:Equity", "equity-bold=tests.trust.luck:BoldEquity")
CROUPIER = ("croupier=tests.trust.luck:Croupier", "croupier-wary=tests.trust.luck:WaryCroupier")
TALLY = ("tally=tests.trust.luck:Tally", "tally-thrifty=tests.trust.luck:ThriftyTally")
MEETINGS = (
    Meeting("liars-dice", ODDS),
    Meeting("holdem", EQUITY, draws=True, rules=TEN),
    Meeting("bluff", ("doubter=tests.trust.luck:Doubter", "doubter-keen=tests.trust.luck:KeenDoubter")),
    Meeting("blef", CROUPIER),
    Meeting("chamber", TALLY),
    Meeting(
        "liars-dice",
        ("bluffer=tests.trust.luck:Bluffer", "bluffer-shy=tests.trust.luck:ShyBluffer"),
        draws=True,
    ),
    Meeting("liars-dice", ("odds=tests.trust.luck:Odds", "truthful=tests.trust.luck:Truthful")),
    Meeting("liars-dice", two_pairs(*ODDS)),
)
MEMORIES = (
    Meeting("liars-dice", ("no-memory=tests.trust.luck:Odds", "plain=tests.trust.luck:Odds"), series=50),
    Meeting("liars-dice", ("remembers=tests.trust.luck:Remembers", "plain=tests.trust.luck:Odds"), series=50),
    Meeting(
        "liars-dice",
        ("remembers-all=tests.trust.luck:RemembersAll", "plain=tests.trust.luck:Odds"),
        series=50,
    ),
)
MEMORY_COLUMNS = ["bot", "matches", "points_mean", "points_low", "points_high"]
HEAD = (
    "game",
    "seats",
    "bots",
    "own chance",
    "matches",
    "± independent",
    "± shared",
    "independent needs (95 %)",
)


def played(meeting, deals, series, seed):
    """The results of a tournament of these bots."""
    with TemporaryDirectory() as folder:
        words = [*meeting.bots, "--game", meeting.game, "--deals", deals, "--seed", str(seed)]
        words += ["--seats", str(len(meeting.bots)), "--series", str(series or meeting.series)]
        words += ["--strict", "--quiet", "--out", f"{folder}/run"]
        words += [word for rule in meeting.rules for word in ("--rule", rule)]
        # One table at a time: a deal that comes again must come in the very next match to be recognised.
        run_arena("run", *words, "--concurrency", "1", cwd=folder)
        results = load(f"{folder}/run")
        return results.series, results.leaderboard.set_index("bot").loc[meeting.names].reset_index()


def run_arena(*words, cwd):
    """Runs `arena` with these arguments.  Raises ClickException with the arena's message if it fails.

    In a folder of its own, or `results/latest` here would point to a folder that is removed afterwards.
    """
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "arena.cli", *words]
    environment = {**os.environ, "PYTHONPATH": path}
    result = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode:
        raise click.ClickException(result.stderr)


def scores_of(meeting, results):
    """The first bot's mean score in each series, in the unit of the second value."""
    series, _ = results
    own, game = series[series.bot == meeting.names[0]], GAMES[meeting.game]()
    if game.rated_by == "ranks":
        return own.points_mean.to_numpy(), ""
    unit, returns = game.returns_unit
    rules = dict(rule.split("=") for rule in meeting.rules)
    return own.returns_mean.to_numpy() / returns * game.hands / int(rules["hands"]), f" {unit}"


def compared(meeting, independent, shared):
    """A row of the first table, from the results of the two tournaments."""
    apart, unit = scores_of(meeting, independent)
    together, _ = scores_of(meeting, shared)
    low, ratio, high = ratio_of_variances(apart, together)
    widths = [
        f"{three_digits(1.96 * each.std(ddof=1) / len(each) ** 0.5)}{unit}" for each in (apart, together)
    ]
    seats = len(meeting.bots)
    named = " : ".join(meeting.names[:2]) + (", twice" if seats > 2 else "")
    needs = f"{ratio:.2g} × ({low:.2g}–{high:.2g})"
    rules = f", {meeting.rules[0].split('=')[1]} hands" if meeting.rules else ""
    title = f"{GAMES[meeting.game].title}{rules}"
    return (title, seats, named, "yes" if meeting.draws else "no", len(apart) * seats, *widths, needs)


def show_markdown(rows):
    """Prints the table of README.md."""
    for cells in (HEAD, ["---"] * len(HEAD), *rows):
        print("|", " | ".join(map(str, cells)), "|")
    print()


def three_digits(number):
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:#.3g}".rstrip(".")


@click.command()
@click.option("--series", type=click.IntRange(2), help="Series of every row.  [300; of a memory 50]")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.argument("games", nargs=-1, metavar="[GAME]...", type=click.Choice(list(GAMES)))
def main(series, seed, games):
    """What shared luck and a memory gain in these games (all, if none is named)."""
    meetings, memories = (
        [each for each in some if each.game in (games or GAMES)] for some in (MEETINGS, MEMORIES)
    )
    with ThreadPoolExecutor(os.cpu_count()) as workers:

        def results(meetings, deals):
            return workers.map(lambda meeting: played(meeting, deals, series, seed), meetings)

        both = results(meetings, "fresh"), results(meetings, "same")
        remembered = results(memories, "same")
        show_markdown(compared(*each) for each in zip(meetings, *both, strict=True))
        memory = [board.loc[0, MEMORY_COLUMNS] for _, board in remembered]
    if memory:
        from pandas import DataFrame

        print("What a memory gains in Liar's Dice with shared deals, against the same bot without:\n")
        print(DataFrame(memory).to_string(index=False, float_format=three_digits))


if __name__ == "__main__":
    main()
