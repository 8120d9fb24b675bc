"""The clients of packets at one table: what each of them asks, and what all of them are told.

What is the same for an audience is encoded once.  A seat hears everything in order; spectators that do not
keep up with a quick match hear the newest state only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import attrs
import trio

from arena.refusal import Refusal
from arena.server.http.sockets import GONE, STOPS, SocketOwner
from arena.server.packets import packets
from arena.server.packets.game_data import GameDataMaker
from arena.server.packets.packets import packet
from arena.server.packets.turn_teller import TurnTeller
from arena.server.services import ServerServices
from arena.server.tables.closed_pages import ClosedPages
from arena.server.tables.live import LiveTable
from arena.server.tables.played_match import LiveScene, PlayedMatch
from arena.server.tables.table import (
    Alerted,
    Began,
    Came,
    Closed,
    Ended,
    HostSet,
    Member,
    Notice,
    QuestionsAsked,
    Resumed,
    Spoke,
    Stopped,
)
from arena.server.tables.views import Views
from arena.telling.replay import Moment, Viewer

BEHIND = 16
"""A spectator with more frames than this still to read is told the newest state only.  Four actions have as
many, and their states, however long, are less than a socket may have waiting."""
NO_PACKET = 'a packet is a JSON object with its name, such as {"packet": "JoinGame", "username": "ann"}'
OF_THE_LOBBY = frozenset(("SetHost", "StartGame", "Ready"))
"""Packets that only some may send; from others they are ignored."""


@attrs.define(eq=False)
class PacketClient:
    """One connection."""

    wire: SocketOwner
    player_id: str | None = None
    """Who it is at the table, once it has joined."""
    held: list[str] | None = None
    """Frames that wait until it has been told who it is."""
    address: str = ""
    room: PacketRoom | None = None
    """The room where it is."""

    def put(self, frame: str) -> None:
        if self.held is None:
            self.wire.put(frame)
        else:
            self.held.append(frame)


class PacketRoom:
    """All clients of one table."""

    def __init__(
        self,
        live: LiveTable,
        views: Views,
        hall: ServerServices,
        reopen: Callable[[], PacketRoom] | None = None,
    ) -> None:
        """`reopen` returns the room where clients go on when everybody has left this one; None: nowhere."""
        self.live = live
        self._reopen = reopen
        self._visitors = hall.visitors
        self._maker = GameDataMaker(live, views)
        self._clients: list[PacketClient] = []
        self._closed_pages = ClosedPages(live, hall.nursery, self._is_here)
        self._turns = TurnTeller()
        self._public_sync = ""
        self._synced = (0, 0)
        """The version and the second of `_public_sync`."""
        live.attach(self._hear)
        live.attendance.append(self._is_here)
        if live.table.is_lobby:  # those who were here before the server was started again
            for member in live.table.members:
                self._closed_pages.note_gone(member.player_id)

    # Coming and going

    def enter(self, client: PacketClient) -> None:
        client.room = self
        self._clients.append(client)

    def exit(self, client: PacketClient) -> None:
        """The client's connection is closed; it may come back with its key."""
        self._clients.remove(client)
        if client.player_id is not None:
            self._closed_pages.note_gone(client.player_id)

    def _is_here(self, player_id: str) -> bool:
        return any(client.player_id == player_id for client in self._clients)

    # What clients ask

    def receive(self, client: PacketClient, text: str) -> None:
        """One frame of a client.  What it may not ask is ignored; what fails is answered with the reason."""
        found = packets.read_packet(text)
        if found is None:
            client.put(packet("ShowAlert", message=NO_PACKET))
            return
        name, fields = found
        member = self.live.table.present(client.player_id)
        if name == "JoinGame":
            self._join(client, member, fields)
        elif name == "GameDataRequest":
            client.put(self._sync(client.player_id))
        elif member is not None:
            try:
                self.live.note_presence(member)
                self._act(client, member, name, fields)
            except Refusal as refusal:
                client.put(packet("ActionFailed", reason=str(refusal)))

    def _join(self, client: PacketClient, member: Member | None, fields: dict[str, object]) -> None:
        username, key = fields.get("username"), fields.get("key")
        try:
            if member is not None:
                raise Refusal("conflict", f"you have joined already, as {member.nickname}")
            if isinstance(key, str):
                self._resume(client, key)
            elif isinstance(username, str):
                self._take_seat(client, username, spectate=fields.get("spectate") is True)
            else:
                raise Refusal(
                    "bad_request",
                    'JoinGame needs a username that is a text: {"packet": "JoinGame", "username": "ann"}',
                )
        except Refusal as refusal:
            client.put(packet("PlayerJoinRejected", reason=str(refusal)))

    def _resume(self, client: PacketClient, key: str) -> None:
        """Makes the client whoever has this key."""
        member = self.live.holder(key)
        client.player_id = member.player_id
        self._closed_pages.note_back(member.player_id)
        self.live.note_presence(member)
        client.put(packet("PlayerJoined", player=self._maker.player(member), key=key))
        client.put(self._sync(member.player_id))

    def _take_seat(self, client: PacketClient, username: str, *, spectate: bool) -> None:
        """Makes the client somebody new, who is told the key before anything else."""
        client.held = []
        try:
            with self._visitors.joining(self.live.table, client.address) as note_joined:
                member, key = self.live.join(username, spectate=spectate, or_watch=True)
                note_joined(member)
            client.player_id = member.player_id
            client.wire.put(packet("PlayerJoined", player=self._maker.player(member), key=key))
        finally:
            held, client.held = client.held, None
            for frame in held:
                client.wire.put(frame)

    def _act(self, client: PacketClient, member: Member, name: str, fields: dict[str, object]) -> None:
        live, is_host = self.live, self.live.table.host == member.player_id
        if name == "SetHost" and is_host:
            live.hand_over(member, self._named(fields.get("username")).player_id)
        elif name == "StartGame" and is_host:
            (live.rematch if live.table.status == "finished" else live.begin)(member)
        elif name == "Ready" and not member.is_spectator:
            live.ready(member)
        elif name == "SendNewChatMessage":
            message = fields.get("message")
            if not isinstance(message, str):
                raise Refusal("bad_request", "SendNewChatMessage needs a message that is a text")
            with self._visitors.speaking(client.address):
                live.speak(member, message)
        elif name == "LeaveGame":
            client.player_id = None
            live.leave(member)
        elif name not in OF_THE_LOBBY and not live.only_watches(member):
            self._play(client, member, name, fields)

    def _play(self, client: PacketClient, member: Member, name: str, fields: dict[str, object]) -> None:
        """Makes a move.  If nobody may learn of it yet, its maker alone is told that nothing is asked of it
        any more."""
        game, version = self.live.game, self.live.version
        names = (packets.MOVE, *packets.move_packets(game))
        if name not in names:
            raise Refusal("bad_request", f"no packet is called that; moves are {', '.join(names)}")
        if name == packets.MOVE and "move" not in fields:
            raise Refusal("bad_request", "Move needs a move, as bots write it over TCP")
        self.live.play(member, packets.move_in(game, name, fields))
        if self.live.version == version:
            client.put(self._sync(member.player_id))

    def _named(self, username: object) -> Member:
        for member in self.live.table.members:
            if member.nickname == username:
                return member
        raise Refusal("not_found", "nobody at this table has this username")

    # What clients are told

    def _hear(self, news: Notice) -> None:
        live, match = self.live, self.live.match
        match news:
            case LiveScene(moment):
                assert match is not None, "a scene is of a match"
                self._tell_scene(match, moment)
            case QuestionsAsked() | Resumed() if match is not None:
                self._sync_all()
                self._tell_frames(self._turns.after_questions(match))
            case Came(member):
                frame = packet("PlayerJoined", player=self._maker.player(member))
                for client in self._clients:
                    if client.held is None:  # a newcomer is told with its key
                        client.put(frame)
            case HostSet(member):
                self._tell(packet("HostSet", username=None if member is None else member.nickname))
            case Spoke(line):
                self._tell(packet("NewChatMessageSent", **self._maker.chat(line)))
            case Alerted(text):
                self._tell(packet("ShowAlert", message=text))
            case Stopped():
                for client in self._clients:
                    client.wire.put(packet("ShowAlert", message=STOPS))
                    client.wire.close(STOPS, GONE)
            case Closed(reason):
                self._tell(packet("ShowAlert", message=f"this table is closed: {reason}"))
                self._send_away(f"this table is closed: {reason}")
            case Began():
                self._turns = TurnTeller()
                self._tell(packet("GameStarted"))
            case Ended() if match is not None and match.is_over:
                self._sync_all()
                self._tell(packet("ShowAlert", message=packets.winners_told(match)))
            case _ if not live.table.is_closed:
                self._sync_all()

    def _send_away(self, reason: str) -> None:
        """The table is closed: whoever is still here has no seat, and goes on at the next one, if any."""
        try:
            room = None if self._reopen is None else self._reopen()
        except Refusal:
            room = None
        if room is None:
            for client in self._clients:
                client.wire.close(reason)
            return
        clients, self._clients = self._clients, []
        for client in clients:
            client.player_id = None
            room.enter(client)
            client.put(room._sync(None))

    def _tell_scene(self, match: PlayedMatch, moment: Moment) -> None:
        """A step: the act and what came of it; then the state, at once if nobody is asked next."""
        told: dict[Viewer, list[str]] = {}
        for client in self._clients:
            if self._may_miss(client):
                continue
            viewer = match.viewer(client.player_id)
            if viewer not in told:
                told[viewer] = list(packets.step_packets(match, moment, viewer))
            for frame in told[viewer]:
                client.put(frame)
        self._turns.note(match, moment, self._maker.turn_count)
        if not match.to_act:
            self._sync_all()
            self._tell_frames(self._turns.after_act())

    def _tell_frames(self, frames: list[str]) -> None:
        """Sends frames of the match; the next state makes up for those that are missed."""
        for client in self._clients:
            if not self._may_miss(client):
                for frame in frames:
                    client.put(frame)

    def _may_miss(self, client: PacketClient) -> bool:
        """Whether it has enough to read, and does not play."""
        return client.wire.waiting > BEHIND and not self._has_seat(client)

    def _has_seat(self, client: PacketClient) -> bool:
        match = self.live.match
        return match is not None and client.player_id in match.terms.seating

    def _tell(self, frame: str) -> None:
        for client in self._clients:
            client.put(frame)

    def _sync_all(self) -> None:
        for client in self._clients:
            if self._may_miss(client):
                client.wire.put_latest("sync", partial(self._sync, client.player_id))
            else:
                client.put(self._sync(client.player_id))

    def _sync(self, player_id: str | None) -> str:
        """GameData for one client; for all without a seat it is made once for each version.

        Clocks are in it: while they run, it is made anew every second if somebody asks.
        """
        live, member = self.live, self.live.table.present(player_id)
        if member is not None and not member.is_spectator:
            return packet("GameDataSync", **self._maker.game_data(member))
        now = (live.version, int(trio.current_time()) if live.table.is_playing else 0)
        if self._synced != now:
            self._synced = now
            self._public_sync = packet("GameDataSync", **self._maker.game_data(None))
        return self._public_sync
