"""The leaderboard as people read it; programs read leaderboard.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.terminal.inks import PLAIN, Inks
from arena.terminal.text import TableFormat, aligned, as_table
from arena.words import LUCK_ADJUSTED, chance, clipped, measured, width, with_half, with_range, with_ranks

if TYPE_CHECKING:
    from arena.analysis.leaderboard import Leaderboard, LeaderboardRow

WIDTH = 80
"""How many characters wide the leaderboard may be if the terminal's width is not known."""
LESS_NEEDED = ("lost", "tied", "p99", "won", "median")
"""The columns that are left out, in this order, if there is no room for all."""
NAME_LEAST = 12
"""How many characters of a name are shown at least, however wide the rest is."""
_COUNTS = ("won", "tied", "lost", "faults")
TITLES = ("rank", "bot", "matches", "", "rating (95 %)", "better", *_COUNTS, "median", "p99")
"""The titles of the columns; the empty one is replaced by the unit of the score.

A score of returns is the rating too.  `median` and `p99` are of move times.
"""
EXPLAINED = "points: share of this field beaten; better: chance to be stronger than the next"
EXPLAINED_RETURNS = "better: chance to be stronger than the next"
EXPLAINED_RANKS = "rank: in brackets which may be the true ones, in 95 % for all rows at once"
READ_TOGETHER_LEAST = 3
"""From so many rows on it is said how many of their leads are luck, if all are read."""
_STATUS = {
    "withdrawn": "withdrawn after failing match after match; default moves were played from then on",
    "left out": "left out after failing to start",
}


def leaderboard_text(
    board: Leaderboard, form: TableFormat, columns: int | None = None, inks: Inks = PLAIN
) -> str:
    """The leaderboard as text: all columns for programs, those that matter for people.

    `columns`: the width of the terminal, if the text is for one.
    """
    if form is not None:
        return as_table(*board.table, form)
    return "\n".join([*_people_table(board, columns or WIDTH, inks), *_remarks(board, inks)])


def _people_table(board: Leaderboard, most: int, inks: Inks) -> Iterator[str]:
    """The lines of the table, and what its columns mean."""
    units = {row.score_unit for row in board.rows} - {"points"}
    left_out = {"rating (95 %)"} if units else set()
    score = f"{units.pop() if units else 'points'} (95 %)"
    rows = [
        {
            title or score: value
            for title, value in zip(TITLES, _row(row, board.is_compared(place)), strict=True)
        }
        for place, row in enumerate(board.rows)
    ]
    titles = [title or score for title in TITLES if title not in left_out]
    yield _fitted(titles, rows, most, inks)
    if sum(row.matches > 0 for row in board.rows) > 1:
        yield inks.faint(EXPLAINED_RETURNS if left_out else EXPLAINED)
        if left_out and board.scale.adjusts_luck:
            yield inks.faint(LUCK_ADJUSTED)
        if any(row.rank_low < row.rank_high for row in board.rows):
            yield inks.faint(EXPLAINED_RANKS)
        yield from map(inks.faint, _read_together(board))


def _read_together(board: Leaderboard) -> Iterator[str]:
    """How many of the bots that are called better than the next are expected not to be."""
    leads, wrong = board.leads
    if leads >= READ_TOGETHER_LEAST and wrong >= 0.05:
        yield f"of these {leads} chances, read together, about {wrong:.1f} point the wrong way"


def _fitted(titles: Sequence[str], rows: Sequence[Mapping[str, Any]], most: int, inks: Inks) -> str:
    """The table as text, without the less needed columns if it would be too wide."""
    longest = max((width(row["bot"]) for row in rows), default=0)
    for left_out in range(len(LESS_NEEDED) + 1):
        shown = [title for title in titles if title not in LESS_NEEDED[:left_out]]
        wide = max(map(width, _aligned(shown, rows, 0).splitlines()))
        if wide + max(0, min(NAME_LEAST, longest) - len("bot")) <= most:
            break
    return _aligned(shown, rows, max(NAME_LEAST, most - wide + len("bot")), inks)


def _aligned(titles: Sequence[str], rows: Sequence[Mapping[str, Any]], most: int, inks: Inks = PLAIN) -> str:
    """The table as text, with names cut to `most` characters; 0: without names."""

    def paint(title: str, row: int, text: str) -> str:
        if title == "faults" and rows[row]["faults"]:
            return inks.warning(text)
        return inks.strong(text) if title == "bot" and rows[row]["rank"].split()[0] == "1" else text

    named = [{**row, "bot": clipped(row["bot"], most) if most else ""} for row in rows]
    cells = [[row[title] for title in titles] for row in named]
    return aligned(titles, cells, frozenset(titles) - {"bot"}, inks, paint)


def _row(row: LeaderboardRow, is_compared: bool) -> Sequence[Any]:
    """A row's cells, in the order of `TITLES`."""
    if not row.matches:
        return (str(row.rank), row.bot, 0, *[None] * (len(TITLES) - 3))
    return (
        with_ranks(row.rank, row.rank_low, row.rank_high),
        row.bot,
        row.matches,
        with_range(row.score, row.score_low, row.score_high)
        if row.score_unit == "points"
        else plus_minus(row),
        plus_minus(row),
        chance(row.better_than_next) if is_compared else None,
        row.wins,
        row.ties,
        row.losses,
        row.too_late + row.malformed + row.illegal + row.gone,
        measured(row.move_time_median_s),
        measured(row.move_time_p99_s),
    )


def plus_minus(row: LeaderboardRow) -> str:
    """The rating with its interval, in its significant digits: `1612 ± 45`, or of returns `+2944 ± 582`.

    The results of a bot that lost everything, or won it, bound its rating on one side only: `below 1395`.
    """
    half = (row.rating_high - row.rating_low) / 2
    if not row.is_of_points:
        return with_half(row.rating, half)
    if row.rating_bound:
        return f"{row.rating_bound} {row.rating_low if row.rating_bound == 'above' else row.rating_high:.0f}"
    return f"{row.rating:.0f} ± {half:.0f}" if half else f"{row.rating:.0f}"  # the anchor has no interval


def _remarks(board: Leaderboard, inks: Inks) -> Iterator[str]:
    for status, words in _STATUS.items():
        bots = [row.bot for row in board.rows if row.status == status]
        if bots:
            yield inks.warning(f"{', '.join(bots)}: {words}")
    yield from board.notes
    if board.progress.note:
        yield board.progress.note
    elif not any(row.matches for row in board.rows):
        yield "no match has been played yet"
