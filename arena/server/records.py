"""What is kept of tables and their matches, in JSON that this arena reads back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import msgspec
import trio

from arena.errors import ConfigError
from arena.game import Game, Seat
from arena.games import GAMES
from arena.record import Decision, Turn, pack, unpack
from arena.referee import Resumption
from arena.server.archive import FinishedTable
from arena.server.keeping import Keeper, KeptMatch, NotKept
from arena.server.live_match import LiveMatch, MatchTerms
from arena.server.refusal import Refusal
from arena.server.table import ChatLine, Table
from arena.tournament.plan import make_game

RING_PREFIX = "ring "
"""Of the ids under which ring tables are kept, which are no tables of the lobby."""
Row = tuple[int, float, str | None, str, bool, bool]
"""A decision without its move: seat, seconds, fault, reason, asked, lagged."""


class KeptTerms(msgspec.Struct):
    """A match as it began."""

    table: str
    terms: MatchTerms
    game: str
    version: int
    rules: dict[str, Any]


class Forgetful:
    """Keeps nothing: for tests and measurements."""

    def keep_table(self, table: Table) -> None:
        pass

    def drop_table(self, table: Table) -> None:
        pass

    def begin_match(self, table: Table, game: Game[Any, Any], terms: MatchTerms) -> None:
        pass

    def keep_answer(self, match: LiveMatch, seat: int, move: Any) -> None:
        pass

    def keep_turn(self, match: LiveMatch) -> None:
        pass

    async def end_match(self, table_id: str, match: LiveMatch) -> None:
        pass

    def forget_match(self, match_id: str) -> None:
        pass

    async def kept(self) -> None:
        pass

    def check(self) -> None:
        pass


class ServerRecords:
    """Puts what happens into the keeper; finished matches go to the archive and leave the keeper then."""

    def __init__(self, keeper: Keeper, archive: Callable[[FinishedTable], None]) -> None:
        """`archive` keeps a finished match for good; it is called off the Trio thread."""
        self._keeper = keeper
        self._archive = archive
        self._chat: dict[str, int] = {}
        """The number of the last message kept, by table."""

    def keep_table(self, table: Table) -> None:
        self._keeper.put_table(table.id, msgspec.json.encode(attrs.evolve(table, chat=())))
        last = self._chat.get(table.id, 0)
        for line in table.chat:
            if line.number > last:
                self._keeper.put_chat(table.id, line.number, msgspec.json.encode(line))
                self._chat[table.id] = line.number

    def drop_table(self, table: Table) -> None:
        self._chat.pop(table.id, None)
        self._keeper.drop_table(table.id)

    def begin_match(self, table: Table, game: Game[Any, Any], terms: MatchTerms) -> None:
        kept = KeptTerms(table.id, terms, game.name, game.version, dict(table.rules))
        self._keeper.put_match(terms.match_id, msgspec.json.encode(kept))

    def keep_answer(self, match: LiveMatch, seat: int, move: Any) -> None:
        packed = pack(match.game, [{Seat(seat): move}])
        self._keeper.put_answer(match.terms.match_id, len(match.turns), seat, packed)

    def keep_turn(self, match: LiveMatch) -> None:
        turn = len(match.turns) - 1
        rows: list[Row] = [
            (int(each.seat), each.elapsed_s, each.fault, each.reason, each.asked, each.lagged)
            for each in match.decisions_of(turn)
        ]
        packed = pack(match.game, [match.turns[turn]])
        self._keeper.put_turn(match.terms.match_id, turn, packed, msgspec.json.encode(rows))

    async def end_match(self, table_id: str, match: LiveMatch) -> None:
        with trio.CancelScope(shield=True):  # it is over: nothing may keep it from the archive
            try:
                await trio.to_thread.run_sync(self._archive, finished(table_id, match))
            except NotKept:
                return  # the disk fails, which people are told: it is archived when the server starts again
        self._keeper.drop_match(match.terms.match_id)

    def forget_match(self, match_id: str) -> None:
        self._keeper.drop_match(match_id)

    async def kept(self) -> None:
        """Raises Refusal if the disk fails."""
        try:
            await self._keeper.kept()
        except NotKept as error:
            raise Refusal("too_many", str(error), key="disk", seconds=1.0) from None

    def check(self) -> None:
        """Raises Refusal while the disk fails, so that nothing is done that cannot be kept."""
        self._keeper.check()

    # What was kept before.

    def tables(self) -> Iterator[Table]:
        """The tables that were open, with their chat."""
        for id, octets in self._keeper.tables().items():
            if id.startswith(RING_PREFIX):
                continue
            table = msgspec.json.decode(octets, type=Table)
            lines = [msgspec.json.decode(line, type=ChatLine) for _, line in self._keeper.chat(id)]
            self._chat[id] = lines[-1].number if lines else 0
            yield attrs.evolve(table, chat=tuple(lines))

    def matches(self) -> dict[str, Unfinished]:
        """The matches that were being played, by table; one that cannot be read any more is left out."""
        found = {}
        for kept in self._keeper.matches():
            try:
                unfinished = Unfinished.read(kept)
            except (ConfigError, ValueError, KeyError, TypeError):
                self._keeper.drop_match(kept.id)
                continue
            found[unfinished.kept.table] = unfinished
        return found


def finished(table_id: str, match: LiveMatch) -> FinishedTable:
    """A match that is over, as the archive keeps it."""
    assert match.record is not None, "it is over"
    terms = match.terms
    are_people = terms.are_people or (False,) * len(terms.names)
    return FinishedTable(
        match_id=terms.match_id,
        table_id=table_id,
        game=match.game,
        names=terms.names,
        kinds=tuple("person" if is_person else "bot" for is_person in are_people),
        seed=terms.seed,
        record=match.record,
        started_at=terms.started_at,
    )


@attrs.frozen
class Unfinished:
    """A match that was being played when the server ended."""

    kept: KeptTerms
    game: Game[Any, Any]
    turns: tuple[Turn, ...]
    decisions: tuple[Decision, ...]
    answers: dict[int, Any]
    """The moves of the open turn that had come already, by seat."""

    @classmethod
    def read(cls, match: KeptMatch) -> Unfinished:
        """Raises ConfigError or ValueError if this arena cannot go on with it."""
        kept = msgspec.json.decode(match.value, type=KeptTerms)
        game = make_game(GAMES[kept.game], kept.rules)
        if game.version != kept.version:
            raise ConfigError(f"{kept.game} has changed since")
        turns: list[Turn] = []
        decisions: list[Decision] = []
        for number, (moves, rows) in enumerate(match.turns):
            (turn,) = unpack(game, moves)
            turns.append(turn)
            for row in msgspec.json.decode(rows, type=list[Row]):
                seat = Seat(row[0])
                decisions.append(Decision(number, seat, turn[seat], row[1], row[2], *row[3:]))  # type: ignore[arg-type]
        answers = {
            seat: unpack(game, move)[0][Seat(seat)]
            for (turn_number, seat), move in match.answers.items()
            if turn_number == len(turns)
        }
        return cls(kept, game, tuple(turns), tuple(decisions), answers)

    @property
    def resumption(self) -> Resumption:
        return Resumption(self.turns, self.decisions, (True,) * len(self.kept.terms.names))


__all__ = ["RING_PREFIX", "Forgetful", "KeptTerms", "ServerRecords", "Unfinished"]
