"""Targets: the reader of JSON objects, and the two ends of a connection."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

import msgspec

from arena.errors import LocalProtocolError
from arena.wire.bot_connection import BotConnection
from arena.wire.connection import VALUES_AT_ONCE, ArenaConnection
from arena.wire.json_stream import Broken, JsonStream
from arena.wire.states import HEARD, SAID, Answered, Introduced, Malformed, Received, Refused, Said, State

from .tape import Tape

# The reader.

LIMITS = ((65536, 64), (20, 3), (60, 8), (512, 64))  # bytes and brackets
_WHITE = " \t\n\r"


def stream(data: bytes) -> None:
    """Whole, dripping or cut anywhere the same values; and they are those that `json` finds in the text."""
    tape = Tape(data)
    bytes_max, depth_max = tape.pick(LIMITS)
    values_max, rng, body = tape.pick((inf, 1, 3)), Random(tape.byte()), tape.rest()
    limits = {"bytes_max": bytes_max, "depth_max": depth_max}
    assert read([body], **limits) == read([body], **limits, values_max=values_max), f"{values_max} at once"
    whole = read([body], **limits)
    cuts = [0, *sorted(rng.randrange(len(body) + 1) for _ in range(5)), len(body)]
    assert whole == read((body[index : index + 1] for index in range(len(body))), **limits), "dripping"
    assert whole == read((body[begin:end] for begin, end in pairwise(cuts)), **limits), f"cut at {cuts}"
    objects = None if any(isinstance(value, Broken) for value in whole) else whole
    if objects is not None:
        assert [value for value, _ in _by_json(body.decode())] == objects, "json.loads reads it otherwise"
    if (accepted := _accepted(body, bytes_max, depth_max)) is not None:
        assert accepted == objects, "msgspec reads it otherwise"


def read(chunks: Iterable[bytes], **limits: float) -> list[Any]:
    """Everything a stream finds in the chunks and in their end, but how junk began, which the split decides."""
    stream = JsonStream(**limits)
    found: list[Any] = []
    for chunk in chunks:
        found += (values := stream.feed(chunk))
        while stream.rest:
            assert 0 < len(values) <= stream.values_max, "too many at once, or none and a rest"
            found += (values := stream.feed(b""))
    last = stream.close()
    found = [Broken(value.reason) if isinstance(value, Broken) else value for value in found]
    return [*found, last] if last else found


def _by_json(text: str) -> list[tuple[Any, str]]:
    """The values of a text, one behind the other, as Python reads them, each with its own text."""
    found, at, decode = [], 0, json.JSONDecoder().raw_decode
    while at < len(text):
        if text[at] in _WHITE:
            at += 1
            continue
        value, end = decode(text, at)
        found.append((value, text[at:end]))
        at = end
    return found


def _accepted(body: bytes, bytes_max: int, depth_max: int) -> list[Any] | None:
    """The objects, if nothing else is in the bytes, and all within the limits; else None."""
    try:
        values = [(msgspec.json.decode(text.encode()), text) for _, text in _by_json(body.decode())]
    except (ValueError, RecursionError):
        return None
    if all(
        isinstance(value, dict) and len(text.encode()) <= bytes_max and _depth(value) <= depth_max
        for value, text in values
    ):
        return [value for value, _ in values]
    return None


def _depth(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


# The connection.

_STEPS = {(state, then) for state, heard in HEARD.items() for then, _ in heard.values()}

PHRASES = (
    b'{"name":"ann"}',
    b'{"type":"hello","protocol":1,"name":"ann","token":"t"}',
    b'{"type":"hello","protocol":2}',
    b'{"name":5}',
    b'{"message_id":"%d","move":1}',
    b'{"message_id":%d,"move":[1,2]}',
    b'{"message_id":%d.0,"move":"x"}\n',
    b'{"message_id":"%d"}',
    b'{"message_id":"","move":1}',
    b'{"message_id":"0%d","move":1}',
    b'{"message_id":null,"move":1}',
    b'{"message_id":[],"move":1,"name":"x"}',
    b'{"move":1}',
    b"{}",
    b"{",
    b"hello",
    b"{" * 80,
    b"{}" * 80,
    b'{"a":"' + b"x" * 600 + b'"}\n',
)
SAYINGS: dict[Said, Callable[[ArenaConnection], Any]] = {
    Said.ENTER: ArenaConnection.enter,
    Said.WELCOME: lambda arena: arena.welcome("ann"),
    Said.BEGIN_MATCH: lambda arena: arena.begin_match(
        match_id="m", game="g", version=1, rules=b"{}", seat=0, names=["ann"], time_control={}, bot_seed=1
    ),
    Said.ASK: lambda arena: arena.ask(state=b'{"a":1}', options=b"[]", time_s=1.0, bank_s=None),
    Said.GIVE_UP: ArenaConnection.give_up,
    Said.BYE: lambda arena: arena.bye("enough"),
}
TELLINGS: tuple[Callable[[ArenaConnection], bytes], ...] = (
    lambda arena: arena.event("k", b"{}"),
    lambda arena: arena.fault("illegal", "r", None),
    lambda arena: arena.result(ranks={"ann": 1}, returns={"ann": 1.0}),
)


def connection(data: bytes) -> None:
    """Whatever is said by whom in whatever order: the tables tell what follows, and nothing raises."""
    tape, table = Tape(data), _Table()
    while not tape.is_over:
        what = tape.below(16)
        if what < 6:
            phrase = tape.pick(PHRASES)
            table.hear(phrase.replace(b"%d", b"%d" % (table.asked - tape.below(3))))
        elif what < 9:
            table.hear(tape.chunk())
        elif what == 9 and tape.below(4) == 0:
            table.hear(b"")
        elif what == 10:
            table.say(Said.TELL, tape.pick(TELLINGS))
        else:
            said = tape.pick(tuple(SAYINGS))
            table.say(said, SAYINGS[said])


def _unquoted(received: list[Received]) -> list[Any]:
    """What was received, without the beginning of junk that reasons quote: how much of it depends on the split."""
    return [
        (type(each), "junk") if getattr(each, "reason", "").startswith("not a JSON object") else each
        for each in received
    ]


class _Table:
    """A connection, its twin that gets every byte by itself, and the bot at the other end."""

    def __init__(self) -> None:
        self.arena, self.twin = (ArenaConnection(bytes_max=512) for _ in range(2))
        self.bot = BotConnection()
        self.asked = 0
        self.introduced = 0
        self.is_open = False

    def hear(self, chunk: bytes) -> None:
        before, name_was = self.arena.state, self.arena.open_id
        received = self.arena.receive(chunk)
        while self.arena.has_more:
            assert len(received) >= VALUES_AT_ONCE
            received += self.arena.read_on()
        assert _unquoted(received) == _unquoted(self._drip(chunk)), "how the bytes were split matters"
        assert self.arena.state is self.twin.state
        if before in (State.REFUSED, State.CLOSED):
            assert not received, "nothing is read any more"
        for each in received:
            self._check(each, name_was)

    def _drip(self, chunk: bytes) -> list[Received]:
        if not chunk:
            return self.twin.receive(chunk)
        found = []
        for index in range(len(chunk)):
            before = self.twin.state
            values = self.twin.receive(chunk[index : index + 1])
            assert len(values) <= 1, "one byte ends one value"
            then = self.twin.state
            assert then is before if not values else (before, then) in _STEPS, "no row of the table"
            found += values
        return found

    def _check(self, received: Received, open_id: str | None) -> None:
        self.introduced += isinstance(received, Introduced)
        assert self.introduced <= 1
        if isinstance(received, Answered | Malformed):
            assert self.is_open, "it settles no question"
            self.is_open = False
        if isinstance(received, Answered):
            assert received.message_id == open_id == str(self.asked)
        if isinstance(received, Refused):
            assert self.arena.state is State.REFUSED
        if hasattr(received, "reason"):
            assert 0 < len(received.reason) < 200

    def say(self, said: Said, act: Callable[[ArenaConnection], Any]) -> None:
        before, in_match = self.arena.state, self.arena.match_id is not None
        may = said in SAID[before] and (in_match or said not in (Said.ASK, Said.TELL))
        texts = [self._said(partial(act, arena), may) for arena in (self.arena, self.twin)]
        assert texts[0] == texts[1]
        if not may:
            assert self.arena.state is before
            return
        owes = said is Said.GIVE_UP and self.arena.protocol is None and before is State.ASKED
        assert self.arena.state is (State.OWING if owes else SAID[before][said])
        self.asked += said is Said.ASK
        self.is_open = said is Said.ASK or (self.is_open and self.arena.state is State.ASKED)
        if texts[0]:
            assert texts[0].count(b"\n") == 1
            assert len(self.bot.receive(texts[0])) == 1, "the bot cannot read it"

    @staticmethod
    def _said(act: Callable[[], Any], may: bool) -> bytes:
        try:
            said: bytes | None = act()
        except LocalProtocolError:
            assert not may
            return b""
        assert may
        return said or b""
