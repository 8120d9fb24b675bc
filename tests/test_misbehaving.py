"""Bad bots as real processes: each gets its fault, nobody else is hurt, and nothing is left of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
import trio
from daily import NIGHTLY, nightly, nightly_rows
from tournaments import BAD, HURRY, Record, alive, faults, honest, play, program, rows

from arena.games import GAMES
from arena.tournament.bots.broken import BrokenBots
from arena.tournament.bots.entrants import resolve
from arena.trials.torture.habits import habits

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ENDS_IN_S = 20
MEMORY_MB = 5
"""What may be held because of a bad bot; half a line of `ten_megabyte_line`.  Measured: 0.9 at most."""


EXACTLY = [
    ("late.py 3 0.4", {"too_late"}),
    ("silent.py 3", {"too_late"}),
    ("half_message.py 3", {"too_late"}),
    ("rude.py 3", {"malformed"}),
    ("nan.py 3", {"malformed"}),
    ("invalid_utf8.py 3", {"malformed"}),
    ("deep_nesting.py 3", {"malformed"}),
    # What floods is read at a pace that hurts nobody else, so its own next answer comes late.
    ("flood.py 3", {"too_late"}),
    ("wrong_types.py 3", {"malformed"}),
    ("wrong_id.py 3", {"malformed"}),
    ("illegal.py 3", {"illegal"}),
    ("closes_stdout_stays.py 3", {"gone"}),
    ("stops_itself.py 3", {"too_late"}),
    ("utf16.py 3", {"malformed"}),
    ("surrogates.py 3", {"malformed"}),
    ("nested_id.py 3", {"malformed"}),
    ("huge_id.py 3", {"malformed"}),
    ("hello_again.py 3", {"malformed"}),
    ("long_junk.py", {"malformed"}),
    ("exits_zero.py 3", {"gone"}),
    ("crash_loop.py", {"gone"}),
    ("ansi.py 3", {"gone"}),
    ("duplicate_keys.py", set()),
    ("daemon.py", set()),
    ("sticky.py", set()),
    ("slow_first.py 0.4", set()),
    ("two_answers.py", set()),
    ("stderr_flood.py 3", set()),
    ("ignores_sigterm.py", set()),
]
"""(script, what it is charged with), over TCP and standard streams."""
ALIKE_ON_BOTH = {
    *(
        "nan.py",
        "invalid_utf8.py",
        "deep_nesting.py",
        "wrong_types.py",
        "wrong_id.py",
        "illegal.py",
        "utf16.py",
    ),
    *("surrogates.py", "nested_id.py", "huge_id.py", "hello_again.py", "ansi.py", "duplicate_keys.py"),
    *("slow_first.py", "two_answers.py", "late.py", "daemon.py"),
}
"""Bad bots whose badness is in what they say, not in how or whether they are connected: at every change all in one run."""
SAID_OVER_TCP = {
    *("bom.py", "huge_numbers.py", "long_reason.py", "old_answers.py", "too_early.py", "empty_id.py"),
    *("hello_twice.py", "false_name.py", "wrong_token.py"),
}
"""The same of those that are tried over TCP alone."""
AT_LEAST_AT_MOST = [
    # bytes of one answer that are read apart may cost its time as well
    ("drip.py 0.02 3", {"too_late"}, {"too_late"}),
    ("bom.py 3", {"malformed"}, {"malformed"}),
    ("huge_numbers.py 3", {"malformed"}, {"malformed", "illegal"}),
    ("long_reason.py", {"malformed"}, {"malformed", "too_late"}),
    ("old_answers.py", set(), {"too_late"}),
    ("too_early.py", set(), {"malformed", "illegal"}),
    ("clock_edge.py", set(), {"too_late"}),
    ("eats_memory.py", set(), {"too_late", "gone"}),
    ("forks.py 3", set(), {"too_late", "gone"}),
    ("empty_id.py first", set(), set()),
    ("empty_id.py side 3", set(), set()),
    ("junk_flood.py braces asked", {"malformed"}, {"malformed", "too_late"}),
    ("junk_flood.py pairs withdrawn", {"malformed"}, {"malformed", "too_late", "gone"}),
    ("side_floods.py 0.6 3", {"too_late"}, {"too_late"}),
    ("resets.py 3", set(), {"too_late", "gone"}),
    ("comes_back.py", set(), {"too_late", "gone"}),
    ("reconnects.py", set(), {"too_late"}),
    ("many_silent.py 3", set(), {"too_late"}),
    ("half_closed.py", {"gone"}, {"gone"}),
    ("hello_twice.py", set(), set()),
    ("false_name.py good", set(), set()),
    ("wrong_token.py", set(), set()),
]
"""(script, what it is charged with at least, and at most), over TCP."""


QUIET = {
    *(
        "silent.py",
        "half_message.py",
        "rude.py",
        "closes_stdout_stays.py",
        "stops_itself.py",
        "exits_zero.py",
    ),
    *(
        "crash_loop.py",
        "sticky.py",
        "ignores_sigterm.py",
        "drip.py",
        "clock_edge.py",
        "resets.py",
        "comes_back.py",
    ),
    *("reconnects.py", "many_silent.py", "half_closed.py"),
}
"""Bad bots whose badness is in whether they answer, are connected or end, and takes no processor: mostly waiting."""


def is_said(script: str, transport: str) -> bool:
    """Whether this bad bot's badness is in what it says over this transport."""
    return script.split()[0] in (ALIKE_ON_BOTH | SAID_OVER_TCP if transport == "tcp" else ALIKE_ON_BOTH)


def is_quiet(script: str, transport: str) -> bool:
    """Whether it can play beside others, who are not kept from their answers by what it does."""
    return script.split()[0] in QUIET


def by_itself(script: str, *case) -> object:
    """A case of a test with a run for each bad bot: nightly if it plays in one with others at every change."""
    is_among_others = is_said(script, "tcp") or is_quiet(script, "tcp")
    return pytest.param(script, *case, marks=NIGHTLY if is_among_others else ())


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
    ("script", "kinds", "transport"),
    [by_itself(*case, transport) for transport in ("tcp", "stdio") for case in EXACTLY],
)
async def test_it_gets_its_fault_and_nobody_else_is_hurt(tmp_path, script, kinds, transport):
    """The match is finished by the rules, and no process is left."""
    found, _ = await duel(tmp_path / "out", *script.split(), transport=transport)
    assert kinds == set(found)


@pytest.mark.parametrize(
    ("transport", "is_among_them", "tables"),
    [
        *(("tcp", is_said, 1), ("tcp", is_quiet, 4)),
        *nightly_rows(("stdio", is_quiet, 4), ("stdio", is_said, 1)),
    ],
)
async def test_each_of_many_bad_bots_gets_its_fault_and_nobody_else_is_hurt(
    tmp_path, transport, is_among_them, tables
):
    """One honest bot meets all whose badness is in what they say, one after the other, and the quiet ones at four tables."""
    cases = [(script, kinds, kinds) for script, kinds in EXACTLY]
    cases += AT_LEAST_AT_MOST if transport == "tcp" else []
    bad = {mark(f"bad{at}"): case for at, case in enumerate(cases) if is_among_them(case[0], transport)}
    field = [program(name, *script.split(), transport=transport) for name, (script, _, _) in bad.items()]
    terms = {**HURRY, "first_move_time": 5.0, "tournament": "gauntlet", "concurrency": tables}
    with trio.fail_after(4 * ENDS_IN_S):
        summary, _ = await play(tmp_path / "out", (honest(mark("good")), *field), **terms)
    assert summary.planned == summary.played == 2 * len(bad)
    assert [] == summary.aborted
    assert [] == [case for name, case in bad.items() if alive(f"ARENA_NAME={name}")]
    found = faults(tmp_path / "out")
    assert {} == found.pop(mark("good"))
    assert [] == [
        (case, found[name]) for name, case in bad.items() if not case[1] <= set(found[name]) <= case[2]
    ]


@pytest.mark.parametrize("transport", ["tcp", "stdio"])
async def test_a_line_of_ten_megabytes_is_read_at_a_pace_that_costs_its_own_time(tmp_path, transport):
    """Malformed if its limit was read within the time of the answer, and late at any rate."""
    found, _ = await duel(tmp_path / "out", "ten_megabyte_line.py", "3", transport=transport)
    assert {"too_late"} <= set(found) <= {"malformed", "too_late"}


@pytest.mark.parametrize("transport", ["tcp", "stdio"])
async def test_a_crash_is_told_with_its_exception(tmp_path, transport):
    """The reason has it, and the evidence says in which log the rest is."""
    found, _ = await duel(tmp_path / "out", "crash.py", "3", transport=transport)
    assert {"gone"} == set(found)
    reasons = {row["reason"] for row in rows(tmp_path / "out", "decisions") if row["fault"] == "gone"}
    assert {"its process ended with exit code 1: RuntimeError: I was never any good at this"} == reasons
    for capsule in (tmp_path / "out" / "faults").iterdir():
        (log,) = [line["log"] for line in map(json.loads, capsule.read_text().splitlines()) if "log" in line]
        assert "RuntimeError" in (tmp_path / "out" / log).read_text()


@pytest.mark.parametrize(("script", "least", "most"), [by_itself(*case) for case in AT_LEAST_AT_MOST])
async def test_whatever_it_does_over_tcp_only_it_pays(tmp_path, script, least, most):
    """What depends on how fast the machine is may be a fault for time as well; the match is finished anyhow."""
    found, _ = await duel(tmp_path / "out", *script.split())
    assert least <= set(found) <= most


async def test_thirteen_thousand_cards_are_one_illegal_play(tmp_path):
    """Bluff: judged and explained at once; the honest bot is not charged."""
    bad, good = mark("bad"), mark("good")
    field = (program(bad, "many_cards.py"), resolve("doubter", base=BAD, name=good))
    with trio.fail_after(ENDS_IN_S):
        await play(tmp_path / "out", field, game=GAMES["bluff"](), **HURRY)
    found = faults(tmp_path / "out")
    assert (
        {"illegal"} <= set(found[bad]) <= {"illegal", "too_late"}
    )  # it reads its questions late on a busy machine
    assert {} == found[good]


async def test_a_bot_that_fills_the_disk_plays_on(tmp_path):
    """200 MB in the folder that it may write to are nobody else's."""
    good, kept = mark("good"), tmp_path / "kept"
    bad = attrs.evolve(program(mark("bad"), "fills_disk.py"), arena_folder=kept)
    with trio.fail_after(ENDS_IN_S):
        summary, _ = await play(tmp_path / "out", (bad, honest(good)), **HURRY)
    assert summary.planned == summary.played == 2
    assert {} == faults(tmp_path / "out")[good]
    assert sum(file.stat().st_size for file in kept.rglob("filling-*")) > 0


def peak_mb(*words: str) -> float:
    """The most that an arena held in a duel, in a process of its own; 36 MB with two honest bots."""
    ended = subprocess.run(
        [sys.executable, str(HERE / "peak.py"), *words],
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == ended.returncode, ended.stderr
    return float(ended.stdout)


@pytest.fixture(scope="module")
def honest_mb() -> float:
    return peak_mb("tcp")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process has held at most")
@pytest.mark.parametrize(
    "words",
    [
        "stdio flood.py 3",
        "tcp junk_flood.py braces asked",
        *nightly(
            "tcp ten_megabyte_line.py 3",
            "tcp never_reads.py",
            "stdio ten_megabyte_line.py 3",
            "tcp flood.py 3",
            "tcp junk_flood.py pairs withdrawn",
            "tcp side_floods.py 0.6 3",
            "tcp long_junk.py",
            "tcp deep_nesting.py 3",
            "tcp many_silent.py 3",
            "tcp stderr_flood.py 3",
        ),
    ],
)
def test_whatever_is_sent_or_not_read_is_not_held(words, honest_mb):
    """What a bad bot sends, prints or leaves unread costs hardly more memory than an honest bot in its place."""
    assert peak_mb(*words.split()) - honest_mb < MEMORY_MB


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("protocol_99.py", "was refused: protocol 99 is not supported, only 1"),
        ("junk_flood.py words start", "was refused: it said a lot, but not who it is"),
    ],
)
async def test_who_does_not_say_who_it_is_is_refused_before_play(tmp_path, script, reason):
    """As a sentence about that bot."""
    field = (program(mark("bad"), *script.split()), honest(mark("good")))
    with trio.fail_after(ENDS_IN_S), pytest.raises(BaseExceptionGroup) as caught:
        await play(tmp_path / "out", field, **HURRY)
    group = caught.value
    while isinstance(group, BaseExceptionGroup):
        (group,) = group.exceptions
    assert [reason] == [bot.reason for bot in group.broken]


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
        await play(tmp_path / "out", field, reporter=Record(look), faults_max=1, **{**HURRY, "series": 40})
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
    assert reasons[mark("never")][0].startswith("did not connect within 0.3 s")
    for name in ("exits", "mute"):
        reason, log = reasons[mark(name)]
        assert "its process ended with exit code 1; it last printed: exits_at_once: goodbye" == reason
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


def test_what_is_charged_here_is_what_the_habits_say():
    """One truth: `faults` and `may` of habits.toml.  These matches are shorter than those of `arena torture`."""
    ways = [habit for habit in habits() if not habit.refused and not habit.is_stranger]
    for script, least, most in [(script, kinds, kinds) for script, kinds in EXACTLY] + AT_LEAST_AT_MOST:
        alike = [habit for habit in ways if habit.run[0] == script.split()[0]]
        must = [habit.faults for habit in alike]
        assert most <= {kind for habit in alike for kind in habit.faults | habit.may}, script
        assert least or not alike or not all(must), f"{script} must be charged with something"


def test_every_bad_bot_is_tried_here():
    """A bad bot that is added is added here too."""
    scripts = {path.name for path in BAD.glob("*.py")}
    tried = Path(__file__).read_text(encoding="utf-8")
    # tests/players/test_pool.py; what the others are made of; needs a box: tests/test_torture.py
    elsewhere = {"remembering.py", "honest.py", "signals_parent.py"}
    assert set() == {script for script in scripts - elsewhere if f'"{script}' not in tried}
