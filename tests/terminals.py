"""Terminals for tests: one that is only remembered, and real ones that programs run in."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import termios
import threading
from collections.abc import Sequence
from pathlib import Path

from arena.terminal.live import ScreenSize
from arena.words import width

PARTS = re.compile(r"\x1b\[(\d*)([A-Z])|([^\x1b\n\r]+)|\n|\r")
"""All that the arena writes to a terminal: escape sequences, text, ends of lines."""

COLOURS = re.compile(r"\x1b\[\d+m")
"""Colours, which leave the text as it is."""

LOGIN = "import os, sys; os.login_tty(int(sys.argv[1])); os.execvp(sys.argv[2], sys.argv[2:])"
"""Makes a terminal the one that closes with SIGHUP.  As `preexec_fn` it would be deprecated, as we have threads."""


class Glass:
    """What a terminal shows, of any height: text that is too wide wraps, as it does when it gets narrower."""

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self.of_size = ScreenSize(columns, lines)
        self.takes_text = True
        self.is_broken = self.is_closed = False
        self.writes = 0
        self._is_at_start = True
        """Whether the cursor is at the start of a line."""
        self.lines = [""]
        self.row = 0

    def size(self) -> ScreenSize:
        return self.of_size

    def is_ready(self) -> bool:
        return self.takes_text

    def write(self, text: str) -> None:
        if self.is_broken:
            raise OSError(5, "Input/output error")
        text = COLOURS.sub("", text)
        self.writes += 1
        assert PARTS.sub("", text) == "", f"unknown to this terminal: {text!r}"
        for part in PARTS.finditer(text):
            self._obey(part)

    def close(self) -> None:
        self.is_closed = True

    def resize(self, columns: int, lines: int) -> None:
        """The cursor, which is at the start of a line, stays where it is in the text."""
        self.of_size = ScreenSize(columns, lines)
        above = [part for line in self.lines[: self.row] for part in self._wrapped(line)]
        self.lines = above + self.lines[self.row :]
        self.row = len(above)

    @property
    def shown(self) -> list[str]:
        """The lines as far as there is anything in them."""
        text = "\n".join(self.lines).rstrip("\n")
        return text.split("\n") if text else []

    def _obey(self, part: re.Match[str]) -> None:
        number, command, text = part.groups()
        is_at_start, self._is_at_start = (
            self._is_at_start,
            text is None and (self._is_at_start or command != "K"),
        )
        if part[0] == "\n":
            self.row += 1
            self.lines += [""] * (self.row >= len(self.lines))
        elif command == "F":
            assert int(number) <= self.row, "above what was written"
            self.row -= int(number)
        elif command == "J":
            self.lines[self.row :] = [""]
        elif text is not None:
            wrapped = self._wrapped(text)
            self.lines[self.row : self.row + 1] = wrapped
            self.row += len(wrapped) - 1
        elif command == "K":
            if is_at_start:
                self.lines[self.row] = ""
        else:
            assert part[0] == "\r", f"unknown to this terminal: {part[0]!r}"

    def _wrapped(self, line: str) -> list[str]:
        wrapped = [""]
        for char in line:
            if width(wrapped[-1] + char) > self.of_size.columns:
                wrapped.append("")
            wrapped[-1] += char
        return wrapped


class InTerminal:
    """A program in a real terminal of its own, which can be closed."""

    def __init__(self, command: Sequence[str], folder: Path, columns: int = 100, lines: int = 30) -> None:
        self.screen, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (lines, columns))
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOGIN, str(theirs), *command],
            cwd=folder,
            env={**os.environ, "TERM": "xterm"},
            pass_fds=(theirs,),
        )
        os.close(theirs)
        self.said = b""
        self._is_closed = False
        self._woken, self._waker = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        return self.said.decode("utf-8", "replace")

    def _read(self) -> None:
        while not self._is_closed:
            if self.screen not in select.select([self.screen, self._woken], [], [])[0]:
                return
            try:
                octets = os.read(self.screen, 65536)
            except OSError:  # the program has ended
                return
            self.said += octets

    def close(self) -> None:
        """As closing a window does."""
        if not self._is_closed:
            self._is_closed = True
            os.write(self._waker, b"x")
            self._reader.join()
            for descriptor in (self.screen, self._waker, self._woken):
                os.close(descriptor)

    def ends(self, wait_s: float) -> int:
        """Its exit code, once all that it said was read."""
        code = self.process.wait(wait_s)
        self._reader.join(wait_s)
        return code
