"""Prints words and tables to standard output and standard error, for people and programs."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Literal, TextIO, TypeAlias

from arena.errors import ConfigError
from arena.terminal.inks import PLAIN, SEQUENCES, Inks
from arena.words import clipped, printable, width

TableFormat: TypeAlias = Literal["csv", "json"] | None
"""How a table is printed; None: for people."""
Paint: TypeAlias = Callable[[str, int, str], str]
"""Colours a cell; called with its column, its row and its text, padding included."""


# Output.


def out(text: str, inks: Inks = PLAIN) -> None:
    """Prints a result to standard output; a reader that stops early (`| head -1`) is not an error.

    `inks`: the inks that the text was made with.
    """
    try:
        print(calm(text, inks), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python tries again at exit
        raise ConfigError(f"standard output cannot be written: {error.strerror or error}") from None


def say(text: str) -> None:
    """Prints anything but results to standard error; it does not matter if nobody can read it."""
    write_if_possible(sys.stderr, calm(text) + "\n")


def columns_of(stream: TextIO) -> int | None:
    """The width of the terminal that a stream writes to; None if it is not one, or the width is unknown."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def calm(text: str, inks: Inks = PLAIN) -> str:
    """The text without what a terminal would obey: control characters, changes of direction.

    Foreign words in a line have already been made printable; this is for paths, and for what was forgotten.
    With `inks` that are on, our own four sequences for colours stay, and no others.
    """

    def escaped(found: re.Match[str]) -> str:
        is_ours = inks.is_on and found[0] in SEQUENCES
        return found[0] if is_ours else found[0].encode("unicode_escape").decode()

    return _OBEYED.sub(escaped, text)


_OBEYED = re.compile(
    "|".join(map(re.escape, SEQUENCES))
    + "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def write_if_possible(stream: TextIO, text: str) -> None:
    """Writes to a stream for people: what cannot be written is dropped, and a tournament goes on."""
    with suppress(OSError):
        stream.write(text)
        stream.flush()


# Tables.


def as_table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], form: TableFormat, inks: Inks = PLAIN
) -> str:
    """A table as text in the form that was asked for; JSON is a list of objects."""
    if form == "json":
        return as_json([dict(zip(header, row, strict=True)) for row in rows])
    return as_csv(header, rows) if form == "csv" else aligned(header, rows, inks=inks)


def aligned(
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    right: Collection[str] = (),
    inks: Inks = PLAIN,
    paint: Paint = lambda column, row, text: text,
) -> str:
    """A table with aligned columns, numbers and the columns in `right` to the right, and a faint head."""
    rows = [list(row) for row in rows]
    to_right = [name in right or _is_numeric([row[i] for row in rows]) for i, name in enumerate(header)]
    texts = [[cell(value) for value in row] for row in rows]
    widths = [max(width(line[i]) for line in (header, *texts)) for i in range(len(header))]

    def padded(values: Sequence[str]) -> list[str]:
        pads = [" " * (wide - width(value)) for value, wide in zip(values, widths, strict=True)]
        pads[-1] *= to_right[-1]  # no line ends with blanks
        return [
            pad + value if is_right else value + pad
            for value, pad, is_right in zip(values, pads, to_right, strict=True)
        ]

    def line(row: int, values: Sequence[str]) -> str:
        cells = zip(header, padded(values), strict=True)
        return "  ".join(paint(column, row, text) for column, text in cells).rstrip()

    head = [padded(header), ["─" * wide for wide in widths]]
    return "\n".join([*(inks.faint("  ".join(cells).rstrip()) for cells in head), *map(line, count(), texts)])


def fitting(
    header: Sequence[str], rows: Sequence[Sequence[Any]], columns: int, less_needed: Sequence[str]
) -> tuple[Sequence[str], list[Sequence[Any]]]:
    """The table without some of the less needed columns, the first ones first, so that it fits a terminal."""
    for left_out in range(len(less_needed) + 1):
        kept = [i for i, name in enumerate(header) if name not in less_needed[:left_out]]
        narrow = [[row[i] for i in kept] for row in rows]
        titles = [header[i] for i in kept]
        if max(map(width, aligned(titles, narrow).splitlines())) <= columns:
            break
    return titles, [*narrow]


def _is_numeric(values: Sequence[Any]) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and all(isinstance(value, int | float) for value in given)


def cell(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV, with a `'` before text that a spreadsheet would take for a formula."""
    import csv
    import io

    from arena.store.cells import harmless_rows

    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(harmless_rows(rows))
    return written.getvalue().rstrip("\n")


def as_json(value: Any) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value)).decode()


# Words.

COLUMNS_LEAST = 20
"""Lines are never made narrower than this, however narrow a terminal is."""


def wrapped(text: str, columns: int | None) -> list[str]:
    """The text in lines no wider than `columns`, except for longer words; None: in one line."""
    if columns is None or width(text) <= columns:
        return [text]
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width(longer) > max(COLUMNS_LEAST, columns):
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def reflowed(text: str, columns: int | None) -> str:
    """A text whose paragraphs and `- ` items are broken anew into lines that fit a terminal.

    Lines that begin with a blank, such as those of a table, stay as they are.
    """
    if columns is None or all(width(line) <= columns for line in text.splitlines()):
        return text
    parts: list[str] = []
    is_open = False
    for line in text.splitlines():
        goes_on = is_open and line.strip() and not line.startswith("- ")
        if goes_on and (not line.startswith(" ") or parts[-1].startswith("- ")):
            parts[-1] += f" {line.strip()}"
        else:
            parts.append(line)
            is_open = bool(line.strip()) and not line.startswith(" ")
    return "\n".join(
        part
        if part.startswith(" ")
        else textwrap.fill(
            part,
            columns,
            subsequent_indent="  " if part.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for part in parts
    )


def cut_short(text: str, columns: int | None, most: int | None = None) -> list[str]:
    """The text in lines no wider than `columns`, long words cut, `most` at most; None: all in one line."""
    if columns is None:
        return [text]
    room = max(COLUMNS_LEAST, columns)
    lines = [piece for line in wrapped(text, room) for piece in cut_up(line, room)]
    if most is None or len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"{clipped(lines[most - 1], room - 2)} …".replace("… …", "…")]


def cut_up(line: str, columns: int | None) -> list[str]:
    """The line in pieces no wider than `columns`, cut anywhere, with all blanks."""
    if columns is None or width(line) <= columns:
        return [line]
    pieces = [""]
    for char in line:
        if width(pieces[-1] + char) > max(COLUMNS_LEAST, columns):
            pieces.append("")
        pieces[-1] += char
    return pieces


def as_time(seconds: float) -> str:
    """A time, rounded for people: `5 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def capsule_lines(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """The evidence of a fault in lines: the last messages both ways, with times in seconds."""
    shown = []
    for line in lines:
        if "text" in line:
            shown.append(f"{line.get('t_s', 0.0):9.3f} {line.get('dir', ' ')} {printable(line['text'])}")
            continue
        for key, value in line.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            shown += [f"{key}: {printable(part)}" for part in text.splitlines() or [""]]
    return shown
