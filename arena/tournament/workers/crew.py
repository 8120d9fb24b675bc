"""The run's side of its workers: gives them matches, takes in what they report, replaces lost workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from math import inf
from time import monotonic

import trio

from arena.errors import ArenaError, ConfigError, RemoteProtocolError
from arena.match.record import Place
from arena.schedule import Pairing
from arena.schedule.collector import rarely_collected
from arena.tournament.play.grounds import Over, TakenMatch, bots_playing
from arena.tournament.tournament import Tournament
from arena.tournament.workers.briefing import unfitness
from arena.tournament.workers.hiring import Hiring
from arena.tournament.workers.messages import (
    DropMatches,
    FromWorker,
    MatchesDropped,
    MatchesPlayed,
    RecordSaid,
    WantsMatches,
    WithdrawBot,
    WorkerBug,
    WorkerBye,
    WorkerHello,
    WorkerReady,
    WorkRefused,
)
from arena.tournament.workers.pipe import CutOff, Pipe
from arena.tournament.workers.post import StartedWorker, TakenThere, WorkerPost, bundled
from arena.tournament.workers.translation import entry_from, ordered_match

END_S = 5.0
"""How long workers may take to end their bots; bots that ignore SIGTERM need two to three seconds."""
LOST_IN_A_ROW_MAX = 3
"""How many workers in succession may be lost at one post before they finish a match."""


class Untrue(RemoteProtocolError):
    """A worker reported a match that cannot have been played like that."""


class WorkerGrounds:
    """The grounds on which all workers of a run play."""

    def __init__(
        self,
        tournament: Tournament,
        posts: Sequence[WorkerPost],
        hiring: Hiring,
        *,
        note: Callable[[str], object],
        note_bug: Callable[[str], object],
        note_lag: Callable[[float], object],
        check: Callable[[WorkerReady, WorkerPost], str | None],
    ) -> None:
        """`note`: takes a line for people; `check`: returns what is wrong with a worker's files, or None."""
        self._tournament = tournament
        self.posts = tuple(posts)
        self.hiring = hiring
        self.is_manned = trio.Event()
        """Set when the first worker of all is ready."""
        self._note, self._note_bug, self._note_lag = note, note_bug, note_lag
        self._check = check
        self._has_room: Callable[[], object] = lambda: None
        self._ordered = 0
        self._withdrawn: dict[str, None] = {}
        self._lost = 0
        self._is_closing = False

    # Grounds.

    @property
    def looks_every_s(self) -> float:
        return inf

    @property
    def is_full(self) -> bool:
        # Not `any`, which takes twice as long: this is asked for every match.
        for post in self.posts:  # noqa: SIM110
            if post.has_room:
                return False
        return True

    def follow(self, upcoming: Callable[[], Iterable[Pairing]], has_room: Callable[[], object]) -> None:
        self._has_room = has_room

    def is_free(self, bot: str) -> bool:
        return any(post.has_room and post.is_free(bot) for post in self.posts)

    def can_seat(self, pairing: Pairing, without: frozenset[str]) -> bool:
        bots = bots_playing(pairing, without)
        for post in self.posts:  # noqa: SIM110
            if post.can_seat(bots):
                return True
        return False

    def has_room(self, pairing: Pairing, without: frozenset[str]) -> bool:
        return True  # the worker decides when it begins

    def begin(self, pairing: Pairing, without: frozenset[str]) -> TakenThere:
        # An instance plays one rotation of shared deals only: a worker of few rotations needs few instances.
        post = self.posts[pairing.rotation % len(self.posts)]
        bots = bots_playing(pairing, without)
        if not post.can_seat(bots):
            fitting = [post for post in self.posts if post.can_seat(bots)]
            post = min(fitting, key=lambda one: len(one.taken_on) / one.wanted)
        self._ordered += 1
        taken = TakenThere(pairing, without, self._ordered, post, monotonic())
        post.taken_on[taken.number] = taken
        post.seat(bots)
        post.say(ordered_match(taken.number, pairing, without))
        return taken

    def start(self, taken: TakenMatch, matches: trio.Nursery, over: Over) -> None:
        assert isinstance(taken, TakenThere), "the match was begun in a worker"
        taken.over = over

    def end(self, taken: TakenMatch) -> None:
        assert isinstance(taken, TakenThere), "the match was begun in a worker"
        post = taken.post
        del post.taken_on[taken.number]
        post.unseat(taken.bots)

    def drop(self, taken_on: Sequence[TakenMatch]) -> None:
        numbers: dict[WorkerPost, list[int]] = {}
        for taken in taken_on:
            assert isinstance(taken, TakenThere), "the match was begun in a worker"
            if not (taken.is_answered or taken.is_dropped):
                taken.is_dropped = True
                numbers.setdefault(taken.post, []).append(taken.number)
        for post, these in numbers.items():
            post.say(DropMatches(tuple(these)))

    def withdraw(self, bot: str) -> None:
        self._withdrawn[bot] = None
        for post in self.posts:
            post.say(WithdrawBot(bot))

    def look(self) -> None:
        pass  # workers measure their matches themselves

    # The workers.

    async def man(self, post: WorkerPost) -> None:
        """Keeps a worker at this post until the crew is dismissed.

        Raises ConfigError if one cannot be used, or too many were lost.
        """
        try:
            with post.scope:
                while not (self._is_closing or post.is_over):
                    why = ""
                    async with self.hiring.enlist(post.name) as recruit:
                        try:
                            await self._employ(post, recruit)
                        except CutOff:
                            pass  # it was ended while we read from it
                        except Untrue as error:
                            why, recruit.is_trusted = f"told what cannot be ({error})", False
                        except RemoteProtocolError as error:
                            why, recruit.is_trusted = f"said what was not understood ({error})", False
                        finally:
                            post.recruit = None
                    if not (self._is_closing or post.is_over):
                        self._note_lost(post, recruit, why or recruit.ending)
        finally:
            post.gone.set()

    async def _employ(self, post: WorkerPost, recruit: StartedWorker) -> None:
        """Works with one worker, from its first message to its last."""
        pipe = Pipe[FromWorker](recruit.stream, FromWorker)
        with trio.move_on_after(self.hiring.begin_s) as waiting:
            if not await self._introduce(post, recruit, pipe):
                return
        if waiting.cancelled_caught:
            raise ConfigError(
                f"{post.name}{recruit.where} was not ready within {self.hiring.begin_s:g} s: "
                "try fewer workers"
            )
        post.recruit = recruit
        post.is_manned.set()
        self.is_manned.set()
        self._has_room()
        mistake: ArenaError | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send_mail, post, pipe)
            try:
                await self._hear(post, recruit, pipe)
            except ArenaError as error:
                mistake = error  # raised below: the nursery would wrap it in a group
            nursery.cancel_scope.cancel()
        if mistake is not None:
            raise mistake

    async def _introduce(self, post: WorkerPost, recruit: StartedWorker, pipe: Pipe[FromWorker]) -> bool:
        """Briefs a worker; returns whether it is there and fits.  Raises ConfigError if it cannot play."""
        said = await pipe.receive()
        if said is None:
            return False
        if not isinstance(said, WorkerHello):
            raise RemoteProtocolError(f"found {type(said).__name__}, expected WorkerHello")
        if (why := unfitness(said)) is not None:
            raise ConfigError(f"{post.name}{recruit.where} {why}")
        try:
            await pipe.send(post.begin)
        except trio.BrokenResourceError:
            return False
        match await pipe.receive():
            case WorkerReady() as there:
                if (why := self._check(there, post)) is not None:
                    raise ConfigError(f"{post.name}{recruit.where} {why}")
                post.want(there.wanted)
                return True
            case WorkRefused(why):
                raise ConfigError(f"{post.name}{recruit.where} cannot play: {why}")
            case WorkerBug(traceback_text):
                self._note_bug(traceback_text)
            case None:
                pass
            case other:
                raise RemoteProtocolError(f"found {type(other).__name__}, expected WorkerReady")
        return False

    async def _send_mail(self, post: WorkerPost, pipe: Pipe[FromWorker]) -> None:
        while True:
            await post.has_mail.wait()
            post.has_mail = trio.Event()
            mail, post.outbox = post.outbox, []
            try:
                await pipe.send(*bundled(mail))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return  # whoever reads from it notices its end

    async def _hear(self, post: WorkerPost, recruit: StartedWorker, pipe: Pipe[FromWorker]) -> None:
        while (said := await pipe.receive()) is not None:
            match said:
                case MatchesPlayed(numbers, records, wanted):
                    if len(numbers) != len(records):
                        raise RemoteProtocolError(f"found {len(records)} matches, expected {len(numbers)}")
                    post.note_finished(len(numbers), wanted)
                    place = Place(recruit.host, post.name)
                    for number, record in zip(numbers, records, strict=True):
                        self._answer(post, number, record, place)
                case MatchesDropped(numbers):
                    for number in numbers:
                        self._answer(post, number)
                case WantsMatches(matches):
                    post.want(matches)
                    self._has_room()
                case WorkerBug(traceback_text):
                    self._note_bug(traceback_text)
                case WorkerBye(lag_worst_s):
                    self._note_lag(lag_worst_s)
                    post.is_over = True
                case WorkRefused(why):
                    raise ConfigError(f"{post.name}{recruit.where} cannot play on: {why}")
                case _:
                    raise RemoteProtocolError(f"found {type(said).__name__}, expected results")

    def _answer(
        self, post: WorkerPost, number: int, record: RecordSaid | None = None, place: Place | None = None
    ) -> None:
        """Takes the answer to an order.  Raises RemoteProtocolError if it was not open, or cannot be true."""
        taken = post.taken_on.get(number)
        if taken is None and number <= self._ordered:
            return  # the match was broken off meanwhile
        if taken is None or taken.is_answered:
            raise RemoteProtocolError(f"order {number} was not open")
        entry = None
        try:
            if record is not None:
                entry = entry_from(self._tournament, taken.pairing, taken.without, record, place)
        except ValueError as error:
            raise RemoteProtocolError(str(error)) from None
        if entry is not None:
            why = self.hiring.doubt(entry, monotonic() - taken.ordered_at)
            if why is not None:
                raise Untrue(why)
        taken.answer(entry)

    def _note_lost(self, post: WorkerPost, recruit: StartedWorker, why: str) -> None:
        self._lost += 1
        post.lost_in_a_row += 1
        if post.lost_in_a_row >= LOST_IN_A_ROW_MAX or self._lost >= self.hiring.lost_max:
            before = (
                f"{post.lost_in_a_row} in succession ended before they had finished a match"
                if post.lost_in_a_row >= LOST_IN_A_ROW_MAX
                else f"{self._lost} have ended in this run"
            )
            raise ConfigError(
                f"{post.name}{recruit.where} {why}, and {before}: what was played is kept",
                hints=(self.hiring.otherwise,),
            )
        self._note(f"{post.name}{recruit.where} {why}: another one plays its matches again")
        post.resubmit(self._withdrawn)

    async def dismiss(self) -> None:
        """Ends all workers, which end their bots first."""
        self._is_closing = True
        for post in self.posts:
            if post.recruit is None:
                post.scope.cancel()
            else:
                try:
                    await post.recruit.stream.send_eof()
                except (trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError):
                    post.scope.cancel()
        with trio.move_on_after(END_S):
            for post in self.posts:
                await post.gone.wait()
        for post in self.posts:
            post.scope.cancel()


@asynccontextmanager
async def open_crew(crew: WorkerGrounds) -> AsyncIterator[WorkerGrounds]:
    """Has the whole crew work; when the context ends, no worker and no bot of one is left alive."""
    with rarely_collected():
        async with trio.open_nursery() as nursery:
            for post in crew.posts:
                nursery.start_soon(crew.man, post)
            try:
                for is_there in (
                    [crew.is_manned] if crew.hiring.is_afar else [post.is_manned for post in crew.posts]
                ):
                    await is_there.wait()
                yield crew
            finally:
                with trio.CancelScope(shield=True):
                    await crew.dismiss()
