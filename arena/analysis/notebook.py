"""Shows results in a notebook: tables and lines in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def html_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of rows under their header."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4g}</td>'
    return f"<td>{escape(str(value))}</td>"


def html_lines(lines: Iterable[str]) -> str:
    """A paragraph for each line."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
