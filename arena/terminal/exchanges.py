"""Rebuilds what a bot was asked at each of its moves in a match, its answers, their times, and its output.

The questions are rebuilt from the moves of the match.  What was said and printed comes from the conversation
that a run keeps of the bots it debugs; where there is none, times and faults come from the stored decisions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import attrs
import msgspec

from arena.match.game import Seat
from arena.players.codec import Codec
from arena.store.capsules import capsule_name
from arena.telling.replay import Replay

NOTHING = object()


@attrs.frozen(kw_only=True)
class Aside:
    """Something that came from a bot besides its answer, or that the arena noted about it."""

    how: str
    """How it came: `printed`, `said`, `noted` or `ended`."""
    text: str


@attrs.frozen(kw_only=True)
class Exchange:
    """One question to a bot, what it answered, and what it printed until the next question."""

    turn: int
    question: Any
    options: Any
    is_answered: bool
    """Whether there was an answer that belongs to the question."""
    answer: Any = None
    """The move as JSON; the whole answer if it had no move."""
    fault: str = ""
    """The kind of fault that it was charged with."""
    reason: str = ""
    elapsed_s: float | None = None
    """How long the answer took; None: that was not kept."""
    limit_s: float | None = None
    is_recorded: bool = False
    """Whether the messages of this turn were kept, not only its move."""
    evidence: str = ""
    """The file with the evidence of the fault, within the results folder."""
    more: tuple[Aside, ...] = ()


@attrs.frozen(kw_only=True)
class Exchanges:
    """All exchanges of one bot in one match."""

    by_turn: Mapping[int, Exchange]
    first: tuple[Aside, ...] = ()
    """What came from the bot before its first question."""
    is_recorded: bool = False
    """Whether a conversation of this match was kept."""

    def turns(self) -> frozenset[int]:
        return frozenset(self.by_turn)


def exchanges_of(
    replay: Replay, seat: Seat, said: Sequence[Mapping[str, Any]], move_s: float | None, folder: Path
) -> Exchanges:
    """All exchanges of the bot in this seat.

    `said`: the conversation of the match, empty if none was kept.  `move_s`: the limit of an answer, if it is
    the same for all but the first one.  `folder`: the results folder, with the evidence of faults.
    """
    first, asked = _questions_in(said)
    last = _last_turn_asked(replay, seat)
    found, faults, is_later = dict[int, Exchange](), 0, False
    for turn, question, options, move in _questions_of(replay, seat):
        decision = replay.decisions.get((turn, seat))
        if turn > last or (decision is not None and not decision.asked):
            break
        evidence = ""
        if decision is not None and decision.fault:
            name = capsule_name(replay.match.match_id, int(seat), faults)
            evidence, faults = name if (folder / name).is_file() else "", faults + 1
        exchange = Exchange(
            turn=turn,
            question=question,
            options=options,
            is_answered=decision is None or not decision.fault,
            answer=move if decision is None or not decision.fault else None,
            fault=(decision and decision.fault) or "",
            reason="" if decision is None else decision.reason,
            elapsed_s=None if decision is None else decision.elapsed_s,
            limit_s=move_s if is_later else None,
            evidence=evidence,
        )
        place = next((place for place, each in enumerate(asked) if each.state == question), None)
        if place is not None:
            exchange, asked = _recorded(exchange, asked[place]), asked[place + 1 :]
        elif said and decision is None:
            continue  # the bot was not asked
        found[turn], is_later = exchange, True
    return Exchanges(by_turn=found, first=first, is_recorded=bool(said))


def _last_turn_asked(replay: Replay, seat: Seat) -> float:
    """The turn of the last question to this seat: after too many faults a bot is not asked any more."""
    stored = replay.match.seats[seat]
    if stored.withdrawn:
        return -1
    if not stored.abandoned:
        return inf
    faults = [turn for (turn, who), decision in replay.decisions.items() if who == seat and decision.fault]
    return max(faults, default=inf)


def _questions_of(replay: Replay, seat: Seat) -> Iterator[tuple[int, Any, Any, Any]]:
    """(turn, question, options, move) of each question, as the bot in this seat read and wrote them."""
    game, codec, before = replay.game, Codec(replay.game, replay.match.bots, seat), None
    for moment in replay.moments():
        if before is not None and seat in moment.moves:
            question = msgspec.json.decode(codec.encode(game.observe(before, seat)))
            options = msgspec.json.decode(codec.options(game.options(before, seat)))
            yield moment.turn, question, options, codec.move_json(moment.moves[seat])
        before = None if moment.step is None else moment.step.state


def _recorded(rebuilt: Exchange, asked: _Asked) -> Exchange:
    """A rebuilt exchange, completed from the messages that were kept."""
    answer, at_s, others = asked.answer()
    elapsed_s = rebuilt.elapsed_s
    if elapsed_s is None and at_s is not None:
        elapsed_s = max(0.0, at_s - asked.at_s)
    return attrs.evolve(
        rebuilt,
        is_answered=answer is not NOTHING,
        answer=None if answer is NOTHING else answer,
        elapsed_s=elapsed_s,
        limit_s=asked.limit_s,
        is_recorded=True,
        more=(*others, *asked.more),
    )


# The conversation.


@attrs.define
class _Asked:
    """One question of a conversation, and what followed until the next one."""

    state: Any
    message_id: Any
    at_s: float
    limit_s: float | None
    pieces: list[tuple[float, str]] = attrs.field(factory=list)
    """What the bot said, in the pieces in which it came, each with its time."""
    more: list[Aside] = attrs.field(factory=list)

    def answer(self) -> tuple[Any, float | None, list[Aside]]:
        """The move of the answer (NOTHING: no answer), when it came (s), and what was said besides."""
        answer, at_s, others = NOTHING, None, list[Aside]()
        for value, text, came_s in _values(self.pieces):
            is_own = isinstance(value, dict) and value.get("message_id") == self.message_id
            if answer is NOTHING and is_own:
                answer, at_s = value.get("move", value), came_s
            else:
                others.append(Aside(how="said", text=text))
        return answer, at_s, others


def _questions_in(said: Sequence[Mapping[str, Any]]) -> tuple[tuple[Aside, ...], list[_Asked]]:
    """Splits a conversation: what came before the first question, and the questions."""
    first, found = list[Aside](), list[_Asked]()
    for line in said:
        way, text, at_s = line.get("dir"), str(line.get("text", "")), _time(line)
        more = found[-1].more if found else first
        if way == "→":
            if (asked := _question(text, at_s)) is not None:
                found.append(asked)
        elif way == "←" and found:
            found[-1].pieces.append((at_s, text))
        elif way in _HOW:
            more.append(Aside(how=_HOW[way], text=text))
    return tuple(first), found


_HOW = {"|": "printed", "·": "noted", "—": "ended", "←": "said"}


def _question(text: str, at_s: float) -> _Asked | None:
    """The question in a message of either protocol; None if it holds none."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or "message_id" not in message or "move" in message:
        return None
    if message.get("type") == "ask":
        limit_s = message.get("time_s")
        is_number = isinstance(limit_s, int | float)
        return _Asked(message.get("state"), message["message_id"], at_s, limit_s if is_number else None)
    if "type" in message:
        return None
    state = {key: value for key, value in message.items() if key not in ("message_id", "game_number")}
    return _Asked(state, message["message_id"], at_s, None)


def _values(pieces: Sequence[tuple[float, str]]) -> Iterator[tuple[Any, str, float]]:
    """The JSON values that were said, each with its text and when it was complete; other text as a string."""
    whole, ends, size = "".join(text for _, text in pieces), list[tuple[int, float]](), 0
    for at_s, text in pieces:
        size += len(text)
        ends.append((size, at_s))
    place, decoder = 0, json.JSONDecoder()
    while place < size:
        try:
            value, end = decoder.raw_decode(whole, place)
        except (ValueError, RecursionError):
            value, end = None, size
        yield value, whole[place:end].strip(), next(at_s for most, at_s in ends if end <= most)
        place = end + len(whole[end:]) - len(whole[end:].lstrip())


def _time(line: Mapping[str, Any]) -> float:
    at_s = line.get("t_s")
    return float(at_s) if isinstance(at_s, int | float) else 0.0
