"""`arena run` from its words to its exit code: plans, endings, what is said; a few paths for real."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest
from calls import call
from daily import nightly_rows
from terminals import Glass, InTerminal
from tournaments import matches_in

from arena.cli import cli
from arena.cli.runs.run_options import how_to_connect, plan_of
from arena.cli.stop import Stop, move_streams
from arena.games.liars_dice import LiarsDice
from arena.tournament.plan import Plan
from arena.tournament.play.pool import Pool

BOTS = (
    (Path(__file__).parent / "stored_bots.py").read_text()
    + '''

class Loser(Even):
    """Crashes when somebody has moved before it."""

    def move(self, state, options):
        return state["my_cards"] if state["move_number"] > 1 else super().move(state, options)


class Rude(Even):
    """Never says a move."""

    def move(self, state, options):
        return "me first"
'''
)
SCRIPT = """
import json, os, socket, sys, time

with socket.create_connection((os.environ["ARENA_HOST"], int(os.environ["ARENA_PORT"]))) as connection:
    hello = {"name": "script", "token": os.environ.get("ARENA_TOKEN")}
    connection.sendall(json.dumps(hello).encode())
    for line in connection.makefile():
        question = json.loads(line)
        is_mine = question.get("other_hands", [[""]])[0][0] == "yourself"
        move = ("challenge" if question["last_bid"][1] else [2, 1]) if is_mine else "pass"
        time.sleep(float(os.environ.get("SLEEP_S") or (sys.argv + ["0"])[1]))
        connection.sendall(json.dumps({"message_id": question.get("message_id"), "move": move}).encode())
"""
WAIT_S = 60.0
"""A process that has not said by then what is waited for never will."""
TWO = ("session_bots:Even", "session_bots:Odd", "--rule", "dice=2", "--seed", "1")


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A working directory with bots of one's own; modules are forgotten after the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "session_bots.py").write_text(BOTS)
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("session_bots", None)
    for running in Running.all:
        running.process.kill()  # of a test that failed
        running.ends()
    Running.all.clear()


@pytest.fixture
def arena(home, capsys, monkeypatch):
    """`arena run WORDS` in this process: exit code, standard output, standard error."""

    return partial(call, capsys, monkeypatch, "run")


class Running:
    """`arena WORDS` in a process of its own, whose standard error is read as it comes."""

    all: ClassVar[list[Running]] = []

    def __init__(self, folder: Path, *words: str) -> None:
        self.all.append(self)
        command = [sys.executable, "-m", "arena.cli", *words]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))

    def wait_for(self, pattern: str) -> str:
        """The first line on standard error that has this in it."""
        return until(lambda: next((line for line in self.said if re.search(pattern, line)), None), self.said)

    def ends(self) -> int:
        """Its exit code, once all that it said was read."""
        code = self.process.wait(WAIT_S)
        self._reader.join()
        self.process.stderr.close()
        return code


def until(there, else_show=None):
    """What `there` gives as soon as it gives anything; real processes have no other clock."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if found := there():
            return found
        threading.Event().wait(0.02)
    raise AssertionError(f"waited in vain: {else_show}")


def rows(folder: str, table: str) -> list[dict[str, str]]:
    with Path(folder, f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


# Words.


def test_without_words_the_quick_start_is_played(home):
    """Four built-in bots, into results/quickstart; options change it."""
    plan = plan_of((), None, {"series": "3"})
    assert ("quickstart", 3, 4) == (plan.name, plan.series, len(plan.bots))


def test_bots_may_follow_a_plan_file(home):
    """They are added to those of the plan; options come before its keys."""
    Path("small.toml").write_text('bots = ["odds"]\nseries = 7\nmove_time = "2s"\n')
    plan = plan_of(("small.toml", "random"), None, {"series": "3"})
    assert ("small", ["odds", "random"], 3, 2.0) == (
        plan.name,
        [bot.spec for bot in plan.bots],
        plan.series,
        plan.move_time,
    )


def test_connecting_bots_need_no_others(home):
    """`--expect` or `--remote` without bots is no quick start."""
    assert () == plan_of((), None, {"expect": "2", "listen": "127.0.0.1:0"}).bots


def test_how_to_connect_can_be_copied(home):
    """One line a token; an address of all interfaces is none to connect to."""
    plan = Plan(remote=("ann b",), expect=2)
    assert [
        "ann b connects with its token, e.g.:",
        "  ARENA_HOST=::1 ARENA_PORT=8888 ARENA_NAME='ann b' ARENA_TOKEN=t0 python3 mybot.py",
        "2 bots may connect, e.g.:",
        "  ARENA_HOST=::1 ARENA_PORT=8888 python3 mybot.py",
        "a plain bot among them is known by its name and address alone: while its connection is lost, others "
        "there can take its place and see its hand; --remote NAME gives a bot a token",
    ] == list(how_to_connect(plan, {"t0": "ann b"}, "[::1]:8888"))
    assert "ADDRESS-OF-THIS-MACHINE" in list(how_to_connect(plan, {}, "0.0.0.0:1"))[1]


# Dry runs.


def test_a_dry_run_says_how_much_and_makes_nothing(arena, home):
    """The size of the tournament, on standard output."""
    before = sorted(home.iterdir())
    code, out, _ = arena("odds", "random", "bluffer", "--series", "4", "--out", "new", "--dry-run")
    assert (0, before) == (code, sorted(home.iterdir()))
    assert out.startswith("3 bots, 3 pairs × 4 series × 2 seats = 24 matches; ")
    assert out.endswith("; results in new\n")


def test_a_dry_run_counts_what_is_there(arena):
    """For programs too."""
    arena(*TWO, "--series", "2", "--out", "new")
    words = (*TWO, "--series", "3", "--out", "new", "--dry-run")
    assert "6 matches, 4 of them played already" in arena(*words)[1]
    told = json.loads(arena(*words, "--json")[1])
    sizes = {"bots": 2, "seats": 2, "series": 3, "matches": 6, "there": 4, "left": 2}
    assert {**sizes, "folder": "new"} == told


@pytest.mark.slow
def test_a_dry_run_says_when_nothing_is_left(arena):
    """All of the plan is there, or all that will ever be played of it, as --until was settled; nothing is written."""
    arena(*TWO, "--series", "2", "--out", "new")
    before = sorted((path, path.stat().st_mtime_ns) for path in Path("new").iterdir())
    again = ("--resume", "new", "--dry-run")
    assert ", 4 of them played already: nothing left to play; results in new\n" in arena(*again)[1]
    assert 0 == json.loads(arena(*again, "--json")[1])["left"]
    assert before == sorted((path, path.stat().st_mtime_ns) for path in Path("new").iterdir())
    assert "matches; " in arena(*again, "--fresh")[1]
    goal = ("--until", "best at 50%", "--series", "200", "--out", "sure")
    arena(*TWO, *goal)
    there = len(rows("sure", "matches"))
    assert f"{there} of them played already: nothing left to play" in arena(*TWO, *goal, "--dry-run")[1]
    assert there < 400


# Playing.


def test_a_run_ends_with_a_leaderboard_and_two_commands(arena, capsys, monkeypatch):
    """Progress and hints on standard error, the leaderboard alone on standard output; one warning."""
    code, out, err = arena(*TWO, "--series", "3", "--out", "new")
    assert (0, ["rank", "bot"]) == (code, out.split()[:2])
    assert 6 == len(out.splitlines())  # the last two explain the columns, and the ranks in brackets
    assert "2 bots, 1 pair × 3 series × 2 seats = 6 matches; " in err
    assert 1 == err.count(
        "warning: Even, Odd, in this process: time is measured there, limits are not enforced"
    )
    commands = re.findall(r"^  (arena .*?)  +\S", err.partition("; next:")[2], re.MULTILINE)
    assert 2 == len(commands)
    for command in commands:
        code, out, _ = call(capsys, monkeypatch, *shlex.split(command)[1:])
        assert 0 == code, command
        assert out


def test_hints_name_the_folder_where_latest_is_another(arena):
    """Somebody's own results/latest is no link of ours, so commands must say where to look."""
    Path("results/latest").mkdir(parents=True)
    assert re.search(r"arena replay [0-9a-f]{8} new  ", arena(*TWO, "--series", "1", "--out", "new")[2])


def test_a_seed_that_was_drawn_is_shown(arena):
    """With it the tournament can be played again."""
    err = arena(*TWO[:-2], "--series", "1", "--out", "new")[2]
    seed = re.search(r"^seed (\d+)$", err, re.MULTILINE)
    assert seed is not None
    assert seed[1] == json.loads(Path("new/run.json").read_text())["plan"]["seed"]


def test_the_leaderboard_as_json_is_all_of_standard_output(arena):
    """`--json --quiet` is for programs."""
    code, out, err = arena(*TWO, "--series", "1", "--out", "new", "--json", "--quiet")
    assert (0, {"Even", "Odd"}) == (code, {row["bot"] for row in json.loads(out)})
    assert all(line.startswith(("warning: ", "  ")) or "fault" in line for line in err.splitlines()), err


def test_nothing_left_to_play_is_no_mistake(arena):
    """The leaderboard again, how to play again, exit code 0; tables that were lost are back."""
    first = arena(*TWO, "--series", "2", "--out", "new")
    Path("new/matches.csv").unlink()
    again = arena(*TWO, "--series", "2", "--out", "new")
    assert (0, first[1]) == again[:2]
    assert "nothing left to play in new; --fresh plays again" in again[2]
    assert 4 == len(rows("new", "matches"))
    assert 0 == arena(*TWO, "--series", "2", "--out", "new", "--fresh")[0]


def test_a_run_can_be_extended(arena):
    """By series and by bots, with --resume or without; bots that are named again are not new ones."""
    arena(*TWO, "--series", "1", "--out", "new")
    assert "4 matches, 2 of them played already" in arena(*TWO, "--series", "2", "--out", "new")[2]
    code, out, _ = arena("--resume", "new", "session_bots:Odd", "third=session_bots:Even")
    assert (0, 12) == (code, len(rows("new", "matches")))
    assert {"Even", "Odd", "third"} == set(re.findall(r"^ *\d+(?: \([^)]*\))?  (\w+)", out, re.MULTILINE))


def test_one_match_can_be_played_again(arena):
    """`--only` plays a match that is there, or one that is not."""
    arena(*TWO, "--series", "2", "--out", "new")
    before = rows("new", "matches")
    assert 0 == arena("--resume", "new", "--only", before[1]["match_id"][:8])[0]
    after = rows("new", "matches")
    changed = [old["match_id"] for old, new in zip(before, after, strict=True) if old != new]
    assert [before[1]["match_id"]] == changed
    assert 2 == arena("--resume", "new", "--only", "zzz")[0]


def test_faults_are_told_and_count_under_strict(arena):
    """A tally by bot and reason; exit code 1 with --strict, also when they are from an earlier run."""
    code, _, err = arena(*TWO, "--series", "3", "--out", "new")
    assert (0, True) == (code, "× Odd: illegal: Bid is not possible here; possible: Pass\n" in err)
    assert 1 == arena("--resume", "new", "--strict")[0]
    assert 1 == arena("--resume", "new")[0], "the plan is kept, --strict with it"


def test_a_crash_is_told_once_with_what_was_raised(arena, capsys):
    """In the summary, on its page and in the report, with the evidence, which a command shows."""

    def told(*words: str) -> str:
        assert not cli.main(words, standalone_mode=False)
        return capsys.readouterr().out

    field = ("session_bots:Even", "session_bots:Odd", "session_bots:Loser")
    code, _, err = arena(*field, "--seed", "1", "--series", "3", "--out", "new")
    crashes, defaults, capsule = re.search(
        r"^ +(\d+) × Loser: crashed: KeyError: 'my_cards' \(and (\d+) moves by default\)\n +new/(faults/.*)$",
        err,
        re.MULTILINE,
    ).groups()
    lost = [row for row in rows("new", "seats") if int(row["gone"])]
    assert (0, len(lost)) == (code, int(crashes))
    assert int(crashes) + int(defaults) == sum(int(row["gone"]) + int(row["not_asked"]) for row in lost)
    command = re.search(r"^  arena (replay new/faults/\S+)    what both sides said$", err, re.MULTILINE)[1]
    assert '"dir"' not in told(*command.split())
    assert "KeyError: 'my_cards'" in told("replay", f"new/{capsule}")
    assert f"{crashes} × crashed: KeyError: 'my_cards' (and {defaults} moves by default)" in told(
        "leaderboard", "new", "--bot", "Loser"
    )
    report = Path(told("report", "new").strip()).read_text()
    assert f"KeyError: &#39;my_cards&#39; (and {defaults} moves by default)" in report
    assert f">{capsule}</code>" in report


def test_the_first_fault_can_end_the_run(arena):
    """`-x` is exit code 1, prints the capsule, leaves it as a file at once, and says how to go on, or anew."""
    code, _, err = arena(*TWO, "--series", "20", "--out", "new", "-x")
    assert (1, True) == (code, "stopped at the first fault: Odd in match " in err)
    assert "  1 × Odd: illegal: Bid is not possible here; possible: Pass\n" in err
    cause, tally, evidence, again = map(
        err.index, ("stopped at", "  1 × Odd", "what both sides", "with the bot")
    )
    assert cause < tally < evidence < again
    assert err[:tally].rstrip().splitlines()[-2].startswith("stopped at"), "nothing but the count is between"
    again = "arena run --resume new --fresh -x"
    assert f"with the bot fixed, from the start: {again}; as it is: arena run --resume new\n" in err
    assert list(Path("new/faults").glob("*-*-0.jsonl"))
    assert 0 < len(rows("new", "matches")) < 40
    assert "stopped" == json.loads(Path("new/run.json").read_text())["status"]
    played = rows("new", "matches")
    source = Path("session_bots.py").read_text()
    Path("session_bots.py").write_text(source.replace("< 0.3", "< -0.1"))  # the bot is fixed, in another size
    sys.modules.pop("session_bots")
    assert 0 == arena(*shlex.split(again)[2:])[0]
    fixed = rows("new", "matches")
    assert (40, played[0]["match_id"]) == (len(fixed), fixed[0]["match_id"]), "on the same deals"


def test_a_fault_in_the_first_series_is_told_without_an_empty_leaderboard(arena):
    """`-x` is about the fault: a table of dashes says nothing; programs get their JSON all the same."""
    words = ("session_bots:Even", "session_bots:Rude", "--rule", "dice=2", "--seed", "1", "-x")
    code, out, err = arena(*words)
    assert (1, "") == (code, out)
    assert "stopped at the first fault: Rude in match " in err
    (again,) = re.findall(r"from the start: (arena run --resume results/\S+ --fresh -x)", err)
    assert 1 == arena(*shlex.split(again)[2:])[0]
    assert {"Even", "Rude"} == {row["bot"] for row in json.loads(arena(*words, "--json")[1])}


@pytest.mark.slow
def test_broken_rules_are_our_bug(arena, monkeypatch):
    """Exit code 70, what broke and how to see it; also when the run is resumed, until the match is mended."""
    sound = LiarsDice.ranks

    def broken(self, state):
        if state.dice[0]:
            raise ZeroDivisionError("planted")
        return sound(self, state)

    monkeypatch.setattr(LiarsDice, "ranks", broken)
    code, _, err = arena(*TWO, "--series", "2", "--out", "new")
    assert (70, True) == (
        code,
        "was aborted by a bug of the arena or the rules: ZeroDivisionError: planted" in err,
    )
    aborted = [row["match_id"] for row in rows("new", "matches") if row["status"] == "aborted"]
    monkeypatch.setattr(LiarsDice, "ranks", sound)
    assert 70 == arena("--resume", "new")[0]
    for match in aborted:
        code = arena("--resume", "new", "--only", match)[0]
    assert (0, 0) == (code, arena("--resume", "new")[0])


def test_a_bug_that_ends_a_connection_is_told_at_the_end(arena, monkeypatch):
    """The run goes on to its end; then exit code 70, and where the tracebacks are: the first few, cut."""
    seat = Pool.seat

    async def seat_and_fail(pool, *arguments):
        for _ in range(15):
            pool.instances._note_bug("x" * 30_000 + "\nKeyError: Heard.\x1bANSWER\n")
        return await seat(pool, *arguments)

    monkeypatch.setattr(Pool, "seat", seat_and_fail)
    code, _, err = arena(*TWO, "--series", "1", "--out", "new")
    told = "30 connections ended by a bug of the arena: KeyError: Heard.\\x1bANSWER; see new/bugs.log"
    assert (70, 2, True) == (code, len(rows("new", "matches")), told in err)
    log = Path("new/bugs.log")
    assert (20, True) == (log.read_text().count("KeyError"), log.stat().st_size < 20 * 20_100)
    monkeypatch.setattr(Pool, "seat", seat)
    assert 0 == arena("--resume", "new", "--fresh", "--seed", "1")[0]
    assert not log.exists()


# Bots that cannot play.


@pytest.mark.slow
def test_what_a_broken_bot_says_above_a_long_trace_is_shown(arena):
    """As Node does; of an endless one the end."""
    Path("bad.py").write_text("print('cause'); [print('at', i) for i in range(13)]; raise SystemExit(1)")
    Path("long.py").write_text("print('cause'); [print('at', i) for i in range(99)]; raise SystemExit(1)")
    _, _, err = arena("session_bots:Even", "bad.py", "long.py", "--series", "1", "--out", "new")
    said = [line.strip() for line in err.splitlines() if line.startswith("    | ")]
    assert ["| cause", *(f"| at {i}" for i in range(13)), *(f"| at {i}" for i in range(79, 99))] == said


@pytest.mark.slow
def test_all_broken_bots_are_told_of_before_play(arena):
    """Each with the end of its log; nothing was played, and results/latest is not this run."""
    Path("bad.py").write_text("import sys; sys.exit('\\x1b[31mno luck today')")
    Path("worse").mkdir()
    Path("worse/bot.toml").write_text('run = "true"\nbuild = "echo half done; exit 3"\n')
    words = ("session_bots:Even", "bad.py", "worse", "./script.py", "--series", "1", "--out", "new")
    code, out, err = arena(*words)
    assert (2, "", False) == (code, out, Path("results").exists())
    said = [line for line in err.splitlines() if line.startswith((" ", "arena:"))]
    assert [
        "arena: 2 of 4 bots cannot play; fix them:",
        "  bad.py: its process ended with exit code 1; it last printed: no luck today (new/logs/bad-1.log)",
        "    | \\x1b[31mno luck today",
        "  worse: its build failed with exit code 3: sh -c echo half done; exit 3 (new/logs/worse-build.log)",
        "    | half done",
    ] == said
    assert err.endswith("\n--leave-out-broken plays without them\n")
    code, out, err = arena(*words, "--leave-out-broken")
    assert (0, True) == (code, "bad, worse: left out after failing to start" in out)
    assert ["left out", "left out"] == [
        row["status"] for row in rows("new", "bots") if row["bot"] in ("bad", "worse")
    ]


@pytest.mark.slow
def test_a_port_in_use_overwrites_nothing(arena):
    """One sentence and exit code 2; the matches that --fresh was to forget are there."""
    arena(*TWO, "--series", "1", "--out", "new")
    before = Path("new/matches.csv").read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"127.0.0.1:{server.getsockname()[1]}"
        words = ("--fresh", "--expect", "1", "--listen", place, "--seed", str(2**127))
        code, _, err = arena(*TWO, "--out", "new", *words)
    assert (2, True) == (code, f"cannot listen on {place}: the port is in use" in err)
    assert before == Path("new/matches.csv").read_bytes()
    assert 0 == arena("--resume", "new")[0]


# Endings.


class Ended(BaseException):
    """What the end at once is in these tests."""


@pytest.fixture
def stop(monkeypatch):
    """A Stop whose end at once can be seen, and nobody (`nohup pytest`) who wants the end of the terminal ignored."""

    def leave(number, hint):
        raise Ended(number, hint)

    monkeypatch.setattr("arena.cli.stop.leave_at_once", leave)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield Stop()
    signal.signal(signal.SIGHUP, before)


def test_the_second_signal_ends_at_once(stop):
    """The first one is only noted, here where nothing runs that could be cancelled."""
    with stop.listening():
        signal.raise_signal(signal.SIGTERM)
        assert signal.SIGTERM == stop.number
        with pytest.raises(Ended):
            signal.raise_signal(signal.SIGINT)


def test_signals_that_are_ignored_stay_ignored(stop, monkeypatch):
    """A run in the background of a shell does not hear Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stop.listening():
            signal.raise_signal(signal.SIGINT)
        assert None is stop.number
        assert signal.SIG_IGN is signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_is_cancelled_by_the_first_signal(stop):
    """It can clean up, and ends in order; one that came before it began counts too."""
    import trio

    ended = []

    async def run() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await trio.sleep_forever()
        finally:
            ended.append("cleaned up")

    stop.note = ended.append
    with stop.listening():
        trio.run(stop.cancellable, run)
        assert ["ending the bots; Ctrl-C again ends at once", "cleaned up"] == ended
        trio.run(stop.cancellable, trio.sleep_forever)


def pids_of(folder: Path) -> list[int]:
    """Processes whose working directory this is, as bots have it; Linux."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            is_there = (process / "cwd").resolve() == folder.resolve()
            if is_there and b"script.py" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


LONG = ("slow=script.py 0.01", "other=script.py", "--series", "200", "--out", "new", "--rule", "dice=2")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), *nightly_rows((signal.SIGTERM, 143))])
def test_an_interrupted_run_ends_in_order_and_goes_on(number, code, home):
    """Its bots are gone, its tables written; the command that it prints plays the rest."""
    running = Running(home, "run", *LONG)
    until(lambda: matches_in(home / "new") > 2, running.said)
    began = time.monotonic()
    running.process.send_signal(number)
    assert (code, True) == (running.ends(), time.monotonic() - began < 4)
    if sys.platform == "linux":
        assert [] == pids_of(home)
    there = len(rows("new", "matches"))
    assert 2 < there < 400
    assert "interrupted" == json.loads(Path("new/run.json").read_text())["status"]
    hint = running.wait_for("to continue: ").partition("to continue: ")[2]
    assert "arena run --resume new" == hint
    again = Running(home, *shlex.split(hint)[1:])
    assert f"400 matches, {there} of them played already" in again.wait_for("400 matches")
    again.process.send_signal(signal.SIGTERM)
    again.ends()


@pytest.mark.slow
def test_two_signals_end_everything_at_once(home):
    """Also a bot that does not heed the end of its connection."""
    Path("deaf.py").write_text(
        SCRIPT + "\nimport signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)\n"
    )
    running = Running(home, "run", "deaf=python3 deaf.py 0.01 script.py", *LONG[1:])
    until(lambda: matches_in(home / "new") > 2, running.said)
    began = time.monotonic()
    running.process.send_signal(signal.SIGINT)
    running.wait_for("Ctrl-C again ends at once")
    running.process.send_signal(signal.SIGINT)
    assert (130, True) == (running.ends(), time.monotonic() - began < 1.5)
    running.wait_for("ended at once; to continue: arena run --resume new")
    if sys.platform == "linux":
        until(lambda: not pids_of(home))


@pytest.mark.slow
def test_after_a_kill_the_same_command_goes_on(home):
    """`kill -9` costs no finished match, and the lock goes with the process; a second run is refused."""
    running = Running(home, "run", *LONG)
    until(lambda: matches_in(home / "new") > 2, running.said)
    second = Running(home, "run", *LONG)
    assert 2 == second.ends()
    assert f"another run (process {running.process.pid}) is writing new" in "\n".join(second.said)
    running.process.kill()
    running.ends()
    there = matches_in(home / "new")
    again = Running(home, "run", *LONG)
    assert f"400 matches, {there} of them played already" in again.wait_for("400 matches")
    again.process.send_signal(signal.SIGINT)
    assert 130 == again.ends()


@pytest.mark.slow
def test_a_bot_in_this_process_that_never_returns_can_be_stopped(home):
    """Nothing else is heard then; the second Ctrl-C ends it all the same."""
    Path("hanging.py").write_text(
        "import time\nfrom arena.sdk import Bot\nclass Hang(Bot):\n    def move(self, state, options):\n"
        "        open('hangs', 'w').close()\n        while True: time.sleep(0.1)\n"
    )
    running = Running(home, "run", "hanging:Hang", "session_bots:Even", "--out", "new")
    until(Path("hangs").exists)
    for _ in range(2):
        running.process.send_signal(signal.SIGINT)
        threading.Event().wait(0.1)  # two signals of a kind that come together are one
    assert 130 == running.ends()


# A terminal that is closed.


def test_a_run_hears_that_its_terminal_was_closed(stop, tmp_path):
    """And goes on, however often it is told; programs that it starts later do not ignore the signal."""
    heard = []
    stop.hung_up = lambda: heard.append("hung up")
    with stop.listening():
        for _ in range(2):
            signal.raise_signal(signal.SIGHUP)
        shows = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_DFL)"
        later = subprocess.run([sys.executable, "-c", shows], capture_output=True, text=True, check=True)
    assert (["hung up"] * 2, None, "True\n") == (heard, stop.number, later.stdout)


def test_nohup_stays_as_it_is(stop):
    """Who ignores SIGHUP has said where the output goes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop.hung_up = lambda: pytest.fail("it is ignored")
        with stop.listening():
            signal.raise_signal(signal.SIGHUP)
        assert signal.SIG_IGN is signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("log", ["run.log", "missing/run.log"])
def test_what_is_said_later_goes_to_the_log(log, tmp_path):
    """After what is there; if it cannot be written, to nowhere, and writing is no error."""
    (tmp_path / "run.log").write_text("before\n")
    ours, theirs = os.openpty()
    move_streams([theirs], tmp_path / log)
    os.close(ours)
    os.write(theirs, b"the leaderboard\n")
    os.close(theirs)
    first, *rest = (tmp_path / "run.log").read_text().splitlines()
    said = [
        r"[-0-9]{10} [0-9:]{8} the terminal was closed; the run continues, and writes here",
        "the leaderboard",
    ]
    assert "before" == first
    assert (said if log == "run.log" else []) == [
        said[0] if re.fullmatch(said[0], line) else line for line in rest
    ]


@pytest.fixture
def in_terminal(home):
    """`arena run WORDS` in a real terminal."""
    started = []

    def run(*words: str) -> InTerminal:
        started.append(InTerminal([sys.executable, "-m", "arena.cli", "run", *words], home))
        return started[-1]

    yield run
    for running in started:
        running.process.kill()  # of a test that failed
        running.close()


SLOW = ("one=script.py 0.01", "other=script.py", "session_bots:Even", "--rule", "dice=2", "--out", "new")


@pytest.mark.slow
def test_a_terminal_shows_the_standings_and_then_the_leaderboard_alone(in_terminal):
    """The picture was there, with everybody in it, and at the end it is gone."""
    running = in_terminal(*SLOW, "--series", "5")
    assert 0 == running.ends(WAIT_S)
    glass = Glass(100, 30)
    glass.write(running.text)
    assert re.search(r"[━─]+ [1-9]\d* of 30 matches", running.text)
    assert re.search(r"points \(95 %\).*\d  Even .*\d\.\d\d \(\d\.\d\d–", running.text, re.DOTALL)
    shown = "\n".join(glass.shown)
    assert not re.search(r"points \(95 %\) +faults| of 30 matches", shown)
    assert {"rank", "one", "other", "Even"} == set(
        re.findall(r"^ *(?:\d(?: \(\d–\d\))?  )?(\w+)  ", shown, re.MULTILINE)
    )
    assert "results in new; next:" in shown


@pytest.mark.nightly
@pytest.mark.slow
def test_a_run_survives_its_terminal(in_terminal):
    """It plays on in lines, and the leaderboard is in run.log; no bot is hurt."""
    running = in_terminal(*SLOW, "--series", "10")
    until(lambda: re.search(r"[1-9]\d* of 60 matches", running.text), running.said)
    running.close()
    assert 0 == running.process.wait(WAIT_S)
    said = Path("new/run.log").read_text()
    assert "the terminal was closed; the run continues" in said.splitlines()[0]
    assert "\x1b" not in said
    assert {"rank", "one", "other", "Even"} == set(
        re.findall(r"^ *(?:\d(?: \(\d–\d\))?  )?(\w+)  ", said, re.MULTILINE)
    )
    assert (60, "finished") == (
        len(rows("new", "matches")),
        json.loads(Path("new/run.json").read_text())["status"],
    )
    counts = ("matches", "too_late", "malformed", "illegal", "gone")
    assert {("40", "0", "0", "0", "0")} == {
        tuple(row[key] for key in counts) for row in rows("new", "leaderboard")
    }


@pytest.mark.slow
def test_a_run_without_terminal_can_still_be_stopped(in_terminal):
    """In order, and it says in the log how to go on."""
    running = in_terminal(*SLOW, "--series", "200")
    until(lambda: re.search(r"[1-9]\d* of 1,200 matches", running.text), running.said)
    running.close()
    until(lambda: Path("new/run.log").exists())
    running.process.send_signal(signal.SIGTERM)
    assert 143 == running.process.wait(WAIT_S)
    assert "to continue: arena run --resume new" in Path("new/run.log").read_text()


# Bots that connect.


@pytest.mark.slow
def test_a_remote_bot_connects_with_the_line_that_is_printed(home):
    """Address, name and token; a run that was stopped before it began hands out the same token again."""
    words = (
        "session_bots:Even",
        "--remote",
        "ann",
        "--listen",
        "127.0.0.1:0",
        "--series",
        "1",
        "--out",
        "new",
    )
    first = Running(home, "run", *words)
    token = re.search("ARENA_TOKEN=(\\w+)", first.wait_for("ARENA_TOKEN="))
    first.process.send_signal(signal.SIGINT)
    assert 130 == first.ends()
    hint = first.wait_for("before the first match").partition("to continue: ")[2]
    running = Running(home, *shlex.split(hint)[1:])
    line = running.wait_for("ARENA_TOKEN=").replace("python3 mybot.py", f"{sys.executable} script.py")
    assert token is not None
    assert token[0] in line
    bot = subprocess.Popen(line, shell=True, cwd=home)
    assert 0 == running.ends()
    bot.wait(WAIT_S)
    assert {"ann", "Even"} == {row["bot"] for row in rows("new", "seats")}
    assert os.environ.get("ARENA_TOKEN") is None


def test_a_plan_with_a_mistake_plays_nothing(arena):
    """File, key, what was found, what is accepted."""
    Path("wrong.toml").write_text('bots = ["odds", "random"]\nseries = "ten"\nsseed = 3\n')
    code, _, err = arena("wrong.toml")
    assert (2, False) == (code, Path("results").exists())
    assert ["arena: wrong.toml: series", "wrong.toml: sseed"] == [
        line.rpartition(": found")[0] or line.rpartition(": no such")[0] for line in err.splitlines()
    ]


def test_another_goal_for_the_same_folder_is_refused(arena):
    """It would be chosen when results are known; `--until none` continues without it, in a longer schedule too."""
    words = (*TWO, "--series", "6", "--out", "out", "-q", "--allocate", "even")
    code, _, said = arena(*words, "--until", "top 1 at 95%")
    assert code == 0
    assert "top 1 at 95%: " in said
    code, _, said = arena(*words, "--until", "top 1 at 80%")
    assert (2, True) == (code, 'was begun with --until "top 1 at 95%", and a goal that is chosen' in said)
    code, _, said = arena(*words, "--series", "8", "--until", "none")
    assert (0, False) == (code, "top 1" in said)
    code, _, said = arena("--resume", "out", "--until", "top 1 at 80%", "-q")
    assert 2 == code


@pytest.mark.nightly
@pytest.mark.slow
def test_what_was_played_without_a_goal_is_not_removed_for_it(arena):
    """What is past its end goes only if it was played under the goal; else that is refused, and nothing is lost."""
    words = (*TWO, "--series", "60", "--out", "out", "-q", "--allocate", "even")
    goal, whole = ("--until", "best at 80%"), 120
    assert 0 == arena(*words, *goal)[0]
    settled = len(rows("out", "matches"))
    assert settled < whole
    assert 0 == arena(*words, "--until", "none")[0]
    for _ in range(2):
        code, _, said = arena(*words, *goal)
        assert (2, whole) == (code, len(rows("out", "matches")))
        assert (
            f"out has {whole - settled} matches past the point where its goal would have stopped it" in said
        )
    assert 0 == arena(*words)[0]
    arena(*words, "--fresh")
    code, _, said = arena(*words, *goal)
    assert (2, whole) == (code, len(rows("out", "matches")))


def test_a_goal_that_was_not_reached_is_said_so_again(arena):
    """A folder where all is played is asked for its goal too."""
    words = (*TWO, "--series", "6", "--out", "out", "-q", "--until", "top 1 at 99.9%")
    first, again = arena(*words), arena(*words)
    assert (0, 0) == (first[0], again[0])
    assert "top 1 at 99.9%: not settled after 6 of 6 cycles" in first[2]
    assert "top 1 at 99.9%: not settled after 6 of 6 cycles" in again[2]
