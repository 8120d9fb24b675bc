"""Starts instances of bots when they are needed, and ends them when there are too many.

The number of processes is bounded, overall and for each bot.  If one more is needed than allowed, an idle
one is ended to make room; the pool says which one is needed last.

Starting a program takes a fifth of a second of a core, as long as a match, and a waiting one takes only
memory.  So instances stay, beyond the number that play, as long as half of the memory is free: a quick start
takes a third of the time.  One that computes while it waits would take others' time, and is ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial

import attrs
import trio

from arena.box.box import Box
from arena.box.places import FileView
from arena.box.processes import descendants
from arena.box.spare import cpu_s, cpu_s_below, free_memory_share
from arena.players.access import place_of
from arena.players.base import GonePlayer, Player
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.process import ProcessPlayer, run_process
from arena.players.start import BotBroken, log_name
from arena.players.stream import StreamPlayer
from arena.tournament.bots.attempts import STARTING_MAX, Attempt, Attempts
from arena.tournament.plan import control_of
from arena.tournament.play.logs import Logs
from arena.tournament.play.startup import StartUps
from arena.tournament.tournament import Tournament

KEPT_MAX = 128
"""How many processes may live at once, playing and waiting, if there is memory for them."""
FREE_MEMORY_SHARE = 0.5
"""As long as this much of the memory is free, nothing is ended to make room."""
LOOK_EVERY_S = 0.1
LOOKED_AT_ONCE = 4
"""How many waiting instances are looked at after a match; each takes 0.2 ms."""
IDLE_CPU_SHARE = 0.1
"""An instance that uses more of a core than this while it waits is ended; a Python program uses none."""
IDLE_S_MIN = 0.5
"""A shorter wait says nothing: processor time is counted in hundredths of a second."""
PLACE_S = 0.25
"""How long an instance told to end may still hold its place among the processes: others play on."""


@attrs.define
class InstanceUse:
    """What an instance has done since its demand, the processor time that it has wanted, was last read."""

    is_open: bool = False
    """Whether its demand was ever read."""
    read_at: float = 0.0
    demand_s: float = 0.0
    """Its demand when it was last read."""
    matches: int = 0
    wall_s: float = 0.0
    """The time in which its matches have waited for it."""

    def open(self, now: float, demand_s: float) -> None:
        """Starts counting again, now that the demand was read."""
        wall_s = 0.0 if self.is_open else self.wall_s  # its first match includes its start
        self.is_open, self.read_at, self.demand_s, self.matches, self.wall_s = True, now, demand_s, 0, wall_s


@attrs.define(eq=False)
class Instance:
    """One player of one bot, with what it may still be used for."""

    player: Player
    bot: str
    rotation: int | None = None
    """The only rotation it may play; None: it has played none yet, or any will do."""
    series: str | None = None
    """The series that it plays, if its bot starts afresh for each series."""
    is_busy: bool = False
    place: object = None
    """Its place among the processes that may live at once."""
    tab: InstanceUse = attrs.field(factory=InstanceUse)
    waiting_since: tuple[float, float] | None = None
    """The time, and the processor time it had used, when it was first looked at while waiting."""

    @property
    def is_process(self) -> bool:
        return isinstance(self.player, ProcessPlayer)

    @property
    def is_lost(self) -> bool:
        """Whether an instance that we started will not play again: it is gone, or has lost its connection."""
        player = self.player
        return player.is_gone or (isinstance(player, StreamPlayer) and not player.is_connected)


class Instances:
    """The instances that exist, and how to make more."""

    def __init__(
        self,
        tournament: Tournament,
        nursery: trio.Nursery,
        needed_last: Callable[[Sequence[Instance]], Instance],
        *,
        box: Box | None = None,
        watch: LagWatch | None = None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
        free_memory_share: Callable[[], float | None] = free_memory_share,
    ) -> None:
        """`needed_last`: picks the idle instance that will be missed least."""
        self._tournament = tournament
        self._nursery = nursery
        self._needed_last = needed_last
        self._processes_max = tournament.processes_max
        """How many processes may live whether or not memory is free."""
        self.box = box
        """The box that processes are started in; None: there are no processes."""
        self._startups = StartUps(tournament.plan.move_time, tournament.share)
        self._kept_max = tournament.share.part(KEPT_MAX)
        self._logs = Logs(tournament.logs, tournament.share)
        self._watch = watch
        self._note_bug = note_bug
        self._here: list[Instance] = []
        """All instances, in order of last use."""
        self._alive: Counter[str] = Counter()
        """Bot -> its processes, each from before its start until its last child is gone."""
        self._places: set[object] = set()
        """The places that processes hold; one that is told to end soon gives its place back."""
        self._sticky: set[str] = set()
        """Bots with an instance that did not end by itself: later ones get no time to do so."""
        self._room = trio.Event()
        self._free_memory_share = free_memory_share
        self._looked_at = 0.0

    def idle(self, bot: str) -> list[Instance]:
        """The bot's instances that sit at no table, in order of last use."""
        return [instance for instance in self._here if instance.bot == bot and not instance.is_busy]

    def allow(self, processes: int) -> None:
        """Lets this many processes live, if fewer were allowed so far."""
        self._processes_max = max(self._processes_max, processes)

    def place_of(self, entrant: Entrant) -> FileView:
        """What a bot sees of the file system."""
        return place_of(entrant, self._tournament.entrants, self._tournament.hidden)

    def enter(self, entrant: Entrant) -> None:
        """Adds a bot whose files the others do not see from now on."""
        others = tuple(one for one in self._tournament.entrants if one.name != entrant.name)
        self._tournament = attrs.evolve(self._tournament, entrants=(*others, entrant))

    # Starting

    async def try_all(
        self, leave_out: Collection[str] = (), tell: Callable[[str], object] = lambda line: None
    ) -> list[BotBroken]:
        """Starts one instance of every bot that we start; returns the broken ones, in the entrants' order.

        `tell` takes lines about who is waited for.
        """
        ours = [one for one in self._tournament.entrants if one.is_ours and one.name not in leave_out]
        return await Attempts(self._try, min(STARTING_MAX, self._processes_max), tell).run(ours)

    async def _try(self, attempt: Attempt) -> None:
        self._here.append(await self._start(attempt.entrant, attempt))

    async def add(self, entrant: Entrant) -> Instance:
        """Adds an instance of the bot; one that is gone already if the bot cannot be started."""
        try:
            instance = await self._start(entrant)
        except BotBroken as error:
            log = "" if error.log_path is None else log_name(error.log_path)
            instance = Instance(GonePlayer(entrant.name, error.reason, log), entrant.name)
        self._here.append(instance)
        return instance

    async def _start(self, entrant: Entrant, attempt: Attempt | None = None) -> Instance:
        """Starts an instance once there is room for it.  Raises BotBroken if it cannot be started.

        In an attempt before play, its place may go to others while it starts; it takes one again afterwards.
        """
        if entrant.kind == "local":
            from arena.players.local import LocalPlayer, load_bot

            return Instance(LocalPlayer(entrant.name, load_bot(entrant)), entrant.name)
        place = await self._make_room(entrant)
        if attempt is not None:
            attempt.takes_place(partial(self._give_back, place))
        began_at = trio.current_time()
        try:
            player: ProcessPlayer = await self._nursery.start(self._run, entrant, place, attempt)
        finally:
            self._startups.note_start(entrant, trio.current_time() - began_at)
        self._startups.limit(entrant, player)
        if place not in self._places:
            await self._make_room(entrant, place)
        return Instance(player, entrant.name, place=place)

    async def _make_room(self, entrant: Entrant, place: object = None) -> object:
        """Takes a place for one more process of this bot; ends idle instances if there are too many.

        `place`: the one that the process, which is alive already, had before.
        """
        while True:
            room = self._room
            idle = [instance for instance in self._here if instance.is_process and not instance.is_busy]
            most = None if place is not None else entrant.instances_max
            if most is not None and self._alive[entrant.name] >= most:
                idle = [instance for instance in idle if instance.bot == entrant.name]
            elif len(self._places) < self._processes_max or self._may_keep_more():
                if place is None:
                    place = object()
                    self._alive[entrant.name] += 1
                self._places.add(place)
                return place
            if idle:
                self.end(self._needed_last(idle))
            await room.wait()

    def _may_keep_more(self) -> bool:
        """Whether one more process may live beyond those that are needed."""
        return len(self._places) < self._kept_max and self._has_memory()

    def _has_memory(self) -> bool:
        share = self._free_memory_share()
        return share is not None and share >= FREE_MEMORY_SHARE

    async def _run(
        self,
        entrant: Entrant,
        place: object,
        attempt: Attempt | None,
        task_status: trio.TaskStatus[ProcessPlayer],
    ) -> None:
        """Runs one process from start to end; its place is counted already."""
        tournament, plan = self._tournament, self._tournament.plan

        def note_running(guard: int) -> None:
            if attempt is not None:
                attempt.runs(partial(cpu_s_below, guard))

        try:
            await run_process(
                entrant,
                box=self.box,
                field=tournament.entrants,
                results=tournament.hidden,
                log_path=self._logs.next_path(entrant.name),
                margin_s=control_of(plan, connecting=False).margin_s,
                name_wait_s=plan.name_wait_s,
                reconnect_s=plan.reconnect_s,
                connect_s=self._startups.connect_s(entrant),
                is_patient=entrant.name not in self._sticky,
                note_running=note_running,
                note_sticky=partial(self._sticky.add, entrant.name),
                watch=self._watch,
                note_bug=self._note_bug,
                task_status=task_status,
            )
        finally:
            self._alive[entrant.name] -= 1
            self._give_back(place)

    def _give_back(self, place: object) -> None:
        self._places.discard(place)
        self._make_known()

    # Ending

    def release(self, instance: Instance) -> None:
        """Notes that the instance has left its table and is free for the next match."""
        instance.is_busy = False
        instance.waiting_since = None
        self._here.remove(instance)
        self._here.append(instance)
        self._make_known()
        self._thin_out()

    def note_first_answer(self, instance: Instance) -> None:
        """Charges the instance's first answer to its bot, if it came in the match that has just ended."""
        self._startups.note_first_answer(instance.bot, instance.player)

    def end_lost(self) -> None:
        """Puts away the instances that will not play again."""
        for instance in [one for one in self._here if not one.is_busy and one.is_lost]:
            self.end(instance)

    def _thin_out(self) -> None:
        """Ends waiting instances that compute; if memory has become short, one that nobody needs soon."""
        now = trio.current_time()
        if now < self._looked_at + LOOK_EVERY_S:
            return
        self._looked_at = now
        waiting = [one for one in self._here if one.is_process and not one.is_busy]
        if waiting and len(self._places) > self._processes_max and not self._has_memory():
            self.end(self._needed_last(waiting))
            return
        self._end_restless(waiting, now)

    def _end_restless(self, waiting: list[Instance], now: float) -> None:
        """Ends instances that compute while they wait; a few are looked at after a match, in turn."""
        waiting.sort(key=lambda one: one.waiting_since or (0.0, 0.0))
        for instance in waiting[:LOOKED_AT_ONCE]:
            assert isinstance(instance.player, ProcessPlayer), "only processes wait in memory"
            used_s = cpu_s(descendants(instance.player.guard))
            since, before_s = instance.waiting_since or (now, used_s)
            if now - since >= IDLE_S_MIN and used_s - before_s > IDLE_CPU_SHARE * (now - since):
                self.end(instance)
            elif now - since >= IDLE_S_MIN or instance.waiting_since is None:
                instance.waiting_since = now, used_s

    def end(self, instance: Instance) -> None:
        """Has an instance ended in the background, while others play."""
        self._here.remove(instance)
        if isinstance(instance.player, ProcessPlayer):
            instance.player.close()
            self._nursery.start_soon(self._see_off, instance.player, instance.place)

    async def _see_off(self, player: ProcessPlayer, place: object) -> None:
        """Gives back the place of an ending instance once it is gone, or after a short time."""
        with trio.move_on_after(PLACE_S):
            await player.ended.wait()
        self._give_back(place)

    def end_all(self) -> None:
        for instance in list(self._here):
            self.end(instance)

    async def all_gone(self) -> None:
        """Returns when no process, nor any child of one, is alive any more."""
        while self._alive.total():
            await self._room.wait()

    def _make_known(self) -> None:
        """Wakes whatever is waiting for room."""
        self._room.set()
        self._room = trio.Event()
