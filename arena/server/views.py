"""A table as JSON, for each of those who look at it: equal information gives equal bytes.

Built from permitted pieces: the game's own observation, the options of the seat's own question, and what all
at a table know.  What is the same for an audience is encoded once for each version of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import msgspec

from arena.game import Seat
from arena.players.codec import rules_json
from arena.replay import EVERYBODY, Moment, SeenEvent, SeenMove, Viewer
from arena.server.live import LiveTable
from arena.server.live_match import LiveMatch
from arena.server.refusal import Refusal
from arena.server.table import Member, Table

SPECTATORS_NAMED = 50
"""How many spectators are named; their number is always told."""


class Views:
    """What is told of one table, kept while it does not change."""

    def __init__(self, live: LiveTable) -> None:
        self._live = live
        self._version = 0
        self._states: dict[int, msgspec.Raw] = {}

    def table(self, member: Member | None) -> bytes:
        """The table as a member, or anybody (None), may see it now."""
        return msgspec.json.encode(self.table_fields(member))

    def table_fields(self, member: Member | None) -> dict[str, Any]:
        live, table = self._live, self._live.table
        host = table.host_member
        return {
            **summary(table),
            "rules": msgspec.Raw(rules_json(live.game, max(2, len(table.seating) or len(table.players)))),
            "move_time_s": table.move_s,
            "version": live.version,
            "last_modified": live.modified_at,
            "admin_nickname": None if host is None else host.nickname,
            "players": [self._player(each) for each in table.players],
            "spectators": [each.nickname for each in table.spectators[:SPECTATORS_NAMED]],
            "spectators_count": len(table.spectators),
            "chat": [attrs.asdict(line) for line in table.chat],
            "match": None if live.match is None else self._match(live.match, member),
            "you": None if member is None else self._own(member),
        }

    def _player(self, member: Member) -> dict[str, Any]:
        live = self._live
        seating = live.match.terms.seating if live.match is not None else ()
        seat = live.seats.get(member.player_id)
        return {
            "playerID": member.player_id,
            "nickname": member.nickname,
            "way": member.way,
            "seat": seating.index(member.player_id) if member.player_id in seating else None,
            "is_ready": member.is_ready,
            "is_away": seat is not None and seat.is_away,
            "has_left": member.has_left,
        }

    def _match(self, match: LiveMatch, member: Member | None) -> dict[str, Any]:
        names, record = match.terms.names, match.record
        return {
            "match_id": match.terms.match_id,
            "number": self._live.table.matches,
            "round": len(match.rounds),
            "names": names,
            "to_act": [names[seat] for seat in match.to_act],
            "clocks": clocks(match),
            "state": self._state(match, match.viewer(None if member is None else member.player_id)),
            "ranks": None if record is None else dict(zip(names, record.ranks, strict=True)),
            "returns": None if record is None else dict(zip(names, record.returns, strict=True)),
        }

    def _state(self, match: LiveMatch, viewer: Viewer) -> msgspec.Raw:
        """The observation of a seat, or of a spectator; encoded once for each version."""
        if self._version != self._live.version:
            self._version = self._live.version
            self._states.clear()
        key = -1 if viewer.seat is None else int(viewer.seat)
        if key not in self._states:
            observed = match.game.observe(match.state, viewer.seat)
            self._states[key] = msgspec.Raw(match.showing.codec.encode(observed))
        return self._states[key]

    def state_of(self, member: Member | None) -> msgspec.Raw | None:
        """What a member, or anybody, may see of the match; None if there is none."""
        match = self._live.match
        if match is None:
            return None
        return self._state(match, match.viewer(None if member is None else member.player_id))

    def _own(self, member: Member) -> dict[str, Any]:
        """What only this member is told: whether it is asked now, and what it may do."""
        seat = self._live.seats.get(member.player_id)
        slot = None if seat is None else seat.open
        options = None
        if slot is not None and self._live.match is not None:
            options = msgspec.Raw(self._live.match.showing.codec.options(slot.question.options))
        return {
            "playerID": member.player_id,
            "nickname": member.nickname,
            "is_host": self._live.table.host == member.player_id,
            "is_spectator": member.is_spectator,
            "options": options,
        }


def summary(table: Table) -> dict[str, Any]:
    """What a list of tables says of one."""
    return {
        "id": table.id,
        "game": table.game,
        "status": table.status,
        "public": table.is_public,
        "seats": {"least": table.seats[0], "most": table.seats[1], "taken": len(table.players)},
        "nicknames": [each.nickname for each in table.players],
    }


def clocks(match: LiveMatch) -> dict[str, int | None]:
    """The milliseconds that each seat has left that is asked now; None: it has no clock."""
    left = {match.terms.names[seat]: match.remaining_s(seat) for seat in match.to_act}
    return {name: None if seconds is None else round(1000 * seconds) for name, seconds in left.items()}


def round_fields(match: LiveMatch, number: int) -> dict[str, Any]:
    """What a round's events showed everybody; once the match is over, all that happened in it.

    Raises Refusal if there is no such round.
    """
    if not 1 <= number <= len(match.rounds):
        raise Refusal("not_found", f"this match has {len(match.rounds)} rounds so far, numbered from 1")
    moments = match.round_moments(number)
    viewer = EVERYBODY if match.is_over else Viewer("spectator")
    return {
        "match_id": match.terms.match_id,
        "round": number,
        "is_over": number < len(match.rounds) or match.is_over,
        "steps": [step_fields(match, moment, viewer) for moment in moments],
    }


def step_fields(match: LiveMatch, moment: Moment, viewer: Viewer) -> dict[str, Any]:
    """A step as a viewer knows it: moves and events, each with its fields and its sentence."""
    showing = match.showing
    return {
        "turn": moment.turn,
        "moves": [move_fields(move) for move in showing.moves(moment, viewer)],
        "events": [
            told
            for event in showing.events(moment, viewer)
            for told in event_fields(event, match.terms.names)
        ],
    }


def move_fields(move: SeenMove) -> dict[str, Any]:
    """A move, by whom, and because of which fault, if any."""
    return {
        "player": move.bot,
        "kind": move.kind,
        "move": move.said,
        "sentence": move.sentence,
        "fault": move.fault or None,
    }


def event_fields(event: SeenEvent, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The payloads of an event, each with who alone was told it (`to`; None: everybody)."""
    for who, fields in event.payloads:
        yield {
            "kind": event.kind,
            "to": None if who is None else names[who],
            **_renamed(fields),
            "sentence": event.sentences.get(who),
        }


def _renamed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a payload under `fields`, where they cannot meet ours."""
    return {"fields": dict(fields)}


def seat_of(match: LiveMatch, member: Member) -> Seat | None:
    """The seat of a member in this match."""
    return match.viewer(member.player_id).seat


__all__ = ["Views", "clocks", "event_fields", "move_fields", "round_fields", "step_fields", "summary"]
