"""A bot at the other end of a byte stream, as a player: its questions, its answers, its connections.

The player outlives its connections: a new one takes the place of a lost one and is asked the open question
again under a new id, while its clock runs on.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import inf
from time import perf_counter
from typing import Any

import attrs
import trio

from arena.errors import FaultKind, MalformedAnswer
from arena.match.game import Seat
from arena.match.record import Decision
from arena.match.rulings import UNREAD
from arena.players.allowance import ANSWER_BYTES_FREE, Allowance
from arena.players.base import MatchStart, Player
from arena.players.codec import Codec, codec_of, rules_json
from arena.players.desk import Question, Reply, Slot
from arena.players.lag import LagWatch
from arena.players.outbox import Outbox
from arena.players.transcript import Direction, Transcript, blanked
from arena.players.transport import Transport
from arena.wire.connection import OLD_ANSWER, ArenaConnection
from arena.wire.states import Answered, Malformed, Noted, Received, Refused

CONSEQUENCE = "still owed the previous answer"
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
        """`allowance`: its owner's, if the owner has other instances too.

        `note_bug` is told the traceback when what the bot said makes the arena raise.
        """
        self.name = name
        self.margin_s = margin_s
        self.reconnect_s = reconnect_s
        self.allowance = Allowance() if allowance is None else allowance
        self._watch = watch
        self.note_bug = note_bug
        # These are the defaults of any player; but an attribute first set when the object is in use would
        # cost a dictionary of the object's own, which takes 1.5 KiB.
        self.hears_events = self.has_answered = False
        self.first_answer_s = 0.0
        self.connection: ArenaConnection | None = None
        self._transport: Transport | None = None
        self._outbox: Outbox | None = None
        """The outbox of the current connection; None without one."""
        self._transcript = Transcript()
        self._start: MatchStart | None = None
        self._codec: Codec | None = None
        self._slot: Slot | None = None
        self._asked_id: str | None = None
        self._unsent = False
        self._owed_s = 0.0
        """How many seconds the open question waited for an owed answer while its clock was running."""
        self._awaited = 0
        """How many questions that went out have had no answer yet, in time or late."""
        self._is_gone = False
        self.gone_reason = "never connected"
        self.lost_at: float | None = None
        self.token: str | None = None
        """The token in the welcome with which a bot that connects by itself can come back."""
        self.secrets: Iterable[str] = ()
        """The texts that are blanked wherever messages are shown."""
        self.extra_evidence: Callable[[], tuple[Mapping[str, Any], ...]] = tuple

    # The connection's side

    async def serve(self, transport: Transport, connection: ArenaConnection) -> None:
        """Plays over this connection, which has been introduced, until it is closed.

        An exception that its bytes cause ends this connection and nothing else.  Whoever cancels this call
        may still say goodbye over the connection, and must close it: see `dismiss`.
        """
        reason = "closed its connection"
        async with trio.open_nursery() as nursery:
            outbox = self._attach(transport, connection, nursery)
            try:
                await self._read_all(transport, connection)
            except trio.Cancelled:
                outbox.end_writing()  # the match may go on asking, but this nursery takes no more tasks
                raise
            except Exception:  # our bug, set off by one connection's bytes: it costs that connection
                self.note_bug(traceback.format_exc())
                reason = OUR_BUG
            if self._transport is transport:
                self._detach(reason)
            nursery.cancel_scope.cancel()
        transport.close()

    def _attach(self, transport: Transport, connection: ArenaConnection, nursery: trio.Nursery) -> Outbox:
        self._transport, self.connection = transport, connection
        watch = self._watch if transport.is_polled else None
        outbox = self._outbox = Outbox(transport, watch, self._detach, nursery.start_soon)
        self._awaited = 0
        self.lost_at = None
        self.hears_events = connection.protocol is not None
        self._say(connection.welcome(self.name, self.token))
        if self._start is not None:
            self._say(self._begin_match(connection, self._start))
            self._ask_now()
        outbox.flush()
        return outbox

    def _detach(self, reason: str) -> None:
        self._transcript.note(trio.current_time(), "—", reason.encode())
        self.gone_reason = reason
        if self._transport is not None:
            self._transport.close()
        if self._outbox is not None:
            self._outbox.close()
        self._transport = self.connection = self._outbox = None
        self.lost_at = trio.current_time()
        if self._slot is not None:
            self._slot.note_sent(self._slot.asked_at)  # its clock goes on running for the next connection
        if self._is_gone:
            self._fail_open()

    def stop_waiting(self) -> None:
        """Gives up an open question, as nobody came back within `reconnect_s`."""
        if self._transport is None:
            self._fail_open()

    def leave(self, reason: str) -> None:
        """Marks the instance as gone for good: its process ended, or nobody came back."""
        self._is_gone = True
        self.gone_reason = reason
        if self._transport is not None:
            self._detach(reason)
        self._fail_open()

    def overhear(self, listener: Callable[[float, Direction, bytes], None]) -> None:
        """Passes every message from now on, both ways, to a listener too."""
        self._transcript.listener = listener

    def hang_up(self, reason: str) -> None:
        """Breaks the connection as a network failure would; the bot may come back."""
        if self._transport is not None:
            self._detach(reason)

    def dismiss(self, reason: str) -> None:
        """Says goodbye and closes the connection."""
        connection, transport, outbox = self.connection, self._transport, self._outbox
        if connection is not None and transport is not None and outbox is not None and not outbox.stuck_bytes:
            with suppress(OSError):
                transport.send_now(connection.bye(reason))
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
            """Takes one piece of the stream, or (`b""`) what was left of the last one.

            Returns whether the next piece may be read at once.
            """
            began = perf_counter()
            if watch is not None:
                now = watch.polled_at
                heard_since = allowance.excuse(watch.polled_before, now)
            else:
                now = heard_since = trio.current_time()
            if octets:
                self._transcript.note(now, "←", octets)
                said = connection.receive(octets)
            else:
                said = connection.read_on()
            # Answers that come too late were asked for as well, each once.  When they were charged, many bots
            # of one owner that were late together used up its allowance, and the next answer was read late
            # although it had arrived: one in about 50,000 on a loaded machine (tests/fairness.py).
            is_asked_for = 0 < len(said) <= self._awaited and len(octets) <= ANSWER_BYTES_FREE
            for received in said:
                if type(received) is Answered:
                    self._settle(received.move, now, heard_since)
                else:
                    is_asked_for = is_asked_for and received is OLD_ANSWER
                    self._take(received, now, heard_since)
            # Settling may have asked the next question, or lost this connection, so both are checked again.
            if self._unsent and connection is self.connection and connection.can_ask:
                self._ask_now()
            if is_asked_for:
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
        """Takes a message that is not an answer."""
        if isinstance(received, Malformed):
            slot, self._slot = self._slot, None
            if slot is not None:
                reason = blanked(received.reason, self.secrets)
                slot.settle(Reply(None, now, heard_since, "malformed", reason))
        elif isinstance(received, Noted | Refused):
            self._transcript.note(now, "·", received.reason.encode())

    def _settle(self, value: Any, now: float, heard_since: float) -> None:
        slot, self._slot = self._slot, None  # first, because the match may ask again within `settle`
        if slot is None or self._codec is None:
            return
        try:
            reply = Reply(self._codec.move(value), now, heard_since)
        except MalformedAnswer as error:
            reply = Reply(None, now, heard_since, "malformed", str(error))
        slot.settle(reply)

    def _say(self, octets: bytes) -> None:
        """Puts aside a message that can wait for the next question, or for `flush`."""
        if octets and self._outbox is not None:
            self._transcript.note(trio.current_time(), "→", octets)
            self._outbox.put(octets)

    # The referee's side

    def begin(self, start: MatchStart) -> None:
        self._start = start
        self._codec = codec_of(start.game, start.names, start.seat)
        self._transcript.clear()
        if self.connection is not None:
            self._say(self._begin_match(self.connection, start))

    def _begin_match(self, connection: ArenaConnection, start: MatchStart) -> bytes:
        control = start.control
        return connection.begin_match(
            match_id=start.match_id,
            game=start.game.name,
            version=start.game.version,
            rules=rules_json(start.game, len(start.names)),
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
            self._unsent = True  # it still owes an answer, and the clock of this question runs all the same
            slot.note_sent(slot.asked_at)

    def _ask_now(self) -> None:
        """Sends the open question over the current connection, with what is left of its time."""
        was_unsent, self._unsent = self._unsent, False
        slot, codec, connection, outbox = self._slot, self._codec, self.connection, self._outbox
        if slot is None or codec is None or connection is None or outbox is None:
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
            state=codec.observation(question.observation),
            options=b"" if is_plain else codec.options(question.options),
            time_s=None if limit_s == inf else limit_s,
            bank_s=question.bank_s,
        )
        if not is_plain:
            self._asked_id = connection.open_id
        self._transcript.note(slot.asked_at, "→", octets)
        self._awaited += 1
        outbox.put_question(octets, slot)

    def flush(self) -> None:
        if self._outbox is not None:
            self._outbox.flush()

    def expire(self) -> tuple[FaultKind, str]:
        slot, self._slot = self._slot, None
        was_unsent, self._unsent = self._unsent, False
        if self.connection is None or self._outbox is None:
            return "gone", self.gone_reason
        if not was_unsent:
            self.connection.give_up()
        if (was_unsent and self._outbox.stuck_bytes) or (slot is not None and slot.sent_at is None):
            return "gone", UNREAD
        return "too_late", self._why_late(slot, was_unsent)

    def _why_late(self, slot: Slot | None, was_unsent: bool) -> str:
        """Why there was no answer in time, if the arena knows more; else empty.

        A plain bot can be asked only one question at a time, and the clock of the next one runs all the same:
        readers of the tables should see that it was slow once, not twice.
        """
        if was_unsent:
            return CONSEQUENCE
        if self._owed_s:
            return f"{CONSEQUENCE}: asked {self._owed_s:.3f} s late"
        if slot is not None and self.connection is not None and self.connection.is_skipping:
            limit_s = slot.question.limit.time_s
            return f"no answer within {limit_s:g} s, only what is not a JSON object"
        return ""

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

    def forget_match(self) -> None:
        """Drops the messages of a match that is over, once its evidence is kept: they take twice as much
        memory as everything else about a bot that waits for its next match."""
        self._transcript.clear()
        self._codec = None

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        return (*self._transcript.lines(self.secrets), *self.extra_evidence())
