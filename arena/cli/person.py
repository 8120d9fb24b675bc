"""`arena play GAME`: plays a match of a person against bots."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import trio

from arena.cli.mistakes import ungrouped
from arena.cli.stop import Stop
from arena.terminal.sitting import Sitting, play_against
from arena.terminal.text import say
from arena.terminal.voice import voice_for
from arena.tournament.folder.stored import source_of
from arena.tournament.plan import Plan, check_plan_seats, make_game, parse_rules, sandbox_of, with_options
from arena.tournament.sparring import house_bots, opponents_of

PERSON = "player"
"""The name of a person who has said none."""


def play_here(
    game: str,
    against: Sequence[str],
    rules: Sequence[str],
    *,
    name: str | None,
    is_plain: bool,
    wishes: Mapping[str, Any],
) -> int:
    """Plays a match against bots; returns the exit code."""
    sitting = sitting_of(game, against, rules, name, wishes)
    voice, stop = voice_for(is_plain), Stop(what="match")
    if voice.is_prompting:
        stop.note = lambda line: say(f"\n{line}")  # the cursor stands behind a prompt
    with stop.listening(), ungrouped():
        trio.run(stop.cancellable, partial(play_against, sitting, voice, say))
    return stop.exit_code or 0


def sitting_of(
    game: str, against: Sequence[str], rules: Sequence[str], name: str | None, wishes: Mapping[str, Any]
) -> Sitting:
    """The match that the words ask for.  Raises ConfigError with a sentence for what is wrong."""
    plan = with_options(Plan(), {**wishes, "game": game}, base=Path.cwd())
    cls = source_of(plan, None).cls
    words = tuple(against) or house_bots(cls.name)[:1]
    seats = plan.seats if wishes.get("seats") else max(1 + len(words), cls.seats[0])
    check_plan_seats(cls, seats)
    played = make_game(cls, parse_rules(cls, rules))
    played.start(seats)  # the game refuses rules that do not fit the number of seats
    bots, person = opponents_of(
        PERSON if name is None else name,
        words,
        seats=seats,
        game=cls.name,
        reserved=cls.reserved_names,
        allow=plan.allow,
    )
    return Sitting(
        game=played,
        person=person,
        bots=bots,
        seed=secrets.randbits(128) if plan.seed is None else plan.seed,
        move_s=plan.move_time if wishes.get("move_time") else None,
        sandbox=sandbox_of(plan.sandbox, bots),
    )
