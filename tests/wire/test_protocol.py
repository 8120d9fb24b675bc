"""PROTOCOL.md tells the truth: its transcripts are what the arena says, its tables what the code says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from types import UnionType
from typing import Any, get_args, get_type_hints

import attrs
import msgspec
import pytest
import trio
from msgspec import UnsetType

from arena.errors import FaultKind
from arena.games.liars_dice import LiarsDice, events, rules, state
from arena.games.liars_dice.moves import Bid, Challenge, Pass
from arena.match.clock import Control
from arena.match.game import Between, OneOf, Option, Subset
from arena.players import allowance, tcp
from arena.players.codec import Codec
from arena.referee import REASON_MAX
from arena.schedule import bot_seed
from arena.sdk import Bot
from arena.sdk.session import play
from arena.testing import After
from arena.tournament.lobby import lobby, quotas
from arena.tournament.plan import Plan, control_of
from arena.wire import messages
from arena.wire.bot_connection import BotConnection
from arena.wire.connection import ArenaConnection
from arena.wire.messages import Ask, PlainQuestion

from .recorded import DOCUMENT, SCENES, Hall, record, transcripts, with_transcripts

TEXT = DOCUMENT.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def recorded() -> dict[str, str]:
    """What the arena says now, by scene."""
    return {name: record(scene) for name, scene in SCENES.items()}


def said_by_the_arena(transcript: str) -> list[str]:
    """Its lines."""
    return [line[2:] for line in transcript.splitlines() if line.startswith("→ ")]


# Transcripts.


@pytest.mark.parametrize("name", SCENES)
def test_the_document_shows_what_the_arena_says(name: str, recorded: dict[str, str]) -> None:
    """Recorded again, every line is the same; `python -m tests.wire.recorded --write` puts it in."""
    assert recorded[name].splitlines() == transcripts(TEXT)[name].splitlines()


def test_the_document_is_what_is_written_into_it(recorded: dict[str, str]) -> None:
    """Byte for byte, and no transcript stands there that no scene has recorded."""
    assert with_transcripts(TEXT, recorded) == TEXT
    assert list(SCENES) == list(transcripts(TEXT))
    assert len(SCENES) == TEXT.count("```transcript")


@pytest.mark.parametrize("name", SCENES)
def test_bots_can_read_all_that_the_arena_says(name: str, recorded: dict[str, str]) -> None:
    """Every line is one message, of which nothing is lost: written again, it is the same line."""
    for line in said_by_the_arena(recorded[name]):
        (message,) = BotConnection().receive(f"{line}\n".encode())
        if isinstance(message, PlainQuestion):
            state = msgspec.json.encode(message.state)
            written = messages.plain_question(message.message_id, message.game_number, state)
        else:
            written = messages.encode(message)
        assert f"{line}\n" == written.decode()


def test_every_message_is_shown(recorded: dict[str, str]) -> None:
    """Of each type one at least."""
    lines = [line for transcript in recorded.values() for line in said_by_the_arena(transcript)]
    read = {type(messages.from_arena(json.loads(line))) for line in lines}
    assert set(get_args(messages.FromArena)) == read


class Listener(Bot):
    """Notes what it is told, and moves as the recorded bot did."""

    def __init__(self, moves: Iterator[Any]) -> None:
        self.moves = moves
        self.told: list[str] = []

    def move(self, state: dict[str, Any], options: list[dict[str, Any]]) -> Any:
        self.told.append("ask")
        return next(self.moves, None)

    def started(self, match: messages.Match) -> None:
        self.told.append("match")

    def event(self, kind: str, payload: Any) -> None:
        assert isinstance(payload, dict)
        self.told.append("event")

    def fault(self, kind: str, reason: str) -> None:
        self.told.append("fault")

    def finished(self, result: messages.Result) -> None:
        self.told.append("result")


class Tape:
    """A transport that plays back the arena, a piece at a time, and keeps what the bot says."""

    def __init__(self, lines: list[str], piece_bytes: int) -> None:
        self.octets = "".join(f"{line}\n" for line in lines).encode()
        self.piece_bytes = piece_bytes
        self.said = b""

    def receive(self) -> bytes:
        piece, self.octets = self.octets[: self.piece_bytes], self.octets[self.piece_bytes :]
        return piece

    def send(self, data: bytes) -> None:
        self.said += data


@pytest.mark.parametrize("piece_bytes", [1, 100, 1 << 16])
@pytest.mark.parametrize("name", ["full", "faults"])
def test_the_sdk_plays_what_was_recorded(name: str, piece_bytes: int, recorded: dict[str, str]) -> None:
    """A bot of the SDK is told each message once, in order, and says what the recorded one said."""
    lines = said_by_the_arena(recorded[name])
    own = [line[2:] for line in recorded[name].splitlines() if line.startswith("← ")]
    answers = iter([json.loads(line)["move"] for line in own[1:]]) if name == "full" else iter(())
    bot, tape = Listener(answers), Tape(lines, piece_bytes)
    play(bot, tape, "alice")
    types = [json.loads(line)["type"] for line in lines]
    assert [kind for kind in types if kind not in ("welcome", "bye")] == bot.told
    if name == "full":
        assert own == tape.said.decode().splitlines()


def test_a_bank_pays_for_what_was_taken(recorded: dict[str, str]) -> None:
    """By hand from the pauses in `faults`: 30 s, each question brings half a second, and the first answer is free."""
    asked = [json.loads(line) for line in said_by_the_arena(recorded["faults"]) if '"type":"ask"' in line]
    expected = [30.0, 30.0 + 0.5, 30.5 - 0.25 + 0.5, 30.75 - 0.75 + 0.5, 30.5 - 1.0 + 0.5]
    assert expected == [question["bank_s"] for question in asked]


# Messages that no transcript shows.


async def test_a_fault_of_a_question_that_was_never_put(autojump_clock: object) -> None:
    """Who comes back after its time while others still think is told of the fault, with null for the question."""
    async with trio.open_nursery() as nursery:
        hall = Hall(nursery, "never put")
        lost = hall.connect()
        await lost.say('{"type":"hello","protocol":1,"name":"alice"}')
        token = (await lost.hear("welcome"))["token"]
        bob = [After(0.5, Pass()), After(12, Pass()), After(5, Bid(6, 2))]
        hall.begin(LiarsDice(dice=3), seed=26, bob=bob, plan=Plan(move_time=20.0, first_move_time=20.0))
        await lost.hear_question()
        await lost.say('{"message_id":"1","move":[1,1]}')
        await lost.hang_up(after_s=0.25)
        await trio.sleep(12)  # the second question was due at 0.5 s and is gone at 10.25 s
        alice = hall.connect()
        await alice.say(f'{{"type":"hello","protocol":1,"name":"alice","token":"{token}"}}')
        fault = await alice.hear("fault")
        nursery.cancel_scope.cancel()
    assert {"message_id": None, "kind": "gone", "reason": "closed its connection"} == {
        key: fault[key] for key in ("message_id", "kind", "reason")
    }


async def test_null_is_no_limit(autojump_clock: object) -> None:
    """Without a limit for each answer and without a bank both are null, in every question and in the match."""
    async with trio.open_nursery() as nursery:
        hall = Hall(nursery, "no limits")
        alice = hall.connect()
        await alice.say('{"type":"hello","protocol":1,"name":"alice"}')
        hall.begin(LiarsDice(dice=1), seed=26, bob=[Pass(), Bid(5, 1)], plan=Plan(move_time=None))
        match = await alice.hear("match")
        first = await alice.hear("ask")
        await alice.say('{"message_id":1,"move":[3,1]}', after_s=100.0)
        second = await alice.hear("ask")
        nursery.cancel_scope.cancel()
    assert (None, None) == (match["time_control"]["move_s"], match["time_control"]["bank_s"])
    assert [(None, None)] * 2 == [(question["time_s"], question["bank_s"]) for question in (first, second)]


# Tables.


def table(beginning: str) -> list[list[str]]:
    """The cells of the rows of the table whose head begins so."""
    (found,) = re.findall(rf"^\| {re.escape(beginning)}.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found.splitlines()]


KINDS = {
    messages.Hello,
    messages.Welcome,
    messages.Match,
    Ask,
    messages.EventMessage,
    messages.FaultMessage,
    messages.Result,
    messages.Bye,
}
JSON = {"rules": "object", "state": "object", "payload": "object", "options": "list"}
"""What stands where the code has any JSON."""


def type_in_json(field: str, hint: Any) -> str:
    """A type in the words of the table."""
    if hint is Any:
        return JSON[field]
    if isinstance(hint, UnionType):
        first, other = get_args(hint)
        is_left_out = other is UnsetType or field in ("name", "token")
        return type_in_json(field, first) + (", may be missing" if is_left_out else " or null")
    name = (
        hint.__name__
        if isinstance(hint, type)
        else str(hint).replace("collections.abc.", "").replace("typing.", "")
    )
    return {
        "str": "string",
        "int": "integer",
        "float": "number",
        "Sequence[str]": "list of strings",
        "Mapping[str, Any]": "object",
        "Mapping[str, int]": "object of integers",
        "Mapping[str, float]": "object of numbers",
    }[name]


def test_every_field_is_in_the_table() -> None:
    """Each message with all its fields in the order of the wire, their types, and what may be missing."""
    shown: dict[str, list[tuple[str, str]]] = {}
    tag = ""
    for message, field, kind, _ in table("message |"):
        tag = message.split(",")[0].strip("`") or tag
        shown.setdefault(tag, []).append((field.strip("`"), kind))
    expected = {
        kind.__struct_config__.tag: [
            (field, type_in_json(field, hint))
            for field, hint in get_type_hints(kind).items()
            if field in kind.__struct_fields__
        ]
        for kind in KINDS
    }
    assert expected == shown


def test_the_time_control_has_the_fields_that_are_explained() -> None:
    """In the list below the table, and null only where it says so."""
    (explained,) = re.findall(r"^- `time_control`(.*?)^- ", TEXT, re.MULTILINE | re.DOTALL)
    names = [field.name for field in attrs.fields(Control)]
    assert names == list(dict.fromkeys(re.findall(r"`(\w+_s)`", explained)))
    hints = get_type_hints(Control)
    assert ["move_s", "bank_s"] == [name for name in names if isinstance(hints[name], UnionType)]


def test_bot_seeds_are_as_long_as_it_says() -> None:
    """From 0 to 2⁶³ − 1; the highest bit is used."""
    seeds = [bot_seed(seed, "0a", 0) for seed in range(100)]
    assert 2**62 < max(seeds) < 2**63
    assert "2⁶³ − 1" in TEXT


def test_every_fault_is_in_the_table() -> None:
    assert sorted(get_args(FaultKind)) == sorted(fault.strip("`") for fault, _ in table("fault |"))
    assert f"at most {REASON_MAX} characters" in TEXT


def test_limits_are_those_of_the_code() -> None:
    """Every row of the table."""
    stream, plan = ArenaConnection()._stream, Plan()
    over_allowance = (
        f"{allowance.BURST_BYTES >> 10} KiB at once and {allowance.BYTES_PER_S >> 10} KiB per second, where each value "
        f"costs {allowance.VALUE_BYTES} bytes extra and each piece of the stream {allowance.PIECE_BYTES}; "
        "the rest is read later, on the bot's own time"
    )
    assert {
        "length of a value that a bot sends": f"{stream.bytes_max:,} bytes",
        "nested brackets": f"{stream.depth_max}",
        "what a connection may send before it says who it is": f"{tcp.INTRODUCTION_BYTES_MAX:,} bytes, "
        f"{tcp.INTRODUCTION_VALUES_MAX} broken values",
        "what a bot may send that answers no open question, in all its connections": over_allowance,
        f"new connections to a port that get no place, or leave it within {tcp.STAYED_S:g} s": f"{tcp.ACCEPTED_AT_ONCE} at once and {tcp.ACCEPTED_PER_S:g} per second; others wait",
        "silence before a started bot plays without sending a name": f"{plan.name_wait_s:g} s",
        "silence before a connection to a shared port is asked a question": f"{lobby.SILENCES * plan.name_wait_s:g} s",
        "the first answer after the start": f"{plan.first_move_time:g} s",
        "time to come back after losing the connection": f"{plan.reconnect_s:g} s",
        "connections from one address to one port that bots share": f"{quotas.ADDRESS_CONNECTIONS_MAX}, "
        "or what the host says (`per_address`)",
        "those of them that have not said who they are": "a quarter of that",
        "faults in a match before a seat is not asked any more": f"{plan.faults_max}",
        "length of a name": f"{messages.NAME_LENGTH_MAX} characters",
    } == dict(table("limit |"))
    for key in ("name_wait_s", "first_move_time", "reconnect_s", "faults_max"):
        assert f"`{key}`" in TEXT
        assert hasattr(plan, key)
    assert f"After {plan.faults_max} faults in a match" in TEXT
    assert 3 == plan.withdrawn_after
    assert f"in more than {plan.restarts_max} matches" in TEXT
    assert control_of(plan, connecting=True).first_s == plan.first_move_time


def test_names_and_the_version_are_those_of_the_code() -> None:
    assert all(f"`{name}`" in TEXT for name in LiarsDice.reserved_names)
    assert f"# The protocol, version {messages.PROTOCOL}:" in TEXT


def test_options_look_as_they_are_explained() -> None:
    """The two families of the example are what one is asked after three sixes, and each domain is written so."""
    game = LiarsDice()
    codec = Codec(game, ("alice", "bob"), None)
    example = [json.loads(line) for line in re.findall(r"^(\{.*\})$", TEXT, re.MULTILINE)]
    assert example == json.loads(codec.options(rules._options_on_turn(6, 3, 10, 6)))
    domains = [json.loads(domain.strip("`")) for domain, _ in table("domain |")]
    options = (
        Option(Bid, {"face": Between(1, 6), "count": OneOf(("live", "blank"))}),
        Option(Bid, {"face": Subset(("AS", "TC", "9H"), 1, 3)}),
    )
    written = [option["fields"].values() for option in json.loads(codec.options(options))]
    assert domains == [domain for fields in written for domain in fields]
    assert Bid(3, 4) == codec.move([3, 4])
    assert Challenge() == codec.move("challenge")


# Liar's Dice.


def test_every_field_of_a_question_is_explained() -> None:
    explained = [name for cell, _ in table("field of the question") for name in re.findall(r"`(\w+)`", cell)]
    assert [field.name for field in attrs.fields(state.Observation)] == explained


def test_every_event_is_explained_and_shown(recorded: dict[str, str]) -> None:
    """The table has every kind with the fields of its payload, and the transcripts one of each at least."""
    payloads: dict[str, Any] = {
        "round_started": events.RoundStarted,
        "hand": events.Hand,
        "bid": events.BidMade,
        "challenge": events.Showdown,
        "invalid_move": events.RoundLost,
        "eliminated": events.Eliminated,
        "match_over": events.MatchOver,
    }
    explained = {kind.strip("`"): re.findall(r"`(\w+)`", payload) for kind, payload in table("event |")}
    assert {
        kind: [field.name for field in attrs.fields(each)] for kind, each in payloads.items()
    } == explained
    lines = [json.loads(line) for each in recorded.values() for line in said_by_the_arena(each)]
    shown = {line["kind"]: list(line["payload"]) for line in lines if line.get("type") == "event"}
    assert explained == shown
