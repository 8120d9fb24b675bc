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
from boxes import HOSTILE, LANDLOCK, OFF, PLAYS, SHIELD, STRICT, TRIES, alive, by_means_or_none, need
from tournaments import BAD, faults, honest, play

from arena.box.box import open_box
from arena.players import start
from arena.players.access import place_of
from arena.players.entrant import Entrant
from arena.players.folders import build_folder, working_folder
from arena.players.start import BotBroken
from arena.tournament.bots import build as building
from arena.tournament.bots.build import build
from arena.tournament.bots.copies import KEPT, copy_anew
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.bots.grants import granted

pytestmark = pytest.mark.slow

each_box = pytest.mark.parametrize("box", [STRICT, SHIELD, LANDLOCK], ids="-".join)

COMMAND = f"{sys.executable} build.py"


@pytest.fixture
def house(monkeypatch):
    """A folder for bots and what they must not see; not in /tmp, where each box has one of its own."""
    top = Path(__file__).resolve().parents[2] / ".arena" / f"builds-{secrets.token_hex(4)}"
    for file in ("results/arena.db", "other/bot.py", "outside.txt"):
        (top / file).parent.mkdir(parents=True, exist_ok=True)
        (top / file).write_text("secret: 42")
    monkeypatch.chdir(top)  # what the arena keeps lies where it is started
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
    tops = [path for path in house.iterdir() if path.name not in ("own", ".arena")]
    files = [file for top in tops for file in (top, *top.rglob("*")) if file.is_file()]
    return {str(file.relative_to(house)): file.read_text() for file in files}


def contents(folder: Path) -> dict[str, str]:
    """The text of each file, by name."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


# What a build gets at.


@each_box
async def test_a_build_writes_a_copy_of_its_folder_and_nothing_else(house, box):
    """Results and other bots are neither read nor changed, nor are the bot's own files: what it is, it stays."""
    acts = [
        ("write", "made.txt"),
        ("read", str(house / "results" / "arena.db")),
        ("list_folder", str(house / "results")),
        ("read", str(house / "other" / "bot.py")),
        ("hard_link", str(house / "results" / "arena.db")),
    ]
    targets = ("results/arena.db", "other/bot.py", "outside.txt", "new.txt", "own/bot.toml", "own/new.txt")
    writes = [("write", str(house / name)) for name in targets]
    entrant = bot(house, f"tries(*{acts})\ntries(*{writes})")
    before, own = others(house), contents(house / "own")
    said = await built(box, house, entrant)
    assert ["escaped write", *(f"held {act}" for act, _ in acts[1:])] == said[: len(acts)]
    assert len(acts) + len(writes) == len(said)
    assert {**before, "build.log": "\n".join(said) + "\n"} == others(house)
    assert own == contents(house / "own")
    assert own | {"made.txt": "I was here"} == contents(working_folder(entrant))


@by_means_or_none
async def test_the_environment_of_a_build(house, box, monkeypatch):
    """What bots have, and nothing of the user's keys; without a box, for a debugger, the user's."""
    monkeypatch.setenv("SECRET_OF_THE_USER", "x")
    (said,) = await built(box, house, bot(house, "print(*sorted(os.environ), os.environ['HOME'])"))
    if box == OFF:
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
            "TMPDIR",
        }
        *names, home = said.split()
        assert (set(), box == STRICT) == (set(names) - known, home == "/tmp")


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
        (copy,) = (house / ".arena" / "builds").glob("own-*/files")
        (copy / "go").touch()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        yield
        nursery.cancel_scope.cancel()


@by_means_or_none
async def test_a_build_that_hangs_is_killed_with_all_its_processes(house, box, monkeypatch):
    """Daemons in sessions of their own, deaf to SIGTERM, too; the reason is one sentence."""
    monkeypatch.setattr(building, "BUILD_S_MAX", 2.0)
    mark = f"600.{secrets.randbits(40)}"
    entrant = bot(house, DAEMONS.format(mark=mark) + "hostile.ignore()\nhostile.time.sleep(600)")
    async with let_go(house, mark):
        reason = await why_broken(box, house, entrant, mark)
    assert f"its build took more than 2 s: {COMMAND}" == reason
    assert "made\n" == (house / "build.log").read_text()


@by_means_or_none
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
TRAPS = [
    ("a link in the place of the arena's folder", "os.symlink({there!r}, '.arena')"),
    ("a link in the place of every record", LINKS),
    (
        "links in the place of its files",
        "os.unlink('bot.toml'); os.symlink({there!r} + '/bot.py', 'bot.toml')",
    ),
]


@pytest.mark.parametrize("code", [row[1] for row in TRAPS], ids=[row[0] for row in TRAPS])
async def test_a_build_has_the_arena_do_no_harm(house, code):
    """The arena, which is in no box, writes over nothing by a link, now or when the bot is built once more."""
    entrant = bot(house, code.format(there=str(house / "other"), pid=os.getpid()))
    before = others(house)
    for _ in range(2):
        assert "" == await why_broken(STRICT, house, entrant)
        (build_folder(entrant) / "built").unlink()
    assert {**before, "build.log": ""} == others(house)


async def test_a_build_is_made_once_for_its_files(house):
    """Whoever asks, also from another version in between; old ones do not pile up."""
    entrant = bot(house, "print('built')")
    assert needs_build(entrant)
    assert ["built"] == await built(STRICT, house, entrant)
    assert not needs_build(entrant)
    (house / "build.log").write_text("not again\n")
    assert ["not again"] == await built(STRICT, house, entrant)
    for n in range(4):
        (house / "own" / "build.py").write_text(f"print({n})")
        changed = resolve("own", base=house)
        assert needs_build(changed)
        assert [str(n)] == await built(STRICT, house, changed)
    assert needs_build(entrant)
    assert KEPT == len(list((house / ".arena" / "builds").iterdir()))


async def test_a_failed_build_leaves_nothing_to_play(house):
    """The next run builds anew."""
    entrant = bot(house, "open('made.txt', 'w').close(); sys.exit(3)")
    for _ in range(2):
        assert "failed with exit code 3" in await why_broken(STRICT, house, entrant)
        assert needs_build(entrant)
        assert not working_folder(entrant).exists()


async def test_what_a_copy_holds(house):
    """Hidden files too; links as links, which lead where they led; not the repository, nor what is hidden."""
    bot(house, "")
    own = house / "own"
    for name in (".git/config", ".hidden/x", "sub/x", "build/old", "results/arena.db", "__pycache__/x.pyc"):
        (own / name).parent.mkdir(exist_ok=True)
        (own / name).write_text(name)
    os.mkfifo(own / "pipe")
    links = {"inside": "sub/x", "same": str(own / "sub" / "x"), "outside": "../outside.txt", "up": "/etc"}
    for name, target in links.items():
        (own / name).symlink_to(target)
    (own / "build.py").chmod(0o755)
    copy_anew(own, own.parent, [own / "results"])
    copy = own.parent / "files"
    found = {
        str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file() and not path.is_symlink()
    }
    assert {"bot.toml", "build.py", ".hidden/x", "sub/x"} == found
    assert {"inside": "sub/x", "same": "sub/x", "outside": str(house / "outside.txt"), "up": "/etc"} == {
        name: os.readlink(copy / name) for name in links
    }
    assert (copy / "build.py").stat().st_mode & 0o100


# And then it plays.


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
    said = [f"{expected if act == 'connect' else 'held'} {act}" for act, *_ in acts]
    assert [*said, "plays"] == (logs / "own-1.log").read_text().splitlines()
