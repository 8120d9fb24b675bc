"""Pairings -> matches -> records, in this process: tries the bots, seats them, plays what the folder lacks, and keeps it."""

from __future__ import annotations

import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

import attrs
import msgspec
import trio

from arena.conduct import Ledger, Outcome, note_all
from arena.entrants import Entrant, needs_build
from arena.errors import ConfigError
from arena.game import Game
from arena.plan import Plan, control_of, deals_of
from arena.players.codec import Codec
from arena.players.lag import LagWatch
from arena.players.pool import Instance, Pool, file_name
from arena.players.process import BotBroken, build
from arena.players.tcp import Lobby, accept_all, listen
from arena.record import Decision, Entry, MatchRecord, Turn, pack
from arena.referee import Conduct, Seating, play_match
from arena.schedule import Pairing, bot_seed, match_id, round_robin
from arena.scoring import points
from arena.store import Store, StoredBot

LOOKAHEAD = 2000
"""Planned matches looked through for one whose bots are free."""
BATCH_MAX = 64
"""Matches written in one go when the disk is slower than the bots."""
CONNECTIONS_MAX = 1024


Kept: TypeAlias = Entry | Callable[[], None]
"""What the writer is given: a match, or another change of the store, in order."""


class BrokenBots(ConfigError):
    """Bots that cannot play; all of them."""

    def __init__(self, broken: Sequence[BotBroken]) -> None:
        super().__init__("; ".join(str(bot) for bot in broken))
        self.broken = tuple(broken)


class Reporter(Protocol):
    """Whoever shows a run to people; called from the run, must not block."""

    def note(self, line: str) -> None:
        """One line for people."""

    def waiting(self, address: str, missing: Sequence[str]) -> None:
        """Connecting bots are waited for."""

    def begins(self, planned: int, done: int) -> None:
        """Play begins: so many matches are planned, so many were there already."""

    def played(self, entry: Entry) -> None:
        """A match is over."""


class Silent:
    """A reporter that shows nothing."""

    def note(self, line: str) -> None: ...
    def waiting(self, address: str, missing: Sequence[str]) -> None: ...
    def begins(self, planned: int, done: int) -> None: ...
    def played(self, entry: Entry) -> None: ...


@attrs.frozen
class Setup:
    """All that is decided before anything runs."""

    plan: Plan
    """With its seed."""
    game: Game[Any, Any]
    entrants: tuple[Entrant, ...]
    tokens: Mapping[str, str]
    """Token -> name, of the entrants that connect with one."""
    concurrency: int
    folder: Path
    store: Store
    only: str | None = None
    """Play just the match whose id begins so."""
    stop_at_fault: bool = False

    @property
    def seed(self) -> int:
        assert self.plan.seed is not None, "the seed is drawn before anything runs"
        return self.plan.seed

    @property
    def margins(self) -> dict[str, float]:
        started = control_of(self.plan, connecting=False).margin_s
        return {entrant.name: started for entrant in self.entrants}


@attrs.define
class Summary:
    """What a run did."""

    planned: int = 0
    played: int = 0
    faults: Counter[tuple[str, str, str]] = attrs.field(factory=Counter)
    """(bot, kind, reason) -> how often, in this run."""
    lagged: int = 0
    """Decisions that the arena itself may have spoilt."""
    lag_worst_s: float = 0.0
    aborted: list[str] = attrs.field(factory=list)
    """Ids of matches whose rules broke in this run."""
    first_fault: Entry | None = None
    """The match at whose fault the run was stopped."""
    left_out: list[BotBroken] = attrs.field(factory=list)
    last: Entry | None = None


async def run_tournament(setup: Setup, reporter: Reporter, summary: Summary) -> None:
    """Plays what the folder lacks; `summary` is filled as it goes and stays true when the run is cancelled.

    Raises BrokenBots or another ConfigError before any match if something is wrong with the bots.
    """
    watch = LagWatch()
    trio.lowlevel.add_instrument(watch)
    try:
        async with trio.open_nursery() as nursery:
            lobby = _open_lobby(setup, nursery, reporter, watch) if setup.plan.connecting else None
            pool = Pool(
                setup.entrants,
                nursery,
                processes_max=2 * setup.concurrency * setup.plan.seats,
                shares_deals=deals_of(setup.plan) == "same",
                margin_s=setup.margins,
                name_wait_s=setup.plan.name_wait_s,
                reconnect_s=setup.plan.reconnect_s,
                logs=setup.folder / "logs",
                watch=watch,
                lobby=lobby,
            )
            try:
                names = await _gather(setup, pool, lobby, reporter, summary)
                order = list(schedule(setup, names))
                if len(order) > setup.plan.matches_max:
                    raise too_many(len(order), setup.plan)
                await _Run(setup, pool, reporter, summary, order, watch).play()
            finally:
                with trio.CancelScope(shield=True):
                    await pool.close()
            nursery.cancel_scope.cancel()
    finally:
        trio.lowlevel.remove_instrument(watch)


def schedule(setup: Setup, names: Sequence[str]) -> Sequence[Pairing]:
    """All pairings of the tournament between these bots, in order of play."""
    plan = setup.plan
    return list(
        round_robin(
            names, {}, game=setup.game.name, seats=plan.seats, series=plan.series, seed=setup.seed, deals=deals_of(plan)
        )
    )


def too_many(matches: int, plan: Plan) -> ConfigError:
    """The refusal of a plan that is too large to be meant."""
    return ConfigError(
        f"{matches:,} matches are more than matches_max = {plan.matches_max:,}; take fewer series or bots, or raise matches_max in a plan file"
    )


# Before play.


def _open_lobby(setup: Setup, nursery: trio.Nursery, reporter: Reporter, watch: LagWatch) -> Lobby:
    plan = setup.plan
    lobby = Lobby(
        tokens=setup.tokens,
        expect=plan.expect,
        taken=frozenset(entrant.name for entrant in setup.entrants),
        margin_s=control_of(plan, connecting=True).margin_s,
        name_wait_s=plan.name_wait_s,
        reconnect_s=plan.reconnect_s,
        watch=watch,
        note=reporter.note,
    )
    host, port = (plan.listen.host, plan.listen.port) if plan.listen is not None else ("127.0.0.1", 0)
    listener = listen(host, port)
    lobby.address = f"{host}:{listener.getsockname()[1]}"
    nursery.start_soon(partial(accept_all, listener, lobby.serve, connections_max=CONNECTIONS_MAX))
    return lobby


async def _gather(
    setup: Setup, pool: Pool, lobby: Lobby | None, reporter: Reporter, summary: Summary
) -> list[str]:
    """The names of all bots that play: those we start, tried one by one, and those that connect."""
    entrants, broken = await _build_all(setup, reporter)
    broken += await pool.try_all({bot.name for bot in broken})
    if broken and not setup.plan.leave_out_broken:
        raise BrokenBots(broken)
    summary.left_out = broken
    out = {bot.name for bot in broken}
    names = [entrant.name for entrant in setup.entrants if entrant.kind in ("process", "local") and entrant.name not in out]
    setup.store.put_bots([_stored(setup, entrant, "left out" if entrant.name in out else "ok") for entrant in entrants])
    if lobby is not None:
        while lobby.missing:
            reporter.waiting(lobby.address, lobby.missing)
            await lobby.arrived()
        names += list(lobby.players)
        lobby.is_full = True
        unknown = [name for name in lobby.players if name not in {entrant.name for entrant in setup.entrants}]
        setup.store.put_bots([StoredBot(name, path="connects", margin_s=lobby.margin_s) for name in unknown])
    if len(names) < setup.plan.seats:
        raise ConfigError(f"{len(names)} of the bots can play, and a table has {setup.plan.seats} seats: mend some, or take fewer seats")
    return names


async def _build_all(setup: Setup, reporter: Reporter) -> tuple[list[Entrant], list[BotBroken]]:
    """The entrants, built, and those of them that cannot be."""
    entrants, broken = [], []
    for entrant in setup.entrants:
        if needs_build(entrant):
            reporter.note(f"building {entrant.name}: {' '.join(entrant.build)}")
            try:
                entrant = await build(entrant, setup.folder / "logs" / f"{file_name(entrant.name)}-build.log")
            except BotBroken as error:
                broken.append(error)
        entrants.append(entrant)
    return entrants, broken


def _stored(setup: Setup, entrant: Entrant, status: str) -> StoredBot:
    return StoredBot(
        bot=entrant.name,
        version=entrant.version,
        path=entrant.path,
        command=entrant.command,
        language=entrant.language,
        fingerprint=entrant.fingerprint,
        status=status,
        margin_s=control_of(setup.plan, connecting=entrant.kind == "remote").margin_s,
    )


# Play.


class _Run:
    """The matches of one run: which is next, which are going on, what is kept."""

    def __init__(
        self,
        setup: Setup,
        pool: Pool,
        reporter: Reporter,
        summary: Summary,
        order: Sequence[Pairing],
        watch: LagWatch,
    ) -> None:
        self.setup = setup
        self.pool = pool
        self.reporter = reporter
        self.summary = summary
        self.order = order
        self.watch = watch
        plan = setup.plan
        self.ledger = Ledger(order, withdrawn_after=plan.withdrawn_after, restarts_max=plan.restarts_max)
        self.versions = {bot.bot: bot.version for bot in setup.store.bots()}
        self.by_id = {pairing.id: pairing for pairing in order}
        self.pending = self._pending()
        self.running = 0
        self.freed = trio.Event()
        self.scope = trio.CancelScope()

    def _pending(self) -> deque[Pairing]:
        """What the folder lacks, in order of play."""
        setup = self.setup
        finished = setup.store.finished()
        stale = note_all(self.ledger, {id: _outcomes(self.by_id[id], f.abandoned, f.crashed, f.withdrawn) for id, f in finished.items() if id in self.by_id})
        if stale:
            setup.store.remove([finished[pairing].match_id for pairing in stale])
        there = set(finished) - set(stale)
        if setup.only is None:
            return deque(pairing for pairing in self.order if pairing.id not in there)
        chosen = [pairing for pairing in self.order if match_id(setup.seed, pairing.id).startswith(setup.only)]
        if len(chosen) != 1:
            raise ConfigError(f"--only {setup.only}: {len(chosen)} matches of the plan have such an id; `arena matches` lists them")
        if chosen[0].id in there:
            setup.store.remove([finished[chosen[0].id].match_id])
        return deque(chosen)

    async def play(self) -> None:
        """Plays all that is pending; when cancelled, what is finished is still kept."""
        self.setup.store.set_schedule(self.order)
        for bot in self.ledger.withdrawn:
            self.setup.store.set_status(bot, "withdrawn")
        done = len(self.order) - len(self.pending)
        self.summary.planned = len(self.order)
        self.reporter.begins(len(self.order), done)
        keep, to_write = trio.open_memory_channel[Kept](4 * BATCH_MAX)
        async with trio.open_nursery() as writing:
            writing.start_soon(self._write_all, to_write)
            try:
                with self.scope:
                    async with trio.open_nursery() as matches:
                        await self._dispatch(matches, keep)
            finally:
                keep.close()
        self.summary.lag_worst_s = self.watch.worst_s

    async def _dispatch(self, matches: trio.Nursery, keep: trio.MemorySendChannel[Kept]) -> None:
        """Starts matches in order of play as tables and bots get free."""
        while self.pending or self.running:
            self.freed = trio.Event()
            while self.running < self.setup.concurrency and (pairing := self._next()) is not None:
                without = self.ledger.without(pairing.id)
                self.pool.reserve(pairing, without)
                self.running += 1
                matches.start_soon(self._play, pairing, without, keep)
            if self.pending or self.running:
                await self.freed.wait()

    def _next(self) -> Pairing | None:
        """The first pending pairing whose bots are free."""
        for index in range(min(LOOKAHEAD, len(self.pending))):
            pairing = self.pending[index]
            if self.pool.can_seat(pairing, self.ledger.without(pairing.id)):
                del self.pending[index]
                return pairing
        return None

    async def _play(self, pairing: Pairing, without: frozenset[str], keep: trio.MemorySendChannel[Kept]) -> None:
        try:
            seated = await self.pool.seat(pairing, without)
            try:
                entry = await self._record(pairing, without, seated)
            finally:
                with trio.CancelScope(shield=True):
                    await self.pool.release(seated)
            with trio.CancelScope(shield=True):
                await self._close(entry, keep)
        finally:
            self.running -= 1
            self.freed.set()

    async def _record(self, pairing: Pairing, without: frozenset[str], seated: Sequence[Instance | None]) -> Entry:
        """One match, played and scored."""
        setup = self.setup
        id = match_id(setup.seed, pairing.id)
        seeds = tuple(bot_seed(setup.seed, id, seat) for seat in range(len(seated)))
        started_at = time.time()
        turns: list[Turn] = []
        try:
            record = await play_match(
                setup.game,
                [None if instance is None else instance.player for instance in seated],
                seed=pairing.seed,
                control=control_of(setup.plan, connecting=False),
                conduct=Conduct(setup.plan.faults_max),
                seating=Seating(id, pairing.bots, seeds),
                lag=self.watch.since,
                turns=turns,
            )
        except Exception:  # the one broad catch in the house: our bug spoils this match and no other
            record = MatchRecord(tuple(turns), (), (), (), (False,) * len(seated), error=traceback.format_exc())
        return Entry(
            match_id=id,
            pairing=pairing,
            deals=deals_of(setup.plan),
            versions=tuple(self.versions.get(bot, "") for bot in pairing.bots),
            withdrawn=tuple(bot in without for bot in pairing.bots),
            record=record,
            points=() if record.error else points(record.ranks),
            packed=pack(setup.game, record.turns),
            decisions=self._kept(pairing, record),
            started_at=started_at,
        )

    def _kept(self, pairing: Pairing, record: MatchRecord) -> tuple[Decision, ...]:
        """The decisions that get rows of their own, their moves as JSON text."""
        wanted = self.setup.plan.decisions
        if wanted == "none":
            return ()
        codec = Codec(self.setup.game, pairing.bots, None)
        return tuple(
            attrs.evolve(decision, move=msgspec.json.encode(codec.move_json(decision.move)).decode())
            for decision in record.decisions
            if wanted == "all" or decision.fault is not None
        )

    async def _close(self, entry: Entry, keep: trio.MemorySendChannel[Kept]) -> None:
        """Takes note of a finished match and has it kept, unless it must be played again because a bot was withdrawn before it."""
        self._count(entry)
        crashed = [False] * len(entry.pairing.bots)
        for decision in entry.record.decisions:
            if decision.fault == "gone":
                crashed[decision.seat] = True
        outcomes = _outcomes(entry.pairing, entry.record.abandoned, crashed, entry.withdrawn)
        news = self.ledger.note(entry.pairing.id, outcomes)
        for bot in news.withdrawn:
            await keep.send(partial(self.setup.store.set_status, bot, "withdrawn"))
            self.reporter.note(f"{bot} is withdrawn: it failed match after match; the rest of its matches is played by default moves")
        for stale in news.stale:
            if stale != entry.pairing.id:
                await keep.send(partial(self.setup.store.remove, [match_id(self.setup.seed, stale)]))
            self.pending.appendleft(self.by_id[stale])
        if entry.pairing.id not in news.stale:
            await keep.send(entry)

    def _count(self, entry: Entry) -> None:
        summary, record = self.summary, entry.record
        summary.played += 1
        summary.last = entry
        if record.error is not None:
            summary.aborted.append(entry.match_id)
        for decision in record.decisions:
            summary.lagged += decision.lagged
            if decision.fault is not None:
                summary.faults[entry.pairing.bots[decision.seat], decision.fault, decision.reason] += 1
        if record.capsules and self.setup.stop_at_fault and summary.first_fault is None:
            summary.first_fault = entry
            self.pending.clear()
        self.reporter.played(entry)

    async def _write_all(self, kept: trio.MemoryReceiveChannel[Kept]) -> None:
        """The one writer, in a thread, so that a slow disk is nobody's thinking time."""
        store = self.setup.store

        def write(batch: Sequence[Kept]) -> None:
            for is_entries, group in groupby(batch, lambda one: isinstance(one, Entry)):
                if is_entries:
                    store.add_many(cast("Iterable[Entry]", group))
                else:
                    for change in cast("Iterable[Callable[[], None]]", group):
                        change()

        async for one in kept:
            batch = [one]
            while len(batch) < BATCH_MAX:
                try:
                    batch.append(kept.receive_nowait())
                except (trio.WouldBlock, trio.EndOfChannel):
                    break
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(write, batch)


def _outcomes(
    pairing: Pairing, abandoned: Sequence[bool], crashed: Sequence[bool], withdrawn: Sequence[bool]
) -> dict[str, Outcome]:
    return {
        bot: Outcome(abandoned=abandoned[seat], crashed=crashed[seat], withdrawn=withdrawn[seat])
        for seat, bot in enumerate(pairing.bots)
    }


__all__ = ["BrokenBots", "Reporter", "Setup", "Silent", "Summary", "run_tournament", "schedule", "too_many"]
