"""The leagues of a server, open: as they are kept, as people change them, as their processes report."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import attrs
import trio

from arena.errors import ConfigError
from arena.games import GAMES
from arena.ladder.messages import MachineSaid, StandingsSaid, VisitSaid
from arena.league.entering import note_state
from arena.league.joining import hash_of_code, plain_code, set_join_code
from arena.league.league import League, LeagueSettings, Version, VersionState
from arena.league.moving import still_forgotten
from arena.league.settings import new_league
from arena.league.storing import hashes_handed_in
from arena.players.transport import Transport
from arena.refusal import Refusal
from arena.server.kept.bot_logs import remove_logs
from arena.server.kept.keeping import RETRY_S
from arena.server.league.league_records import LeagueRecords
from arena.server.league.libraries import Libraries
from arena.server.league.names_kept import KeptNames
from arena.server.league.playing import LadderProcess, VersionToPlay, field_of_league, version_to_play
from arena.server.league.small_files import forgotten_in
from arena.tournament.plan import check_plan_seats, make_game
from arena.words import listed

FOLDER = "leagues"
"""The folder of a server in which each league has its results folder."""
LEAGUES_MAX = 50
"""Leagues of a server."""
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""What codes are drawn from: nothing that is read as something else."""
CODE_LENGTH = 10
ASKED_AGAIN_S = 10.0
"""When a process is asked again that has not answered."""
CODE_MIN, CODE_MAX = 6, 40
"""Characters of a code that a host chooses, without hyphens and spaces."""


class OpenLeague:
    """A league, which changes."""

    def __init__(
        self,
        league: League,
        records: LeagueRecords,
        bots: Path,
        now: Callable[[], float],
        libraries: Libraries | None = None,
    ) -> None:
        """`bots`: the folder in which what is handed in lies, each below its hash."""
        self.league = league
        self._libraries = libraries or Libraries()
        self.now = now
        self._records = records
        self.bots = bots
        self.standings: StandingsSaid | None = None
        """Where everybody stands, as its process said last."""
        self.visits: dict[str, VisitSaid] = {}
        """What its process said of the versions that connect, by id."""
        self.routes: dict[str, Transport] = {}
        """The connection of each that is here, which knows how long the way is."""
        self.trouble = ""
        """Why it is not played, as a sentence; empty if it is, or nobody knows."""
        self._folder = bots.parent / FOLDER / league.name
        self._names = KeptNames(self._folder)
        self._machine: MachineSaid | None = None
        """What bots find on the machine, as its process said."""
        self._machine_said = trio.Event()
        self.is_full = False
        """Whether its matches take as much of the disk as they may."""
        self._process: LadderProcess | None = None
        self._members: Sequence[tuple[str, bool]] = ()
        """Which versions the process knows, and whether each plays or is to be tried."""
        self._field: dict[int, tuple[Version, VersionToPlay]] = {}
        """The same as it was told, by the identity of versions."""
        self._changed = trio.Event()

    @property
    def is_played(self) -> bool:
        """Whether there is a process that plays it."""
        return self._process is not None

    @property
    def readable(self) -> list[str]:
        """The folders that its bots may read."""
        return self._libraries.readable(self.league.settings.library)

    def change(self, after: League) -> None:
        """Puts the league as it is after something was done; its process is told what that means for it."""
        before, self.league = self.league, after
        if after is before:
            return
        self._records.keep(before, after)
        if after.entries is not before.entries:
            self._tell_field()
        if after.is_paused != before.is_paused:
            self._tell_rest()
        self._changed.set()
        self._changed = trio.Event()

    async def kept(self) -> None:
        """Returns once all that happened here is kept.  Raises Refusal if the disk fails."""
        await self._records.kept()
        await self._names.keep(self.league)

    def keep_names(self) -> None:
        """Writes how bots are called to the file beside their folder.  Raises OSError."""
        self._names.keep_now(self.league)

    def remove_logs(self) -> int:
        """Removes what bots of owners who were forgotten have printed; returns how many logs there were."""
        owners, entries = self.league.owners, self.league.entries.values()
        gone = [entry for entry in entries if owners[entry.owner].forgotten_at is not None]
        return remove_logs(self._folder, [entry.of(each) for entry in gone for each in entry.versions])

    async def changed(self, version: int) -> None:
        """Returns once the league has another version."""
        while self.league.version == version:
            await self._changed.wait()

    # The process that plays it.

    def attach(self, process: LadderProcess) -> None:
        """Has a process play the league from now on."""
        self._process, self.trouble = process, ""
        self._tell_rest()
        self._tell_field(is_new=True)

    def detach(self, why: str = "") -> None:
        """The process has ended, and why: the league is not played at the moment."""
        self._process, self.trouble = None, why
        self.visits.clear()

    def open_visit(self) -> Transport:
        """A connection on which its process takes a bot that connects.  Raises Refusal if it cannot now."""
        try:
            if self._process is None:
                raise OSError
            return self._process.open_visit()
        except OSError:
            why = f"{self.league.name} is not played at the moment: connect again in a few seconds"
            raise Refusal("unavailable", why, key="ladder") from None

    def note_visit(self, said: VisitSaid) -> None:
        """Takes in whether a version that connects is here; whoever looks is told."""
        if self.visits.get(said.id) != said:
            self.visits[said.id] = said
            self.change(attrs.evolve(self.league, version=self.league.version + 1))

    async def machine(self) -> MachineSaid:
        """What bots find on the machine; its process is asked for it once, and answers while there is one."""
        while self._machine is None:
            if self._process is not None:
                self._process.ask_machine()
            with trio.move_on_after(ASKED_AGAIN_S):  # it may have ended meanwhile
                await self._machine_said.wait()
        return self._machine

    def note_machine(self, said: MachineSaid) -> None:
        """Takes in what bots find on the machine."""
        self._machine = said
        self._machine_said.set()

    @property
    def rests(self) -> bool:
        """Whether no matches, builds and checks begin for the time being."""
        return self.league.is_paused or self.is_full

    def note_full(self, is_full: bool) -> None:
        """Notes whether its matches take as much of the disk as they may: then no more are played."""
        if is_full != self.is_full:
            self.is_full = is_full
            self._tell_rest()

    def _tell_rest(self) -> None:
        if self._process is not None:
            self._process.set_paused(self.rests)

    def note_standings(self, said: StandingsSaid) -> None:
        """Takes in where everybody stands."""
        self.standings = said

    def report(self, version_id: str, state: VersionState, reason: str = "", waits_for: str = "") -> None:
        """What its process reports of a version: where trying it is, what came of it, what it waits for."""
        self.change(note_state(self.league, version_id, state, reason, waits_for, self.now()))

    def _tell_field(self, *, is_new: bool = False) -> None:
        if self._process is None:
            return
        field = field_of_league(self.league)
        members = [(entry.of(version), version.state == "playing") for entry, version in field]
        if is_new or members != self._members:  # all else it has reported itself
            self._members = members
            before, self._field = self._field, {}
            for entry, version in field:  # what is as it was is not made again
                known = before.get(id(version))
                if known is None or known[0] is not version:
                    known = version, version_to_play(self.bots, entry, version)
                self._field[id(version)] = known
            self._process.set_field([each for _, each in self._field.values()])


async def has_box() -> str:
    """Says that what is handed in can be confined."""
    return ""


class Leagues:
    """All leagues of a server."""

    def __init__(
        self,
        records: LeagueRecords,
        folder: Path,
        *,
        now: Callable[[], float],
        opened: Callable[[OpenLeague], None] = lambda league: None,
        libraries: Libraries | None = None,
        lacks_box: Callable[[], Awaitable[str]] = has_box,
    ) -> None:
        """`folder`: the server's; `opened` is told of each league, for which it may start a process.

        `libraries`: the folders that hosts may grant; `lacks_box`: says why nothing that is handed in can be
        confined here; nothing if it can.
        """
        self.lacks_box = lacks_box
        self.records = records
        self.libraries = libraries or Libraries()
        self.bots = folder / "bots"
        self.now = now
        self._opened = opened
        self._leagues: dict[str, OpenLeague] = {}

    def __iter__(self) -> Iterator[OpenLeague]:
        return iter(self._leagues.values())

    def restore(self, leagues: Iterable[League]) -> None:
        """Opens the leagues that were kept, without who was to be forgotten in them."""
        forgotten = forgotten_in(self.bots.parent)
        for league in leagues:
            live = self._added(league)
            self._opened(live)
            gone = [each.owner for each in forgotten if each.is_of(league)]
            live.change(still_forgotten(league, gone, self.now()))
            live.remove_logs()
            with suppress(OSError):  # as whoever changes a name is told
                live.keep_names()

    def hashes_of_forgotten(self) -> frozenset[str]:
        """The hashes of what only owners who were forgotten have handed in."""
        hashes: dict[bool, set[str]] = {True: set(), False: set()}
        for live in self:
            for entry in live.league.entries.values():
                is_gone = live.league.owners[entry.owner].forgotten_at is not None
                hashes[is_gone].update(version.hash for version in entry.versions)
        return frozenset(hashes[True] - hashes[False])

    async def create(self, settings: LeagueSettings, who: str, code: str) -> tuple[OpenLeague, str]:
        """A new league, and the code with which people join, drawn unless it is given; "" if none is needed.

        It is played once it is kept.  Raises Refusal, and then nothing is left of it.
        """
        if settings.name in self._leagues:
            why = f"there is a league {settings.name} already: choose another name"
            raise Refusal("conflict", why, field="name")
        if len(self._leagues) >= LEAGUES_MAX:
            raise Refusal("too_many", f"a server has at most {LEAGUES_MAX} leagues", key="leagues")
        self.libraries.check(settings.library)
        now = self.now()
        seats, words = _checked_seats(settings), GAMES[settings.game].reserved_names
        league = new_league(attrs.evolve(settings, seats=seats, reserved=words), who, now)
        if code or settings.join == "code":
            code = checked_code(code) if code else new_code()
            league = set_join_code(league, who, hash_of_code(code), now)
        live = self._added(league)
        self.records.keep(None, league)
        try:
            await self.records.kept()
        except Refusal:
            del self._leagues[league.name]
            self.records.drop(league.name)
            why = "the league is not made, as the server cannot write to its disk at the moment: try again"
            raise Refusal("unavailable", why, key="disk", seconds=RETRY_S) from None
        except trio.Cancelled:  # whoever asked does not wait for the answer: it is made all the same
            self._opened(live)
            raise
        self._opened(live)
        return live, code

    def _added(self, league: League) -> OpenLeague:
        live = self._leagues[league.name] = OpenLeague(
            league, self.records, self.bots, self.now, self.libraries
        )
        return live

    def hashes_in_use(self) -> frozenset[str]:
        """The hashes of all hand-ins of all leagues."""
        return frozenset().union(*(hashes_handed_in(live.league) for live in self))

    def find(self, name: str) -> OpenLeague:
        """The league of this name.  Raises Refusal if there is none."""
        if (found := self._leagues.get(name)) is None:
            raise Refusal("not_found", "this server has no league of this name", field="league")
        return found


def _checked_seats(settings: LeagueSettings) -> int:
    """How many play a match.  Raises Refusal for a game, rules or seats that cannot be."""
    if settings.game not in GAMES:
        raise Refusal("bad_request", f"game is {listed(list(GAMES), 'or')}", field="game")
    cls = GAMES[settings.game]
    seats = settings.seats or cls.seats[0]
    try:
        check_plan_seats(cls, seats)
        make_game(cls, settings.rules).start(seats)
    except ConfigError as error:
        raise Refusal("bad_request", str(error), field=error.setting or "rules") from None
    return seats


def new_code() -> str:
    """A code that nobody can guess, in two groups."""
    drawn = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    return f"{drawn[: CODE_LENGTH // 2]}-{drawn[CODE_LENGTH // 2 :]}"


def checked_code(code: str) -> str:
    """A code that a host has chosen.  Raises Refusal if it is too easy to guess, or cannot be typed."""
    if not CODE_MIN <= len(plain_code(code)) <= CODE_MAX or not code.isprintable():
        why = f"a code is {CODE_MIN} to {CODE_MAX} printable characters, hyphens and spaces not counted"
        raise Refusal("bad_request", why, field="code")
    return code
