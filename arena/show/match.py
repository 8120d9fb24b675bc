"""A match told from its moves: for people move by move, for programs step by step.

Nothing here knows a game: moves, events and states are told by the names of their fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.replay import Fields, Replay, Scene, SeenEvent, SeenMove, Viewer
from arena.words import printable, spaced

STEP_COLUMNS = ("turn", "seat", "bot", "move", "fault", "reason")


# For people.


def retold(replay: Replay, viewer: Viewer) -> Iterator[str]:
    """The match move by move."""
    match = replay.match
    yield f"match {match.match_id} of {replay.game.title}: {' against '.join(match.bots)}"
    yield f"series {match.series_id}, rotation {match.rotation}" + _seen_by(viewer)
    writer = _Writer(replay, viewer)
    for scene in replay.scenes(viewer):
        yield from writer.scene(scene)
    yield ""
    if match.error is not None:
        yield "aborted, as the rules or the arena broke:"
        yield match.error
    else:
        places = sorted(match.seats, key=lambda seat: seat.rank)
        yield "result: " + ", ".join(f"{seat.rank}. {seat.bot}" for seat in places)


def _seen_by(viewer: Viewer) -> str:
    return "" if viewer.sees_all else f", as seen by {'a spectator' if viewer.seat is None else viewer.name}"


class _Writer:
    """Tells scene after scene, and nothing twice."""

    def __init__(self, replay: Replay, viewer: Viewer) -> None:
        self.viewer = viewer
        self.bots = replay.match.bots
        self.shown: dict[tuple[str, str, str], Any] = {}
        """What was last told of each one's secrets, by name, kind of event and field."""

    def scene(self, scene: Scene) -> Iterator[str]:
        """One turn: the moves on a line, then what came of them."""
        if scene.is_of_chance and scene.events:
            yield ""
        moves = [move for move in scene.moves if move.bot is not None]
        if moves:
            yield f"{scene.turn:>4}  " + " | ".join(map(_move, moves))
        for event in scene.events:
            if not any(event.echoes(move) for move in moves):
                yield from (f"      {line}" for line in self._event(event))

    def _event(self, event: SeenEvent) -> Iterator[str]:
        kind = event.kind.replace("_", " ")
        if event.public is not None:
            said = self._payload(event.public, event.kind, None)
            yield f"{kind}: {said}" if said else kind
        secrets = [
            (self.bots[who], self._payload(payload, event.kind, self.bots[who]))
            for who, payload in event.private.items()
            if payload is not None
        ]
        if secrets and self.viewer.sees_all:
            yield f"{kind}: {' | '.join(f'{bot} {said}' for bot, said in secrets)}"
        elif secrets:
            ((_, said),) = secrets
            yield f"{kind}: {said}" if said else kind

    def _payload(self, fields: Fields, kind: str, name: str | None) -> str:
        """The fields that say something new; of a secret it is remembered that it was told."""
        if name is not None:
            self.shown.update({(name, kind, field): value for field, value in fields.items()})
        said = {field: value for field, value in fields.items() if not self._is_told(value)}
        if name is not None and len(fields) == 1:
            return " ".join(map(_inline, fields.values()))
        if len(fields) == 1:
            return ", ".join(map(_inline, said.values()))
        return ", ".join(_field(field, value) for field, value in said.items())

    def _is_told(self, value: Any) -> bool:
        """Whether this is nothing, or what somebody holds by name, all of which was told before."""
        if value is None or value is False:
            return True
        secrets = [(name, secret) for (name, _, _), secret in self.shown.items()]
        return (
            isinstance(value, list)
            and bool(value)
            and all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], list) for pair in value)
            and all((name, secret) in secrets for name, secret in value)
        )


def _move(move: SeenMove) -> str:
    words = [spaced(move.kind)]
    words += [f"{name} {_inline(value)}" for name, value in move.fields.items() if value is not None]
    shown = f"{move.bot}: {' '.join(words)}"
    return f"{shown} [{move.fault}: {printable(move.reason)}]" if move.fault else shown


def _field(name: str, value: Any) -> str:
    words = name.replace("_", " ")
    return words if value is True else f"{words} {_inline(value)}"


def _inline(value: Any) -> str:
    """A JSON value with as little punctuation as possible."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, list | dict) for item in value):
        return f"({', '.join(map(_inline, value))})"
    if isinstance(value, list):
        return " ".join(map(_inline, value)) or "none"
    if isinstance(value, dict):
        return " ".join(f"{key}={_inline(item)}" for key, item in value.items())
    return msgspec.json.encode(value).decode()


# For programs.


def steps_json(replay: Replay, viewer: Viewer) -> dict[str, Any]:
    """Every step: the moves that led to it, its events, its state (or what the viewer may know), options."""
    match = replay.match
    return {
        "match_id": match.match_id,
        "game": replay.game.name,
        "bots": list(match.bots),
        "viewer": viewer.name,
        "steps": [_step_json(scene, match.bots) for scene in replay.scenes(viewer)],
        "ranks": [seat.rank for seat in match.seats],
        "returns": [seat.returns for seat in match.seats],
        "error": match.error,
    }


def _step_json(scene: Scene, bots: Sequence[str]) -> dict[str, Any]:
    """One step; the `turn` of the start is −1; `to` is who was told in secret, or None."""
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


def step_rows(replay: Replay, viewer: Viewer) -> Iterator[tuple[Any, ...]]:
    """A row for every move, of the columns `STEP_COLUMNS`; chance sits at seat −1."""
    for moment in replay.moments():
        for move in replay.moves(moment, viewer):
            said = msgspec.json.encode(move.said).decode()
            yield (moment.turn, int(move.seat), move.bot or "", said, move.fault, move.reason)
