"""All tables of the server: made, found, listed, and closed once nothing happens at them any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import trio

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import Game, playable_seats
from arena.refusal import Refusal
from arena.server import limits
from arena.server.kept.records import ServerRecords, Unfinished
from arena.server.services import ServerServices
from arena.server.tables.absence import after_restart, idle_s
from arena.server.tables.live import LiveTable
from arena.server.tables.places import are_short, check_room, makes_room
from arena.server.tables.played_match import PlayedMatch
from arena.server.tables.table import Alerted, Table
from arena.server.tables.views import Views
from arena.tournament.plan import make_game
from arena.words import counted

LOOK_EVERY_S = 10.0


class OpenTables:
    """The open tables, by id."""

    def __init__(self, hall: ServerServices) -> None:
        self.hall = hall
        self._tables: dict[str, LiveTable] = {}
        self._views: dict[str, Views] = {}
        self._closed: dict[str, str] = {}
        """Why each of the tables that are gone was closed, the one closed first at the beginning."""

    def __iter__(self) -> Iterator[LiveTable]:
        return iter(tuple(self._tables.values()))

    def create(
        self,
        game: str,
        rules: Mapping[str, object],
        move_s: float | None,
        *,
        is_clock_chosen: bool = True,
        bots_pause_s: float = 0.0,
        address: str = "",
        is_lobby: bool = False,
    ) -> LiveTable:
        """A new table, with nobody at it.  Raises Refusal for what cannot be played, or is too much.

        `is_clock_chosen`: whether its maker asked for this limit; `address`: of who makes it.
        """
        if game not in GAMES:
            raise Refusal("bad_request", f"no game is called that: {', '.join(GAMES)} are", field="game")
        cls = GAMES[game]
        try:
            played = make_game(cls, rules)
        except ConfigError as error:
            raise Refusal("bad_request", str(error), field="rules") from None
        check_room(tuple(self), address)
        table = new_table(
            played,
            rules,
            move_s,
            self.hall.now(),
            is_clock_chosen=is_clock_chosen,
            bots_pause_s=bots_pause_s,
            is_lobby=is_lobby,
        )
        self.hall.records.keep_table(table)
        return self.add(table, played, address=address)

    def add(
        self,
        table: Table,
        game: Game[Any, Any],
        *,
        address: str = "",
        hall: ServerServices | None = None,
        version: int = 1,
    ) -> LiveTable:
        """Takes in a table that exists already; `hall`: its surroundings, if they are special."""
        live = LiveTable(table, game, hall or self.hall, address=address, version=version)
        self._tables[table.id] = live
        self._views[table.id] = Views(live)
        return live

    def restore(
        self, records: ServerRecords, matches: Sequence[Unfinished], note: Callable[[str], None]
    ) -> list[Unfinished]:
        """Takes in the tables that were kept, with their matches; returns the matches of no table."""
        last = {unfinished.kept.table: unfinished for unfinished in matches}
        resumed = 0
        for table in records.tables(note):
            try:
                game = make_game(GAMES[table.game], table.rules)
            except (ConfigError, KeyError) as error:
                note(f"table {table.id} is closed, as this arena cannot play {table.game} like that: {error}")
                records.drop_table(table)
                continue
            resumed += self._reopen(records, table, game, last, note)
        if resumed:
            note(f"{counted(resumed, 'match')} went on where the server ended")
        taken = {live.match.terms.match_id for live in self if live.match is not None}
        return [each for each in matches if each.kept.terms.match_id not in taken]

    def _reopen(
        self,
        records: ServerRecords,
        table: Table,
        game: Game[Any, Any],
        last: Mapping[str, Unfinished],
        note: Callable[[str], None],
    ) -> bool:
        """Takes in one table; returns whether its match goes on."""
        now = self.hall.now()
        version = int(1000 * now)  # greater than any before the restart, for those who wait for a later one
        live = self.add(after_restart(table, now), game, version=max(1, version))
        unfinished = last.get(table.id)
        if unfinished is not None and unfinished.kept.terms.seating != table.seating:
            unfinished = None
        if unfinished is not None and (table.is_playing or unfinished.is_over):
            terms = unfinished.kept.terms
            records.hold_match(table, terms.match_id)
            if table.is_playing:
                live.resume(terms, unfinished.resumption, unfinished.answers)
                return not table.is_asleep
            live.recall(terms, unfinished.resumption)
        elif table.is_playing:
            note(f"the match at table {table.id} could not go on: the table waits for the next one")
            live.abandon("the server was started again, and the match could not go on: begin another one")
        return False

    async def put_away(self, unfinished: Unfinished) -> None:
        """Archives a match whose table is gone if it is over, and forgets it."""
        kept, resumption = unfinished.kept, unfinished.resumption
        if not unfinished.is_over:
            self.hall.records.forget_match(kept.terms.match_id)
            return
        match = PlayedMatch(self.hall, kept.table, unfinished.game, kept.terms, resumption=resumption)
        await match.conclude()
        await match.archive()

    def table(self, id: str) -> LiveTable:
        """The open table with this id.  Raises Refusal if there is none."""
        live = self._tables.get(id)
        reason = self._closed.get(id, "") if live is None else live.closed_because
        if reason:
            raise Refusal("not_found", f"this table is closed: {reason}")
        if live is None or live.table.is_closed:
            raise Refusal("not_found", "no open table has this id")
        return live

    def game_of(self, id: str) -> str | None:
        """The game of the open table with this id, or of its match with this id."""
        for live in self:
            if id == live.table.id or (live.match is not None and id == live.match.terms.match_id):
                return live.table.game
        return None

    def views(self, live: LiveTable) -> Views:
        """What is told of a table, which may have been closed meanwhile."""
        return self._views.get(live.table.id) or Views(live)

    def public(self) -> list[LiveTable]:
        """The tables that everybody may find, the newest first."""
        return [live for live in reversed(self._tables.values()) if live.table.is_public]

    # What happens by itself

    async def watch(self) -> None:
        """Closes tables at which nothing happens, after a notice; forgets those that are closed."""
        warned: set[str] = set()
        while True:
            await trio.sleep(LOOK_EVERY_S)
            now = self.hall.now()
            is_short = are_short(tuple(self))
            for live in self:
                live.look()
                left_s = idle_s(live.table, now, is_short=is_short)
                if live.table.is_closed:
                    self.forget(live)
                elif left_s <= 0.0:
                    live.close("nothing has happened at this table for a while")
                    self.forget(live)
                elif left_s <= limits.NOTICE_S and live.table.id not in warned:
                    warned.add(live.table.id)
                    live.alert(Alerted("this table is closed in a minute, unless something happens here"))
                elif left_s > limits.NOTICE_S:
                    warned.discard(live.table.id)
            while (sleeper := makes_room(tuple(self))) is not None:
                sleeper.close("more matches are asleep than this server keeps")
                self.forget(sleeper)

    def stop(self) -> None:
        """Tells everybody at the tables that the server ends."""
        for live in self:
            live.stop()

    def forget(self, live: LiveTable) -> None:
        """Lets go of a closed table, but not of why it was closed."""
        self._tables.pop(live.table.id, None)
        self._views.pop(live.table.id, None)
        if live.closed_because:
            self._closed[live.table.id] = live.closed_because
            while len(self._closed) > limits.TABLES_REMEMBERED:
                del self._closed[next(iter(self._closed))]


def new_table(
    game: Game[Any, Any], rules: Mapping[str, object], move_s: float | None, now: float, **more: Any
) -> Table:
    """A table at which nobody is yet.  Raises Refusal if nobody can play with these house rules."""
    try:
        playable = playable_seats(game)
    except ConfigError as error:
        raise Refusal("bad_request", str(error), field="rules") from error
    return Table(
        id=str(uuid4()),
        game=game.name,
        rules=dict(rules),
        seats=(playable[0], playable[-1]),
        move_s=move_s,
        active_at=now,
        reserved=game.reserved_names,
        **more,
    )
