"""Tables in virtual time, without sockets or processes: house bots are objects in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import trio

from arena.players.base import GonePlayer, Player
from arena.players.local import LocalPlayer
from arena.sdk import Bot
from arena.server.open_tables import OpenTables
from arena.server.services import Records, ServerServices
from arena.server.tables.live import LiveTable
from arena.server.tables.pauses import Pauses
from arena.server.tables.table import Member

BROKEN = "ModuleNotFoundError: No module named 'arena.sdk'"
"""Why a house bot cannot be started."""


class AnyMove(Bot):
    """Plays any legal move, the same ones in every run."""

    def __init__(self) -> None:
        self.luck = Random(1)

    def move(self, state: Any, options: Any) -> Any:
        return any_move(options, self.luck)


def any_move(options: Any, luck: Random) -> Any:
    """A legal move, as JSON, from the list of options that a bot is sent."""
    option = luck.choice(options)
    values = {}
    for name, domain in option["fields"].items():
        if "one_of" in domain:
            values[f"<{name}>"] = luck.choice(domain["one_of"])
        elif "min" in domain:
            values[f"<{name}>"] = luck.randint(domain["min"], domain["max"])
        else:
            size = luck.randint(domain["least"], domain["most"])
            values[f"<{name}>"] = luck.sample(domain["subset_of"], size)
    return _filled(option["form"], values)


def _filled(form: Any, values: dict[str, Any]) -> Any:
    if isinstance(form, str):
        return values.get(form, form)
    if isinstance(form, list):
        return [_filled(each, values) for each in form]
    if isinstance(form, dict):
        return {key: _filled(each, values) for key, each in form.items()}
    return form


@asynccontextmanager
async def a_house(
    *,
    bot: Callable[[], Bot] = AnyMove,
    broken: Collection[str] = (),
    starts_s: float = 0.0,
    pauses: Callable[[frozenset[str]], Pauses] = Pauses,
    **changes: Any,
) -> AsyncIterator[OpenTables]:
    """A house whose seeds are 1, 2, 3, …, or those after `first_seed`.

    `broken`: the house bots that cannot be started; `starts_s`: how long each of them takes to start.

    It must not note a bug that the test does not ask for.
    """
    bugs: list[str] = []
    seeds: Iterator[int] = iter(range(changes.pop("first_seed", 1), 1_000_000))

    @asynccontextmanager
    async def open_bot(name: str, nickname: str) -> AsyncIterator[Player]:
        if starts_s:
            await trio.sleep(starts_s)
        yield GonePlayer(nickname, BROKEN) if name in broken else LocalPlayer(nickname, bot())

    async with trio.open_nursery() as nursery:
        hall = ServerServices(
            nursery=nursery,
            records=changes.pop("records", Records()),
            open_bot=open_bot,
            check_bot=lambda bot, game: None,
            now=changes.pop("now", trio.current_time),
            draw_seed=lambda: next(seeds),
            pauses=pauses,
            note_bug=changes.pop("note_bug", bugs.append),
            **changes,
        )
        yield OpenTables(hall)
        nursery.cancel_scope.cancel()
    assert [] == bugs, bugs[0]


def people(live: LiveTable, *names: str) -> list[Member]:
    """Members with a seat."""
    return [live.join(name)[0] for name in names]
