"""What is kept of tables and their matches, in JSON that this arena reads back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import attrs
import msgspec
import trio

from arena.errors import ConfigError
from arena.games import GAMES
from arena.match.game import CHANCE, Game, Seat, is_legal
from arena.match.record import Decision, Turn, pack, unpack
from arena.referee import Resumption
from arena.server.kept.archive import FinishedTable
from arena.server.kept.keeping import InThread, Keeper, KeptMatch, NotKept
from arena.server.ring.ring import Ring
from arena.server.services import Records
from arena.server.tables.table import ChatLine, MatchTerms, Table
from arena.tournament.plan import make_game

RING_PREFIX = "ring "
"""What the ids begin with under which ring tables are kept."""
Row: TypeAlias = tuple[int, float, str | None, str, bool, bool]
"""A decision without its move: seat, seconds, fault, reason, asked, lagged."""


class KeptTerms(msgspec.Struct):
    """A match as it began."""

    table: str
    terms: MatchTerms
    game: str
    version: int
    rules: dict[str, Any]


@attrs.define
class _OfTable:
    """What the keeper has of a table that is open."""

    chat: int = 0
    """The number of the last message."""
    match_id: str | None = None
    """Its match, which is forgotten with it: the one that is played, or the last one, once it is archived."""


class ServerRecords(Records):
    """Puts what happens into the keeper; finished matches go to the archive as well.

    A table's last match leaves the keeper when the next one begins or the table is closed: people see how it
    ended after a restart too.
    """

    def __init__(
        self, keeper: Keeper, archive: Callable[[FinishedTable], None], *, in_thread: InThread | None = None
    ) -> None:
        """`archive` keeps a finished match for good; it is called off the Trio thread.

        `in_thread`: tests in virtual time pass a function that calls its argument.
        """
        self._keeper = keeper
        self._archive = archive
        self._in_thread: InThread = in_thread or trio.to_thread.run_sync
        self._open: dict[str, _OfTable] = {}

    def keep_table(self, table: Table) -> None:
        self._keeper.put_table(table.id, msgspec.json.encode(attrs.evolve(table, chat=())))
        there = self._open.setdefault(table.id, _OfTable())
        for line in table.chat:
            if line.number > there.chat:
                self._keeper.put_chat(table.id, line.number, msgspec.json.encode(line))
                there.chat = line.number

    def drop_table(self, table: Table) -> None:
        there = self._open.pop(table.id, _OfTable())
        if there.match_id is not None:
            self._keeper.drop_match(there.match_id)
        self._keeper.drop_table(table.id)

    def keep_ring(self, ring: Ring) -> None:
        self._keeper.put_table(RING_PREFIX + ring.id, msgspec.json.encode(ring))

    def begin_match(
        self, table_id: str, game: Game[Any, Any], terms: MatchTerms, rules: Mapping[str, Any]
    ) -> None:
        if (there := self._open.get(table_id)) is not None:  # a hand of a ring table is no longer kept anyway
            if there.match_id is not None:
                self._keeper.drop_match(there.match_id)
            there.match_id = terms.match_id
        kept = KeptTerms(table_id, terms, game.name, game.version, dict(rules))
        self._keeper.put_match(terms.match_id, msgspec.json.encode(kept))

    def hold_match(self, table: Table, match_id: str) -> None:
        """Gives this table a match that was kept before the server was started again."""
        self._open[table.id].match_id = match_id

    def keep_answer(self, match_id: str, game: Game[Any, Any], number: int, seat: int, move: Any) -> None:
        self._keeper.put_answer(match_id, number, seat, pack(game, [{Seat(seat): move}]))

    def keep_turn(
        self, match_id: str, game: Game[Any, Any], number: int, turn: Turn, decisions: Sequence[Decision]
    ) -> None:
        rows: list[Row] = [
            (int(each.seat), each.elapsed_s, each.fault, each.reason, each.asked, each.lagged)
            for each in decisions
        ]
        self._keeper.put_turn(match_id, number, pack(game, [turn]), msgspec.json.encode(rows))

    async def end_match(self, match: FinishedTable) -> None:
        match_id, there = match.match_id, self._open.get(match.table_id)
        is_last = there is not None and there.match_id == match_id
        if there is not None and is_last:
            there.match_id = None  # until it is archived, nothing may forget it
        with trio.CancelScope(shield=True):  # it is over: nothing may keep it from the archive
            try:
                await self._keeper.kept()  # else, after a kill, the match might end once more, and otherwise
                await self._in_thread(partial(self._archive, match))
            except NotKept:
                return  # the disk fails, which people are told: it is archived when the server starts again
        is_there = there is not None and self._open.get(match.table_id) is there
        if there is not None and is_last and is_there and there.match_id is None:
            there.match_id = match_id  # unless the next match has begun meanwhile
        else:
            self._keeper.drop_match(match_id)

    def forget_match(self, match_id: str) -> None:
        self._keeper.drop_match(match_id)

    async def kept(self) -> None:
        await self._keeper.kept_or_refused()

    def check(self) -> None:
        self._keeper.check()

    # What was kept before: to be read before the keeper runs.

    def tables(self, note: Callable[[str], None]) -> Iterator[Table]:
        """The tables that were open, with their chat; `note` is told of each that cannot be read."""
        for id, octets in self._keeper.tables().items():
            if id.startswith(RING_PREFIX):
                continue
            try:
                table = msgspec.json.decode(octets, type=Table)
                lines = [msgspec.json.decode(line, type=ChatLine) for _, line in self._keeper.chat(id)]
            except ValueError as error:
                note(f"table {id} is closed, as it cannot be read any more: {error}")
                self._keeper.drop_table(id)
                continue
            self._open[id] = _OfTable(lines[-1].number if lines else 0)
            yield attrs.evolve(table, chat=tuple(lines))

    def rings(self, note: Callable[[str], None]) -> Iterator[Ring]:
        """The ring tables as they were left; `note` is told of each that cannot be read."""
        for table_id, octets in self._keeper.tables().items():
            if table_id.startswith(RING_PREFIX):
                try:
                    yield msgspec.json.decode(octets, type=Ring)
                except ValueError as error:
                    note(f"{table_id} is gone, as it cannot be read any more: {error}")
                    self._keeper.drop_table(table_id)

    def matches(self, note: Callable[[str], None]) -> list[Unfinished]:
        """The matches in the order in which they began; `note` is told of each that cannot go on."""
        found = []
        for kept in self._keeper.matches():
            try:
                found.append(Unfinished.read(kept))
            except (ConfigError, ValueError) as error:
                note(f"match {kept.id} cannot go on: {error}")
                self._keeper.drop_match(kept.id)
        return sorted(found, key=lambda unfinished: unfinished.kept.terms.started_at)


@attrs.frozen
class Unfinished:
    """A match that was being played when the server ended, or the last one of a table."""

    kept: KeptTerms
    game: Game[Any, Any]
    turns: tuple[Turn, ...]
    decisions: tuple[Decision, ...]
    answers: dict[int, list[Any]]
    """Each seat's moves that had come already, for the open turn and for the next one."""
    is_over: bool
    """Whether its last turn was made."""

    @classmethod
    def read(cls, match: KeptMatch) -> Unfinished:
        """A match as it was kept.  Raises ConfigError or ValueError if this arena cannot go on with it."""
        kept = msgspec.json.decode(match.value, type=KeptTerms)
        if kept.game not in GAMES:
            raise ConfigError(f"this arena has no game {kept.game}")
        game = make_game(GAMES[kept.game], kept.rules)
        if game.version != kept.version:
            raise ConfigError(
                f"it was begun by version {kept.version} of {kept.game}, and this is version {game.version}"
            )
        turns = tuple(_one_turn(game, moves) for moves, _ in match.turns)
        decisions = tuple(
            _decision(number, turn, row)
            for number, (turn, (_, rows)) in enumerate(zip(turns, match.turns, strict=True))
            for row in msgspec.json.decode(rows, type=list[Row])
        )
        state = _replayed(game, len(kept.terms.names), turns)
        answers: dict[int, list[Any]] = {}
        for (turn_number, seat), move in sorted(match.answers.items()):
            if turn_number >= len(turns):
                answers.setdefault(seat, []).append(_one_turn(game, move).get(Seat(seat)))
        return cls(kept, game, turns, decisions, answers, is_over=not game.to_act(state))

    @property
    def resumption(self) -> Resumption:
        return Resumption(self.turns, self.decisions, (True,) * len(self.kept.terms.names))


def _one_turn(game: Game[Any, Any], packed: bytes) -> Turn:
    turns = unpack(game, packed)
    if len(turns) != 1:
        raise ValueError(f"there are {len(turns)} turns where one should be")
    return turns[0]


def _decision(number: int, turn: Turn, row: Row) -> Decision:
    seat = Seat(row[0])
    if seat not in turn:
        raise ValueError(f"turn {number} has no move of {seat!r}")
    fault: Any = row[2]
    return Decision(number, seat, turn[seat], row[1], fault, *row[3:])


def _may_be_made(game: Game[Any, Any], state: Any, seat: Seat, move: Any) -> bool:
    """Whether the seat could make the move, or it was made for it."""
    return seat == CHANCE or is_legal(game.options(state, seat), move) or move == game.default(state, seat)


def _replayed(game: Game[Any, Any], seats: int, turns: Sequence[Turn]) -> Any:
    """The state after these turns.  Raises ValueError if they cannot have been played."""
    try:
        state = game.start(seats)
        for number, turn in enumerate(turns):
            if set(turn) != set(game.to_act(state)):
                raise ValueError(f"turn {number} is not of those whose turn it was")
            for seat, move in turn.items():
                if not _may_be_made(game, state, seat, move):
                    raise ValueError(f"turn {number} has an illegal move")
            state = game.apply(state, turn).state
    except Exception as error:  # whatever the rules say to moves that were never made
        raise ValueError(f"what is kept of it is damaged: {error}") from error
    return state
