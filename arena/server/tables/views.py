"""A table as JSON, for each viewer: equal information, equal bytes.

Built from permitted pieces: the game's own observation, the options of the seat's own question, and what all
at a table know.  What is the same for all, or for all who see the match from one seat, is encoded once for
each version of the table; a poll adds clocks and what only its holder is told.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import asdict

from arena.players.codec import rules_json
from arena.refusal import Refusal
from arena.server.http.answer_types import (
    ChatShown,
    EventShown,
    MatchShown,
    MoveShown,
    PlayerShown,
    RoundShown,
    SeatsOfTable,
    SelfShown,
    StepShown,
    TableCommon,
    TableListed,
)
from arena.server.tables.absence import limit_s
from arena.server.tables.live import LiveTable
from arena.server.tables.played_match import PlayedMatch
from arena.server.tables.table import Member, Table
from arena.telling.replay import EVERYBODY, Moment, Showing, Viewer

SPECTATORS_NAMED = 50
"""How many spectators are named; their number is always told."""

_encode = msgspec.json.Encoder().encode


class Views:
    """What viewers are shown of one table, kept while it does not change."""

    def __init__(self, live: LiveTable) -> None:
        self._live = live
        self._version = 0
        self._common = b""
        self._states: dict[int, msgspec.Raw] = {}
        self._matches: dict[int, bytes] = {}

    def table(self, member: Member | None) -> bytes:
        """The table as a member, or anybody (None), may see it now: a `TableShown`."""
        self._refresh()
        if not self._common:
            self._common = _encode(self._table_common())[:-1]
        own = b"null" if member is None else _encode(self._own(member))
        match = self._encoded_match(member)
        running = _encode(self._running())
        return b'%b,"match":%b,"you":%b,%b' % (self._common, match, own, running[1:])

    def table_fields(self, member: Member | None) -> dict[str, Any]:
        """A `TableShown` as a dict; `match` and `you` are too, and what changes with time is in `match`."""
        match = self._match(member)
        return {
            **asdict(self._table_common()),
            "match": None if match is None else {**asdict(match), **self._running()},
            "you": None if member is None else asdict(self._own(member)),
        }

    def state_of(self, member: Member | None) -> msgspec.Raw | None:
        """What a member, or anybody, may see of the match; None if there is none."""
        match = self._live.match
        return None if match is None else self._state(match, viewer_at(match, member))

    def round(self, number: int, member: Member | None = None) -> RoundShown:
        """What a round's events showed everybody, or this member; once the match is over, all of it.

        Raises Refusal if there is no such round.
        """
        match, is_over = self._live.match, not self._live.table.is_playing
        if match is None:
            raise Refusal("not_found", "no match has begun here, so there are no rounds yet")
        if not 1 <= number <= len(match.rounds):
            raise Refusal("not_found", f"this match has {len(match.rounds)} rounds so far, numbered from 1")
        viewer, moments = EVERYBODY if is_over else viewer_at(match, member), match.round_moments(number)
        events = [event for moment in moments if moment.step is not None for event in moment.step.events]
        past = match.game.past_round([event.public for event in events], len(match.terms.names))
        return RoundShown(
            match_id=match.terms.match_id,
            round=number,
            is_over=number < len(match.rounds) or is_over,
            state=None if past is None else msgspec.Raw(match.showing.codec.encode(past)),
            steps=[shown_step(match.showing, moment, viewer) for moment in moments],
        )

    # Pieces

    def _refresh(self) -> None:
        """Forgets what was encoded for an older version."""
        if self._version != self._live.version:
            self._version = self._live.version
            self._common = b""
            self._states.clear()
            self._matches.clear()

    def _table_common(self) -> TableCommon:
        live, table = self._live, self._live.table
        host = table.host_member
        return TableCommon(
            **asdict(listed_table(table)),
            rules=msgspec.Raw(rules_json(live.game, max(2, len(table.seating) or len(table.players)))),
            move_time_s=self._limit_s(),
            is_asleep=table.is_asleep,
            version=live.version,
            last_modified=live.modified_at,
            admin_nickname=None if host is None else host.nickname,
            players=[self._player(each) for each in table.players],
            spectators=[each.nickname for each in table.spectators[:SPECTATORS_NAMED]],
            spectators_count=len(table.spectators),
            chat=[
                ChatShown(line.number, line.nickname, line.player_id, line.message, line.timestamp)
                for line in table.chat
            ],
        )

    def _limit_s(self) -> float | None:
        """The limit of a move in the match that is played, or in one that would begin now."""
        match, table = self._live.match, self._live.table
        return match.terms.move_s if match is not None and table.is_playing else limit_s(table)

    def _player(self, member: Member) -> PlayerShown:
        live = self._live
        seating = live.match.terms.seating if live.match is not None else ()
        seat = live.seats.get(member.player_id)
        return PlayerShown(
            playerID=member.player_id,
            nickname=member.nickname,
            way=member.way,
            seat=seating.index(member.player_id) if member.player_id in seating else None,
            is_ready=member.is_ready,
            is_away=seat is not None and seat.is_away,
            is_out=live.is_out(member),
            has_left=member.has_left,
        )

    def _encoded_match(self, member: Member | None) -> bytes:
        match = self._live.match
        if match is None:
            return b"null"
        key = _place(viewer_at(match, member))
        if key not in self._matches:
            self._matches[key] = _encode(self._match(member))
        return self._matches[key]

    def _match(self, member: Member | None) -> MatchShown | None:
        match, table = self._live.match, self._live.table
        if match is None:
            return None
        names = match.terms.names
        record = None if table.is_playing else match.record
        return MatchShown(
            match_id=match.terms.match_id,
            number=table.matches,
            round=len(match.rounds),
            turn=match.turn,
            names=names,
            to_act=[names[seat] for seat in match.to_act],
            to_move=[names[seat] for seat in match.to_move],
            state=self._state(match, viewer_at(match, member)),
            ranks=None if record is None else dict(zip(names, record.ranks, strict=True)),
            returns=None if record is None else dict(zip(names, record.returns, strict=True)),
        )

    def _state(self, match: PlayedMatch, viewer: Viewer) -> msgspec.Raw:
        """The observation of a seat, or of a spectator."""
        self._refresh()
        key = _place(viewer)
        if key not in self._states:
            observed = match.game.observe(match.state, viewer.seat)
            self._states[key] = msgspec.Raw(match.showing.codec.encode(observed))
        return self._states[key]

    def _own(self, member: Member) -> SelfShown:
        """What only this member is told: whether it is asked now, and what it may do."""
        seat = self._live.seats.get(member.player_id)
        options = silence_s = None
        if seat is not None and seat.open is not None and self._live.match is not None:
            options = msgspec.Raw(self._live.match.showing.codec.options(seat.options))
            silence_s = seat.silence_s
        return SelfShown(
            playerID=member.player_id,
            nickname=member.nickname,
            is_host=self._live.table.host == member.player_id,
            is_spectator=self._live.only_watches(member),
            options=options,
            silence_s=silence_s,
        )

    def _running(self) -> dict[str, Any]:
        """What changes with time: the milliseconds that each seat has left that is asked now (None: it has no
        clock), and after how many seconds the moves that wait for people to read are put."""
        match = self._live.match
        if match is None:
            return {"clocks": {}, "resumes_in": None}
        left = {match.terms.names[seat]: match.remaining_s(seat) for seat in match.to_act}
        clocks = {name: None if seconds is None else round(1000 * seconds) for name, seconds in left.items()}
        wait_s = match.resumes_in_s
        return {"clocks": clocks, "resumes_in": None if wait_s is None else round(wait_s, 3)}


def viewer_at(match: PlayedMatch, member: Member | None) -> Viewer:
    """How a member, or anybody (None), sees a match: from its seat, or as a spectator."""
    return match.viewer(None if member is None else member.player_id)


def _place(viewer: Viewer) -> int:
    return -1 if viewer.seat is None else int(viewer.seat)


def listed_table(table: Table) -> TableListed:
    """A table as a list of tables shows it."""
    least, most = table.seats
    return TableListed(
        id=table.id,
        game=table.game,
        status=table.status,
        public=table.is_public,
        seats=SeatsOfTable(least, most, len(table.players)),
        nicknames=[each.nickname for each in table.players],
    )


# Steps of a match.


def shown_step(showing: Showing, moment: Moment, viewer: Viewer) -> StepShown:
    """A step as a viewer knows it: moves and events, each with its fields and its sentence."""
    moves = [
        MoveShown(move.bot, move.kind, move.said, move.sentence, move.fault or None)
        for move in showing.moves(moment, viewer)
    ]
    events = [
        EventShown(
            event.kind, None if who is None else showing.names[who], dict(fields), event.sentences.get(who)
        )
        for event in showing.events(moment, viewer)
        for who, fields in event.payloads
    ]
    return StepShown(moment.turn, moves, events)
