"""The leaderboard and the tally of faults as people read them; programs read leaderboard.csv."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from arena.show.text import TableFormat, aligned, as_table, with_half
from arena.words import clipped, counted, printable, width

if TYPE_CHECKING:
    from arena.analysis.leaderboard import Leaderboard, LeaderboardRow
    from arena.store import FaultCount

WIDTH = 100
"""How many characters wide the leaderboard may be."""
LESS_NEEDED = ("p99", "median", "points", "tied", "lost")
"""Columns left out, in this order, if a terminal is too narrow for all."""
NAME_LEAST = 12
"""At least this many characters of a name are shown, however wide the rest is."""
REASONS_MAX = 10
TITLES = (
    "rank",
    "bot",
    "matches",
    "points",
    "win rate (95 %)",
    "rating (95 %)",
    "better",
    "faults",
    "median",
    "p99",
)
"""`better`: how probably it is better than the bot of the next row; `median` and `p99` are of move times."""
TITLES_OF_RETURNS = ("rank", "bot", "matches", "", "better", "won", "tied", "lost", "faults", "median", "p99")
"""The blank is for the unit.  Returns are the rating too; with points and win rate it would not fit."""
_STATUS = {
    "withdrawn": "withdrawn after failing match after match; defaults were played since",
    "left out": "left out after failing to start",
}


def leaderboard_text(board: Leaderboard, form: TableFormat, columns: int | None = None) -> str:
    """The leaderboard: all columns for programs, those that matter for people.

    `columns`: the width of the terminal it is for, if it is for one.
    """
    if form is not None:
        return as_table(*board.table, form)
    last = len(board.rows) - 1
    titles, rows = _titles(board), [_row(row, place == last) for place, row in enumerate(board.rows)]
    text = _fitted(titles, rows, min(WIDTH, columns or WIDTH))
    return "\n".join([text, *_remarks(board)])


def _fitted(titles: Sequence[str], rows: Sequence[Sequence[Any]], most: int) -> str:
    """The table, without the less needed columns if it would be too wide."""
    for left_out in range(len(LESS_NEEDED) + 1):
        shown = [i for i, title in enumerate(titles) if title not in LESS_NEEDED[:left_out]]
        text = _clipped_to(most, [titles[i] for i in shown], [[row[i] for i in shown] for row in rows])
        if max(map(width, text.splitlines())) <= most:
            break
    return text


def _clipped_to(most: int, titles: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The table, with names cut to the room there is for them."""
    numbers = frozenset(titles) - {"bot"}
    room = most - max(len(line) for line in aligned(titles, _named(rows, 0), numbers).splitlines())
    return aligned(titles, _named(rows, max(NAME_LEAST, room + len("bot"))), numbers)


def _titles(board: Leaderboard) -> Sequence[str]:
    units = {row.score_unit for row in board.rows} - {"points"}
    if not units:
        return TITLES
    unit = f"{units.pop()} (95 %)"
    return [title or unit for title in TITLES_OF_RETURNS]


def _named(rows: Iterable[Sequence[Any]], most: int) -> list[Sequence[Any]]:
    return [(row[0], clipped(row[1], most) if most else "", *row[2:]) for row in rows]


def _row(row: LeaderboardRow, is_last: bool) -> Sequence[Any]:
    numbers = _points(row) if row.score_unit == "points" else [plus_minus(row)]
    counts = [] if row.score_unit == "points" else [row.wins, row.ties, row.losses]
    if not row.matches:
        return (row.rank, row.bot, 0, *[None] * (len(numbers) + len(counts) + 4))
    return (
        row.rank,
        row.bot,
        row.matches,
        *numbers,
        None if is_last else chance(row.better_than_next),
        *counts,
        row.too_late + row.malformed + row.illegal + row.gone,
        milliseconds(row.move_time_median_s),
        milliseconds(row.move_time_p99_s),
    )


def _points(row: LeaderboardRow) -> Sequence[Any]:
    return (row.points_mean, share(row.win_rate, row.win_rate_low, row.win_rate_high), plus_minus(row))


def share(rate: float, low: float, high: float) -> str:
    """`58.0% (52–64)`."""
    return f"{rate:.1%} ({low * 100:.0f}–{high * 100:.0f})"


def chance(probability: float) -> str:
    """A probability in whole percent; one that is neither 0 nor 1 never reads as if it were."""
    if probability > 0.99:
        return ">99%"
    return "<1%" if probability < 0.01 else f"{probability:.0%}"


def plus_minus(row: LeaderboardRow) -> str:
    """The rating, `1612 ± 45`; of returns `+2944 ± 582`: digits that the interval drowns are not shown."""
    half = (row.rating_high - row.rating_low) / 2
    if row.rating_unit == "Elo":
        return f"{row.rating:.0f} ± {half:.0f}"
    return with_half(row.rating, half)


def milliseconds(time_s: float) -> str:
    """`0.12 ms`, `45 ms`, `1.2 s`."""
    if time_s >= 1:
        return f"{time_s:.1f} s"
    return f"{time_s * 1000:.0f} ms" if time_s >= 0.01 else f"{time_s * 1000:.2f} ms"


def _remarks(board: Leaderboard) -> Iterator[str]:
    for status, words in _STATUS.items():
        bots = [row.bot for row in board.rows if row.status == status]
        if bots:
            yield f"{', '.join(bots)}: {words}"
    yield from board.notes
    if board.progress.note:
        yield board.progress.note
    elif not any(row.matches for row in board.rows):
        yield "no match has been played yet"


def tally(faults: Iterable[FaultCount], where: str = "") -> Iterator[str]:
    """Faults by bot and reason, the most frequent first; late answers are counted together.

    `where`: the folder as the last word of a command, if it must be said.
    """
    merged: Counter[tuple[str, str, str]] = Counter()
    for row in faults:
        merged[row.bot, row.fault, "" if row.fault == "too_late" else printable(row.reason)] += row.count
    if merged:
        count = counted(sum(merged.values()), "fault")
        yield f"{count}; `arena matches --fault any{where}` lists the matches:"
    for (bot, kind, reason), times in merged.most_common(REASONS_MAX):
        yield f"  {times:>5} × {bot}: {kind}" + (f" ({reason})" if reason else "")
    if len(merged) > REASONS_MAX:
        yield f"        and {len(merged) - REASONS_MAX} other reasons"
