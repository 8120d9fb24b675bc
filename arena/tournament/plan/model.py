"""A plan: everything that `arena run` can be told, and what applies where it leaves something open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb
from pathlib import Path
from typing import Annotated, Literal, Protocol, TypeAlias

import attrs

from arena.match.clock import Control
from arena.reading.strict import duration, whole
from arena.reading.units import Address
from arena.schedule import FORMATS, SETS_MAX, Allocate, Deals, FormatKind, ScheduleSize, Sets, Terms
from arena.schedule.admission import Capacity
from arena.tournament.plan.allow import Allow
from arena.words import counted

Count: TypeAlias = Annotated[int, whole(1)]

Seconds: TypeAlias = Annotated[float, duration(beyond=True)]

Workers: TypeAlias = int | Literal["auto"]

Sandbox: TypeAlias = Literal["shield", "strict", "off"]

Rule: TypeAlias = bool | int | str | tuple[int, ...]

MARGIN_STARTED_S, MARGIN_CONNECTING_S = 0.0, 0.2
"""Seconds granted on top of every limit: none on this machine, else a round trip over the network."""

TABLES_PER_CORE, TABLES_MAX = 8, 64
"""More tables than this gain little, even among sleepers, and each takes processes and their memory."""


@attrs.frozen
class BotSpec:
    """A bot as the user named it; `entrants.resolve` finds it."""

    spec: str
    """`[NAME=]SPEC`."""
    base: Path
    """The folder at which relative paths in the spec start."""
    name: str | None = None
    """Its name in the tables, if given separately; the spec then has no `NAME=`."""
    is_submission: bool = False
    """Whether it was found in a folder of bots: the spec is its path, and where it lies names it."""


class Submittable(Protocol):
    """A bot, as named or as found."""

    @property
    def is_submission(self) -> bool:
        """Whether it was found in a folder of bots."""


@attrs.frozen(kw_only=True)
class Plan:
    """Everything that `arena run` can be told about a tournament.  All times in seconds.

    By these annotations a file's values are read (`strict.readers_of`), unless `plan.reading` reads the key.
    """

    name: str = ""
    """Names the results folder; empty for a plan made of options alone."""
    game: str = "liars-dice"
    """A game as `find_game` takes it; once a `Tournament` is prepared, its name."""
    rules: Mapping[str, Rule] = attrs.field(factory=dict)
    """House rules, as written; `make_game` checks them."""
    tournament: str = "round-robin"
    """The name of a format: `arena.schedule.FORMATS`."""
    sets: Sets | None = None
    """Which sets of bots a round-robin seats; None: all of them or, if they are many, a balanced sample."""
    challengers: Count = 1
    """Gauntlet: how many bots, from the first, challenge the others."""
    cycles: Count | None = None
    """Swiss: how many cycles; None: as many as it takes to find the best."""
    until: str | None = None
    """Stop when this is settled, such as `top 3 at 95%`; `analysis.until` reads it."""
    allocate: Allocate | None = None
    """Round-robin: whether the sets of bots whose order is open play more than others; None:
    `allocation_of` decides."""
    max_time: Seconds | None = None
    """How long after its start the run begins new matches."""
    anchor: str | None = None
    """The bot whose rating is fixed; None: the mean of all ratings is."""
    bots: tuple[BotSpec, ...] = ()
    remote: tuple[str, ...] = ()
    """Names of entrants that connect by themselves, with a token."""
    expect: int = 0
    """How many other bots connect, whoever they are."""
    listen: Address | None = None
    """The address that bots connect to."""
    per_address: Count | None = None
    """How many connections one address may have; None: `callers.per_address_of` decides."""
    wait: Seconds | None = None
    """How long to wait for bots to connect; then those who came play.  None: until all are there."""
    seats: Annotated[int, whole(2)] = 2
    series: Count = 10
    seed: int | None = None
    """The seed of all deals; None: one of 128 bits is drawn."""
    deals: Deals | None = None
    """Whether the rotations of a series share their deals; None: `deals_of` decides."""
    move_time: float | None = 1.0
    """How long an answer may take; None (written `"none"`): the bank alone limits."""
    bank: float | None = None
    increment: float = 0.0
    margin: float | None = None
    """Time on top of every limit; None: MARGIN_STARTED_S or MARGIN_CONNECTING_S, by kind of bot."""
    first_move_time: float = 10.0
    """How long the first answer of an instance may take: programs are slow to warm up."""
    no_clock: bool = False
    """Lets no answer have a limit, for a bot under a debugger: one that never answers holds its match."""
    concurrency: Annotated[int, whole(1, 1000)] | None = None
    """How many tables play at once; None: `capacity_of` decides."""
    workers: Workers = 1
    """In how many processes the matches are played; 1: in the arena's own."""
    faults_max: Count = 5
    """After this many faults a seat is not asked any more in that match."""
    withdrawn_after: Count = 3
    """After this many such matches in succession a bot is withdrawn."""
    restarts_max: Annotated[int, whole(0)] = 10
    """A bot that crashed in more matches than this is withdrawn."""
    reconnect_s: float = 10.0
    """How long a lost connection may take to come back."""
    name_wait_s: float = 1.0
    """How long to wait for a silent connection's name before calling it `bot-1`."""
    matches_max: Count = 100_000
    decisions: Literal["faults", "all", "none"] = "faults"
    """Which decisions get a row of their own."""
    strict: bool = False
    """Whether any fault makes the exit code 1."""
    leave_out_broken: bool = False
    sandbox: Sandbox | None = None
    """The box that the bots started by the arena run in, see `arena.box`; None: `sandbox_of` decides."""
    allow: Allow = attrs.field(factory=dict)
    """What bots may have of what they ask for."""
    out: Path | None = None
    """The results folder; None: one named after the plan."""

    @property
    def connecting(self) -> int:
        """How many entrants connect by themselves."""
        return len(self.remote) + self.expect

    @property
    def entrants(self) -> int:
        """How many bots there will be."""
        return len(self.bots) + self.connecting


def deals_of(plan: Plan) -> Deals:
    """Whether the rotations of a series share their deals.

    By default only if the arena starts every bot: one that connects keeps its memory, and would know the
    other hands when the same deal comes again.
    """
    return plan.deals or ("fresh" if plan.connecting else "same")


def sandbox_of(said: Sandbox | None, bots: Iterable[Submittable]) -> Sandbox:
    """The box in which all of these bots play: the one that was named, or that their origin asks for.

    Whoever names a folder of bots has not read what lies in it, so one bot of such a folder is enough for the
    box for other people's code.
    """
    return said or ("strict" if any(bot.is_submission for bot in bots) else "shield")


def allocation_of(plan: Plan) -> Allocate | None:
    """Whether the sets of bots whose order is open play more than others; None if the format has no say."""
    if plan.tournament != "round-robin":
        return None
    return plan.allocate or ("even" if plan.until is None else "open")


def control_of(plan: Plan, *, connecting: bool) -> Control:
    """The time control of a bot that the arena starts, or of one that connects."""
    margin_s = MARGIN_CONNECTING_S if connecting else MARGIN_STARTED_S
    return Control(
        move_s=None if plan.no_clock else plan.move_time,
        bank_s=plan.bank,
        increment_s=plan.increment,
        margin_s=margin_s if plan.margin is None else plan.margin,
        first_s=plan.first_move_time,
    )


def workers_of(plan: Plan, cores: int, *, has_programs: bool) -> int:
    """How many processes play this plan; `auto`: as many as cores, or half where bots are programs.

    A program needs a core for itself while its worker waits for it; a bot in the arena's process needs none.
    """
    free = max(1, cores // 2 if has_programs else cores)
    wanted = free if plan.workers == "auto" else plan.workers
    return min(wanted, plan.concurrency or wanted)


def capacity_of(plan: Plan, cores: int, *, is_measured: bool) -> Capacity:
    """How many tables play at once: as many as were asked for, or as keep the machine busy.

    At first, and where nobody measures what bots want of the machine: as many as have a core for every seat,
    at least one.
    """
    first = plan.concurrency or max(1, cores // plan.seats)
    if plan.concurrency or not is_measured:
        return Capacity.fixed(first)
    return Capacity(first=first, most=max(first, min(TABLES_PER_CORE * cores, TABLES_MAX)), cores=cores)


def format_of(plan: Plan) -> FormatKind:
    """The format of the plan's tournament."""
    return FORMATS[plan.tournament]


def terms_of(plan: Plan, seed: int) -> Terms:
    """What the plan's format is given besides the entrants."""
    return Terms(
        game=plan.game,
        seats=plan.seats,
        series=plan.series,
        seed=seed,
        deals=deals_of(plan),
        cycles=plan.cycles,
        challengers=plan.challengers,
        sets=plan.sets,
    )


def size_of(plan: Plan, entrants: int) -> ScheduleSize:
    """The size of the tournament with this many bots, which `refusal_of` must not refuse."""
    return format_of(plan).size(entrants, terms_of(plan, 0))


def size_words(plan: Plan, entrants: int) -> str:
    """The tournament's size in words: `4 bots, 6 pairs × 10 series × 2 seats = 120 matches`."""
    most = "" if plan.until is None else "at most "
    return f"{counted(entrants, 'bot')}, {most}{size_of(plan, entrants).words}"


def refusal_of(plan: Plan, entrants: int) -> str | None:
    """Why this many bots cannot play this plan, in one sentence; None if they can."""
    if (reason := format_of(plan).refusal(entrants, terms_of(plan, 0))) is not None:
        return reason
    size = size_of(plan, entrants)
    if size.matches <= plan.matches_max:
        return None
    most = f"more than matches_max = {plan.matches_max:,} allows"
    return f"{size_words(plan, entrants)}, {most}: {_less(plan, size)}"


def _less(plan: Plan, size: ScheduleSize) -> str:
    fewer = "take fewer series or bots, or raise matches_max in a plan file"
    if plan.tournament != "round-robin" or plan.seats == 2 or "balanced" in size.words:
        return fewer
    if plan.sets == "all":
        return f'{fewer}, or set sets = "balanced"'
    if plan.sets is None and comb(plan.entrants, plan.seats) <= SETS_MAX:
        return fewer
    return f"no balanced sample of the sets is known for so many bots at {plan.seats} seats: {fewer}"
