"""The leaderboard: how every bot did in the matches that count, and how certain that is.

`counted` says which matches count, and `ranking` computes the numbers.  This module does not need numpy,
which takes a tenth of a second to import.

Bots are ranked by their score: points per match, or, in a game rated by returns, mean returns in the unit in
which the game shows them.  In formats where bots do not meet the same opponents, they are ranked by rating,
or by places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from arena.analysis.counted import Coverage
from arena.analysis.head_to_head import COLUMNS as MEETING_COLUMNS
from arena.analysis.head_to_head import MeetingTable
from arena.errors import ConfigError
from arena.schedule.roster import slot_name
from arena.store import Table, as_columns
from arena.words import listed

POINTS, ELO = "points", "Elo"
"""The units of scores and ratings in games rated by ranks."""


@attrs.frozen
class LeaderboardRow:
    """A row of leaderboard.csv: one bot.

    Without a counted match its numbers are 0, and the intervals of its win rate and of points 0 to 1.
    """

    rank: int
    """The rank by score, rating or the format's places; equals share a place."""
    bot: str
    version: str
    rating: float
    """Elo from who beat whom, or, in a game rated by returns, their mean in the game's unit for them; without
    luck, where the game declares it."""
    rating_low: float
    rating_high: float
    rating_unit: str
    """The unit of ratings: `Elo`, or the game's unit for returns."""
    better_than_next: float
    """The probability that this bot is stronger than that of the next row, given how alike the field is.

    See `posterior`, and `Leaderboard.is_compared` for when it means nothing.
    """
    rank_low: int
    """The best rank that the bot's true strength may have, and the worst: for all bots at once, with 95 %."""
    rank_high: int
    matches: int
    wins: int
    ties: int
    losses: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float
    points_mean: float
    points_low: float
    points_high: float
    returns_mean: float
    returns_low: float
    returns_high: float
    too_late: int
    malformed: int
    illegal: int
    gone: int
    move_time_median_s: float
    move_time_p99_s: float
    status: str
    """The bot's status: `ok`, `withdrawn` or `left out`; bots that were replaced or excluded have no row, but
    in ladders, where their evidence stays, one after all others."""

    @property
    def is_of_points(self) -> bool:
        """Whether the score is points; otherwise it is returns in the game's unit, and so is the rating."""
        return self.rating_unit == ELO

    @property
    def rating_bound(self) -> Literal["", "above", "below"]:
        """The side of its bound on which a rating lies if the bot won, or lost, everything; else empty."""
        is_open = self.is_of_points and self.matches > 0 and self.rating_low < self.rating_high
        if not is_open or 0 < self.points_mean < 1:
            return ""
        return "above" if self.points_mean else "below"

    @property
    def score(self) -> float:
        """What the bot is ranked by if all meet the same opponents."""
        return self.points_mean if self.is_of_points else self.rating

    @property
    def score_low(self) -> float:
        return self.points_low if self.is_of_points else self.rating_low

    @property
    def score_high(self) -> float:
        return self.points_high if self.is_of_points else self.rating_high

    @property
    def score_unit(self) -> str:
        """The score's unit: `points`, or the game's unit for returns."""
        return POINTS if self.is_of_points else self.rating_unit


ROUNDED = {"rating": 2, "rating_low": 2, "rating_high": 2, "better_than_next": 6}
"""The decimals of results of linear algebra: further digits depend on the processor, and are noise.

Measured with OpenBLAS's kernels for five processors: probabilities differ by less than 1e-13.  So the last
digit shown differs once in millions of cells, and then by one.
"""
COLUMNS = as_columns(LeaderboardRow, measured=("move_time_median_s", "move_time_p99_s"))
SHOWN = (
    "rank",
    "bot",
    "matches",
    "points_mean",
    "points_low",
    "points_high",
    "rating",
    "rating_low",
    "rating_high",
    "rating_unit",
    "better_than_next",
    "win_rate",
    "status",
)
"""The columns of leaderboard.csv that a notebook shows."""


@attrs.frozen
class Scale:
    """What a tournament is rated and ranked by, as the store keeps it."""

    rated_by: str = "ranks"
    """What bots are rated by: `ranks` or `returns`."""
    returns_unit: str = ""
    returns_per_unit: float = 1.0
    ranked_by: Literal["score", "rating", "places"] = "score"
    places: Mapping[str, int] = {}
    """The place of each bot so far, if the format has places."""
    returns_bound: float | None = None
    """The largest absolute returns of a match: see `Game.returns_reach`; None if none are declared."""
    adjusts_luck: bool = False
    """Whether the game declares luck, without which returns are rated: see `Game.luck`."""

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Scale:
        """The scale of a store; ranks and scores if it does not say."""
        unit, per_unit = meta.get("returns_unit", ("", 1.0))
        return cls(
            rated_by=meta.get("rated_by", "ranks"),
            returns_unit=unit,
            returns_per_unit=per_unit,
            ranked_by=meta.get("ranked_by", "score"),
            places=meta.get("places", {}),
            returns_bound=meta.get("returns_bound"),
            adjusts_luck=meta.get("adjusts_luck", False),
        )

    @property
    def score_unit(self) -> str:
        return POINTS if self.rated_by == "ranks" else self.returns_unit or "returns"

    @property
    def rating_unit(self) -> str:
        return ELO if self.rated_by == "ranks" else self.score_unit


@attrs.frozen
class Leaderboard:
    """The rows, best first, and how many matches of the tournament they are based on."""

    rows: tuple[LeaderboardRow, ...]
    progress: Coverage
    meetings: MeetingTable = attrs.field(factory=MeetingTable, eq=False)
    """The results of each pair, in the order of the rows."""
    notes: tuple[str, ...] = ()
    """A line for each bot that beats the leader though ranked lower, and for an anchor without a match."""
    scale: Scale = Scale()
    """What the bots are rated and ranked by."""
    is_ordered: bool = True
    """Whether one number orders the field, as far as is known (`cycles.Order`)."""
    leader_is_best: float = 0.0
    """The probability that the bot of the first row is the strongest of all that have a match."""

    @property
    def table(self) -> Table:
        return [column.name for column in COLUMNS], [attrs.astuple(row) for row in self.rows]

    @property
    def head_to_head(self) -> Table:
        return [column.name for column in MEETING_COLUMNS], self.meetings.rows()

    def is_compared(self, place: int) -> bool:
        """Whether there is a row after this one (numbered from 0), and the bots of both have a match."""
        pair = self.rows[place : place + 2]
        return len(pair) == 2 and all(row.matches for row in pair)

    @property
    def leads(self) -> tuple[int, float]:
        """How many bots are compared with the next, and how many of these are expected to be weaker."""
        chances = [row.better_than_next for place, row in enumerate(self.rows) if self.is_compared(place)]
        return len(chances), sum(min(chance, 1 - chance) for chance in chances)

    def row(self, bot: str) -> LeaderboardRow:
        """The row of a bot, or of the version of it that plays now.  Raises ConfigError if there is none."""
        same = [row for row in self.rows if slot_name(row.bot) == slot_name(bot)]
        # A new version that could not be started has a row too, beside the one that plays.
        for row in sorted(same, key=lambda row: (row.bot != bot, row.status == "left out")):
            return row
        raise unknown_bot("bot", bot, [row.bot for row in self.rows])

    def _repr_html_(self) -> str:
        from arena.analysis.notebook import html_lines, html_table

        rows = [[getattr(row, name) for name in SHOWN] for row in self.rows]
        return html_table(SHOWN, rows) + html_lines(filter(None, (*self.notes, self.progress.note)))


def unknown_bot(setting: str, bot: str, bots: list[str]) -> ConfigError:
    """The error for a name that no bot has."""
    there = f"there {f'are {listed(bots)}' if bots else 'is none'}"
    return ConfigError(f"no bot is called {bot!r} here; {there}", setting=setting)
