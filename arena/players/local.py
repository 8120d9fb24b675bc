"""A bot in this process: an object of the SDK's `Bot`, called directly.

It gets exactly what it would get over a connection: fresh objects, decoded from the same JSON.  Its time is
measured, but limits cannot be enforced.
"""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import msgspec
import trio

from arena.errors import FaultKind, MalformedAnswer
from arena.match.game import Seat
from arena.match.record import Decision
from arena.players.base import MatchStart, Player
from arena.players.codec import Codec, codec_of, rules_json
from arena.players.desk import Question, Reply, Slot
from arena.players.entrant import Entrant
from arena.players.start import BotBroken
from arena.sdk import Bot
from arena.sdk.bot import drawn_move
from arena.wire.messages import Match, Result

_decode = msgspec.json.Decoder().decode

ANSWER_BYTES_MAX = 65536
"""The longest answer, as on the wire."""
SHORT, SMALL = 32, 2**53
"""A list of at most SHORT integers, all smaller than SMALL, is passed on as it is; so is a dict of such
integers and of texts of at most SHORT characters."""
FAILURES = (Exception, SystemExit)
"""Caught around a bot's code: whatever that raises is the bot's failure alone."""
TRACEBACK_MAX = 4096
"""How many of the last characters of a traceback a capsule keeps: its end says most."""


class LocalPlayer(Player):
    """One object of a bot's class.  An exception in its code makes the instance `gone`."""

    enforces_time = False

    def __init__(self, name: str, bot: Bot) -> None:
        self.name = name
        self.bot = bot
        self._codec: Codec | None = None
        self._broken: str | None = None
        self._traceback = ""
        self._names: tuple[str, ...] = ()
        self._match_id = ""
        self._game_number = 0
        self._now: Callable[[], float] = trio.current_time
        self._question: Question | None = None
        self.hears_events = type(bot).event is not Bot.event

    @property
    def is_gone(self) -> bool:
        return self._broken is not None

    def begin(self, start: MatchStart) -> None:
        self._codec = codec_of(start.game, start.names, start.seat)
        self._now = trio.lowlevel.current_clock().current_time
        self._names = start.names
        self._match_id = start.match_id
        self._game_number += 1
        self._question = None
        self._call(self.bot.begin, match_message(start, self._game_number))

    def ask(self, question: Question, slot: Slot) -> None:
        codec = self._codec
        assert codec is not None
        self._question = question
        state = _decode(codec.observation(question.observation))
        options = _decode(codec.options(question.options))
        now = self._now
        slot.sent_at = now()
        value = None
        if self._broken is None:  # without `_call`, as this runs at every decision
            try:
                value = drawn_move(self.bot, state, options)
            except FAILURES as error:
                self._note_broken(error)
        if self._broken is not None:
            slot.fail("gone", self._broken)
            return
        arrived_at = now()
        try:
            reply = Reply(codec.move(_as_sent(value)), arrived_at, arrived_at)
        except MalformedAnswer as error:
            reply = Reply(None, arrived_at, arrived_at, "malformed", str(error))
        slot.settle(reply)

    def expire(self) -> tuple[FaultKind, str]:
        raise AssertionError("a call has always ended")

    def tell(self, kind: str, payload: Any) -> None:
        if self.hears_events and self._codec is not None:
            self._call(self.bot.event, kind, _decode(self._codec.encode(payload)))

    def blame(self, decision: Decision) -> None:
        self._call(self.bot.fault, decision.fault, decision.reason)

    def end(self, ranks: Mapping[Seat, int], returns: Mapping[Seat, float]) -> None:
        names = self._names
        by_name = {names[seat]: rank for seat, rank in ranks.items()}
        result = Result(self._match_id, by_name, {names[seat]: value for seat, value in returns.items()})
        self._call(self.bot.finished, result)

    def evidence(self) -> tuple[Mapping[str, Any], ...]:
        lines: list[Mapping[str, Any]] = []
        if self._question is not None and self._codec is not None:
            lines.append({"dir": "→", "text": self._codec.observation(self._question.observation).decode()})
        if self._traceback:
            lines.append({"stderr": self._traceback})
        return tuple(lines)

    def _call(self, method: Any, *arguments: Any) -> Any:
        if self._broken is not None:
            return None
        try:
            return method(*arguments)
        except FAILURES as error:
            self._note_broken(error)
            return None

    def _note_broken(self, error: BaseException) -> None:
        """Notes that the instance is gone; called while the error is handled."""
        # by `traceback`, because str(error) would run the bot's code too
        self._broken = f"raised {traceback.format_exception_only(error)[-1].strip()}"
        self._traceback = traceback.format_exc()[-TRACEBACK_MAX:]


def _as_sent(value: Any) -> Any:
    """A bot's answer as it would arrive over a connection.  Raises MalformedAnswer if it could not."""
    if type(value) is str and value.isascii() and len(value) < ANSWER_BYTES_MAX // 6:  # comes as it is
        return value
    if type(value) is list and len(value) <= SHORT and {int}.issuperset(map(type, value)):
        if not value or (-SMALL < min(value) and max(value) < SMALL):
            return list(value)
    elif type(value) is dict and len(value) <= SHORT and _is_plain(value):
        return dict(value)
    try:
        octets = msgspec.json.encode(value)
        if len(octets) <= ANSWER_BYTES_MAX:
            return _decode(octets)
        reason = f"an answer of more than {ANSWER_BYTES_MAX} bytes"
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        reason = f"not JSON: {error}"
    raise MalformedAnswer(reason)


def _is_plain(values: dict[Any, Any]) -> bool:
    """Whether a dict can be passed on as it is: short keys, with small integers or short texts."""
    for key, value in values.items():
        if type(key) is not str or len(key) > SHORT or not key.isascii():
            return False
        if type(value) is int:
            if not -SMALL < value < SMALL:
                return False
        elif type(value) is not str or len(value) > SHORT or not value.isascii():
            return False
    return True


def match_message(start: MatchStart, game_number: int) -> Match:
    """The message that tells a bot of the full protocol that a match begins."""
    game = start.game
    return Match(
        match_id=start.match_id,
        game_number=game_number,
        game=game.name,
        version=game.version,
        rules=_decode(rules_json(game, len(start.names))),
        seat=int(start.seat),
        names=list(start.names),
        time_control=attrs.asdict(start.control),
        bot_seed=str(start.bot_seed),
    )


def load_bot(entrant: Entrant) -> Bot:
    """A new object of a bot's class, `module:Class`.  Raises BotBroken if there is none."""
    module_name, _, class_name = (entrant.target or "").partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
        bot = found()
    except Exception as error:  # someone else's module: whatever it raises, the bot cannot play
        raise BotBroken(
            entrant.name, f"cannot load {entrant.target}: {type(error).__name__}: {error}"
        ) from None
    if not isinstance(bot, Bot):
        raise BotBroken(entrant.name, f"{entrant.target} is not an arena.sdk.Bot")
    return bot
