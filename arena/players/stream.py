"""A bot at the other end of a byte stream: one reader task, one writer task, a bounded outbox.

The player outlives its connections: one that comes back takes the place of the
lost one and is asked the open question again under a new id, its clock running on.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import inf
from time import perf_counter
from typing import Any

import attrs
import msgspec
import trio

from arena.errors import MalformedAnswer
from arena.game import Seat
from arena.players.allowance import ANSWER_BYTES_FREE, Allowance
from arena.players.base import UNREAD, MatchStart, Player
from arena.players.codec import Codec
from arena.players.desk import Question, Reply, Slot
from arena.players.lag import LagWatch
from arena.players.switchboard import put_off
from arena.players.transport import Transport
from arena.record import Decision, FaultKind
from arena.wire.connection import OLD_ANSWER, Answered, ArenaConnection, Malformed, Noted, Received, Refused

OUTBOX_BYTES_MAX = 1 << 20
"""A bot that reads nothing while a megabyte piles up is gone; the longest question is some kilobytes."""
MESSAGES_KEPT = 40
SEND_BYTES = 1 << 16
MESSAGE_BYTES_KEPT = 2048
"""What a capsule shows of each of the last messages."""
CONSEQUENCE = "a consequence of its last lateness"
OUR_BUG = "its connection was closed: what it said set off a bug of the arena's"


class StreamPlayer(Player):
    """An instance of a bot that is reached over a transport."""

    def __init__(
        self,
        name: str,
        *,
        margin_s: float = 0.0,
        reconnect_s: float = 10.0,
        watch: LagWatch | None = None,
        allowance: Allowance | None = None,
        note_bug: Callable[[str], None] = lambda traceback_text: None,
    ) -> None:
        """`allowance`: that of its owner, if it has others besides this instance.

        `note_bug` is told the traceback when what the bot said makes the arena raise.
        """
        self.name = name
        self.margin_s = margin_s
        self.reconnect_s = reconnect_s
        self.allowance = Allowance() if allowance is None else allowance
        self._watch = watch
        self.note_bug = note_bug
        self.connection: ArenaConnection | None = None
        self._transport: Transport | None = None
        self._put_aside: list[bytes] = []
        """Messages that go out with the next question: a write costs more than all that we compute for it."""
        self._outbox = bytearray()
        """What the kernel would not take at once."""
        self._outbox_filled = trio.Event()
        self._start: MatchStart | None = None
        self._codec: Codec | None = None
        self._slot: Slot | None = None
        self._asked_id: str | None = None
        self._unsent = False
        self._owed_s = 0.0
        """For how long the open question had to wait for an owed answer, its clock running, in seconds."""
        self._awaited = 0
        """How many questions went out whose answers, in time or late, have not come."""
        self._is_gone = False
        self.gone_reason = "never connected"
        self.lost_at: float | None = None
        self._messages: deque[tuple[float, str, bytes]] = deque(maxlen=MESSAGES_KEPT)
        self.token: str | None = None
        """With it, which the welcome says, a bot that connects by itself comes back."""
        self.secrets: tuple[str, ...] = ()
        """Blanked wherever messages are shown."""
        self.extra_evidence: Callable[[], tuple[Mapping[str, Any], ...]] = tuple

    # The connection's side

    async def serve(self, transport: Transport, connection: ArenaConnection) -> None:
        """Plays over this connection until it is closed; the connection is introduced already.

        Whatever its bytes make us raise ends this connection and nothing else.
        """
        reason = "closed its connection"
        self._attach(transport, connection)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_all, transport)
            try:
                await self._read_all(transport, connection)
            except Exception:  # our bug, set off by one connection's bytes: it costs that connection
                self.note_bug(traceback.format_exc())
                reason = OUR_BUG
            if self._transport is transport:
                self._detach(reason)
            nursery.cancel_scope.cancel()
        transport.close()

    def _attach(self, transport: Transport, connection: ArenaConnection) -> None:
        self._transport, self.connection = transport, connection
        self._outbox = bytearray()  # a new one: the old connection's writer may still hold on to its own
        self._put_aside.clear()
        self._awaited = 0
        self.lost_at = None
        self.hears_events = connection.protocol is not None
        self._say(connection.welcome(self.name, self.token))
        if self._start is not None:
            self._say(self._begin_match(connection, self._start))
            self._ask_now()
        self.flush()

    def _detach(self, reason: str) -> None:
        self._note(trio.current_time(), "—", reason.encode())
        self.gone_reason = reason
        if self._transport is not None:
            self._transport.close()
        self._transport = self.connection = None
        self.lost_at = trio.current_time()
        if self._slot is not None:
            self._slot.note_sent(self._slot.asked_at)  # whoever takes its place finds the clock running
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
        if self.connection is not None and self._transport is not None and not self._outbox:
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
        watch = self._watch if transport.is_polled else None
        allowance = self.allowance

        def hear(octets: bytes) -> bool:
            """One step: a piece of the stream, or (`b""`) what was left of the last one.

            Gives whether the next piece may be read at once.
            """
            began = perf_counter()
            if watch is not None:
                now = watch.polled_at
                heard_since = allowance.excuse(watch.polled_before, now)
            else:
                now = heard_since = trio.current_time()
            if octets:
                self._messages.append((now, "←", octets[:MESSAGE_BYTES_KEPT]))
                said = connection.receive(octets)
            else:
                said = connection.read_on()
            is_asked_for = 0 < len(said) <= self._awaited and len(octets) <= ANSWER_BYTES_FREE
            for received in said:
                if type(received) is Answered:
                    self._settle(received.move, now, heard_since)
                else:
                    is_asked_for = is_asked_for and received is OLD_ANSWER
                    self._take(received, now, heard_since)
            if self._unsent and connection is self.connection and connection.can_ask:
                self._ask_now()
            if is_asked_for:  # one answer a question is, however late
                self._awaited -= len(said)
                return True
            may_go_on = allowance.charge(len(octets), len(said)) and not connection.has_more
            allowance.note_work(began)
            return may_go_on

        is_open = True
        while is_open:
            while connection.has_more:
                hear(b"")
                await allowance.subside()
            is_open = await transport.listen(hear)
            await allowance.subside()
        for received in connection.receive(b""):
            self._take(received, trio.current_time(), trio.current_time())

    def _take(self, received: Received, now: float, heard_since: float) -> None:
        """What is no answer."""
        if isinstance(received, Malformed):
            slot, self._slot = self._slot, None
            if slot is not None:
                slot.settle(Reply(None, now, heard_since, "malformed", received.reason))
        elif isinstance(received, Noted | Refused):
            self._note(now, "·", received.reason.encode())

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

    def _say(self, octets: bytes) -> None:
        """Puts a message aside until the next question, or `flush`."""
        if octets and self._transport is not None:
            self._note(trio.current_time(), "→", octets)
            self._put_aside.append(octets)

    def flush(self) -> None:
        """Hands over all that was said; while answers are being heard, after the last of them."""
        if self._put_aside and not put_off(self._hand_over):
            self._hand_over()

    def _hand_over(self) -> None:
        if self._put_aside:
            if self._slot is not None:
                self._slot.hold(trio.current_time())
            octets = b"".join(self._put_aside)
            self._put_aside.clear()
            self._write(octets)

    def _write(self, octets: bytes) -> None:
        """Hands over to the kernel; what it does not take now is left to the writer task."""
        if self._transport is None:
            return
        sent = 0
        if not self._outbox:
            try:
                sent = self._transport.send_now(octets)
            except OSError as error:
                self._detach(f"broke its connection ({error.strerror or error})")
                return
        if sent < len(octets):
            self._outbox += memoryview(octets)[sent:]
            self._outbox_filled.set()
            if len(self._outbox) > OUTBOX_BYTES_MAX:
                self._detach(f"does not read: {len(self._outbox)} bytes wait for it")
        elif self._slot is not None:
            self._slot.note_sent(trio.current_time())

    async def _write_all(self, transport: Transport) -> None:
        outbox = self._outbox
        while True:
            await self._outbox_filled.wait()
            self._outbox_filled = trio.Event()
            while outbox:
                waiting = bytes(outbox[:SEND_BYTES])
                try:
                    sent = await transport.send_some(memoryview(waiting))
                except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                    return  # the reader sees it too, and it is the one to say so
                del outbox[:sent]
            if self._slot is not None and not self._unsent and self._outbox is outbox:
                now, watch = trio.current_time(), self._watch if transport.is_polled else None
                self._slot.note_sent(now, now if watch is None else watch.polled_before)

    def _note(self, now: float, direction: str, octets: bytes) -> None:
        self._messages.append((now, direction, octets[:MESSAGE_BYTES_KEPT]))

    # The referee's side

    def begin(self, start: MatchStart) -> None:
        self._start = start
        self._codec = Codec(start.game, start.names, start.seat)
        self._messages.clear()
        if self.connection is not None:
            self._say(self._begin_match(self.connection, start))

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
        self._slot, self._asked_id, self._owed_s = slot, None, 0.0
        if self._is_gone:
            self._fail_open()
        elif self.connection is None:
            self._unsent = True
            slot.note_sent(slot.asked_at)
            if self.lost_at is not None and slot.asked_at - self.lost_at > self.reconnect_s:
                self._fail_open()
        elif self.connection.can_ask:
            self._ask_now()
        else:
            self._unsent = True
            slot.note_sent(
                slot.asked_at
            )  # it owes us an answer: the clock of this question runs all the same

    def _ask_now(self) -> None:
        """Sends the open question over the connection there is, with what is left of its time."""
        was_unsent, self._unsent = self._unsent, False
        slot, codec, connection = self._slot, self._codec, self.connection
        if slot is None or codec is None or connection is None:
            return
        question = slot.question
        limit_s = question.limit.time_s
        if slot.sent_at is not None:
            since_s = trio.current_time() - slot.sent_at
            limit_s = max(0.0, limit_s - since_s)
            if was_unsent:
                self._owed_s = since_s
        is_plain = connection.protocol is None
        octets = connection.ask(
            state=codec.encode(question.observation),
            options=b"" if is_plain else codec.options(question.options),
            time_s=None if limit_s == inf else limit_s,
            bank_s=question.bank_s,
        )
        if not is_plain:
            self._asked_id = connection.open_id
        self._messages.append((slot.asked_at, "→", octets[:MESSAGE_BYTES_KEPT]))
        self._put_aside.append(octets)
        self._awaited += 1
        self.flush()

    def expire(self) -> tuple[FaultKind, str]:
        slot, self._slot = self._slot, None
        was_unsent, self._unsent = self._unsent, False
        if self.connection is None:
            return "gone", self.gone_reason
        if not was_unsent:
            self.connection.give_up()
        if (was_unsent and self._outbox) or (slot is not None and slot.sent_at is None):
            return "gone", UNREAD
        return "too_late", self._consequence(was_unsent)

    def _consequence(self, was_unsent: bool) -> str:
        """Why a question was lost that an earlier one had spoilt; empty if none had.

        A plain bot can be asked one thing at a time, and the clock of the next question runs all the same:
        who reads the tables should see that it was slow once, and not twice.
        """
        if was_unsent:
            return f"{CONSEQUENCE}: it still owed the answer to an earlier question"
        return f"{CONSEQUENCE}: it was asked {self._owed_s:.3f} s late" if self._owed_s else ""

    def tell(self, kind: str, payload: Any) -> None:
        if self.connection is not None and self.connection.protocol is not None and self._codec is not None:
            self._say(self.connection.event(kind, self._codec.encode(payload)))

    def blame(self, decision: Decision) -> None:
        if self.connection is not None and decision.fault is not None:
            self._say(self.connection.fault(decision.fault, decision.reason, self._asked_id))

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        start, self._start = self._start, None
        if self.connection is not None and start is not None:
            by_name = {start.names[seat]: rank for seat, rank in ranks.items()}
            self._say(
                self.connection.result(ranks=by_name, returns={start.names[s]: v for s, v in returns.items()})
            )

    def break_off(self) -> None:
        if self._slot is not None:
            self.expire()
        self._start = None

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        began_at = self._messages[0][0] if self._messages else 0.0
        blanked = _blanked([octets for _, _, octets in self._messages], self.secrets)
        lines = [
            {"t_s": round(at - began_at, 6), "dir": direction, "text": text}
            for (at, direction, _), text in zip(self._messages, blanked, strict=True)
        ]
        return (*lines, *self.extra_evidence())


def _blanked(messages: list[bytes], secrets: tuple[str, ...]) -> list[str]:
    """The messages as text, without the secrets."""
    texts = []
    for octets in messages:
        text = octets.decode("utf-8", "backslashreplace").rstrip("\n")
        for secret in secrets:
            text = text.replace(secret, "***")
        texts.append(text)
    return texts


@lru_cache(maxsize=64)
def rules_json(game: Any) -> bytes:
    """The house rules of a game as a JSON object."""
    return msgspec.json.encode(attrs.asdict(game))
