"""Decides how many connections of bots a run accepts, and gets the file descriptors that this needs."""

from __future__ import annotations

import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from arena.errors import ConfigError
from arena.players.tcp import backlog_most
from arena.tournament.lobby.quotas import ADDRESS_CONNECTIONS_MAX, UNNAMED_PART
from arena.tournament.plan import Plan

CONNECTIONS_MAX = 1024
"""How many connections may be open besides one for each expected bot: more instances, strangers, refused."""
SET_ASIDE_LEAST = 200
FILES_WANTED = 4096
"""How many file descriptors to ask for: a started bot takes five, and four may be alive for every seat."""
FILES_SPARE = 128
"""How many file descriptors a run needs besides one for each bot that connects."""


def connections_of(plan: Plan) -> int:
    """How many connections may be open at once; more are turned away.

    Bounded by the available file descriptors, so that strangers do not take those that the run needs.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = CONNECTIONS_MAX + plan.connecting
    return most if soft == resource.RLIM_INFINITY else min(most, max(1, soft - FILES_SPARE))


def per_address_of(plan: Plan) -> int:
    """How many of the open connections may come from one address.

    A run that listens on loopback hears one address only, from which all bots may come in the same moment.
    """
    if plan.per_address is not None:
        return plan.per_address
    if plan.listen is not None and plan.listen.is_loopback:
        return max(ADDRESS_CONNECTIONS_MAX, 2 * UNNAMED_PART * plan.connecting)
    return ADDRESS_CONNECTIONS_MAX


def prepare_files(plan: Plan) -> None:
    """Raises the limit on file descriptors as far as wanted and allowed, as it is often low.

    Raises ConfigError if that is too few for the bots that connect.
    """
    connections = CONNECTIONS_MAX + plan.connecting if plan.connecting else 0
    allowed = lift_files_limit(FILES_WANTED + connections)
    needed = plan.connecting + FILES_SPARE
    if plan.connecting and allowed < needed:
        raise ConfigError(
            f"{plan.connecting:,} bots that connect take {needed:,} file descriptors, and this system allows "
            f"a process {allowed:,}: raise the hard limit (`ulimit -Hn {needed}`, or LimitNOFILE= of a "
            "service), or let fewer connect"
        )


def lift_files_limit(wanted: int = FILES_WANTED) -> float:
    """Raises the limit on file descriptors as far as wanted and allowed; returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return float("inf")
    wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


@contextmanager
def bots_set_aside(plan: Plan) -> Iterator[None]:
    """Has the garbage collector skip the bots that are here, if there are many, while the context is open.

    Nearly all objects about them stay to the end.  With 5,000 bots, each collection would take a quarter of
    a second to look through these, in which nobody is heard.
    """
    if plan.connecting < SET_ASIDE_LEAST:
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def short_backlog(plan: Plan) -> str | None:
    """The warning if the kernel lets fewer connections wait than bots will connect; else None."""
    most = backlog_most()
    if most is None or most >= plan.connecting:
        return None
    return (
        f"this system lets {most:,} connections wait to be accepted, and {plan.connecting:,} bots will "
        "connect: those that come in the same moment may be let in some seconds later "
        f"(`sysctl net.core.somaxconn={plan.connecting}` raises it)"
    )
