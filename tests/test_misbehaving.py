"""Bad bots as real processes: each gets its fault, nobody else is hurt, and nothing is left of it."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
import trio
from tournaments import BAD, Record, alive, faults, honest, play, program, rows

from arena.runner import BrokenBots

pytestmark = pytest.mark.slow

HURRY = {"move_time": 0.25, "name_wait_s": 0.2, "reconnect_s": 0.5, "series": 1}
ENDS_IN_S = 20
MEMORY_MB = 40


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def mark(name: str) -> str:
    """A bot name of this test process alone, so that other runs' processes are not taken for orphans."""
    return f"{name}-{os.getpid()}"


async def duel(folder, *words, first_move_time=5.0, **more):
    """A bad bot against an honest one: the faults of both, by kind, and what was reported."""
    bad, good = mark("bad"), mark("good")
    field = (program(bad, *words, **more), honest(good))
    with trio.fail_after(ENDS_IN_S):
        summary, reporter = await play(folder, field, **{**HURRY, "first_move_time": first_move_time})
    assert summary.planned == summary.played == 2
    assert [] == summary.aborted
    assert [] == alive(f"ARENA_NAME={bad}")
    found = faults(folder)
    assert {} == found[good]
    return found[bad], reporter


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        ("late.py 3 0.4", {"too_late"}),
        ("silent.py 3", {"too_late"}),
        ("half_message.py 3", {"too_late"}),
        ("rude.py 3", {"malformed"}),
        ("nan.py 3", {"malformed"}),
        ("invalid_utf8.py 3", {"malformed"}),
        ("deep_nesting.py 3", {"malformed"}),
        # What floods is read at a pace that hurts nobody else, so its own next answer comes late.
        ("ten_megabyte_line.py 3", {"malformed", "too_late"}),
        ("flood.py 3", {"too_late"}),
        ("wrong_types.py 3", {"malformed"}),
        ("wrong_id.py 3", {"malformed"}),
        ("illegal.py 3", {"illegal"}),
        ("crash.py 3", {"gone"}),
        ("closes_stdout_stays.py 3", {"gone"}),
        ("two_answers.py", set()),
        ("stderr_flood.py 3", set()),
        ("ignores_sigterm.py", set()),
    ],
)
@pytest.mark.parametrize("transport", ["tcp", "stdio"])
async def test_it_gets_its_fault_and_nobody_else_is_hurt(tmp_path, script, kinds, transport):
    """The match is finished by the rules, in bounded memory, and no process is left."""
    before = peak_mb()
    found, _ = await duel(tmp_path / "out", *script.split(), transport=transport)
    assert kinds == set(found)
    assert peak_mb() - before < MEMORY_MB


async def test_a_bot_that_never_reads_is_cut_off(tmp_path):
    """It answers nothing, so it is late; the arena's memory does not grow with what it does not read."""
    found, _ = await duel(tmp_path / "out", "never_reads.py", first_move_time=0.5)
    assert set(found) <= {"too_late", "gone"}
    assert found


async def test_what_is_printed_to_stdout_is_named(tmp_path):
    """A stdio bot's junk is malformed, and the reason says what to do about it, in tables and in its log."""
    await duel(tmp_path / "out", "rude.py", "3", transport="stdio")
    reasons = {row["reason"] for row in rows(tmp_path / "out", "decisions") if row["fault"] == "malformed"}
    assert reasons
    assert all(reason.startswith("printed to stdout; use stderr") for reason in reasons)
    logs = "".join(file.read_text() for file in (tmp_path / "out" / "logs").glob("bad-*.log"))
    assert "arena: printed to stdout; use stderr" in logs


async def test_a_flood_of_stderr_is_bounded_on_disk(tmp_path):
    """200 MB of complaints leave a log of a few hundred kB that begins and ends as the bot's did."""
    await duel(tmp_path / "out", "stderr_flood.py", "3")
    for file in (tmp_path / "out" / "logs").glob("bad-*.log"):
        assert file.stat().st_size < 300_000


async def test_capsules_hold_the_stderr_of_the_match(tmp_path):
    """Why a bot crashed stands in its capsule; its token does not."""
    await duel(tmp_path / "out", "crash.py", "3")
    texts = [file.read_text() for file in (tmp_path / "out" / "faults").iterdir()]
    assert any("I was never any good at this" in text for text in texts)


async def test_a_crashed_bot_is_started_again_for_its_next_match(tmp_path):
    """In every match it is there at first, and gone at its third question."""
    await duel(tmp_path / "out", "crash.py", "3")
    logs = list((tmp_path / "out" / "logs").glob("bad-*.log"))
    assert 2 <= len(logs)
    for row in rows(tmp_path / "out", "seats"):
        if row["bot"] == mark("bad"):
            assert int(row["decisions"]) > int(row["gone"]) > 0


async def test_a_withdrawn_bot_ends_at_once(tmp_path):
    """Nothing of it runs on while the others play: it has no match left, and may do harm."""
    bad, good, left = mark("bad"), mark("good"), []

    def look(entry):
        left.append((entry.withdrawn, bool(alive(f"ARENA_NAME={bad}"))))

    field = (program(bad, "illegal.py", "1"), honest(good))
    with trio.fail_after(ENDS_IN_S):
        await play(tmp_path / "out", field, reporter=Record(look), faults_max=1, **{**HURRY, "series": 100})
    assert ([False, False], True) == (sorted(left[0][0]), left[0][1])
    assert ([False, True], False) == (sorted(left[-1][0]), left[-1][1])


async def test_all_broken_bots_are_listed_at_once(tmp_path):
    """With the end of their log, before any match, and none is left running."""
    field = (
        program(mark("never"), "never_connects.py", connect_s=0.3),
        program(mark("exits"), "exits_at_once.py"),
        honest(mark("honest")),
        program(mark("absent"), "no_such_file.py"),
        program(mark("mute"), "exits_at_once.py", transport="stdio"),
    )
    with trio.fail_after(ENDS_IN_S), pytest.raises(BaseExceptionGroup) as caught:
        await play(tmp_path / "out", field, **HURRY)
    group, rest = caught.value.split(BrokenBots)
    assert rest is None
    while isinstance(group, BaseExceptionGroup):
        (group,) = group.exceptions
    assert isinstance(group, BrokenBots)
    reasons = {bot.name: (bot.reason, bot.log) for bot in group.broken}
    assert [mark(name) for name in ("never", "exits", "absent", "mute")] == list(reasons)
    assert "did not connect within 0.3 s" == reasons[mark("never")][0]
    for name in ("exits", "mute"):
        reason, log = reasons[mark(name)]
        assert "its process ended with exit code 1" == reason
        assert "exits_at_once: goodbye" in log
    assert "No such file" in reasons[mark("absent")][1]
    assert [] == rows(tmp_path / "out", "matches")
    assert [] == alive(f"-{os.getpid()}")


async def test_the_broken_are_left_out(tmp_path):
    """The others play, and the tables say so."""
    names = (mark("never"), mark("honest"), mark("other"))
    field = (
        program(names[0], "never_connects.py", connect_s=0.3),
        honest(names[1]),
        honest(names[2]),
    )
    with trio.fail_after(ENDS_IN_S):
        summary, _ = await play(tmp_path / "out", field, leave_out_broken=True, **HURRY)
    assert 2 == summary.played
    assert [names[0]] == [bot.name for bot in summary.left_out]
    status = {row["bot"]: row["status"] for row in rows(tmp_path / "out", "bots")}
    assert ["left out", "ok", "ok"] == [status[name] for name in names]


@pytest.mark.parametrize("script", ["ignores_sigterm.py", "silent.py"])
async def test_a_cancelled_run_ends_soon_and_leaves_nobody(tmp_path, script):
    """Whatever the bots do: about three seconds after Ctrl-C no process of theirs is alive."""
    field = tuple(program(mark(name), script) for name in ("one", "two", "three"))
    with trio.fail_after(ENDS_IN_S):
        started_at = 0.0

        async def wait_and_cancel(scope):
            nonlocal started_at
            while len(alive(f"-{os.getpid()}")) < 3:  # noqa: ASYNC110
                await trio.sleep(0.05)
            await trio.sleep(0.3)
            started_at = trio.current_time()
            scope.cancel()

        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                nursery.start_soon(wait_and_cancel, scope)
                await play(tmp_path / "out", field, **{**HURRY, "move_time": 30.0, "series": 100})
            assert scope.cancelled_caught
    assert trio.current_time() - started_at < 3.5
    assert [] == alive(f"-{os.getpid()}")


def test_every_bad_bot_is_tried_here():
    """A bad bot that is added is added here too."""
    scripts = {path.name for path in BAD.glob("*.py")}
    tried = Path(__file__).read_text(encoding="utf-8")
    elsewhere = {"remembering.py", "honest.py"}  # tests/players/test_pool.py; what the others are made of
    assert set() == {script for script in scripts - elsewhere if f'"{script}' not in tried}
