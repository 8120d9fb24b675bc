"""A stored match as scenes: step by step what was said, and what the table and each seat showed to whom.

Nothing here knows a game.  What everybody could see is the spectator's observation; what is in the
observation of a seat beyond that is the seat's own secret.  What nobody observed (the order of a deck) is
told in the words of chance's moves, to those who may see everything.

A scene is plain JSON, kept small.  A step is `[turn, seats to move, lines, changes]`.  A line is
`[mask, seat, text, fault]`: bit i of the mask is set if seat i was told, bit n (of n seats) if a spectator
was; who sees everything is told every line.  Changes are triples `slot, label, value`: slot −1 is the table,
0 to n−1 what a seat openly shows, n to 2n−1 what it alone knows; the label is a number into the match's
labels; a value is a text, a list of chips, or null where it is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from arena.game import CHANCE, Event, Seat, Step
from arena.record import Turn
from arena.report.phrases import TEXT_MAX, Said, fields_said, inline, number, scalar
from arena.show.match import Telling
from arena.words import clipped, spaced

STEPS_MAX = 60
"""Steps of one match that the report shows: of a longer one the rounds in which most changed hands."""
LAST_MAX = 20
"""Steps that the last round may have to be shown whatever it moved."""
CHIPS_MAX = 60

Path = tuple[str, ...]
Face = dict[tuple[int, str], Said]
"""What an observation shows: by place (−1: the table, else a seat) and label."""


@attrs.frozen
class Listing:
    """A field of observations that always lists something of each of several seats."""

    key: str
    """Under which the seat stands in each item; empty for a list of pairs `[seat, value]`."""
    is_whole: bool
    """It always lists all seats."""


Listings = Mapping[Path, Listing]


@attrs.frozen
class Moment:
    """One step of a match with all that was seen of it."""

    turn: int
    """−1: before the first move."""
    moves: Turn
    step: Step[Any]
    spectator: Any
    """The spectator's observation, as JSON."""
    seats: tuple[Any, ...]
    """Each seat's observation, as JSON."""


def scene_of(told: Telling, why: str) -> dict[str, Any]:
    """The match as the viewer shows it; `why` says for what it was chosen."""
    match, bots = told.match, told.match.bots
    steps = [(turn, moves, step) for turn, (moves, step) in enumerate(told.steps(), -1) if step is not None]
    kept = window_of(told, steps)
    moments = [_moment(told, *steps[place]) for place in kept]
    seated = listings([view for moment in moments for view in (moment.spectator, *moment.seats)], bots)
    labels: dict[str, int] = {}
    return {
        "id": match.match_id,
        "bots": list(bots),
        "ranks": [seat.rank for seat in match.seats],
        "returns": [
            number(seat.returns, 0 if float(seat.returns).is_integer() else 2, "+") for seat in match.seats
        ],
        "series": match.series_id,
        "why": why,
        "note": "" if len(kept) == len(steps) else _note(len(kept), len(steps)),
        "steps": list(_compact(told, moments, seated, labels)),
        "labels": list(labels),
    }


def _note(kept: int, steps: int) -> str:
    return (
        f"{kept} of its {steps:,} steps are shown: the rounds in which most changed hands, and the last one."
    )


# Which steps are shown of a long match.


def window_of(told: Telling, steps: Sequence[tuple[int, Turn, Step[Any]]]) -> list[int]:
    """The places of the steps to show: all of a short match, else whole rounds, those that moved most first.

    A round begins with a move of chance; what it moved is how far any number that a seat openly shows went.
    """
    if len(steps) <= STEPS_MAX:
        return list(range(len(steps)))
    rounds = _rounds(steps)
    views = [_spectator(told, step) for _, _, step in steps]
    seated = listings(views, told.match.bots)
    numbers = [_numbers(view, told.match.bots, seated) for view in views]
    moved = {places: _moved([numbers[place] for place in places]) for places in rounds}
    kept: set[int] = set()
    ordered = sorted(rounds, key=lambda each: (-moved[each], each[0]))
    if len(rounds[-1]) <= LAST_MAX:  # how it ended, if that is soon told
        ordered = [rounds[-1], *(each for each in ordered if each != rounds[-1])]
    for places in ordered:
        room = STEPS_MAX - len(kept)
        if kept and len(places) > room:
            break
        kept |= set(places[-room:])
    return sorted(kept)


def _rounds(steps: Sequence[tuple[int, Turn, Step[Any]]]) -> list[tuple[int, ...]]:
    rounds: list[list[int]] = [[]]
    for place, (_, moves, _) in enumerate(steps):
        if CHANCE in moves:
            rounds.append([])
        rounds[-1].append(place)
    return [tuple(places) for places in rounds if places]


def _numbers(view: Any, bots: Sequence[str], seated: Listings) -> dict[tuple[int, str], float]:
    shown: dict[tuple[int, str], float] = {}
    for path, value in _branches(view):
        if path in seated:
            for seat, name, item in _by_seat(path, value, bots, seated[path]):
                if isinstance(item, int | float) and not isinstance(item, bool):
                    shown[seat, name] = item
    return shown


def _moved(numbers: Sequence[Mapping[tuple[int, str], float]]) -> float:
    keys = {key for shown in numbers for key in shown}
    spans = [[shown[key] for shown in numbers if key in shown] for key in keys]
    return max((max(span) - min(span) for span in spans), default=0.0)


# What was seen.


def _spectator(told: Telling, step: Step[Any]) -> Any:
    return msgspec.json.decode(told.codec.encode(told.game.observe(step.state, None)))


def _moment(told: Telling, turn: int, moves: Turn, step: Step[Any]) -> Moment:
    codec, game = told.codec, told.game
    seats = [
        msgspec.json.decode(codec.encode(game.observe(step.state, Seat(seat))))
        for seat in range(len(told.match.bots))
    ]
    return Moment(turn, moves, step, _spectator(told, step), tuple(seats))


def _branches(view: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The fields of an observation down to what is no object, by path."""
    for name, value in view.items():
        if isinstance(value, dict):
            yield from _branches(value, (*path, name))
        else:
            yield (*path, name), value


def listings(views: Sequence[Any], bots: Sequence[str]) -> Listings:
    """The fields that list seats in all of these observations of one match."""
    found: dict[Path, Listing | None] = {}
    for view in views:
        for path, value in _branches(view):
            if isinstance(value, list) and value:
                key, is_whole = _seat_key(value, bots), len(value) == len(bots)
                known = found.get(path, None if key is None else Listing(key, is_whole))
                is_same = known is not None and known.key == key
                found[path] = Listing(known.key, known.is_whole and is_whole) if known and is_same else None
    return {path: listing for path, listing in found.items() if listing is not None}


def _seat_key(items: Sequence[Any], bots: Sequence[str]) -> str | None:
    if all(isinstance(item, list) and len(item) == 2 for item in items):
        return "" if _are_seats([item[0] for item in items], bots) else None
    if not all(isinstance(item, dict) for item in items):
        return None
    keys = (key for key in items[0] if _are_seats([item.get(key) for item in items], bots))
    return next(keys, None)


def _are_seats(names: Sequence[Any], bots: Sequence[str]) -> bool:
    return all(isinstance(name, str) and name in bots for name in names) and len(set(names)) == len(names)


def _by_seat(path: Path, items: Any, bots: Sequence[str], listing: Listing) -> Iterator[tuple[int, str, Any]]:
    """(seat, label, value) of everything in such a list."""
    for item in items or ():
        if listing.key == "":
            yield bots.index(item[0]), _label(path), item[1]
            continue
        seat = bots.index(item[listing.key])
        for name, value in item.items():
            if value != item[listing.key]:
                speaks = listing.is_whole or name in path[-1]  # `hands: hand` needs no more words
                yield seat, _label((*path[:-1], name) if speaks else (*path, name)), value


def _face(view: Any, bots: Sequence[str], seated: Listings) -> Face:
    """An observation as labelled values at places."""
    face: Face = {}
    for path, value in _branches(view):
        if path in seated:
            for seat, name, item in _by_seat(path, value, bots, seated[path]):
                _put(face, seat, name, item)
        else:
            _put(face, -1, _label(path), value)
    return face


def _put(face: Face, place: int, label: str, value: Any) -> None:
    if value is None or value == []:
        return
    if isinstance(value, list):
        label, said = _chips(label, value)
        face[place, label] = said
    else:
        face[place, label] = clipped(inline(value), TEXT_MAX)


def _chips(label: str, values: Sequence[Any]) -> tuple[str, Said]:
    """A list as chips; of objects that are alike the keys go into the label."""
    if all(isinstance(value, dict) for value in values):
        keys = list(values[0])
        if all(list(value) == keys and all(map(_is_scalar, value.values())) for value in values):
            chips = tuple("/".join(map(scalar, value.values())) for value in values)
            return f"{label} ({'/'.join(map(spaced, keys))})", chips[-CHIPS_MAX:]
    if all(map(_is_scalar, values)):
        return label, tuple(map(scalar, values))[-CHIPS_MAX:]
    return label, clipped(inline(values), TEXT_MAX)


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _label(path: Path) -> str:
    return " ".join(map(spaced, path))


# What was said.


def _lines(told: Telling, moment: Moment) -> Iterator[list[Any]]:
    everyone = (2 << len(told.match.bots)) - 1
    events = list(moment.step.events)
    for who, move in moment.moves.items():
        fields, name = _json(told, move), spaced(type(move).__name__)
        if who == CHANCE:
            yield [0, -1, f"chance: {name} {fields_said(fields)}".strip(), ""]
            continue
        decision = told.faults(moment.turn, who)
        fault = clipped(f"{spaced(str(decision.fault))}: {decision.reason}", TEXT_MAX) if decision else ""
        if (event := _told_by(told, events, who, move)) is not None:
            events.remove(event)
            rest = dict(list(_json(told, event.public).items())[1:])
            yield [
                _mask(event, everyone),
                int(who),
                f"{spaced(event.kind)} {fields_said(rest)}".strip(),
                fault,
            ]
            continue
        yield [1 << who, int(who), f"{name} {fields_said(fields)}".strip(), fault]
    for event in events:
        yield from _event(told, event, everyone)


def _event(told: Telling, event: Event, everyone: int) -> Iterator[list[Any]]:
    kind = spaced(event.kind)
    if event.public is not None:
        said = fields_said(_json(told, event.public))
        yield [_mask(event, everyone), -1, f"{kind}: {said}" if said else kind, ""]
    for who, payload in event.private.items():
        if payload is not None:
            yield [1 << who, int(who), f"{kind} {fields_said(_json(told, payload))}", ""]


def _mask(event: Event, everyone: int) -> int:
    """Who is told the public part: all that are told nothing else."""
    return everyone & ~sum(1 << who for who in event.private)


def _told_by(told: Telling, events: Sequence[Event], who: Seat, move: Any) -> Event | None:
    """The event that tells the whole move to everybody: its first field is who moved, and the move is in it.

    Of a move without fields it must bear the name, or a bystander's pass would vanish in its elimination.
    """
    bot, name, leaves = told.match.bots[who], spaced(type(move).__name__), set(_leaves(_json(told, move)))
    for event in events:
        fields = {} if event.public is None else _json(told, event.public)
        says_it = spaced(event.kind) == name or bool(leaves - {None})
        if says_it and next(iter(fields.values()), None) == bot and leaves - {None} <= set(_leaves(fields)):
            return event
    return None


def _json(told: Telling, value: Any) -> dict[str, Any]:
    fields = {field.name: getattr(value, field.name) for field in attrs.fields(type(value))}
    decoded: dict[str, Any] = msgspec.json.decode(told.codec.encode(fields))
    return decoded


def _leaves(value: Any) -> Iterator[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from _leaves(part)


# Both, in few bytes.


def _compact(
    told: Telling, moments: Sequence[Moment], seated: Listings, labels: dict[str, int]
) -> Iterator[list[Any]]:
    bots, before = told.match.bots, Face()
    for moment in moments:
        shown = _everything(moment, bots, seated)
        to_move = [int(who) for who in told.game.to_act(moment.step.state) if who != CHANCE]
        yield [moment.turn, to_move, list(_lines(told, moment)), list(_changes(before, shown, labels))]
        before = shown


def _everything(moment: Moment, bots: Sequence[str], seated: Listings) -> Face:
    """What all could see, and from slot n on what each seat alone knew."""
    shown = _face(moment.spectator, bots, seated)
    secrets: Face = {}
    for seat, view in enumerate(moment.seats):
        for (place, label), value in _face(view, bots, seated).items():
            if shown.get((place, label)) != value and value != bots[seat]:
                named = label if place in (-1, seat) else f"{bots[place]}: {label}"
                secrets[len(bots) + seat, named] = value
    return shown | secrets


def _changes(before: Face, shown: Face, labels: dict[str, int]) -> Iterator[Any]:
    for (slot, label), value in shown.items():
        if before.get((slot, label)) != value:
            yield from (slot, labels.setdefault(label, len(labels)), _packed(value))
    for slot, label in sorted(before.keys() - shown.keys()):
        yield from (slot, labels[label], None)


def _packed(value: Said) -> Any:
    """A text as it is; chips as one text between spaces, or one by one and a 0 behind if they hold spaces."""
    if isinstance(value, str):
        return value
    return [*value, 0] if any(" " in chip or not chip for chip in value) else [" ".join(value)]
