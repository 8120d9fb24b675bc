"""Tells who failed and why, for a run and for the page of a bot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from arena.analysis.failures import most_telling
from arena.words import counted

if TYPE_CHECKING:
    from arena.analysis.failures import Failure

COLUMNS_LEAST = 40
INDENT = " " * 10


def tally(
    failures: Sequence[Failure],
    *,
    listing: str,
    folder: str,
    is_of_one: bool = False,
    columns: int | None = None,
) -> Iterator[str]:
    """The lines that tell failures, in their order, each with the files that say more.

    `listing`: the command that lists the matches; `folder`: as a word of a command; `is_of_one`: whether all
    failures are of one bot, which need not be said; `columns`: the width of the terminal, if there is one.
    """
    if not failures:
        return
    count = counted(sum(each.faults for each in failures), "fault")
    yield f"{count}; `{listing}` lists the matches:"
    shown = [failures[place] for place in most_telling(failures)]
    for each in shown:
        who = "" if is_of_one else f"{each.who}: "
        yield from _wrapped(f"  {each.count:>5} × {who}{each.said}", columns)
        if files := [f"{folder}/{file}" for file in (each.log, each.capsule) if file]:
            is_one_line = columns is None or len(INDENT + ", ".join(files)) <= columns
            yield from (INDENT + said for said in ([", ".join(files)] if is_one_line else files))
    if others := len(failures) - len(shown):
        yield f"        and {counted(others, 'other reason')}"


def how_to_look(failures: Iterable[Failure], folder: str) -> Iterator[str]:
    """The commands that show what was said before a failure.  `folder`: its name as a word of a command."""
    capsule = next((each.capsule for each in failures if each.capsule), "")
    if capsule:
        yield f"  arena replay {folder}/{capsule}    what both sides said"
        yield "  `arena run -x …` stops at the first fault and shows the conversation"


def _wrapped(line: str, columns: int | None) -> list[str]:
    if columns is None or len(line) <= columns:
        return [line]
    return wrap(line, max(COLUMNS_LEAST, columns), subsequent_indent=INDENT, break_on_hyphens=False)
