"""A bot of the SDK at its end of a connection."""

import os
import pty
import socket
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.sdk import Bot, choose, rehearse
from arena.sdk.session import play
from arena.wire import messages

HOUSE = Path(arena.__file__).parents[1]

MATCH = messages.Match(
    "m1", 1, "liars-dice", 1, {"faces": 6}, 0, ["ann", "bob"], {"move_s": 1.0, "bank_s": None}, "12345"
)
OPTIONS = [{"kind": "Any", "form": "<n>", "fields": {"n": {"min": 1, "max": 1_000_000}}}]
SCRIPT = (
    messages.Welcome("ann"),
    MATCH,
    messages.EventMessage("m1", "round_started", {"round_number": 1}),
    messages.Ask("1", 1, "m1", 1.0, None, {"your_hand": [1]}, OPTIONS),
    messages.FaultMessage("m1", "1", "illegal", "not so high"),
    messages.Ask("2", 1, "m1", 1.0, None, {"your_hand": [2]}, OPTIONS),
    messages.Result("m1", {"ann": 1, "bob": 2}, {"ann": 1.0, "bob": -1.0}),
    messages.Bye("that was all"),
)
BYTES = b"".join(map(messages.encode, SCRIPT))


class Recorder(Bot):
    """Writes down how it is called."""

    name = "recorder"

    def __init__(self):
        self.calls = []

    def started(self, match):
        self.calls.append(("started", match.names[match.seat]))

    def move(self, state, options):
        self.calls.append(("move", state))
        return choose(options, self.rng)

    def event(self, kind, payload):
        self.calls.append(("event", kind, payload))

    def fault(self, kind, reason):
        self.calls.append(("fault", kind, reason))

    def finished(self, result):
        self.calls.append(("finished", dict(result.ranks)))


class Script:
    """A transport that brings what was prepared and keeps what is sent."""

    def __init__(self, *chunks, sends_max=100):
        self.chunks, self.sent, self.sends_max = list(chunks), [], sends_max

    def receive(self):
        if not self.chunks:
            raise ConnectionResetError
        return self.chunks.pop(0)

    def send(self, data):
        if len(self.sent) >= self.sends_max:
            raise BrokenPipeError
        self.sent.append(msgspec.json.decode(data))


def test_a_bot_is_called_in_the_order_of_the_match():
    """Every message reaches the method that is there for it, and hello comes before all."""
    bot, transport = Recorder(), Script(BYTES)
    play(bot, transport, "ann", "secret")
    assert transport.sent[0] == {"type": "hello", "protocol": 1, "name": "ann", "token": "secret"}
    assert [answer["message_id"] for answer in transport.sent[1:]] == ["1", "2"]
    assert bot.calls == [
        ("started", "ann"),
        ("event", "round_started", {"round_number": 1}),
        ("move", {"your_hand": [1]}),
        ("fault", "illegal", "not so high"),
        ("move", {"your_hand": [2]}),
        ("finished", {"ann": 1, "bob": 2}),
    ]


@given(cuts=st.lists(st.integers(1, len(BYTES) - 1), max_size=8))
def test_it_does_not_matter_how_bytes_are_split(cuts):
    """Chunks of any size lead to the same calls and answers."""
    whole, bot = Script(BYTES), Recorder()
    play(bot, whole, "ann")
    ends = [0, *sorted(set(cuts)), len(BYTES)]
    chopped = Script(*(BYTES[low:high] for low, high in pairwise(ends)))
    other = Recorder()
    play(other, chopped, "ann")
    assert bot.calls == other.calls
    assert whole.sent == chopped.sent


def test_nothing_is_done_after_bye():
    """What stands behind bye is not read."""
    bot, transport = Recorder(), Script(BYTES + BYTES, BYTES)
    play(bot, transport, "ann")
    assert sum(call[0] == "move" for call in bot.calls) == 2
    assert len(transport.chunks) == 1


def test_a_bot_that_is_refused_says_why(capsys):
    """Bye before welcome ends the bot with the arena's reason and exit code 2."""
    refusal = messages.encode(messages.Bye("a name has at most 64 characters, this one 300"))
    with pytest.raises(SystemExit) as ended:
        play(Recorder(), Script(refusal), "a" * 300)
    assert ended.value.code == 2
    assert "at most 64 characters" in capsys.readouterr().err


ENDS = [
    ("the arena closes", (BYTES[:-20], b""), 100, 2),
    ("the connection breaks while it waits", (BYTES[:-20],), 100, 2),
    ("the connection breaks under hello", (BYTES,), 0, 0),
    ("the connection breaks under an answer", (BYTES,), 1, 1),
]


@pytest.mark.parametrize(("name", "chunks", "sends_max", "moves"), ENDS, ids=[row[0] for row in ENDS])
def test_an_arena_that_goes_ends_the_bot_quietly(name, chunks, sends_max, moves):
    """However the connection ends, play returns."""
    bot = Recorder()
    play(bot, Script(*chunks, sends_max=sends_max), "ann")
    assert moves == sum(call[0] == "move" for call in bot.calls)


def test_the_match_decides_the_luck():
    """Every match sets rng anew: the same bot_seed, the same draws; another one, others."""
    bot = Recorder()
    draws = []
    for seed in ("7", "8", "7"):
        bot.begin(msgspec.structs.replace(MATCH, bot_seed=seed))
        draws.append([bot.rng.random() for _ in range(3)])
    assert draws[0] == draws[2]
    assert draws[0] != draws[1]


def test_what_a_bot_raises_travels():
    """An exception in the author's code is not swallowed."""

    class Broken(Bot):
        def move(self, state, options):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(Broken(), Script(BYTES), "broken")


def test_a_recorded_conversation_can_be_rehearsed():
    """The bot is called as in a match, and each of its moves comes with its question, as it would be sent."""
    bot = Recorder()
    lines = [messages.encode(message) for message in SCRIPT]
    asked = [(question.message_id, move) for question, move in rehearse(bot, lines)]
    assert ["1", "2"] == [number for number, _ in asked]
    again = Recorder()
    play(again, Script(BYTES), "ann")
    assert again.calls == bot.calls

    class Tuples(Bot):
        def move(self, state, options):
            return (1, 2)

    assert [1, 2] == next(rehearse(Tuples(), lines))[1]


def test_a_bot_without_move_is_told_so():
    """The one method that must be there is named."""
    with pytest.raises(NotImplementedError, match="Bot needs a method move"):
        play(Bot(), Script(BYTES), "bot")


# As processes.

CHATTY = """
import os, sys
from arena.sdk import Bot, run

class Chatty(Bot):
    name = "chatty"
    def move(self, state, options):
        print("what do I hold?", state)
        sys.stdout.flush()
        os.system("echo even my children talk")
        return [input("?") if False else 1, len(sys.stdin.read())]
    def finished(self, result):
        print("good game")

print("before")
sys.stdout.flush()
run(Chatty)
print("after")
"""


def environment(**more):
    """What the arena gives its bots."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(HOUSE), **more}


def test_print_does_not_reach_the_arena():
    """Over standard streams, whatever the author prints while the bot plays goes to standard error."""
    done = subprocess.run(
        [sys.executable, "-c", CHATTY], input=BYTES, capture_output=True, env=environment(), timeout=30
    )
    assert done.returncode == 0
    before, hello, *answers, after = done.stdout.splitlines()
    assert (before, after) == (b"before", b"after")
    assert msgspec.json.decode(hello) == {"type": "hello", "protocol": 1, "name": "chatty"}
    assert [{"message_id": id, "move": [1, 0]} for id in "12"] == list(map(msgspec.json.decode, answers))
    for said in (b"what do I hold?", b"even my children talk", b"good game"):
        assert said in done.stderr


def test_a_crash_ends_the_process_with_a_traceback():
    """The author finds the traceback in the log."""
    code = "from arena.sdk import Bot, run\nclass B(Bot):\n    def move(self, s, o): 1 / 0\nrun(B)"
    done = subprocess.run(
        [sys.executable, "-c", code], input=BYTES, capture_output=True, env=environment(), timeout=30
    )
    assert done.returncode == 1
    assert b"ZeroDivisionError" in done.stderr


REFUSALS = [
    ("a port that is no number", {"ARENA_PORT": "http"}, "ARENA_PORT must be a port number"),
    ("a port that cannot be", {"ARENA_PORT": "65536"}, "ARENA_PORT must be a port number"),
    ("nobody listens", {"ARENA_PORT": "closed"}, "No arena at 127.0.0.1:"),
    ("a person at the keyboard", {}, "ARENA_PORT=8888 python"),
]


@pytest.mark.parametrize(("name", "env", "sentence"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_who_cannot_connect_is_told_why(name, env, sentence):
    """One sentence and exit code 2, no traceback."""
    env = {key: closed_port() if value == "closed" else value for key, value in env.items()}
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, str(HOUSE / "examples" / "first_bot.py")],
            stdin=theirs,
            capture_output=True,
            text=True,
            env=environment(**env),
            timeout=30,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def closed_port():
    """A port at which nobody listens: the system's choice, given back at once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def test_the_sdk_is_imported_fast():
    """A Python bot does not pay for trio, pandas, cattrs or attrs at its start."""
    code = "import sys, arena.sdk; print(*sorted({'trio', 'pandas', 'cattrs', 'attr'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.stdout == "\n"
