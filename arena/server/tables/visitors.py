"""Pure: how many of one household come to a table, how often they come, and how much they say.

Nobody needs an account to join a table, so what is counted is where they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from arena.refusal import Refusal
from arena.server import limits
from arena.server.http.quotas import Quota, Rate, RecentlyUsed
from arena.server.tables.table import Member, Table


class Visitors:
    """Who came to a server's tables from which address, which is unknown of those from before a restart."""

    def __init__(self) -> None:
        self._joins = Rate(
            "joins_per_address",
            limits.JOINS_AT_ONCE,
            limits.JOINS_PER_S,
            "people of your address have joined tables",
        )
        self._messages = Rate(
            "chat_per_address",
            limits.CHAT_AT_ONCE_PER_ADDRESS,
            limits.CHAT_PER_S_PER_ADDRESS,
            "messages came from your address",
        )
        self._of: RecentlyUsed[str, dict[str, str]] = RecentlyUsed()
        """The addresses of each table's members, by player_id."""

    @contextmanager
    def joining(self, table: Table, address: str) -> Iterator[Callable[[Member], None]]:
        """Open while somebody from this address joins; yields what has to be told who that is at the table.

        Raises Refusal if too many of its household are there, or came lately; who is refused does not count.
        """
        if not address:  # nobody from outside
            yield lambda member: None
            return
        members = self._members(table)
        near, most = limits.MEMBERS_PER_LOOPBACK, limits.MEMBERS_PER_ADDRESS
        quota = Quota(most, near=near, here=members.values())
        if quota.shortage(address):
            raise Refusal(
                "too_many",
                f"{quota.share(address)} people of your address are at this table: "
                "one of them has to leave first",
                key="members_per_address",
                seconds=10.0,
            )
        with self._joins.counted(address):
            yield lambda member: members.__setitem__(member.player_id, address)

    def speaking(self, address: str) -> AbstractContextManager[None]:
        """Open while somebody from this address says something; what is refused does not count."""
        return self._messages.counted(address)

    def _members(self, table: Table) -> dict[str, str]:
        """The addresses of who is at the table now, by player_id."""
        known = self._of.get(table.id) or {}
        there = {each.player_id: known[each.player_id] for each in table.members if each.player_id in known}
        self._of.put(table.id, there)
        return there
