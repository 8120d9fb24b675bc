"""How many connections a run takes, and what it says if the system has not enough for them."""

from __future__ import annotations

import gc
import resource

import attrs
import pytest

from arena.errors import ConfigError
from arena.reading.units import parse_address
from arena.tournament.lobby import callers
from arena.tournament.lobby.callers import (
    bots_set_aside,
    connections_of,
    per_address_of,
    prepare_files,
    short_backlog,
)
from arena.tournament.plan import Plan

PLAN = Plan(expect=5_000, listen=parse_address("0.0.0.0:8888"))
ADDRESSES: list[tuple[str, dict[str, object], int]] = [
    ("anywhere", {}, 256),
    ("anywhere, as the host says", {"per_address": 5_000}, 5_000),
    ("loopback alone: all are from there", {"listen": "127.0.0.1:0"}, 40_000),
    ("the same", {"listen": "[::1]:0"}, 40_000),
    ("by its name", {"listen": "localhost:0"}, 40_000),
    ("loopback, as the host says", {"listen": "127.0.0.1:0", "per_address": 9}, 9),
    ("few on loopback", {"listen": "127.0.0.1:0", "expect": 2}, 256),
    ("a name of elsewhere", {"listen": "arena.example:0"}, 256),
]


@pytest.mark.parametrize(("where", "keys", "most"), ADDRESSES, ids=[row[0] for row in ADDRESSES])
def test_connections_of_one_address(where, keys, most):
    """256; as many as all bots need if all are from there; or what the host says."""
    keys = keys | ({"listen": parse_address(keys["listen"])} if "listen" in keys else {})
    assert most == per_address_of(attrs.evolve(PLAN, **keys))


@pytest.fixture
def limits(monkeypatch):
    """Stands for the system: the limit on file descriptors, soft and hard."""
    kept = [1024, 1024]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(kept))
    monkeypatch.setattr(resource, "setrlimit", lambda _, to: kept.__setitem__(slice(None), to))
    return kept


def test_too_few_file_descriptors_are_told_before_anything_begins(limits):
    """One sentence: what is needed, what there is, and what to do."""
    with pytest.raises(ConfigError) as caught:
        prepare_files(PLAN)
    assert str(caught.value) == (
        "5,000 bots that connect take 5,128 file descriptors, and this system allows a process 1,024: raise "
        "the hard limit (`ulimit -Hn 5128`, or LimitNOFILE= of a service), or let fewer connect"
    )
    prepare_files(Plan())  # started bots make do with what there is


@pytest.mark.parametrize(
    ("hard", "lifted"), [(5_128, 5_128), (20_000, 10_120), (resource.RLIM_INFINITY, 10_120)]
)
def test_the_limit_on_file_descriptors_is_raised(limits, hard, lifted):
    """As far as it is wanted and allowed; and strangers do not take those of the bots."""
    limits[1] = hard
    prepare_files(PLAN)
    assert [lifted, hard] == limits
    assert min(6_024, lifted - 128) == connections_of(PLAN)


@pytest.mark.parametrize(("most", "is_told"), [(128, True), (5_000, False), (None, False)])
def test_a_short_backlog_is_told(monkeypatch, most, is_told):
    """If the kernel lets fewer connections wait than there are bots, people know why some come later."""
    monkeypatch.setattr(callers, "backlog_most", lambda: most)
    told = short_backlog(PLAN)
    assert is_told == (told is not None)
    assert told is None or ("lets 128 connections wait" in told and "net.core.somaxconn=5000" in told)


@pytest.mark.parametrize(("bots", "are_aside"), [(5_000, True), (50, False)])
def test_many_bots_are_not_looked_through_for_garbage(monkeypatch, bots, are_aside):
    """While they play: it would take a quarter of a second again and again; of few bots it takes nothing."""
    monkeypatch.setattr(gc, "collect", lambda: 0)
    with bots_set_aside(attrs.evolve(PLAN, expect=bots)):
        assert are_aside == (gc.get_freeze_count() > 0)
    assert gc.get_freeze_count() == 0
