"""A match as a story: what happened step by step, in the game's sentences or by the names of its fields.

It is made from scenes alone, so it tells a viewer nothing that its scenes hide.  Steps are numbered as they
are told: moves of chance have no number, and simple acts such as passes share a line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import attrs
import msgspec

from arena.errors import ConfigError
from arena.telling.replay import Fields, Replay, Scene, SeenEvent, SeenMove, Showing, Viewer
from arena.words import counted, listed, plural_verb, printable, spaced


@attrs.frozen
class Act:
    """What a seat did, in a clause that begins with its name, or whatever else a step begins with."""

    who: str
    """The name of who did it; empty if nobody did."""
    text: str
    fault: str = ""

    @property
    def simple(self) -> str:
        """The single word after the name, such as `passes`; empty if there is more to say about the act."""
        said = self.text.removeprefix(f"{self.who} ")
        is_simple = self.who and said != self.text and " " not in said and not self.fault
        return said if is_simple else ""


@attrs.frozen
class Passage:
    """One or more steps of a match as people read them."""

    first: int
    """The number of its first step; 0: a move of chance, or the start."""
    last: int
    """The number of its last step: larger than `first` if simple acts were gathered."""
    round_number: int
    """The number of the round, from 1; 0 before the first round."""
    begins_round: bool
    heading: str
    """What is said about the round that begins, if anything."""
    acts: tuple[Act, ...]
    """What was done, to be told on one line."""
    news: tuple[str, ...]
    """What followed, line by line."""
    turn: int = -1
    """The turn of its last step, as records number them."""

    @property
    def has_fault(self) -> bool:
        return any(act.fault for act in self.acts)

    @property
    def line(self) -> str:
        """The acts on one line, with seats that did the same simple thing taken together."""
        clauses = []
        for simple, acts in groupby(self.acts, lambda act: act.simple):
            same = list(acts)
            if simple and len(same) > 1:
                clauses.append(f"{listed([act.who for act in same])} {plural_verb(simple)}")
            else:
                clauses += [f"{act.text} [{act.fault}]" if act.fault else act.text for act in same]
        return "; ".join(clauses)


def story(replay: Replay, viewer: Viewer, apart: Collection[int] = ()) -> Iterator[Passage]:
    """The match as this viewer may know it, from the start.

    `apart`: turns that are not gathered with others.
    """
    waiting: Passage | None = None
    for passage in _passages(replay, viewer):
        if waiting is not None and waiting.turn not in apart and passage.turn not in apart:
            both = gathered(waiting, passage)
            if both is not None:
                waiting = both
                continue
        if waiting is not None:
            yield waiting
        waiting = passage
    if waiting is not None:
        yield waiting


def _passages(replay: Replay, viewer: Viewer) -> Iterator[Passage]:
    """A passage for each step that anything is told about."""
    teller = Teller(replay, viewer)
    return (passage for scene in replay.scenes(viewer) if (passage := teller.passage(scene)) is not None)


def gathered(one: Passage, other: Passage) -> Passage | None:
    """Both passages as one, if all that happened is that different seats did the same simple thing."""
    acts = (*one.acts, *other.acts)
    is_simple = bool(one.first and one.acts and other.first and acts[0].simple)
    if not is_simple or one.news or other.begins_round or len({act.simple for act in acts}) > 1:
        return None
    if len({act.who for act in acts}) < len(acts):
        return None
    return attrs.evolve(other, first=one.first, acts=acts, begins_round=one.begins_round, heading=one.heading)


# What is told about a scene.


class Teller:
    """Tells the scenes of a match, stored or being played, one after the other, each once."""

    def __init__(self, showing: Showing, viewer: Viewer) -> None:
        self._round_begins = showing.game.round_begins
        self._names_of_moves = {spaced(move.__name__) for move in showing.game.moves}
        self._silent_move = showing.game.silent_move
        self._bots = showing.names
        self._fields = _FieldWords(showing.names, viewer)
        self._number = self._round_number = 0

    def passage(self, scene: Scene) -> Passage | None:
        """The passage for the next scene, or None if there is nothing to tell."""
        begins_round = self.begins_round(scene)
        is_numbered = scene.turn >= 0 and not scene.is_of_chance
        self._number += is_numbered
        self._round_number += begins_round
        heading, acts, news = self.told(scene, begins_round)
        if not (begins_round or acts or news):
            return None
        of = self._number if is_numbered else 0
        return Passage(
            of, of, self._round_number, begins_round, heading, tuple(acts), tuple(news), scene.turn
        )

    def begins_round(self, scene: Scene) -> bool:
        """Whether a round begins in this scene: where the game says so, or else with each move of chance."""
        if self._round_begins is None:
            return scene.is_of_chance
        return any(event.kind == self._round_begins for event in scene.events)

    def told(self, scene: Scene, begins_round: bool) -> tuple[str, list[Act], list[str]]:
        """The heading of the round that begins, what was done, and what followed."""
        events, heading = list(scene.events), ""
        if begins_round and self._round_begins is not None:
            begins = next(event for event in events if event.kind == self._round_begins)
            events.remove(begins)
            heading = " ".join(self._event(begins))
        own = [(move, self._act(move, events)) for move in scene.moves if move.bot is not None]
        acts = [*self._acts_of_others(events), *(act for move, act in own if not self._is_silent(move))]
        news = [line for event in events for line in self._event(event)]
        if not (heading or acts or news):  # that all were silent is told, where nothing else is
            acts = [act for _, act in own]
        if not acts and news and not scene.is_of_chance and scene.turn >= 0:
            acts, news = [Act("", news[0])], news[1:]
        if scene.is_of_chance and not events and not heading:
            news = [move.sentence for move in scene.moves if move.sentence]
        return heading, acts, news

    def _is_silent(self, move: SeenMove) -> bool:
        """Whether somebody did nothing, as a person does who only looks on."""
        return self._silent_move is not None and move.kind == self._silent_move.__name__ and not move.fault

    def _act(self, move: SeenMove, events: list[SeenEvent]) -> Act:
        """A move, told together with the event that tells everyone about it, which is taken from `events`."""
        assert move.bot is not None
        fault = f"{spaced(move.fault)}: {printable(move.reason)}" if move.fault else ""
        own = self._fields.move(move) if move.sentence is None else move.sentence
        for event in events:
            public = event.sentences.get(None)
            is_same = event.reveals(move) if public is not None else _repeats(event, move)
            if public is None and is_same:
                events.remove(event)
                return Act(move.bot, own, fault)
            if public is not None and (is_same or _begins(public, own)):
                events.remove(event)
                return Act(move.bot, public, fault)
            if public is not None and _is_named_after(event, move) and public.startswith(f"{move.bot} "):
                events.remove(event)
                return Act(move.bot, f"{own} and {public.removeprefix(f'{move.bot} ')}", fault)
        return Act(move.bot, own, fault)

    def _acts_of_others(self, events: list[SeenEvent]) -> Iterator[Act]:
        """Acts for events that tell moves which the viewer would not know otherwise; taken from `events`."""
        for event in list(events):
            sentence, who = event.sentences.get(None), next(iter((event.public or {}).values()), None)
            is_move = spaced(event.kind) in self._names_of_moves and who in self._bots
            if sentence is not None and is_move:
                events.remove(event)
                yield Act(str(who), sentence)

    def _event(self, event: SeenEvent) -> Iterator[str]:
        """The lines of an event: what everyone was told, then what single seats were told."""
        if not event.sentences:
            yield from self._fields.event(event)
            return
        if None in event.sentences:
            yield event.sentences[None]
        if secrets := [sentence for who, sentence in event.sentences.items() if who is not None]:
            yield "; ".join(secrets)


def _begins(sentence: str, other: str) -> bool:
    """Whether a sentence says what the other one says, and perhaps more."""
    return sentence == other or sentence.startswith((f"{other} ", f"{other}:", f"{other},"))


def _is_named_after(event: SeenEvent, move: SeenMove) -> bool:
    who = next(iter((event.public or {}).values()), None)
    return spaced(event.kind) == spaced(move.kind) and who == move.bot


def _repeats(event: SeenEvent, move: SeenMove) -> bool:
    """Whether an event tells everyone only which move was made, under whatever name."""
    if event.echoes(move):
        return True
    told = set(map(str, (event.public or {}).values()))
    names, said = set(move.names), set(map(str, move.fields.values()))
    return event.reveals(move) and bool(names & told) and told <= {str(move.bot), *names, *said}


# In the names of fields, for games without sentences.


class _FieldWords:
    """Moves and events by the names of their kinds and fields; what seats hold is not told twice."""

    def __init__(self, bots: Sequence[str], viewer: Viewer) -> None:
        self._bots = bots
        self._sees_all = viewer.sees_all
        self._secrets: list[tuple[str, Any]] = []
        """The secrets told so far, each with the name of its owner."""

    def move(self, move: SeenMove) -> str:
        words = [spaced(move.kind)]
        words += [f"{name} {_inline(value)}" for name, value in move.fields.items() if value is not None]
        return f"{move.bot}: {' '.join(words)}"

    def event(self, event: SeenEvent) -> Iterator[str]:
        kind = spaced(event.kind)
        secrets = [
            (self._bots[who], self._secret(payload, self._bots[who]))
            for who, payload in event.private.items()
            if payload is not None
        ]
        if event.public is not None:
            said = self._payload(event.public)
            if said != "none" or not secrets:
                yield f"{kind}: {said}" if said else kind
        if secrets and self._sees_all:
            yield f"{kind}: {'; '.join(f'{bot} {said}' for bot, said in secrets)}"
        elif secrets:
            yield f"{kind}: {secrets[0][1]}" if secrets[0][1] else kind

    def _secret(self, fields: Fields, name: str) -> str:
        self._secrets += [(name, value) for value in fields.values()]
        return " ".join(map(_inline, fields.values())) if len(fields) == 1 else self._payload(fields)

    def _payload(self, fields: Fields) -> str:
        """The fields that say something new."""
        said = {field: value for field, value in fields.items() if not self._is_told(value)}
        if len(fields) == 1:
            return ", ".join(map(_inline, said.values()))
        return ", ".join(_field(field, value) for field, value in said.items())

    def _is_told(self, value: Any) -> bool:
        """Whether a value is nothing, or maps names to what they hold, all of which was told before."""
        if value is None or value is False:
            return True
        return (
            isinstance(value, list)
            and bool(value)
            and all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], list) for pair in value)
            and all((name, secret) in self._secrets for name, secret in value)
        )


def _field(name: str, value: Any) -> str:
    return spaced(name) if value is True else f"{spaced(name)} {_inline(value)}"


def _inline(value: Any) -> str:
    """A JSON value with as little punctuation as possible."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, list | dict) for item in value):
        return f"({', '.join(map(_inline, value))})"
    if isinstance(value, list):
        return " ".join(map(_inline, value)) or "none"
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_inline(item)}" for key, item in value.items())
    return msgspec.json.encode(value).decode()


def told_fields(fields: Fields) -> Iterator[str]:
    """What somebody sees, a line for each field with its name; empty fields are left out."""
    for field, value in fields.items():
        if value not in (None, False, "", [], {}):
            yield printable(_field(field, value))


# A part of a story.


@attrs.frozen
class StoryPart:
    """The part of a story that is told; all of it by default."""

    round_number: int | None = None
    first: int | None = None
    last: int | None = None

    @property
    def is_all(self) -> bool:
        return self == StoryPart()

    def of(self, passages: Iterable[Passage]) -> list[Passage]:
        """The passages of this part, preceded by how its first round began.

        Raises ConfigError if there is no such round or step.
        """
        told = list(passages)
        self._check(told)
        kept = self._between(
            [passage for passage in told if self.round_number in (None, passage.round_number)]
        )
        first = next(iter(kept), None)
        if first is None or first.begins_round:
            return kept
        openings = [passage for passage in told if passage.begins_round]
        return [*(each for each in openings if each.round_number == first.round_number), *kept]

    def _between(self, told: list[Passage]) -> list[Passage]:
        """The passages from the first step asked for to the last one, with the rounds that begin there."""
        if self.first is None and self.last is None:
            return told
        low, high = self.first or 1, max(each.last for each in told) if self.last is None else self.last
        places = [place for place, each in enumerate(told) if each.first <= high and low <= each.last]
        return told[places[0] : places[-1] + 1] if places else []

    def _check(self, told: Sequence[Passage]) -> None:
        rounds = max((passage.round_number for passage in told), default=0)
        steps = max((passage.last for passage in told), default=0)
        for setting, number, most, noun in (
            ("round", self.round_number, rounds, "round"),
            ("from", self.first, steps, "step"),
            ("to", self.last, steps, "step"),
        ):
            if number is not None and not 1 <= number <= most:
                there = f"{counted(most, noun)}, numbered from 1"
                raise ConfigError(f"this match has {there}", setting=setting, value=str(number))
        if self.first is not None and self.last is not None and self.first > self.last:
            why = f"found {self.first}, expected no step after the last one, {self.last}"
            raise ConfigError(why, setting="from")


WHOLE = StoryPart()
