"""Places for tables: nobody, and no few addresses together, can take all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import trio
from trio.testing import MockClock

from arena.refusal import Refusal
from arena.server import limits
from arena.server.limits import ABSENT_S, IDLE_EMPTY_S, TABLES_KEPT, TABLES_MAX
from arena.server.open_tables import OpenTables
from arena.server.tables.live import LiveTable
from tests.server.halls import a_house, people


def flood(house: OpenTables, addresses: int) -> int:
    """How many tables so many addresses can make who make as many as they can."""
    made = 0
    for number in range(addresses):
        while True:
            try:
                house.create("blef", {}, None, address=f"192.0.2.{number}")
            except Refusal:
                break
            made += 1
    return made


@pytest.mark.slow
async def test_sixty_addresses_cannot_take_all_places(autojump_clock: MockClock) -> None:
    """The last ones are for who has none; each such address gets one of them, and no second."""
    async with a_house() as house:
        for _ in range(3):  # who has filled them all comes back for more
            flood(house, 60)
        assert TABLES_MAX - TABLES_KEPT <= len(list(house)) <= TABLES_MAX - TABLES_KEPT + 60
        house.create("blef", {}, None, address="198.51.100.1")
        with pytest.raises(Refusal, match="few places left, which are for addresses without a table"):
            house.create("blef", {}, None, address="198.51.100.1")
        house.create("blef", {}, None, address="198.51.100.2")


@pytest.fixture
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight places for tables, the last four of which are for addresses without one."""
    monkeypatch.setattr(limits, "TABLES_MAX", 8)
    monkeypatch.setattr(limits, "TABLES_KEPT", 4)


@pytest.mark.usefixtures("few_places")
async def test_no_address_gets_a_place_beyond_all(autojump_clock: MockClock) -> None:
    """Where all have one, all places can be taken; one that is closed is free at once."""
    async with a_house() as house:
        assert 8 == flood(house, 10)
        with pytest.raises(Refusal, match="as many tables as it takes"):
            house.create("blef", {}, None)
        next(iter(house)).close("over")
        house.create("blef", {}, None, address="198.51.100.1")


@pytest.mark.usefixtures("few_places")
async def test_empty_tables_close_in_a_minute_when_places_are_short(autojump_clock: MockClock) -> None:
    """One at which somebody sits stays, and so do all of them while there are enough places."""
    async with a_house() as house:
        house.hall.nursery.start_soon(house.watch)
        used, watched, *_ = [house.create("blef", {}, None, address=f"192.0.2.{n}") for n in range(3)]
        people(used, "ann")
        watched.join("sue", spectate=True)
        await trio.sleep(2 * IDLE_EMPTY_S)
        assert 3 == len(list(house))
        flood(house, 60)
        await trio.sleep(IDLE_EMPTY_S + 11.0)
        assert [used] == list(house)


async def sleepers(house: OpenTables, *addresses: str) -> Iterator[LiveTable]:
    """Tables whose matches fall asleep in this order."""
    tables = []
    for address in addresses:
        live = house.create("liars-dice", {}, None, is_clock_chosen=False, address=address)
        (ann,) = people(live, "ann")
        live.give_seat(ann, "random")
        live.begin(ann)
        tables.append(live)
        await trio.sleep(1.0)
        await trio.sleep(ABSENT_S)
        live.look()
        assert live.table.is_asleep
    return iter(tables)


async def test_tables_asleep_take_no_place(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """They count neither in all nor for their address, and count again when they wake."""
    monkeypatch.setattr(limits, "TABLES_MAX", 2)
    monkeypatch.setattr(limits, "TABLES_KEPT", 1)
    monkeypatch.setattr(limits, "TABLES_PER_ADDRESS", 1)
    async with a_house() as house:
        first, second = await sleepers(house, "192.0.2.1", "192.0.2.1")
        house.create("blef", {}, None, address="192.0.2.1")
        first.note_seen(first.table.members[0])
        assert (False, True) == (first.table.is_asleep, second.table.is_asleep)
        with pytest.raises(Refusal, match="as many tables as it takes"):
            house.create("blef", {}, None, address="192.0.2.2")


async def test_too_many_asleep(monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock) -> None:
    """Who has most of them makes room, with the one that has been asleep for longest."""
    monkeypatch.setattr(limits, "TABLES_ASLEEP_MAX", 3)
    async with a_house() as house:
        oldest, first, second, other = await sleepers(
            house, "198.51.100.1", "192.0.2.1", "192.0.2.1", "198.51.100.2"
        )
        house.hall.nursery.start_soon(house.watch)
        await trio.sleep(11.0)
        assert [oldest, second, other] == list(house)
        assert first.table.is_closed
