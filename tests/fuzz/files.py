"""Targets: what users write in TOML, `plan.toml` and a bot's `bot.toml`."""

from __future__ import annotations

import json
import os
import tempfile
from functools import cache
from pathlib import Path

import attrs

from arena.errors import ArenaError, ConfigError
from arena.games import GAMES
from arena.match.clock import Control
from arena.players.entrant import Entrant
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.plan import (
    Plan,
    as_mapping,
    capacity_of,
    check,
    check_plan_seats,
    check_size,
    control_of,
    identity,
    load_plan,
    make_game,
    plan_from,
    size_words,
    warnings_of,
)
from arena.wire.messages import check_name

from .tape import Tape, memory

ERROR_MAX = 100_000
"""Characters of all sentences about one file of 1 KiB: a sentence a mistake, and most name what is accepted."""


@cache
def scratch() -> Path:
    """A folder in memory, if there is one, for the files of one process; removed at its end."""
    home = tempfile.TemporaryDirectory(prefix="arena-fuzz-", dir=tempfile.tempdir or memory())
    _alive.append(home)
    return Path(home.name)


_alive: list[tempfile.TemporaryDirectory[str]] = []


def check_sentence(error: BaseException) -> None:
    """An error for people: a few lines that a terminal can show."""
    text = str(error)
    assert text.strip(), f"{type(error).__name__} says nothing"
    assert len(text) < ERROR_MAX
    odd = [symbol for symbol in text if not symbol.isprintable() and symbol != "\n"]
    assert not odd, f"the terminal would get {odd[:3]!r}"


def plan(data: bytes) -> None:
    """A plan is read, or refused in sentences; what is read is written and read as the same."""
    path = scratch() / "plan.toml"
    path.write_bytes(data)
    try:
        read = load_plan(path)
    except ConfigError as error:
        check_sentence(error)
        return
    stored = json.loads(json.dumps(as_mapping(read)))
    assert read == plan_from(stored, where="stored", base=path.parent), "stored and read it is another plan"
    try:
        _checked(read)
    except ArenaError as error:
        check_sentence(error)


def _checked(plan: Plan) -> None:
    """All that is found out about a plan before bots are looked for."""
    check(plan, where="plan")
    if plan.game not in GAMES:
        return
    cls = GAMES[plan.game]
    check_plan_seats(cls, plan.seats)
    game = make_game(cls, plan.rules)
    game.start(plan.seats)
    check_size(plan, plan.entrants)
    said = [size_words(plan, plan.entrants), *warnings_of(plan), json.dumps(identity(plan, game))]
    assert all(text.isprintable() for text in said)
    assert all(1 <= capacity_of(plan, 2, is_measured=known).first for known in (False, True))
    assert isinstance(control_of(plan, connecting=True), Control)


def bot(data: bytes) -> None:
    """A bot's folder is an entrant that could be started, or is refused in sentences."""
    tape = Tape(data)
    folder = scratch() / "bot"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_bytes(tape.rest())
    try:
        entrant = resolve(os.fspath(folder), base=scratch())
        needs_build(entrant)
    except ConfigError as error:
        check_sentence(error)
        return
    _check_entrant(entrant)


def _check_entrant(entrant: Entrant) -> None:
    assert check_name(entrant.name) is None
    assert entrant.run
    assert all(isinstance(word, str) and "\0" not in word for word in (*entrant.run, *entrant.build))
    assert 0 < entrant.connect_s < float("inf")
    assert len(entrant.fingerprint) == 32
    assert entrant == attrs.evolve(entrant)
