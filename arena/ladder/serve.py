"""The process that plays one league: it hears who is to play, tries them, plays, and tells the server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from arena.box.box import Box, open_box
from arena.box.spare import spare_cores
from arena.errors import ConfigError, RemoteProtocolError
from arena.ladder.connected import VISIT_MARGIN_S, ConnectedBots
from arena.ladder.field import FAILURES, Field
from arena.ladder.machine import MachineLooks
from arena.ladder.messages import (
    REASON_MAX,
    AskMachine,
    BeginLadder,
    CannotPlay,
    FieldVersion,
    FromServer,
    LadderRow,
    SetCores,
    SetField,
    SetPaused,
    StandingsSaid,
    State,
    VisitSaid,
)
from arena.ladder.play import LadderPlay
from arena.ladder.rating import Rater
from arena.ladder.trying import VersionRefused, check_entrant, entrant_of
from arena.match.game import Game
from arena.players.entrant import Entrant
from arena.players.lag import open_watch
from arena.schedule.admission import Capacity
from arena.schedule.endless import KIND
from arena.schedule.ladder import FailureReason
from arena.schedule.ladder_rows import LadderStanding
from arena.store import DATABASE, StoredBot
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.bots.game_source import find_game
from arena.tournament.folder.changes import AddBot, Changes, SetStatus
from arena.tournament.folder.epochs import drawn_seal, run_in
from arena.tournament.folder.folder import open_run
from arena.tournament.folder.ladder_course import LadderCourse
from arena.tournament.folder.published import AGAIN_S, publish_epochs
from arena.tournament.folder.run import Run
from arena.tournament.folder.writer import note_bug, open_writer
from arena.tournament.lobby.callers import lift_files_limit
from arena.tournament.plan import Plan, capacity_of, control_of, make_game, plan_from
from arena.tournament.play.in_process import InProcessGrounds, open_conversations, open_pool
from arena.tournament.play.pool import Pool
from arena.tournament.play.summary import Summary
from arena.tournament.tournament import Tournament
from arena.tournament.workers.pipe import Pipe
from arena.words import clipped

MESSAGE_BYTES_MAX = 8 << 20
"""The largest message: a field of 10,000 versions."""
BACK_S = 60.0
"""How long play waits, at the start, for those who have played before."""
TRIAL_S = 60.0
"""How long a check may take beside play: to start the bot again and again, and to end it."""


async def serve_ladder(stream: trio.abc.Stream, bots_fd: int = -1) -> bool:
    """Plays until the server closes its end; returns whether all went well.

    `bots_fd`: the socket on which connections of bots are passed on, unless `BeginLadder` names it.
    """
    pipe = Pipe[FromServer](stream, FromServer, MESSAGE_BYTES_MAX)
    begin = await pipe.receive()
    if begin is None:
        return True
    if not isinstance(begin, BeginLadder):
        raise RemoteProtocolError(f"found {type(begin).__name__}, expected BeginLadder")
    lift_files_limit()
    why = ""
    try:
        await _play(begin, pipe, bots_fd if begin.bots_fd < 0 else begin.bots_fd)
    except* ConfigError as group:  # as of a full disk, which the writer finds in a task of its own
        why = str(_first(group))
    if why:
        await pipe.send(CannotPlay(why))
    return True


def _first(group: BaseExceptionGroup[ConfigError]) -> ConfigError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, ConfigError)
    return error


async def _play(begin: BeginLadder, pipe: Pipe[FromServer], bots_fd: int) -> None:
    """Opens everything that play needs, and plays.

    Raises ConfigError, or a group of them, if that cannot be done here, or no longer.
    """
    tournament = tournament_of_ladder(begin)
    with open_run(tournament) as run, open_watch() as watch, open_conversations(run) as conversations:
        run.begin()
        rater, note = Rater(), partial(note_bug, run, Summary())
        course = LadderCourse.of(run, rater.add)
        connected = ConnectedBots(run.plan.reconnect_s, watch, note, course.begun_with)
        async with (
            open_box(begin.sandbox, secret=run.folder / DATABASE) as box,
            open_pool(run, box, watch, note, lambda nursery: connected) as (pool, _),
        ):
            versions: dict[str, str] = {}
            named = attrs.evolve(run, versions=versions)

            def grounds_with(seed: int) -> InProcessGrounds:
                return InProcessGrounds(run_in(named, seed), pool, watch, conversations)

            async with open_writer(run) as keep, trio.open_nursery() as nursery:
                ladder = _OpenLadder(begin, run, pool, box, keep, pipe, versions, course, rater, connected)
                connected.host = ladder
                ladder.play = LadderPlay(
                    grounds_with,
                    course,
                    keep,
                    epoch_s=begin.epoch_s,
                    draw_seal=partial(drawn_seal, run.store.meta()),
                    batch_s=begin.batch_s,
                    audience=ladder,
                    callers=connected,
                )
                nursery.start_soon(ladder.play.play)
                nursery.start_soon(ladder.try_all)
                nursery.start_soon(ladder.tell)
                nursery.start_soon(ladder.rate)
                nursery.start_soon(ladder.publish)
                nursery.start_soon(ladder.machine.run, box, ladder._say)
                if bots_fd >= 0:
                    nursery.start_soon(connected.listen, bots_fd)
                await ladder.hear()
                nursery.cancel_scope.cancel()


def tournament_of_ladder(begin: BeginLadder) -> Tournament:
    """The ladder's tournament, without bots.  Raises ConfigError if its game cannot be played like that."""
    folder = Path(begin.folder)
    plan = plan_from(msgspec.json.decode(begin.plan), where="the league", base=folder)
    cls = find_game(plan.game).cls
    plan = attrs.evolve(plan, game=cls.name, tournament=KIND.name, sandbox=begin.sandbox, bots=(), out=folder)
    game: Game[Any, Any] = make_game(cls, plan.rules)
    game.start(plan.seats)  # the game refuses rules that do not fit the number of seats
    capacity = _capacity(plan, spare_cores())
    return Tournament(plan=plan, game=game, entrants=(), folder=folder, capacity=capacity)


def _capacity(plan: Plan, cores: float) -> Capacity:
    """How many matches are played at once where so many cores, or a part of one, are the league's own."""
    capacity = capacity_of(plan, max(1, int(cores)), is_measured=True)
    return capacity if capacity.is_fixed else attrs.evolve(capacity, cores=cores)


@attrs.define(eq=False)
class _OpenLadder:
    """What the tasks of the process share."""

    _terms: BeginLadder
    _run: Run
    _pool: Pool
    _box: Box
    _keep: trio.MemorySendChannel[Changes]
    _pipe: Pipe[FromServer]
    _versions: dict[str, str]
    """Bot -> the version that its files name, which its matches keep."""
    _course: LadderCourse
    _rater: Rater
    _connected: ConnectedBots
    play: LadderPlay = attrs.field(init=False)
    _known: dict[str, str] = attrs.field(init=False)
    """Bot -> its fingerprint, of those in the folder."""
    _stale: set[str] = attrs.field(init=False)
    """Bots that the folder says take part; emptied once it is known who does."""
    _field: Field = attrs.field(factory=Field)
    _trial: tuple[str, trio.CancelScope] | None = None
    """The version that is being tried."""
    _are_back: trio.Event = attrs.field(factory=trio.Event)
    _is_paused: bool = False
    _standing: LadderStanding | None = None
    """What ratings say, unless the schedule was told."""
    _untold: list[object] = attrs.field(factory=list)
    """Messages that the server is to be sent."""
    _has_news: trio.Event = attrs.field(factory=trio.Event)
    _is_changed: trio.Event = attrs.field(factory=trio.Event)
    machine: MachineLooks = attrs.field(factory=MachineLooks)
    _has_ended: trio.Event = attrs.field(factory=trio.Event)
    """Set when an epoch has ended."""

    def __attrs_post_init__(self) -> None:
        bots = self._run.store.bots()
        self._known = {bot.bot: bot.fingerprint for bot in bots}
        self._stale = {bot.bot for bot in bots if bot.status == "ok"}
        self._field.known |= self._known.keys()

    # What play asks and tells.

    @property
    def present(self) -> Mapping[str, str]:
        return self._connected.present(self._field.playing)

    async def are_back(self) -> None:
        with trio.move_on_after(BACK_S):
            await self._are_back.wait()

    def take_standing(self) -> LadderStanding | None:
        standing, self._standing = self._standing, None
        return standing

    def note_failed(self, id: str, how: FailureReason) -> None:
        self._say(self._field.fail(id, FAILURES[how]))

    def note_epoch(self) -> None:
        self._has_ended.set()

    async def publish(self) -> None:
        """Has copies made of the epochs that have ended."""
        while True:
            self._has_ended = trio.Event()
            await publish_epochs(self._run.folder, self._course.epoch)
            with trio.move_on_after(AGAIN_S):
                await self._has_ended.wait()

    # The server.

    async def hear(self) -> None:
        """Takes what the server says, until it closes its end."""
        while (said := await self._pipe.receive()) is not None:
            if isinstance(said, SetPaused):
                self._is_paused = said.is_paused
                self.play.pause(said.is_paused)
                self._wake()
                continue
            if isinstance(said, AskMachine):
                self.machine.ask()
                continue
            if isinstance(said, SetCores):
                self.play.limit(_capacity(self._run.plan, said.cores))
                continue
            if not isinstance(said, SetField):
                raise RemoteProtocolError(f"found {type(said).__name__}, expected SetField")
            gone = self._field.set(said.versions)
            gone |= dict.fromkeys(self._stale - self._field.wanted.keys(), "without")  # while nobody played
            self._stale.clear()
            self._connected.set(said.versions)
            for id, status in gone.items():
                self._pool.withdraw(id)
                await self._keep.send([SetStatus(id, status)])
            if self._trial is not None and self._trial[0] not in self._field.wanted:
                self._trial[1].cancel()
            for told in self._field.said.values():  # a server that came back knows nothing
                self._say(told)
            self._wake()

    async def tell(self) -> None:
        """Sends the server what it is to be told."""
        while True:
            self._has_news = trio.Event()
            news, self._untold = self._untold, []
            if news:
                await self._pipe.send(*news)
            else:
                await self._has_news.wait()

    def _say(self, message: object) -> None:
        self._untold.append(message)
        self._has_news.set()

    def _wake(self) -> None:
        self._is_changed.set()
        self.play.look_again()

    async def rate(self) -> None:
        """Rates all that play, now and then, for the schedule and for people."""
        batch = -2
        while True:
            if self._course.batch != batch:
                batch = self._course.batch
                rated = await self._rater.rate([*self._field.playing])
                self._standing = rated.standing
                self._say(self._standings(rated.rows))
            await trio.sleep(self._terms.rate_s)

    def _standings(self, rows: tuple[LadderRow, ...]) -> StandingsSaid:
        matches = self._course.matches
        path = self._run.folder / DATABASE
        return StandingsSaid(
            self._course.batch,
            matches,
            rows,
            match_s=self._course.match_s,
            match_bytes=path.stat().st_size / matches if matches else 0.0,
            cores=self.play.cores,
            batch_s=self._terms.batch_s,
        )

    # The versions.

    async def try_all(self) -> None:
        """Tries one version after the other, as long as there are any."""
        while True:
            self._is_changed = trio.Event()
            if self._field.are_back:
                self._are_back.set()
            version = None if self._is_paused else self._field.next_to_try()
            if version is None:
                await self._is_changed.wait()
                continue
            if (how := self._course.withdrawn.get(version.id)) is not None:
                self.note_failed(version.id, how)
                continue
            try:
                entrant = entrant_of(version, self._run)
                is_ready = version.is_house and not entrant.build
                if not (is_ready or self._has_played(entrant)):
                    await self._try(entrant)
            except VersionRefused as error:
                self._note(version.id, "refused", str(error))
                continue
            if version.id in self._field.wanted:  # it may have been taken back meanwhile
                await self._enter(version, entrant)

    async def _try(self, entrant: Entrant) -> None:
        """Builds and checks a version, unless it is taken back meanwhile.  Raises VersionRefused."""
        self._note(entrant.name, "building" if entrant.build else "checking")
        limit_s = (self._terms.build_s if entrant.build else 0.0) + self._terms.check_s + TRIAL_S
        with trio.move_on_after(limit_s) as scope:
            self._trial = entrant.name, scope
            await check_entrant(entrant, self._run, self._terms.check_s)
        self._trial = None
        if scope.cancelled_caught and entrant.name in self._field.wanted:
            what = "built and checked" if entrant.build else "checked"
            raise VersionRefused(f"It was not {what} within {limit_s:.0f} s.")

    def _has_played(self, entrant: Entrant) -> bool:
        """Whether this very version has played before, so that it need not be tried again."""
        return self._known.get(entrant.name) == entrant.fingerprint and not needs_build(entrant)

    async def _enter(self, version: FieldVersion, entrant: Entrant) -> None:
        """Has a version play from the next batch on."""
        self._pool.enter(entrant)
        self._versions[entrant.name] = entrant.version
        bot = StoredBot(
            bot=entrant.name,
            version=entrant.version,
            path=entrant.path,
            command=entrant.command,
            language=entrant.language,
            fingerprint=entrant.fingerprint,
            margin_s=control_of(self._run.plan, connecting=False).margin_s,
            box=self._box.name if entrant.kind == "process" else "",
        )
        self._known[entrant.name] = entrant.fingerprint
        await self._keep.send([AddBot(bot)])
        if version.id not in self._field.wanted:  # it was taken back at this very moment
            self._pool.withdraw(version.id)
            await self._keep.send([SetStatus(version.id, "without")])
            return
        self._field.enter(version)
        self._note(version.id, "playing")
        self._wake()

    # Those that connect.

    async def let_in(self, version: FieldVersion) -> str | None:
        """Has a version play whose bot has connected; returns why not, if it cannot."""
        if (how := self._course.withdrawn.get(version.id)) is not None:
            self.note_failed(version.id, how)
            return f"{version.id} plays no more: {FAILURES[how]}"
        if version.id not in self._field.playing:
            self._pool.admit(version.id)
            bot = StoredBot(version.id, path="connects", margin_s=VISIT_MARGIN_S)
            await self._keep.send([AddBot(bot)])
            if version.id not in self._field.wanted:  # it was taken back at this very moment
                self._pool.withdraw(version.id)
                await self._keep.send([SetStatus(version.id, "without")])
                return f"{version.id} plays no more"
            self._field.enter(version)
            self._note(version.id, "playing")
        self._wake()
        return None

    def tell_visit(self, said: VisitSaid) -> None:
        """Tells the server who has come or gone."""
        self._say(said)
        self._wake()

    def _note(self, id: str, state: State, reason: str = "") -> None:
        self._say(self._field.say(id, state, clipped(reason, REASON_MAX)))
