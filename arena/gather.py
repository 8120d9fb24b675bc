"""Before play: bots are built and tried, those that connect are waited for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from arena.entrants import Entrant, needs_build
from arena.errors import ConfigError
from arena.plan import control_of
from arena.players.lag import LagWatch
from arena.players.lobby import CONNECTIONS_MAX, Lobby
from arena.players.pool import Pool, file_name, is_ours
from arena.players.process import BotBroken, build
from arena.players.tcp import accept_all, listen
from arena.store import StoredBot
from arena.tournament import BrokenBots, Reporter, Setup, Summary


def open_lobby(
    setup: Setup,
    nursery: trio.Nursery,
    reporter: Reporter,
    watch: LagWatch,
    note_bug: Callable[[str], None],
) -> Lobby:
    plan = setup.plan
    lobby = Lobby(
        tokens=setup.tokens,
        expect=plan.expect,
        taken=frozenset(entrant.name for entrant in setup.entrants if entrant.kind != "anonymous"),
        margin_s=control_of(plan, connecting=True).margin_s,
        name_wait_s=plan.name_wait_s,
        reconnect_s=plan.reconnect_s,
        watch=watch,
        note=reporter.note,
        note_bug=note_bug,
    )
    host, port = (plan.listen.host, plan.listen.port) if plan.listen is not None else ("127.0.0.1", 0)
    listener = listen(host, port)
    lobby.address = f"{host}:{listener.getsockname()[1]}"
    nursery.start_soon(accept_all, listener, lobby.serve, CONNECTIONS_MAX, note_bug)
    return lobby


async def gather(
    setup: Setup, pool: Pool, lobby: Lobby | None, reporter: Reporter, summary: Summary
) -> list[str]:
    """The names of all bots that play: those we start, tried one by one, and those that connect."""
    entrants, broken = await _build_all(setup, reporter)
    broken += await pool.try_all({bot.name for bot in broken})
    if broken and not setup.plan.leave_out_broken:
        raise BrokenBots(broken)
    summary.left_out = broken
    out = {bot.name for bot in broken}
    names = [entrant.name for entrant in entrants if is_ours(entrant) and entrant.name not in out]
    known = [entrant for entrant in entrants if entrant.kind != "anonymous"]
    setup.store.put_bots(
        [_stored(setup, entrant, "left out" if entrant.name in out else "ok") for entrant in known]
    )
    if lobby is not None:
        while lobby.missing:
            reporter.waiting(lobby.address, lobby.missing)
            await lobby.arrived()
        lobby.is_full = True
        came = set(lobby.players)
        names += [entrant.name for entrant in known if entrant.name in came]
        names += sorted(came - set(names))  # in an order that does not depend on who was faster
        _check_return(setup, names)
        unknown = set(lobby.players) - {entrant.name for entrant in known}
        setup.store.put_bots(
            [StoredBot(name, path="connects", margin_s=lobby.margin_s) for name in sorted(unknown)]
        )
    if len(names) < setup.plan.seats:
        raise ConfigError(
            f"{len(names)} of the bots can play, and a table has {setup.plan.seats} seats: "
            "mend some, or take fewer seats"
        )
    return names


def _check_return(setup: Setup, names: Sequence[str]) -> None:
    """Raises ConfigError if bots that played here have not come back: their matches would not count."""
    started = {entrant.name for entrant in setup.entrants if is_ours(entrant)}  # may be left out
    away = sorted(setup.store.players() - set(names) - started)
    if away:
        raise ConfigError(
            f"{setup.folder} has matches of {', '.join(away)}, who did not connect this time: "
            "let them come under the same names, or take another --out, or --fresh"
        )


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
