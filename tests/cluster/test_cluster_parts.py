"""Parts of runs on a cluster, each by itself: addresses, versions, the size of tasks, parcels, turns, places."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading

import attrs
import pytest
import trio
import trio.testing
from calls import call
from crews import enlisting, play_with
from tournaments import program

from arena.cli.mistakes import the_mistake_in
from arena.cluster.address import checked_address
from arena.cluster.batches import TaskPace, first_batch
from arena.cluster.enlisting import ALONE_S, Enlisting
from arena.cluster.homes import cache, home_of, is_kept, keep_piece, locked, tidy_up
from arena.cluster.parcels import at_home_in, parcel_of, unpack_into
from arena.cluster.scheduler import open_cluster, other_arena, other_version
from arena.cluster.sessions import Turns
from arena.cluster.tasks import room_wanted
from arena.errors import ConfigError, unwritable
from arena.tournament.bots.fingerprints import fingerprint
from arena.tournament.play.calibration import too_different
from arena.tournament.workers import briefing
from arena.tournament.workers.hiring import Hiring

ADDRESSES = {
    "tcp://127.0.0.1:8786": None,
    "tcp://localhost:8786": None,
    "tcp://[::1]:8786": None,
    "tls://192.0.2.7:8786": None,
    "tcp://192.0.2.7:8786": "can run any code on all its workers: expected tls://",
    "tcp://0.0.0.0:8786": "expected tls://",
    "192.0.2.7:8786": "expected tcp://HOST:PORT or tls://HOST:PORT",
    "http://localhost:8786": "expected tcp://HOST:PORT",
    "tcp://localhost:99999": "expected tcp://HOST:PORT",
    "tcp://localhost": "expected tcp://HOST:PORT",
}


@pytest.mark.parametrize(("address", "told"), ADDRESSES.items(), ids=ADDRESSES)
def test_a_plain_scheduler_is_used_on_this_machine_only(address, told):
    """Whoever reaches it has code run; what is no address is told as well."""
    if told is None:
        checked_address(address, is_trusted=False)
    else:
        with pytest.raises(ConfigError, match=told):
            checked_address(address, is_trusted=False)
    if address.startswith("tcp://192"):
        checked_address(address, is_trusted=True)


@pytest.mark.parametrize("command", ["run", "compare"])
def test_commands_that_play_take_a_cluster(command, tmp_path, capsys, monkeypatch):
    """Both refuse what cannot be used, in the same words."""
    monkeypatch.chdir(tmp_path)
    play = (command, "truthful", "random", "--out", "out")
    code, _, said = call(capsys, monkeypatch, *play, "--cluster", "tcp://192.0.2.7:8786")
    assert 2 == code
    assert "expected tls://; --trusted-network is for" in said
    code, _, said = call(capsys, monkeypatch, *play, "--calibrate")
    assert 2 == code
    assert "--calibrate compares workers with this machine: add --workers or --cluster" in said
    code, _, said = call(capsys, monkeypatch, *play, "--trusted-network")
    assert 2 == code
    assert "--trusted-network is about the scheduler of --cluster" in said


async def test_without_dask_the_extra_is_named(monkeypatch):
    """One sentence says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r'pip install "bot-arena\[cluster\]"'):
        async with open_cluster("tcp://127.0.0.1:9", is_trusted=False):
            pass


@pytest.mark.slow
async def test_a_scheduler_that_is_not_there_is_told_with_the_reason():
    """Dask itself would say that it has waited."""
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    with pytest.raises(
        ConfigError, match=r"no Dask scheduler answers there within 0\.3 s \(Connection refused\)"
    ):
        async with open_cluster(f"tcp://127.0.0.1:{free}", is_trusted=False, connect_s=0.3):
            pass


@pytest.mark.slow
def test_versions_are_compared():
    """Of Dask, of Python and of the arena, with what is expected."""
    pytest.importorskip("distributed")
    from distributed.versions import get_versions

    ours = get_versions()
    assert other_version(ours) is None
    older = {**ours, "packages": {**ours["packages"], "distributed": "1.0"}}
    assert "runs Dask 1.0, expected " in str(other_version(older))
    snake = {**ours, "host": {**dict(ours["host"]), "python": "3.8.1.final.0"}}
    assert "runs Python 3.8, expected " in str(other_version(snake))
    assert "has no arena, expected " in str(other_arena(""))
    assert "has version 9.9 of the arena, expected " in str(other_arena("9.9"))


@attrs.frozen
class Order:
    series: str


def orders(*sizes):
    return [Order(str(number)) for number, size in enumerate(sizes) for _ in range(size)]


def test_a_task_takes_seconds_and_ends_with_a_series():
    """The first is as small as can be; then what matches took says how many there are."""
    pace = TaskPace()
    assert 1 == first_batch(orders(2, 2), pace, 0)
    pace.note(1, 1.0)
    assert 4 == pace.wanted
    assert 6 == first_batch(orders(3, 3, 3), pace, 0)
    assert 10 == first_batch(orders(100), pace, 0), "a long series is divided"
    assert 2 == first_batch(orders(2), pace, 0), "who has nothing to play gets what there is"
    assert 0 == first_batch(orders(2), pace, 1), "who plays waits for a whole task"
    assert 4 == first_batch(orders(4), pace, 1)
    assert 0 == first_batch(orders(100), pace, 2), "two at once are enough"


@pytest.fixture
def bot(tmp_path, monkeypatch):
    """A bot with two files, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "bot"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "table.txt").write_text("1 2 3")
    (folder / "run.sh").write_text("exit 3")
    (folder / "run.sh").chmod(0o755)
    entrant = program("ann", folder=folder)
    return attrs.evolve(entrant, fingerprint=fingerprint(entrant))


def arrived(entrant):
    """Brought by a session whose tasks run twice, and meanwhile by one that is lost."""
    parcel = parcel_of(entrant)
    size = len(parcel.packed)
    for at in range(0, size, size // 3):
        assert not is_kept(parcel.hash)
        for session in ("ann", "ann", "bob")[: 3 if at < size // 2 else 2]:
            keep_piece(parcel.hash, at, parcel.packed[at : at + size // 3], size, by=session)
    assert is_kept(parcel.hash)
    return parcel.hash


@pytest.mark.slow
def test_what_nobody_wants_is_removed_however_deep_it_is(bot):
    """A bot may nest folders deeper than Python calls itself."""
    place = cache() / arrived(bot)
    (deep := place / "1").mkdir()
    here = os.open(deep, os.O_RDONLY)
    for _ in range(sys.getrecursionlimit()):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    os.utime(place, (0, 0))
    tidy_up()
    assert not place.exists()


def test_a_bot_is_the_same_where_it_arrives(bot):
    """By its fingerprint, with its programs; one whose files were changed there is made anew, or gets another home."""

    def is_whole(home):
        return fingerprint(at_home_in(bot, home)) == bot.fingerprint

    hash = arrived(bot)
    with locked([hash, hash]):
        home, lock = home_of(hash, is_whole)
        assert is_whole(home)
        assert os.access(home / "run.sh", os.X_OK)
        (home / "memory").write_text("learned")
        other, other_lock = home_of(hash, is_whole)
        assert [cache() / hash / "1", cache() / hash / "2"] == [home, other]
        os.close(other_lock)
        os.close(lock)
        again, lock = home_of(hash, is_whole)
        assert home == again
        assert is_whole(home)
        os.close(lock)


def test_what_is_no_parcel_is_not_unpacked(tmp_path, bot):
    """Nor do names lead out of its folder; and a bot that needs files elsewhere cannot travel."""
    import zlib

    import msgspec

    wicked = zlib.compress(msgspec.msgpack.encode([("../out", False, b"")]))
    with pytest.raises(ValueError, match=r"\.\./out"):
        unpack_into(tmp_path / "bot", wicked)
    with pytest.raises(ConfigError, match="cannot be taken to a cluster"):
        parcel_of(attrs.evolve(bot, files=(tmp_path / "elsewhere.py",)))


def test_a_submission_takes_no_file_of_the_host_along(tmp_path, bot):
    """A link out of its folder would bring the host's file to a worker as the bot's own; one within it stays."""
    (tmp_path / "key").write_text("the host's")
    (bot.folder / "key").symlink_to(tmp_path / "key")
    (bot.folder / "same").symlink_to(bot.folder / "run.sh")
    for is_submission in (True, False):
        parcel = parcel_of(attrs.evolve(bot, is_submission=is_submission))
        unpack_into(tmp_path / parcel.hash, parcel.packed)
        names = {path.name for path in (tmp_path / parcel.hash).iterdir()}
        assert {"inner", "run.sh", "same"} | (set() if is_submission else {"key"}) == names


def test_sessions_of_a_dask_worker_take_turns():
    """Two tasks of one may overlap; another one's waits until they are over, and then nobody overtakes it."""
    turns, order = Turns(), []

    def play(name):
        with turns.turn(name):
            order.append(name)

    with turns.turn("ann"), turns.turn("ann"):
        threads = [threading.Thread(target=play, args=(name,)) for name in ("bob", "ann")]
        for waiting, thread in enumerate(threads, 1):
            thread.start()
            while len(turns._waiting) < waiting and not order:
                pass
        assert [] == order
    for thread in threads:
        thread.join()
    assert ["bob", "ann"] == order


@attrs.define
class Someone:
    threads: dict
    changed: trio.Event
    address: str = "tcp://127.0.0.1:8786"


async def test_places_wait_for_workers_and_share_them(autojump_clock):
    """A place waits with a message if there is none; one that has lost its own shares one after a short time."""
    told = []
    cluster = Someone({}, trio.Event())
    enlisting = Enlisting(cluster, None, {}, told.append)
    async with trio.open_nursery() as nursery:
        found = []

        async def find():
            found.append(await enlisting._found("worker 1"))

        nursery.start_soon(find)
        await trio.sleep(100)
        assert [] == found
        assert ["tcp://127.0.0.1:8786 has no workers: waiting for one (Ctrl-C keeps what is done)"] == told
        cluster.threads, before = {"a": 1}, cluster.changed
        cluster.changed = trio.Event()
        before.set()
    assert ["a"] == found
    enlisting._places["a"] += 1
    enlisting._had.add("worker 2")
    began = trio.current_time()
    with trio.fail_after(100):
        assert "a" == await enlisting._found("worker 2")
    assert ALONE_S == trio.current_time() - began


def test_a_full_disk_is_told_with_host_and_file(bot, tmp_path, monkeypatch):
    """Where Dask's side of a worker writes; half a parcel is not left there."""
    monkeypatch.setattr("platform.node", lambda: "host7")
    parcel = parcel_of(bot)
    came, unpacked = cache() / parcel.hash / "packed.ann", tmp_path / "home" / "run.sh"
    for path in (came, unpacked):
        path.parent.mkdir(parents=True)
        path.symlink_to("/dev/full")  # the system's error of a write names no file
    for path, write in (
        (came, lambda: keep_piece(parcel.hash, 0, parcel.packed, len(parcel.packed), by="ann")),
        (unpacked, lambda: unpack_into(unpacked.parent, parcel.packed)),
    ):
        with pytest.raises(ConfigError) as raised:
            room_wanted(write)()
        assert f"the disk is full on host7 ({path}): make room there" in str(raised.value)
    assert not came.is_symlink()
    assert not is_kept(parcel.hash)


def no_room(path=None):
    return OSError(errno.ENOSPC, "No space left on device", path)


def known(path, error):
    """As a log says it."""
    full = unwritable(path, error)
    full.__cause__ = error
    return full


LOG = "logs/ann-1.log"
FULL = {
    "the system": no_room(LOG),
    "a log": known(LOG, no_room()),
    "a record": known(LOG, no_room("ann-1.log")),
}


@pytest.mark.parametrize("error", FULL.values(), ids=FULL)
async def test_a_worker_with_a_full_disk_ends_the_run_in_a_sentence(tmp_path, monkeypatch, error):
    """With its host, the file and what to do, and no traceback."""

    def full(*_):
        raise error

    monkeypatch.setattr("arena.tournament.workers.serve.what_is_there", full)
    with pytest.raises((ConfigError, BaseExceptionGroup)) as raised:
        await play_with(tmp_path)
    error = raised.value
    told = str(the_mistake_in(error) if isinstance(error, BaseExceptionGroup) else error)
    assert "cannot play: the disk is full on " in told
    assert "(logs/ann-1.log): make room there" in told


PACES = {5.0: None, 6.2: None, 3.8: None, 6.5: "6.50 ms there and 5.00 ms here, 30% more", 3.0: "40% less"}


@pytest.mark.parametrize(("there", "told"), PACES.items())
def test_a_worker_may_be_a_quarter_off(there, told):
    """Slower or faster; what is more is told with both figures."""
    found = too_different(there, 5.0)
    assert found is None if told is None else told in found


@pytest.mark.slow
async def test_a_slow_worker_is_refused_when_calibrating(tmp_path, monkeypatch):
    """Before a match is played; without --calibrate nobody looks."""
    monkeypatch.setattr(briefing, "quickest_loop_ms", lambda: 1000.0)
    await play_with(tmp_path / "as ever")
    with pytest.raises((ConfigError, BaseExceptionGroup)) as raised:
        await play_with(tmp_path / "calibrated", hiring=Hiring(enlisting(), calibrates=True))
    error = raised.value
    assert "is not as fast as this machine: a fixed loop takes 1000.00 ms there" in str(
        the_mistake_in(error) if isinstance(error, BaseExceptionGroup) else error
    )
