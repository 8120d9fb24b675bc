"""A folder of a million matches: how long leaderboard and report take over it, and how much memory.

The folder is made by this module, not played: rows of real matches of random legal play, between twenty bots
of known strength, in the order of a round-robin.  `python -m arena.bench.scale FOLDER MATCHES` makes one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from itertools import combinations, count, islice
from pathlib import Path
from random import Random
from typing import Any

import attrs

import arena
from arena.bench.measures import Effort, Measure, at_most
from arena.game import CHANCE, Game
from arena.games import GAMES
from arena.record import pack
from arena.store import Store, StoredBot
from arena.store.checksums import MatchRows, note_matches, note_schedule
from arena.testing.games import random_match
from arena.tournament.plan import Plan, as_mapping, identity

MATCHES = 1_000_000
"""Where a repeat takes a second; others in proportion."""
BOTS = tuple(f"bot-{number:02}" for number in range(1, 21))
POOL = 256
"""So many real matches stand for all."""
TOGETHER = "leaderboard and report"
WALL_GOALS_S = {"leaderboard and CSVs": 30.0, TOGETHER: 30.0}
PEAK_GOAL_MB = 2000.0
PATIENCE_S = 600.0
ROOT = Path(arena.__file__).resolve().parents[1]


def measure_scale(effort: Effort) -> list[Measure]:
    """`arena leaderboard` of a large folder without its CSVs, then with them; and `arena report`."""
    matches, repeats = max(100, round(MATCHES * effort.seconds)), min(effort.repeats, 3)
    costs: dict[str, list[tuple[float, float]]] = {
        "leaderboard and CSVs": [],
        "leaderboard": [],
        "report": [],
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder, matches)
        for _ in range(repeats):
            for path in folder.glob("*.csv"):
                path.unlink()
            for what, spent in costs.items():
                spent.append(_cost(what.split()[0], name))
    pairs = zip(costs["leaderboard"], costs["report"], strict=True)
    costs[TOGETHER] = [(one[0] + other[0], max(one[1], other[1])) for one, other in pairs]
    found = []
    for what, spent in costs.items():
        words = f"{what} of {matches:,} matches"
        goal = WALL_GOALS_S.get(what)
        wall, peak = zip(*spent, strict=True)
        found += [
            Measure("scale", words, "s", wall, None if goal is None else at_most(goal)),
            Measure("scale", words, "MB", peak, at_most(PEAK_GOAL_MB)),
        ]
    return found


def _cost(*words: str) -> tuple[float, float]:
    """Seconds, and the most memory in 10⁶ bytes, of a command of the arena."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "arena.cli", *words]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"arena {' '.join(words)} ended with {process.returncode}"
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - began, used.ru_maxrss * unit / 1e6


# The folder.


@attrs.frozen
class Model:
    """A real match, whose rows stand for many."""

    turns: int
    decisions: tuple[int, int]
    """By seat."""
    times: tuple[bytes, bytes]
    """By seat, as the store keeps them."""
    think: tuple[tuple[float, float], tuple[float, float]]
    """By seat: all thinking times together, and the longest."""
    packed: bytes


def make_folder(folder: Path, matches: int) -> None:
    """A store of so many finished matches of two seats, in a folder that is empty or not there."""
    game = next(iter(GAMES.values()))()
    pairs = list(combinations(range(len(BOTS)), 2))
    plan = Plan(game=game.name, seed=1, series=-(-matches // (2 * len(pairs))), matches_max=matches)
    scale = {"rated_by": game.rated_by, "returns_unit": list(game.returns_unit)}
    meta = {"identity": identity(plan, game), "game_version": game.version, "plan": as_mapping(plan), **scale}
    models = _models(game, Random(1))
    with Store.create(folder, meta=meta) as store:
        store.put_bots(StoredBot(bot, "1") for bot in BOTS)
        rows = _rows(game.name, models, pairs, Random(2))
        while chunk := list(islice(rows, min(20_000, matches))):
            _insert(store, chunk)
            matches -= len(chunk)
        with store._transaction() as db:
            note_schedule(db)


def _models(game: Game[Any, Any], rng: Random) -> list[list[Model]]:
    """By the seat that won: real matches of random legal play."""
    found: list[list[Model]] = [[], []]
    while min(map(len, found)) < POOL // 2:
        played = list(random_match(game, 2, rng))
        ranks = game.ranks(played[-1][1].state)
        if sorted(ranks) == [1, 2]:
            found[ranks.index(1)].append(_model(game, [dict(moves) for moves, _ in played], rng))
    return found


def _model(game: Game[Any, Any], turns: list[Any], rng: Random) -> Model:
    asked = [[seat for moves in turns for seat in moves if seat == one and seat != CHANCE] for one in (0, 1)]
    times = [[round(rng.lognormvariate(-7, 1), 6) for _ in seats] for seats in asked]
    return Model(
        turns=len(turns),
        decisions=(len(asked[0]), len(asked[1])),
        times=(array("f", times[0]).tobytes(), array("f", times[1]).tobytes()),
        think=(_summed(times[0]), _summed(times[1])),
        packed=pack(game, turns),
    )


def _summed(times: Sequence[float]) -> tuple[float, float]:
    return round(sum(times), 6), max(times, default=0.0)


def _rows(
    game: str, models: list[list[Model]], pairs: Sequence[tuple[int, int]], rng: Random
) -> Iterator[tuple[Any, ...]]:
    """(a row of `schedule`, one of `matches`, two of `seats`) of one match after the other, without end."""
    number = 0
    for cycle in count():
        for pair in pairs:
            series = f"{BOTS[pair[0]]}+{BOTS[pair[1]]}#{cycle}"
            for rotation in (0, 1):
                number += 1
                seats = pair if rotation == 0 else pair[::-1]
                # strengths a place apart are about 50 Elo apart
                winner = int(rng.random() > 1 / (1 + 10 ** ((seats[0] - seats[1]) / 8)))
                model = rng.choice(models[winner])
                yield _match_rows(number, game, series, cycle, rotation, seats, winner, model)


def _match_rows(
    number: int,
    game: str,
    series: str,
    cycle: int,
    rotation: int,
    seats: Sequence[int],
    winner: int,
    model: Model,
) -> tuple[Any, ...]:
    pairing, bots = f"{series}/{rotation}", (BOTS[seats[0]], BOTS[seats[1]])
    match = (
        *(
            number,
            f"{number * 0x9E3779B97F4A % 2**48:012x}",
            pairing,
            series,
            cycle,
            rotation,
            game,
            2,
            "same",
        ),
        *("done", model.turns, sum(model.decisions), 0.01, 1.7e9 + number / 64, "feed", None, model.packed),
    )
    rows = [
        (
            *(number, seat, bots[seat], "1", bots[1 - seat], 1 + (seat != winner)),
            *(1.0 if seat == winner else -1.0, float(seat == winner), int(seat == winner)),
            *(0,) * 9,
            *(model.decisions[seat], *model.think[seat], model.times[seat]),
        )
        for seat in (0, 1)
    ]
    return (number, pairing, series), match, rows


def _insert(store: Store, rows: list[tuple[Any, ...]]) -> None:
    """Past `Store.add`, which takes a match at a time: what is measured comes later."""
    sums = [MatchRows(match[1:], [seat[1:] for seat in seats]).checksum for _, match, seats in rows]
    with store._transaction() as db:
        db.executemany("INSERT INTO schedule VALUES (?, ?, ?)", (schedule for schedule, _, _ in rows))
        marks = ", ".join("?" * 18)
        matches = ((*match, sum) for (_, match, _), sum in zip(rows, sums, strict=True))
        db.executemany(f"INSERT INTO matches VALUES ({marks})", matches)
        note_matches(db, sums, len(sums))
        marks = ", ".join("?" * 22)
        db.executemany(
            f"INSERT INTO seats VALUES ({marks})", (seat for _, _, seats in rows for seat in seats)
        )


def main() -> None:
    """Makes a folder of so many matches, and leaves it."""
    words = argparse.ArgumentParser(prog="python -m arena.bench.scale", description=make_folder.__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("matches", type=int)
    said = words.parse_args()
    make_folder(said.folder, said.matches)


if __name__ == "__main__":
    main()
