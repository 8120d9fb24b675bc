"""From a plan to what can be played: its game, its bots, its folder."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import attrs

from arena.box.demand import is_demand_known
from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.store import RESULTS, results_beside
from arena.tournament.bots.broken import BrokenBots, found_broken, too_few_can_play
from arena.tournament.bots.field import field_of, found_bot
from arena.tournament.bots.grants import granted
from arena.tournament.folder.membership import NO_WISHES, RosterWishes, with_replacements
from arena.tournament.folder.stored import source_of
from arena.tournament.plan import (
    BotSpec,
    Plan,
    capacity_of,
    check,
    check_plan_seats,
    check_size,
    make_game,
    sandbox_of,
    workers_of,
)
from arena.tournament.tournament import Tournament

QUICKSTART = Plan(
    name="quickstart",
    bots=tuple(BotSpec(bot, Path(".")) for bot in ("odds", "bluffer", "truthful", "random")),
)
"""What `arena run` plays if nothing is named."""


def prepare(
    plan: Plan,
    *,
    resume: Path | None = None,
    where: str = "",
    wishes: RosterWishes = NO_WISHES,
) -> Tournament:
    """Checks the whole plan, without writing or starting anything.  Raises ConfigError.

    Bots with mistakes are among the entrants; what to do about them is left to the caller.
    """
    source = source_of(plan, resume)
    cls = source.cls
    plan = attrs.evolve(plan, game=cls.name)
    check_plan_seats(cls, plan.seats)
    # That a word leads to no bot says more than that there are too few.
    found = {bot: found_bot(bot, must_be_there=plan.entrants < plan.seats) for bot in plan.bots}
    check(plan, where=where)
    game = make_game(cls, plan.rules)
    game.start(plan.seats)  # the game refuses rules that do not fit the number of seats
    field = partial(field_of, game=plan.game, reserved=cls.reserved_names, found=found)
    entrants = field(plan.bots, plan.remote)
    if any(bot.is_submission for bot in plan.bots):  # also where all of them are replaced later, one by one
        plan = attrs.evolve(plan, sandbox=sandbox_of(plan.sandbox, plan.bots))
    if wishes.replace:
        plan = attrs.evolve(plan, bots=with_replacements(plan.bots, entrants, wishes.replace))
        entrants = field(plan.bots, plan.remote)
    _check_anchor(plan, entrants)
    named = resume or plan.out or (RESULTS / plan.name if plan.name else None)
    folder = named or RESULTS / f"{plan.game}-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        hidden = results_beside(folder)
    except (OSError, RuntimeError):  # RuntimeError before Python 3.13
        raise ConfigError(f"{folder} is a link that leads back to itself: remove it") from None
    entrants = granted(entrants, plan.allow, hidden=hidden)
    # What only processes of ours want of the machine can be measured.
    others = plan.connecting or any(entrant.kind == "local" for entrant in entrants)
    cores = os.cpu_count() or 1
    capacity = capacity_of(plan, cores, is_measured=is_demand_known() and not others)
    return Tournament(
        plan=plan,
        game=game,
        entrants=entrants,
        folder=_shortest(folder),
        capacity=capacity,
        workers=workers_of(plan, cores, has_programs=any(entrant.kind != "local" for entrant in entrants)),
        origin=source.origin,
        wishes=wishes,
        is_named_by_time=named is None,
    )


def refuse_broken(tournament: Tournament, *, is_trying: bool = False) -> None:
    """Raises BrokenBots if some of the bots cannot play, and the plan does not leave them out.

    With `is_trying`, the others, if there are any, are tried first, so that all mistakes are told at once;
    but not if nothing is wrong except names that lead nowhere.
    """
    plan, broken = tournament.plan, [found_broken(entrant) for entrant in tournament.broken]
    if not broken:
        return
    if plan.leave_out_broken:
        if tournament.bots < plan.seats:
            raise BrokenBots(broken, head=too_few_can_play(plan, tournament.bots))
        check_size(plan, tournament.bots)
    elif not (is_trying and _may_tell_more(tournament)):
        raise BrokenBots(broken, bots=plan.entrants, seats=plan.seats)


def _may_tell_more(tournament: Tournament) -> bool:
    """Whether there is somebody to try, and more to mend than a slip of the command line or the plan."""
    is_slip = all(entrant.is_missing for entrant in tournament.broken)
    return not is_slip and any(entrant.is_ours for entrant in tournament.entrants)


def _check_anchor(plan: Plan, entrants: Sequence[Entrant]) -> None:
    """Raises ConfigError if the anchor is not one of the bots and cannot be one that connects."""
    names = [entrant.name for entrant in entrants]
    if plan.anchor is not None and plan.anchor not in names and not plan.expect:
        raise ConfigError(f"anchor = {plan.anchor}: there is no such bot, expected one of {', '.join(names)}")


def _shortest(folder: Path) -> Path:
    """The shortest path from here to the folder itself, not to a link such as `results/latest`."""
    real = folder.resolve() if folder.is_symlink() else Path(os.path.normpath(folder.absolute()))
    here = Path.cwd()
    return real.relative_to(here) if real.is_relative_to(here) else real
