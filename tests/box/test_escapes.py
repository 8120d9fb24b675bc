"""Ways out of the box, each tried by a program that means it: what each box promises, none lets through."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
from itertools import product
from pathlib import Path

import attrs
import pytest
import trio
from boxes import LANDLOCK, OFF, SHIELD, STRICT, alive, need, program
from daily import NIGHTLY

from arena.box.box import open_box
from arena.box.places import FileView
from arena.players.access import place_of
from arena.players.entrant import Entrant
from arena.store import results_beside
from arena.trials.torture import attacks
from arena.trials.torture.attacks import ATTACKS
from arena.trials.torture.targets import targets

pytestmark = pytest.mark.slow

ALL = (STRICT, SHIELD, LANDLOCK)
WORD = f"known-to-the-victim-alone-{secrets.token_hex(4)}"  # other suites may run on this machine


def ids(box) -> str:
    return "-".join(box)


def each(acts, boxes):
    """A test for every act and box."""
    return pytest.mark.parametrize(
        ("act", "box"), [pytest.param(act, box, id=f"{act}-{ids(box)}") for act in acts for box in boxes]
    )


def shared_out(acts, boxes):
    """A test for every act and box: at every change each box is tried with one of the acts, and each act in some boxes."""
    return pytest.mark.parametrize(
        ("act", "box"),
        [
            pytest.param(act, box, id=f"{act}-{ids(box)}", marks=() if (x + y) % len(acts) == 0 else NIGHTLY)
            for x, box in enumerate(boxes)
            for y, act in enumerate(acts)
        ],
    )


def by_turns(acts):
    """A test for every box, with the acts to try there; bubblewrap's strict and its shield share them at every change."""
    cases = [(acts[1::2], STRICT), (acts[::2], SHIELD), (acts, LANDLOCK)]
    nightly = [(acts[::2], STRICT), (acts[1::2], SHIELD)]
    return pytest.mark.parametrize(
        ("acts", "box"),
        [pytest.param(*case, id=ids(case[1])) for case in cases]
        + [pytest.param(*case, id=f"{ids(case[1])}-others", marks=NIGHTLY) for case in nightly],
    )


@pytest.fixture
def house():
    """A results folder, two bots; the place of the first.  Not in /tmp, where each box has one of its own."""
    top = Path(__file__).resolve().parents[2] / ".arena" / f"box-{secrets.token_hex(4)}"
    yield _house(top)
    shutil.rmtree(top)


def _house(top: Path) -> FileView:
    results, own, other = (top / "house" / name for name in ("results", "own", "other"))
    for folder in (results, own, other):
        folder.mkdir(parents=True)
    for file in (results / "arena.db", other / "bot.py", top / "house" / "outside.txt"):
        file.write_text("secret: 42")
    return FileView(folder=own, own=(own,), is_writable=True, hidden=(other, results))


async def outcome(box, place, *words) -> str:
    """What the program said: `escaped` or `held`."""
    (said,) = await outcomes(box, place, [words])
    return said


async def outcomes(box, place, tried, look=lambda words: None) -> list[str]:
    """What each of these programs said, one after the other in one box; of what one left there the next sees nothing.

    `look` is called after each, with its words.
    """
    level, means = box
    place = attrs.evolve(place, is_writable=place.is_writable and level != "strict")
    before, found = {*place.folder.rglob("*")}, []
    async with open_box(level, means=means) as opened:
        for words in tried:
            for left in {*place.folder.rglob("*")} - before:
                left.unlink()
            with trio.fail_after(30):
                async with program(opened, place, *words) as said:
                    assert said.text, f"{words} never said anything"
            found.append(said.text.split()[0])
            look(words)
    return found


async def assert_held(box, place, tried):
    """None of these programs got what it wanted."""
    said = await outcomes(box, place, tried)
    assert [] == [words for words, each in zip(tried, said, strict=True) if each != "held"]


def contents(folder) -> dict[str, str]:
    """The files of a house that are not in the bot's own folder."""
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and folder / "own" not in path.parents
    )
    return {str(path.relative_to(folder)): path.read_text() for path in files}


@by_turns(["read", "list_folder", "read_through_link", "unmount"])
async def test_what_is_hidden_is_not_seen(house, acts, box):
    """Neither the arena's database with its seed nor another bot's files, by whatever way."""
    need(box)
    files = [house.folder.parent / what for what in ("results/arena.db", "other/bot.py")]
    await assert_held(
        box,
        house,
        [(act, str(file.parent if act == "list_folder" else file)) for act in acts for file in files],
    )


@each(["read"], ALL)
@pytest.mark.parametrize("where", ["house/own", "house/results/mine"])
async def test_the_results_of_earlier_runs_are_not_seen(house, monkeypatch, act, box, where):
    """Their databases hold cards and seeds.  A bot whose own folder is among them plays, and sees only that."""
    need(box)
    top = house.folder.parents[1]
    own = top / where
    for name in ("earlier", "now"):
        (top / "house/results" / name).mkdir()
        (top / "house/results" / name / "arena.db").write_text("secret: 42")
    own.mkdir(exist_ok=True)
    (own / "bot.py").write_text("secret: 42")
    monkeypatch.chdir(top / "house")
    bot = Entrant(name="mine", kind="process", folder=own, run=("python3", "bot.py"))
    place = place_of(bot, (bot,), results_beside(Path("results/now")))
    files = [top / "house/results" / run / "arena.db" for run in ("earlier", "now")]
    said = await outcomes(box, place, [(act, str(file)) for file in (*files, own / "bot.py")])
    assert ["held", "held", "escaped"] == said, "its own is its own"


def test_whose_results_are_hidden(tmp_path, monkeypatch):
    """`results/` where the arena writes there or has written there; somebody's own folder is left alone."""
    monkeypatch.chdir(tmp_path)
    elsewhere, results = tmp_path / "elsewhere", tmp_path / "results"
    assert (elsewhere,) == results_beside(Path("elsewhere"))
    assert (results, results / "now") == results_beside(Path("results/now"))
    (results / "tables").mkdir(parents=True)
    assert (elsewhere,) == results_beside(elsewhere)
    (results / "tables/arena.db").touch()
    assert (results, elsewhere) == results_beside(elsewhere)


@each(["hard_link"], ALL)
async def test_no_second_name_for_a_hidden_file(house, act, box):
    """A hard link in its own folder would be its own."""
    need(box)
    assert "held" == await outcome(box, house, act, str(house.folder.parent / "results" / "arena.db"))


@by_turns(["write", "write_through_link", "remove", "move_away"])
async def test_nothing_outside_is_changed(house, acts, box):
    """Neither results nor other bots nor anything else beside its own folder."""
    need(box)
    before = contents(house.folder.parent)
    tried = [
        (act, str(house.folder.parent / what))
        for act in acts
        for what in ("results/arena.db", "other/bot.py", "outside.txt")
    ]

    def look(words):
        assert before == contents(house.folder.parent), words

    await outcomes(box, house, tried, look)


@each(["write"], (SHIELD, LANDLOCK))
async def test_its_own_folder_is_its_own_in_a_shield(house, act, box):
    """Programs work as they are used to."""
    need(box)
    assert "escaped" == await outcome(box, house, act, str(house.folder / "notes.txt"))
    assert "I was here" == (house.folder / "notes.txt").read_text()


@each(["write"], (STRICT,))
async def test_its_own_folder_is_read_only_in_a_strict_box(house, act, box):
    """Other people's code leaves nothing."""
    need(box)
    assert "held" == await outcome(box, house, act, str(house.folder / "notes.txt"))
    assert ["own.txt"] == os.listdir(house.folder)


@each(["move_away"], (SHIELD, LANDLOCK))
async def test_a_folder_that_holds_the_results_is_not_moved(house, act, box):
    """Also where a bot's own folder holds the results some folders down."""
    need(box)
    deep = house.folder / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "arena.db").write_text("secret")
    await outcome(box, attrs.evolve(house, hidden=(deep,)), act, str(house.folder / "a"))
    assert (deep / "arena.db").exists()


WITHIN = ("a/x/bot.py", "a/y/bot.py", "a/z.py", "a/b/c.py", "a/b/d/bot.py")


@by_turns(["read", "write"])
async def test_all_that_is_hidden_in_its_own_folder_is(house, acts, box):
    """However many other bots lie in one folder of it, files or folders, at whatever depth."""
    need(box)
    for name in WITHIN:
        (house.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (house.folder / name).write_text("secret: 42")
    hidden = ("a/x", "a/y", "a/z.py", "a/b/c.py", "a/b/d", "a/b/d/bot.py")
    place = attrs.evolve(house, hidden=tuple(house.folder / name for name in hidden))
    await assert_held(box, place, [(act, str(house.folder / what)) for act in acts for what in WITHIN])
    assert {"secret: 42"} == {(house.folder / what).read_text() for what in WITHIN}


@each(["tune"], ALL)
async def test_no_settings_of_the_kernel(house, act, box):
    """Not even as root, whose user owns them."""
    need(box)
    assert "held" == await outcome(box, house, act)


@each(["keep_descriptor"], (*ALL, OFF))
async def test_nothing_is_left_open(house, act, box):
    """No file of the arena's is inherited."""
    need(box)
    assert "held" == await outcome(box, house, act)


# Other processes.

SPYING = ["see_environment", "see_command_line", "find_command_line", "read_memory", "trace", "see_files"]


HARM = ["stop", "kill"]
"""What is not tried on the process of the tests."""


@by_turns([*SPYING, "stop", "kill"])
async def test_other_bots_and_the_arena_are_out_of_reach(house, acts, box):
    """Their memory, environment, command lines and lives."""
    need(box)
    level, means = box
    with trio.fail_after(60):
        other = FileView(folder=house.folder.parent / "other", own=(house.folder.parent / "other",))
        async with (
            open_box(level, means=means) as opened,
            program(opened, other, "ignore", WORD, env={"WORD": WORD}) as victim,
        ):
            pids = [os.getpid(), victim.running.guard, *alive(WORD)]
            assert len(pids) >= 3
            for act, pid in product(acts, pids):
                if pid == os.getpid() and act in HARM:
                    continue  # let that be tried on others; `test_signals_to_the_arena` asks without harm
                async with program(opened, house, act, str(pid), WORD[::-1]) as said:
                    assert said.text.startswith("held"), (act, pid, said.text)
            assert not victim.running.ended.is_set()
            assert all(state_of(pid) not in "TZ" for pid in pids)


def state_of(pid: int) -> str:
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


@pytest.mark.parametrize("box", ALL, ids=ids)
async def test_signals_to_the_arena(house, box):
    """Signal 0 does nothing and says whether another one would have come through."""
    need(box)
    assert "held" == await outcome(box, house, "ask_for", str(os.getpid()))


# The network.


async def answering(listener: socket.socket) -> None:
    listener.setblocking(False)
    server = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    await trio.serve_listeners(lambda stream: stream.send_all(b"secret"), [server])


@pytest.mark.parametrize(("box", "expected"), [(STRICT, "held"), (SHIELD, "escaped"), (LANDLOCK, "escaped")])
async def test_the_network(house, box, expected):
    """A shield leaves it, a strict box has none, also not this machine's own."""
    need(box)
    async with trio.open_nursery() as nursery:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        nursery.start_soon(answering, listener)
        assert expected == await outcome(box, house, "connect", str(port))
        nursery.cancel_scope.cancel()


# The kernel.


@by_turns(list(ATTACKS))
async def test_attacks_on_the_kernels_side(house, monkeypatch, acts, box):
    """Those of `arena torture --box`: agents, terminals, devices, namespaces, calls of other architectures."""
    need(box)
    monkeypatch.chdir(house.folder)  # where the program is, too: a socket's path must be short
    with targets(Path("agent")) as target_of:
        tried = [(sys.executable, attacks.__file__, act, target_of(act)) for act in acts]
        await assert_held(box, attrs.evolve(house, read=(Path(attacks.__file__),)), tried)


# Too much of everything.


async def ended(box, place, act, *words, **more):
    """The program that was ended for using too much: how, and why."""
    level, means = box
    with trio.fail_after(30):
        place = attrs.evolve(place, is_writable=level != "strict")
        async with open_box(level, means=means) as opened:
            opened._tasks = 48
            async with program(opened, place, act, *words, **more) as said:
                await said.running.ended.wait()
                await said.running.kill()
                return said.running


@shared_out(["eat_memory", "eat_memory_together"], (*ALL, OFF))
async def test_memory_is_bounded(house, act, box):
    """Of all processes together; the reason says so."""
    need(box)
    running = await ended(box, house, act, memory_mb=96)
    assert "used more than 96 MB of memory" == running.excess


@each(["eat_memory", "eat_memory_together"], (OFF,))
async def test_memory_is_bounded_without_a_cgroup(house, act, box, without_cgroups):
    """By looking at the processes."""
    running = await ended(box, house, act, memory_mb=96)
    assert "used more than 96 MB of memory" == running.excess


@pytest.fixture
def without_cgroups(monkeypatch):
    """The keeper is a process of its own: what it imports is told where cgroups are not."""
    from arena.box import spawn

    stub = "import arena.box.kernel.cgroups as c; c.made_for = lambda *_: []; "
    monkeypatch.setattr(spawn, "_MAIN", stub + spawn._MAIN)


@each(["fork_without_end"], (*ALL, OFF))
async def test_forking_is_bounded(house, act, box):
    """And all of them are gone."""
    need(box)
    mark = secrets.token_hex(6)
    running = await ended(box, house, act, mark)
    assert "had more than 48 processes" == running.excess
    assert [] == alive(mark)


@each(["fork_without_end"], (OFF,))
async def test_forking_is_bounded_without_a_cgroup(house, act, box, without_cgroups):
    """A look four times a second is enough."""
    mark = secrets.token_hex(6)
    running = await ended(box, house, act, mark)
    assert "had more than 48 processes" == running.excess
    assert [] == alive(mark)


async def test_the_disk_is_not_filled(house):
    """In a strict box there are 64 MB for temporary files, and they are memory."""
    need(STRICT)
    folders = (str(house.folder), "/tmp", "/dev/shm", "/dev", "/", "/run", "/var/tmp")
    await assert_held(STRICT, house, [("fill", folder) for folder in folders])


@each(["one_large_file"], (SHIELD, LANDLOCK, OFF))
async def test_a_file_has_a_largest_size(house, act, box):
    """A log that runs away does not fill the disk."""
    need(box)
    assert "escaped" != (await outcome_or_end(box, house, act))


@each(["dig"], (LANDLOCK,))
async def test_temporary_files_are_removed_however_deep(house, act, box):
    """And the run comes to its end in order."""
    need(box)
    level, means = box
    with trio.fail_after(30):
        async with open_box(level, means=means) as opened, program(opened, house, act) as said:
            assert "escaped" == said.text.strip()
            assert any(opened._scratch.rglob("*"))
    assert not opened._scratch.exists()


async def outcome_or_end(box, place, act) -> str:
    level, means = box
    with trio.fail_after(30):
        async with open_box(level, means=means) as opened, program(opened, place, act) as said:
            return said.text.split()[0] if said.text else "ended"


# Afterwards.


@shared_out(["daemons", "ignore"], (*ALL, OFF))
async def test_nothing_outlives_its_match(house, act, box):
    """Daemons without parent, session or environment, nor what ignores SIGTERM."""
    need(box)
    mark = f"600.{secrets.randbits(40)}"
    level, means = box
    with trio.fail_after(30):
        async with open_box(level, means=means) as opened:
            async with program(opened, house, act, "20", mark):
                if act == "daemons":
                    with trio.fail_after(10):
                        while len(alive(mark)) < 20:  # noqa: ASYNC110
                            await trio.sleep(0.01)
            assert [] == alive(mark)


@shared_out(["stop_parent", "kill_parent"], (*ALL, OFF))
async def test_a_bot_that_turns_on_its_parent(house, act, box):
    """Stopped or killed: it is ended all the same, and others are started."""
    need(box)
    mark = f"600.{secrets.randbits(40)}"
    level, means = box
    with trio.fail_after(30):
        async with open_box(level, means=means) as opened:
            async with program(opened, house, "daemons", "3", mark), program(opened, house, act, mark):
                pass
            assert "escaped" == await reads_its_own(opened, house)
            with trio.fail_after(10):
                while alive(mark):  # noqa: ASYNC110
                    await trio.sleep(0.01)


async def reads_its_own(opened, place) -> str:
    async with program(opened, place, "read", str(place.folder / "own.txt")) as said:
        return said.text.split()[0]


@pytest.fixture(autouse=True)
def own_file(house):
    """Something that a bot may read."""
    (house.folder / "own.txt").write_text("secret, but its own")
