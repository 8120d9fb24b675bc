"""A match retold from its moves: for people move by move, for programs step by step.

Nothing here knows a game: moves, events and states are told by the names of their fields.
With a viewer only that is told which that one knew: its own moves, the events it was told, what it observed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import msgspec

from arena.errors import ConfigError
from arena.game import CHANCE, Event, Game, Seat, Step
from arena.players.codec import Codec
from arena.record import Decision, Turn, unpack
from arena.referee import replay
from arena.store import Store, StoredMatch
from arena.words import printable

SPECTATOR = "spectator"
STEP_COLUMNS = ("turn", "seat", "bot", "move", "fault", "reason")


@attrs.frozen
class Viewer:
    """Who a match is retold to."""

    name: str | None
    """A bot, `spectator`, or None for one who may see everything."""
    seat: Seat | None

    @property
    def sees_all(self) -> bool:
        return self.name is None

    def sees_move_of(self, who: Seat) -> bool:
        return self.sees_all or who == self.seat


def viewer_of(match: StoredMatch, name: str | None) -> Viewer:
    """The viewer of that name.  Raises ConfigError if it did not play this match."""
    if name in match.bots:
        return Viewer(name, Seat(match.bots.index(name)))
    if name in (None, SPECTATOR):
        return Viewer(name, None)
    players = ", ".join(match.bots)
    raise ConfigError(f"--as: {name!r} did not play in {match.match_id}; {players} did, or say {SPECTATOR}")


@attrs.frozen
class Telling:
    """A stored match, ready to be told to somebody."""

    match: StoredMatch
    game: Game[Any, Any]
    viewer: Viewer
    decisions: Mapping[tuple[int, Seat], Decision]
    """What was kept of single decisions: those with faults, as a rule; by turn and seat."""

    @property
    def codec(self) -> Codec:
        return Codec(self.game, self.match.bots, None)

    def steps(self) -> Iterator[tuple[Turn, Step[Any] | None]]:
        """The moves of each turn and what they led to, the start first; None where the rules broke."""
        turns = unpack(self.game, self.match.packed)
        steps = replay(self.game, len(self.match.bots), turns)
        yield {}, next(steps)
        for moves in turns:
            try:
                step = next(steps)
            except Exception:  # rules that broke then break again
                if self.match.status != "aborted":
                    raise
                yield moves, None
                return
            yield moves, step

    def faults(self, turn: int, who: Seat) -> Decision | None:
        """The decision of this seat at this turn if it was a fault, and the viewer may know of it."""
        decision = self.decisions.get((turn, who))
        return decision if decision and decision.fault and self.viewer.sees_move_of(who) else None


def telling(store: Store, match: StoredMatch, game: Game[Any, Any], viewer: str | None) -> Telling:
    """What `retold`, `steps_json`, `step_rows` tell.  Raises ConfigError for a viewer who was not there."""
    decisions = {(decision.turn, decision.seat): decision for decision in store.decisions(match.match_id)}
    return Telling(match, game, viewer_of(match, viewer), decisions)


# For people.


def retold(told: Telling) -> Iterator[str]:
    """The match move by move."""
    match = told.match
    yield f"match {match.match_id} of {told.game.title}: {' against '.join(match.bots)}"
    yield f"series {match.series_id}, rotation {match.rotation}" + _seen_by(told.viewer)
    writer = _Writer(told)
    for number, (moves, step) in enumerate(told.steps()):
        yield from writer.turn(number - 1, moves, step)
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
    """Tells turn after turn, and nothing twice."""

    def __init__(self, told: Telling) -> None:
        self.told = told
        self.codec = told.codec
        self.bots = told.match.bots
        self.shown: dict[tuple[str, str, str], Any] = {}
        """What was told of each one's secrets last: by name, kind of event and field."""

    def turn(self, turn: int, moves: Turn, step: Step[Any] | None) -> Iterator[str]:
        """One turn: the moves on a line, then what came of them."""
        events = () if step is None else step.events
        if CHANCE in moves and events:
            yield ""
        seen = {
            who: move for who, move in moves.items() if who != CHANCE and self.told.viewer.sees_move_of(who)
        }
        if seen:
            yield f"{turn:>4}  " + " | ".join(self._move(turn, who, move) for who, move in seen.items())
        for event in events:
            if not self._is_echo(event, seen):
                yield from (f"      {line}" for line in self._event(event))

    def _move(self, turn: int, who: Seat, move: Any) -> str:
        words = [_spaced(type(move).__name__)]
        words += [f"{name} {_inline(value)}" for name, value in self._json(move).items() if value is not None]
        fault = self.told.faults(turn, who)
        shown = f"{self.bots[who]}: {' '.join(words)}"
        return shown if fault is None else f"{shown} [{fault.fault}: {printable(fault.reason)}]"

    def _json(self, value: Any) -> dict[str, Any]:
        fields = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
        decoded: dict[str, Any] = msgspec.json.decode(self.codec.encode(fields))
        return decoded

    def _is_echo(self, event: Event, moves: Turn) -> bool:
        """Whether the event only says again which move was made, on the line above."""
        if event.public is None:
            return False
        told = set(_leaves(self._json(event.public)))
        return any(
            event.kind == _spaced(type(move).__name__).replace(" ", "_")
            and told <= {self.bots[who], *_leaves(self._json(move))}
            for who, move in moves.items()
        )

    def _event(self, event: Event) -> Iterator[str]:
        viewer, kind = self.told.viewer, event.kind.replace("_", " ")
        public = event.public if viewer.sees_all else event.seen_by(viewer.seat)
        if public is not None:
            is_own = not viewer.sees_all and viewer.seat in event.private
            name = self.bots[viewer.seat] if is_own and viewer.seat is not None else None
            said = self._payload(public, event.kind, name)
            yield f"{kind}: {said}" if said else kind
        if viewer.sees_all and event.private:
            secrets = [
                f"{self.bots[who]} {self._payload(payload, event.kind, self.bots[who])}"
                for who, payload in event.private.items()
                if payload is not None
            ]
            yield f"{kind}: {' | '.join(secrets)}"

    def _payload(self, payload: Any, kind: str, name: str | None) -> str:
        """The fields that say something new; of a secret it is remembered that it was told."""
        fields = self._json(payload)
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


def _spaced(name: str) -> str:
    """`RaiseTo` as `raise to`."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def _leaves(value: Any) -> Iterator[Any]:
    """All names and numbers in a JSON value."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from _leaves(part)


def _field(name: str, value: Any) -> str:
    words = name.replace("_", " ")
    return words if value is True else f"{words} {_inline(value)}"


def _inline(value: Any) -> str:
    """A JSON value with as few marks as it can be understood with."""
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


def steps_json(told: Telling) -> dict[str, Any]:
    """Every step: the moves that led to it, its events, its state (or what the viewer may know), options."""
    match = told.match
    return {
        "match_id": match.match_id,
        "game": told.game.name,
        "bots": list(match.bots),
        "viewer": told.viewer.name,
        "steps": [_step_json(told, number - 1, *step) for number, step in enumerate(told.steps())],
        "ranks": [seat.rank for seat in match.seats],
        "returns": [seat.returns for seat in match.seats],
        "error": match.error,
    }


def _step_json(told: Telling, turn: int, moves: Turn, step: Step[Any] | None) -> dict[str, Any]:
    """One step; `turn` is −1 for the start, which no move led to."""
    codec, viewer, game, bots = told.codec, told.viewer, told.game, told.match.bots
    shown = {
        "turn": turn,
        "moves": [
            {"seat": int(who), "bot": None if who == CHANCE else bots[who], "move": codec.move_json(move)}
            for who, move in moves.items()
            if viewer.sees_move_of(who)
        ],
    }
    if step is None:
        return {**shown, "events": [], "state": None, "options": {}}
    state = step.state if viewer.sees_all else game.observe(step.state, viewer.seat)
    asked = [who for who in game.to_act(step.state) if who != CHANCE and viewer.sees_move_of(who)]
    return {
        **shown,
        "events": [event for each in step.events for event in _events_json(told, codec, each)],
        "state": msgspec.json.decode(codec.encode(state)),
        "options": {
            bots[who]: msgspec.json.decode(codec.options(game.options(step.state, who))) for who in asked
        },
    }


def _events_json(told: Telling, codec: Codec, event: Event) -> Iterator[dict[str, Any]]:
    """What the viewer is told; `to` is who was told in secret, or None."""
    viewer, bots = told.viewer, told.match.bots
    payloads: list[tuple[str | None, Any]]
    if viewer.sees_all:
        payloads = [(None, event.public), *((bots[who], secret) for who, secret in event.private.items())]
    else:
        is_own = viewer.seat is not None and viewer.seat in event.private
        payloads = [(viewer.name if is_own else None, event.seen_by(viewer.seat))]
    for to, payload in payloads:
        if payload is not None:
            yield {"kind": event.kind, "to": to, "payload": msgspec.json.decode(codec.encode(payload))}


def step_rows(told: Telling) -> Iterator[tuple[Any, ...]]:
    """A row for every move, of the columns `STEP_COLUMNS`; chance sits at seat −1."""
    codec, bots = told.codec, told.match.bots
    for turn, (moves, _) in enumerate(told.steps(), -1):
        for who, move in moves.items():
            if told.viewer.sees_move_of(who):
                fault = told.faults(turn, who)
                said = msgspec.json.encode(codec.move_json(move)).decode()
                why = ("", "") if fault is None else (fault.fault, fault.reason)
                yield (turn, int(who), "" if who == CHANCE else bots[who], said, *why)
