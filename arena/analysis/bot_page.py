"""The page of one bot: results by seat and opponent, faults, slowest and worst matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

import attrs
import numpy as np
from numpy.typing import NDArray

from arena.analysis.clusters import extremes_of
from arena.analysis.failures import Failure, failures
from arena.analysis.head_to_head import Meeting
from arena.analysis.intervals import interval_of_mean, interval_of_share
from arena.analysis.leaderboard import Leaderboard, LeaderboardRow, Scale
from arena.analysis.sheet import Sheet
from arena.analysis.strata import Strata, estimates
from arena.schedule.roster import by_version, successors
from arena.store import FaultCount, MatchFilter, Store

SLOW_MAX = 5
LOST_MAX = 6


@attrs.frozen
class SeatResult:
    """What a bot did in one seat, over the matches that count."""

    seat: int
    matches: int
    wins: int
    ties: int
    losses: int
    score: float
    """The score in the leaderboard's unit: points, or returns in the game's unit."""
    score_low: float
    score_high: float


@attrs.frozen
class SlowMatch:
    """A match in which a bot thought about one move for a long time."""

    match_id: str
    seat: int
    seconds: float
    """The longest thinking time of a decision."""


@attrs.frozen
class LostMatch:
    """A lost match that shows well what the bot does wrong."""

    match_id: str
    seat: int
    beaten_by: str
    """The bot that placed better and is lowest on the leaderboard."""
    beaten_by_rank: int
    """That bot's rank on the leaderboard."""
    rank: int
    """The bot's place in this match."""
    returns: float
    """The bot's returns in the game's own unit."""
    faults: int
    """In how many decisions the bot failed."""


@attrs.frozen
class LostHow:
    """Why a bot lost the matches that it lost, each counted once."""

    in_all: int
    by_faults: int
    """Those in which it failed."""
    by_luck: int
    """Of the others those that it would not have lost without luck, where the game declares that."""

    @property
    def by_play(self) -> int:
        """All others."""
        return self.in_all - self.by_faults - self.by_luck


def lost_how(sheet: Sheet, bot: str, scale: Scale) -> LostHow:
    """Why a bot of the sheet lost."""
    is_lost = (sheet.bot == sheet.bots.index(bot)) & ~sheet.win & ~sheet.tie
    has_failed = is_lost & (sheet.faults > 0)
    is_unlucky = is_lost & ~has_failed & (sheet.returns < 0) & (sheet.adjusted >= 0) & scale.adjusts_luck
    return LostHow(*(int(each.sum()) for each in (is_lost, has_failed, is_unlucky)))


@attrs.frozen
class OldVersion:
    """A version of a bot that another version has replaced."""

    bot: str
    replaced_by: str
    """The bot that plays now."""
    matches: int
    """How many matches it played; none of them counts for the bot that plays now."""
    faults: tuple[FaultCount, ...]
    """Its faults by kind and reason, the most frequent first."""
    failures: tuple[Failure, ...]
    """Its faults in words for people."""


@attrs.frozen
class BotPage:
    """Everything shown about one bot, in the terminal and in the report, from the matches that count."""

    row: LeaderboardRow
    """Its row of the leaderboard: rank, rating, score, win rate, times, status."""
    bots: int
    """How many bots the leaderboard has."""
    is_compared: bool
    """Whether `row.better_than_next` means anything: there is a next bot, and both have matches."""
    seats: tuple[SeatResult, ...]
    """Its results in each seat; seats in which it never sat are left out."""
    meetings: tuple[Meeting, ...]
    """Its rows of head_to_head.csv: one per opponent, by the opponent's rank."""
    faults: tuple[FaultCount, ...]
    """Its faults by kind and reason, the most frequent first; from all matches, whether they count or not."""
    failures: tuple[Failure, ...]
    """Its faults for people: a crash is listed once, and faults that differ only in numbers together."""
    slowest: tuple[SlowMatch, ...]
    """At most SLOW_MAX matches, the slowest first."""
    telling_losses: tuple[LostMatch, ...]
    """At most LOST_MAX matches.  First the loss with most faults, if any; then one loss to each bot that
    placed better, to the bots lowest on the leaderboard first; of several losses to one bot the one that
    cost most returns."""
    older: tuple[OldVersion, ...] = ()
    """Its old versions, the newest first."""


def bot_page_of(
    sheet: Sheet,
    board: Leaderboard,
    bot: str,
    faults: Iterable[FaultCount],
    log_of: Callable[[str], str] | None = None,
    older: Mapping[str, Sequence[OldVersion]] = MappingProxyType({}),
) -> BotPage:
    """The page of a bot, from the leaderboard over this sheet and the results of `Store.faults`.

    The name may be that of an old version; the page is about the bot that plays now.  `log_of` returns the
    log that belongs to a capsule (`Store.log_of`); `older` is the result of `old_versions`.  Raises
    ConfigError if there is no such bot.
    """
    row = board.row(bot)
    bot = row.bot
    rows = np.flatnonzero(sheet.bot == sheet.bots.index(bot))
    own_faults = _faults_of(bot, faults)
    return BotPage(
        row=row,
        bots=len(board.rows),
        is_compared=board.is_compared(board.rows.index(row)),
        seats=tuple(_seats(sheet, rows, board.scale)),
        meetings=tuple(board.meetings.of(bot)),
        faults=tuple(own_faults),
        failures=tuple(failures(own_faults, log_of)),
        slowest=tuple(_slowest(sheet, rows)),
        telling_losses=tuple(islice(_lost(sheet, rows, board), LOST_MAX)),
        older=tuple(older.get(bot, ())),
    )


def old_versions(store: Store, faults: Sequence[FaultCount]) -> dict[str, list[OldVersion]]:
    """The old versions of each bot that has any, the newest first; `faults` come from `Store.faults`."""
    replaced = successors({bot.bot: bot.status for bot in store.bots()})
    older: dict[str, list[OldVersion]] = {}
    for old in sorted(replaced, key=by_version, reverse=True):
        own = _faults_of(old, faults)
        told = failures(own, store.log_of, replaced)
        version = OldVersion(old, replaced[old], store.count_of(MatchFilter(old)), tuple(own), tuple(told))
        older.setdefault(version.replaced_by, []).append(version)
    return older


def _faults_of(bot: str, faults: Iterable[FaultCount]) -> list[FaultCount]:
    """The faults of one bot, the most frequent first."""
    return sorted((each for each in faults if each.bot == bot), key=lambda each: -each.count)


def _seats(sheet: Sheet, rows: NDArray[np.int64], scale: Scale) -> Iterator[SeatResult]:
    strata = Strata.of(sheet)
    for seat in np.unique(sheet.seat[rows]).tolist():
        there = rows[sheet.seat[rows] == seat]
        wins, ties = int(sheet.win[there].sum()), int(sheet.tie[there].sum())
        score, low, high = score_of_rows(sheet, strata, there, scale)
        yield SeatResult(
            seat=seat,
            matches=len(there),
            wins=wins,
            ties=ties,
            losses=len(there) - wins - ties,
            score=score,
            score_low=low,
            score_high=high,
        )


def score_of_rows(
    sheet: Sheet, strata: Strata, rows: NDArray[np.int64], scale: Scale
) -> tuple[float, float, float]:
    """The score of these rows, computed as for a bot on the leaderboard: mean, lower and upper end.

    `strata` are those of the sheet.
    """
    is_share, by_sets = scale.rated_by == "ranks", scale.ranked_by == "score"
    values = sheet.points[rows] if is_share else sheet.adjusted[rows] / scale.returns_per_unit
    (found,) = estimates(strata.of_rows(rows), values, by_sets=by_sets)
    if is_share:
        return found.mean, *interval_of_share(found)
    bound = scale.returns_bound and scale.returns_bound / scale.returns_per_unit
    return found.mean, *interval_of_mean(found, extremes_of(sheet.series[rows], values, bound))


def _slowest(sheet: Sheet, rows: NDArray[np.int64]) -> Iterator[SlowMatch]:
    thinking = rows[sheet.think_max_s[rows] > 0]
    for row in thinking[np.argsort(-sheet.think_max_s[thinking], kind="stable")][:SLOW_MAX].tolist():
        match_id = sheet.match_ids[sheet.match[row]]
        yield SlowMatch(match_id, int(sheet.seat[row]), float(sheet.think_max_s[row]))


def _lost(sheet: Sheet, rows: NDArray[np.int64], board: Leaderboard) -> Iterator[LostMatch]:
    """The losses worth looking at, the most telling first; see `BotPage.telling_losses`."""
    beaten_by = _beaten_by(sheet, rows, board)
    lost, beaten_by = rows[beaten_by >= 0], beaten_by[beaten_by >= 0]
    faults, returns = sheet.faults[lost], sheet.returns[lost]
    order = np.lexsort((np.arange(len(lost)), returns, -beaten_by))
    first_of_each = np.flatnonzero(np.diff(beaten_by[order], prepend=-1))
    told = order[first_of_each].tolist()
    if faults.any():
        worst = int(np.lexsort((returns, -faults))[0])
        told = [worst, *(index for index in told if index != worst)]
    for index in told:
        row, winner = int(lost[index]), board.rows[int(beaten_by[index])]
        yield LostMatch(
            match_id=sheet.match_ids[sheet.match[row]],
            seat=int(sheet.seat[row]),
            beaten_by=winner.bot,
            beaten_by_rank=winner.rank,
            rank=int(sheet.rank[row]),
            returns=float(sheet.returns[row]),
            faults=int(faults[index]),
        )


def _beaten_by(sheet: Sheet, rows: NDArray[np.int64], board: Leaderboard) -> NDArray[np.int64]:
    """For each row, the lowest line of the leaderboard whose bot placed better in the match; -1 if none."""
    line_of = {row.bot: line for line, row in enumerate(board.rows)}
    lines = np.array([line_of[bot] for bot in sheet.bots], dtype=np.int64)
    low = np.searchsorted(sheet.match, sheet.match[rows])
    high = np.searchsorted(sheet.match, sheet.match[rows], side="right")
    worst = np.full(len(rows), -1)
    for place in range(int((high - low).max(initial=0))):
        other = np.minimum(low + place, high - 1)
        is_better = sheet.rank[other] < sheet.rank[rows]
        worst = np.maximum(worst, np.where(is_better, lines[sheet.bot[other]], -1))
    return worst
