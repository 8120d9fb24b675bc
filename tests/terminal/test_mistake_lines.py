"""Sentences about mistakes in a terminal: broken between words, never inside one."""

from __future__ import annotations

from typing import Any

import pytest

import arena.cli as program

SENTENCE = "--seats: liars-dice has between two and ten seats, not 11, and `arena games` lists them"


@pytest.mark.parametrize("columns", [None, 30, 50])
def test_a_mistake_is_broken_between_words_where_the_terminal_ends(
    columns: int | None, monkeypatch: Any, capsys: Any
) -> None:
    """What is no terminal gets it as one line."""
    monkeypatch.setattr("arena.terminal.text.columns_of", lambda stream: columns)
    assert program._mistaken(SENTENCE) == 2
    lines = capsys.readouterr().err.splitlines()
    assert " ".join(lines) == f"arena: {SENTENCE}"
    assert (len(lines) == 1) == (columns is None)
    assert columns is None or max(map(len, lines)) <= columns
