"""What a server keeps while it runs: users, leagues, tables, their chat, and the moves of running matches.

A put returns at once; a thread commits what was put, in groups.  What is on the disk is always a beginning of
what was put, in its order: a match never has a later turn without the earlier ones, whatever fails.
When `kept` returns, the operating system has it: it survives `kill -9` of the server.  A power cut may cost
the commits since SQLite last synced its log to the disk (at the latest 4 MB ago), and damages nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import trio

from arena.errors import ArenaError, ConfigError
from arena.refusal import Refusal
from arena.server.kept.database import SENTENCES, held_folder, opened_database, transaction
from arena.server.limits import CHAT_KEPT
from arena.store.files import sentences
from arena.store.whereabouts import file_of
from arena.words import sized

GAP_S = 0.01
"""The pause between two commits.  What is put after a silence is committed at once."""
RETRY_S = 1.0
"""The wait after a commit that failed."""
LOST_S = 60.0
"""When to ask again once nothing is kept any more: somebody has to start the server anew."""
ENDING_S = 1.0
"""How long the last commits may take when the server ends, which it does within 2 s."""
WAITING_BYTES_MAX = 64 << 20
"""What may wait for a disk that is full or slow: some 50,000 turns."""
CHANGE_BYTES = 200
"""What a change takes beside its values."""

Change: TypeAlias = tuple[str, tuple[Any, ...]]
"""SQL and its values."""
InThread: TypeAlias = Callable[[Callable[[], None]], Awaitable[None]]


class NotKept(ArenaError):
    """What was done is in effect, but is not on the disk, and may be lost if the server ends."""


def not_kept() -> Refusal:
    """The refusal of something that is not kept.  It names no wait, as nobody must ask for it again."""
    why = "it is done, but the server cannot write it to its disk at the moment"
    return Refusal("unavailable", f"{why}: it is lost if the server ends before it can", key="not_kept")


@attrs.frozen
class KeptMatch:
    """A match that was running when the server ended."""

    id: str
    value: bytes
    turns: tuple[tuple[bytes, bytes], ...]
    """(moves, decisions) of each turn, from the first."""
    answers: Mapping[tuple[int, int], bytes]
    """(turn, seat) -> move, of turns that were not made yet."""


@contextmanager
def open_keeper(
    folder: Path, *, tell: Callable[[str], object], in_thread: InThread | None = None
) -> Iterator[Keeper]:
    """The keeper of a server's folder, which is made if it is missing, and held until the end.

    Raises ConfigError if another server has the folder, or its database is not one that this arena can read.
    `tell` is told when the disk begins to fail, and when it works again.  `in_thread`: tests in virtual time,
    which has no other threads, pass a function that calls its argument.
    """
    with held_folder(folder) as path:
        db = opened_database(path)
        keeper = Keeper(path, db, tell=tell, in_thread=in_thread)
        try:
            yield keeper
        finally:
            if not keeper.is_stuck:  # else closing would wait for the thread that is
                db.close()


@attrs.define(eq=False)
class _Promise:
    """Settled when puts are kept, or are not; whoever asks for that waits for it."""

    is_settled: trio.Event = attrs.field(factory=trio.Event)
    failure: str = ""

    def settle(self, failure: str = "") -> None:
        self.failure = failure
        self.is_settled.set()


class Keeper:
    """The open database of a server, from `open_keeper`; `run` writes what is put.

    Puts may come before `run` has started.  None of them blocks or raises: while the disk fails they wait for
    it, and `kept` raises NotKept.  If more waits than `WAITING_BYTES_MAX`, nothing is kept from there on.
    """

    def __init__(
        self, path: Path, db: sqlite3.Connection, *, tell: Callable[[str], object], in_thread: InThread | None
    ) -> None:
        self.path = path
        self.is_stuck = False
        """Whether a commit did not end when the server did."""
        self._db = db
        self._file = file_of(path)
        self._tell = tell
        self._in_thread: InThread = in_thread or partial(
            trio.to_thread.run_sync, limiter=trio.CapacityLimiter(1), abandon_on_cancel=True
        )
        self._waiting: list[Change] = []
        self._waiting_bytes = 0
        """The bytes of changes that wait or are being written."""
        self._promise = _Promise()
        """The promise for what waits; settled at the next commit, or its failure."""
        self._written: _Promise | None = None
        """The promise for what is being written."""
        self._failure = ""
        """Why the last commit failed; empty if it did not."""
        self._lost = ""
        """Why nothing is kept any more."""
        self._is_woken = trio.Event()
        self._is_ending = trio.Event()

    # What is kept.

    def put_user(self, name: str, value: bytes) -> None:
        self._put(("INSERT OR REPLACE INTO users VALUES (?, ?)", (name, value)))

    def put_table(self, table_id: str, value: bytes) -> None:
        self._put(("INSERT OR REPLACE INTO tables VALUES (?, ?)", (table_id, value)))

    def drop_table(self, table_id: str) -> None:
        """Forgets a table and its chat; its match is not forgotten."""
        self._put(
            ("DELETE FROM tables WHERE id = ?", (table_id,)),
            ("DELETE FROM chat WHERE table_id = ?", (table_id,)),
        )

    def put_chat(self, table_id: str, number: int, line: bytes) -> None:
        """Keeps the line with this number, and forgets the one that is `CHAT_KEPT` older."""
        self._put(
            ("INSERT OR REPLACE INTO chat VALUES (?, ?, ?)", (table_id, number, line)),
            ("DELETE FROM chat WHERE table_id = ? AND number <= ?", (table_id, number - CHAT_KEPT)),
        )

    def put_match(self, match_id: str, value: bytes) -> None:
        self._put(("INSERT OR REPLACE INTO matches VALUES (?, ?)", (match_id, value)))

    def put_answer(self, match_id: str, turn: int, seat: int, move: bytes) -> None:
        """Keeps what a seat answered before its turn is made."""
        self._put(("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (match_id, turn, seat, move)))

    def put_turn(self, match_id: str, turn: int, moves: bytes, decisions: bytes) -> None:
        """Keeps a turn that was made, in place of its answers; turns count from 0, and none is left out."""
        self._put(
            ("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?)", (match_id, turn, moves, decisions)),
            ("DELETE FROM answers WHERE match_id = ? AND turn <= ?", (match_id, turn)),
        )

    def drop_match(self, match_id: str) -> None:
        """Forgets a match with its turns and answers."""
        self._put(
            ("DELETE FROM matches WHERE id = ?", (match_id,)),
            ("DELETE FROM turns WHERE match_id = ?", (match_id,)),
            ("DELETE FROM answers WHERE match_id = ?", (match_id,)),
        )

    def put_league_row(self, league: str, kind: str, id: str, value: bytes) -> None:
        """Keeps a part of a league: its settings, an owner, a bot, a code or a line of its log."""
        self._put(("INSERT OR REPLACE INTO league_rows VALUES (?, ?, ?, ?)", (league, kind, id, value)))

    def drop_league_row(self, league: str, kind: str, id: str) -> None:
        self._put(("DELETE FROM league_rows WHERE league = ? AND kind = ? AND id = ?", (league, kind, id)))

    def drop_league(self, league: str) -> None:
        """Forgets all parts of a league."""
        self._put(("DELETE FROM league_rows WHERE league = ?", (league,)))

    # What was kept: to be read before `run` has started.

    def users(self) -> dict[str, bytes]:
        return dict(self._rows("SELECT name, value FROM users ORDER BY name"))

    def tables(self) -> dict[str, bytes]:
        return dict(self._rows("SELECT id, value FROM tables ORDER BY id"))

    def chat(self, table_id: str) -> list[tuple[int, bytes]]:
        """(number, line), in order."""
        return self._rows("SELECT number, line FROM chat WHERE table_id = ? ORDER BY number", table_id)

    def matches(self) -> Iterator[KeptMatch]:
        """The matches that were running."""
        for match_id, value in self._rows("SELECT id, value FROM matches ORDER BY id"):
            rows = self._rows("SELECT moves, decisions FROM turns WHERE match_id = ? ORDER BY turn", match_id)
            turns = tuple(rows)
            answers = self._rows("SELECT turn, seat, move FROM answers WHERE match_id = ?", match_id)
            yield KeptMatch(match_id, value, turns, {(turn, seat): move for turn, seat, move in answers})

    def league_rows(self) -> list[tuple[str, str, str, bytes]]:
        """(league, kind, id, value) of all leagues."""
        return self._rows("SELECT league, kind, id, value FROM league_rows ORDER BY league, kind, id")

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        with sentences(self.path, SENTENCES):
            return self._db.execute(sql, values).fetchall()

    # Whether it is kept.

    async def kept(self) -> None:
        """Returns once all that was put before is committed.

        Raises NotKept if the disk fails.  What was put is then tried again, and nothing of it is left out.
        """
        promise = self._promise if self._waiting else self._written
        if self._lost:
            raise NotKept(self._lost)
        if promise is None:
            await trio.lowlevel.checkpoint()
            return
        await promise.is_settled.wait()
        if promise.failure:
            raise NotKept(promise.failure)

    async def kept_or_refused(self) -> None:
        """The same for whoever asked for it: raises Refusal."""
        try:
            await self.kept()
        except NotKept:
            raise not_kept() from None

    def check(self) -> None:
        """Raises Refusal while the disk fails: to be asked before something is done that has to be kept."""
        if self._lost:
            why = "the server can keep nothing any more: it has to be started anew"
            raise Refusal("unavailable", why, key="disk", seconds=LOST_S)
        if self._failure or self._waiting_bytes > WAITING_BYTES_MAX // 2:
            why = f"the server cannot write to its disk at the moment: wait {RETRY_S:.0f} s, and try again"
            raise Refusal("unavailable", why, key="disk", seconds=RETRY_S)

    # How it is written.

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Writes what is put, until it is cancelled; then what still waits, for at most `ENDING_S`."""
        shield = trio.CancelScope(shield=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_all, shield)
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                shield.deadline = trio.current_time() + ENDING_S
                self._is_ending.set()
                self._is_woken.set()

    async def _write_all(self, shield: trio.CancelScope) -> None:
        with shield:
            while not self._is_ending.is_set() or self._waiting:
                if self._waiting:
                    await self._write_waiting()
                    if self._is_ending.is_set() and self._failure:
                        break  # it would fail again
                    with trio.move_on_after(RETRY_S if self._failure else GAP_S):
                        await self._is_ending.wait()
                else:
                    self._is_woken = trio.Event()
                    await self._is_woken.wait()
        self.is_stuck = shield.cancelled_caught
        self._lose("the server ended before its disk could be written")  # all that comes later, too
        if self._written:
            self._written.settle(self._lost)

    async def _write_waiting(self) -> None:
        """Commits all that waits in one transaction.  If it fails, all of it goes on waiting."""
        changes, self._waiting = self._waiting, []
        promise, self._promise = self._promise, _Promise()
        self._written = promise
        try:
            await self._in_thread(partial(self._commit, changes))
        except ConfigError as error:
            self._note_failure(str(error), changes)
        else:
            self._waiting_bytes -= sum(map(_size, changes))
            if self._failure and not self._lost:
                self._tell(f"{self.path} can be written again: nothing was lost")
            self._failure = ""
        self._written = None
        promise.settle(self._failure)

    def _commit(self, changes: list[Change]) -> None:
        if file_of(self.path) != self._file:  # which SQLite would not notice
            raise ConfigError(f"{self.path} was removed or moved away: put it back, or start the server anew")
        with sentences(self.path, SENTENCES), transaction(self._db):
            for sql, values in changes:
                self._db.execute(sql, values)

    def _note_failure(self, why: str, changes: list[Change]) -> None:
        if not self._lost:
            self._waiting = changes + self._waiting
            if not self._failure:
                self._tell(f"nothing is kept at the moment: {why}")
        self._failure = why

    def _put(self, *changes: Change) -> None:
        if self._lost:
            return
        self._waiting += changes
        self._waiting_bytes += sum(map(_size, changes))
        if self._waiting_bytes > WAITING_BYTES_MAX:
            self._lose(
                f"{self.path} keeps nothing any more, as {sized(WAITING_BYTES_MAX)} waited for the disk: "
                "start the server anew, which goes back to what was kept"
            )
            self._tell(self._lost)
        self._is_woken.set()

    def _lose(self, why: str) -> None:
        """Gives up: to leave out only some of what waits would tear matches apart."""
        self._lost = why
        self._waiting.clear()
        self._promise.settle(why)


def _size(change: Change) -> int:
    return CHANGE_BYTES + sum(len(value) for value in change[1] if isinstance(value, str | bytes))
