"""What the arena, the keeper and the guards tell one another: whole, as it was sent, or an error."""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.box import limits
from arena.box.messages import (
    HEAD,
    BubblewrapCall,
    Inbox,
    LandlockRules,
    Message,
    ProgramEnded,
    ProgramExceeded,
    ProgramFailed,
    ProgramOrder,
    ProgramStarted,
    packed,
    receive,
    send,
    unpacked,
)

words = st.lists(st.text(max_size=5), max_size=3)
numbers = st.integers(-(1 << 40), 1 << 40)
calls = st.builds(
    BubblewrapCall, program=st.text(max_size=5), words=words, is_piped=st.booleans(), listens=st.booleans()
)
rules = st.builds(LandlockRules, readable=words, writable=words, unlisted=words)
orders = st.builds(
    ProgramOrder,
    argv=words,
    env=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    cwd=st.none() | st.text(max_size=5),
    bubblewrap=st.none() | calls,
    landlock=st.none() | rules,
    is_confined=st.booleans(),
    filter=st.binary(max_size=5),
    resources=st.just(limits.resources()),
    memory_bytes=numbers,
    tasks=numbers,
    written=st.lists(st.tuples(st.text(max_size=5), numbers, st.text(max_size=5)), max_size=2),
)
messages: st.SearchStrategy[Message] = (
    orders
    | st.builds(ProgramStarted, pid=numbers, guard=numbers)
    | st.builds(ProgramFailed, number=numbers)
    | st.builds(ProgramExceeded, limit=st.text(max_size=5))
    | st.builds(ProgramEnded, code=numbers)
)


@settings(max_examples=25)
@given(st.lists(messages, max_size=4), st.data())
def test_bytes_split_anywhere_are_the_same_messages(sent: list[Message], data: st.DataObject) -> None:
    """However the bytes arrive, the messages are those that were sent, in their order."""
    octets = b"".join(map(packed, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(octets)), max_size=4)))
    inbox = Inbox()
    arrived: list[Message] = []
    for begin, end in zip([0, *cuts], [*cuts, len(octets)], strict=True):
        arrived += inbox.take(octets[begin:end])
    assert sent == arrived


@settings(max_examples=25)
@given(messages)
def test_a_message_goes_through_a_blocking_socket_with_its_descriptors(message: Message) -> None:
    """What `send` sends `receive` gives, with descriptors for the same file; then that the other side is gone."""
    with ExitStack() as undo:
        ours, theirs = map(undo.enter_context, socket.socketpair())
        send(ours, message, [ours.fileno()])
        received = receive(theirs)
        assert received is not None
        arrived, (fd,) = received
        assert message == arrived
        assert os.path.sameopenfile(ours.fileno(), fd)
        os.close(fd)
        ours.close()
        assert receive(theirs) is None


STARTED = {"pid": 5, "guard": 4}
ORDER: dict[str, Any] = {
    "argv": (),
    "env": {},
    "cwd": None,
    "bubblewrap": None,
    "landlock": {"readable": [], "writable": [], "unlisted": []},
    "is_confined": True,
    "filter": b"",
    "resources": {},
    "memory_bytes": 0,
    "tasks": 0,
    "written": [],
}


def test_what_is_right_is_read() -> None:
    """The fields below are those of the messages, so that what the next test leaves out is what is wrong."""
    assert ProgramStarted(pid=5, guard=4) == unpacked(marshal.dumps(("ProgramStarted", STARTED)))
    order = unpacked(marshal.dumps(("ProgramOrder", ORDER)))
    assert isinstance(order, ProgramOrder)
    assert LandlockRules(readable=[], writable=[], unlisted=[]) == order.landlock


@pytest.mark.parametrize(
    ("kind", "fields", "error", "said"),
    [
        ("ProgramPaused", STARTED, KeyError, "ProgramPaused"),
        ("ProgramStarted", {"pid": 5}, TypeError, "guard unknown or missing"),
        ("ProgramStarted", {**STARTED, "mood": 1}, TypeError, "mood unknown or missing"),
        ("ProgramStarted", {"pid": 5, "gaurd": 4}, TypeError, "gaurd, guard unknown or missing"),
        ("ProgramOrder", {**ORDER, "landlock": {"readable": []}}, TypeError, "unlisted, writable"),
        (
            "ProgramOrder",
            {name: value for name, value in ORDER.items() if name != "is_confined"},
            TypeError,
            "is_confined",
        ),
    ],
)
def test_unknown_and_missing_fields_are_errors(
    kind: str, fields: dict[str, Any], error: type[Exception], said: str
) -> None:
    """A guard never takes a rule that it does not know, or that nobody gave, for none."""
    with pytest.raises(error, match=said):
        unpacked(marshal.dumps((kind, fields)))


def test_what_is_sent_may_be_in_one_piece() -> None:
    """The length before a message is that of what follows."""
    octets = packed(ProgramFailed(number=2))
    assert len(octets) - HEAD.size == HEAD.unpack_from(octets)[0]
    assert ProgramFailed(number=2) == unpacked(octets[HEAD.size :])


def test_a_message_is_frozen() -> None:
    """Nobody who has a message changes it for the others."""
    message: Any = ProgramFailed(number=2)
    with pytest.raises(AttributeError, match="number"):
        message.number = 3
    assert 2 == message.number


def test_the_keeper_needs_the_standard_library_alone() -> None:
    """It is started without `site`, where packages of others cannot be imported, and loads none of the arena's others."""
    packages = str(Path(arena.__file__).resolve().parents[1])
    code = f"import sys; sys.path.insert(0, {packages!r}); import arena.box.keeper; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True, cwd="/", env={}
    ).stdout.split()
    assert {"__main__", "arena"} == {name.split(".")[0] for name in loaded} - sys.stdlib_module_names
    assert {"box"} == {name.split(".")[1] for name in loaded if name.startswith("arena.")}
    assert not {"dataclasses", "inspect"} & set(loaded), "they take the keeper 10 ms"
