"""Starts and ends the instances of a checked bot: processes in a box, or objects in this process."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import attrs
import trio

from arena.box.box import Box, Level, open_box
from arena.box.processes import descendants, memory_bytes
from arena.players.access import RECIPE_FILE, place_of
from arena.players.base import Player
from arena.players.crash import exception_in
from arena.players.entrant import Entrant
from arena.players.lag import LagWatch, open_watch
from arena.players.local import LocalPlayer, load_bot
from arena.players.process import GRACE_S, ProcessPlayer, run_process
from arena.store import DATABASE, RESULTS, results_beside
from arena.tournament.bots.build import build
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.fingerprints import needs_build
from arena.tournament.prepare import QUICKSTART
from arena.trials.check.findings import Ending, Printed

TAIL_LINES = 40
BESIDE_MAX = 1000
"""How many bots are looked for in the folder in which a checked bot lies."""
STRAY = "arena: printed to stdout"
"""The beginning of a line of the log about something on standard output that was not an answer."""


@attrs.frozen
class HiddenFiles:
    """The files that a bot does not see in a run that is started here."""

    field: tuple[Entrant, ...]
    results: tuple[Path, ...]


def hidden_in_a_run(entrant: Entrant) -> HiddenFiles:
    """The files that the bot would not see in a run with the bots beside it and house bots."""
    others = (resolve(spec.spec, base=spec.base) for spec in QUICKSTART.bots)
    return HiddenFiles((entrant, *others), hidden_beside(entrant))


def hidden_beside(entrant: Entrant) -> tuple[Path, ...]:
    """The folders of results, and of the bots that lie beside this one."""
    results = results_beside(RESULTS / entrant.name)
    if entrant.folder is None or entrant.files is not None:
        return results
    own = entrant.folder.resolve()
    beside = sorted(own.parent.glob(f"*/{RECIPE_FILE}"))[:BESIDE_MAX]
    return (*(recipe.parent.resolve() for recipe in beside if recipe.parent.resolve() != own), *results)


@attrs.define(eq=False)
class ProcessHost:
    """Starts and ends instances that are processes in a box, as in a run."""

    _entrant: Entrant
    _box: Box
    _hidden: HiddenFiles
    _nursery: trio.Nursery
    _watch: LagWatch
    _note_bug: Callable[[str], None]
    _sticky: int = 0

    async def start(self) -> ProcessPlayer:
        """Starts an instance.  Raises BotBroken."""
        run = partial(
            run_process,
            self._entrant,
            box=self._box,
            field=self._hidden.field,
            results=self._hidden.results,
            log_path=None,
            watch=self._watch,
            note_sticky=self._note_sticky,
            note_bug=self._note_bug,
        )
        player: ProcessPlayer = await self._nursery.start(run)
        return player

    def _note_sticky(self) -> None:
        self._sticky += 1

    async def end(self, player: Player) -> Ending | None:
        """Tells an instance to end, and returns how it did."""
        assert isinstance(player, ProcessPlayer)
        was_sticky = self._sticky
        player.log.mark()
        began_at = trio.current_time()
        player.close()
        await player.ended.wait()
        took_s = trio.current_time() - began_at
        exception = exception_in(player.log.since_mark())
        if self._sticky > was_sticky:
            return Ending(took_s=took_s, by="SIGKILL", exception=exception)
        return Ending(took_s=took_s, by="itself" if took_s < GRACE_S else "SIGTERM", exception=exception)

    def memory_bytes(self, player: Player) -> int | None:
        """How much memory an instance holds with all its children; None where nobody can tell."""
        assert isinstance(player, ProcessPlayer)
        return memory_bytes(descendants(player.guard)) or None

    def printed(self, player: Player) -> Printed:
        assert isinstance(player, ProcessPlayer)
        log = player.log
        lines = log.kept().splitlines()
        stray = sum(line.startswith(STRAY) for line in lines)
        said = [line for line in lines if line.strip() and not line.startswith(STRAY)]
        return Printed(octets=log.total, stray=stray, tail="\n".join(said[-TAIL_LINES:]))


@attrs.frozen(eq=False)
class LocalHost:
    """Hands out instances that are objects of a class in this process, with nothing to end or measure."""

    _entrant: Entrant

    async def start(self) -> LocalPlayer:
        return LocalPlayer(self._entrant.name, load_bot(self._entrant))

    async def end(self, player: Player) -> Ending | None:
        return None

    def memory_bytes(self, player: Player) -> int | None:
        return None

    def printed(self, player: Player) -> Printed:
        return Printed()


BotHost: TypeAlias = ProcessHost | LocalHost


@asynccontextmanager
async def instances_of(
    entrant: Entrant, sandbox: Level, note: Callable[[str], None] = lambda line: None
) -> AsyncIterator[tuple[BotHost, LagWatch]]:
    """Yields a host that starts instances of this bot, and the watch over the arena's own lateness.

    Results and other bots are hidden from the instances as in a run: else a bot that cannot be started in a
    run might pass the check.  Builds the bot if it must be built; in the end none of it is left running.
    Raises BotBroken if the build fails.
    """
    if entrant.kind == "local":
        if entrant.folder is not None and str(entrant.folder) not in sys.path:
            sys.path.insert(0, str(entrant.folder))
        yield LocalHost(entrant), LagWatch()
        return
    bugs = list[str]()
    with open_watch() as watch:
        hidden = hidden_in_a_run(entrant)
        async with open_box(sandbox, secret=hidden.results[-1] / DATABASE, say=note) as box:
            if needs_build(entrant):
                note(f"building it: {' '.join(entrant.build)}")
                with tempfile.TemporaryDirectory(prefix="arena-check-") as home:
                    place = place_of(entrant, hidden.field, hidden.results)
                    entrant = await build(entrant, box, place, Path(home) / "build.log")
            async with trio.open_nursery() as nursery:
                yield ProcessHost(entrant, box, hidden, nursery, watch, bugs.append), watch
                nursery.cancel_scope.cancel()
    if bugs:
        raise RuntimeError(f"a connection set off a bug of the arena's:\n{bugs[0]}")
