"""The golden tournaments, and the ways in which each is played: they must all come to the same."""

from __future__ import annotations

import shlex
from pathlib import Path

import attrs

BOTS = "golden_bots"
"""The module that `bots.py` is to a run."""


@attrs.frozen
class Tournament:
    """A small seeded tournament, as it is said on the command line."""

    name: str
    bots: str
    """`NAME=CLASS` words, classes of `bots.py`."""
    words: str
    """Options of the command."""
    plan: str = ""
    """What only a plan file can say, in TOML."""
    command: str = "run"

    @property
    def format(self) -> str:
        """What it plays, by the word that asks for it; a balanced sample counts as a format."""
        if self.command != "run":
            return self.command
        said = shlex.split(self.words)
        options = dict(zip(said[::2], said[1::2], strict=True))
        return options.get("--sets") or options.get("--tournament", "round-robin")

    def argv(self, home: Path, out: str) -> list[str]:
        """The words after `arena`; writes the plan file if there is one."""
        bots = self.bots.replace("=", f"={BOTS}:")
        argv = [self.command, *shlex.split(f"{bots} {self.words}"), "--quiet", "--out", out]
        if self.command == "run":
            argv += ["--decisions", "all"]
        if self.plan:
            (home / f"{self.name}.toml").write_text(self.plan)
            argv.insert(1, f"{self.name}.toml")
        return argv


@attrs.frozen
class Leg:
    """One call of the command."""

    words: str = "--concurrency 1"
    stop: str = ""
    """The signal that ends it in the midst of the tournament."""
    codes: tuple[int, ...] = (0, 1, 3)
    """How it may end: `arena compare` tells its verdict so, and `-x` a fault."""


AGAIN = Leg()
ONE_GO = "in one go"
WAYS: dict[str, tuple[Leg, ...]] = {
    ONE_GO: (Leg(),),
    "four tables": (Leg("--concurrency 4"),),
    "Ctrl-C": (Leg(stop="SIGINT", codes=(130,)), Leg("--concurrency 4")),
    "killed": (Leg(stop="SIGKILL", codes=(-9,)), AGAIN),
    "first fault": (Leg("--concurrency 1 -x", codes=(1,)), AGAIN),
    "extended": (Leg("--concurrency 1 --series 1"), AGAIN),
    "two workers": (Leg("--workers 2"),),
    "four workers": (Leg("--workers 4"),),
}
"""What each way calls, one after the other, in the same folder."""
EVERYWHERE = (ONE_GO, "four tables", "Ctrl-C")
"""The ways in which all tournaments are played."""
STOP_AT = 5
"""An interrupted run is stopped when this match begins."""

TOURNAMENTS = (
    # Every game, at two seats and at more.
    Tournament(
        "liars-dice-2",
        "ann=Attentive bob=Honest cat=Chancy dan=Cheeky",
        "--seed 1 --series 2",
    ),
    Tournament(
        "liars-dice-5",
        "ann=Attentive bob=Honest cat=Rude dan=Fragile eve=First",
        "--seed 2 --series 2 --seats 5 --deals fresh --rule dice=3 --rule wild_ones=true --rule challenge=next",
    ),
    Tournament(
        "blef-2",
        "ann=Attentive bob=Chancy cat=Rude",
        "--game blef --seed 3 --series 2",
    ),
    Tournament(
        "blef-4",
        "ann=Attentive bob=Chancy cat=Cheeky dan=Fragile",
        "--game blef --seed 4 --series 2 --seats 4 --deals fresh",
    ),
    Tournament(
        "bluff-2",
        "ann=Attentive bob=Chancy cat=Cheeky",
        "--game bluff --seed 5 --series 2 --rule plays_max=30",
    ),
    Tournament(
        "bluff-4",
        "ann=Attentive bob=Chancy cat=Rude dan=First eve=Chancy",
        "--game bluff --seed 6 --series 1 --seats 4 --rule claims=free_rank --rule plays_max=40",
    ),
    Tournament(
        "holdem-2",
        "ann=Attentive bob=Chancy cat=First dan=Rude",
        "--game holdem --seed 7 --series 1 --rule hands=12",
    ),
    Tournament(
        "holdem-6",
        "ann=Attentive bob=Chancy cat=First dan=Cheeky eve=Fragile fay=Attentive",
        "--game holdem --seed 8 --series 2 --seats 6 --deals fresh "
        "--rule hands=12 --rule stack=200 --rule reset_stacks=false",
    ),
    Tournament(
        "chamber-2",
        "ann=Attentive bob=Chancy cat=Fragile",
        "--game chamber --seed 9 --series 2 --rule lives=3",
    ),
    Tournament(
        "chamber-5",
        "ann=Attentive bob=Chancy cat=Cheeky dan=Rude eve=Impudent",
        "--game chamber --seed 10 --series 2 --seats 5 --rule items_per_round=3 --rule sudden_death_after=2",
    ),
    # Every format.
    Tournament(
        "balanced",
        "ann=Attentive bob=Chancy cat=Honest dan=Cheeky eve=First fay=Rude gus=Chancy",
        "--seed 11 --series 1 --seats 3 --sets balanced --rule dice=2",
    ),
    Tournament(
        "gauntlet",
        "ann=Attentive bob=Chancy cat=Chancy dan=Cheeky eve=First",
        "--game blef --tournament gauntlet --challengers 2 --seed 12 --series 2",
    ),
    Tournament(
        "swiss",
        "ann=Attentive bob=Honest cat=Chancy dan=Cheeky eve=First fay=Fragile gus=Chancy hal=Honest ida=Chancy",
        "--tournament swiss --cycles 4 --seed 13 --series 1 --rule dice=2",
    ),
    Tournament(
        "swiss-3",
        "ann=Attentive bob=Chancy cat=Chancy dan=Rude eve=First fay=Hopeless gus=Chancy hal=Impudent",
        "--game chamber --tournament swiss --seats 3 --cycles 4 --seed 14 --series 1 --rule lives=2",
    ),
    Tournament(
        "knockout",
        "ann=Attentive bob=Chancy cat=Honest dan=Cheeky eve=First fay=Honest",
        "--tournament knockout --seed 15 --series 3 --rule dice=2",
    ),
    Tournament(
        "compare",
        "new=Honest old=Chancy",
        "--seed 16 --elo1 200 --rule dice=2",
        command="compare",
    ),
    Tournament(
        "compare-field",
        "new=Honest old=Cheeky --field ann=Attentive --field bob=Chancy --field cat=First",
        "--seats 3 --seed 17 --elo1 100 --max-series 12 --rule dice=2",
        command="compare",
    ),
    # Every end.
    Tournament(
        "until",
        "ann=Honest bob=Chancy cat=Cheeky",
        '--until "best at 80%" --seed 18 --series 12 --rule dice=2',
    ),
    Tournament(
        "withdrawn-for-faults",
        "ann=Attentive bob=Chancy cat=Hopeless dan=Rude",
        "--seed 19 --series 2 --rule dice=3",
        plan="faults_max = 3\nwithdrawn_after = 2\n",
    ),
    Tournament(
        "withdrawn-when-gone",
        "ann=Attentive bob=Chancy cat=Doomed dan=Fragile",
        "--game blef --seats 3 --deals fresh --seed 20 --series 2",
        plan="restarts_max = 1\n",
    ),
)

MORE_WAYS = {
    "liars-dice-5": ("killed",),
    "swiss": ("killed", "first fault", "four workers"),
    "withdrawn-for-faults": ("first fault", "two workers"),
    "chamber-5": ("extended", "two workers"),
    "gauntlet": ("extended",),
    "blef-4": ("two workers",),
    "bluff-2": ("two workers",),
    "holdem-2": ("two workers",),
    "knockout": ("two workers",),
    "until": ("two workers",),
    "compare": ("two workers",),
    "withdrawn-when-gone": ("four workers",),
}
"""Ways besides, for some."""


def ways_of(tournament: Tournament) -> tuple[str, ...]:
    """The ways in which it is played."""
    return (*EVERYWHERE, *MORE_WAYS.get(tournament.name, ()))
