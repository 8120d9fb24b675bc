"""Whole runs in boxes: who plays as ever, who gets at another bot's port, who takes everybody's time."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time

import pytest
import trio
from boxes import LANDLOCK, OFF, SHIELD, STRICT, holds, need
from daily import crossed, nightly
from test_cli import call
from tournaments import faults, honest, play, program, rows

from arena.box import bubblewrap
from arena.box.box import open_box
from arena.errors import ConfigError
from arena.tournament.bots.entrants import builtin_bots
from arena.tournament.play import startup

pytestmark = pytest.mark.slow

TEN_LINES = """
import json, os, socket
with socket.create_connection((os.getenv("ARENA_HOST"), int(os.environ["ARENA_PORT"]))) as arena:
    arena.sendall(b'{"name": "tenner"}')
    for line in arena.makefile():
        arena.sendall(json.dumps({"message_id": json.loads(line)["message_id"], "move": "pass"}).encode())
"""


@pytest.mark.parametrize(
    ("level", "transport"), crossed(["shield", "strict", "off"], [("tcp", "tcp"), ("stdio", "stdio")])
)
async def test_bots_play_as_ever(tmp_path, level, transport):
    """In every box, over both transports; what it was stands in bots.csv."""
    need({"shield": SHIELD, "strict": STRICT, "off": OFF}[level])
    bots = (honest("ann", transport=transport), honest("bob"))
    with trio.fail_after(30):
        summary, _ = await play(tmp_path / "out", bots, sandbox=level)
    assert summary.faults.total() == 0
    expected = "off" if level == "off" else f"{level} (bubblewrap)"
    assert {expected} == {row["box"] for row in rows(tmp_path / "out", "bots")}


@pytest.mark.parametrize("level", ["shield", "off"])
async def test_a_plain_bot_that_knows_of_no_token_plays(tmp_path, level):
    """Its connection comes from its own process, and that is enough."""
    (tmp_path / "bot").mkdir()
    bots = (program("tenner", "-c", TEN_LINES, folder=tmp_path / "bot"), honest("bob"))
    with trio.fail_after(30):
        await play(tmp_path / "out", bots, series=1, sandbox=level)
    assert "gone" not in faults(tmp_path / "out")["tenner"]


GOOD = """
from arena.sdk import Bot, choose, run
class Mine(Bot):
    def move(self, state, options):
        return choose(options, self.rng)
run(Mine)
"""
THIEF = """
import os, socket, sys, threading, time
sys.path.insert(0, {bad!r})
def steal(port):
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as other:
                other.sendall(b'{{"name": "me"}}')
                said = other.recv(9999)
                if b'"late"' in said or b'"thief"' in said: open(os.environ["ARENA_SCRATCH"] + "/stolen", "wb").write(said)
        except OSError: pass
        time.sleep(0.002)
def look():
    own = int(os.environ["ARENA_PORT"])
    seen = set()
    while True:
        for line in open("/proc/net/tcp").readlines()[1:]:
            words = line.split()
            port = int(words[1].split(":")[1], 16)
            if words[3] == "0A" and str(port) in open("ports").read().split() and port != own and port not in seen:
                seen.add(port)
                threading.Thread(target=steal, args=(port,), daemon=True).start()
        time.sleep(0.002)
threading.Thread(target=look, daemon=True).start()
from honest import *
for question, _ in questions(): answer(question, move(question))
"""


@pytest.mark.parametrize("box", [SHIELD, *nightly(LANDLOCK, OFF)], ids="-".join)
async def test_a_port_is_its_bots_own(tmp_path, monkeypatch, box):
    """A bot that connects to all ports of its run gets no question of another bot, nor is it in that bot's way.

    Each question names the others at the table.  It leaves the arenas of other tests alone: some are open to anybody.
    """
    need(box)
    from tournaments import BAD

    level, means = box
    if means == "landlock":
        monkeypatch.setattr("arena.box.box._means", lambda level: ("landlock",))
    own = tmp_path / "bot"
    own.mkdir()
    monkeypatch.chdir(tmp_path)
    (own / "ports").touch()
    create_server = socket.create_server

    def noted(*args, **options):
        listener = create_server(*args, **options)
        with (own / "ports").open("a") as file:
            file.write(f"{listener.getsockname()[1]}\n")
        return listener

    monkeypatch.setattr(socket, "create_server", noted)
    thief = program("thief", "-c", THIEF.format(bad=str(BAD)), folder=own, read=(BAD,))
    late = program(
        "late",
        "-c",
        "import time; time.sleep(0.3)\nfrom honest import *\nfor q, _ in questions(): answer(q, move(q))",
    )
    with trio.fail_after(60):
        summary, _ = await play(tmp_path / "out", (thief, late), series=1, sandbox=level, move_time=5.0)
    assert {} == faults(tmp_path / "out")["late"], summary.faults
    assert len((own / "ports").read_text().split()) > 1
    assert not list(tmp_path.rglob("stolen"))


async def test_strict_fails_closed(tmp_path, monkeypatch):
    """No box, no start: one sentence that says what to install, and nothing was started."""
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    with pytest.raises(ConfigError, match=r"a strict box.*not installed.*apt install bubblewrap"):
        async with open_box("strict"):
            pass


@pytest.mark.parametrize(("number", "is_named"), [((0, 8, 0), True), ((0, 12, 0), False)])
async def test_a_version_with_a_known_hole_is_named_before_play(monkeypatch, number, is_named):
    """In the line that says which box it is."""
    need(SHIELD)
    monkeypatch.setattr(bubblewrap, "bubblewrap_version", lambda: number)
    said: list[str] = []
    async with open_box("shield", say=said.append):
        pass
    assert is_named == ("bubblewrap 0.8.0, its known hole" in said[-1])
    assert is_named != (said[-1] == "bots run in a shield (bubblewrap)")


async def test_a_shield_steps_down_aloud(monkeypatch):
    """To Landlock where that holds, to limits where nothing does."""
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    said: list[str] = []
    async with open_box("shield", say=said.append) as box:
        assert box.means in ("landlock", "limits")
    if box.means == "landlock":
        assert said[0].startswith("bubblewrap is not installed; using Landlock; to have bubblewrap: ")
    monkeypatch.setattr("arena.box.kernel.landlock.version", lambda: 0)
    async with open_box("shield", say=said.append) as box:
        assert "limits" == box.means
    assert said[-1].startswith("warning: bots run with limits alone")
    assert "; bubblewrap is not installed and Landlock " in said[-1]


async def test_a_box_that_lets_something_through_is_none(monkeypatch, tmp_path):
    """A bubblewrap that is there and hides nothing is found out by trying."""
    need(SHIELD)
    careless = bubblewrap.shield_words

    def open_doors(place, env, tmp_bytes):
        words = careless(place, env, tmp_bytes)
        at = words.index("--ro-bind")
        return [*words[:at], "--bind", "/", "/", "--dev", "/dev", *words[words.index("--chdir") :]]

    monkeypatch.setattr(bubblewrap, "shield_words", open_doors)
    (tmp_path / "arena.db").write_text("secret")
    said: list[str] = []
    async with open_box("shield", secret=tmp_path / "arena.db", say=said.append):
        pass
    assert "read what is hidden from it" in said[0]
    assert "write outside its scratch folder" in said[0]
    assert ["arena.db"] == [path.name for path in tmp_path.iterdir()]


def test_the_exit_code_of_a_strict_run_without_a_box(tmp_path):
    """2, and the folder has no match."""
    code = (
        "from arena.box import bubblewrap; bubblewrap.program = lambda: None\n"
        "from arena.cli import main; main()"
    )
    words = ["run", "random", "odds", "--sandbox", "strict", "--out", str(tmp_path / "out")]
    ended = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, timeout=60
    )
    assert 2 == ended.returncode
    assert "install bubblewrap" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("level", ["shield", "strict"])
def test_root_without_the_right_to_mount_has_its_box(level):
    """As in a container that may create user namespaces, but got no further rights."""
    need((level, "bubblewrap"))
    if os.getuid() != 0:
        pytest.skip("only root can be a root with fewer rights; other users are tried by all other tests")
    code = f"""
import trio
from arena.box.box import open_box
async def main():
    async with open_box({level!r}, say=print):
        pass
trio.run(main)
"""
    words = [
        "setpriv",
        "--bounding-set",
        "-sys_admin",
        "--inh-caps",
        "-sys_admin",
        sys.executable,
        "-c",
        code,
    ]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    name = "strict box" if level == "strict" else "shield"
    said = re.sub(r" [0-9.]+, its known hole is avoided", "", ended.stdout)
    assert (f"bots run in a {name} (bubblewrap)\n", "") == (said, ended.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["weights.txt", "bot.toml"])
def test_a_bot_that_no_run_could_start(file, capsys, monkeypatch, tmp_path):
    """What it reads at its start is hidden in a run, and so it is here: a sentence says that."""
    if holds("shield", "bubblewrap") and holds("shield", "landlock"):
        pytest.skip("not tried: nothing hides files here, neither bubblewrap nor Landlock")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "weights.txt").write_text("1 2 3")
    needed = builtin_bots()["odds"] / "bot.toml" if file == "bot.toml" else tmp_path / "results" / file
    (tmp_path / "mine.py").write_text(f"open({str(needed)!r}).read()\n{GOOD}")
    code, _, err = call(capsys, monkeypatch, "run", "mine.py", "odds", "--series", "1")
    assert 2 == code
    assert "its process ended with exit code 1: " in err
    code, out, _ = call(capsys, monkeypatch, "check", "mine.py", "--max-time", "1s", "--rule", "dice=1")
    assert 1 == code, out
    assert "cannot play: its process ended with exit code 1: " in out
    assert "started as in a run here, where it sees neither results nor other bots" in " ".join(out.split())


# Time.


@pytest.mark.nightly
@pytest.mark.slow
async def test_sticky_bots_cost_others_little(tmp_path):
    """One that ends neither after goodbye nor after SIGTERM is killed beside play, and next time at once."""
    bots = (program("sticky", "ignores_sigterm.py", restart="match"), honest("ann", restart="match"))
    began = time.monotonic()
    with trio.fail_after(60):
        summary, _ = await play(tmp_path / "out", bots, series=6)
    assert 12 == summary.played
    # Two seconds for each of 12 would be 24; the two graces are given once, most of it beside play.
    assert time.monotonic() - began < 15


SLOW = """
import time
from honest import *
for number, (question, _) in enumerate(questions()):
    if number == 0: time.sleep(0.6)
    answer(question, move(question))
"""


async def test_first_answers_have_a_budget(tmp_path, monkeypatch):
    """A fresh process for every match, each slow at first: when the time for that is used up it is late."""
    monkeypatch.setattr(startup, "BUDGET_S", 1.0)
    slow = program("slow", "-c", SLOW, restart="match", connect_s=0.001 + 5.0)
    monkeypatch.setattr(
        startup.StartUps, "_left_s", lambda self, bot: max(0.0, 1.0 - self._spent_s[bot.name])
    )
    with trio.fail_after(60):
        await play(tmp_path / "out", (slow, honest("ann")), series=3, move_time=0.2, first_move_time=5.0)
    late = [row for row in rows(tmp_path / "out", "seats") if row["bot"] == "slow" and row["too_late"] != "0"]
    assert 6 - 3 == len(late)  # 0.4 s beyond the limit each: the third one uses it up


def test_the_plan_keeps_the_box(tmp_path, capsys, monkeypatch):
    """`--sandbox` is the plan's, and stands in run.json."""
    monkeypatch.chdir(tmp_path)
    words = ("run", "random", "odds", "--series", "1", "--sandbox", "off", "-q", "--out", "out")
    assert 0 == call(capsys, monkeypatch, *words)[0]
    assert "off" == json.loads((tmp_path / "out" / "run.json").read_text())["plan"]["sandbox"]
