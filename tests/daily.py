"""Which of many like cases are tried at every change; the others are left to the nightly workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

NIGHTLY = (pytest.mark.slow, pytest.mark.nightly)


def daily(is_daily: Callable[[Any], bool], cases: Iterable[Any]) -> list[Any]:
    """The cases of a test with one parameter, nightly unless they are daily."""
    return [case if is_daily(case) else pytest.param(case, marks=NIGHTLY) for case in cases]


def nightly_rows(*rows: tuple[Any, ...]) -> list[Any]:
    """Cases of a test with several parameters that are tried in the nightly workflow alone."""
    return [pytest.param(*row, marks=NIGHTLY) for row in rows]


def nightly(*cases: Any) -> list[Any]:
    """Cases of a test with one parameter that are tried in the nightly workflow alone."""
    return [pytest.param(case, marks=NIGHTLY) for case in cases]


def crossed(rows: Iterable[str], columns: Iterable[tuple[str, Any]]) -> list[Any]:
    """All pairs, as cases of a test with two parameters; columns come with what they are called.

    Each row meets a column at every change, and each column a row if there are as many rows: the other pairs are nightly.
    """
    rows, columns = list(rows), list(columns)
    return [
        pytest.param(row, column, id=f"{row}-{name}", marks=() if (x + y) % len(columns) == 0 else NIGHTLY)
        for x, row in enumerate(rows)
        for y, (name, column) in enumerate(columns)
    ]
