"""Puts a `'` before cells of CSVs that a spreadsheet would take for formulas.

Cells that themselves begin with `'` get one too, so that removing one leading `'` from each text cell
restores what was meant.  Numbers are not text, and stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

MARK = "'"
_FORMULAS = "=+-@\t\r\n＝＋－＠"
UNSAFE = f"{MARK}{_FORMULAS}"
"""Characters with which no text cell of our CSVs begins, except the mark."""


def harmless(value: Any) -> Any:
    """The value of a cell as it is written."""
    return f"{MARK}{value}" if isinstance(value, str) and value[:1] in UNSAFE and value else value


def harmless_rows(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Rows with each cell as it is written."""
    return ([harmless(value) for value in row] for row in rows)


def meant(cell: str) -> str:
    """The text that a text cell stands for."""
    return cell.removeprefix(MARK)


def harmless_sql(column: str) -> str:
    """The SQL of a text column as it is written; doing it in Python would take a second per million rows."""
    unsafe = UNSAFE.replace("-", "") + "-"  # at the end of a set, a `-` does not mean a range
    quoted = unsafe.replace("'", "''")
    return f"CASE WHEN {column} GLOB '[{quoted}]*' THEN '''' || {column} ELSE {column} END"
