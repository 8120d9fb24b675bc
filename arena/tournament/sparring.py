"""Finds, builds, starts and ends bots for one match outside of a run, such as one against a person."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import trio

from arena.box.box import Box, Level, open_box
from arena.errors import ConfigError
from arena.players.access import place_of
from arena.players.base import Player
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch, open_watch
from arena.players.local import LocalPlayer, load_bot
from arena.players.process import run_process
from arena.players.start import BotBroken
from arena.reading.units import shown
from arena.store import RESULTS, results_beside
from arena.tournament.bots.broken import BrokenBots, found_broken, tried_in_vain
from arena.tournament.bots.build import build
from arena.tournament.bots.entrants import bot_at, builtin_bots
from arena.tournament.bots.field import field_of
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.bots.grants import granted
from arena.tournament.bots.modules import make_importable
from arena.tournament.bots.submissions import expanded
from arena.tournament.plan import NOTHING, Allow, BotSpec
from arena.tournament.prepare import QUICKSTART


def house_bots(game: str) -> tuple[str, ...]:
    """The house bots that can play a game here, the best to play against first.

    Those made for the game come before those that play any, those of the quick start before the others,
    and those that must be built last.  A bot whose program is not on this machine is left out.
    """
    found = [entrant for folder in builtin_bots().values() if (entrant := bot_at(folder)) is not None]
    able = [bot for bot in found if (not bot.games or game in bot.games) and _has_program(bot)]
    quick = [spec.spec for spec in QUICKSTART.bots]

    def merit(bot: Entrant) -> tuple[bool, bool, int, int]:
        place = quick.index(bot.name) if bot.name in quick else len(quick)
        return not bot.games, bool(bot.build), place, len(bot.games)

    return tuple(bot.name for bot in sorted(able, key=merit))


def levels_of_bots() -> dict[str, int]:
    """How strong the bots that come with the arena are, from 1 to 5, by name.

    As the table of their README says, which a test compares with the tournaments below it; bots without a
    level are left out.  No `bot.toml` says it: a bot would claim its own level, and get another fingerprint.
    """
    page = next(iter(builtin_bots().values())).with_name("README.md").read_text(encoding="utf-8")
    return {bot: int(level) for bot, level in _LEVEL.findall(page)}


_LEVEL = re.compile(r"^\| \[([\w-]+)\]\([\w-]+/\S+\) \| [^|]+ \| (\d) \|", re.MULTILINE)


def _has_program(bot: Entrant) -> bool:
    program = next(iter(bot.build or bot.run), "")
    return bool(bot.build) or bool(shutil.which(program))


def opponents_of(
    person: str,
    against: Sequence[str],
    *,
    seats: int,
    game: str,
    reserved: Collection[str],
    allow: Allow = NOTHING,
) -> tuple[tuple[Entrant, ...], str]:
    """The bots that sit down with a person, and the person's name at the table.

    The bots `against` take seats in turn until the table is full.  Raises ConfigError if one of them cannot
    play, or the person cannot have that name.
    """
    from arena.wire.messages import check_name

    if reason := check_name(person, reserved):
        raise ConfigError(reason, setting="name", value=shown(person))
    specs = list(expanded(BotSpec(word, Path.cwd()) for word in against))
    if len(specs) > seats - 1:
        why = f"found {len(specs)} bots, and with you at {seats} seats there is room for {seats - 1}"
        raise ConfigError(why, setting="against")
    found = field_of(list(islice(cycle(specs), seats - 1)), [person], game=game, reserved=reserved)
    field = granted(found, allow, hidden=results_beside(RESULTS / game))
    broken = [found_broken(entrant) for entrant in field if entrant.kind == "broken"]
    if broken:
        raise BrokenBots(broken, bots=seats - 1, seats=seats)
    return field[:-1], field[-1].name


@asynccontextmanager
async def started(
    entrants: Sequence[Entrant], sandbox: Level, note: Callable[[str], None]
) -> AsyncIterator[tuple[list[Player], LagWatch]]:
    """Starts these bots; yields their players, in the same order, and when the context ends no bot runs.

    Raises BrokenBots for the first one that cannot be built or started.
    """
    bugs = list[str]()
    with open_watch() as watch:
        async with open_box(sandbox, say=note) as box:
            built = tuple([await _built(entrant, box, note) for entrant in entrants])
            async with trio.open_nursery() as nursery:
                start = partial(
                    _started, nursery=nursery, field=built, box=box, watch=watch, note_bug=bugs.append
                )
                yield [await start(entrant) for entrant in built], watch
                nursery.cancel_scope.cancel()
    if bugs:
        raise RuntimeError(f"a connection set off a bug of the arena's:\n{bugs[0]}")


async def _built(entrant: Entrant, box: Box, note: Callable[[str], None]) -> Entrant:
    if entrant.kind != "process" or not needs_build(entrant):
        return entrant
    note(f"building {entrant.name}: {' '.join(entrant.build)}")
    with tempfile.TemporaryDirectory(prefix="arena-play-") as home:
        try:
            return await build(entrant, box, place_of(entrant, (), ()), Path(home) / "build.log")
        except BotBroken as error:
            raise _broken(entrant, error) from None


async def _started(
    entrant: Entrant,
    *,
    nursery: trio.Nursery,
    field: tuple[Entrant, ...],
    box: Box,
    watch: LagWatch,
    note_bug: Callable[[str], None],
) -> Player:
    try:
        if entrant.kind == "local":
            make_importable([entrant])
            return LocalPlayer(entrant.name, load_bot(entrant))
        run = partial(
            run_process,
            entrant,
            box=box,
            field=field,
            log_path=None,
            watch=watch,
            note_sticky=lambda: None,
            note_bug=note_bug,
        )
        player: Player = await nursery.start(run)
    except BotBroken as error:
        raise _broken(entrant, error) from None
    return player


def _broken(entrant: Entrant, error: BotBroken) -> BrokenBots:
    broken = tried_in_vain(entrant, error)
    broken.log_path = None  # it is gone by the time that anybody could read it
    return BrokenBots([broken], head=f"{entrant.name} cannot play:")
