"""Builds and tries, before play, the bots that the arena starts, and waits for those that connect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import trio

from arena.box.box import Box
from arena.errors import ELSEWHERE, START_OVER, ConfigError
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch
from arena.players.start import BotBroken
from arena.players.tcp import accept_all, listen
from arena.reading.units import format_duration
from arena.store import StoredBot
from arena.tournament.bots.broken import BrokenBots, found_broken, too_few_can_play, tried_in_vain
from arena.tournament.bots.build import build
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.folder.run import Run
from arena.tournament.lobby.callers import connections_of, per_address_of, short_backlog
from arena.tournament.lobby.lobby import Lobby
from arena.tournament.lobby.trial import trial_state
from arena.tournament.plan import Plan, control_of
from arena.tournament.play.logs import FOLDER as LOGS
from arena.tournament.play.logs import file_name
from arena.tournament.play.pool import Pool
from arena.tournament.play.reporting import Reporter
from arena.tournament.play.summary import Summary
from arena.words import at_most_listed, listed

HEARD_S = 0.05
"""How long to go on listening once all are here: one may have left just as the last one came."""
TOGETHER_S = 0.05
"""How long arrivals are gathered to be reported and counted together: there may be thousands."""
WAITS_TOLD_MAX = 500
"""How often people are told who is missing: a bot that keeps coming and going must not fill the screen."""


def open_lobby(
    run: Run, nursery: trio.Nursery, reporter: Reporter, watch: LagWatch, note_bug: Callable[[str], None]
) -> Lobby:
    plan = run.plan
    lobby = Lobby(
        tokens=run.tokens,
        expect=plan.expect,
        reserved=run.game.reserved_names,
        taken=frozenset(entrant.name for entrant in run.entrants),
        margin_s=control_of(plan, connecting=True).margin_s,
        name_wait_s=plan.name_wait_s,
        reconnect_s=plan.reconnect_s,
        per_address=per_address_of(plan),
        trial=trial_state(run.game, run.plan.seats),
        watch=watch,
        note=reporter.note,
        note_bug=note_bug,
    )
    host, port = (plan.listen.host, plan.listen.port) if plan.listen is not None else ("127.0.0.1", 0)
    listener = listen(host, port, connections_of(plan))
    if (why := short_backlog(plan)) is not None:
        reporter.note(why)
    lobby.address = f"{host}:{listener.getsockname()[1]}"
    nursery.start_soon(accept_all, listener, lobby.serve, connections_of(plan), note_bug)
    return lobby


async def gather(
    run: Run, pool: Pool, lobby: Lobby | None, reporter: Reporter, summary: Summary, *, stops_at: float = inf
) -> list[str]:
    """Tries the bots that we start, and waits for those that connect; returns the names of all that play.

    Waits for nobody past `stops_at`, when the run's time is over.  Raises BrokenBots if bots cannot be
    started and the plan does not leave them out, and ConfigError if the bots that are here cannot play.
    """
    entrants, unbuilt = await _build_all(run, pool, reporter)
    tried = unbuilt + await pool.instances.try_all({bot.name for bot in unbuilt}, reporter.note)
    broken = _all_broken(entrants, tried)
    if broken and not run.plan.leave_out_broken:
        raise BrokenBots(broken, bots=run.plan.entrants, seats=run.plan.seats, logs=run.folder / LOGS)
    summary.left_out = broken
    out = {bot.name for bot in broken}
    names = [entrant.name for entrant in entrants if entrant.is_ours and entrant.name not in out]
    started = [entrant for entrant in entrants if entrant.kind != "remote"]
    box = pool.instances.box
    run.store.put_bots(
        [_stored(run, box, entrant, "left out" if entrant.name in out else "ok") for entrant in started]
    )
    if run.plan.anchor in out:
        raise ConfigError(
            f"{run.plan.anchor} cannot play, and ratings are relative to it: name another anchor, or none"
        )
    here: list[str] = []
    late: list[str] = []
    if lobby is not None:
        here, late = await _await_all(run.plan, lobby, reporter, stops_at)
        came = {name for name, players in lobby.players.items() if players}
        names += [entrant.name for entrant in entrants if entrant.name in came]
        names += sorted(came - set(names))  # in an order that does not depend on who was faster
        _check_return(run, names)
        _check_anchor(run.plan, names)
        expected = [entrant for entrant in entrants if entrant.name in came]
        unknown = sorted(came - {entrant.name for entrant in entrants})
        run.store.put_bots([_stored(run, box, entrant, "ok") for entrant in expected])
        run.store.put_bots([StoredBot(name, path="connects", margin_s=lobby.margin_s) for name in unknown])
    if len(names) < run.plan.seats:
        why = _too_few(run.plan, len(names), late)
        raise BrokenBots(broken, head=why, logs=run.folder / LOGS) if broken else ConfigError(why)
    if late:
        limit = format_duration(run.plan.wait or 0.0)
        reporter.note(f"{listed(late)} did not connect within {limit} (wait)")
    if here:
        reporter.note(f"play begins with {at_most_listed(here)}")
    return names


def _all_broken(entrants: Sequence[Entrant], tried: Sequence[BotBroken]) -> list[BotBroken]:
    """The bots known to be broken before they were tried, and those tried in vain, in the entrants' order."""
    errors = {error.name: error for error in tried}
    broken = []
    for entrant in entrants:
        if entrant.kind == "broken":
            broken.append(found_broken(entrant))
        elif entrant.name in errors:
            broken.append(tried_in_vain(entrant, errors[entrant.name]))
    return broken


async def _await_all(
    plan: Plan, lobby: Lobby, reporter: Reporter, stops_at: float
) -> tuple[list[str], list[str]]:
    """Waits for all bots, or as long as the plan says; returns who is here, and who is missing.

    Raises ConfigError if the run's time is over first.
    """
    waits_until = trio.current_time() + (inf if plan.wait is None else plan.wait)
    with trio.move_on_at(min(waits_until, stops_at)) as waiting:
        await _await_missing(lobby, reporter)
    if waiting.cancelled_caught and stops_at <= waits_until and (missing := lobby.missing):
        limit = format_duration(plan.max_time or 0.0)
        raise ConfigError(
            f"{limit} (max_time) ran out before {listed(missing)} connected: nothing was played"
        )
    return lobby.begin(), lobby.missing


async def _await_missing(lobby: Lobby, reporter: Reporter) -> None:
    """Waits until everybody is here, and has not left again at once."""
    told = 0
    while True:
        if missing := lobby.missing:
            told += 1
            if told <= WAITS_TOLD_MAX:
                reporter.waiting(lobby.address, missing)
            await lobby.arrived()
            await trio.sleep(TOGETHER_S)
        else:
            await trio.sleep(HEARD_S)
            if not lobby.missing:
                return


def _too_few(plan: Plan, here: int, late: Sequence[str]) -> str:
    if not late:
        return too_few_can_play(plan, here)
    can_play = f"{here} of the bots can play, and a table has {plan.seats} seats"
    limit = format_duration(plan.wait or 0.0)
    return f"{listed(late)} did not connect within {limit} (wait); {can_play}: nothing was played"


def _check_return(run: Run, names: Sequence[str]) -> None:
    """Raises ConfigError if connecting bots with matches here are not back, as these would not count."""
    started = {entrant.name for entrant in run.entrants if entrant.kind != "remote"}  # these may be left out
    away = sorted(run.store.players() - set(names) - started - run.roster.left.keys())
    if away:
        raise ConfigError(
            f"{run.folder} has matches of {', '.join(away)}, which did not connect this time: "
            "let them connect under the same names",
            hints=(START_OVER, ELSEWHERE),
        )


def _check_anchor(plan: Plan, names: Sequence[str]) -> None:
    """Raises ConfigError if the bot that all ratings are relative to did not connect."""
    if plan.anchor is not None and plan.anchor not in names:
        raise ConfigError(
            f"{plan.anchor} did not connect, and ratings are relative to it: name another anchor, one of "
            f"{', '.join(names)}, or none"
        )


async def _build_all(run: Run, pool: Pool, reporter: Reporter) -> tuple[list[Entrant], list[BotBroken]]:
    """Builds the bots that must be built; returns the entrants, and the bots whose build failed."""
    instances = pool.instances
    entrants, broken = [], []
    for entrant in run.entrants:
        if entrant.kind == "process" and needs_build(entrant):
            assert instances.box is not None, "bots that are built are processes, which have a box"
            reporter.note(f"building {entrant.name}: {' '.join(entrant.build)}")
            try:
                log = run.folder / LOGS / f"{file_name(entrant.name)}-build.log"
                entrant = await build(entrant, instances.box, instances.place_of(entrant), log)
            except BotBroken as error:
                broken.append(error)
        entrants.append(entrant)
    return entrants, broken


def _stored(run: Run, box: Box | None, entrant: Entrant, status: str) -> StoredBot:
    return StoredBot(
        bot=entrant.name,
        version=entrant.version,
        path=entrant.path,
        command=entrant.command,
        language=entrant.language,
        fingerprint=entrant.fingerprint,
        status=status,
        margin_s=control_of(run.plan, connecting=entrant.kind == "remote").margin_s,
        box="" if box is None or entrant.kind != "process" else box.name,
    )
