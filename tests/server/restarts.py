"""Servers without sockets that end and start again in the same folder, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import attrs
import msgspec
import trio

from arena.sdk import Bot
from arena.server.kept.archive import FinishedTable
from arena.server.kept.keeping import Keeper, open_keeper
from arena.server.kept.records import ServerRecords
from arena.server.open_tables import OpenTables
from arena.server.tables.live import LiveTable
from arena.server.tables.played_match import LiveScene
from arena.server.tables.table import Member, Notice
from tests.server.halls import a_house, any_move


async def at_once(work: Callable[[], None]) -> None:
    """Stands for a thread, where time is virtual."""
    work()


def luck_of(*seen: Any) -> Random:
    """Luck that follows from what is seen alone, so that a restart does not change it."""
    return Random(crc32(msgspec.json.encode(seen)))


class SettledBot(Bot):
    """Its moves follow from what it is asked, whichever instance is asked."""

    def move(self, state: Any, options: Any) -> Any:
        return any_move(options, luck_of(state, options))


@attrs.frozen
class Kept:
    """A house whose tables are kept."""

    house: OpenTables
    keeper: Keeper
    archived: list[FinishedTable]
    noted: list[str]

    @property
    def table(self) -> LiveTable:
        """The only one."""
        (live,) = self.house
        return live

    def image(self) -> bytes:
        """The database as `kill -9` right after the next commit would leave it."""
        self.keeper._commit(list(self.keeper._waiting))
        return self.keeper._db.serialize()


@asynccontextmanager
async def a_kept_house(folder: Path, image: bytes | None = None, **changes: Any) -> AsyncIterator[Kept]:
    """A house over what lies in this folder; `image`: a database to begin with."""
    if image is not None:
        _lay_down(folder, image)
    noted: list[str] = []
    archived: list[FinishedTable] = []
    archive = changes.pop("archive", archived.append)
    with open_keeper(folder, tell=noted.append, in_thread=changes.pop("in_thread", at_once)) as keeper:
        records = ServerRecords(keeper, archive, in_thread=at_once)
        async with trio.open_nursery() as nursery:
            async with a_house(records=records, bot=SettledBot, note_bug=_raise, **changes) as house:
                for unfinished in house.restore(records, records.matches(noted.append), noted.append):
                    house.hall.nursery.start_soon(house.put_away, unfinished)
                await nursery.start(keeper.run)
                yield Kept(house, keeper, archived, noted)
            nursery.cancel_scope.cancel()


def _lay_down(folder: Path, image: bytes) -> None:
    folder.mkdir()
    (folder / "server.db").write_bytes(image)


def _raise(text: str) -> None:
    raise AssertionError(text)


class People:
    """All who play at a table, each by what it sees; now and then one of them stays silent."""

    def __init__(self, kept: Kept, *, silence: float = 0.25, note: Callable[[], None] = lambda: None) -> None:
        """`note` is called after each step of the match, and after each answer."""
        self._kept = kept
        self._silence = silence
        self._note = note
        self.silent: set[tuple[int, str]] = set()
        """(turn, player_id) of the questions that are not answered."""

    async def play(self) -> LiveTable:
        """Plays the match that has begun to its end."""
        live = self._kept.table
        live.attach(self._hear)
        with trio.fail_after(100_000):
            while live.table.is_playing:
                version = live.version
                for member in live.table.members:
                    self._answer(live, member)
                if live.version == version and live.table.is_playing:
                    with trio.move_on_after(1.0):  # a question may come without a new version
                        await live.changed(version)
        return live

    def _answer(self, live: LiveTable, member: Member) -> None:
        match, seat = live.match, live.seats.get(member.player_id)
        if match is None or seat is None or seat.open is None:
            return
        question = (len(match.turns), member.player_id)
        seen = self._kept.house.views(live).table_fields(member)
        options = msgspec.json.decode(seen["you"]["options"])
        luck = luck_of(len(match.turns), msgspec.json.decode(seen["match"]["state"]), options)
        if luck.random() < self._silence or question in self.silent:
            self.silent.add(question)
        else:
            live.play(member, any_move(options, luck))
            self._note()

    def _hear(self, news: Notice) -> None:
        if isinstance(news, LiveScene):
            self._note()


def exact(match: Any) -> dict[str, Any]:
    """All of a record that does not depend on clocks."""
    record = match.record
    return {
        "turns": record.turns,
        "decisions": [each._replace(elapsed_s=0.0) for each in record.decisions],
        "ranks": record.ranks,
        "returns": record.returns,
        "abandoned": record.abandoned,
    }
