"""The arena's end of a connection, without a socket: turns bytes into messages, and messages into bytes.

`ArenaConnection` is a state machine defined entirely by the two tables of `states`.  It never raises on what
the other side sends: whatever it is comes out as a `Received`.  Our own mistakes raise LocalProtocolError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Raw

from arena.errors import LocalProtocolError
from arena.wire import messages
from arena.wire.json_stream import Broken, JsonStream
from arena.wire.messages import PROTOCOL
from arena.wire.short_json import short_json
from arena.wire.states import (
    HEARD,
    SAID,
    Answered,
    Effect,
    Heard,
    Introduced,
    Malformed,
    Noted,
    Received,
    Refused,
    Said,
    State,
)

OLD_ANSWER: Final = Noted("an answer to an old question")
_LATE_NAME = Noted("a name that came too late: it changes nothing")
VALUES_AT_ONCE: Final = 32
"""How many values of one connection are read in one step: 6 µs each in the worst case."""
_INTRODUCING_KEYS = frozenset({"name", "token", "protocol"})


class ArenaConnection:
    """The arena's end of a connection to one bot."""

    def __init__(self, *, bytes_max: int = 65536) -> None:
        """`bytes_max`: the longest value that the bot may send, in bytes."""
        self.state = State.NAMING
        self.name: str | None = None
        """The name that the bot sent, unchecked."""
        self.token: str | None = None
        self.protocol: int | None = None
        """The version of the protocol that the bot speaks; None: a plain bot."""
        self.match_id: str | None = None
        """The id of the match in progress, or None."""
        self.game_number = 0
        """How many matches have begun on this connection."""
        self._stream = JsonStream(bytes_max=bytes_max, values_max=VALUES_AT_ONCE)
        self._asked = 0  # the ids "1" to this have been given out
        self._last_id = ""
        self._has_answered = False
        self._trial_id = ""  # of the question that belonged to no match

    @property
    def can_ask(self) -> bool:
        """Whether a question may be sent now: no other is open, and a plain bot owes no old answer."""
        return self.state is State.READY

    @property
    def open_id(self) -> str | None:
        """The id of the open question; None if there is none."""
        return self._last_id if self.state is State.ASKED else None

    @property
    def is_skipping(self) -> bool:
        """Whether junk came last: no JSON object has begun since."""
        return self._stream.is_skipping

    @property
    def has_more(self) -> bool:
        """Whether received bytes are still unread: see `read_on`."""
        return bool(self._stream.rest)

    # Receiving.

    def receive(self, data: bytes) -> list[Received]:
        """What these bytes say, in order; `b""` means that the other side has closed.  Never raises.

        Returns at most VALUES_AT_ONCE; if it then `has_more`, `read_on` returns the next ones.
        """
        return self._read(data) if data else self._end()

    def read_on(self) -> list[Received]:
        """What received but unread bytes say; at most VALUES_AT_ONCE."""
        return self._read(b"")

    def _read(self, data: bytes) -> list[Received]:
        if self.state is State.REFUSED or self.state is State.CLOSED:
            self._stream.rest = b""
            return []
        values = self._stream.feed(data)
        if len(values) == 1 and type(values[0]) is dict:  # nearly always
            return [self._hear(values[0])]
        received: list[Received] = []
        for value in values:
            received.append(
                self._judge(Heard.BROKEN, _told(value)) if isinstance(value, Broken) else self._hear(value)
            )
            if isinstance(received[-1], Refused):
                self._stream.rest = b""
                break
        return received

    def _end(self) -> list[Received]:
        half = self._stream.close()
        if self.state is State.CLOSED:
            return []
        self.state, _ = HEARD[self.state][Heard.END]
        return [Noted(half.reason)] if half else []

    def _hear(self, value: dict[str, Any]) -> Received:
        message_id = value.get("message_id", value)
        if message_id is not value:
            return self._hear_answer(value, message_id)
        if "move" not in value and (value.get("type") == "hello" or not _INTRODUCING_KEYS.isdisjoint(value)):
            if self.state is State.ASKED and self._last_id == self._trial_id:
                self.state = State.NAMING  # an introduction in place of an answer: it came late
            if self.state is State.NAMING:
                return self._hear_introduction(value)
            if not self._has_answered:
                self._judge(Heard.INTRODUCTION, "")
                return _LATE_NAME
        return self._judge(Heard.WRONG, 'no "message_id"')

    def _hear_answer(self, value: dict[str, Any], message_id: Any) -> Received:
        # Before the first question `_last_id` is empty, and an empty id must not match it.
        if message_id != self._last_id or type(message_id) is not str or not self._asked:
            number = _number(message_id)
            if number is None:
                return self._judge(
                    Heard.WRONG, f"message_id {_short(message_id)} is neither a string nor an integer"
                )
            if not 1 <= number <= self._asked:
                return self._judge(Heard.WRONG, f"message_id {_short(message_id)} was never given out")
            if number < self._asked:
                self._judge(Heard.OLD, "")
                return OLD_ANSWER
        if self.state is State.READY:
            self._judge(Heard.OLD, "")
            return OLD_ANSWER
        if "move" not in value:
            return self._judge(Heard.WRONG, 'no "move"')
        self.state, outcome = HEARD[self.state][Heard.ANSWER]
        if outcome is Effect.ANSWERED:
            self._has_answered = True
            return Answered(self._last_id, value["move"])
        return OLD_ANSWER

    def _hear_introduction(self, value: dict[str, Any]) -> Received:
        reason = _refuse(value)
        if reason is not None:
            self.state, _ = HEARD[self.state][Heard.BAD_INTRODUCTION]
            return Refused(reason)
        self.state, _ = HEARD[self.state][Heard.INTRODUCTION]
        self.name, self.token = value.get("name"), value.get("token") or None
        self.protocol = PROTOCOL if "protocol" in value else None
        return Introduced(self.name, self.token, self.protocol)

    def _judge(self, heard: Heard, reason: str) -> Received:
        self.state, outcome = HEARD[self.state][heard]
        return Malformed(reason) if outcome is Effect.MALFORMED else Noted(reason)

    # Sending.  Each function returns the bytes to send; for a plain bot there are none but questions.  All
    # raise LocalProtocolError if the state does not allow it.

    def enter(self) -> None:
        """Stops waiting for a name: the bot is a plain one without a name."""
        self._do(Said.ENTER)

    def welcome(self, name: str, token: str | None = None) -> bytes:
        """Admits the bot under this name; with the token it can come back if the connection breaks."""
        self._do(Said.WELCOME)
        return self._tell(messages.Welcome(name, token=token or UNSET))

    def begin_match(
        self,
        *,
        match_id: str,
        game: str,
        version: int,
        rules: bytes,
        seat: int,
        names: Sequence[str],
        time_control: Mapping[str, Any],
        bot_seed: int,
    ) -> bytes:
        """Begins a match; `rules` is a JSON object.  Needed for plain bots too: it counts `game_number`."""
        self._do(Said.BEGIN_MATCH)
        self.match_id = match_id
        self.game_number += 1
        return self._tell(
            messages.Match(
                match_id,
                self.game_number,
                game,
                version,
                Raw(rules),
                seat,
                names,
                time_control,
                str(bot_seed),
            )
        )

    def ask(self, *, state: bytes, options: bytes, time_s: float | None, bank_s: float | None) -> bytes:
        """A question under a new id; `state` is a JSON object, `options` a JSON list.

        Raises LocalProtocolError outside of a match, or if `can_ask` is false.
        """
        if self.match_id is None:
            raise LocalProtocolError("a question cannot be asked outside of a match")
        question_id = str(self._asked + 1)
        then = self._after(Said.ASK)
        if not self._asked:
            self._stream.end_junk()  # an introduction that is not JSON must not hide a malformed first answer
        if self.protocol is None:
            question = messages.plain_question(question_id, self.game_number, state)
        else:
            question = messages.encode(
                messages.Ask(
                    question_id, self.game_number, self.match_id, time_s, bank_s, Raw(state), Raw(options)
                )
            )
        self.state = then
        self._asked += 1
        self._last_id = question_id
        return question

    def ask_trial(self, state: bytes) -> bytes:
        """A first question outside of any match, for a bot that has not said who it is; `state` as in `ask`.

        The bot may answer, or say who it is after all.
        """
        if self.state is State.NAMING:
            self.enter()
        self.game_number += 1
        self.match_id = ""
        question = self.ask(state=state, options=b"[]", time_s=None, bank_s=None)
        self.match_id, self._trial_id = None, self._last_id
        return question

    def give_up(self) -> None:
        """Closes the open question, whose time is up: its answer will be an old one."""
        self._do(Said.GIVE_UP)
        if self.protocol is None and self.state is State.READY:
            self.state = State.OWING

    def event(self, kind: str, payload: bytes) -> bytes:
        """Reports an event; `payload` is JSON.  Raises LocalProtocolError outside of a match."""
        return self._tell_of_match(messages.EventMessage(self._match(), kind, Raw(payload)))

    def fault(self, kind: str, reason: str, message_id: str | None) -> bytes:
        """Reports a fault at this question; None: at one that was not asked.

        Raises LocalProtocolError outside of a match.
        """
        return self._tell_of_match(messages.FaultMessage(self._match(), message_id, kind, reason))

    def result(self, *, ranks: Mapping[str, int], returns: Mapping[str, float]) -> bytes:
        """Ends the match; ranks and returns are by name.  Raises LocalProtocolError outside of a match."""
        said = self._tell_of_match(messages.Result(self._match(), ranks, returns))
        self.match_id = None
        return said

    def bye(self, reason: str) -> bytes:
        """Announces that we close the connection; a plain bot is told only if no match asked it anything."""
        is_told = self.state is not State.CLOSED and (
            self.protocol is not None or self._last_id == self._trial_id
        )
        self._do(Said.BYE)
        return messages.encode(messages.Bye(reason)) if is_told else b""

    def _match(self) -> str:
        if self.match_id is None:
            raise LocalProtocolError("there is no match in progress")
        return self.match_id

    def _tell_of_match(self, message: msgspec.Struct) -> bytes:
        self._do(Said.TELL)
        return self._tell(message)

    def _tell(self, message: msgspec.Struct) -> bytes:
        if self.protocol is None or self.state is State.CLOSED:
            return b""
        return messages.encode(message)

    def _do(self, said: Said) -> None:
        self.state = self._after(said)

    def _after(self, said: Said) -> State:
        then = SAID[self.state].get(said)
        if then is None:
            raise LocalProtocolError(f"{said.name} is not possible on a connection that is {self.state.name}")
        return then


def _told(broken: Broken) -> str:
    """What is wrong with a value that is not a JSON object, and how it began."""
    if not broken.began:
        return broken.reason
    return f"{broken.reason}: {short_json(broken.began.decode(errors='replace'))}"


def _refuse(value: dict[str, Any]) -> str | None:
    """Why this introduction cannot be accepted, or None."""
    if "protocol" in value or value.get("type") == "hello":
        protocol = value.get("protocol")
        if type(protocol) not in (int, float) or protocol != PROTOCOL:
            return f"protocol {_short(protocol)} is not supported, only {PROTOCOL}"
    for key in ("name", "token"):
        given = value.get(key)
        if given is not None and not isinstance(given, str):
            return f"{key} {_short(given)} is not a string"
    return None


def _number(message_id: Any) -> int | None:
    """The number of an id in any form that bots may use, 0 if it is none; None for a wrong type."""
    if isinstance(message_id, str):
        is_canonical = message_id.isascii() and message_id.isdigit() and message_id[0] != "0"
        return int(message_id) if is_canonical and len(message_id) < 19 else 0
    if isinstance(message_id, float) and message_id.is_integer():
        return int(message_id)
    return message_id if isinstance(message_id, int) and not isinstance(message_id, bool) else None


def _short(value: Any) -> str:
    """A value as JSON, cut to what fits into a reason."""
    return short_json(value, 40)
