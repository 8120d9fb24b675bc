"""By what a bot's draws are keyed: what a key gains where luck is shared, and the draws' joint distribution.

Near copies of a built-in bot with chance of its own play real series.  The key that is used is where in the
match a decision stands (`arena.sdk.chance`); the other one is a hash of all that the bot was told.  Names
stay with the seats here; where they go with the bots, as in a tournament, the hash differs in each rotation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from math import sqrt
from random import Random
from typing import Any, TypeAlias

import attrs
import msgspec
import numpy as np
import trio
import trio.testing
from numpy.typing import NDArray

from arena.bench.measures import Measure, Threshold, at_least, at_most
from arena.games import GAMES
from arena.match.clock import Control
from arena.match.game import Game
from arena.match.record import MatchRecord
from arena.match.scoring import points
from arena.players.local import LocalPlayer
from arena.referee import Conduct, Seating, play_match
from arena.sdk import Bot
from arena.sdk.chance import MatchRandom
from arena.tournament.plan import Plan

from .returns_series import poker
from .versions import version_with

SEED = 20261123
SERIES = 300
RESAMPLES = 2000
TINY = 1e-12
"""In place of a variance of 0."""
CELLS = 10
"""Draws from 0 to 1 are sorted into so many equal cells."""
ERRORS_MAX = 4.0
"""The largest of some dozen standard deviates is beyond this in one honest run of a thousand."""

Floats: TypeAlias = NDArray[np.float64]
Draws: TypeAlias = list[list[list[list[float]]]]
"""By series, rotation and seat: the first draw of each decision that draws."""


class ToldRandom(MatchRandom):
    """Keyed by a hash of what the bot was told, and by how often it was told the same."""

    def begin_decision(self, state: Any) -> None:
        digest = blake2b(msgspec.json.encode(state), digest_size=8).digest()
        super().begin_decision({"told_number": int.from_bytes(digest)})


KEYS: dict[str, type[MatchRandom]] = {
    "where in the match it stands": MatchRandom,
    "a hash of what it was told": ToldRandom,
}


@attrs.frozen
class Copies:
    """Two versions of a bot that differ in a constant, in a game that both play with chance of their own."""

    named: str
    game: Game[Any, Any]
    versions: tuple[type[Bot], type[Bot]]
    goal: Threshold
    """How many times fewer series are needed with the key that is used, as the project asked for."""


def chance_rows() -> Iterator[Measure]:
    """Two bots, two keys: the gain of shared luck, and how far the draws are from independence."""
    for copies in (_equity(), _bluffer()):
        apart, _ = _played(copies, MatchRandom, is_shared=False)
        for key, generator in KEYS.items():
            together, draws = _played(copies, generator, is_shared=True)
            of = f"chance keyed by {key}, {copies.named}"
            gain = ratio_of_variances(apart, together)
            goal = copies.goal if generator is MatchRandom else None
            yield Measure("trust", f"{of}: series that luck alone needs ÷ shared", "×", gain, goal)
            yield Measure("trust", f"{of}: draws as in the other rotation", "%", (100 * shared(draws),))
            yield Measure("trust", f"{of}: draws that come twice", "", (float(twice(draws)),), at_most(0))
            for what, found in deviates(draws).items():
                yield Measure("trust", f"{of}: {what}", "s.e.", (found,), at_most(ERRORS_MAX))


def _equity() -> Copies:
    plain, bold = (version_with("equity/equity.py", "Equity", **new) for new in ({}, {"BLUFFS": 0.3}))
    return Copies("equity, 10 hands", poker(hands=10), (plain, bold), at_least(7))


def _bluffer() -> Copies:
    plain, shy = (version_with("bluffer/bluffer.py", "Bluffer", **new) for new in ({}, {"NERVE": 0.3}))
    return Copies("bluffer", GAMES[Plan().game](), (plain, shy), at_least(1.6))


def ratio_of_variances(apart: Floats, together: Floats) -> tuple[float, float, float]:
    """The ratio of their variances between the ends of its 95 % interval: a seeded bootstrap over series."""
    rng = np.random.default_rng(1)
    over, under = (rng.choice(each, (RESAMPLES, len(each))).var(axis=1, ddof=1) for each in (apart, together))
    low, high = np.quantile(over / np.maximum(under, TINY), [0.025, 0.975])
    return float(low), float(apart.var(ddof=1) / max(together.var(ddof=1), TINY)), float(high)


def shared(draws: Draws) -> float:
    """The share of a seat's draws in one rotation that come in the other one too."""
    seats = [
        (set(one), set(other)) for first, second in draws for one, other in zip(first, second, strict=True)
    ]
    count = sum(len(draws) for pair in seats for draws in pair) / 2
    return sum(len(one & other) for one, other in seats) / count


def twice(draws: Draws) -> int:
    """How many draws of all series' first rotations are equal to an earlier one."""
    values = [value for first, *_ in draws for row in first for value in row]
    return len(values) - len(set(values))


def deviates(draws: Draws) -> dict[str, float]:
    """How far single draws and pairs of draws are from uniform and independent, in standard errors.

    Of the first rotations: in the others draws are meant to come again.
    """
    matches = [first for first, *_ in draws]
    rows = [row for match in matches for row in match]
    kinds = (
        [pair for row in rows for pair in pairwise(row)],
        [pair for row in rows for pair in zip(row, row[2:], strict=False)],
        [pair for one, two in pairwise(matches) for pair in zip(one[0], two[0], strict=False)],
        [pair for one, two in matches for pair in zip(one, two, strict=False)],
    )  # with the next decision, the one after, the next match and the other seat
    pairs = [np.array(kind) for kind in kinds]
    singles = np.array([[value] for row in rows for value in row])
    return {
        "draws from uniform": deviate_of_cells(singles),
        "pairs of draws from independent, by cells": max(map(deviate_of_cells, pairs)),
        "pairs of draws from independent, by correlation": max(map(deviate_of_correlation, pairs)),
    }


def deviate_of_cells(values: Floats) -> float:
    """Pearson's chi-squared of numbers from 0 to 1 in equal cells, less its mean, in standard errors.

    `values`: a row for each draw, with a column for each number.
    """
    columns = values.shape[1]
    cells = (values * CELLS).astype(int) @ CELLS ** np.arange(columns)
    counts = np.bincount(cells, minlength=CELLS**columns)
    even, free = len(values) / len(counts), len(counts) - 1
    return float((((counts - even) ** 2 / even).sum() - free) / sqrt(2 * free))


def deviate_of_correlation(pairs: Floats) -> float:
    """The size of the correlation of numbers that are uniform from 0 to 1, in standard errors."""
    centred = pairs - 0.5
    return float(abs((centred[:, 0] * centred[:, 1]).sum()) * 12 / sqrt(len(pairs)))


def _played(copies: Copies, generator: type[MatchRandom], *, is_shared: bool) -> tuple[Floats, Draws]:
    """Each series' mean result of the first version, and the draws.

    Without sharing each match has luck of its own.
    """

    async def all_series() -> list[tuple[float, list[list[list[float]]]]]:
        return [await _series(copies, generator, number, is_shared) for number in range(SERIES)]

    played = trio.run(all_series, clock=trio.testing.MockClock(autojump_threshold=0))
    return np.array([result for result, _ in played]), [draws for _, draws in played]


async def _series(
    copies: Copies, generator: type[MatchRandom], number: int, is_shared: bool
) -> tuple[float, list[list[list[float]]]]:
    """Two matches, each version once in each seat."""
    results, draws = [], []
    game = copies.game
    for rotation in range(2):
        luck = Random(f"{SEED}/{number}" if is_shared else f"{SEED}/{number}/{rotation}")
        bots = [_listening(version, generator) for version in copies.versions]
        seated = bots[::-1] if rotation else bots
        record = await play_match(
            game,
            [LocalPlayer(name, bot) for name, bot in zip("ab", seated, strict=True)],
            seed=luck.getrandbits(128),
            control=Control(),
            conduct=Conduct(),
            seating=Seating(f"{number}-{rotation}", ("a", "b"), tuple(luck.getrandbits(63) for _ in seated)),
        )
        results.append(_result(game, record)[seated.index(bots[0])])
        draws.append([bot.drawn for bot in seated])
    return sum(results) / len(results), draws


def _result(game: Game[Any, Any], record: MatchRecord) -> Sequence[float]:
    return record.returns if game.rated_by == "returns" else points(record.ranks)


def _listening(version: type[Bot], generator: type[MatchRandom]) -> Any:
    """A bot that draws from this generator, and keeps the first draw of each decision in `drawn`."""

    class First(generator):  # type: ignore[misc, valid-type]
        def seed(self, *key: Any, **options: Any) -> None:
            super().seed(*key, **options)
            drawn.append(Random(*key).random())

    class Listening(version):  # type: ignore[misc, valid-type]
        drawn: list[float]

        def begin(self, match: Any) -> None:
            super().begin(match)
            self.rng = First(int(match.bot_seed))
            drawn.clear()  # the generator is seeded when it is made

    drawn: list[float] = []
    bot = Listening()
    bot.drawn = drawn
    return bot
