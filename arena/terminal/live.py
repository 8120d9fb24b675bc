"""Shows a run in a terminal: a bar and the standings, redrawn in place, and removed when it ends.

A thread of its own draws it, which shares only the account with the run: a terminal that is slow, or stopped
with Ctrl-S, stops no match.  It does not use rich, whose tables take 15 ms for 20 bots (measured; this takes
less than 1 ms), in which the run hears no bot.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import attrs

from arena.analysis.counted import ONE_LOOK
from arena.terminal.account import Account, score_words
from arena.terminal.text import aligned
from arena.words import clipped, printable, width

DRAWN_EVERY_S = 0.25
"""How often the screen is drawn at most: people read no faster."""
ENDS_WITHIN_S = 1.0
"""How long the end of a run waits for a terminal that takes no more text."""
BAR_WIDTH = 30
BAR_WIDTH_LEAST = 8
NAME_LEAST = 8
"""How much of a name is shown at least; if the terminal is narrow, the last columns give way."""
CLEAR_LINE, CLEAR_BELOW = "\x1b[K", "\x1b[J"


@attrs.frozen
class ScreenSize:
    """The size of a terminal, in characters."""

    columns: int
    lines: int


@attrs.frozen
class Terminal:
    """A terminal with a file descriptor of its own, so that nothing done to standard error changes it."""

    descriptor: int
    encoding: str

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """The terminal that a stream writes to."""
        return cls(os.dup(stream.fileno()), stream.encoding)

    def size(self) -> ScreenSize:
        try:
            columns, lines = os.get_terminal_size(self.descriptor)
        except OSError:  # the terminal is gone, which the next write will notice
            columns = lines = 0
        return ScreenSize(columns or 80, lines or 24)  # 0: nobody ever told the terminal its size

    def is_ready(self) -> bool:
        """Whether it takes text at once."""
        return bool(select.select([], [self.descriptor], [], 0)[1])

    def write(self, text: str) -> None:
        """Shows text.  Raises OSError if the terminal is gone."""
        octets = text.encode(self.encoding, "replace")
        while octets:
            octets = octets[os.write(self.descriptor, octets) :]

    def close(self) -> None:
        os.close(self.descriptor)


class Screen:
    """Shows a run in place, in the last lines of a terminal; notes go above them."""

    def __init__(self, account: Account, terminal: Terminal) -> None:
        self.is_lost = False
        self._account = account
        self._terminal = terminal
        self._waiting = "getting the bots ready"
        self._notes: deque[str] = deque()
        self._drawn: Sequence[str] = ()
        """The lines that are on the screen; the cursor is below them."""
        self._drawn_at: ScreenSize | None = None
        self._is_stale = True
        self._pen = threading.Lock()
        """Held while writing."""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._keep_drawing, name="screen", daemon=True)

    # Called by the run.

    def start(self) -> None:
        """Starts drawing whenever something has changed."""
        self._thread.start()

    def note(self, line: str) -> None:
        self._notes.append(line)
        self._is_stale = True

    def await_bots(self, line: str) -> None:
        self._waiting = line
        self._is_stale = True

    def begins(self) -> None:
        self._waiting = ""
        self._is_stale = True

    def changed(self, *, ends_cycle: bool = False) -> None:
        self._is_stale = True

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Takes the lines off the screen, and puts them back afterwards."""
        with self._pen:
            self._erase()
            yield

    def abandon(self) -> None:
        self.is_lost = True  # takes no lock: a signal handler may be in the middle of anything

    def ends(self) -> None:
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join(ENDS_WITHIN_S)
        if self._thread.is_alive():
            return  # the thread waits for the terminal, perhaps for ever
        with self._pen:
            self._erase()
        self._terminal.close()

    # Called by the thread that draws.

    def _keep_drawing(self) -> None:
        while not self.is_lost and not self._is_over.wait(DRAWN_EVERY_S):
            self._account.rate()
            self.draw()

    def draw(self) -> None:
        """Redraws the screen if anything has changed and the terminal takes text."""
        with self._pen:
            size = self._terminal.size()
            if (
                self.is_lost
                or not (self._is_stale or size != self._drawn_at)
                or not self._terminal.is_ready()
            ):
                return
            self._is_stale = False  # before the account is read, so that later changes are drawn again
            with self._account.lock:
                lines = picture(self._account, self._waiting, size)
            if self._notes or lines != self._drawn or size != self._drawn_at:
                self._put(lines, size)

    def _put(self, lines: Sequence[str], size: ScreenSize) -> None:
        """Writes over what was drawn, all at once, so that nothing flickers."""
        notes = self._taken_notes()
        above = "".join(f"{note}\n" for note in notes)
        below = "".join(f"{line}{CLEAR_LINE}\n" for line in lines)
        self._write(self._back(size) + (CLEAR_BELOW + above if notes else "") + below + CLEAR_BELOW)
        self._drawn, self._drawn_at = lines, size

    def _erase(self) -> None:
        """Leaves only the notes on the screen."""
        notes = self._taken_notes()
        self._write(self._back(self._terminal.size()) + CLEAR_BELOW + "".join(f"{note}\n" for note in notes))
        self._drawn, self._drawn_at = (), None

    def _taken_notes(self) -> list[str]:
        return [self._notes.popleft() for _ in range(len(self._notes))]

    def _back(self, size: ScreenSize) -> str:
        """What moves the cursor to the first drawn line; a narrower terminal has wrapped the lines."""
        up = sum(max(1, -(-width(line) // size.columns)) for line in self._drawn)
        return f"\x1b[{up}F" if up else ""

    def _write(self, text: str) -> None:
        try:
            if not self.is_lost:
                self._terminal.write(text)
        except OSError:
            self.is_lost = True


# The picture.


def picture(account: Account, waiting: str, size: ScreenSize) -> list[str]:
    """The lines to show; they leave a line and a column of the terminal free."""
    room = ScreenSize(max(1, size.columns - 1), size.lines - 1)
    lines = [waiting] if waiting else [_bar(account, room.columns), *filter(None, [account.rule_state])]
    if not waiting:
        lines += _table(account, attrs.evolve(room, lines=room.lines - len(lines)))
    return [clipped(line, room.columns) for line in lines[: room.lines]]


def _bar(account: Account, columns: int) -> str:
    state = account.state()
    wide = min(BAR_WIDTH, columns - width(state) - 1)
    if wide < BAR_WIDTH_LEAST:
        return state
    full = min(wide, wide * account.done // max(1, account.planned))
    return f"{'━' * full}{'─' * (wide - full)} {state}"


def _table(account: Account, room: ScreenSize) -> list[str]:
    """The lines of the standings, with as many of the best as fit; empty if not even one does."""
    standings = account.standings
    rows = standings.rows()
    shown = len(rows) if len(rows) + 2 <= room.lines else room.lines - 3
    if shown < 1:
        return []
    rating = ("rating",) if standings.is_by_rating else ()
    titles = ("rank", "bot", "matches", *rating, f"{standings.unit} (95 %)", "faults")
    cells = [
        (
            str(row.rank),
            printable(row.bot),
            str(row.matches),
            *("–" if row.rating is None else f"{row.rating:.0f}" for _ in rating),
            score_words(row, standings),
            str(row.faults),
        )
        for row in rows[:shown]
    ]
    wide = [max(map(width, column)) for column in zip(titles, *cells, strict=True)]
    most = max(NAME_LEAST, room.columns - 2 * (len(wide) - 1) - sum(wide) + wide[1])
    named = [(rank, clipped(bot, most), *numbers) for rank, bot, *numbers in cells]
    left = len(rows) - shown
    return [
        *aligned(titles, named, frozenset(titles) - {"bot"}).splitlines(),
        *([f"… {left:,} more"] if left else []),
        *([ONE_LOOK] if len(rows) + 3 <= room.lines else []),
    ]
