"""Keeps the process of each league running, and speaks with it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path

import attrs
import msgspec
import trio

from arena.box.box import open_box
from arena.box.spare import spare_cores
from arena.errors import ConfigError, RemoteProtocolError
from arena.ladder.messages import (
    AskMachine,
    BeginLadder,
    CannotPlay,
    FieldVersion,
    FromLadder,
    MachineSaid,
    SetCores,
    SetField,
    SetPaused,
    StandingsSaid,
    VersionSaid,
    VisitSaid,
)
from arena.league.league import LeagueSettings
from arena.players.transport import SocketTransport, Transport
from arena.server.league.leagues import FOLDER, OpenLeague
from arena.server.league.other_user import ConnectedPlayer, connected_player
from arena.server.league.playing import VersionToPlay
from arena.tournament.sparring import house_bots, levels_of_bots
from arena.tournament.workers.local import Child, enlist_child
from arena.tournament.workers.pipe import Pipe
from arena.words import without_folders

PROGRAM = ("-m", "arena.ladder")
TERMS: Mapping[str, float] = {}
"""How long things take where that is not as usual."""
AGAIN_S, AGAIN_MAX_S = 1.0, 60.0
"""How long to wait before a process is started again, at first and at most."""
STEADY_S = 60.0
"""After a process that ran for so long the wait is as short as at first."""
ROOM_EVERY_S = 60.0
"""How often it is asked how much of the disk the matches take."""
HOUSE = "the house"
"""The owner of the bots that come with the arena, as a league's process knows it; their names follow."""


class LadderChild:
    """The process of one league, started again whenever it ends."""

    def __init__(
        self,
        live: OpenLeague,
        data: Path,
        note: Callable[[str], None],
        players: Path | None = None,
        share: Callable[[], object] = lambda: None,
    ) -> None:
        """`data`: the server's folder; `note` is told sentences for the server's log.

        `players`: the socket of the user who plays it; None: this process' user does.
        `share`: is called when it rests or goes on, so that others may have its cores.
        """
        self.cores: float = spare_cores()
        """How many cores it may keep busy."""
        self._share = share
        self._live = live
        self._players = players
        self._folder = (data / FOLDER / live.league.name).resolve()
        self._note = note
        self._passing: socket.socket | None = None
        """The socket on which its process is passed others."""
        self._untold: list[object] = []
        self._has_news = trio.Event()
        self._house = house_versions(live.league.settings.game)

    async def run(self) -> None:
        """Keeps the process running until this is cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_room)
            await self._keep_running()

    async def _watch_room(self) -> None:
        """Has the league rest while its matches take as much of the disk as they may."""
        while True:
            taken = _bytes_in(self._folder)
            self._live.note_full(taken >= self._live.league.settings.matches_gb << 30)
            await trio.sleep(ROOM_EVERY_S)

    async def _keep_running(self) -> None:
        wait_s = AGAIN_S
        while True:
            began_at = trio.current_time()
            why = await self._speak()
            self._live.detach(without_folders(why))
            if why:
                self._note(f"league {self._live.league.name}: {why}")
            if trio.current_time() - began_at > STEADY_S:
                wait_s = AGAIN_S
            await trio.sleep(wait_s)
            wait_s = min(AGAIN_MAX_S, 2 * wait_s)

    async def _speak(self) -> str:
        """Speaks with one process to its end; returns why that came, as a sentence."""
        try:
            return await self._speak_with_one()
        except OSError as error:  # no process can be started now, nor a pipe be made
            return f"its process cannot be started: {error.strerror or error}"

    async def _speak_with_one(self) -> str:
        self._passing, passed = socket.socketpair()
        self._passing.setblocking(False)
        with self._passing, passed:
            async with self._enlisted(passed.fileno()) as child:
                bots_fd = passed.fileno() if isinstance(child, Child) else -1  # another was sent it
                passed.close()  # it is the process's alone from now on
                why = await self._speak_to(child, bots_fd)
        return why or f"its process {child.ending}: it is started again"

    async def _speak_to(self, child: Child | ConnectedPlayer, bots_fd: int) -> str:
        """Speaks with a process until it ends; returns why it cannot play, if it said so."""
        pipe = Pipe[FromLadder](child.stream, FromLadder)
        self._untold.clear()
        settings = self._live.league.settings
        terms = {"build_s": settings.build_s, "epoch_s": 3_600 * settings.epoch_hours, **TERMS}
        readable, why = self._live.readable, ""
        begin = BeginLadder(
            str(self._folder),
            plan_of_league(settings, readable),
            sandbox="strict" if settings.hand_ins else "off",
            bots_fd=bots_fd,
            **terms,
        )
        self._say(begin)
        self._say(SetCores(self.cores))
        self._live.attach(self)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._tell, pipe)
                nursery.start_soon(self._watch_library, readable, nursery.cancel_scope)
                why = await self._hear(pipe)
                nursery.cancel_scope.cancel()
        except* (trio.BrokenResourceError, RemoteProtocolError):
            pass
        return why

    def _enlisted(self, bots_fd: int) -> AbstractAsyncContextManager[Child | ConnectedPlayer]:
        if self._players is None:
            return enlist_child("league", PROGRAM, [bots_fd])
        return connected_player(self._players, bots_fd)

    async def _watch_library(self, readable: list[str], scope: trio.CancelScope) -> None:
        """Ends the process once its bots may read other folders: the next one knows of them."""
        while self._live.readable == readable:
            await self._live.changed(self._live.league.version)
        scope.cancel()

    async def _hear(self, pipe: Pipe[FromLadder]) -> str:
        """Takes what the process says, until it ends; returns why it cannot play, if it said so."""
        while (said := await pipe.receive()) is not None:
            match said:
                case VersionSaid(id, state, reason):
                    waits_for = reason if state in ("waiting", "building", "checking") else ""
                    self._live.report(id, state, "" if waits_for else reason, waits_for)
                case VisitSaid():
                    self._live.note_visit(said)
                case MachineSaid():
                    self._live.note_machine(said)
                case StandingsSaid():
                    self._live.note_standings(said)
                case CannotPlay(why):
                    return why
        return ""

    async def _tell(self, pipe: Pipe[FromLadder]) -> None:
        while True:
            self._has_news = trio.Event()
            news, self._untold = self._untold, []
            if news:
                await pipe.send(*news)
            else:
                await self._has_news.wait()

    def _say(self, message: object) -> None:
        self._untold.append(message)
        self._has_news.set()

    @property
    def is_paused(self) -> bool:
        return self._live.rests

    def set_cores(self, cores: float) -> None:
        """Has it keep no more cores busy than this from now on."""
        if cores != self.cores:
            self.cores = cores
            self._say(SetCores(cores))

    # As a `LadderProcess`.

    def set_field(self, versions: Sequence[VersionToPlay]) -> None:
        theirs = [
            FieldVersion(one.id, one.owner, "", one.received_at, connects=True)
            if one.connects
            else FieldVersion(one.id, one.owner, str(one.folder.resolve()), one.received_at)
            for one in versions
        ]
        self._say(SetField((*self._house, *theirs)))

    def open_visit(self) -> Transport:
        assert self._passing is not None, "there is a process"
        return passed_on(self._passing)

    def ask_machine(self) -> None:
        self._say(AskMachine())

    def set_paused(self, is_paused: bool) -> None:
        self._say(SetPaused(is_paused))
        self._share()


async def lacks_box() -> str:
    """Why no box can be made here for what is handed in, as a sentence; nothing if one can."""
    try:
        async with open_box("strict"):
            return ""
    except ConfigError as error:
        return str(error)


def passed_on(passing: socket.socket) -> Transport:
    """Passes one end of a new pair of sockets on; returns the other one.  Raises OSError if that fails."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            socket.send_fds(passing, [b"."], [theirs.fileno()])
        except OSError:
            ours.close()
            raise
    return SocketTransport(ours)


def _bytes_in(folder: Path) -> int:
    """How many bytes a results folder has: its database, what is beside it, copies of epochs, logs."""
    octets = 0
    for top, _, files in os.walk(folder):
        for file in files:
            with suppress(OSError):  # it may be removed at this moment
                octets += os.lstat(os.path.join(top, file)).st_size
    return octets


def house_versions(game: str) -> tuple[FieldVersion, ...]:
    """The bots that come with the arena and play this game, of all levels; those to be built are left out."""
    levels = levels_of_bots()
    return tuple(
        FieldVersion(name, f"{HOUSE}: {name}", name, is_house=True)
        for name in house_bots(game)
        if name in levels
    )


def plan_of_league(settings: LeagueSettings, readable: Sequence[str]) -> str:
    """How the league's matches are played, as a plan file would say it.  `readable`: what bots may read."""
    said = {"game": settings.game, "rules": dict(settings.rules)}
    seats = {} if settings.seats is None else {"seats": settings.seats}
    allow = {"allow": {"read": readable}} if readable else {}
    return msgspec.json.encode(said | seats | allow).decode()


@attrs.define(eq=False)
class LadderChildren:
    """Starts the process of each league that is opened, and divides the machine among them."""

    _nursery: trio.Nursery
    _data: Path
    _note: Callable[[str], None]
    _players: Path | None = None
    """The socket of the user who plays them; None: a child of this process plays each."""
    _children: list[LadderChild] = attrs.field(factory=list)

    def open(self, live: OpenLeague) -> None:
        """Has the league played from now on."""
        child = LadderChild(live, self._data, self._note, self._players, self._share)
        self._children.append(child)
        self._share()
        self._nursery.start_soon(child.run)

    def _share(self) -> None:
        """Gives an equal part of the cores to each league that does not rest."""
        playing = [child for child in self._children if not child.is_paused]
        for child in playing:
            child.set_cores(spare_cores() / len(playing))
