"""Bots as processes of ours: how they are started, what is kept of what they print, and that they end."""

from __future__ import annotations

import os
import socket
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
import trio
import trio.testing
from attrs import evolve
from tournaments import alive, honest, program

from arena.box.box import open_box
from arena.errors import ConfigError
from arena.players.access import place_of
from arena.players.log import LOG_BYTES_MAX, REST_BYTES_MAX, BotLog
from arena.players.process import ProcessPlayer, _Door, run_process
from arena.players.start import BotBroken, settle
from arena.players.transport import StreamTransport
from arena.tournament.bots.build import build
from arena.tournament.bots.entrants import resolve


@asynccontextmanager
async def running(entrant, log_path=None, **options):
    """An instance of the bot; it is ended in order afterwards."""
    async with open_box("shield") as box, trio.open_nursery() as nursery:
        with trio.fail_after(15):
            player = await nursery.start(
                lambda **more: run_process(entrant, box=box, log_path=log_path, **options, **more)
            )
            yield player
            player.close()
            await player.ended.wait()


async def why_broken(entrant, **options) -> BotBroken:
    """What is wrong with a bot that cannot be started."""
    with trio.fail_after(15), pytest.raises((BotBroken, BaseExceptionGroup)) as caught:
        async with running(entrant, **options):
            pass
    error = caught.value
    while isinstance(error, BaseExceptionGroup):
        (error,) = error.exceptions
    assert isinstance(error, BotBroken)
    return error


HELLO = """
import json, os, socket, sys, time
s = socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"])))
s.sendall(json.dumps({"name": "me"}).encode())
"""


@pytest.mark.slow
async def test_environment_and_folder(tmp_path, monkeypatch):
    """PATH, PYTHONPATH, HOME, LANG and ARENA_* and nothing else; it runs in its own folder."""
    monkeypatch.setenv("SECRET_OF_THE_USER", "x")
    code = HELLO + "print(sorted(os.environ), os.getcwd(), flush=True)\ns.recv(1)"
    async with running(program("me", "-c", code, folder=tmp_path), tmp_path / "me.log"):
        pass
    said = (tmp_path / "me.log").read_text()
    assert str(tmp_path) in said
    assert "ARENA_HOST" in said
    assert "SECRET" not in said
    names = set(eval(said[: said.index("]") + 1])) - {"LC_CTYPE", "PWD"}  # Python's own, and bubblewrap's
    wanted = {"ARENA_HOST", "ARENA_NAME", "ARENA_PORT", "ARENA_SCRATCH", "ARENA_TOKEN", "PATH", "PYTHONPATH"}
    assert (
        wanted <= names <= wanted | {"HOME", "LANG", "TMPDIR"}
    )  # with Landlock, a folder of its own in /tmp


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason", "log"),
    [
        pytest.param(
            "print('bye'); raise SystemExit(3)",
            "ended with exit code 3; it last printed: bye",
            "bye",
            id="exits",
        ),
        pytest.param("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL", "", id="killed"),
        pytest.param(
            "import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 5)",
            "was ended by ",
            "",
            id="odd signal",
        ),
        pytest.param(
            "1/0", "ended with exit code 1: ZeroDivisionError: division by zero", "Traceback", id="raises"
        ),
        pytest.param(
            "import os, sys; sys.exit(os.environ['ARENA_TOKEN'])",
            "ended with exit code 1; it last printed: ***",
            "",
            id="its token is kept secret",
        ),
        pytest.param(
            HELLO.replace('{"name": "me"}', '{"type": "hello", "protocol": 9}') + "time.sleep(60)",
            "was refused: protocol 9",
            "",
            id="a later protocol",
        ),
        pytest.param("import time; time.sleep(60)", "did not connect within 0.5 s", "", id="never connects"),
    ],
)
async def test_broken(tmp_path, code, reason, log):
    """Why a bot does not play, and the end of what it printed."""
    error = await why_broken(
        evolve(program("me", "-c", code, folder=tmp_path), connect_s=0.5), log_path=tmp_path / "logs" / "l"
    )
    assert reason in error.reason
    assert f"me: {error.reason}{f' ({error.log_path})' if error.log else ''}" == str(error)
    assert log in error.log


async def test_no_such_program(tmp_path):
    """A command that cannot be run says so."""
    error = await why_broken(evolve(honest("me"), run=("./nothing-here",), folder=tmp_path))
    assert (
        "cannot run ./nothing-here: No such file or directory; mend the command, or put the file there"
        == error.reason
    )


async def test_a_folder_that_cannot_be_entered(tmp_path, monkeypatch):
    """Not the interpreter is at fault; and no more is said of where the folder is than its name."""
    folder = tmp_path / "bots" / "mine"
    folder.mkdir(parents=True)
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(folder) and access(path, mode))
    error = await why_broken(evolve(honest("me"), folder=folder))
    assert "bots/mine cannot be read: Permission denied" == error.reason


@pytest.mark.slow
async def test_standard_output_closed_at_once():
    """Over pipes nobody can connect again: it is said at once, not after `connect_s`."""
    code = "import os, time; os.close(1); time.sleep(60)"
    error = await why_broken(program("me", "-c", code, transport="stdio"))
    assert "closed its standard output" == error.reason


@pytest.mark.slow
@pytest.mark.parametrize("end", ["s.recv(1)", "os.kill(os.getpid(), 9)"])
async def test_its_children_end_with_it(tmp_path, end):
    """Also those with a session of their own, and also if it crashed before."""
    code = (
        HELLO
        + f"""
for own_session in (False, True):
    if os.fork() == 0:
        if own_session: os.setsid()
        os.execvp("sleep", ["sleep", "600"])
time.sleep(0.1)
{end}
"""
    )
    name = f"parent-{os.getpid()}"
    async with running(program(name, "-c", code, folder=tmp_path)):
        with trio.fail_after(5):
            while len(alive(f"ARENA_NAME={name}")) < 2:  # noqa: ASYNC110
                await trio.sleep(0.02)
    assert [] == alive(f"ARENA_NAME={name}")


@pytest.mark.slow
async def test_last_words_are_kept(tmp_path):
    """What a bot prints when it is asked to go stands in its log."""
    code = (
        HELLO
        + """
import signal as s15
s15.signal(15, lambda *_: (print("ouch", flush=True), os._exit(0)))
time.sleep(60)
"""
    )
    async with running(program("me", "-c", code, folder=tmp_path), tmp_path / "log"):
        pass
    assert "ouch" in (tmp_path / "log").read_text()


@pytest.mark.slow
async def test_its_port_is_its_own(tmp_path):
    """A second connection to an instance's port is refused while the first one is there."""
    code = (
        HELLO
        + """
while not os.path.exists("go"): time.sleep(0.01)  # of two that come at once either may be the first
t = socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"])))
t.sendall(b'{"name": "other"}')
print(t.recv(999), flush=True)
s.recv(1)
"""
    )
    async with running(program("me", "-c", code, folder=tmp_path)) as player, trio.open_nursery():
        (tmp_path / "go").touch()
        with trio.fail_after(5):
            while "already connected" not in player.log.tail():  # noqa: ASYNC110
                await trio.sleep(0.01)
        assert player.is_connected


def test_the_log_is_bounded(tmp_path):
    """It keeps the beginning and the end, and says how much is missing between."""
    log = BotLog(tmp_path / "log")
    log._write(b"begin\n")
    for _ in range(1000):
        log._write(b"x" * 1000)
    log.mark()
    log._write(b"the end")
    assert "the end" == log.since_mark()
    log.close()
    text = (tmp_path / "log").read_text()
    assert text.startswith("begin\n")
    assert text.endswith("the end")
    assert "bytes left out" in text
    assert len(text) < LOG_BYTES_MAX + 5000


async def test_what_a_program_printed_last_is_known_when_it_has_ended(autojump_clock):
    """Also behind a flood that is read at a bounded pace: why it ended does not depend on timing."""
    log = BotLog(None)
    from_bot, to_log = os.pipe()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.drain, from_bot)
        while log.total <= LOG_BYTES_MAX:
            os.write(to_log, b"x" * 65536)
            await trio.testing.wait_all_tasks_blocked()
        os.write(to_log, b"KeyError: 'hand'\n")
        await settle()
        assert not log.kept().endswith("KeyError: 'hand'\n"), "its reader still has to wait"
        log.take_rest()
        assert log.kept().endswith("KeyError: 'hand'\n")
        os.close(to_log)
    log.take_rest()


async def test_what_a_bot_printed_before_it_closed_its_connection(autojump_clock):
    """Its process may live on though its main thread has crashed."""
    ours, theirs = trio.testing.memory_stream_pair()
    player = ProcessPlayer(honest("me"), BotLog(None))
    player.log._write(b"KeyError: 'hand'\n")
    with socket.socket() as port:
        door = _Door(player, SimpleNamespace(link=port, is_private=True), 1.0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(door.serve, StreamTransport(ours))
        await theirs.send_all(b'{"name": "me"}\n')
        await theirs.aclose()
    assert (10.0, True) == (trio.current_time(), player.is_gone)
    assert "closed its connection: KeyError: 'hand'" == player.gone_reason


def test_a_child_that_goes_on_printing_is_not_read_for_ever(monkeypatch):
    """What is taken at once is bounded."""
    log = BotLog(None)
    log._fd = 0
    with monkeypatch.context() as endless:
        endless.setattr(os, "read", lambda fd, size: b"x" * size)
        log.take_rest()
    assert REST_BYTES_MAX == log.total


def test_a_log_that_cannot_be_written(tmp_path):
    """The user's mistake, in a sentence."""
    (tmp_path / "logs").write_text("a file in the place of the folder")
    with pytest.raises(ConfigError, match="cannot be written"):
        BotLog(tmp_path / "logs" / "me.log")


# Builds


def folder_with(tmp_path, build):
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "bot"\nbuild = {build!r}\nrun = "./made"\n')
    return resolve(str(folder), base=tmp_path)


async def built(entrant, log_path):
    async with open_box("shield") as box:
        return await build(entrant, box, place_of(entrant, (), ()), log_path)


@pytest.mark.slow
async def test_a_build_that_fails(tmp_path):
    """Its exit code and the end of its log."""
    with pytest.raises(BotBroken, match="its build failed with exit code 7") as caught:
        await built(folder_with(tmp_path, "echo no compiler here; exit 7"), tmp_path / "log")
    assert "no compiler here" in caught.value.log
    assert "no compiler here" in (tmp_path / "log").read_text()


@pytest.mark.slow
async def test_a_build_that_is_cancelled_is_killed(tmp_path):
    """With all its children, at once."""
    seconds = f"600.{os.getpid()}"
    with trio.fail_after(5):
        with trio.move_on_after(0.3) as scope:
            await built(folder_with(tmp_path, f"sleep {seconds} & sleep {seconds}"), tmp_path / "log")
        assert scope.cancelled_caught
        while alive(f"sleep\0{seconds}"):  # noqa: ASYNC110
            await trio.sleep(0.01)
