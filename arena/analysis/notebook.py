"""How results show themselves in a notebook: the leaderboard as a table, and what else is there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.analysis.leaderboard import Leaderboard
    from arena.analysis.tables import Results

SHOWN = (
    "rank",
    "bot",
    "matches",
    "score",
    "score_low",
    "score_high",
    "rating",
    "rating_low",
    "rating_high",
    "better_than_next",
    "win_rate",
    "status",
)
"""Columns of leaderboard.csv that are shown."""


def leaderboard_html(board: Leaderboard) -> str:
    """The rows, what they stand on, and who beats the leader."""
    lines = [*board.notes, board.progress.note]
    units = sorted({f"score in {row.score_unit}, rating in {row.rating_unit}" for row in board.rows})
    rows = [[getattr(row, name) for name in SHOWN] for row in board.rows]
    return _table(SHOWN, rows) + _lines([*units, *filter(None, lines)])


def results_html(results: Results) -> str:
    """What is in the folder, and its leaderboard."""
    frame = results.leaderboard
    return _lines([repr(results)]) + _table(SHOWN, frame[list(SHOWN)].to_numpy().tolist())


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4g}</td>'
    return f"<td>{escape(str(value))}</td>"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
