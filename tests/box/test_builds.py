"""Builds run in the box of their bot: what they get at, how they end, and that what they made is played."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import attrs
import pytest
import trio
from boxes import HOSTILE, LANDLOCK, OFF, SHIELD, STRICT, alive, need
from tournaments import BAD, faults, honest, play

from arena.box.box import open_box
from arena.players import start
from arena.players.access import place_of
from arena.players.entrant import Entrant
from arena.players.start import BotBroken
from arena.tournament import build as building
from arena.tournament.build import build
from arena.tournament.entrants import resolve
from arena.tournament.grants import granted

pytestmark = pytest.mark.slow

each_box = pytest.mark.parametrize("box", [STRICT, SHIELD, LANDLOCK], ids="-".join)
any_box = pytest.mark.parametrize("box", [STRICT, SHIELD, LANDLOCK, OFF], ids="-".join)

COMMAND = f"{sys.executable} build.py"
TRIES = f"""
import os, sys
sys.path.insert(0, {str(HOSTILE.parent)!r})
import hostile
def tries(*acts):
    for act, *words in acts:
        try:
            getattr(hostile, act)(*words)
        except (OSError, AssertionError):
            print("held", act, flush=True)
        else:
            print("escaped", act, flush=True)
"""


@pytest.fixture
def house():
    """A folder for bots and what they must not see; not in /tmp, where each box has one of its own."""
    top = Path(__file__).resolve().parents[2] / ".arena" / f"builds-{secrets.token_hex(4)}"
    for file in ("results/arena.db", "other/bot.py", "outside.txt"):
        (top / file).parent.mkdir(parents=True, exist_ok=True)
        (top / file).write_text("secret: 42")
    yield top
    shutil.rmtree(top)


def bot(house: Path, code: str, *more: str, run: str = "true") -> Entrant:
    """A bot that is built by this Python program; `more` are lines of its bot.toml."""
    folder = house / "own"
    folder.mkdir()
    (folder / "build.py").write_text(TRIES + code)
    lines = [
        f"build = {json.dumps([sys.executable, 'build.py'])}",
        f"run = {json.dumps([sys.executable, run])}",
        f"read = {json.dumps([str(HOSTILE), str(BAD)])}",
        *more,
    ]
    (folder / "bot.toml").write_text("\n".join(lines))
    (entrant,) = granted([resolve("own", base=house)], {})
    return entrant


async def built(box: tuple[str, str], house: Path, entrant: Entrant, mark: str = "no such word") -> list[str]:
    """Builds the bot; gives what the build printed.  No process with the mark is left then."""
    need(box)
    level, means = box
    other = Entrant(name="other", kind="process", folder=house / "other")
    with trio.fail_after(30):
        async with open_box(level, means=means) as opened:
            place = place_of(entrant, (entrant, other), (house / "results",))
            try:
                await build(entrant, opened, place, house / "build.log")
            finally:
                assert [] == alive(mark)  # the end of the box would end them too
    return (house / "build.log").read_text().splitlines()


async def why_broken(box: tuple[str, str], house: Path, entrant: Entrant, mark: str = "no such word") -> str:
    """Why the bot could not be built, in one line; empty if it could."""
    try:
        await built(box, house, entrant, mark)
    except BotBroken as error:
        return error.reason
    return ""


def others(house: Path) -> dict[str, str]:
    """All files but the bot's own, by name."""
    tops = [path for path in house.iterdir() if path.name != "own"]
    files = [file for top in tops for file in (top, *top.rglob("*")) if file.is_file()]
    return {str(file.relative_to(house)): file.read_text() for file in files}


# What a build gets at.


@each_box
async def test_a_build_writes_its_own_folder_and_nothing_else(house, box):
    """Results and other bots are neither read nor changed, in strict too, where a bot's folder is read-only."""
    acts = [
        ("write", "made.txt"),
        ("read", str(house / "results" / "arena.db")),
        ("list_folder", str(house / "results")),
        ("read", str(house / "other" / "bot.py")),
        ("hard_link", str(house / "results" / "arena.db")),
    ]
    targets = ("results/arena.db", "other/bot.py", "outside.txt", "new.txt")
    writes = [("write", str(house / name)) for name in targets]
    entrant = bot(house, f"tries(*{acts})\ntries(*{writes})")
    before = others(house)
    said = await built(box, house, entrant)
    assert ["escaped write", *(f"held {act}" for act, _ in acts[1:])] == said[: len(acts)]
    assert len(acts) + len(writes) == len(said)
    assert {**before, "build.log": "\n".join(said) + "\n"} == others(house)
    assert "I was here" == (house / "own" / "made.txt").read_text()


@each_box
async def test_the_environment_of_a_build(house, box, monkeypatch):
    """The user's in a shield, where the bots are the user's own; cleared in strict."""
    monkeypatch.setenv("SECRET_OF_THE_USER", "x")
    (said,) = await built(box, house, bot(house, "print(*sorted(os.environ), os.environ['HOME'])"))
    if box != STRICT:
        assert "SECRET_OF_THE_USER" in said.split()
    else:
        known = {
            "ARENA_NAME",
            "ARENA_TOKEN",
            "HOME",
            "LANG",
            "LANGUAGE",
            "LC_CTYPE",
            "PATH",
            "PWD",
            "PYTHONPATH",
        }
        *names, home = said.split()
        assert (set(), "/tmp") == (set(names) - known, home)


@asynccontextmanager
async def listeners():
    """Acts that connect to ports of this test: on loopback, and on an interface that leads outside, if any."""
    hosts = ["127.0.0.1"]
    with socket.socket(type=socket.SOCK_DGRAM) as way_out, suppress(OSError):
        way_out.connect(("192.0.2.1", 9))  # sends nothing, and tells by which address it would
        hosts.append(way_out.getsockname()[0])
    acts = []
    async with trio.open_nursery() as nursery:
        for host in hosts:
            (listener,) = await trio.open_tcp_listeners(0, host=host)
            nursery.start_soon(trio.serve_listeners, lambda stream: stream.send_all(b"secret"), [listener])
            acts.append(("connect", str(listener.socket.getsockname()[1]), host))
        yield acts
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("box", "more", "expected"),
    [
        (STRICT, (), "held"),
        (STRICT, ("build_network = false",), "held"),
        (STRICT, ("build_network = true",), "escaped"),
        (SHIELD, (), "escaped"),
    ],
)
async def test_the_network_of_a_build(house, box, more, expected):
    """In strict only where bot.toml says so, not even this machine's own."""
    async with listeners() as acts:
        said = await built(box, house, bot(house, f"tries(*{acts}, ('see_interfaces',))", *more))
    outside = len(socket.if_nameindex()) > 1 or expected == "held"
    assert [expected] * len(acts) == [line.split()[0] for line in said[:-1]]
    assert f"{expected if outside else 'held'} see_interfaces" == said[-1]


# How a build ends.

DAEMONS = """
hostile.daemons(5, {mark!r})
while not os.path.exists("go"): hostile.time.sleep(0.01)
print("made", flush=True)
"""


@asynccontextmanager
async def let_go(house: Path, mark: str):
    """Tells a build that all its daemons are there."""

    async def watch() -> None:
        while len(alive(mark)) < 5:  # noqa: ASYNC110
            await trio.sleep(0.01)
        (house / "own" / "go").touch()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        yield
        nursery.cancel_scope.cancel()


@any_box
async def test_a_build_that_hangs_is_killed_with_all_its_processes(house, box, monkeypatch):
    """Daemons in sessions of their own, deaf to SIGTERM, too; the reason is one sentence."""
    monkeypatch.setattr(building, "BUILD_S_MAX", 2.0)
    mark = f"600.{secrets.randbits(40)}"
    entrant = bot(house, DAEMONS.format(mark=mark) + "hostile.ignore()\nhostile.time.sleep(600)")
    async with let_go(house, mark):
        reason = await why_broken(box, house, entrant, mark)
    assert f"its build took more than 2 s: {COMMAND}" == reason
    assert "made\n" == (house / "build.log").read_text()


@any_box
async def test_no_process_outlives_a_build(house, box):
    """One that ends well, while its daemons hold on to its output, is done at once, and they are gone."""
    mark = f"600.{secrets.randbits(40)}"
    entrant = bot(house, DAEMONS.format(mark=mark))
    async with let_go(house, mark):
        assert ["made"] == await built(box, house, entrant, mark)


ENDS = [
    ("sys.exit(3)", "failed with exit code 3"),
    ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
    ("hostile.eat_memory()", "used more than 96 MB of memory"),
    ("os.kill(os.getppid(), 9); hostile.time.sleep(600)", "ended without an exit code"),
]


@pytest.mark.parametrize(("code", "expected"), ENDS, ids=[expected for _, expected in ENDS])
async def test_why_a_build_failed(house, code, expected, monkeypatch):
    """By itself, for using too much, or with the guard that it turned on, as it can without a box."""
    monkeypatch.setattr(start, "BUILD_MEMORY_MB", 96)
    entrant = attrs.evolve(bot(house, code), memory_mb=16)
    assert f"its build {expected}: {COMMAND}" == await why_broken(OFF, house, entrant)


# What a build leaves.

LINKS = """
os.mkdir(".arena")
for name in ("built", *(f"built.{{n}}" for n in range({pid} - 5, {pid} + 6))):
    os.symlink({there!r} + "/bot.py", ".arena/" + name)
"""
CANNOT = "after its build: {own}/.arena cannot be written: "
TRAPS = [
    ("a link in the place of the folder", "os.symlink({there!r}, '.arena')", CANNOT),
    ("a link in the place of every record", LINKS, ""),
    (
        "more files than a bot has",
        "for n in range(10_001): open(f'{{n}}', 'w').close()",
        "after its build: {own}: more than 10,000 files, too many for a bot's folder",
    ),
]


@pytest.mark.parametrize(("code", "expected"), [row[1:] for row in TRAPS], ids=[row[0] for row in TRAPS])
async def test_a_build_has_the_arena_do_no_harm(house, code, expected):
    """What it left is at worst no bot: the arena, which is in no box, writes over nothing by a link."""
    entrant = bot(house, code.format(there=str(house / "other"), pid=os.getpid()))
    before = others(house)
    reason = await why_broken(STRICT, house, entrant)
    assert reason.startswith(expected.format(own=house / "own"))
    assert bool(expected) == bool(reason)
    assert {**before, "build.log": ""} == others(house)


# And then it plays.

PLAYS = f"""
sys.path.insert(0, {str(BAD)!r})
from honest import *
print("plays", flush=True)
for question, _ in questions(): answer(question, move(question))
"""


@pytest.mark.parametrize(("box", "expected"), [(STRICT, "held"), (SHIELD, "escaped")])
async def test_what_a_build_made_is_played(house, box, expected):
    """The bot is written by its build, which alone has the network and writes the folder in strict."""
    need(box)
    level, _ = box
    async with listeners() as acts:
        acts += [("write", "note.txt")]
        tries = f"tries(*{acts})\n"
        code = f"{tries}open('made.py', 'w').write({TRIES + tries + PLAYS!r})"
        entrant = bot(house, code, "build_network = true", run="made.py")
        with trio.fail_after(60):
            summary, _ = await play(house / "out", (entrant, honest("ann")), series=1, sandbox=level)
    assert (2, {}) == (summary.played, faults(house / "out")["own"])
    logs = house / "out" / "logs"
    said = [f"escaped {act}" for act, *_ in acts]
    assert said == (logs / "own-build.log").read_text().splitlines()
    said = [f"{expected} {act}" for act, *_ in acts]
    assert [*said, "plays"] == (logs / "own-1.log").read_text().splitlines()
