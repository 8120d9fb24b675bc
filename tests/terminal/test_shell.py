"""People at a table, and who watches it: programs at the two ends of pipes, at a real server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server.served import Served, a_server

WORDS_S = 20.0


class Shell(threading.Thread):
    """A command of the arena, with what it prints."""

    def __init__(self, *words: str) -> None:
        super().__init__(daemon=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arena", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "80"},
        )
        self.lines: list[str] = []
        self.react: Callable[[str], str | None] = lambda line: None
        """What is typed when this line is printed."""
        self._changed = threading.Condition()
        self.start()

    def run(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()
            if (answer := self.react(line)) is not None:
                self.type(answer)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def until(self, words: str) -> None:
        """Returns once these words were printed."""
        with self._changed:
            assert self._changed.wait_for(lambda: words in " ".join(self.lines), WORDS_S), "\n".join(
                self.lines
            )

    @property
    def said(self) -> str:
        return " ".join(line.strip() for line in self.lines)

    def end(self) -> int:
        """Waits for its end; gives the exit code."""
        code = self.process.wait(WORDS_S)
        self.join(WORDS_S)
        return code


@contextmanager
def shells() -> Iterator[Callable[..., Shell]]:
    """Opens shells, which are ended at the end."""
    opened: list[Shell] = []

    def open_one(*words: str) -> Shell:
        opened.append(Shell(*words))
        return opened[-1]

    try:
        yield open_one
    finally:
        for shell in opened:
            shell.process.kill()
            shell.join(WORDS_S)
            for stream in (shell.process.stdin, shell.process.stdout, shell.process.stderr):
                if stream is not None:
                    try:
                        stream.close()
                    except BrokenPipeError:
                        pass
            shell.process.wait()


def a_table(server: Served, game: str = "bluff", **rules: object) -> str:
    told = httpx.post(f"{server.http}/api/tables", json={"game": game, "rules": rules}).json()
    return f"{server.http}/api/tables/{told['id']}"


def plays_on(line: str) -> str | None:
    """Somebody who puts one card down when they are asked, and always passes but once."""
    if "what do you do" in line:
        return "play 1" if "play CARDS" in line else "pass"
    return None


@pytest.mark.nightly
@pytest.mark.slow
def test_two_people_play_bluff_while_somebody_watches_and_the_server_is_killed(tmp_path: Path) -> None:
    """The document's words: enter, ready, play, bluff; whoever has lost the connection goes on with the key."""
    ports = [f"127.0.0.1:{port}" for port in free_ports(2)]
    with shells() as shell:
        with a_server(tmp_path / "data", *ports) as server:
            url = a_table(server, plays_max=4)
            romeo = shell("play", "--table", url, "--name", "Romeo")
            romeo.until("you sit at the table as Romeo")
            julia = shell("play", "--table", url)
            watcher = shell("watch", url)
            julia.until("enter NAME takes a seat")
            julia.type("enter Romeo")
            julia.until("Romeo is taken at this table: choose another")
            julia.type('game:enter("Julia").')
            romeo.until("Julia has come")
            julia.type("ready")
            romeo.until("Julia is ready")
            romeo.type("say hello \x1b[31mJulia")
            romeo.until("a message is 1 to 500 printable characters")
            romeo.type("say hello Julia")
            romeo.type("ready")
            for one in (romeo, julia):
                one.until("the cards are dealt: ")
                one.until("your cards: 1:")
            watcher.until("Romeo says: hello Julia")
            first, other = (romeo, julia) if wait_for_turn(romeo, julia) is romeo else (julia, romeo)
            assert "what do you do" not in other.said, "it has its cards before it is asked"
            assert 1 == first.said.count("your cards: ")
            other.type("play 1")
            other.until("play: nothing is asked of you now")
            first.type("game:play([1,2,3]).")
            other.until("1 pass | 2 accuse")
            server.process.kill()
            romeo.until("the connection is lost")
        with a_server(tmp_path / "data", *ports):
            for one in (romeo, julia, watcher):
                one.until("the server answers again")
            other.type("game:bluff().")
            accuser, accused = ("Julia", "Romeo") if first is romeo else ("Romeo", "Julia")
            watcher.until(f"{accuser} accuses {accused}: the three aces are ")
            romeo.react = julia.react = plays_on
            for one in (romeo, julia):
                if one.lines[-1].startswith("  ") or "what do you do" in one.lines[-1]:
                    one.type("play 1")
            for one in (romeo, julia, watcher):
                one.until("the match is over: 1.")
            romeo.type("leave")
            assert 0 == romeo.end()
            julia.until("Romeo has left")
            assert julia.process.stdin is not None
            julia.process.stdin.close()
            assert 0 == julia.end()
            watcher.until("this table is closed: everybody has left")
            assert 0 == watcher.end()
    assert all(len(line) <= 80 for one in (romeo, julia, watcher) for line in one.lines)
    assert "holds" in romeo.said
    assert "holds" not in watcher.said, "who watches sees no hands"


def wait_for_turn(*people: Shell) -> Shell:
    """Who is asked first."""
    for _ in range(400):
        for one in people:
            if "what do you do" in one.said:
                return one
        threading.Event().wait(0.05)
    raise AssertionError("nobody is asked")


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.mark.slow
def test_mistakes_are_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    with a_server(tmp_path / "data") as server, shells() as shell:
        url = a_table(server)
        taken = httpx.post(f"{url}/players", json={"nickname": "Romeo"})
        assert 201 == taken.status_code
        nobody = f"{server.http}/api/tables/0d3f6a1e-8c1b-4d6e-9a35-0123456789ab"
        asked = {
            ("play", "--table", url, "--name", "Romeo"): "Romeo is taken at this table: choose another",
            ("play", "--table", nobody, "--name", "Romeo"): "no open table has this URL; public ones are ",
            ("watch", server.http): "this is the URL of a server, not of a table; public ones are ",
        }
        for words, sentence in asked.items():
            one = shell(*words)
            assert 2 == one.end(), words
            assert one.process.stderr is not None
            told = one.process.stderr.read()
            assert sentence in told
            assert told.startswith("arena: ")
            assert 1 == told.count("\n")


@pytest.mark.slow
def test_ctrl_c_gives_the_seat_up(tmp_path: Path) -> None:
    with a_server(tmp_path / "data") as server, shells() as shell:
        url = a_table(server)
        romeo = shell("play", "--table", url, "--name", "Romeo")
        romeo.until("you sit at the table as Romeo")
        romeo.process.send_signal(signal.SIGINT)
        assert 130 == romeo.end()
        assert romeo.process.stderr is not None
        assert "" == romeo.process.stderr.read().strip()
        assert 404 == httpx.get(url).status_code
