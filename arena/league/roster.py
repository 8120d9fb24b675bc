"""The roster of a class, as spreadsheets save it: `name, team, id`, a person a line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

import attrs

from arena.refusal import Refusal
from arena.words import clipped, listed, printable

COLUMNS = ("name", "team", "id")
ROWS_MAX = 1_000
CELL_MAX = 100
"""Characters of a name, a team or an id."""
TOLD_MAX = 3
"""How many lines a refusal names."""


@attrs.frozen
class RosterRow:
    """Somebody in a roster."""

    name: str
    team: str = ""
    id: str = ""


def read_roster(text: str) -> list[RosterRow]:
    """The people of a roster: commas, semicolons or tabs, with or without a byte order mark.

    Its first line names the columns, of which only `name` must be there.  Raises Refusal, which names lines.
    """
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    mark = max(",;\t", key=first.count)
    try:
        lines = list(csv.reader(text.splitlines(keepends=True), delimiter=mark, strict=True))
    except csv.Error as error:
        raise _wrong(f"the roster cannot be read: {error}") from None
    head = [cell.strip().casefold() for cell in lines[0]] if lines else []
    if "name" not in head:
        raise _wrong('the first line of a roster names its columns: "name", and perhaps "team" and "id"')
    if unknown := [cell for cell in head if cell not in COLUMNS]:
        shown = listed([clipped(printable(cell), 20) or "(empty)" for cell in unknown], most=TOLD_MAX)
        raise _wrong(f"a roster has no column {shown}: its columns are name, team and id")
    if len(set(head)) < len(head):
        raise _wrong("a column stands twice in the first line of the roster: leave one out")
    rows = list[tuple[int, RosterRow]]()
    for number, line in enumerate(lines[1:], 2):
        cells = [cell.strip() for cell in line]
        if any(cells):
            rows.append((number, _row(number, dict(zip(head, cells, strict=False)), len(cells) > len(head))))
    _check_rows(rows)
    return [row for _, row in rows]


def _row(number: int, cells: dict[str, str], is_longer: bool) -> RosterRow:
    if is_longer:
        raise _wrong(f"line {number} of the roster has too many cells: put quotes around each with commas")
    for column, cell in cells.items():
        if len(cell) > CELL_MAX or not cell.isprintable():
            raise _wrong(f"line {number} of the roster: {column} is at most {CELL_MAX} printable characters")
    if not cells.get("name"):
        raise _wrong(f"line {number} of the roster has no name: write one, or leave out the line")
    return RosterRow(cells["name"], cells.get("team", ""), cells.get("id", ""))


def _check_rows(rows: Sequence[tuple[int, RosterRow]]) -> None:
    """Raises Refusal if nobody is there, too many are, or somebody is there twice."""
    if not rows:
        raise _wrong("nobody is in the roster: write a line for each person below the first one")
    if len(rows) > ROWS_MAX:
        raise _wrong(f"a roster has at most {ROWS_MAX:,} people, and this one has {len(rows):,}")
    seen = dict[tuple[str, ...], int]()
    doubles = list[str]()
    for number, row in rows:
        key = ("id", row.id) if row.id else (row.name, row.team)
        if key in seen:
            doubles.append(f"lines {seen[key]} and {number}")
        seen.setdefault(key, number)
    if doubles:
        told = listed(doubles, most=TOLD_MAX)
        raise _wrong(f"the roster has people twice ({told}): leave one out, or give each an id")


def _wrong(why: str) -> Refusal:
    return Refusal("bad_request", why, field="roster")


def roster_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV.  Cells that a spreadsheet would compute are texts."""
    return "".join(f"{','.join(_cell(str(cell)) for cell in row)}\n" for row in (head, *rows))


def _cell(cell: str) -> str:
    said = f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
    return '"{}"'.format(said.replace('"', '""')) if set(said) & set(',;"\n\r') else said
