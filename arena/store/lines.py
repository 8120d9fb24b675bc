"""Tables that can be had as lines of a CSV, many at a time, and not only value by value.

Millions of rows take `csv.writer` twice as long.  It is not needed where no cell has to be quoted;
whether one has to be is seen in the lines themselves: quotes, or more commas than columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from arena.store.schema import Row


class CellsToQuote(Exception):
    """Some cell of these lines has to be quoted."""


@attrs.frozen(eq=False)
class TableLines(Iterable[Row]):
    """The rows of a table, to be read value by value, or as the lines of its CSV."""

    rows: Callable[[], Iterator[Row]]
    texts: Callable[[], Iterator[str]]
    """Some lines at a time.  Raises CellsToQuote where that cannot be told from values."""

    def __iter__(self) -> Iterator[Row]:
        return self.rows()


def is_plain(text: str, rows: int, columns: int) -> bool:
    """Whether these are so many lines of so many cells, of which none has to be quoted."""
    commas, lines = text.count(","), text.count("\n")
    return commas == rows * (columns - 1) and lines == rows and '"' not in text and "\r" not in text


def quoted_text(rows: Iterable[Sequence[object]]) -> str:
    """The lines of a CSV."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
