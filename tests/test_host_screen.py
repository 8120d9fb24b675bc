"""What a server's host sees: notes for good, one line of status, and a server that waits for no terminal."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from arena.terminal.hosting import NOTES_WAITING, HostScreen
from tests.terminals import Glass


def until(is_so: Callable[[], bool]) -> None:
    """The screen is written by a thread of its own."""
    ends_at = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < ends_at
        time.sleep(0.001)


def test_status_is_below_the_notes_and_gone_at_the_end() -> None:
    """It is written over, and what is longer than a line is cut."""
    glass = Glass(20, 5)
    screen = HostScreen(glass, has_status=True)
    screen.note("one")
    screen.show("2 tables and much more to be told of")
    until(lambda: ["one", "2 tables and much…"] == glass.shown)
    screen.note("two\x1b[2J")
    screen.show("3 tables")
    until(lambda: ["one", "two\\x1b[2J", "3 tables"] == glass.shown)
    writes = glass.writes
    screen.show("3 tables")
    screen.ends()
    assert (["one", "two\\x1b[2J"], writes + 1, True) == (glass.shown, glass.writes, glass.is_closed)


def test_a_file_gets_the_notes_alone() -> None:
    """Nothing that only a terminal understands."""
    glass = Glass()
    written: list[str] = []
    glass.write = written.append  # type: ignore[method-assign]
    screen = HostScreen(glass, has_status=False)
    screen.show("2 tables")
    screen.note("one")
    screen.ends()
    assert "one\n" == "".join(written)


def test_a_terminal_that_takes_no_text_holds_nobody_up() -> None:
    """So many notes are kept; of those beyond the number is told once it takes text again."""
    glass = Glass()
    glass.takes_text = False
    screen = HostScreen(glass, has_status=True)
    for number in range(NOTES_WAITING + 7):
        screen.note(f"note {number}")
    glass.takes_text = True
    until(lambda: bool(glass.shown))
    screen.ends()
    assert [*(f"note {number}" for number in range(NOTES_WAITING)), "(7 more notes)"] == glass.shown


@pytest.mark.parametrize("how", ["hung up", "broken"])
def test_once_the_terminal_is_gone_notes_go_to_standard_error(
    how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which is the log by then."""
    glass = Glass()
    screen = HostScreen(glass, has_status=True)
    if how == "hung up":
        screen.hang_up()
    else:
        glass.is_broken = True
        screen.note("nobody reads this")
        until(lambda: screen.is_lost)
    screen.note("later")
    assert "later\n" == capsys.readouterr().err
    screen.ends()
