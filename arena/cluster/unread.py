"""Reads what a scheduler and its workers send as bytes: this process unpickles nothing, and bounds all.

Dask trusts its cluster: a client unpickles results, exceptions, types and events, and a pickle is a program.
Our cluster may be machines of others.  So our client passes on what came unopened, as Dask's own scheduler
does, and `octets_in` takes out the bytes that a task of ours returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import msgspec

from arena.errors import ConfigError
from arena.tournament.workers.pipe import MESSAGE_BYTES_MAX

if TYPE_CHECKING:
    from distributed import Client

RESULT_BYTES_MAX = 2 * MESSAGE_BYTES_MAX
"""The largest message from the cluster: a worker's longest, and what it said before."""
SERIALIZERS = ["msgpack"]
"""How workers are asked to serialize results; results serialized otherwise are not read."""

T = TypeVar("T")


class NotAResult(Exception):
    """What came is not what our task could have returned."""


class _Pickles:
    """Replaces the module `pickle` in Dask's own: writes what we send, such as tasks, and reads nothing."""

    def __getattr__(self, name: str) -> Any:
        import pickle

        if name in ("loads", "load", "Unpickler"):
            raise TypeError("what the cluster sent is a pickle, and the arena opens none")
        return getattr(pickle, name)


def open_nothing() -> None:
    """Keeps Dask from unpickling anything in this process from now on.

    Raises ConfigError if we do not know how to do that in this version of Dask.
    """
    import distributed.comm.tcp as tcp
    from distributed import protocol
    from distributed.comm.core import Comm
    from distributed.protocol import pickle

    if not isinstance(getattr(pickle, "pickle", None), _Pickles):
        pickle.pickle = _Pickles()
        # Without this a connection deserializes what arrives; with it, it returns that in a `Serialized`.
        Comm.deserialize = property(lambda comm: False, lambda comm, value: None)
        _bound(tcp)
    if not _is_closed(protocol, pickle):
        raise ConfigError(
            "this version of Dask opens pickles in a way that the arena does not know: expected "
            "one that it was tested with, 2026.8",
            setting="cluster",
        )


def _bound(tcp: Any) -> None:
    """Ends a connection of this process where a message is announced that is too large."""
    from distributed.comm.core import CommClosedError

    read, unpack = tcp.read_bytes_rw, tcp.unpack_frames

    async def read_bytes_rw(stream: Any, n: int) -> Any:
        if n > RESULT_BYTES_MAX:
            raise CommClosedError(_too_large(n))
        return await read(stream, n)

    def unpack_frames(octets: Any, partial: bool = False) -> Any:
        if not partial:
            return unpack(octets)
        frames, more = unpack(octets, partial=True)
        if (whole := len(octets) + sum(more)) > RESULT_BYTES_MAX:
            raise CommClosedError(_too_large(whole))
        return frames, more

    tcp.read_bytes_rw, tcp.unpack_frames = read_bytes_rw, unpack_frames


def _too_large(octets: int) -> str:
    return f"a message of {octets:,} bytes was announced, at most {RESULT_BYTES_MAX:,} are read"


def _is_closed(protocol: Any, pickle: Any) -> bool:
    """Whether neither of the two ways in which a message may hold a pickle gets it opened."""
    frames = protocol.dumps({"a": protocol.to_serialize(object)})
    left = protocol.loads(frames, deserialize=False)["a"]
    try:
        pickle.loads(pickle.dumps(object))
    except TypeError:
        return isinstance(left, protocol.Serialized)
    return False


def client_at(address: str, *, connect_s: float, name: str) -> Client:
    """Connects a client to this scheduler.  Raises what Dask raises."""
    from distributed import Client

    class Unreading(Client):  # type: ignore[misc]
        """A client that notes what becomes of tasks, and ignores everything else that workers tell."""

        _default_event_handlers: ClassVar[
            dict[str, Any]
        ] = {}  # else what workers `print` or warn of would be shown, or unpickled
        deafness = ""
        """Why nothing is read from the scheduler any more; empty while it is."""

        async def _handle_report(self) -> None:
            try:
                await super()._handle_report()
            except Exception as error:
                self.deafness = f"{type(error).__name__}: {error}"

        def _handle_key_in_memory(self, key: Any = None, type: Any = None, workers: Any = None) -> None:
            super()._handle_key_in_memory(key=key, type=None, workers=workers)  # the type is a pickle

        def _handle_task_erred(self, key: Any = None, exception: Any = None, traceback: Any = None) -> None:
            super()._handle_task_erred(key=key, exception="the task failed", traceback=None)

    return Unreading(
        address,
        timeout=connect_s,
        set_as_default=False,
        name=name,
        serializers=SERIALIZERS,
        direct_to_workers=False,
    )


def octets_in(found: object) -> bytes:
    """The bytes that a task returned.  Raises NotAResult."""
    return _decoded(found, bytes)


def text_in(found: object) -> str:
    """The text that a function returned.  Raises NotAResult."""
    return _decoded(found, str)


def _decoded(found: object, kind: type[T]) -> T:
    from distributed.protocol.serialize import Serialized

    if not isinstance(found, Serialized) or not isinstance(found.header, dict):
        raise NotAResult("it is not serialized")
    header, frames = found.header, found.frames
    if (by := header.get("serializer")) not in SERIALIZERS:
        raise NotAResult(f"serialized by {str(by)[:50]}, expected {SERIALIZERS[0]}")
    compression = header.get("compression") or ()
    if not isinstance(compression, list | tuple) or any(compression):
        raise NotAResult("it is compressed: distributed.comm.compression is to be false on the cluster")
    if (size := sum(map(len, frames))) > RESULT_BYTES_MAX:
        raise NotAResult(_too_large(size))
    try:
        return msgspec.msgpack.decode(b"".join(frames), type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise NotAResult(str(error)) from None
