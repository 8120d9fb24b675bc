"""Packets, both ways: from a text frame to what a client asks, and from what happens to frames.

The chamber document's packets, for every game: a packet is one JSON object with its name under `packet` and
its fields beside it.  A move is the packet of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.match.game import Bare, Event, Form, Game, Items, Literal, Tagged
from arena.server.tables.played_match import PlayedMatch
from arena.telling.replay import EVERYBODY, Moment, SeenEvent, SeenMove, Viewer
from arena.words import first_place

NAME_MAX = 64
"""Characters of a packet's name."""
MOVE = "Move"
"""The packet of any move, as bots write it over TCP, under `move`."""

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def packet(name: str, /, **fields: Any) -> str:
    """One text frame."""
    return msgspec.json.encode({"packet": name, **fields}).decode()


def read_packet(text: str) -> tuple[str, dict[str, Any]] | None:
    """The name and the fields of a client's frame; None if it is not a packet."""
    try:
        fields = _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    name = fields.pop("packet", None)
    return (name, fields) if isinstance(name, str) and len(name) <= NAME_MAX else None


def move_in(game: Game[Any, Any], name: str, fields: Mapping[str, Any]) -> Any | None:
    """A packet's move, as bots write it over TCP; None if its name is not that of a move."""
    if name == MOVE:
        return fields.get("move")
    form = _forms(game).get(name)
    return None if form is None else _written(form, fields)


def move_packets(game: Game[Any, Any]) -> tuple[str, ...]:
    """The names of the packets of a game's moves."""
    return tuple(_forms(game))


def _forms(game: Game[Any, Any]) -> dict[str, Form]:
    """The forms of the moves that a client may send, by the names of their packets.

    A move whose form names a packet itself has that name; another one is named after its kind.
    """
    forms = {move.__name__: move.form for move in type(game).moves if hasattr(move, "form")}
    return {_packet_of(form) or name: form for name, form in forms.items()}


def _packet_of(form: Form) -> str:
    """The packet that a form names itself."""
    return str(form.tags.get("packet", "")) if isinstance(form, Tagged) else ""


def _written(form: Form, fields: Mapping[str, Any]) -> Any:
    match form:
        case Literal(value):
            return value
        case Items(names):
            return [fields.get(each) for each in names]
        case Bare(name):
            return fields.get(name)
        case Tagged(tags, _):
            return {**fields, **tags}


# What happens.


def step_packets(match: PlayedMatch, moment: Moment, viewer: Viewer) -> Iterator[str]:
    """What a viewer is told of a step: the acts that everybody may know, then the other events.

    An act is the packet of its move with the `player` who made it, and what its own event adds.  Whose turn
    begins is told elsewhere.
    """
    showing = match.showing
    events = list(showing.events(moment, viewer))
    moves = () if moment.is_of_chance else showing.moves(moment, EVERYBODY)
    for move in moves:
        own = next((event for event in events if event.reveals(move)), None)
        if own is not None:  # else nobody but its maker knows it, who has sent it
            events.remove(own)
            yield _act_packet(match.game, move, own)
    for event in events:
        if event.kind != match.game.turn_begins:
            for who, fields in event.payloads:
                yield packet(packet_name(event.kind), **{**fields, "sentence": event.sentences.get(who)})


def _act_packet(game: Game[Any, Any], move: SeenMove, own: SeenEvent) -> str:
    form = next((kind.form for kind in type(game).moves if kind.__name__ == move.kind), None)
    renamed = form.keys if isinstance(form, Tagged) else {}
    _who, *added = (own.public or {}).items()
    said = dict(move.said if isinstance(move.said, Mapping) else move.fields)
    name = said.pop("packet", move.kind)
    fields = {key: value for key, value in added if key not in renamed} | said
    sentence = own.sentences.get(None) or move.sentence
    return packet(name, **{**fields, "player": move.bot, "sentence": sentence})


def turn_begun(match: PlayedMatch, moment: Moment) -> str | None:
    """The player whose turn begins or goes on with this step, if the game itself says so."""
    events: tuple[Event, ...] = moment.step.events if moment.step is not None else ()
    for event in match.showing.events(moment, EVERYBODY) if events else ():
        if event.kind == match.game.turn_begins and event.public:
            return str(next(iter(event.public.values())))
    return None


def packet_name(kind: str) -> str:
    """The packet of an event: `use_chamber_check_result` is told by `UseChamberCheckResult`."""
    return "".join(word.capitalize() for word in kind.split("_"))


def winners_told(match: PlayedMatch) -> str:
    """How the match ended, in a sentence."""
    assert match.record is not None, "it is over"
    first = [name for name, rank in zip(match.terms.names, match.record.ranks, strict=True) if rank == 1]
    return first_place(first, "wins")
