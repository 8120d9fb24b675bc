"""What a server keeps: in order, in groups, through kill -9 and through disks that fail."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
import trio

from arena.errors import ConfigError
from arena.refusal import Refusal
from arena.server.kept import database, keeping
from arena.server.kept.database import APPLICATION_ID
from arena.server.kept.keeping import GAP_S, RETRY_S, Keeper, KeptMatch, NotKept, open_keeper
from arena.server.limits import CHAT_KEPT


async def at_once(commit):
    """Stands for a thread, where time is virtual."""
    commit()


@asynccontextmanager
async def keeping_in(folder: Path, *, tell=print, in_thread=at_once) -> AsyncIterator[Keeper]:
    with open_keeper(folder, tell=tell, in_thread=in_thread) as keeper:
        async with trio.open_nursery() as nursery:
            await nursery.start(keeper.run)
            yield keeper
            nursery.cancel_scope.cancel()


class Disk:
    """A disk that fails when it is told to, and counts commits."""

    def __init__(self) -> None:
        self.fails = False
        self.commits = 0
        self.takes_s = 0.0

    async def __call__(self, commit) -> None:
        await trio.sleep(self.takes_s)
        if self.fails:
            raise ConfigError("the disk is full: make room for server.db")
        self.commits += 1
        commit()


def tables_in(folder: Path) -> dict[str, bytes]:
    with open_keeper(folder, tell=print) as keeper:
        return keeper.tables()


async def test_what_was_put_is_there_after_a_restart(tmp_path, autojump_clock):
    """Users, tables, chat, and a running match with its turns and the answers of the turn that is not made."""
    async with keeping_in(tmp_path) as keeper:
        keeper.put_user("ann", b"old")
        keeper.put_user("ann", b"scrypt")
        keeper.put_table("t1", b"table")
        keeper.put_table("t2", b"other")
        keeper.put_chat("t1", 0, b"hello")
        keeper.put_chat("t1", 1, b"there")
        keeper.put_chat("t2", 0, b"gone")
        keeper.drop_table("t2")
        keeper.put_match("m1", b"match")
        for turn in range(12):
            keeper.put_answer("m1", turn, 0, b"a")
            keeper.put_turn("m1", turn, b"moves %d" % turn, b"decisions %d" % turn)
        keeper.put_answer("m1", 12, 1, b"b")
        keeper.put_match("m2", b"over")
        keeper.put_turn("m2", 0, b"", b"")
        keeper.put_answer("m2", 1, 0, b"")
        keeper.drop_match("m2")
    with open_keeper(tmp_path, tell=print) as keeper:
        assert keeper.users() == {"ann": b"scrypt"}
        assert keeper.tables() == {"t1": b"table"}
        assert keeper.chat("t1") == [(0, b"hello"), (1, b"there")]
        assert keeper.chat("t2") == []
        turns = tuple((b"moves %d" % turn, b"decisions %d" % turn) for turn in range(12))
        assert list(keeper.matches()) == [KeptMatch("m1", b"match", turns, {(12, 1): b"b"})]
        for table in ("turns", "answers"):
            rows = keeper._rows(f"SELECT DISTINCT match_id FROM {table}")
            assert rows == [("m1",)], "nothing of a dropped match is left"


async def test_kept_returns_after_the_commit_of_all_that_was_put_before(tmp_path, autojump_clock):
    """What is put while a commit runs is in the next one, and who waits for it waits for that."""
    disk = Disk()
    disk.takes_s = 1.0
    async with keeping_in(tmp_path, in_thread=disk) as keeper:
        began = trio.current_time()
        await keeper.kept()
        assert trio.current_time() == began, "nothing was put"
        keeper.put_table("a", b"")
        await trio.sleep(0.5)
        keeper.put_table("b", b"")
        await keeper.kept()
        assert disk.commits == 2
        assert trio.current_time() == pytest.approx(began + 2.0 + GAP_S)
        keeper.put_table("c", b"")
        await trio.sleep(0.5)
        await keeper.kept()
        assert disk.commits == 3, "it waited for the commit that was running"


async def test_a_lonely_put_is_committed_at_once_and_many_in_groups_within_20_ms(tmp_path, autojump_clock):
    """A thousand puts within a second are a hundred commits, and nobody waits for longer than the gap."""
    disk = Disk()
    async with keeping_in(tmp_path, in_thread=disk) as keeper:
        await trio.sleep(1.0)
        began = trio.current_time()
        keeper.put_table("first", b"")
        await keeper.kept()
        assert trio.current_time() == began
        disk.commits = 0
        longest = 0.0
        for number in range(1000):
            await trio.sleep(0.001)
            keeper.put_chat("t", number, b"")
            if number % 50 == 0:
                put_at = trio.current_time()
                await keeper.kept()
                longest = max(longest, trio.current_time() - put_at)
        assert longest <= 0.02
        assert disk.commits <= 110


async def test_chat_is_bounded(tmp_path, autojump_clock):
    """The oldest line goes when a new one comes."""
    async with keeping_in(tmp_path) as keeper:
        for number in range(CHAT_KEPT + 5):
            keeper.put_chat("t", number, b"")
        await keeper.kept()
        lines = keeper.chat("t")
        assert [number for number, _ in lines] == list(range(5, CHAT_KEPT + 5))


# Disks that fail.


async def test_a_full_disk_is_told_once_and_costs_nothing_once_there_is_room(tmp_path, autojump_clock):
    """While it is full, `kept` raises one sentence and `check` refuses; afterwards everything is there."""
    told: list[str] = []
    disk = Disk()
    async with keeping_in(tmp_path, tell=told.append, in_thread=disk) as keeper:
        disk.fails = True
        keeper.check()
        for turn in range(3):
            keeper.put_turn("m", turn, b"moves", b"decisions")
            with pytest.raises(NotKept, match="the disk is full: make room for"):
                await keeper.kept()
        with pytest.raises(Refusal, match="cannot write to its disk") as refusal:
            keeper.check()
        assert (refusal.value.status, refusal.value.key, refusal.value.seconds) == (503, "disk", RETRY_S)
        await trio.sleep(10.0)
        assert told == ["nothing is kept at the moment: the disk is full: make room for server.db"]
        disk.fails = False
        keeper.put_match("m", b"match")
        await keeper.kept()
        keeper.check()
        assert told[1:] == [f"{tmp_path / 'server.db'} can be written again: nothing was lost"]
    with open_keeper(tmp_path, tell=print) as keeper:
        assert [len(match.turns) for match in keeper.matches()] == [3]


async def test_what_failed_is_written_before_what_came_meanwhile(tmp_path, autojump_clock):
    """The later value of the same table stays."""
    disk = Disk()
    disk.takes_s, disk.fails = 0.5, True
    async with keeping_in(tmp_path, tell=lambda sentence: None, in_thread=disk) as keeper:
        keeper.put_table("t", b"earlier")
        await trio.sleep(0.1)
        keeper.put_table("t", b"later")
        await trio.sleep(0.5)
        disk.fails = False
        await keeper.kept()
    assert tables_in(tmp_path) == {"t": b"later"}


async def test_a_real_full_database_is_rolled_back_and_tried_again(tmp_path, autojump_clock):
    """SQLite's own error: the group is left out whole, and comes once there is room."""
    async with keeping_in(tmp_path, tell=lambda sentence: None) as keeper:
        keeper.put_table("a", b"")
        await keeper.kept()
        keeper._db.execute("PRAGMA max_page_count = 20")
        keeper.put_table("b", b"")
        keeper.put_table("c", bytes(200_000))
        with pytest.raises(NotKept, match=r"the disk is full: make room for .*server\.db"):
            await keeper.kept()
        assert list(keeper.tables()) == ["a"]
        keeper._db.execute("PRAGMA max_page_count = 100000")
        keeper.put_table("d", b"")
        await keeper.kept()
        assert list(keeper.tables()) == ["a", "b", "c", "d"]


async def test_a_folder_that_was_moved_away_is_noticed(tmp_path, autojump_clock):
    """SQLite would go on writing into a file that nobody finds again."""
    folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    async with keeping_in(folder, tell=lambda sentence: None) as keeper:
        folder.rename(elsewhere)
        keeper.put_table("a", b"")
        with pytest.raises(NotKept, match=r"server\.db was removed or moved away"):
            await keeper.kept()
        elsewhere.rename(folder)
        keeper.put_table("b", b"")
        await keeper.kept()
    assert list(tables_in(folder)) == ["a", "b"]


async def test_what_waits_is_bounded_and_what_is_kept_is_a_beginning(tmp_path, autojump_clock, monkeypatch):
    """Past the bound nothing more is kept: never a later turn without the earlier ones."""
    monkeypatch.setattr(keeping, "WAITING_BYTES_MAX", 1 << 20)
    told: list[str] = []
    disk = Disk()
    async with keeping_in(tmp_path, tell=told.append, in_thread=disk) as keeper:
        keeper.put_turn("m", 0, b"", b"")
        await keeper.kept()
        disk.fails = True
        for turn in range(1, 500):
            keeper.put_turn("m", turn, bytes(10_000), b"")
            await trio.sleep(0.1)
        assert len(keeper._waiting) == 0
        disk.fails = False
        keeper.put_turn("m", 500, b"", b"")
        with pytest.raises(NotKept, match="start the server anew, which goes back to what was kept"):
            await keeper.kept()
        with pytest.raises(Refusal):
            keeper.check()
        await trio.sleep(10.0)
    assert len(told) == 2, told
    with open_keeper(tmp_path, tell=print) as keeper:
        keeper.put_match("m", b"")
        turns = [turn for (turn,) in keeper._rows("SELECT turn FROM turns ORDER BY turn")]
        assert turns == [0]


async def test_the_end_writes_what_waits_but_does_not_wait_for_ever(tmp_path, autojump_clock):
    """A disk that hangs ends with the server, within its limit; who waits for it is told."""
    disk = Disk()
    disk.takes_s = 0.5
    async with keeping_in(tmp_path / "slow", in_thread=disk) as keeper:
        keeper.put_table("a", b"")
    assert list(tables_in(tmp_path / "slow")) == ["a"]

    disk.takes_s = 1e6
    failures: list[str] = []

    async def wait() -> None:
        with pytest.raises(NotKept) as error:
            await keeper.kept()
        failures.append(str(error.value))

    async with trio.open_nursery() as nursery:
        began = trio.current_time()
        async with keeping_in(tmp_path / "stuck", in_thread=disk) as keeper:
            keeper.put_table("a", b"")
            nursery.start_soon(wait)
            await trio.sleep(0.1)
    assert trio.current_time() - began < 2.0
    assert failures == ["the server ended before its disk could be written"]
    assert keeper.is_stuck
    keeper._db.close()


# Whose folder it is.


def test_the_database_is_private_from_its_first_byte(tmp_path, monkeypatch):
    """So are the files that SQLite puts beside it, whatever the umask; the folder is its owner's alone."""
    monkeypatch.setattr(database, "make_private", lambda path: None)  # it must not be needed
    before = os.umask(0)
    try:
        with open_keeper(tmp_path / "data", tell=print) as keeper:
            keeper._commit([("INSERT INTO users VALUES (?, ?)", ("ann", b""))])
            modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").iterdir()}
    finally:
        os.umask(before)
    assert {modes[name] for name in ("server.db", "server.db-wal", "server.db-shm")} == {0o600}
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_a_database_that_others_may_read_is_made_private(tmp_path):
    """A copy that was put back, for instance."""
    with open_keeper(tmp_path, tell=print):
        pass
    (tmp_path / "server.db").chmod(0o644)
    with open_keeper(tmp_path, tell=print):
        assert (tmp_path / "server.db").stat().st_mode & 0o777 == 0o600


def test_two_servers_never_share_a_folder(tmp_path):
    """The second one is told which process has it; afterwards the folder is free."""
    sentence = rf"another server \(process {os.getpid()}\) has its tables in"
    with (
        open_keeper(tmp_path, tell=print),
        pytest.raises(ConfigError, match=sentence),
        open_keeper(tmp_path, tell=print),
    ):
        pytest.fail("two servers in one folder")
    with open_keeper(tmp_path, tell=print):
        pass


def write(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        pytest.param(
            (f"PRAGMA application_id = {APPLICATION_ID}", "PRAGMA user_version = 99"),
            r"server\.db was written by a newer arena \(version 99; this one knows 1\): update this one",
            id="newer",
        ),
        pytest.param(
            ("CREATE TABLE theirs (x)",), r"server\.db is not the database of a server", id="foreign"
        ),
    ],
)
def test_a_database_that_is_not_ours_to_read_is_refused_and_left_alone(tmp_path, statements, sentence):
    """One sentence, and not a byte changes."""
    path = tmp_path / "server.db"
    write(path, *statements)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=sentence) as error, open_keeper(tmp_path, tell=print):
        pytest.fail("opened")
    assert "\n" not in str(error.value)
    assert before == path.read_bytes()


def test_a_damaged_database_is_refused(tmp_path):
    """Half a file, or no database at all."""
    path = tmp_path / "server.db"
    path.write_text("this is a letter to my aunt" * 100)
    with pytest.raises(ConfigError, match=r"server\.db is not a database"), open_keeper(tmp_path, tell=print):
        pytest.fail("opened")
    path.unlink()
    with open_keeper(tmp_path, tell=print) as keeper:
        rows = [("INSERT INTO users VALUES (?, ?)", (f"user {number}", bytes(500))) for number in range(200)]
        keeper._commit(rows)
    whole = path.read_bytes()
    path.write_bytes(whole[:40_000] + bytes(4096) + whole[44_096:])
    with pytest.raises(ConfigError, match=r"server\.db is damaged"), open_keeper(tmp_path, tell=print):
        pytest.fail("opened")


# kill -9.

CHILD = """
import sys
from pathlib import Path
import trio
from arena.server.kept.keeping import open_keeper

async def main(folder, first):
    with open_keeper(Path(folder), tell=print) as keeper:
        async with trio.open_nursery() as nursery:
            await nursery.start(keeper.run)
            for seat in range(20):
                nursery.start_soon(play, keeper, first, seat)

async def play(keeper, first, seat):
    match = f"{first}-{seat}"
    keeper.put_match(match, b"match")
    for turn in range(1_000_000):
        keeper.put_turn(match, turn, b"%d" % turn, bytes(100))
        await keeper.kept()
        sys.stdout.write(f"{match} {turn}\\n")
        sys.stdout.flush()

trio.run(main, sys.argv[1], sys.argv[2])
"""


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_by_kill_9(tmp_path):
    """Ten servers are killed in mid-commit; whatever each of them said is kept is there, and no turn is left out."""
    rng = random.Random(9)
    acknowledged: dict[str, int] = {}
    for life in range(10):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path), str(life)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for _ in range(rng.randrange(1, 300)):
            match, turn = child.stdout.readline().split()
            acknowledged[match] = int(turn)
        child.send_signal(signal.SIGKILL)
        rest, _ = child.communicate()
        for line in rest.splitlines():
            match, turn = line.split()
            acknowledged[match] = int(turn)
    with open_keeper(tmp_path, tell=print) as keeper:
        kept = {match.id: match.turns for match in keeper.matches()}
    assert len(acknowledged) >= 150
    for match, turn in acknowledged.items():
        moves = [int(moves) for moves, _ in kept[match]]
        assert moves == list(range(len(moves)))
        assert len(moves) > turn, match


def test_a_database_without_the_tables_that_came_later(tmp_path):
    """It gets them, and keeps all that it has."""
    with open_keeper(tmp_path, tell=print):
        pass
    with closing(sqlite3.connect(tmp_path / "server.db")) as db, db:
        db.execute("INSERT INTO users VALUES ('ann', x'00')")
        db.execute("DROP TABLE league_rows")
    db.close()
    with open_keeper(tmp_path, tell=print) as keeper:
        assert ({"ann": b"\0"}, []) == (keeper.users(), keeper.league_rows())
