"""A stored match as scenes: step by step what was said, and what the table and each seat showed to whom.

Nothing here knows a game.  What everybody could see is the spectator's observation; what is in the
observation of a seat beyond that is the seat's own secret.  What nobody observed (the order of a deck) is
told in the words of chance's moves, to those who may see everything.

A scene is plain JSON, kept small.  A step is `[turn, seats to move, lines, changes]`.  A line is
`[mask, seat, text, fault]`: bit i of the mask is set if seat i was told, bit n (of n seats) if a spectator
was; who may see all is told every line.  Changes are triples `slot, label, value`: slot −1 is the table,
0 to n−1 what a seat openly shows, n to 2n−1 what it alone knows; the label is a number into the match's
labels; a value is a text, a list of chips, or null if it is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from arena.game import Seat
from arena.replay import EVERYBODY, SPECTATOR, Moment, Replay, SeenEvent, SeenMove, Viewer
from arena.report.phrases import TEXT_MAX, Phrase, fields_said, inline, scalar
from arena.words import clipped, number, spaced

STEPS_MAX = 60
"""Steps of one match that the report shows; of a longer one, the rounds in which most changed hands."""
LAST_MAX = 20
"""Steps that the last round may have to be shown whatever it moved."""
CHIPS_MAX = 60

Path = tuple[str, ...]
Face = dict[tuple[int, str], Phrase]
"""What an observation shows: by place (−1: the table, else a seat) and label."""


@attrs.frozen
class Listing:
    """A field of observations that always lists something of each of several seats."""

    key: str
    """The key of the seat in each item; empty for a list of pairs `[seat, value]`."""
    is_whole: bool
    """Whether it always lists all seats."""


Listings = Mapping[Path, Listing]


@attrs.frozen
class Sight:
    """A moment of a match, and all that was seen of it."""

    moment: Moment
    spectator: Any
    """The spectator's observation, as JSON."""
    seats: tuple[Any, ...]
    """Each seat's observation, as JSON."""


def scene_of(replay: Replay, why: str) -> dict[str, Any]:
    """The match as the viewer shows it; `why` says why it was chosen."""
    match, bots = replay.match, replay.match.bots
    moments = [moment for moment in replay.moments() if moment.step is not None]
    kept = window_of(replay, moments)
    sights = [_sight(replay, moments[place]) for place in kept]
    seated = listings([view for sight in sights for view in (sight.spectator, *sight.seats)], bots)
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
        "note": "" if len(kept) == len(moments) else _note(len(kept), len(moments)),
        "steps": list(_compact(replay, sights, seated, labels)),
        "labels": list(labels),
    }


def _note(kept: int, steps: int) -> str:
    return (
        f"{kept} of its {steps:,} steps are shown: the rounds in which most changed hands, and the last one."
    )


# Which steps are shown of a long match.


def window_of(replay: Replay, moments: Sequence[Moment]) -> list[int]:
    """The places of the steps to show: all of a short match, else whole rounds, those that moved most first.

    A round begins with a move of chance; what it moved is how far any number that a seat openly shows went.
    """
    if len(moments) <= STEPS_MAX:
        return list(range(len(moments)))
    rounds = _rounds(moments)
    views = [replay.observation(moment, SPECTATOR) for moment in moments]
    seated = listings(views, replay.match.bots)
    numbers = [_numbers(view, replay.match.bots, seated) for view in views]
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


def _rounds(moments: Sequence[Moment]) -> list[tuple[int, ...]]:
    rounds: list[list[int]] = [[]]
    for place, moment in enumerate(moments):
        if moment.is_of_chance:
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


def _sight(replay: Replay, moment: Moment) -> Sight:
    viewers = [Viewer(bot, Seat(seat)) for seat, bot in enumerate(replay.match.bots)]
    seats = tuple(replay.observation(moment, viewer) for viewer in viewers)
    return Sight(moment, replay.observation(moment, SPECTATOR), seats)


def _branches(view: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The fields of an observation that are not objects, at any depth, by path."""
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


def _chips(label: str, values: Sequence[Any]) -> tuple[str, Phrase]:
    """A list as chips; if it holds objects that are alike, their keys go into the label."""
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


def _lines(replay: Replay, moment: Moment) -> Iterator[list[Any]]:
    everyone = (2 << len(replay.match.bots)) - 1
    events = list(replay.events(moment, EVERYBODY))
    for move in replay.moves(moment, EVERYBODY):
        name = f"{spaced(move.kind)} {fields_said(move.fields)}".strip()
        if move.bot is None:
            yield [0, -1, f"chance: {name}", ""]
            continue
        who, fault = int(move.seat), _fault(move)
        if (event := next((each for each in events if each.reveals(move)), None)) is not None:
            events.remove(event)
            rest = dict(list((event.public or {}).items())[1:])
            yield [_mask(event, everyone), who, f"{spaced(event.kind)} {fields_said(rest)}".strip(), fault]
            continue
        yield [1 << who, who, name, fault]
    for event in events:
        yield from _event(event, everyone)


def _fault(move: SeenMove) -> str:
    return clipped(f"{spaced(move.fault)}: {move.reason}", TEXT_MAX) if move.fault else ""


def _event(event: SeenEvent, everyone: int) -> Iterator[list[Any]]:
    kind = spaced(event.kind)
    for who, payload in event.payloads:
        said = fields_said(payload)
        if who is None and event.private and not any(payload.values()):
            yield [_mask(event, everyone), -1, kind, ""]  # only that it happened: not `dealt: none`
        elif who is None:
            yield [_mask(event, everyone), -1, f"{kind}: {said}" if said else kind, ""]
        else:
            yield [1 << who, int(who), f"{kind} {said}", ""]


def _mask(event: SeenEvent, everyone: int) -> int:
    """Who is told the public part: all that are told nothing else."""
    return everyone & ~sum(1 << who for who in event.private)


# Both, in few bytes.


def _compact(
    replay: Replay, sights: Sequence[Sight], seated: Listings, labels: dict[str, int]
) -> Iterator[list[Any]]:
    bots, before = replay.match.bots, Face()
    for sight in sights:
        shown, moment = _everything(sight, bots, seated), sight.moment
        to_move = list(map(int, replay.asked(moment)))
        yield [moment.turn, to_move, list(_lines(replay, moment)), list(_changes(before, shown, labels))]
        before = shown


def _everything(sight: Sight, bots: Sequence[str], seated: Listings) -> Face:
    """What all could see, and from slot n on what each seat alone knew."""
    shown = _face(sight.spectator, bots, seated)
    secrets: Face = {}
    for seat, view in enumerate(sight.seats):
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


def _packed(value: Phrase) -> Any:
    """A text as it is; chips as one text between spaces, or one by one and a 0 behind if they hold spaces."""
    if isinstance(value, str):
        return value
    return [*value, 0] if any(" " in chip or not chip for chip in value) else [" ".join(value)]
