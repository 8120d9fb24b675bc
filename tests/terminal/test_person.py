"""What a person at a table is shown before anything happens."""

from __future__ import annotations

from arena.terminal.person import HELP


def test_the_help_fits_80_columns() -> None:
    assert max(map(len, HELP.splitlines())) < 80
