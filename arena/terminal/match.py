"""Tells a match from its moves: as a story for people, step by step for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import msgspec

from arena.telling.replay import EVERYBODY, Replay, Scene, Viewer
from arena.telling.story import WHOLE, Passage, StoryPart, story
from arena.terminal.exchange_lines import exchange_lines, preface
from arena.terminal.exchanges import Exchanges
from arena.terminal.inks import PLAIN, Inks
from arena.terminal.text import wrapped

STEP_COLUMNS = ("turn", "seat", "bot", "move", "fault", "reason")
NUMBERS_WIDTH = 6
"""The width of the column of a story that holds the numbers of steps."""


# For people.


def retold(
    replay: Replay,
    viewer: Viewer,
    part: StoryPart = WHOLE,
    columns: int | None = None,
    inks: Inks = PLAIN,
    exchanges: Exchanges | None = None,
) -> Iterator[str]:
    """The match as a story, or a part of it.

    `columns`: the width of the terminal, if the story is for one.  `exchanges`: told below the viewer's
    moves.  Raises ConfigError if the match has no such part.
    """
    match = replay.match
    apart = frozenset[int]() if exchanges is None else exchanges.turns()
    told = story(replay, viewer, apart)
    passages = told if part.is_all else part.of(told)
    yield inks.strong(f"match {match.match_id} of {replay.game.title}: {' against '.join(match.bots)}")
    yield f"series {match.series_id}, rotation {match.rotation}" + _seen_by(viewer)
    if exchanges is not None:
        yield from preface(exchanges, str(viewer.name), columns, inks)
    for passage in passages:
        yield from _told(passage, columns, inks)
        if exchanges is not None and passage.turn in exchanges.by_turn:
            yield from exchange_lines(exchanges.by_turn[passage.turn], columns, inks)
    yield ""
    if match.error is not None:
        yield inks.warning("aborted because the rules or the arena failed:")
        yield match.error
    else:
        places = sorted(match.seats, key=lambda seat: seat.rank)
        yield inks.strong("result: " + ", ".join(f"{seat.rank}. {seat.bot}" for seat in places))


def told_story(replay: Replay, columns: int | None = None, inks: Inks = PLAIN) -> Iterator[str]:
    """The match as a story for everybody, without its heading and result."""
    for passage in story(replay, EVERYBODY):
        yield from _told(passage, columns, inks)


def _seen_by(viewer: Viewer) -> str:
    return "" if viewer.sees_all else f", as seen by {'a spectator' if viewer.seat is None else viewer.name}"


def _told(passage: Passage, columns: int | None, inks: Inks) -> Iterator[str]:
    """The lines of a passage: its heading, each move after the number of its step, and what came of it."""
    if passage.begins_round:
        yield ""
        yield from (inks.strong(line) for line in wrapped(passage.heading, columns) if line)
    margin = " " * (NUMBERS_WIDTH + 2)
    room = None if columns is None else columns - len(margin)
    for place, line in enumerate(wrapped(passage.line, room) if passage.acts else ()):
        numbers = str(passage.last) if passage.first == passage.last else f"{passage.first}–{passage.last}"
        start = margin if place else inks.faint(f"{numbers:>{NUMBERS_WIDTH}}") + "  "
        yield start + (inks.warning(line) if passage.has_fault else line)
    for news in passage.news:
        yield from (margin + line for line in wrapped(news, room))


# For programs.


def steps_json(replay: Replay, viewer: Viewer, exchanges: Exchanges | None = None) -> dict[str, Any]:
    """Every step: the moves that led to it, its events, its state (or what the viewer may know), its options.

    With `exchanges`, also what the viewer was asked before each step, and what it answered.
    """
    match = replay.match
    return {
        "match_id": match.match_id,
        "game": replay.game.name,
        "bots": list(match.bots),
        "viewer": viewer.name,
        "steps": [
            _step_json(scene, match.bots) | _exchange_json(scene.turn, exchanges)
            for scene in replay.scenes(viewer)
        ],
        "ranks": [seat.rank for seat in match.seats],
        "returns": [seat.returns for seat in match.seats],
        "error": match.error,
    }


def _step_json(scene: Scene, bots: Sequence[str]) -> dict[str, Any]:
    """One step as JSON; the start has the `turn` −1; `to` is who alone was told, or None."""
    return {
        "turn": scene.turn,
        "moves": [{"seat": int(move.seat), "bot": move.bot, "move": move.said} for move in scene.moves],
        "events": [
            {"kind": event.kind, "to": None if who is None else bots[who], "payload": payload}
            for event in scene.events
            for who, payload in event.payloads
        ],
        "state": scene.observation,
        "options": scene.options,
    }


def _exchange_json(turn: int, exchanges: Exchanges | None) -> dict[str, Any]:
    if exchanges is None:
        return {}
    if turn < 0:
        return {"before": [attrs.asdict(said) for said in exchanges.first]}
    found = exchanges.by_turn.get(turn)
    return {"exchange": None if found is None else attrs.asdict(found)}


def step_rows(replay: Replay, viewer: Viewer) -> Iterator[tuple[Any, ...]]:
    """A row for every move, with the columns `STEP_COLUMNS`; the seat of chance is −1."""
    for moment in replay.moments():
        for move in replay.moves(moment, viewer):
            said = msgspec.json.encode(move.said).decode()
            yield (moment.turn, int(move.seat), move.bot or "", said, move.fault, move.reason)
