"""Names, and how messages are written and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET

from arena.errors import LocalProtocolError, RemoteProtocolError
from arena.wire.messages import (
    Answer,
    Ask,
    Bye,
    EventMessage,
    FaultMessage,
    Hello,
    Match,
    PlainQuestion,
    Raw,
    Result,
    Welcome,
    check_name,
    encode,
    from_arena,
    plain_question,
)

NAMES = [
    ("a word", "alice"),
    ("one character", "a"),
    ("blanks within", "Alice the Great"),
    ("any script", "Ана 愛 😀"),
    ("sixty-four characters", "a" * 64),
    ("digits of a second one", "alice-2"),
    ("a word of another game", "hit"),
]


@pytest.mark.parametrize("name", [n[1] for n in NAMES], ids=[n[0] for n in NAMES])
def test_names(name: str) -> None:
    """Who can be called so; who cannot be, and why, is in `tests/sentences`."""
    assert check_name(name, {"pass"}) is None


WRITTEN: list[tuple[Any, bytes]] = [
    (Hello(1), b'{"type":"hello","protocol":1}'),
    (Hello(1, "a", "t"), b'{"type":"hello","protocol":1,"name":"a","token":"t"}'),
    (Answer("1", [3, 4]), b'{"message_id":"1","move":[3,4]}'),
    (Welcome("a"), b'{"type":"welcome","name":"a","protocol":1}'),
    (Welcome("a", token="t"), b'{"type":"welcome","name":"a","protocol":1,"token":"t"}'),
    (
        Match("0a", 2, "dice", 1, Raw(b'{"faces":6}'), 1, ("a", "b"), {"move_s": 1.0, "bank_s": None}, "12"),
        b'{"type":"match","match_id":"0a","game_number":2,"game":"dice","version":1,"rules":{"faces":6},"seat":1,'
        b'"names":["a","b"],"time_control":{"move_s":1.0,"bank_s":null},"bot_seed":"12"}',
    ),
    (
        Ask("7", 2, "0a", 0.5, None, Raw(b'{"x":[1]}'), Raw(b"[]")),
        b'{"type":"ask","message_id":"7","game_number":2,"match_id":"0a","time_s":0.5,"bank_s":null,'
        b'"state":{"x":[1]},"options":[]}',
    ),
    (
        EventMessage("0a", "bid", Raw(b'{"count":1}')),
        b'{"type":"event","match_id":"0a","kind":"bid","payload":{"count":1}}',
    ),
    (
        FaultMessage("0a", None, "gone", "closed"),
        b'{"type":"fault","match_id":"0a","message_id":null,"kind":"gone","reason":"closed"}',
    ),
    (
        Result("0a", {"a": 1, "b": 2}, {"a": 1.0, "b": -1.0}),
        b'{"type":"result","match_id":"0a","ranks":{"a":1,"b":2},"returns":{"a":1.0,"b":-1.0}}',
    ),
    (Bye("enough"), b'{"type":"bye","reason":"enough"}'),
]


@pytest.mark.parametrize(("message", "expected"), WRITTEN, ids=[type(m).__name__ for m, _ in WRITTEN])
def test_messages_are_one_line(message: Any, expected: bytes) -> None:
    """Every message is one JSON object and a newline, with the parts that came encoded as they are."""
    assert expected + b"\n" == encode(message)


@pytest.mark.parametrize(
    "message", [m for m, _ in WRITTEN[3:]], ids=[type(m).__name__ for m, _ in WRITTEN[3:]]
)
def test_the_bot_reads_what_the_arena_wrote(message: Any) -> None:
    """The same class comes out, with values where encoded parts went in; unknown keys are ignored."""
    said = json.loads(encode(message))
    expected = {key: value for key, value in said.items() if key != "type"}
    read = from_arena({**said, "later": [1]})
    assert type(message) is type(read)
    fields = {key: getattr(read, key) for key in read.__struct_fields__}
    assert expected == {key: value for key, value in fields.items() if value is not UNSET}


def test_a_plain_question_is_flat() -> None:
    """The fields of the state stand beside the two of the envelope; the reader parts them again."""
    line = plain_question("17", 3, b'{"your_hand":[1],"last_bid":[0,0]}')
    expected = b'{"message_id":"17","game_number":3,"your_hand":[1],"last_bid":[0,0]}\n'
    assert expected == line
    question = PlainQuestion("17", 3, {"your_hand": [1], "last_bid": [0, 0]})
    assert question == from_arena(json.loads(line))
    nothing = b'{"message_id":"1","game_number":1}\n'
    assert nothing == plain_question("1", 1, b"{}")


@pytest.mark.parametrize("state", [b"", b"[]", b"{", b"null", b'{"a":1}\n'])
def test_a_plain_state_must_be_an_object(state: bytes) -> None:
    """Anything else is our mistake, told before it is sent."""
    with pytest.raises(LocalProtocolError, match="must be a JSON object"):
        plain_question("1", 1, state)


@pytest.mark.parametrize("said", [{"type": "party"}, {"type": ["ask"]}, {"type": None}, {}, {"move": 1}])
def test_messages_of_later_protocols_are_ignored(said: dict[str, Any]) -> None:
    """A bot of today plays with an arena that says more."""
    assert from_arena(said) is None


@pytest.mark.parametrize(
    "said",
    [{"type": "ask"}, {"type": "bye", "reason": 5}, {"message_id": "1"}, {"type": "match", "seat": "x"}],
)
def test_a_message_without_its_fields_is_an_error(said: dict[str, Any]) -> None:
    """The arena's own mistakes do not pass silently in a bot."""
    with pytest.raises(RemoteProtocolError, match="not a message of the protocol"):
        from_arena(said)
