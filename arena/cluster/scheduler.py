"""A Dask cluster as a run sees it: its scheduler, its workers, and tasks for one of them.

This is the only module that talks to Dask, whose client has an event loop in a thread of its own.  What the
cluster sends is not trusted (`unread.py`): results are bytes (`answers.py`).
"""

from __future__ import annotations

import asyncio
import logging
import platform
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

import trio

from arena.cluster.address import checked_address, why_unreachable
from arena.cluster.answers import in_bytes, result_in
from arena.cluster.unread import NotAResult, client_at, octets_in, open_nothing, text_in
from arena.errors import ConfigError
from arena.words import clipped, printable

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S = 10.0
"""How long a scheduler may take to answer."""
LOOK_S = 0.5
"""How often the scheduler is asked which workers it has (s)."""
PATIENCE_S = 15.0
"""How long the scheduler may be silent before it counts as lost."""

PACKAGE = "bot-arena"

T = TypeVar("T")


class Lost(Exception):
    """A Dask worker is gone, or has nothing of ours any more: what it was to do must be done again."""


class Lied(Lost):
    """A Dask worker sent what is not a result: it gets no place any more."""


class Cluster:
    """A connection to the scheduler."""

    def __init__(self, address: str, client: Client) -> None:
        self.address = address
        self._client = client
        self.threads: Mapping[str, int] = {}
        """The address of each Dask worker -> how many tasks it does at once."""
        self.changed = trio.Event()
        """Set when a worker has come or gone; then replaced by a new event."""

    async def look(self) -> None:
        """Looks which workers there are.  Raises OSError, or what Dask raises, if nobody answers."""
        there: dict[str, int] = await trio.to_thread.run_sync(self._client.nthreads, abandon_on_cancel=True)
        there = {worker: threads for worker, threads in there.items() if type(threads) is int}
        if there != self.threads:
            self.threads = there
            self.changed.set()
            self.changed = trio.Event()

    async def watch(self) -> None:
        """Looks again and again which workers there are.  Raises ConfigError if the scheduler is lost."""
        answered_at = trio.current_time()
        while True:
            await trio.sleep(LOOK_S)
            with trio.move_on_after(PATIENCE_S), suppress(Exception):  # Dask raises all sorts of errors
                await self.look()
                answered_at = trio.current_time()
            if deafness := self._client.deafness:
                raise ConfigError(
                    f"{self.address}: the scheduler sent what is not understood ({_brief(deafness)}); "
                    "what was played is kept"
                )
            if trio.current_time() > answered_at + PATIENCE_S:
                raise ConfigError(
                    f"{self.address}: the scheduler is gone; what was played is kept, and the same command "
                    "plays on once it is back"
                )

    async def gone(self, worker: str) -> None:
        """Waits until this Dask worker is gone."""
        while worker in self.threads:
            await self.changed.wait()

    async def done(self, worker: str, key: str, act: Callable[..., T], *args: object) -> T:
        """Has a Dask worker do a task; returns its result.  Raises Lost, Lied, or ConfigError from `act`."""
        token = trio.lowlevel.current_trio_token()
        ended = trio.Event()

        def tell(future: object) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(ended.set)

        future: Future = self._client.submit(
            in_bytes, act, *args, key=key, workers=[worker], allow_other_workers=False, retries=0, pure=False
        )
        try:
            future.add_done_callback(tell)
            await ended.wait()
            if future.status == "error":
                raise Lied("sent what is not a result (its task failed)")
            # One result at a time: Dask's own `gather` would answer all that wait together.
            told = await self._asked(self._client.scheduler.gather, keys=[key])
            return self._read(act, lambda: told["data"][key])
        finally:
            future.release()  # the scheduler forgets it, and the worker its result

    async def at_once(self, worker: str, act: Callable[..., T], *args: object) -> T:
        """Calls a function that takes no time in the event loop of a Dask worker; returns its result.

        Raises as `done`.
        """
        told = await self._run(worker, in_bytes, act, *args)
        return self._read(act, lambda: told[worker]["result"])

    async def check_arena(self, worker: str) -> None:
        """Raises ConfigError if this Dask worker has no arena, or another version of it; and Lost."""
        told = await self._run(worker, version, PACKAGE)
        if worker not in told:
            raise Lost("was lost")
        if (why := other_arena(arena_in(told[worker]))) is not None:
            raise ConfigError(why)

    async def _run(self, worker: str, act: Callable[..., object], *args: object) -> Mapping[str, Any]:
        """Calls a function in a worker's event loop; returns the unread answer, by the worker's address."""
        from distributed.protocol.pickle import dumps

        call = {"op": "run", "function": dumps(act), "args": dumps(args), "kwargs": dumps({}), "wait": True}
        told: Mapping[str, Any] = await self._asked(
            self._client.scheduler.broadcast, msg=call, workers=[worker], on_error="ignore"
        )
        return told

    async def _asked(self, ask: Callable[..., Any], **words: object) -> Any:
        """Asks the scheduler; returns its answer.  Raises Lost."""
        try:
            return await trio.to_thread.run_sync(
                partial(self._client.sync, ask, **words), abandon_on_cancel=True
            )
        except Exception as error:  # whatever Dask raises about a worker that is just leaving
            raise Lost(f"was lost ({_told(error)})") from error

    def _read(self, act: Callable[..., T], found: Callable[[], object]) -> T:
        """What the function returned; `found` takes that out of an answer.  Raises what `done` raises."""
        try:
            sent = found()
        except (LookupError, TypeError):
            raise Lost("was lost") from None  # the scheduler has no result from the worker any more
        try:
            result: T = result_in(octets_in(sent), act)
            return result
        except NotAResult as error:
            raise Lied(f"sent what is not a result ({error})") from None
        except RuntimeError as error:  # `act` failed on the worker
            raise Lost(f"was lost ({error})") from None


@asynccontextmanager
async def open_cluster(
    address: str, *, is_trusted: bool, connect_s: float = CONNECT_S
) -> AsyncIterator[Cluster]:
    """Connects to a cluster, and watches it.  Raises ConfigError if no scheduler that fits answers there."""
    await trio.to_thread.run_sync(partial(checked_address, address, is_trusted=is_trusted))
    client = await trio.to_thread.run_sync(_connected, address, connect_s)
    try:
        await trio.to_thread.run_sync(_check_versions, address, client)
        cluster = Cluster(address, client)
        await cluster.look()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cluster.watch)
            try:
                yield cluster
            finally:
                nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(connect_s), suppress(Exception):
            await trio.to_thread.run_sync(partial(client.close, 2), abandon_on_cancel=True)


def _connected(address: str, connect_s: float) -> Client:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import distributed  # noqa: F401
    except ImportError:
        raise ConfigError(
            'a cluster needs Dask, which is not installed: pip install "bot-arena[cluster]"'
        ) from None
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # the run itself reports what matters
    open_nothing()
    try:
        asyncio.run(_answered(address, connect_s))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions are compared below
            return client_at(address, connect_s=connect_s, name=PACKAGE)
    except Exception as error:  # whatever Dask raises about what answers there, or its own configuration
        why = why_unreachable(address) or " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(
            f"no Dask scheduler answers there within {connect_s:g} s ({why[:300]}): "
            f"expected one that runs `dask scheduler` of Dask {_dask()}",
            setting="cluster",
            value=address,
        ) from None


async def _answered(address: str, wait_s: float) -> None:
    """Waits for a scheduler's answer, as a client that got none would wait even while it closes."""
    from distributed.core import rpc
    from distributed.security import Security

    secured = Security().get_connection_args("client")
    async with rpc(address, connection_args=secured, timeout=wait_s) as scheduler:
        told = await asyncio.wait_for(scheduler.identity(), wait_s)
    if (kind := told.get("type")) != "Scheduler":
        raise ConfigError(f"it is a {_brief(str(kind))}")


def _told(error: BaseException) -> str:
    """An exception of Dask's in a few words."""
    return _brief(f"{type(error).__name__}: {error}")


def _brief(text: str) -> str:
    """An untrusted text, short and on one line."""
    return printable(clipped(" ".join(text.split()), 300))


def _dask() -> str:
    return version("distributed")


def _check_versions(address: str, client: Client) -> None:
    """Raises ConfigError if the scheduler, or one of its workers, has another version of Dask or Python."""
    from distributed.protocol.pickle import dumps

    call = {"function": dumps(version), "args": dumps((PACKAGE,)), "kwargs": dumps({}), "wait": True}
    try:
        told = client.get_versions()
        if (why := other_arena(arena_in(client.sync(client.scheduler.run_function, **call)))) is not None:
            raise ConfigError(f"the scheduler {why}", setting="cluster", value=address)
        for who, said in [("the scheduler", told["scheduler"]), *told["workers"].items()]:
            if (why := other_version(said)) is not None:
                raise ConfigError(f"{_brief(who)} {why}", setting="cluster", value=address)
    except ConfigError:
        raise
    except Exception as error:  # whatever Dask raises
        raise ConfigError(
            f"the scheduler does not say which version it is ({_told(error)}): expected Dask {_dask()}",
            setting="cluster",
            value=address,
        ) from None


def other_version(said: Mapping[str, Any] | None) -> str | None:
    """Which version differs there, by what Dask says of itself, as a clause; None if none does."""
    if said is None:
        return None  # a worker that is just leaving
    dask, ours = said["packages"].get("distributed"), _dask()
    if dask != ours:
        return f"runs Dask {_brief(str(dask))}, expected {ours}, as here"
    python = ".".join(str(dict(said["host"]).get("python", "")).split(".")[:2])
    if python != (here := ".".join(platform.python_version_tuple()[:2])):
        return f"runs Python {_brief(python)}, expected {here}, as here"
    return None


def arena_in(told: Mapping[str, Any]) -> str:
    """The version of the arena in a worker's answer to the question for it; empty if it has no arena."""
    try:
        return text_in(told["result"]) if told["status"] == "OK" else ""
    except (LookupError, TypeError, NotAResult):
        return "unknown"


def other_arena(there: str) -> str | None:
    """What is wrong with a worker's version of the arena (empty: it has none), as a clause; None: nothing."""
    if there == (here := version(PACKAGE)):
        return None
    has = f"has version {_brief(there)} of the arena" if there else "has no arena"
    return f'{has}, expected {here}, as here: pip install "{PACKAGE}[cluster]=={here}"'
