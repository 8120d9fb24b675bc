"""Members of a table whose connections are all closed: after a while they lose their seat, or are away."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.server.tables.live import LiveTable

AWAY_S = 30.0
"""After this time without a connection one leaves the table; in a match its seat is away."""


class ClosedPages:
    """Watches those who are not connected any more."""

    def __init__(self, live: LiveTable, nursery: trio.Nursery, is_here: Callable[[str], bool]) -> None:
        """`is_here`: whether somebody with this player_id has a connection."""
        self._live = live
        self._nursery = nursery
        self._is_here = is_here
        self._scopes: dict[str, trio.CancelScope] = {}

    def note_gone(self, player_id: str) -> None:
        """One of its connections is closed."""
        if not self._is_here(player_id) and player_id not in self._scopes:
            self._scopes[player_id] = scope = trio.CancelScope()
            self._nursery.start_soon(self._miss, player_id, scope)

    def note_back(self, player_id: str) -> None:
        """It is here again."""
        if (scope := self._scopes.pop(player_id, None)) is not None:
            scope.cancel()

    async def _miss(self, player_id: str, scope: trio.CancelScope) -> None:
        """Waits until it is back, has left, or the table is closed."""
        with scope:
            while self._is_member(player_id):
                await trio.sleep(AWAY_S)
                self._give_up(player_id)
        if self._scopes.get(player_id) is scope:
            del self._scopes[player_id]

    def _is_member(self, player_id: str) -> bool:
        member = self._live.table.present(player_id)
        return member is not None and member.is_person

    def _give_up(self, player_id: str) -> None:
        if not self._is_member(player_id):
            return
        live, member = self._live, self._live.table.member(player_id)
        if live.table.is_playing and player_id in live.table.seating:
            seat = live.seats.get(player_id)
            has_limit = live.match is not None and live.match.terms.move_s is not None
            if seat is not None and has_limit and seat.silent_s >= AWAY_S:
                seat.go_away()  # it was not heard by another way either; friends without a clock wait
        else:
            live.leave(member)
