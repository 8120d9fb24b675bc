"""Equal information, equal bytes: every byte that a seat is sent of a match follows from what it may know.

Each match of a session is noted as it is played, with the connections that it was played over.  Afterwards it is
replayed, and what every bot was sent must be what its own seat sees of the replay: the same questions, options and
events, byte for byte, in this order and nothing between.  And over all runs: wherever a seat had been told the same,
and had answered the same, it was asked the same, whatever the others held.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import msgspec

from arena.match.game import Game, Seat
from arena.match.record import MatchRecord
from arena.players.codec import Codec
from arena.telling.replay import replay

from .network import Line

Item = tuple[bytes, ...]
"""A question (state, options) or an event (kind, payload) as it was sent."""

KEPT_MAX = 200_000


@attrs.define(eq=False)
class Play:
    """One match as it was played once; it may be played again."""

    match_id: str
    names: Sequence[str]
    record: MatchRecord | None = None
    """None: it was broken off."""


class _Said(msgspec.Struct):
    """What the arena says, undecoded where it matters."""

    type: str = ""
    game_number: int = 0
    match_id: str = ""
    kind: str = ""
    state: msgspec.Raw = msgspec.Raw(b"")
    options: msgspec.Raw = msgspec.Raw(b"")
    payload: msgspec.Raw = msgspec.Raw(b"")


_decode = msgspec.json.Decoder(_Said).decode
_known: dict[bytes, tuple[bytes, bytes, int]] = {}
"""What a seat knew -> what it was asked then, what had really happened, and in which run."""


def wrong_transcripts(
    lines: Sequence[Line], game: Game[Any, Any], seed: int, counts: Counter[str]
) -> Iterator[str]:
    """Where a bot was sent anything else than what it may know."""
    expected: dict[tuple[int, str], list[Item]] = {}
    for line in lines:
        for play, items in _by_play(line):
            if play.record is None or play.record.error is not None:
                continue
            key = (id(play), line.player)
            if key not in expected:
                seat = Seat(play.names.index(line.player))
                expected[key] = list(_expected(play, seat, game, seed, counts))
            counts["messages compared"] += len(items)
            fits = _is_part(items, expected[key]) if line.is_full else _is_within(items, expected[key])
            if not fits:
                yield f"match {play.match_id}: {line.to_bot.name} was sent what is not its own view: {_odd(items, expected[key])}"
    if counts["unequal"]:
        yield f"{counts['unequal']} times a seat that knew the same was asked something else"


def _by_play(line: Line) -> Iterator[tuple[Play, list[Item]]]:
    """What was said of each match over a connection."""
    number, items = 0, list[Item]()
    for octets in bytes(line.to_bot.sent).split(b"\n")[:-1]:
        if octets.startswith(
            (b'{"type":"welcome"', b'{"type":"bye"', b'{"type":"fault"', b'{"type":"result"')
        ):
            continue
        said = _decode(octets)
        if 0 < said.game_number <= line.trials:
            continue
        told = said.game_number - line.trials if said.game_number else number
        began = number + 1 if said.type == "match" else told
        if began != number:
            if items:
                yield line.plays[number - 1], items
            number, items = began, []
        if said.type == "event":
            items.append((said.kind.encode(), bytes(said.payload)))
        elif said.type == "ask":
            items.append((bytes(said.state), bytes(said.options)))
        elif not said.type:
            items.append((_state_of(octets),))
    if items:
        yield line.plays[number - 1], items


def _state_of(octets: bytes) -> bytes:
    """The state in a plain question, which begins with `message_id` and `game_number`."""
    return b"{" + octets.split(b",", 2)[2]


def _expected(
    play: Play, seat: Seat, game: Game[Any, Any], seed: int, counts: Counter[str]
) -> Iterator[Item]:
    """What this seat may be sent of the match."""
    assert play.record is not None
    turns = play.record.turns
    codec = Codec(game, play.names, seat)
    asked = {decision.turn for decision in play.record.decisions if decision.seat == seat and decision.asked}
    knows = hashlib.blake2b(f"{game!r}{play.names}{int(seat)}".encode(), digest_size=16)
    happened = hashlib.blake2b(digest_size=8)
    steps = replay(game, len(play.names), turns)
    state = next(steps).state
    for index, (moves, step) in enumerate(zip(turns, steps, strict=True)):
        if index in asked:
            item = (codec.encode(game.observe(state, seat)), codec.options(game.options(state, seat)))
            _compare(knows.digest(), b"".join(item), happened.digest(), seed, counts)
            yield item
        if seat in moves:
            knows.update(repr(moves[seat]).encode())
        happened.update(repr(moves).encode())
        for event in step.events:
            payload = event.seen_by(seat)
            if payload is not None:
                told = (event.kind.encode(), codec.encode(payload))
                knows.update(b"".join(told))
                yield told
        state = step.state


def _compare(knows: bytes, question: bytes, happened: bytes, seed: int, counts: Counter[str]) -> None:
    """Was it ever asked otherwise, knowing the same?"""
    asked = hashlib.blake2b(question, digest_size=8).digest()
    before = _known.get(knows)
    if before is None:
        if len(_known) < KEPT_MAX:
            _known[knows] = (asked, happened, seed)
    elif before[1] != happened:
        counts["knew the same of different states"] += 1
        counts["unequal"] += before[0] != asked


def _is_part(items: list[Item], expected: list[Item]) -> bool:
    """Whether the items stand there, one after the other with nothing between."""
    size = len(items)
    return any(expected[start : start + size] == items for start in range(len(expected) - size + 1))


def _is_within(items: list[Item], expected: list[Item]) -> bool:
    """Whether the states of these questions stand there in this order; a plain bot that owes is not asked."""
    left = iter([item[0] for item in expected])
    return all(item[0] in left for item in items)


def _odd(items: list[Item], expected: list[Item]) -> str:
    """The first item that does not belong there."""
    known = {item[0] for item in expected}
    odd = next((item for item in items if item not in expected and item[0] not in known), None)
    return (
        f"{odd}" if odd else f"out of order: {[expected.index(i) if i in expected else i[0] for i in items]}"
    )
