"""Shows the host of a server notes and, in a terminal, one line below them that says what is going on.

A thread of its own writes: a terminal that is slow, or stopped with Ctrl-S, stops no match.
"""

from __future__ import annotations

import threading
from collections import deque

from arena.terminal.live import CLEAR_LINE, ENDS_WITHIN_S, Terminal
from arena.terminal.text import calm, say
from arena.words import clipped, counted

NOTES_WAITING = 100
"""How many notes wait for a terminal that takes no text; of later ones only their number is told."""
TRIED_EVERY_S = 0.25


class HostScreen:
    """Shows notes above a line of status; `note` and `show` never wait."""

    def __init__(self, device: Terminal, *, has_status: bool) -> None:
        """`has_status`: whether a line can be overwritten, as in a terminal."""
        self._device = device
        self._has_status = has_status
        self._notes: deque[str] = deque()
        self._left_out = 0
        self._status = self._shown = ""
        self.is_lost = False
        self._is_over = False
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._keep_writing, name="host screen", daemon=True)
        self._thread.start()

    def note(self, line: str) -> None:
        """Shows a line, of any text, permanently."""
        if self.is_lost:
            say(line)
            return
        if len(self._notes) < NOTES_WAITING:
            self._notes.append(line)
        else:
            self._left_out += 1
        self._woken.set()

    def show(self, status: str) -> None:
        """Shows what is going on now, in place of what was shown before."""
        if self._has_status and status != self._status:
            self._status = status
            self._woken.set()

    def hang_up(self) -> None:
        """Notes that the terminal is gone: what is said from now on goes to standard error."""
        self.is_lost = True  # no lock: a signal handler may be in the middle of anything

    def ends(self) -> None:
        """Leaves only the notes on the screen."""
        self._status, self._is_over = "", True
        self._woken.set()
        self._thread.join(ENDS_WITHIN_S)
        if not self._thread.is_alive():
            self._device.close()

    def _keep_writing(self) -> None:
        while True:
            self._woken.wait()
            if self.is_lost:
                return
            if not self._device.is_ready():
                if self._is_over:
                    return
                threading.Event().wait(TRIED_EVERY_S)
                continue
            self._woken.clear()
            is_over = self._is_over
            try:
                self._device.write(self._text())
            except OSError:
                self.is_lost = True
            if is_over:
                return

    def _text(self) -> str:
        notes = [self._notes.popleft() for _ in range(len(self._notes))]
        if left_out := self._left_out:
            self._left_out -= left_out
            notes.append(f"({counted(left_out, 'more note')})")
        lines = "".join(f"{calm(note)}\n" for note in notes)
        if not self._has_status:
            return lines
        self._shown = clipped(self._status, self._device.size().columns - 1)
        return f"\r{CLEAR_LINE}{lines}{self._shown}"
