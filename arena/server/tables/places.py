"""Pure: how many tables there may be, in all and of one address, and which of them makes room.

Tables that are asleep take none of these places; they have a bound of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.refusal import Refusal
from arena.server import limits
from arena.server.http.addresses import neighbourhood
from arena.server.http.quotas import Quota
from arena.server.tables.live import LiveTable


def check_room(open_now: Sequence[LiveTable], address: str) -> None:
    """Raises Refusal if an address cannot have one more table; the server itself has the address ""."""
    awake = _awake(open_now)
    match awake.shortage(address):
        case "total":
            why, key = "this server has as many tables as it takes", "tables"
        case "address":
            why = f"{awake.share(address)} tables of your address are open: close one by leaving it"
            key = "tables_per_address"
        case "reserved":
            why = "this server has few places left, which are for addresses without a table: play at yours"
            key = "tables"
        case None:
            return
    raise Refusal("too_many", why, key=key, seconds=60.0)


def are_short(open_now: Sequence[LiveTable]) -> bool:
    """Whether only the places are left that are kept for addresses without a table."""
    return _awake(open_now).total >= limits.TABLES_MAX - limits.TABLES_KEPT


def _awake(open_now: Sequence[LiveTable]) -> Quota:
    return Quota(
        limits.TABLES_PER_ADDRESS,
        near=limits.TABLES_PER_LOOPBACK,
        total=limits.TABLES_MAX,
        reserved=limits.TABLES_KEPT,
        here=[each.address for each in open_now if not (each.table.is_asleep or each.table.is_closed)],
    )


def makes_room(open_now: Sequence[LiveTable]) -> LiveTable | None:
    """The table to close if too many are asleep; None if not.

    It is the one asleep for longest of the address that has most of them.
    """
    asleep = [each for each in open_now if each.table.is_asleep]
    if len(asleep) <= limits.TABLES_ASLEEP_MAX:
        return None
    crowds = Counter(map(_maker, asleep))
    return min(asleep, key=lambda each: (-crowds[_maker(each)], each.table.asleep_at or 0.0))


def _maker(placed: LiveTable) -> str:
    """Whom a table is charged to; one of an unknown address stands for itself."""
    return neighbourhood(placed.address) if placed.address else placed.table.id
