"""Tables as golden files: small, readable, and saying where a difference begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby, pairwise
from pathlib import Path
from typing import TypeAlias

from .plans import Tournament
from .run import HERE, Table

Kept: TypeAlias = dict[str, Table]
"""Tables by name, as they stand in a golden file."""

FOLDER = HERE / "kept"
DITTO = '"'
"""Stands for the cell above; no cell of ours is that."""
DECISIONS, DIGESTS = "decisions", "decisions by match"
KEYS = {
    DECISIONS: ("match_id", "turn", "seat"),
    DIGESTS: ("match_id",),
    "matches": ("match_id",),
    "seats": ("match_id", "seat"),
    "series": ("series_id", "bot"),
}
"""What makes a row the same one."""
FULL_MAX = 60
"""Decisions that are kept in full: whole matches, the first one in any case; of the others digests, by match and column."""
DIGEST_DIGITS = 8


def kept(tables: Mapping[str, Table]) -> Kept:
    """What a golden file holds of the tables of a tournament."""
    header, *rows = tables[DECISIONS]
    full, digests = [header], [[header[0], "rows", *header[1:]]]
    for match_id, group in groupby(rows, key=lambda row: row[0]):
        decisions = list(group)
        if len(digests) == 1 and (len(full) == 1 or len(full) + len(decisions) <= FULL_MAX):
            full += decisions
        else:
            columns = zip(*decisions, strict=True)
            digests.append([match_id, str(len(decisions)), *[_digest(cells) for cells in columns][1:]])
    others = {name: table for name, table in tables.items() if name != DECISIONS}
    return {DECISIONS: full, DIGESTS: digests, **others}


def _digest(cells: tuple[str, ...]) -> str:
    return sha256("\n".join(cells).encode()).hexdigest()[:DIGEST_DIGITS]


# Files.


def path_of(tournament: Tournament) -> Path:
    return FOLDER / f"{tournament.name}.txt"


def text_of(tables: Kept) -> str:
    """Tables as text: cells parted by tabs, `"` for the cell above."""
    lines = []
    for name, rows in tables.items():
        lines += [f"[{name}] {len(rows) - 1}", "\t".join(rows[0])]
        assert not any(cell == DITTO or {*"\t\n"} & {*cell} for row in rows for cell in row)
        for above, row in pairwise(rows):
            cells = zip(above, row, strict=True)
            lines.append("\t".join(DITTO if cell == old and cell else cell for old, cell in cells))
    return "\n".join(lines) + "\n"


def tables_of(text: str) -> Kept:
    """What `text_of` made a text of."""
    tables: Kept = {}
    rows: Table = []
    for line in text.splitlines():
        if line.startswith("["):
            rows = tables[line[1:].partition("]")[0]] = []
            continue
        cells = line.split("\t")
        rows.append(
            [old if cell == DITTO else cell for old, cell in zip(rows[-1], cells, strict=True)]
            if rows
            else cells
        )
    return tables


def golden(tournament: Tournament) -> Kept:
    """What its file holds; nothing if it is not there."""
    path = path_of(tournament)
    return tables_of(path.read_text(encoding="utf-8")) if path.exists() else {}


# Differences.


def first_difference(expected: Kept, found: Kept) -> str | None:
    """The first table, row and column in which they differ, in one sentence; None if they are the same."""
    names = changed_tables(expected, found)
    if not names:
        return None
    first, *others = names
    told = _difference(first, expected.get(first), found.get(first))
    return f"table {first}, {told}" + (f"; {', '.join(others)} differ as well" if others else "")


def changed_tables(expected: Kept, found: Kept) -> list[str]:
    return [name for name in {**expected, **found} if expected.get(name) != found.get(name)]


def changed_columns(expected: Kept, found: Kept) -> Iterator[str]:
    """`table.column` of every column that is another in a row of the same key, and how many rows came and went."""
    for name in changed_tables(expected, found):
        before, after = _by_key(name, expected), _by_key(name, found)
        for count, what in ((len({*before} - {*after}), "gone"), (len({*after} - {*before}), "new")):
            if count:
                yield f"{name}: {count} rows {what}"
        both = [key for key in before if key in after]
        columns = dict.fromkeys(column for key in both for column in (*before[key], *after[key]))
        yield from (
            f"{name}.{column}"
            for column in columns
            if any(before[key].get(column) != after[key].get(column) for key in both)
        )


def _by_key(name: str, tables: Kept) -> dict[tuple[str, ...], dict[str, str]]:
    header, *rows = tables.get(name, [[]])
    keyed = (dict(zip(header, row, strict=True)) for row in rows)
    return {tuple(row.get(column, "") for column in KEYS[name]): row for row in keyed}


def _difference(name: str, expected: Table | None, found: Table | None) -> str:
    """Where two versions of a table begin to differ."""
    if expected is None or found is None:
        return "is only in what was played" if expected is None else "is only in the file"
    (header, *before), (columns, *after) = expected, found
    if header != columns:
        return f"expected the columns {', '.join(header)}, found {', '.join(columns)}"
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        for column, was, is_now in zip(header, old, new, strict=True):
            if was != is_now:
                return f"row {number} ({_key(name, header, old)}), column {column}: expected {was!r}, found {is_now!r}"
    return f"expected {len(before)} rows, found {len(after)}, the same as far as they go"


def _key(name: str, header: list[str], row: list[str]) -> str:
    """Which row it is, for people."""
    cells = dict(zip(header, row, strict=True))
    return ", ".join(f"{column} {cells[column]}" for column in KEYS[name] if column in cells)
