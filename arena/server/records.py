"""What is kept of tables and their matches."""

from __future__ import annotations

from typing import Any

from arena.game import Game
from arena.server.live_match import LiveMatch, MatchTerms
from arena.server.table import Table


class Forgetful:
    """Keeps nothing: for tests and measurements."""

    def keep_table(self, table: Table) -> None:
        pass

    def drop_table(self, table: Table) -> None:
        pass

    def begin_match(self, table: Table, game: Game[Any, Any], terms: MatchTerms) -> None:
        pass

    def keep_answer(self, match_id: str, turn: int, seat: int, move: Any) -> None:
        pass

    def keep_turn(self, match: LiveMatch) -> None:
        pass

    async def end_match(self, table: Table, match: LiveMatch) -> None:
        pass

    async def kept(self) -> None:
        pass
