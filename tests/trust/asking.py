"""What it would gain to ask the bots after a match what they would have done with other hidden hands (AIVAT).

Beyond what the arena does anyhow: shared luck, all rotations as one series, and in Hold'em returns adjusted by
`Game.luck`.  Bots are asked with the seeds of the match, so that they answer alike each time they are asked alike,
and what is left out is 0 on average for any bots.  The value functions know nothing of the bots, and
were chosen on other deals.

N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling: AIVAT: A New Variance Reduction Technique for Agent
Evaluation in Imperfect Information Games. AAAI 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.bench.measures import Measure, at_most

from . import asking_claims, asking_holdem
from .asking_claims import Asked
from .returns_series import careful, fish, shoving
from .versions import version_with

Floats: TypeAlias = NDArray[np.float64]
Play: TypeAlias = Callable[[tuple[Any, Any], str], tuple[Asked, float]]

SEED = 20261128
RESAMPLES = 2000
ERRORS_MAX = 3.5
"""The largest of a dozen standard deviates is beyond this in one honest run of two hundred."""

Odds, HighOdds = (version_with("odds/odds.py", "Odds", **new) for new in ({}, {"HEIGHT": 0.08}))
Bluffer, ShyBluffer = (version_with("bluffer/bluffer.py", "Bluffer", **new) for new in ({}, {"NERVE": 0.3}))
Truthful = version_with("truthful/truthful.py", "Truthful")
Croupier, WaryCroupier = (
    version_with("croupier/croupier.py", "Croupier", **new) for new in ({}, {"TRUST": 0.6})
)
TimidCroupier = version_with("croupier/croupier.py", "Croupier", NERVE=0.9)
Equity, BoldEquity = (version_with("equity/equity.py", "Equity", **new) for new in ({}, {"BLUFFS": 0.3}))


def _claims(kind: asking_claims.Kind) -> Play:
    def play(bots: tuple[Any, Any], deals: str) -> tuple[Asked, float]:
        match = asking_claims.asked(kind, bots, deals)
        return match, match.result

    return play


OTHER_DICE, OTHER_CARDS = 20, 24
"""How many other hands each seat is asked about."""
GAMES: Mapping[str, tuple[Play, Mapping[str, tuple[Any, Any, int]]]] = {
    "Liar's Dice": (
        _claims(asking_claims.dice(OTHER_DICE)),
        {
            "odds : odds-high": (Odds, HighOdds, 120),
            "bluffer : bluffer-shy": (Bluffer, ShyBluffer, 60),
            "odds : truthful": (Odds, Truthful, 60),
        },
    ),
    "Liar's Dice, one other hand": (
        _claims(asking_claims.dice(1)),
        {"odds : odds-high": (Odds, HighOdds, 120)},
    ),
    "Blef": (
        _claims(asking_claims.cards(OTHER_CARDS)),
        {
            "croupier : croupier-wary": (Croupier, WaryCroupier, 30),
            "croupier : croupier-timid": (Croupier, TimidCroupier, 20),
        },
    ),
    "Hold'em": (
        asking_holdem.asked,
        {
            "equity : equity-bold": (Equity, BoldEquity, 300),
            "careful bots, near-copies": (careful(0.6), careful(0.62), 800),
            "equity : a careful bot": (Equity, careful(0.6), 200),
            "a careful bot and a fish": (careful(0.6), fish, 600),
            "all in or fold": (shoving, careful(0.62), 1500),
            "all in and a fish": (shoving, fish, 600),
        },
    ),
}
"""Game -> how a match is played and asked about, and its pairs of bots with so many series."""


def asking_rows() -> Iterator[Measure]:
    """How many times less series vary, whether their mean is the same, and how many questions it takes."""
    for game, (play, pairs) in GAMES.items():
        for what, (bot, rival, series) in pairs.items():
            of = f"bots asked, {game}, {what}: "
            before, after, asked = _series(play, (bot, rival), series)
            yield Measure("trust", f"{of}series", "", (float(series),))
            yield Measure("trust", f"{of}variance of a series ÷ when asked", "×", _gain(before, after))
            luck = before - after
            error = float(luck.std(ddof=1)) / series**0.5
            yield Measure(
                "trust", f"{of}luck ÷ its error", "", (abs(float(luck.mean())) / error,), at_most(ERRORS_MAX)
            )
            yield Measure("trust", f"{of}questions asked for each of a match", "", (asked,))


def _series(play: Play, pair: tuple[Any, Any], series: int) -> tuple[Floats, Floats, float]:
    """Each series' mean as the arena takes it and without what is luck by asking; and questions for each played."""
    before, after = np.zeros((2, series))
    played = asked = 0
    for number in range(series):
        for bots, sign in ((pair, 0.5), (pair[::-1], -0.5)):
            match, usual = play(bots, f"{SEED}/{number}")
            before[number] += sign * usual
            after[number] += sign * (match.result - match.luck)
            played, asked = played + match.played, asked + match.asked
    return before, after, asked / played


def _gain(before: Floats, after: Floats) -> tuple[float, float, float]:
    """The ratio of the variances between the ends of its 95 % interval: a seeded bootstrap over series."""
    drawn = np.random.default_rng(1).integers(0, len(before), (RESAMPLES, len(before)))
    ratios = before[drawn].var(axis=1) / np.maximum(after[drawn].var(axis=1), 1e-12)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(before.var() / after.var()), float(high)
