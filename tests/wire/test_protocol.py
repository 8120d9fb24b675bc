"""PROTOCOL.md tells the truth: its transcripts are replayed, its tables compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena.wire
from arena.wire import messages
from arena.wire.connection import Answered, ArenaConnection, Introduced, Received, State
from arena.wire.messages import RESERVED_NAMES, Raw, from_arena

TEXT = (Path(arena.wire.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
TRANSCRIPTS = [
    (re.findall(r"^#+ (.*)$", TEXT[: block.start()], re.MULTILINE)[-1], block.group(1).splitlines())
    for block in re.finditer(r"^```transcript\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]


class Parts(msgspec.Struct):
    """The parts of a message that are spliced in as they are."""

    rules: Raw = Raw(b"")
    state: Raw = Raw(b"")
    options: Raw = Raw(b"")
    payload: Raw = Raw(b"")


def arena_says(arena: ArenaConnection, line: str) -> bytes:
    """Lets the arena say by itself what the line says."""
    said = json.loads(line)
    parts = msgspec.json.decode(line, type=Parts)
    raw = {key: bytes(getattr(parts, key)) for key in Parts.__struct_fields__}
    if arena.state is State.NAMING:
        arena.enter()
    match said.get("type"):
        case "welcome":
            return arena.welcome(said["name"], said.get("token"))
        case "match":
            keys = ("match_id", "game", "version", "seat", "names", "time_control")
            kept: dict[str, Any] = {key: said[key] for key in keys}
            return arena.begin_match(**kept, rules=raw["rules"], bot_seed=int(said["bot_seed"]))
        case "ask":
            return arena.ask(
                state=raw["state"], options=raw["options"], time_s=said["time_s"], bank_s=said["bank_s"]
            )
        case "event":
            return arena.event(said["kind"], raw["payload"])
        case "fault":
            return arena.fault(said["kind"], said["reason"], said["message_id"])
        case "result":
            return arena.result(ranks=said["ranks"], returns=said["returns"])
        case "bye":
            return arena.bye(said["reason"])
    if arena.game_number < said["game_number"]:
        silence = arena.begin_match(
            match_id="0a", game="", version=1, rules=b"{}", seat=0, names=[], time_control={}, bot_seed=0
        )
        assert not silence
    envelope = f'{{"message_id":"{said["message_id"]}","game_number":{said["game_number"]},'
    state = "{" + line.removeprefix(envelope)
    return arena.ask(state=state.encode(), options=b"[]", time_s=None, bank_s=None)


def remark(received: Received) -> str:
    """What the transcripts say of it."""
    reason = getattr(received, "reason", None)
    return type(received).__name__.lower() + ("" if reason is None else f": {reason}")


@pytest.mark.parametrize(
    "lines", [lines for _, lines in TRANSCRIPTS], ids=[title for title, _ in TRANSCRIPTS]
)
def test_transcripts(lines: list[str]) -> None:
    """The arena says byte for byte what stands there, and makes of the bot's lines what is remarked."""
    arena = ArenaConnection()
    heard: list[Received] = []
    for index, line in enumerate(lines):
        kind, text = line[:2], line[2:]
        if kind == "# " and text == "time over":
            arena.give_up()
        elif kind == "# ":
            assert text == remark(heard.pop(0))
        elif kind == "→ ":
            assert f"{text}\n".encode() == arena_says(arena, text)
        else:
            assert kind == "← "
            heard = arena.receive(text.encode() + (b"\n" if arena.protocol else b""))
            assert heard
            is_remarked = lines[index + 1 : index + 2] and lines[index + 1].startswith("# ")
            if not is_remarked or lines[index + 1] == "# time over":
                (one,) = heard
                assert isinstance(one, Answered | Introduced)
                heard = []
    assert not heard


def test_bots_can_read_all_that_the_transcripts_say() -> None:
    """Every line of the arena is a message, and every type of message is shown."""
    said = [json.loads(line[2:]) for _, lines in TRANSCRIPTS for line in lines if line.startswith("→ ")]
    read = {type(from_arena(message)) for message in said}
    shown = {"Welcome", "Match", "Ask", "EventMessage", "FaultMessage", "Result", "Bye", "PlainQuestion"}
    assert shown == {kind.__name__ for kind in read}


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("hello", messages.Hello),
        ("welcome", messages.Welcome),
        ("match", messages.Match),
        ("ask", messages.Ask),
        ("event", messages.EventMessage),
        ("fault", messages.FaultMessage),
        ("result", messages.Result),
        ("bye", messages.Bye),
    ],
)
def test_every_field_is_in_the_table(tag: str, kind: type[msgspec.Struct]) -> None:
    """The row of each message names all its fields."""
    (row,) = re.findall(rf"^\| (?:bot|arena) \| `{tag}` \| (.*) \|$", TEXT, re.MULTILINE)
    missing = [field for field in kind.__struct_fields__ if f"`{field}`" not in row]
    assert not missing


def test_limits_and_reserved_names_are_those_of_the_code() -> None:
    """Numbers and words that stand in the text are the constants."""
    arena = ArenaConnection()
    assert f"{arena._stream.bytes_max:,} bytes" in TEXT
    assert f"inside each other | {arena._stream.depth_max} |" in TEXT
    assert f"{messages.NAME_LENGTH_MAX} characters" in TEXT
    assert all(f"`{name}`" in TEXT for name in RESERVED_NAMES)
    assert f"# The protocol, version {messages.PROTOCOL}:" in TEXT
