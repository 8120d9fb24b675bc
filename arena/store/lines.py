"""Tables that can be read as lines of a CSV, many at a time, and not only value by value.

For millions of rows, `csv.writer` takes twice as long.  It is not needed where no cell has to be quoted,
and the lines themselves show whether one has to be: by quotes, or by more commas than columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from arena.store.schema import Row


class CellsToQuote(Exception):
    """Raised when a cell of some lines has to be quoted."""


@attrs.frozen(eq=False)
class TableLines(Iterable[Row]):
    """The rows of a table, to be read value by value, or as the lines of its CSV."""

    rows: Callable[[], Iterator[Row]]
    texts: Callable[[], Iterator[str]]
    """Yields some lines at a time.  Raises CellsToQuote if a cell has to be quoted."""

    def __iter__(self) -> Iterator[Row]:
        return self.rows()


def is_plain(text: str, rows: int, columns: int) -> bool:
    """Whether a text has this many rows and columns, and no cell that has to be quoted."""
    commas, lines = text.count(","), text.count("\n")
    return commas == rows * (columns - 1) and lines == rows and '"' not in text and "\r" not in text


def quoted_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as the lines of a CSV."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
