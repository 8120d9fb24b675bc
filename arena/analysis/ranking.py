"""Makes the rows of the leaderboard from the sheet: sums, intervals, ratings, places, notes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from math import inf

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.clusters import extremes_of
from arena.analysis.head_to_head import Meeting, MeetingTable, meetings
from arena.analysis.intervals import Estimate, Extremes, interval_of_mean, interval_of_share, quantiles
from arena.analysis.leaderboard import ROUNDED, Leaderboard, LeaderboardRow, Scale, unknown_bot
from arena.analysis.sheet import Sheet, read_sheet
from arena.analysis.strata import Strata, estimates
from arena.analysis.strength.cycles import Order, order_of
from arena.analysis.strength.ratings import Ratings, rate
from arena.analysis.strength.stronger import Stronger
from arena.errors import FAULT_KINDS
from arena.schedule.roster import LEFT
from arena.store import Store, StoredBot
from arena.words import with_range

NOTES_MAX = 3
"""How many bots are named that are ahead of the leader without being surely so."""


def leaderboard(store: Store, *, anchor: str | None = None, sheet: Sheet | None = None) -> Leaderboard:
    """The leaderboard of what the store holds now.

    `anchor`: the bot that is rated 1500, instead of the mean of those that played; None: the plan's.  It
    has no effect before that bot has a match that counts.
    `sheet`: the result of `read_sheet`, if already read.  Raises ConfigError if the anchor is not a bot.
    """
    meta = store.meta()
    anchor = anchor or meta.get("plan", {}).get("anchor")
    return ranked(sheet or read_sheet(store), store.bots(), Scale.of(meta), anchor)


def ranked(sheet: Sheet, bots: Sequence[StoredBot], scale: Scale, anchor: str | None = None) -> Leaderboard:
    """The leaderboard over the sheet; `bots` are those of the store."""
    if anchor is not None and anchor not in sheet.bots:
        raise unknown_bot("anchor", anchor, list(sheet.bots))
    if not sheet.bots:
        return Leaderboard((), sheet.progress)
    known = {bot.bot: bot for bot in bots}
    stored = [
        known.get(name, StoredBot(name, version))
        for name, version in zip(sheet.bots, sheet.versions, strict=True)
    ]
    sums = _sums(sheet, scale)
    rows = [_row(bot, each, times, scale) for bot, each, times in zip(stored, sums, sheet.times, strict=True)]
    ratings = _ratings(sheet, anchor) if scale.rated_by == "ranks" else None
    if ratings is not None:
        rows = [_rated(row, ratings) if row.matches else row for row in rows]
    order = _order(rows, scale)
    rows = _placed([rows[place] for place in order], scale)
    stronger = Stronger.of(sheet, ratings, [each.extremes for each in sums])
    rows = [_told_apart(row, stronger, rows[place : place + 2]) for place, row in enumerate(rows)]
    met = meetings(sheet, order, scale.returns_bound)
    ordered = order_of(sheet, order) if ratings is not None else Order()
    notes = (*ordered.notes, *_notes(rows, met, scale), *_unanchored(ratings, anchor))
    best = stronger.than_all(rows)
    return Leaderboard(tuple(rows), sheet.progress, met, notes, scale, ordered.is_sound, best)


def rows_by_bot(sheet: Sheet) -> list[NDArray[np.int64]]:
    """The rows of each bot in the sheet, in schedule order."""
    order = np.argsort(sheet.bot, kind="stable")
    return np.split(order, np.searchsorted(sheet.bot[order], np.arange(1, len(sheet.bots))))[
        : len(sheet.bots)
    ]


@attrs.frozen(kw_only=True)
class _Sums:
    """The sums of one bot."""

    matches: int
    win: int
    wins: Estimate
    points: Estimate
    returns: Estimate
    returns_extremes: Extremes
    rated: Estimate
    """The mean of the returns by which it is rated in a game rated by them: those without luck."""
    extremes: Extremes
    """The extremes of these."""
    ties: int
    faults: tuple[int, ...]


def _sums(sheet: Sheet, scale: Scale) -> list[_Sums]:
    """The sums of each bot; means are over its sets of bots, or over its matches."""
    strata, by_sets, own = Strata.of(sheet), scale.ranked_by == "score", rows_by_bot(sheet)
    columns = [sheet.win.astype(np.float64), sheet.points, sheet.returns]
    columns += [sheet.adjusted] * scale.adjusts_luck
    means = [estimates(strata, values, by_sets=by_sets) for values in columns]

    def extremes_by_bot(values: NDArray[np.float64]) -> list[Extremes]:
        return [extremes_of(sheet.series[rows], values[rows], scale.returns_bound) for rows in own]

    of_returns = extremes_by_bot(sheet.returns)
    of_rated = extremes_by_bot(sheet.adjusted) if scale.adjusts_luck else of_returns
    return [
        _Sums(
            matches=len(rows),
            win=int(sheet.win[rows].sum()),
            wins=wins,
            points=points,
            returns=returns,
            returns_extremes=returns_extremes,
            rated=rated,
            extremes=extremes,
            ties=int(sheet.tie[rows].sum()),
            faults=tuple(int(getattr(sheet, kind)[rows].sum()) for kind in FAULT_KINDS),
        )
        for rows, wins, points, returns, rated, returns_extremes, extremes in zip(
            own, *means[:3], means[-1], of_returns, of_rated, strict=True
        )
    ]


def _row(bot: StoredBot, sums: _Sums, times: NDArray[np.float32], scale: Scale) -> LeaderboardRow:
    """The row of a bot as if it were rated by returns, without its rank and rating."""
    low, high = interval_of_share(sums.wins)
    points = sums.points.mean, *interval_of_share(sums.points)
    returns = sums.returns.mean, *interval_of_mean(sums.returns, sums.returns_extremes)
    rated = sums.rated.mean, *interval_of_mean(sums.rated, sums.extremes)
    rating = [value / scale.returns_per_unit for value in rated]
    median_s, p99_s = quantiles(array("f", times.tobytes()), 0.5, 0.99)
    return LeaderboardRow(
        rank=0,
        bot=bot.bot,
        version=bot.version,
        rating=rating[0],
        rating_low=rating[1],
        rating_high=rating[2],
        rating_unit=scale.rating_unit,
        better_than_next=0.5,
        rank_low=0,
        rank_high=0,
        matches=sums.matches,
        wins=sums.win,
        ties=sums.ties,
        losses=sums.matches - sums.win - sums.ties,
        win_rate=sums.wins.mean,
        win_rate_low=low,
        win_rate_high=high,
        points_mean=points[0],
        points_low=points[1],
        points_high=points[2],
        returns_mean=returns[0],
        returns_low=returns[1],
        returns_high=returns[2],
        **dict(zip(FAULT_KINDS, sums.faults, strict=True)),
        move_time_median_s=round(median_s, 6),
        move_time_p99_s=round(p99_s, 6),
        status=bot.status,
    )


# Ratings.


def _ratings(sheet: Sheet, anchor: str | None) -> Ratings | None:
    """The ratings of the bots that have a match that counts; None if there are none.

    Nothing is known about the others, and the mean of all would be as uncertain as they are.
    """
    played, bot = np.unique(sheet.bot, return_inverse=True)
    if not len(played):
        return None
    bots = [sheet.bots[place] for place in played.tolist()]
    match, series, rank = (column.astype(np.int64) for column in (sheet.match, sheet.series, sheet.rank))
    return rate(bots, match, series, bot, rank, anchor=anchor if anchor in bots else None)


def _rated(row: LeaderboardRow, ratings: Ratings) -> LeaderboardRow:
    """The row with its rating."""
    place = ratings.bots.index(row.bot)
    cells = {"rating": ratings.rating, "rating_low": ratings.low, "rating_high": ratings.high}
    told = {name: round(float(column[place]), ROUNDED[name]) + 0.0 for name, column in cells.items()}
    return attrs.evolve(row, **told)  # type: ignore[arg-type]  # only fields that are floats


# Places.


def _key(row: LeaderboardRow, scale: Scale) -> tuple[float, ...]:
    """The sort key: best first, then bots without a match, then those that left; equals share a place."""
    if row.status in LEFT:  # a version of a ladder, whose evidence stays
        return (inf, -row.rating)
    if scale.ranked_by == "score":
        return (row.matches == 0, -row.score)
    by_rating = (row.matches == 0, -row.rating)
    if scale.ranked_by == "rating":
        return by_rating
    place = scale.places.get(row.bot)
    return (float("inf") if place is None else place, *(by_rating if place is None else ()))


def _order(rows: Sequence[LeaderboardRow], scale: Scale) -> list[int]:
    """The order of the rows, best first; equals by rating if places are given, then by win rate and name."""

    def key(place: int) -> tuple[object, ...]:
        row = rows[place]
        within = -row.rating if scale.ranked_by == "places" else 0.0
        return (_key(row, scale), within, -row.win_rate, row.bot)

    return sorted(range(len(rows)), key=key)


def _placed(rows: Sequence[LeaderboardRow], scale: Scale) -> list[LeaderboardRow]:
    first: dict[tuple[float, ...], int] = {}
    return [
        attrs.evolve(row, rank=first.setdefault(_key(row, scale), place)) for place, row in enumerate(rows, 1)
    ]


def _told_apart(row: LeaderboardRow, stronger: Stronger, pair: Sequence[LeaderboardRow]) -> LeaderboardRow:
    """The row with how the bot compares with the others; `pair`: this row and the next."""
    low, high = stronger.true_ranks(row)
    return attrs.evolve(row, better_than_next=stronger.than_next(pair), rank_low=low, rank_high=high)


# Notes.


def _notes(rows: Sequence[LeaderboardRow], met: MeetingTable, scale: Scale) -> Iterator[str]:
    """A line for each bot that beats the leader though ranked lower; the certain ones first, by rank."""
    if not rows or not rows[0].matches:
        return
    leader, ranks = rows[0], {row.bot: row.rank for row in rows}
    ahead = [
        (meeting.bot, *_lead(meeting, scale))
        for meeting in met.against(leader.bot)
        if ranks[meeting.bot] > leader.rank
    ]
    for bot, _, low, words in ahead:
        if low > 0:
            yield f"{bot} (rank {ranks[bot]}) beats the leader {leader.bot} head to head: {words}"
    unsure = [(bot, words) for bot, lead, low, words in ahead if lead > 0 >= low]
    for bot, words in unsure[:NOTES_MAX]:
        yield f"{bot} (rank {ranks[bot]}) is ahead of the leader {leader.bot} head to head so far: {words}"


def _unanchored(ratings: Ratings | None, anchor: str | None) -> Iterator[str]:
    if ratings is not None and anchor is not None and anchor not in ratings.bots:
        yield f"ratings are relative to the mean: {anchor}, their anchor, has no match that counts"


def _lead(meeting: Meeting, scale: Scale) -> tuple[float, float, str]:
    """The lead of the bot, the lower end of its interval, and both in words."""
    if scale.rated_by == "ranks":
        low, high = meeting.share_low, meeting.share_high
        return meeting.share - 0.5, low - 0.5, with_range(meeting.share, low, high)
    lead, low = meeting.lead_mean / scale.returns_per_unit, meeting.lead_low / scale.returns_per_unit
    return lead, low, f"{lead:+.4g} ± {lead - low:.4g} {scale.score_unit} more"
