"""Pages that look at one table: each is shown the table, and the match as a film, step by step.

Every frame brings a page up to date, whatever it had: who comes late gets a film of the latest steps, and who
reads slowly, or slept for an hour, one frame with all that it misses.  What is the same for many is encoded
once.  A page only looks here; it acts over HTTP.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial
from typing import Annotated

import attrs
import msgspec
import trio
from msgspec import Meta

from arena.refusal import Refusal
from arena.server.http.sockets import FORBIDDEN, GONE, STOPS, Code, SocketOwner
from arena.server.site.film_buffer import SLICE, FilmBuffer
from arena.server.tables.live import LiveTable
from arena.server.tables.played_match import LiveScene, PlayedMatch
from arena.server.tables.spoken import moves_in_words
from arena.server.tables.table import Alerted, Closed, Member, Notice, Stopped
from arena.server.tables.views import Views, viewer_at
from arena.telling.replay import Viewer

HELLO_S = 10.0
"""The time within which a page must say who it is."""
HELLO_MAX = 1_000
"""The most characters of what it says."""
NO_HELLO = 'say who you are first: {"key": null, "match": null, "steps": 0}'
NO_FILM = "the server made a mistake in showing this match, and noted it"


class PageHello(msgspec.Struct):
    """What a page says first, and may say again when it is somebody else."""

    key: Annotated[str, Meta(max_length=128)] | None = None
    """The key of its seat."""
    match: Annotated[str, Meta(max_length=64)] | None = None
    """The match of which it has a film."""
    steps: Annotated[int, Meta(ge=0, le=10**9)] = 0
    """The index after the last step that it has."""


@attrs.frozen
class ShownSoFar:
    """How far a page has been shown a match."""

    match_id: str
    viewer: Viewer
    steps: int
    """The index after the last one."""


@attrs.define(eq=False)
class SceneClient:
    """One page."""

    wire: SocketOwner
    player_id: str | None = None
    """Who it is at the table, if it has the key of somebody."""
    is_known: bool = False
    """Whether it has said who it is."""
    shown: ShownSoFar | None = None
    """What has been sent."""
    written: ShownSoFar | None = None
    """The same with the last frame that was made, which may not have been sent."""
    woken: trio.Event = attrs.field(factory=trio.Event)
    """Set when its own task has something to do: it has said who it is, or its film is behind."""


class SceneRoom:
    """All pages that look at one table."""

    def __init__(self, live: LiveTable, views: Views, note_bug: Callable[[str], None]) -> None:
        self.live = live
        self._views = views
        self._note_bug = note_bug
        self._clients: list[SceneClient] = []
        self._buffers: dict[Viewer, FilmBuffer] = {}
        """The films of the latest match."""
        self._alert = ""
        """The latest notice that people should read, until something else happens."""
        self._same: dict[ShownSoFar | None, str] = {}
        """Frames for those without a key, by what they have been shown, while nothing changes."""
        self._same_at = (0, 0, 0)
        live.attach(self._hear)
        live.attendance.append(lambda player_id: any(each.player_id == player_id for each in self._clients))

    # Coming and going

    async def serve(self, client: SceneClient) -> None:
        """Shows the table to a page until this is cancelled; hangs up if it does not say who it is."""
        self._clients.append(client)
        try:
            with trio.move_on_after(HELLO_S) as waiting:
                await client.woken.wait()
            if waiting.cancelled_caught:
                self._send_away(client, NO_HELLO, FORBIDDEN)
            while True:
                await client.woken.wait()
                client.woken = trio.Event()
                await self._catch_up(client)
                self._tell(client)
        finally:
            self._clients.remove(client)

    def receive(self, client: SceneClient, text: str) -> None:
        """One frame of a page: who it is, and what it has."""
        try:
            if len(text) > HELLO_MAX:
                raise Refusal("too_large", NO_HELLO)
            hello = msgspec.json.decode(text, type=PageHello)
            member = None if hello.key is None else self.live.holder(hello.key)
        except Refusal as refusal:
            self._send_away(client, str(refusal), FORBIDDEN)
            return
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            self._send_away(client, NO_HELLO, FORBIDDEN)
            return
        client.player_id = None if member is None else member.player_id
        if member is not None:
            self.live.note_presence(member)
        client.shown = client.written = None
        if hello.match is not None and (match := self.live.match) is not None:
            client.shown = client.written = ShownSoFar(hello.match, viewer_at(match, member), hello.steps)
        client.is_known = True
        client.woken.set()

    async def _catch_up(self, client: SceneClient) -> None:
        """Films what this page may see of the match so far, while others have their turn."""
        while (match := self.live.match) is not None:
            if self._buffer(match, viewer_at(match, self._member(client))).advance(SLICE):
                return
            await trio.lowlevel.checkpoint()

    def _buffer(self, match: PlayedMatch, viewer: Viewer) -> FilmBuffer:
        buffer = self._buffers.get(viewer)
        if buffer is None or buffer.match is not match:
            self._buffers = {who: each for who, each in self._buffers.items() if each.match is match}
            buffer = self._buffers[viewer] = FilmBuffer(match, viewer)
        return buffer

    def _member(self, client: SceneClient) -> Member | None:
        """The member that this page is, unless that member has left."""
        return self.live.table.present(client.player_id)

    # What pages are told

    def _hear(self, news: Notice) -> None:
        match news:
            case Stopped():
                self._send_all_away(STOPS, GONE)
                return
            case Closed(reason):
                self._send_all_away(f"this table is closed: {reason}")
                return
            case LiveScene():
                self._film()
        self._alert = news.text if isinstance(news, Alerted) else ""
        for client in self._clients:
            if client.is_known:
                self._tell(client)

    def _film(self) -> None:
        """Adds the step just made to the film of everybody who looks.

        A film that cannot be made is a bug of ours, which costs those who look, and not the match.
        """
        match = self.live.match
        assert match is not None, "a scene is of a match"
        for viewer in {viewer_at(match, self._member(each)) for each in self._clients if each.is_known}:
            buffer = self._buffer(match, viewer)
            if buffer.missing > SLICE:
                continue  # somebody has just come, and the task of that page films it
            try:
                buffer.advance(SLICE)
            except Exception:
                self._note_bug(traceback.format_exc())
                self._send_all_away(NO_FILM, 1008)
                return

    def _tell(self, client: SceneClient) -> None:
        """Sends what it misses, in place of what waits to be sent."""
        match = self.live.match
        if match is not None and self._buffer(match, viewer_at(match, self._member(client))).missing:
            client.woken.set()
            return
        if not client.wire.waiting:  # the last frame has been sent
            client.shown = client.written
        client.wire.put_latest("scene", partial(self._frame, client))

    def _send_all_away(self, reason: str, code: Code = 1000) -> None:
        for client in self._clients:
            self._send_away(client, reason, code)

    def _send_away(self, client: SceneClient, reason: str, code: Code = 1000) -> None:
        client.is_known = False
        client.wire.put(msgspec.json.encode({"bye": reason}).decode())
        client.wire.close(reason, code)

    # A frame

    def _frame(self, client: SceneClient) -> str:
        """What this page misses; for all without a key who miss the same it is made once for each version.

        Clocks are in it: while they run, it is made anew every second.
        """
        member, match = self._member(client), self.live.match
        buffer = None if match is None else self._buffer(match, viewer_at(match, member))
        client.written = None
        if match is not None and buffer is not None:
            client.written = ShownSoFar(match.terms.match_id, buffer.viewer, buffer.count)
        if member is not None:
            return self._encoded(client, member, buffer)
        steps = 0 if buffer is None else buffer.count
        now = (self.live.version, int(trio.current_time()) if self.live.table.is_playing else 0, steps)
        if self._same_at != now:
            self._same_at = now
            self._same.clear()
        if client.shown not in self._same:
            self._same[client.shown] = self._encoded(client, None, buffer)
        return self._same[client.shown]

    def _encoded(self, client: SceneClient, member: Member | None, buffer: FilmBuffer | None) -> str:
        film, shown = b"", client.shown
        if buffer is not None and (
            shown is None
            or (shown.match_id, shown.viewer) != (buffer.match.terms.match_id, buffer.viewer)
            or not buffer.has_after(shown.steps)
        ):
            film = b',"film":' + buffer.film()
        elif buffer is not None and shown is not None and shown.steps < buffer.count:
            film = b',"first":%d,"steps":%b' % (shown.steps, buffer.steps(shown.steps))
        result = None if buffer is None or self.live.table.is_playing else buffer.result()
        more = {"moves": moves_in_words(self.live, member), "result": result, "alert": self._alert or None}
        table = self._views.table(member)
        return (b'{"table":%b%b,%b' % (table, film, msgspec.json.encode(more)[1:])).decode()
