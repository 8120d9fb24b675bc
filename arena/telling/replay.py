"""A stored match step by step, as one viewer knows it: a seat, a spectator, or a viewer who sees everything.

A scene holds only what its viewer knew: its own moves, the events it was told, and what it observed; equal
information makes equal scenes.  This module knows no game, nor how a scene looks: moves, events and
observations are JSON values, with bots' names for seats.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import attrs
import msgspec

from arena.errors import ConfigError
from arena.match.game import CHANCE, Event, Game, Seat, Step
from arena.match.record import Decision, Turn, unpack
from arena.players.codec import Codec
from arena.store import Store, StoredMatch
from arena.words import clipped, spaced

S = TypeVar("S")

Fields = Mapping[str, Any]
"""A move or a payload as JSON: values by field, in the order in which its class declares them."""


def replay(game: Game[S, Any], seats: int, turns: Sequence[Turn]) -> Iterator[Step[S]]:
    """The steps of a match rebuilt from its moves alone, starting with the initial state.

    Raises IllegalMove if a move does not fit the state.
    """
    step: Step[S] = Step(game.start(seats))
    yield step
    for moves in turns:
        step = game.apply(step.state, moves)
        yield step


# Who sees.


@attrs.frozen
class Viewer:
    """The person or bot that a match is shown to."""

    name: str | None
    """The name of a bot, `spectator`, or None for a viewer who sees everything."""
    seat: Seat | None = None

    @property
    def sees_all(self) -> bool:
        return self.name is None

    def sees_move_of(self, who: Seat) -> bool:
        return self.sees_all or who == self.seat


EVERYBODY = Viewer(None)
"""The viewer who knows what all seats know together, and the moves of chance."""
SPECTATOR = Viewer("spectator")
"""The viewer who has no seat, and knows what is public."""


def viewer_of(match: StoredMatch, name: str | None) -> Viewer:
    """The viewer with this name.  Raises ConfigError if no such bot played this match."""
    if name in match.bots:
        return Viewer(name, Seat(match.bots.index(name)))
    if name in (EVERYBODY.name, SPECTATOR.name):
        return Viewer(name)
    players = ", ".join(match.bots)
    raise ConfigError(
        f"{name!r} did not play in {match.match_id}; {players} did, or use {SPECTATOR.name}", setting="as"
    )


# What viewers see.


@attrs.frozen
class Moment:
    """One step of a match as it happened, no matter who knew of it."""

    turn: int
    """The turn's index; −1 at the start, before any move."""
    moves: Turn
    step: Step[Any] | None
    """What followed from the moves; None if the rules failed here."""

    @property
    def is_of_chance(self) -> bool:
        return CHANCE in self.moves


@attrs.frozen
class SeenMove:
    """A move that the viewer knows about."""

    seat: Seat
    """The seat that moved, CHANCE if no bot did."""
    bot: str | None
    kind: str
    """The name of the move's class."""
    fields: Fields
    said: Any
    """The move as a bot would send it."""
    fault: str = ""
    """The kind of fault for which it was played, or empty."""
    reason: str = ""
    sentence: str | None = None
    """The move in the game's words; None if it has none."""

    @property
    def names(self) -> tuple[str, ...]:
        """How an event may name the move: by its class in words, or by the word that a bot sends for it."""
        return (spaced(self.kind), self.said) if isinstance(self.said, str) else (spaced(self.kind),)


@attrs.frozen
class SeenEvent:
    """What the viewer was told about an event."""

    kind: str
    public: Fields | None
    """The payload for everyone without a private one."""
    private: Mapping[Seat, Fields | None]
    """The payloads of seats that are told something else; None: they are told nothing."""
    sentences: Mapping[Seat | None, str] = {}
    """The payloads in the game's words, by the seat that is told them; empty if the game has none."""

    @property
    def payloads(self) -> Iterator[tuple[Seat | None, Fields]]:
        """Each payload with the seat that is told it (None: all others)."""
        for who, payload in ((None, self.public), *self.private.items()):
            if payload is not None:
                yield who, payload

    def echoes(self, move: SeenMove) -> bool:
        """Whether the event only tells everyone again which move was made."""
        if self.public is None or spaced(self.kind) != spaced(move.kind):
            return False
        return set(_leaves(self.public)) <= {move.bot, *_leaves(move.fields)}

    def reveals(self, move: SeenMove) -> bool:
        """Whether the event tells everyone the whole move: its first field is who moved, the rest the move.

        A move without fields must be named, by the event's kind or in a field: an event that eliminates a
        bystander does not tell that the bystander passed.
        """
        who, *told = (self.public or {"": None}).values()
        leaves, known = set(_leaves(move.fields)) - {None}, set(_leaves(told))
        is_named = bool(leaves) or spaced(self.kind) == spaced(move.kind) or bool({*move.names} & known)
        return is_named and who == move.bot and leaves <= known


@attrs.frozen
class Scene:
    """One step of a match as it is shown to a viewer."""

    turn: int
    """The turn's index; −1 at the start, before any move."""
    is_of_chance: bool
    """Whether only chance moved; only a viewer who sees everything knows its move."""
    moves: tuple[SeenMove, ...]
    events: tuple[SeenEvent, ...]
    observation: Any
    """What the viewer could see, or the whole state if it sees everything; None if the rules failed here."""
    options: Mapping[str, Any]
    """For each bot asked next, what it may do, if the viewer knows its moves."""


class Showing(ABC):
    """How a match, stored or being played, is shown: what each viewer knows about each of its moments."""

    game: Game[Any, Any]
    decisions: Mapping[tuple[int, Seat], Decision]

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The name of the player in each seat."""

    @cached_property
    def codec(self) -> Codec:
        return Codec(self.game, self.names, None)

    def scene(self, moment: Moment, viewer: Viewer) -> Scene:
        """What the viewer knows about this moment: the results of the methods below, put together."""
        return Scene(
            moment.turn,
            moment.is_of_chance,
            self.moves(moment, viewer),
            self.events(moment, viewer),
            self.observation(moment, viewer),
            self.options(moment, viewer),
        )

    def moves(self, moment: Moment, viewer: Viewer) -> tuple[SeenMove, ...]:
        """The moves that led here, as far as the viewer knows them: a seat knows its own."""
        return tuple(
            self._move(moment.turn, who, move)
            for who, move in moment.moves.items()
            if viewer.sees_move_of(who)
        )

    def events(self, moment: Moment, viewer: Viewer) -> tuple[SeenEvent, ...]:
        """The events that the viewer was told."""
        told = (self._event(event, viewer) for event in (moment.step.events if moment.step else ()))
        return tuple(event for event in told if any(event.payloads))

    def observation(self, moment: Moment, viewer: Viewer) -> Any:
        """What the viewer could see then; the whole state if it sees everything."""
        if moment.step is None:
            return None
        state = moment.step.state
        return self._json(state if viewer.sees_all else self.game.observe(state, viewer.seat))

    def options(self, moment: Moment, viewer: Viewer) -> Mapping[str, Any]:
        """For each bot asked next, what it may do, as far as the viewer knows that."""
        state = None if moment.step is None else moment.step.state
        return {
            self.names[who]: msgspec.json.decode(self.codec.options(self.game.options(state, who)))
            for who in self.asked(moment)
            if viewer.sees_move_of(who)
        }

    def asked(self, moment: Moment) -> tuple[Seat, ...]:
        """The seats that move next, which everyone may know; none before a chance move."""
        asked = () if moment.step is None else self.game.to_act(moment.step.state)
        return tuple(who for who in asked if who != CHANCE)

    def _move(self, turn: int, who: Seat, move: Any) -> SeenMove:
        bot = None if who == CHANCE else self.names[who]
        decision = self.decisions.get((turn, who))
        why = (decision.fault, decision.reason) if decision is not None and decision.fault else ("", "")
        said = self.codec.move_json(move)
        sentence = self.game.tell_move(who, move, self._name)
        return SeenMove(who, bot, type(move).__name__, self._fields(move), said, *why, sentence)

    def _event(self, event: Event, viewer: Viewer) -> SeenEvent:
        public, private = event.public, event.private
        if not viewer.sees_all:
            own = {who: payload for who, payload in private.items() if who == viewer.seat}
            public, private = (None if own else public), own
        told: dict[Seat | None, Any] = {None: public}
        told.update(private.items())
        sentences = {
            who: sentence
            for who, payload in told.items()
            if payload is not None
            and (sentence := self.game.tell_event(event.kind, payload, who, self._name)) is not None
        }
        secrets = {who: self._payload(payload) for who, payload in private.items()}
        return SeenEvent(event.kind, self._payload(public), secrets, sentences)

    def _name(self, seat: Seat) -> str:
        return self.names[seat]

    def _payload(self, payload: Any) -> Fields | None:
        return None if payload is None else self._fields(payload)

    def _fields(self, value: Any) -> Fields:
        fields: Fields = self._json(
            {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
        )
        return fields

    def _json(self, value: Any) -> Any:
        return msgspec.json.decode(self.codec.encode(value))


class LiveShowing(Showing):
    """How a match is shown while it is played and its decisions are still coming in."""

    def __init__(self, game: Game[Any, Any], names: tuple[str, ...]) -> None:
        self.game = game
        self._names = names
        self.decisions: dict[tuple[int, Seat], Decision] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return self._names


@attrs.frozen
class Replay(Showing):
    """A stored match, and everything needed to replay it."""

    match: StoredMatch
    game: Game[Any, Any]
    decisions: Mapping[tuple[int, Seat], Decision] = attrs.field(factory=dict)
    """The decisions that were kept, usually those with faults; by turn and seat."""
    turns_max: int | None = None
    """The stored number of turns, by which the match was chosen to be replayed; None: not checked."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.match.bots

    def scenes(self, viewer: Viewer) -> Iterator[Scene]:
        """The match as the viewer knows it, from the start."""
        return (self.scene(moment, viewer) for moment in self.moments())

    def moments(self) -> Iterator[Moment]:
        """The match as it happened, from the start; an aborted one up to where the rules failed.

        Raises ConfigError if the stored moves cannot be read, or are not those of a match.
        """
        turns = self._turns()
        steps = replay(self.game, len(self.match.bots), turns)
        yield Moment(-1, {}, next(steps))
        for turn, moves in enumerate(turns):
            try:
                step = next(steps)
            except Exception as error:  # rules that failed in the match fail again
                if self.match.status != "aborted":
                    raise self._mistake(f"at turn {turn} the rules fail: {error}") from error
                yield Moment(turn, moves, None)
                return
            yield Moment(turn, moves, step)

    def _turns(self) -> tuple[Turn, ...]:
        try:
            turns = unpack(self.game, self.match.packed)
        except ValueError as error:
            raise self._mistake(str(error)) from error
        if self.turns_max is not None and len(turns) > self.turns_max:
            raise self._mistake(f"it has {len(turns):,} turns, and is said to have {self.turns_max:,}")
        return turns

    def _mistake(self, why: str) -> ConfigError:
        match = self.match
        return ConfigError(f"match {match.match_id} cannot be replayed: {clipped(why, WHY_CHARS_MAX)}")


WHY_CHARS_MAX = 200
"""The longest reason why a match cannot be replayed: it may repeat the moves."""


def replay_of(store: Store, match: StoredMatch, game: Game[Any, Any]) -> Replay:
    """A match of this store, with the decisions that the store keeps."""
    decisions = {(decision.turn, decision.seat): decision for decision in store.decisions(match.match_id)}
    return Replay(match, game, decisions, match.turns)


def _leaves(value: Any) -> Iterator[Any]:
    """All names and numbers in a JSON value."""
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else None
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from _leaves(part)
