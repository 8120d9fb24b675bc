"""The clients of packets at one table: what each of them asks, and what all of them are told.

What is the same for an audience is encoded once.  A seat hears everything in order; spectators that do not
keep up with a quick match hear the newest state only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import attrs
import msgspec
import trio

from arena.replay import Moment, Viewer
from arena.server import packets
from arena.server.game_data import chat_object, game_data, player_object
from arena.server.live import LiveTable
from arena.server.live_match import LiveMatch, LiveScene
from arena.server.packets import packet
from arena.server.refusal import Refusal
from arena.server.table import (
    Alerted,
    Began,
    Came,
    Closed,
    Ended,
    HostSet,
    Member,
    Notice,
    Resumed,
    Spoke,
)
from arena.server.views import Views

BEHIND = 64
"""A spectator with so many frames still to read is told the newest state only."""
AWAY_S = 30.0
"""Whoever closes its page and does not come back for so long leaves the table, unless a match is played."""


class Wire(Protocol):
    """Where frames go: a `SocketOwner`, or a list in a test."""

    @property
    def waiting(self) -> int: ...

    def put(self, frame: str) -> None: ...

    def put_latest(self, key: str, make: Callable[[], str]) -> None: ...

    def close(self, reason: str) -> None: ...


@attrs.define(eq=False)
class PacketClient:
    """One connection."""

    wire: Wire
    player_id: str | None = None
    """Who it is at the table, once it has joined."""
    held: list[str] | None = None
    """Frames that wait until it has been told who it is."""

    def put(self, frame: str) -> None:
        if self.held is None:
            self.wire.put(frame)
        else:
            self.held.append(frame)


class PacketRoom:
    """All clients of one table."""

    def __init__(self, live: LiveTable, views: Views, nursery: trio.Nursery) -> None:
        self.live = live
        self._views = views
        self._nursery = nursery
        self._clients: list[PacketClient] = []
        self._turn: str | None = None
        """Whose TurnStart was told last."""
        self._is_new_turn = False
        """Whether the game has said since that a turn begins."""
        self._public_sync = ""
        self._synced = 0
        """Its version."""
        live.attach(self._hear)

    # Coming and going

    def enter(self, client: PacketClient) -> None:
        self._clients.append(client)

    def exit(self, client: PacketClient) -> None:
        """Its connection is closed; it may come back with its key."""
        self._clients.remove(client)
        if client.player_id is not None and not self.live.table.is_closed:
            self._nursery.start_soon(self._miss, client.player_id)

    async def _miss(self, player_id: str) -> None:
        while not any(client.player_id == player_id for client in self._clients):
            await trio.sleep(AWAY_S)
            member = self._member(player_id)
            if member is None or any(client.player_id == player_id for client in self._clients):
                return
            if not self.live.table.is_playing or member.is_spectator:
                self.live.leave(member)
                return

    # What clients ask

    def receive(self, client: PacketClient, text: str) -> None:
        """One frame of a client.  What it may not ask is ignored; what fails is answered with the reason."""
        found = packets.read_packet(text)
        if found is None:
            client.put(
                packet("ShowAlert", message='a packet is a JSON object such as {"packet": "JoinGame"}')
            )
            return
        name, fields = found
        member = None if client.player_id is None else self._member(client.player_id)
        try:
            if name == "JoinGame":
                self._join(client, member, fields)
            elif name == "GameDataRequest":
                client.put(self._sync(client.player_id))
            elif member is not None:
                self.live.note_presence(member)
                self._act(member, name, fields)
        except Refusal as refusal:
            client.put(packet("ActionFailed", reason=str(refusal)))

    def _join(self, client: PacketClient, member: Member | None, fields: dict[str, object]) -> None:
        username, key = fields.get("username"), fields.get("key")
        try:
            if member is not None:
                raise Refusal("conflict", f"you have joined already, as {member.nickname}")
            if isinstance(key, str):
                member = self.live.holder(key)
                client.player_id = member.player_id
                self.live.note_presence(member)
                client.put(packet("PlayerJoined", player=self._player(member), key=key))
                client.put(self._sync(member.player_id))
                return
            if not isinstance(username, str):
                raise Refusal(
                    "bad_request", 'JoinGame needs a username: {"packet": "JoinGame", "username": "ann"}'
                )
            client.held = []
            try:
                member, key = self.live.join(username, or_watch=True)
                client.player_id = member.player_id
                client.wire.put(packet("PlayerJoined", player=self._player(member), key=key))
            finally:
                held, client.held = client.held, None
                for frame in held:
                    client.wire.put(frame)
        except Refusal as refusal:
            client.put(packet("PlayerJoinRejected", reason=str(refusal)))

    def _act(self, member: Member, name: str, fields: dict[str, object]) -> None:
        live, is_host = self.live, self.live.table.host == member.player_id
        if name == "SetHost" and is_host:
            live.hand_over(member, self._named(fields.get("username")).player_id)
        elif name == "StartGame" and is_host:
            if live.table.status == "finished":
                live.rematch(member)
            else:
                live.begin(member)
        elif name == "SendNewChatMessage":
            message = fields.get("message")
            if not isinstance(message, str):
                raise Refusal("bad_request", "SendNewChatMessage needs a message")
            live.speak(member, message)
        elif name == "Ready" and not member.is_spectator:
            live.ready(member)
        elif name == "LeaveGame":
            live.leave(member)
        elif member.player_id in live.seats:
            move = packets.move_in(live.game, name, fields)
            if move is not None:
                live.play(member, move)

    def _named(self, username: object) -> Member:
        for member in self.live.table.members:
            if member.nickname == username:
                return member
        raise Refusal("not_found", "nobody at this table has this username")

    def _member(self, player_id: str) -> Member | None:
        return next((each for each in self.live.table.members if each.player_id == player_id), None)

    # What clients are told

    def _hear(self, news: Notice | LiveScene) -> None:
        if isinstance(news, LiveScene):
            self._tell_scene(news.moment)
            return
        match news:
            case Came(member):
                frame = packet("PlayerJoined", player=self._player(member))
                for client in self._clients:
                    if client.held is None:  # a newcomer is told with its key
                        client.put(frame)
                return
            case HostSet(member):
                self._tell(packet("HostSet", username=None if member is None else member.nickname))
                return
            case Spoke(line):
                self._tell(
                    packet(
                        "NewChatMessageSent",
                        **chat_object(self.live, line.player_id, line.message, line.timestamp, {}),
                    )
                )
                return
            case Alerted(text):
                self._tell(packet("ShowAlert", message=text))
                return
            case Closed(reason):
                self._tell(packet("ShowAlert", message=f"this table is closed: {reason}"))
                for client in self._clients:
                    client.wire.close(f"this table is closed: {reason}")
                return
            case Began():
                self._turn = None
                self._tell(packet("GameStarted"))
            case Resumed() if self.live.match is not None:
                self._sync_all()
                self._tell_turn(self.live.match)
                return
            case Ended() if self.live.match is not None and self.live.match.is_over:
                if self._turn is not None:
                    self._tell(packet("TurnEnd", username=self._turn))
                self._turn = None
                self._tell(packet("ShowAlert", message=packets.winners_told(self.live.match)))
        self._sync_all()

    def _tell_scene(self, moment: Moment) -> None:
        """A step: the act and what came of it, the state, and whose turn it is now."""
        match = self.live.match
        assert match is not None, "a scene is of a match"
        told: dict[Viewer, list[str]] = {}
        for client in self._clients:
            if client.wire.waiting > BEHIND and client.player_id not in match.terms.seating:
                continue
            viewer = match.viewer(client.player_id)
            if viewer not in told:
                told[viewer] = list(packets.step_packets(match, moment, viewer))
            for frame in told[viewer]:
                client.put(frame)
        self._sync_all()
        self._is_new_turn |= packets.begins_turn(moment)
        if not match.is_paused:
            self._tell_turn(match)

    def _tell_turn(self, match: LiveMatch) -> None:
        """Whose turn it is now, if it is that of one alone and was not told before."""
        asked = [match.terms.names[seat] for seat in match.to_act]
        if len(asked) != 1 or (asked[0] == self._turn and not self._is_new_turn):
            return
        if self._turn is not None:
            self._tell(packet("TurnEnd", username=self._turn))
        self._turn, self._is_new_turn = asked[0], False
        self._tell(packet("TurnStart", username=self._turn))

    def _tell(self, frame: str) -> None:
        for client in self._clients:
            client.put(frame)

    def _sync_all(self) -> None:
        seating = self.live.match.terms.seating if self.live.match is not None else ()
        for client in self._clients:
            if client.player_id in seating or client.held is not None:
                client.put(self._sync(client.player_id))
            else:
                client.wire.put_latest("sync", partial(self._sync, client.player_id))

    def _sync(self, player_id: str | None) -> str:
        """GameData for one client; for all without a seat it is made once for each version."""
        member = None if player_id is None else self._member(player_id)
        if member is not None and not member.is_spectator:
            return packet("GameDataSync", **game_data(self.live, self._views, member))
        if self._synced != self.live.version:
            self._synced = self.live.version
            self._public_sync = packet("GameDataSync", **game_data(self.live, self._views, None))
        return self._public_sync

    def _player(self, member: Member) -> dict[str, object]:
        state = self._views.state_of(None)
        return player_object(self.live, member, {} if state is None else msgspec.json.decode(state))


__all__ = ["PacketClient", "PacketRoom"]
