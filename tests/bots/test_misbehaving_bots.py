"""The scripted bad bots: each plays well but for its one misdeed, and that is the one its README promises."""

import json
import os
import signal
import socket
import subprocess
import sys
from time import monotonic

import pytest
from liars_dice_questions import BOTS, QUESTIONS, FullSeat, PlainSeat, may_answer, play

from arena.errors import MalformedAnswer
from arena.games.liars_dice import LiarsDice
from arena.match.game import Seat
from arena.players.codec import Codec
from arena.wire.connection import ArenaConnection
from arena.wire.states import Answered, Malformed, Noted

pytestmark = pytest.mark.slow

BAD = BOTS / "misbehaving"
ON_TURN = QUESTIONS["an ordinary bid"]
OFF_TURN = QUESTIONS["off turn, likely"]


@pytest.fixture
def bad(remote):
    """Starts a bad bot that misbehaves at every second question."""

    def start(name, *arguments):
        return remote([sys.executable, f"{name}.py", *(arguments or ["2"])], BAD)

    return start


class Desk:
    """The arena's end of the wire before one bot."""

    def __init__(self, bot):
        self.bot = bot
        self.connection = ArenaConnection()
        self.connection.receive(json.dumps(bot.greeting).encode())
        nothing = {"rules": b"{}", "time_control": {}, "bot_seed": 1}
        self.connection.begin_match(
            match_id="m", game="liars-dice", version=1, seat=0, names=["ann", "bob"], **nothing
        )

    def ask(self, state):
        """All that was received up to what settled the question."""
        question = json.dumps(state).encode()
        self.bot.send(self.connection.ask(state=question, options=b"[]", time_s=None, bank_s=None))
        received = []
        while not any(isinstance(one, Answered | Malformed) for one in received):
            data = self.bot.lines.read1(65536)
            received += self.connection.receive(data)
            while self.connection.has_more:
                received += self.connection.read_on()
            if not data:
                break
        return received

    def verdict(self, state):
        """What became of one question: a fault, or `fine`."""
        for one in self.ask(state):
            if isinstance(one, Malformed):
                return "malformed"
            if isinstance(one, Answered):
                return judge(state, one.move)
        return "gone"


def judge(state, move):
    try:
        Codec(LiarsDice(), ["ann", "bob"], Seat(0)).move(move)
    except MalformedAnswer:
        return "malformed"
    return "fine" if may_answer(state, move) else "illegal"


def test_what_is_shared_plays_well(bad):
    """Between misdeeds every bad bot gives legal answers."""
    bot = PlainSeat(bad("rude", "1000000"))
    for number, state in enumerate(QUESTIONS.values()):
        assert may_answer(state, bot.remote.ask(number, state))


VERDICTS = [
    ("rude", "malformed"),
    ("ten_megabyte_line", "malformed"),
    ("invalid_utf8", "malformed"),
    ("deep_nesting", "malformed"),
    ("nan", "malformed"),
    ("wrong_types", "malformed"),
    ("wrong_id", "malformed"),
    ("illegal", "illegal"),
    ("crash", "gone"),
    ("closes_stdout_stays", "gone"),
]


@pytest.mark.parametrize(("name", "fault"), VERDICTS)
def test_a_misdeed_is_the_promised_fault(name, fault, bad):
    """Over the real wire the second answer is that fault; the first is fine, and the third if any."""
    desk = Desk(bad(name))
    assert desk.verdict(ON_TURN) == "fine"
    assert desk.verdict(OFF_TURN) == fault
    if fault != "gone":
        assert desk.verdict(ON_TURN) == "fine"


def test_every_wrong_type_is_malformed(bad):
    """None of the moves of wrong_types passes for a move."""
    desk = Desk(bad("wrong_types"))
    assert [desk.verdict(ON_TURN) for _ in range(30)] == ["fine", "malformed"] * 15


def test_illegal_moves_come_on_turn_and_off(bad):
    """A pass on turn, a bid off turn: both well formed, both not allowed."""
    desk = Desk(bad("illegal"))
    states = [ON_TURN, ON_TURN, ON_TURN, OFF_TURN]
    assert [desk.verdict(state) for state in states] == ["fine", "illegal", "fine", "illegal"]


@pytest.mark.parametrize("name", ["two_answers", "flood"])
def test_superfluous_answers_are_no_fault(name, bad):
    """What follows the first answer is noted and spoils nothing."""
    desk = Desk(bad(name))
    verdicts, noted = [], 0
    for state in [ON_TURN, OFF_TURN] * 3:
        received = desk.ask(state)
        answers = [one for one in received if isinstance(one, Answered)]
        verdicts += [judge(state, one.move) for one in answers]
        noted += sum(isinstance(one, Noted) for one in received)
        assert len(answers) + sum(isinstance(one, Noted) for one in received) == len(received)
    assert verdicts == ["fine"] * 6
    assert noted > (19_999 if name == "flood" else 3)


def test_late_is_late(bad):
    """It waits as long as it is told, then gives a legal answer."""
    desk = Desk(bad("late", "2", "0.2"))
    assert desk.verdict(ON_TURN) == "fine"
    began = monotonic()
    assert desk.verdict(OFF_TURN) == "fine"
    assert monotonic() - began >= 0.2


@pytest.mark.parametrize("name", ["silent", "half_message"])
def test_nothing_whole_comes_any_more(name, bad):
    """From its misdeed on there is no whole answer, and the connection stays open."""
    desk = Desk(bad(name))
    assert desk.verdict(ON_TURN) == "fine"
    desk.bot.connection.settimeout(0.2)
    with pytest.raises(TimeoutError):
        desk.ask(ON_TURN)
    assert desk.bot.process.poll() is None
    assert desk.connection.can_ask is False


def test_crash_leaves_a_traceback(bad):
    """The process ends with exit code 1 and says where."""
    desk = Desk(bad("crash"))
    assert [desk.verdict(ON_TURN), desk.verdict(ON_TURN)] == ["fine", "gone"]
    code, errors = desk.bot.hang_up()
    assert (code, "RuntimeError" in errors) == (1, True)


def test_closes_stdout_stays_stays(bad):
    """The process lives on behind its closed connection."""
    desk = Desk(bad("closes_stdout_stays"))
    assert [desk.verdict(ON_TURN), desk.verdict(ON_TURN)] == ["fine", "gone"]
    assert desk.bot.process.poll() is None


def test_never_reads_fills_every_buffer(bad):
    """Sooner or later nothing more can be sent to it."""
    bot = bad("never_reads")
    assert bot.greeting["protocol"] == 1
    bot.connection.setblocking(False)
    spaces = b" " * 50_000_000
    assert bot.connection.send(spaces) < len(spaces)
    with pytest.raises(BlockingIOError):
        bot.connection.send(spaces)
    assert bot.process.poll() is None


def test_exits_at_once():
    """It ends by itself and says goodbye."""
    done = subprocess.run([sys.executable, "exits_at_once.py"], cwd=BAD, capture_output=True, timeout=20)
    assert (done.returncode, done.stderr) == (1, b"exits_at_once: goodbye\n")


def test_never_connects():
    """It runs, but nobody comes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        environment = {"PATH": os.environ["PATH"], "ARENA_PORT": str(listener.getsockname()[1])}
        process = subprocess.Popen([sys.executable, "never_connects.py"], cwd=BAD, env=environment)
        try:
            with pytest.raises(TimeoutError):
                listener.accept()
            assert process.poll() is None
        finally:
            process.kill()
            process.wait()


def test_ignores_sigterm_with_its_whole_family(bad):
    """The bot, its child and its grandchild in another session all survive SIGTERM."""
    bot = bad("ignores_sigterm")
    lines = [bot.process.stderr.readline().split() for _ in range(3)]
    family = {kind.decode(): int(number) for kind, number in lines}
    try:
        assert family.keys() == {"bot", "child", "grandchild"}
        assert family["bot"] == bot.process.pid
        assert os.getpgid(family["child"]) == os.getpgid(family["bot"])
        assert os.getsid(family["grandchild"]) != os.getsid(family["bot"])
        for number in family.values():
            os.kill(number, signal.SIGTERM)
        assert Desk(bot).verdict(ON_TURN) == "fine"
        for number in family.values():
            os.kill(number, 0)
    finally:
        for number in family.values():
            os.kill(number, signal.SIGKILL)


def test_stderr_flood(bad):
    """It writes 200 MB beside its answers."""
    bot = bad("stderr_flood")
    desk = Desk(bot)
    assert [desk.verdict(ON_TURN), desk.verdict(ON_TURN)] == ["fine", "fine"]
    written = 0
    while written < 199_000_000:
        chunk = bot.process.stderr.read1(1 << 20)
        assert chunk
        written += len(chunk)
    assert desk.verdict(ON_TURN) == "fine"


def test_closes_stdout_over_standard_streams():
    """As a stdio bot it closes its standard output at its misdeed."""
    question = json.dumps({"message_id": "1", "game_number": 1, **ON_TURN}).encode() + b"\n"
    process = subprocess.Popen(
        [sys.executable, "closes_stdout_stays.py", "2"],
        cwd=BAD,
        env={"PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        process.stdin.write(question * 2)
        process.stdin.flush()
        name, answer, *more = process.stdout.read().splitlines()
        assert (json.loads(name), more) == ({"name": "closes_stdout_stays"}, [])
        assert may_answer(ON_TURN, json.loads(answer)["move"])
        assert process.poll() is None
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()


def test_remembering_wins_mirrored_deals_unless_it_is_kept_apart(bad):
    """On deals that come again it wins most second rotations; an instance for each rotation gains nothing."""
    alone, first, second = (FullSeat(bad("remembering")) for _ in range(3))
    even = PlainSeat(bad("rude", "1000000"))  # the same player without a memory
    with_memory = without = 0
    for seed in range(60):
        play(LiarsDice(), [alone, even], seed)
        with_memory += play(LiarsDice(), [even, alone], seed)[1] == 1
        play(LiarsDice(), [first, even], seed)
        without += play(LiarsDice(), [even, second], seed)[1] == 1
    # Measured with these seeds: 54 and 27 of 60; an even bot wins 30.
    assert with_memory >= 45
    assert without <= 35


def test_the_readme_has_a_row_for_each():
    """Every script is in the table, and nothing else."""
    rows = [
        line.split("|")[1].strip(" `")
        for line in (BAD / "README.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    assert sorted(rows) == sorted(path.stem for path in BAD.glob("*.py") if path.stem != "honest")
