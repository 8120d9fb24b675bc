"""Limits count households, and nobody is taken for loopback."""

from __future__ import annotations

import pytest
from trio.testing import MockClock

from arena.refusal import Refusal
from arena.server import limits
from arena.server.http.quotas import Quota, Rate, WaitingRequests
from tests.server.halls import a_house


async def test_a_rate_counts_a_household_once(autojump_clock: MockClock) -> None:
    """Addresses of one /64 have one allowance; an IPv4 address has its own, however it is written."""
    rate = Rate("knocks", 2, 1.0, "knocks")
    rate.take("2001:db8::1")
    rate.take("2001:db8::2")
    with pytest.raises(Refusal, match=r"^too many knocks: wait 1 s$"):
        rate.take("2001:db8::3")
    rate.take("2001:db8:0:1::1")
    rate.give_back("2001:db8::9")
    rate.take("2001:db8::3")
    rate.take("192.0.2.1")
    rate.take("::ffff:192.0.2.1")
    with pytest.raises(Refusal):
        rate.take("192.0.2.1")


async def test_a_rate_gives_back_what_failed(autojump_clock: MockClock) -> None:
    """Whoever is refused for another reason may try again."""
    rate = Rate("knocks", 1, 1.0, "knocks")
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), rate.counted("192.0.2.1"):
            raise ZeroDivisionError


@pytest.mark.parametrize(
    ("why", "here", "address", "more", "short"),
    [
        ("there is room", ["192.0.2.1"], "192.0.2.1", 1, None),
        ("its household has its share", ["2001:db8::1", "2001:db8::2"], "2001:db8::3", 1, "address"),
        ("all that come together count", ["192.0.2.1"], "192.0.2.1", 2, "address"),
        ("loopback has a share of its own", ["::1"] * 2, "127.0.0.1", 1, None),
        ("a proxy too", ["192.0.2.9"] * 2, "192.0.2.9", 1, None),
        ("nobody's share is all", [""] * 3, "", 3, None),
        ("the last ones are for others", ["192.0.2.1", *["192.0.2.2"] * 3], "192.0.2.1", 1, "reserved"),
        ("who has none gets one of these", ["192.0.2.2"] * 4, "192.0.2.1", 1, None),
        ("there are as many as may be", ["192.0.2.2"] * 6, "192.0.2.1", 1, "total"),
        ("nobody may be more than all", [""] * 5, "", 2, "total"),
    ],
)
def test_a_quota(why: str, here: list[str], address: str, more: int, short: str | None) -> None:
    """Six in all, two of which are for newcomers, and two of one household."""
    quota = Quota(2, total=6, reserved=2, near_addresses=["192.0.2.9"], here=here)
    assert short == quota.shortage(address, more), why
    with quota.counted(address, more):
        assert len(here) + more == quota.total
    assert len(here) == quota.total


def test_waiting_requests_of_a_household_count_together() -> None:
    waits = WaitingRequests(1)
    with waits.counted("2001:db8::1"):
        with pytest.raises(Refusal), waits.counted("2001:db8::2"):
            pass
        with waits.counted("2001:db8:0:1::1"):
            pass
    with waits.counted("2001:db8::2"):
        pass


async def test_tables_are_counted_for_a_household(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """Those from before a restart, of which nobody knows who made them, count for nobody."""
    monkeypatch.setattr(limits, "TABLES_PER_ADDRESS", 2)
    monkeypatch.setattr(limits, "TABLES_PER_LOOPBACK", 3)
    async with a_house() as house:
        for _ in range(5):
            house.create("blef", {}, None)
        for number in range(2):
            house.create("blef", {}, None, address=f"2001:db8::{number}")
        with pytest.raises(Refusal, match="2 tables of your address"):
            house.create("blef", {}, None, address="2001:db8::9")
        for _ in range(3):
            house.create("blef", {}, None, address="127.0.0.1")
        with pytest.raises(Refusal, match="3 tables of your address"):
            house.create("blef", {}, None, address="127.0.0.1")
