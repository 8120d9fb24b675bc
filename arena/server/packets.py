"""Packets, both ways: from a text frame to what a client asks, and from what happens to frames.

The chamber document's packets, for every game: a packet is one JSON object with its name under `packet` and
its fields beside it.  A move is the packet of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.game import Bare, Game, Items, Literal, Tagged
from arena.replay import Moment, SeenEvent, Viewer
from arena.server.live_match import LiveMatch

TURN_START = "TurnStart"

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def packet(name: str, **fields: Any) -> str:
    """One text frame."""
    return msgspec.json.encode({"packet": name, **fields}).decode()


def read_packet(text: str) -> tuple[str, dict[str, Any]] | None:
    """The name and the fields of a client's frame; None if it is not a packet."""
    try:
        fields = _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    name = fields.get("packet")
    return (name, fields) if isinstance(name, str) and len(name) <= 64 else None


def move_in(game: Game[Any, Any], name: str, fields: Mapping[str, Any]) -> Any | None:
    """The move, as bots write it over TCP, that a packet is; None if its name is not that of a move.

    A move that is an object with its own `packet` is written as it is; of another one the packet has the
    name of its kind, and its fields.  `Move` has it as bots write it, under `move`.
    """
    if name == "Move" and "move" in fields:
        return fields["move"]
    for move in type(game).moves:
        form = getattr(move, "form", None)
        if isinstance(form, Tagged) and form.tags.get("packet") == name:
            return dict(fields)
        if form is not None and move.__name__ == name:
            return _written(form, fields)
    return None


def _written(form: Any, fields: Mapping[str, Any]) -> Any:
    match form:
        case Literal(value):
            return value
        case Items(names):
            return [fields.get(each) for each in names]
        case Bare(name):
            return fields.get(name)
        case Tagged(tags, _):
            return {**tags, **{key: value for key, value in fields.items() if key != "packet"}}
    raise TypeError(f"{form} is not a form")


# What happens.


def step_packets(match: LiveMatch, moment: Moment, viewer: Viewer) -> Iterator[str]:
    """What a viewer is told of a step: the acts that everybody may know, then the other events.

    An act is the packet of its move with the `player` who made it, and what its own event adds.
    """
    everything = Viewer(None)
    showing = match.showing
    events = list(showing.events(moment, viewer))
    moves = () if moment.is_of_chance else showing.moves(moment, everything)
    for move in moves:
        own = next((event for event in events if event.reveals(move)), None)
        if own is None:
            continue  # nobody but its maker knows it, and its maker has sent it
        events.remove(own)
        fields = move.said if isinstance(move.said, Mapping) else move.fields
        name = fields.get("packet", move.kind)
        told = {key: value for key, value in (own.public or {}).items() if key not in ("player", "target")}
        yield packet(
            name,
            **{**told, **{key: value for key, value in fields.items() if key != "packet"}},
            player=move.bot,
            sentence=own.sentences.get(None) or move.sentence,
        )
    for event in events:
        name = packet_name(event.kind)
        if name != TURN_START:
            yield from _event_packets(name, event)


def _event_packets(name: str, event: SeenEvent) -> Iterator[str]:
    for who, fields in event.payloads:
        yield packet(name, **{**fields, "sentence": event.sentences.get(who)})


def begins_turn(moment: Moment) -> bool:
    """Whether the game itself says that a turn begins with this step."""
    return moment.step is not None and any(
        packet_name(event.kind) == TURN_START for event in moment.step.events
    )


def packet_name(kind: str) -> str:
    """The packet of an event: `use_chamber_check_result` is told by `UseChamberCheckResult`."""
    return "".join(word.capitalize() for word in kind.split("_"))


def winners_told(match: LiveMatch) -> str:
    """How the match ended, in a sentence."""
    assert match.record is not None, "it is over"
    first = [name for name, rank in zip(match.terms.names, match.record.ranks, strict=True) if rank == 1]
    return f"{' and '.join(first)} {'wins' if len(first) == 1 else 'share the first place'}"


__all__ = ["begins_turn", "move_in", "packet", "packet_name", "read_packet", "step_packets", "winners_told"]
