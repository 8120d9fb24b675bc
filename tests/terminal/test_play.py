"""`arena play GAME` as a program in a real terminal of 80 columns, and in pipes."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl

import pytest

PATIENCE_S = 60.0


class Terminal:
    """A program in a terminal of 80 by 24."""

    def __init__(self, *words: str, **environment: str) -> None:
        self.ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arena", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", **environment},
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""
        self._read_to = 0

    def wait_for(self, words: str) -> None:
        """Until the terminal shows these words, after what was waited for before."""
        began_at = time.monotonic()
        while (place := self.seen.find(words, self._read_to)) < 0:
            assert time.monotonic() < began_at + PATIENCE_S, f"{words!r} is not in {self.seen}"
            if select.select([self.ours], [], [], 0.5)[0]:
                try:
                    piece = os.read(self.ours, 65536)
                except OSError:  # the program has ended
                    piece = b""
                assert piece, f"it ended without {words!r}: {self.seen}"
                self.seen += piece.decode()
        self._read_to = place + len(words)

    def type(self, line: str) -> None:
        os.write(self.ours, f"{line}\n".encode())


@contextmanager
def terminal(*words: str, **environment: str) -> Iterator[Terminal]:
    opened = Terminal(*words, **environment)
    try:
        yield opened
        opened.process.wait(PATIENCE_S)
    finally:
        opened.process.kill()
        opened.process.wait()
        os.close(opened.ours)


@pytest.mark.slow
def test_a_person_plays_a_house_bot_in_a_terminal() -> None:
    """Without colour where NO_COLOR is set; a mistake is a sentence; `q` leaves with exit code 0."""
    with terminal("play", "liars-dice", "--seed", "5", NO_COLOR="1") as shown:
        shown.wait_for("player> ")
        shown.type("b 9 9")
        shown.wait_for("9 cannot be")
        shown.wait_for("player> ")
        shown.type("b 4 2")
        shown.wait_for("player bids two 4s")
        shown.wait_for("player> ")
        shown.type("q")
        shown.wait_for("this is how it stood")
    assert 0 == shown.process.returncode
    assert "\x1b" not in shown.seen
    lines = shown.seen.replace("\r", "").splitlines()
    assert max(len(line) for line in lines if "is not installed; using" not in line) <= 80


@pytest.mark.slow
def test_ctrl_c_ends_it_without_a_traceback() -> None:
    with terminal("play", "bluff", "--seed", "5") as shown:
        shown.wait_for("player")
        shown.wait_for("> ")
        os.kill(shown.process.pid, signal.SIGINT)
        shown.wait_for("ending the bots")
    assert 130 == shown.process.returncode
    assert "Traceback" not in shown.seen


@pytest.mark.slow
def test_it_is_played_through_pipes_too() -> None:
    """A whole match against two bots; what is told goes to standard output, all else to standard error."""
    words = [
        "liars-dice",
        "--rule",
        "dice=1",
        "--against",
        "odds",
        "--against",
        "bluffer",
        "--seed",
        "3",
        "--name",
        "Ann",
        "--plain",
    ]
    ended = subprocess.run(
        [sys.executable, "-m", "arena", "play", *words],
        input="c\nb 1 3\nb 6 2\nb 6 3\n" * 60,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert 0 == ended.returncode
    last = ended.stdout.splitlines()[-1]
    assert re.fullmatch(r"the match is over: (\w+ comes \w+(, |\.)){3}", last)
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_nothing_to_read_is_the_end_of_input() -> None:
    """`</dev/null` can be read, but never waited for."""
    ended = subprocess.run(
        [sys.executable, "-m", "arena", "play", "blef", "--seed", "1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert 0 == ended.returncode
    assert "leaves" in ended.stdout
