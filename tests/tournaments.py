"""Whole tournaments for tests: bots that live in this process or in one of their own, a folder, a run."""

from __future__ import annotations

import csv
import sqlite3
import sys
from contextlib import contextmanager
from pathlib import Path

import attrs
import trio

from arena.errors import ConfigError
from arena.games.liars_dice import LiarsDice
from arena.players.entrant import Entrant
from arena.schedule.admission import Capacity
from arena.sdk import Bot
from arena.store import TABLES, Store, exports
from arena.tournament.folder.run import Run
from arena.tournament.plan import Plan
from arena.tournament.play.reporting import Silent
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament
from arena.tournament.tournament import Tournament

BAD = Path(__file__).parent.parent / "bots" / "misbehaving"
SHORT = LiarsDice(dice=2)
HURRY = {"move_time": 0.25, "name_wait_s": 0.2, "reconnect_s": 0.5, "series": 1}
"""Matches with bots that let their time pass."""


def honest_move(state):
    """What the bots in bots/misbehaving play when they behave; deterministic."""
    hand, (face, count) = state["your_hand"], state["last_bid"]
    dice = sum(number for _, number in state["other_hands"])
    if state["other_hands"][0][0] != "yourself":
        return "pass"
    if count == 0:
        face = max(set(hand), key=lambda die: (hand.count(die), die))
        return [face, hand.count(face)]
    if count > hand.count(face) + (dice - len(hand)) / 3 or count == dice:
        return "challenge"
    bids = ([f, count + (f <= face)] for f in range(1, 7))
    return max(bids, key=lambda bid: (hand.count(bid[0]) - bid[1], bid))


class Steady(Bot):
    def move(self, state, options):
        return honest_move(state)


class Doubter(Bot):
    """Challenges whatever it can; deterministic too, and another strategy."""

    def move(self, state, options):
        doubts = state["last_bid"][1] > 1 and state["last_bidder"] != "yourself"
        return "challenge" if doubts else honest_move(state)


class Chancy(Bot):
    """Uses the chance that each match gives it."""

    def move(self, state, options):
        if state["other_hands"][0][0] == "yourself" and self.rng.random() < 0.3 and state["last_bid"][1]:
            return "challenge"
        return honest_move(state)


class Cheeky(Bot):
    """Passes on turn now and then, which is illegal, and never enough to be abandoned."""

    def begin(self, match):
        super().begin(match)
        self.asked = 0

    def move(self, state, options):
        self.asked += 1
        return "pass" if self.asked == 2 else honest_move(state)


class Talker(Bot):
    """Says something to the host in place of a move."""

    def move(self, state, options):
        return ["a word to the host"]


class Hopeless(Bot):
    """Never makes a legal move, and is abandoned in every match."""

    def move(self, state, options):
        return [7, 7]


class Fragile(Bot):
    """Raises at the second question of every match."""

    def begin(self, match):
        super().begin(match)
        self.asked = 0

    def move(self, state, options):
        self.asked += 1
        if self.asked == 2:
            raise RuntimeError("fragile")
        return honest_move(state)


def local(name: str, bot: type[Bot], **more) -> Entrant:
    """A bot of a class in this process."""
    target = f"{bot.__module__}:{bot.__name__}"
    return Entrant(name=name, kind="local", version="1", target=target, fingerprint=bot.__name__, **more)


def program(name: str, *words: str, folder: Path = BAD, **more) -> Entrant:
    """A Python program as a process: `program("late", "late.py", "3")`."""
    return Entrant(name=name, kind="process", run=(sys.executable, *words), folder=folder, **more)


def honest(name: str, **more) -> Entrant:
    """A well-behaved bot as a process."""
    code = "from honest import *\nfor question, _ in questions(): answer(question, move(question))"
    return program(name, "-c", code, **more)


FIELD = (local("ann", Steady), local("bob", Doubter), local("cat", Chancy), local("dan", Cheeky))


class Record(Silent):
    """Remembers what a run reported."""

    def __init__(self, on_played=lambda entry: None):
        self.notes, self.entries, self.waits, self.closed_series, self.planned = [], [], [], [], None
        self._on_played = on_played

    def note(self, line):
        self.notes.append(line)

    def waiting(self, address, missing):
        self.waits.append((address, tuple(missing)))

    def begins(self, course, done):
        self.planned = (course.size, done)

    def closed(self, series):
        self.closed_series.append(series)

    def played(self, entry):
        self.entries.append(entry)
        self._on_played(entry)


def terms(entrants=(), folder=Path("results/none"), *, processes_max=4, **plan):
    """What it takes to play matches of a run that nobody opened, with so many processes at most."""
    return Tournament(
        plan=Plan(**{"seed": 1, "seats": processes_max // 2, **plan}),
        game=SHORT,
        entrants=tuple(entrants),
        capacity=Capacity.fixed(1),
        folder=folder,
    )


@contextmanager
def opened(
    folder: Path, entrants, *, game=SHORT, tokens=None, concurrency=1, only=None, stop_rule=None, **plan
):
    """A Run on a new folder, or on one that is there already."""
    wishes = Plan(**{"seed": 1, "series": 2, **plan})
    is_new = not (folder / "arena.db").exists()
    meta = {"game_version": 1, "identity": {"rules": attrs.asdict(game)}}
    with Store.create(folder, meta=meta) if is_new else Store.open(folder, write=True) as store:
        yield Run(
            plan=wishes,
            game=game,
            entrants=tuple(entrants),
            tokens=tokens or {},
            capacity=Capacity.fixed(concurrency),
            folder=folder,
            store=store,
            only=only,
            stop_rule=stop_rule,
        )


async def play(folder: Path, entrants=FIELD, *, stop_after=None, reporter=None, stop_at_fault=False, **plan):
    """Plays, exports, and gives (summary, reporter); `stop_after` so many matches the run is cancelled."""
    summary = Summary()
    with trio.CancelScope() as scope, opened(folder, entrants, **plan) as setup:
        setup = attrs.evolve(setup, stop_at_fault=stop_at_fault)
        reporter = reporter or Record()
        inner = reporter._on_played

        def played(entry):
            inner(entry)
            if len(reporter.entries) == stop_after:
                scope.cancel()

        reporter._on_played = played
        try:
            await run_tournament(setup, reporter, summary)
        finally:
            exports.write(setup.store)
    return summary, reporter


def exact(folder: Path, columns_by_table=TABLES) -> dict[str, list[list[str]]]:
    """What must be the same however a run went: the exact columns of all exported tables, row by row."""
    tables = {}
    for name, columns in columns_by_table.items():
        with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        wanted = [rows[0].index(column.name) for column in columns if column.exact]
        tables[name] = [[row[index] for index in wanted] for row in rows]
    return tables


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def matches_in(folder: Path) -> int:
    """How many matches a folder holds that another process may be writing."""
    if not (folder / "arena.db").exists():
        return 0
    try:
        with Store.unchecked(folder) as store:
            return store.size()
    except (ConfigError, sqlite3.Error):  # the arena is about to make it
        return 0


def faults(folder: Path) -> dict[str, dict[str, int]]:
    """Bot -> kind -> how often, from seats.csv."""
    kinds = ("too_late", "malformed", "illegal", "gone")
    found: dict[str, dict[str, int]] = {}
    for row in rows(folder, "seats"):
        counts = found.setdefault(row["bot"], dict.fromkeys(kinds, 0))
        for kind in kinds:
            counts[kind] += int(row[kind])
    return {bot: {kind: count for kind, count in counts.items() if count} for bot, counts in found.items()}


def alive(marker: str) -> list[int]:
    """The processes that carry this in their environment or command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            said = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
        except OSError:
            continue
        if marker.encode() in said:
            found.append(int(place.name))
    return found
