"""The pool: who is seated, used again, and ended; and that no memory sees a deal twice."""

from __future__ import annotations

import re

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from tournaments import Record, Steady, alive, honest, local, opened, play, program, rows, terms

import arena.tournament.play.in_process
import arena.tournament.play.instances
from arena.games.liars_dice import LiarsDice
from arena.players.local import load_bot
from arena.players.start import BotBroken
from arena.schedule import Pairing
from arena.tournament.folder.intake import course_of
from arena.tournament.play.instances import Instance
from arena.tournament.play.logs import file_name
from arena.tournament.play.pool import Pool
from arena.wire.messages import NAME_LENGTH_MAX, check_name


def pairing(series, rotation, bots=("ann", "bob")):
    turned = (*bots[rotation:], *bots[:rotation])
    return Pairing(f"s{series}/{rotation}", "liars-dice", turned, 1, f"s{series}", rotation, series)


async def seated(pool, match):
    """Seats a match and releases it; gives the players by name."""
    pool.reserve(match, frozenset())
    instances = await pool.seat(match, frozenset())
    pool.release(instances)
    pool.free(match, frozenset())
    return {instance.bot: instance.player for instance in instances}


@pytest.mark.parametrize("shares_deals", [True, False])
async def test_an_instance_plays_one_rotation_when_deals_are_shared(shares_deals):
    """The second rotation meets other objects; the same rotation of the next series meets the old ones."""
    async with trio.open_nursery() as nursery:
        deals = "same" if shares_deals else "fresh"
        pool = Pool(terms([local("ann", Steady), local("bob", Steady)], deals=deals), nursery)
        first, second, third = [await seated(pool, pairing(*which)) for which in ((0, 0), (0, 1), (1, 0))]
        assert first == third
        for bot in ("ann", "bob"):
            assert (first[bot] is not second[bot]) == shares_deals


async def rotation_points(folder, bots, series):
    """What the first of the bots made in the rotations after the first of each series: points a match."""
    summary, _ = await play(folder, bots, game=LiarsDice(dice=5), series=series, move_time=5.0)
    assert summary.faults.total() == 0
    mine = [row for row in rows(folder, "seats") if row["bot"] == bots[0].name]
    later = [float(row["points"]) for row in mine if row["rotation"] != "0"]
    assert series == len(later)
    return sum(later) / len(later)


@pytest.mark.nightly
@pytest.mark.slow
async def test_a_remembering_bot_gains_nothing(tmp_path, monkeypatch):
    """It knows the dice of whoever it met on the same deals before, and so wins: unless the rule holds."""
    bots = (program("mnemo", "remembering.py"), honest("plain"))
    with trio.fail_after(30):
        fair = await rotation_points(tmp_path / "rule", bots, series=30)

        def careless(setting, *how, **options):
            return Pool(
                attrs.evolve(setting, plan=attrs.evolve(setting.plan, deals="fresh")), *how, **options
            )

        monkeypatch.setattr(arena.tournament.play.in_process, "Pool", careless)
        unfair = await rotation_points(tmp_path / "none", bots, series=30)
    # Seeded, and both bots deterministic.  With even odds, 30 matches give 0.5 with a deviation of 0.09.
    assert abs(fair - 0.5) < 0.2
    assert unfair > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("concurrency", "is_short"), [(1, True), (2, True), (1, False)])
async def test_processes_are_bounded(tmp_path, monkeypatch, concurrency, is_short):
    """Every rotation needs its own: all stay while memory is free, else 2 x concurrency x seats; none in the end."""
    monkeypatch.setattr(arena.tournament.play.instances, "FREE_MEMORY_SHARE", 2.0 if is_short else 0.0)
    names = [f"bot{number}-{id(tmp_path)}" for number in range(4)]
    most = 0

    def count(entry):
        nonlocal most
        most = max(most, len(alive(f"-{id(tmp_path)}")))

    with trio.fail_after(30):
        summary, _ = await play(
            tmp_path / "out",
            [honest(name) for name in names],
            series=1,
            concurrency=concurrency,
            reporter=Record(count),
        )
    assert 12 == summary.played
    if is_short:
        assert 2 < most <= 2 * concurrency * 2
    else:
        assert 2 * len(names) == most
    assert [] == alive(f"-{id(tmp_path)}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("restart", "deals", "instances"),
    [
        ("never", "fresh", 1),
        ("never", "same", 2),
        ("series", "fresh", 2),
        ("series", "same", 4),
        ("match", "fresh", 4),
    ],
)
async def test_how_often_a_bot_is_started(tmp_path, restart, deals, instances):
    """Two series of two rotations: as its bot.toml wants it, and no instance plays one deal twice."""
    bots = (honest("ann", restart=restart), local("bob", Steady))
    with trio.fail_after(20):
        await play(tmp_path / "out", bots, deals=deals)
    assert instances == len(list((tmp_path / "out" / "logs").glob("ann-*.log")))


@pytest.mark.slow
async def test_a_bot_that_may_live_once_lives_once(tmp_path):
    """instances_max bounds its processes, also while one ends and the next begins."""
    name, most = f"single-{id(tmp_path)}", 0

    async def watch():
        nonlocal most
        while True:
            most = max(most, len(await trio.to_thread.run_sync(alive, f"ARENA_NAME={name}")))
            await trio.sleep(0.01)

    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            field = (honest(name, instances_max=1), local("bob", Steady), local("cat", Steady))
            summary, _ = await play(tmp_path / "out", field, concurrency=3)
            nursery.cancel_scope.cancel()
    assert 12 == summary.played
    assert 1 == most


@pytest.mark.slow
@given(st.text(max_size=NAME_LENGTH_MAX).filter(lambda name: check_name(name) is None))
def test_a_bots_logs_have_names_that_any_system_takes(name):
    """Letters, digits and a few signs, no longer than a file may be called; and no way up."""
    written = file_name(name)
    assert re.fullmatch(r"[A-Za-z0-9._%~-]{1,150}", written)


@pytest.mark.parametrize(
    ("name", "other"),
    [("a b", "a_b"), ("a b", "a%20b"), ("é", "e"), ("д" * 64, "д" * 63 + "ж"), ("a/b", "a~b")],
)
def test_no_two_bots_share_a_log(name, other):
    """Whatever they are called."""
    assert file_name(name) != file_name(other)


def test_file_names():
    """A plain name is itself, and none is a path."""
    assert "..%2F.." == file_name("../..")
    assert "odds-2" == file_name("odds-2")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("no_such_module:Bot", "No module named"),
        ("tournaments:NoSuchClass", "has no attribute"),
        ("tournaments:FIELD", "not callable"),
        ("builtins:dict", "is not an arena.sdk.Bot"),
    ],
)
def test_no_bot_of_this_process(target, reason):
    """What is no bot is broken, and the reason says why."""
    from attrs import evolve

    with pytest.raises(BotBroken, match=reason):
        load_bot(evolve(local("x", Steady), target=target))


async def test_the_next_needed_are_kept(tmp_path):
    """Of idle instances the one that is needed last, or never, is ended first."""
    with opened(tmp_path / "out", ()) as setup:
        order = course_of(setup, ["ann", "bob", "cat"]).order  # bob and cat, ann and cat, ann and bob
    async with trio.open_nursery() as nursery:
        pool = Pool(terms(processes_max=2), nursery)
        pool.upcoming = order.__iter__
        # Only a stand-in for a player is needed: who is next is a matter of the schedule.
        player = type("Here", (), {"is_gone": False})()
        cat, ann = Instance(player, "cat", 0), Instance(player, "ann", 0)
        assert pool._needed_last([cat, ann]) is ann
        never = Instance(player, "ann", 7)
        assert pool._needed_last([ann, never, cat]) is never
