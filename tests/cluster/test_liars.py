"""Dask workers and schedulers that lie: no code of theirs runs here, and nothing that cannot be is booked."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest
from clusters import DaskCluster, heard, last_heard
from daily import nightly
from liars import Trap, liar_at
from tournaments import rows

from arena.cluster.answers import in_bytes, result_in
from arena.cluster.scheduler import open_cluster
from arena.cluster.sessions import LOGS_BYTES_MAX, SessionSaid, taken_apart
from arena.cluster.standin import write_logs
from arena.cluster.tasks import close_session, missing_parcels, play_orders
from arena.cluster.unread import RESULT_BYTES_MAX, NotAResult, octets_in, open_nothing
from arena.errors import ConfigError
from arena.tournament.workers.messages import encoded

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="no Dask: lies on a cluster were not tested"
)

PLAY = ("run", "truthful", "random", "--series", "6", "--seed", "1")


def played_beside(liar, place, tmp_path):
    """What a run says that is played by an honest Dask worker and a liar; and its process."""
    cluster = DaskCluster(place)
    try:
        cluster.add_worker(**liar)
        assert cluster.has_all()
        run = cluster.arena(*PLAY, "--workers", "2", "--out", "there", cwd=tmp_path)
        said = heard(run, "has no workers that can be trusted")
        cluster.add_worker()
        said += last_heard(run)
        assert 0 == run.returncode, said
        assert [] == cluster.others()
        return said, run.pid
    finally:
        cluster.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["returns a trap", *nightly("raises a trap")])
def test_no_code_of_a_worker_runs_here(kind, tmp_path):
    """Neither of its results, nor of its exceptions, types and events; its place is given to another."""
    said, pid = played_beside(liar_at(tmp_path / "liar", kind), tmp_path, tmp_path)
    assert "sent what is not a result (" in said
    assert "another one plays its matches again" in said
    assert "printed by a worker" not in said
    assert str(pid) not in os.listdir(tmp_path / "liar" / "marks")
    assert 12 == len(rows(tmp_path / "there", "matches"))


@pytest.mark.slow
@pytest.mark.nightly
def test_a_worker_that_swaps_ranks_is_not_believed(tmp_path):
    """The run says what cannot be, and has another one play."""
    said, _ = played_beside(liar_at(tmp_path / "liar", "swaps ranks"), tmp_path, tmp_path)
    assert "told what cannot be (match " in said
    assert "another one plays its matches again" in said
    assert 12 == len(rows(tmp_path / "there", "matches"))


@pytest.fixture
def marks(tmp_path, monkeypatch):
    monkeypatch.setenv("MARKS", str(tmp_path))
    return tmp_path


class FalseScheduler:
    """A server that answers the first question of a client with a pickle, on a thread of its own."""

    def __enter__(self):
        listens = threading.Event()

        async def serve():
            from distributed.core import Server
            from distributed.protocol.serialize import ToPickle

            async def identity(**_):
                return {"type": "Scheduler", "more": ToPickle(Trap())}

            server = Server({"identity": identity})
            await server.listen("tcp://127.0.0.1:0")
            self.address, self.loop, self.ended = server.address, asyncio.get_running_loop(), asyncio.Event()
            listens.set()
            await self.ended.wait()
            await server.close()

        self.thread = threading.Thread(target=asyncio.run, args=(serve(),))
        self.thread.start()
        assert listens.wait(30), "it does not listen"
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.ended.set)
        self.thread.join()


@pytest.mark.slow
async def test_a_scheduler_that_sends_a_pickle_is_left(marks):
    """With a sentence, and without opening it."""
    told = "what the cluster sent is a pickle, and the arena opens none"
    with FalseScheduler() as scheduler, pytest.raises(ConfigError, match=told):
        async with open_cluster(scheduler.address, is_trusted=False):
            pass
    assert [] == list(marks.iterdir())


def test_messages_are_bounded_before_they_are_read():
    """By what they announce: whole, or in many parts."""
    import struct

    import distributed.comm.tcp as tcp
    from distributed.comm.core import CommClosedError

    open_nothing()
    # In a thread, as a browser's tests may have left a loop of asyncio in this one.
    with ThreadPoolExecutor(1) as apart, pytest.raises(CommClosedError, match="at most 128,000,000 are read"):
        apart.submit(asyncio.run, tcp.read_bytes_rw(None, RESULT_BYTES_MAX + 1)).result()
    parts = 1_000
    prelude = struct.pack(f"Q{parts + 1}Q", parts + 1, 0, *[RESULT_BYTES_MAX // parts + 1] * parts)
    with pytest.raises(CommClosedError, match="at most 128,000,000 are read"):
        tcp.unpack_frames(prelude, partial=True)


def sent(value, serializers=("msgpack",), **header):
    """As a connection gives it that a client of ours reads."""
    from distributed import protocol

    frames = protocol.dumps({"a": protocol.to_serialize(value)}, serializers=serializers)
    came = protocol.loads(frames, deserialize=False)["a"]
    came.header.update(header)
    return came


NO_RESULTS = {
    "pickled": lambda: sent(Trap(), ["pickle"]),
    "by Dask's own": lambda: sent(b"1", ["dask"]),
    "an error": lambda: sent(Trap()),
    "no bytes": lambda: sent([b"1"]),
    "not MessagePack": lambda: sent(Trap(), ["pickle"], serializer="msgpack"),
    "compressed": lambda: sent(b"1", compression=("zlib",)),
    "unknown": lambda: sent(b"1", serializer="mine"),
    "a header that is none": lambda: sent(b"1", compression=7),
    "plain": lambda: b"1",
}


@pytest.mark.parametrize("came", NO_RESULTS.values(), ids=NO_RESULTS)
def test_what_is_not_bytes_is_no_result(came, marks):
    """Whatever serialized it; nothing is opened to see that."""
    open_nothing()
    with pytest.raises(NotAResult):
        octets_in(came())
    assert [] == list(marks.iterdir())


def test_results_cross_as_bytes():
    """What a function returns or raises there is returned or raised here, in words."""
    open_nothing()
    assert ["ab"] == result_in(octets_in(sent(in_bytes(missing_parcels, ["ab"]))), missing_parcels)
    said = SessionSaid(b"\0" * 9, "", "host7", 0.5)
    assert (said, {"ann-1.log": b"1"}) == result_in(
        in_bytes(lambda: (said, {"ann-1.log": b"1"})), close_session
    )

    def fails(error):
        raise error

    with pytest.raises(ConfigError, match=r"^the disk is full$"):
        result_in(in_bytes(fails, ConfigError("the disk is full")), missing_parcels)
    with pytest.raises(RuntimeError, match=r"^KeyError: 3$"):
        result_in(in_bytes(fails, KeyError(3)), missing_parcels)


@pytest.mark.parametrize("octets", [b"", b"\xc1", encoded([1]), in_bytes(lambda: [1]), b"\x91" * 100_000])
def test_bytes_of_something_else_are_no_result(octets):
    """Nothing else is raised for them."""
    with pytest.raises(NotAResult):
        result_in(octets, play_orders)


def test_what_a_session_says_is_taken_apart():
    """Into whole messages and the orders they answer; what is no message is told."""
    whole = b"".join(len(one).to_bytes(4, "big") + one for one in ANSWERS)
    received = bytearray(whole + b"\0\0")
    assert [{-1, 1, 2}, {-1, 3}] == [answered for _, answered in taken_apart(received)]
    assert b"\0\0" == received
    with pytest.raises(ValueError):
        list(taken_apart(bytearray(b"\0\0\0\1\xc1")))


ANSWERS = [encoded({"type": "MatchesPlayed", "numbers": (1, 2)}), encoded({"type": "x", "numbers": (3,)})]


def test_logs_from_elsewhere_stay_in_their_folder(tmp_path):
    """And are as long as was agreed."""
    wicked = ("..", ".", "", "a\0-1.log", "../x-1.log", "/x-1.log", "run.json", ".x-1.log", "ann-1.log\n")
    logs = dict.fromkeys(wicked, b"1") | {"ann-1.log": b"2", "b%20ob-build.log": b"3"}
    write_logs(tmp_path / "logs", logs | {"ann-2.log": bytes(LOGS_BYTES_MAX)})
    assert ["logs"] == os.listdir(tmp_path)
    assert ["ann-1.log", "b%20ob-build.log"] == sorted(os.listdir(tmp_path / "logs"))
