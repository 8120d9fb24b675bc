"""Starts the workers of a run on a cluster: which Dask worker has which of the run's places."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import attrs
import trio

from arena.cluster.parcels import Parcel, parcel_of, parcel_of_game
from arena.cluster.scheduler import Cluster, open_cluster
from arena.cluster.standin import StandIn
from arena.cluster.tasks import GAME
from arena.errors import Hint
from arena.tournament.folder.run import Run
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.reporting import Reporter
from arena.tournament.play.summary import Summary
from arena.tournament.runner import run_tournament
from arena.tournament.workers.hiring import Hiring
from arena.tournament.workers.post import StartedWorker
from arena.verify.incoming import Incoming
from arena.words import counted

BEGIN_S = 900.0
"""How long a worker may take until it is ready: its bots travel to it, and are built there."""
LOST_MAX = 1000
"""How many workers a run may lose: machines of a cluster come and go."""
ALONE_S = 2.0
"""How long a place that lost its Dask worker waits for one of its own before it shares one."""


@attrs.frozen
class ClusterWish:
    """What the command line says about a cluster."""

    address: str
    is_trusted: bool = False
    """Whether an unencrypted connection beyond this machine is allowed."""
    calibrates: bool = False
    """Whether workers are refused if their machines are not about as fast as this one."""


@attrs.define
class ClusterWorker:
    """A worker on the cluster."""

    stream: trio.SocketStream
    where: str
    host: str = ""
    ending: str = "was lost"
    is_trusted: bool = True


class Enlisting:
    """Starts workers of a run on a cluster."""

    def __init__(
        self, cluster: Cluster, run: Run, parcels: Mapping[str, Parcel], note: Callable[[str], None]
    ) -> None:
        self._cluster = cluster
        self._run = run
        self._parcels = parcels
        self._note = note
        self._id = secrets.token_hex(4)
        self._sessions = 0
        self._places: Counter[str] = Counter()
        """How many places of the run each Dask worker has."""
        self._had: set[str] = set()
        """The places that have had a worker before."""
        self._liars: set[str] = set()
        """Dask workers that sent what is not a result: they get no place any more."""

    @asynccontextmanager
    async def enlist(self, name: str) -> AsyncIterator[StartedWorker]:
        """Yields a worker on the cluster; waits first until there is a Dask worker for it."""
        worker = await self._found(name)
        self._places[worker] += 1
        self._had.add(name)
        self._sessions += 1
        ours, theirs = map(trio.SocketStream, trio.socket.socketpair())
        recruit = ClusterWorker(ours, f" on {worker}")

        def note_host(host: str) -> None:
            recruit.host = host
            recruit.where = f" on {host} ({worker})"

        stand_in = StandIn(
            self._cluster,
            worker,
            theirs,
            self._parcels,
            f"{self._id}-{self._sessions}",
            logs=self._run.folder / LOGS,
            note_host=note_host,
        )
        ended = trio.Event()

        async def live() -> None:
            try:
                async with theirs:
                    await stand_in.work()
            finally:
                recruit.ending = stand_in.ending or recruit.ending
                recruit.is_trusted = recruit.is_trusted and not stand_in.has_lied
                ended.set()

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(live)
                try:
                    yield recruit
                finally:
                    with trio.CancelScope(shield=True):
                        await trio.aclose_forcefully(ours)
                        await ended.wait()
        finally:
            self._places[worker] -= 1
            if not recruit.is_trusted:
                self._liars.add(worker)

    async def _found(self, name: str) -> str:
        """Waits for a Dask worker for this place: one without another place or, after some time, any."""
        alone_until = trio.current_time() + ALONE_S
        has_told = False
        while True:
            there = self._cluster.threads.keys() - self._liars
            free = sorted(there, key=lambda worker: (self._places[worker], worker))
            may_share = name in self._had and trio.current_time() >= alone_until
            if free and (not self._places[free[0]] or may_share):
                return free[0]
            if not there and not has_told:
                has_told = True
                which = "workers" if not self._cluster.threads else "workers that can be trusted"
                self._note(
                    f"{self._cluster.address} has no {which}: waiting for one (Ctrl-C keeps what is done)"
                )
            with trio.move_on_at(
                alone_until if name in self._had and not may_share else trio.current_time() + 60
            ):
                await self._cluster.changed.wait()


def _parcels(run: Run) -> dict[str, Parcel]:
    """What travels to the workers, by the bots' names."""
    parcels = {bot.name: parcel for bot in run.entrants if (parcel := parcel_of(bot)) is not None}
    return parcels if run.origin is None else parcels | {GAME: parcel_of_game(run.origin)}


async def play_on_cluster(wish: ClusterWish, run: Run, reporter: Reporter, summary: Summary) -> None:
    """Plays the matches of a run that are missing on a Dask cluster.

    Raises ConfigError if the cluster cannot be used, and what `run_tournament` raises.
    """
    async with open_cluster(wish.address, is_trusted=wish.is_trusted) as cluster:
        parcels = await trio.to_thread.run_sync(_parcels, run)
        while not cluster.threads:
            reporter.note(f"{wish.address} has no workers yet: waiting for the first")
            await cluster.changed.wait()
        asked = run.plan.workers
        posts = asked if isinstance(asked, int) and asked > 1 else len(cluster.threads)
        reporter.note(f"{wish.address}: {counted(len(cluster.threads), 'worker')}")
        incoming = Incoming(run)
        hiring = Hiring(
            Enlisting(cluster, run, parcels, reporter.note).enlist,
            is_afar=True,
            calibrates=wish.calibrates,
            begin_s=BEGIN_S,
            lost_max=LOST_MAX,
            otherwise=Hint("resume", "plays on here, without a cluster", str(run.folder)),
            doubt=incoming.untruth,
        )
        try:
            await run_tournament(attrs.evolve(run, workers=posts), reporter, summary, hiring=hiring)
        finally:
            if (told := incoming.summary) is not None:
                reporter.note(told)
