"""Stands in for a worker that is on the cluster: takes the run's orders, and has Dask tasks play them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from itertools import count
from math import inf
from pathlib import Path
from typing import TypeVar

import trio

from arena.cluster.batches import TaskPace, first_batch
from arena.cluster.parcels import Parcel
from arena.cluster.scheduler import Cluster, Lied, Lost
from arena.cluster.sessions import LOGS_BYTES_MAX, SessionSaid, taken_apart
from arena.cluster.tasks import (
    GAME,
    begin_session,
    close_session,
    end_session,
    keep_session,
    missing_parcels,
    open_session,
    play_orders,
    take_piece,
)
from arena.errors import ConfigError
from arena.tournament.play.logs import is_log
from arena.tournament.workers.messages import (
    BeginWork,
    DropMatches,
    FromRun,
    MatchesDropped,
    MatchOrder,
    PlayMatches,
    WantsMatches,
    WithdrawBot,
    WorkRefused,
    encoded,
)
from arena.tournament.workers.pipe import CutOff, Pipe
from arena.words import clipped, counted, printable

KEEP_S = 5.0
"""How often a session is told that the run is still there."""
PIECE_BYTES = 4_000_000
"""How much of a parcel one task carries."""
CLOSE_S = 8.0
"""How long a worker may take to end its bots and say goodbye."""
HOST_MAX, ENDING_MAX = 100, 300
"""How many characters are told of a host's name, and of how a worker ended."""
TOGETHER_S = 0.01
"""How long orders are gathered for one task."""

_NUMBERS = count(1)

T = TypeVar("T")


class StandIn:
    """Passes messages between the run, on a stream, and a session on one Dask worker."""

    def __init__(
        self,
        cluster: Cluster,
        worker: str,
        stream: trio.SocketStream,
        parcels: Mapping[str, Parcel],
        session: str,
        *,
        logs: Path,
        note_host: Callable[[str], None],
    ) -> None:
        """`parcels`: by the bots' names; `logs`: the folder into which logs are written at the end."""
        self._cluster, self._worker = cluster, worker
        self._pipe = Pipe[FromRun](stream, FromRun)
        self._parcels = parcels
        self._session = session
        self._logs = logs
        self._note_host = note_host
        self._pace = TaskPace()
        self._orders: deque[MatchOrder] = deque()
        self._news: list[WithdrawBot] = []
        """Withdrawals that the worker is told with the next orders."""
        self._in_flight = 0
        self._open: set[int] = set()
        """The numbers of the orders that tasks were given and that are not answered yet."""
        self._is_open = False
        """Whether the session was opened."""
        self._changed = trio.Event()
        self.ending = ""
        """How the worker ended, in words; empty if it ended as it should."""
        self.has_lied = False

    async def work(self) -> None:
        """Works until the run closes its end, or the worker is lost, which sets `ending`."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._notice_loss)
                await self._work()
                nursery.cancel_scope.cancel()
        except* Lost as lost:
            self.ending, self.has_lied = _first_words(lost), lost.subgroup(Lied) is not None
        except* (trio.BrokenResourceError, trio.ClosedResourceError, CutOff):
            pass  # the run has gone on without it
        except* ConfigError as mistakes:
            with trio.move_on_after(1):
                await self._pipe.send(WorkRefused(_first_words(mistakes)))
        finally:
            with trio.CancelScope(shield=True):
                await self._close()

    async def _notice_loss(self) -> None:
        """Raises Lost as soon as the Dask worker, or the session on it, is gone."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep)
            await self._cluster.gone(self._worker)
            raise Lost("was lost, as its Dask worker ended")

    async def _keep(self) -> None:
        while True:
            await trio.sleep(KEEP_S)
            if not self._is_open:
                continue
            if not await self._cluster.at_once(self._worker, keep_session, self._session):
                raise Lost("had forgotten this run")

    async def _work(self) -> None:
        await self._cluster.check_arena(self._worker)
        heard = await self._done("open", open_session, self._session)
        self._is_open = True
        self._note_host(printable(clipped(heard.host, HOST_MAX)))
        await self._pass_on(heard)
        begin = await self._pipe.receive()
        if not isinstance(begin, BeginWork):
            return  # the run refused this worker
        await self._send_parcels(begin)
        hashes = {bot: parcel.hash for bot, parcel in self._parcels.items()}
        threads = self._cluster.threads.get(self._worker, 1)
        await self._pass_on(
            await self._done("begin", begin_session, self._session, encoded(begin), hashes, threads)
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._play_all)
            while (said := await self._pipe.receive()) is not None:
                await self._take(said)
            nursery.cancel_scope.cancel()

    async def _take(self, said: FromRun) -> None:
        """Takes one message from the run."""
        match said:
            case PlayMatches(orders):
                self._orders.extend(orders)
            case DropMatches(numbers):
                dropped = frozenset(numbers)
                left_out = tuple(order.number for order in self._orders if order.number in dropped)
                self._orders = deque(order for order in self._orders if order.number not in dropped)
                if left_out:
                    await self._pipe.send(MatchesDropped(left_out))
            case WithdrawBot():
                self._news.append(said)
        self._changed.set()

    async def _play_all(self) -> None:
        async with trio.open_nursery() as nursery:
            while True:
                self._changed = trio.Event()
                await trio.sleep(TOGETHER_S)
                while size := first_batch(self._orders, self._pace, self._in_flight):
                    orders = tuple(self._orders.popleft() for _ in range(size))
                    self._in_flight += 1
                    nursery.start_soon(self._play, orders)
                await self._changed.wait()

    async def _play(self, orders: tuple[MatchOrder, ...]) -> None:
        """Has one task play these orders."""
        news, self._news = self._news, []
        octets = b"".join(map(_framed, (*news, PlayMatches(orders))))
        self._open.update(order.number for order in orders)
        heard = await self._done(
            f"series-{orders[0].series}",
            play_orders,
            self._session,
            octets,
            [order.number for order in orders],
        )
        self._in_flight -= 1
        if not 0 <= heard.took_s < inf:
            raise Lied("sent what is not a result (a time that is not one)")
        self._pace.note(len(orders), heard.took_s)
        await self._pass_on(heard)
        if self._open and not self._in_flight:  # what one task played may be told by the next
            raise Lied(f"sent what is not a result (without {counted(len(self._open), 'match')})")
        await self._pipe.send(WantsMatches(self._pace.ahead))
        self._changed.set()

    async def _pass_on(self, heard: SessionSaid) -> None:
        """Passes the worker's messages to the run.  Raises Lost if it is gone, Lied for anything else."""
        try:
            for _, answered in taken_apart(received := bytearray(heard.octets)):
                self._open -= answered
            if received:
                raise ValueError("the end came in the middle of a message")
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            raise Lied(f"sent what is not a result ({error})") from None
        if heard.octets:
            await self._pipe.pass_on(heard.octets)
        if heard.ending:
            raise Lost(printable(clipped(heard.ending, ENDING_MAX)))

    async def _send_parcels(self, begin: BeginWork) -> None:
        wanted = {
            parcel.hash: parcel
            for bot, parcel in self._parcels.items()
            if bot in begin.playing or bot == GAME
        }
        for hash in await self._done("bots", missing_parcels, sorted(wanted)):
            packed = wanted[hash].packed
            for at in range(0, len(packed), PIECE_BYTES):
                piece = packed[at : at + PIECE_BYTES]
                await self._done("bots", take_piece, self._session, hash, at, piece, len(packed))

    async def _done(self, what: str, act: Callable[..., T], *args: object) -> T:
        key = f"{what}-{self._session}-{next(_NUMBERS)}"
        return await self._cluster.done(self._worker, key, act, *args)

    async def _close(self) -> None:
        """Ends the session, if it was opened; its last messages go to the run, its logs into the folder."""
        if self._worker not in self._cluster.threads:
            return
        with trio.move_on_after(CLOSE_S):
            try:
                await self._cluster.at_once(self._worker, end_session, self._session)
                heard, logs = await self._done("close", close_session, self._session)
                await trio.to_thread.run_sync(write_logs, self._logs, logs)
                await self._pipe.pass_on(heard.octets)
            except (Lost, OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                pass


def write_logs(folder: Path, logs: Mapping[str, bytes]) -> None:
    """Writes logs from a cluster, which is not trusted: only those with the names and sizes of logs."""
    room = LOGS_BYTES_MAX
    for name, octets in logs.items():
        room -= len(octets)
        if is_log(name) and room >= 0:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(octets)


def _first_words(group: BaseExceptionGroup[BaseException]) -> str:
    """The text of the first error of a group, however deep it is."""
    first = group.exceptions[0]
    return _first_words(first) if isinstance(first, BaseExceptionGroup) else str(first)


def _framed(message: object) -> bytes:
    octets = encoded(message)
    return len(octets).to_bytes(4, "big") + octets
