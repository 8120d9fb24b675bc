"""A bot at the other end of a byte stream: one reader task, one writer task, a bounded outbox.

The player outlives its connections: one that comes back takes the place of the
lost one and is asked the open question again under a new id, its clock running on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import msgspec
import trio

from arena.errors import MalformedAnswer
from arena.game import Seat
from arena.players.base import MatchStart, Player, Question, Reply, Slot
from arena.players.codec import Codec
from arena.players.lag import LagWatch
from arena.players.transport import Transport
from arena.record import Decision, FaultKind
from arena.wire.connection import Answered, ArenaConnection, Introduced, Malformed, Noted, Refused

OUTBOX_BYTES_MAX = 1 << 20
"""A bot that reads nothing while a megabyte piles up is gone; the longest question is some kilobytes."""
MESSAGES_KEPT = 40
MESSAGE_BYTES_KEPT = 2048
"""What a capsule shows of each of the last messages."""
FLOOD_BYTES_PER_S = 1 << 20
FLOOD_BURST_BYTES = 1 << 18
"""A bot may send this much at once and so much in a second; what is more is read later, on its own time, not on others'."""


class StreamPlayer(Player):
    """An instance of a bot that is reached over a transport."""

    def __init__(self, name: str, *, margin_s: float = 0.0, reconnect_s: float = 10.0, watch: LagWatch | None = None) -> None:
        self.name = name
        self.margin_s = margin_s
        self.reconnect_s = reconnect_s
        self._watch = watch
        self.connection: ArenaConnection | None = None
        self._transport: Transport | None = None
        self._outbox = bytearray()
        self._outbox_filled = trio.Event()
        self._start: MatchStart | None = None
        self._codec: Codec | None = None
        self._question: Question | None = None
        self._slot: Slot | None = None
        self._asked_id: str | None = None
        self._unsent = False
        self._is_gone = False
        self.gone_reason = "never connected"
        self.lost_at: float | None = None
        self._messages: deque[tuple[float, str, bytes]] = deque(maxlen=MESSAGES_KEPT)
        self.secrets: tuple[str, ...] = ()
        """Blanked wherever messages are shown."""
        self.extra_evidence: Callable[[], tuple[Mapping[str, Any], ...]] = tuple

    # The connection's side

    async def serve(self, transport: Transport, connection: ArenaConnection) -> None:
        """Plays over this connection until it is closed; the connection is introduced already."""
        self._attach(transport, connection)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_all, transport)
            await self._read_all(transport, connection)
            if self._transport is transport:
                self._detach("closed its connection")
            nursery.cancel_scope.cancel()
        transport.close()

    def _attach(self, transport: Transport, connection: ArenaConnection) -> None:
        self._transport, self.connection = transport, connection
        self._outbox.clear()
        self.lost_at = None
        self._send(connection.welcome(self.name))
        if self._start is not None:
            self._send(self._begin_match(connection, self._start))
            if self._slot is not None and self._slot.reply is None:
                self._unsent = True
                self._ask_now()

    def _detach(self, reason: str) -> None:
        self._note("—", reason.encode())
        self.gone_reason = reason
        if self._transport is not None:
            self._transport.close()
        self._transport = self.connection = None
        self.lost_at = trio.current_time()
        if self._slot is not None and self._slot.sent_at is None:
            self._slot.sent_at = self._slot.asked_at  # whoever takes its place finds the clock running
        if self._is_gone:
            self._fail_open()

    def stop_waiting(self) -> None:
        """Nobody came back within `reconnect_s`: an open question is not kept for them any longer."""
        if self._transport is None:
            self._fail_open()

    def leave(self, reason: str) -> None:
        """The instance is gone for good: its process ended, or nobody came back."""
        self._is_gone = True
        self.gone_reason = reason
        if self._transport is not None:
            self._detach(reason)
        self._fail_open()

    def dismiss(self, reason: str) -> None:
        """Says goodbye and closes the connection."""
        if self.connection is not None and self._transport is not None:
            try:
                self._transport.send_now(self.connection.bye(reason))
            except OSError:
                pass
        self.leave(reason)

    def _fail_open(self) -> None:
        slot, self._slot = self._slot, None
        if slot is not None:
            slot.fail("gone", self.gone_reason)

    @property
    def is_gone(self) -> bool:
        return self._is_gone

    @property
    def is_connected(self) -> bool:
        return self._transport is not None

    async def _read_all(self, transport: Transport, connection: ArenaConnection) -> None:
        allowance, counted_at = float(FLOOD_BURST_BYTES), trio.current_time()
        while octets := await transport.receive():
            now = trio.current_time()
            heard_since = self._watch.polled_before if self._watch is not None and transport.is_polled else now
            self._note("←", octets)
            for received in connection.receive(octets):
                self._take(received, now, heard_since)
            if self._unsent and connection.can_ask:
                self._ask_now()
            allowance = min(FLOOD_BURST_BYTES, allowance + (now - counted_at) * FLOOD_BYTES_PER_S) - len(octets)
            counted_at = now
            if allowance < 0:
                await trio.sleep(-allowance / FLOOD_BYTES_PER_S)
        for received in connection.receive(b""):
            self._take(received, trio.current_time(), trio.current_time())

    def _take(self, received: Any, now: float, heard_since: float) -> None:
        match received:
            case Answered(_, value):
                self._settle(value, now, heard_since)
            case Malformed(reason, settles):
                if settles and self._slot is not None:
                    slot, self._slot = self._slot, None
                    slot.settle(Reply(None, now, heard_since, "malformed", reason))
            case Noted(reason) | Refused(reason):
                self._note("·", reason.encode())
            case Introduced():
                pass

    def _settle(self, value: Any, now: float, heard_since: float) -> None:
        slot, self._slot = self._slot, None
        if slot is None or self._codec is None:
            return
        try:
            reply = Reply(self._codec.move(value), now, heard_since)
        except MalformedAnswer as error:
            reply = Reply(None, now, heard_since, "malformed", str(error))
        slot.settle(reply)

    # The outbox

    def _send(self, octets: bytes) -> bool:
        """Hands over or puts aside; gives whether all is handed over."""
        if not octets or self._transport is None:
            return not octets
        self._note("→", octets)
        sent = 0
        if not self._outbox:
            try:
                sent = self._transport.send_now(octets)
            except OSError as error:
                self._detach(f"broke its connection ({error.strerror or error})")
                return False
            if sent == len(octets):
                return True
        self._outbox += memoryview(octets)[sent:]
        if len(self._outbox) > OUTBOX_BYTES_MAX:
            self._detach(f"does not read: {len(self._outbox)} bytes wait for it")
            return False
        self._outbox_filled.set()
        return False

    async def _write_all(self, transport: Transport) -> None:
        while True:
            await self._outbox_filled.wait()
            self._outbox_filled = trio.Event()
            while self._outbox and self._transport is transport:
                waiting = bytes(self._outbox[:65536])
                try:
                    sent = await transport.send_some(memoryview(waiting))
                except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                    return  # the reader sees it too, and it is the one to say so
                del self._outbox[:sent]
            slot = self._slot
            if slot is not None and slot.sent_at is None and not self._unsent and not self._outbox:
                slot.sent_at = trio.current_time()

    def _note(self, direction: str, octets: bytes) -> None:
        self._messages.append((trio.current_time(), direction, octets[:MESSAGE_BYTES_KEPT]))

    # The referee's side

    def begin(self, start: MatchStart) -> None:
        if self._slot is not None:  # the match before was broken off
            self.expire()
        self._start = start
        self._codec = Codec(start.game, start.names, start.seat)
        self._messages.clear()
        if self.connection is not None:
            self._send(self._begin_match(self.connection, start))

    def _begin_match(self, connection: ArenaConnection, start: MatchStart) -> bytes:
        control = start.control
        return connection.begin_match(
            match_id=start.match_id,
            game=start.game.name,
            version=start.game.version,
            rules=rules_json(start.game),
            seat=int(start.seat),
            names=start.names,
            time_control=attrs.asdict(control),
            bot_seed=start.bot_seed,
        )

    def ask(self, question: Question, slot: Slot) -> None:
        self._question, self._slot = question, slot
        if self._is_gone:
            self._fail_open()
        elif self.connection is None:
            self._unsent = True
            slot.sent_at = slot.asked_at
            if self.lost_at is not None and trio.current_time() - self.lost_at > self.reconnect_s:
                self._fail_open()
        elif self.connection.can_ask:
            self._ask_now()
        else:
            self._unsent = True
            slot.sent_at = slot.asked_at  # it owes us an answer: the clock of this question runs all the same

    def _ask_now(self) -> None:
        question, slot, codec, connection = self._question, self._slot, self._codec, self.connection
        self._unsent = False
        if question is None or slot is None or codec is None or connection is None:
            return
        limit_s = question.limit.time_s
        if slot.sent_at is not None:
            limit_s = max(0.0, limit_s - (trio.current_time() - slot.sent_at))
        is_plain = connection.protocol is None
        octets = connection.ask(
            state=codec.encode(question.observation),
            options=b"" if is_plain else codec.options(question.options),
            time_s=None if limit_s == float("inf") else limit_s,
            bank_s=question.bank_s,
        )
        self._asked_id = connection.open_id
        if self._send(octets) and slot.sent_at is None:
            slot.sent_at = trio.current_time()

    def expire(self) -> tuple[FaultKind, str]:
        slot, self._slot, self._question = self._slot, None, None
        was_unsent, self._unsent = self._unsent, False
        if self.connection is None:
            return "gone", self.gone_reason
        if not was_unsent:
            self.connection.give_up()
        if slot is not None and slot.sent_at is None:
            return "gone", "does not read: the question could not be handed over in time"
        return "too_late", "still owes the answer to an earlier question" if was_unsent else ""

    def tell(self, kind: str, payload: Any) -> None:
        if self.connection is not None and self.connection.protocol is not None and self._codec is not None:
            self._send(self.connection.event(kind, self._codec.encode(payload)))

    def blame(self, decision: Decision) -> None:
        if self.connection is not None and decision.fault is not None:
            self._send(self.connection.fault(decision.fault, decision.reason, self._asked_id))

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        start, self._start = self._start, None
        if self.connection is not None and start is not None:
            by_name = {start.names[seat]: rank for seat, rank in ranks.items()}
            self._send(self.connection.result(ranks=by_name, returns={start.names[s]: v for s, v in returns.items()}))

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        began_at = self._messages[0][0] if self._messages else 0.0
        lines = [
            {"t_s": round(at - began_at, 6), "dir": direction, "text": self._blanked(octets)}
            for at, direction, octets in self._messages
        ]
        return (*lines, *self.extra_evidence())

    def _blanked(self, octets: bytes) -> str:
        text = octets.decode("utf-8", "backslashreplace").rstrip("\n")
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def rules_json(game: Any) -> bytes:
    """The house rules of a game as a JSON object."""
    return msgspec.json.encode(attrs.asdict(game))
