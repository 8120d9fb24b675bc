"""Asks a bot one recorded question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec
import trio

from arena.box.box import Level
from arena.errors import ConfigError, FaultKind
from arena.match.clock import Control, Limit
from arena.match.game import Game, Seat
from arena.players.asking import answer_of
from arena.players.base import MatchStart, Player
from arena.players.codec import Codec
from arena.players.desk import Question
from arena.players.entrant import Entrant
from arena.players.start import BotBroken
from arena.players.stream import StreamPlayer
from arena.trials.check.host import BotHost, instances_of
from arena.trials.check.recorded import RecordedQuestion, names_recorded, read_options


@attrs.frozen(kw_only=True)
class BotAnswer:
    """What a bot answered to a question."""

    move: Any
    """The move as JSON; None if the answer was not a move."""
    fault: FaultKind | None
    reason: str
    elapsed_s: float
    is_judged: bool
    """Whether the options were recorded, so that the move could be judged."""
    log: str
    """What the bot printed."""


async def ask_bot(
    entrant: Entrant, game: Game[Any, Any], question: RecordedQuestion, *, limit_s: float, sandbox: Level
) -> BotAnswer:
    """Starts the bot, asks it the question, and ends it.  Raises ConfigError if it cannot be asked."""
    names, seat = names_recorded(type(game), question, entrant.name)
    entrant = attrs.evolve(entrant, name=names[seat])
    try:
        async with instances_of(entrant, sandbox) as (host, _):
            try:
                player = await host.start()
            except BotBroken as error:
                return _broken(error)
            try:
                return await _asked(host, player, game, question, (names, seat), limit_s)
            finally:
                with trio.CancelScope(shield=True):
                    await host.end(player)
    except BotBroken as error:  # its build failed
        return _broken(error)


def _broken(error: BotBroken) -> BotAnswer:
    return BotAnswer(
        move=None, fault="gone", reason=error.reason, elapsed_s=0.0, is_judged=False, log=error.log.strip()
    )


async def _asked(
    host: BotHost,
    player: Player,
    game: Game[Any, Any],
    question: RecordedQuestion,
    table: tuple[tuple[str, ...], int],
    limit_s: float,
) -> BotAnswer:
    names, seat = table
    is_full = not isinstance(player, StreamPlayer) or player.hears_events
    if is_full and question.options is None:
        raise ConfigError(
            f"{player.name} speaks the full protocol, where questions have options, and this one has none: "
            "it was put to a plain bot"
        )
    options = read_options(type(game), question.options or (), _as_sent(game, names, seat))
    put = Question(
        msgspec.Raw(msgspec.json.encode(question.state)), options, Limit(limit_s, 0.0, is_first=True), None
    )
    told = [(kind, msgspec.Raw(msgspec.json.encode(payload))) for kind, payload in question.events]
    is_judged = question.options is not None
    answer = await answer_of(
        player, _start(game, question.match or {}, names, seat), told, put, is_judged=is_judged
    )
    return BotAnswer(
        move=None if answer.move is None else Codec(game, names, Seat(seat)).move_json(answer.move),
        fault=answer.fault,
        reason=answer.reason,
        elapsed_s=answer.elapsed_s,
        is_judged=is_judged,
        log=host.printed(player).tail,
    )


def _as_sent(game: Game[Any, Any], names: tuple[str, ...], seat: int) -> tuple[str, ...]:
    """The names as the receiver sees them."""
    own = game.own_name or names[seat]
    return tuple(own if place == seat else name for place, name in enumerate(names))


def _start(game: Game[Any, Any], match: Mapping[str, Any], names: tuple[str, ...], seat: int) -> MatchStart:
    said, match_id = match.get("bot_seed"), match.get("match_id")
    bot_seed = int(said) if isinstance(said, str) and said.isdecimal() and len(said) < 20 else 0
    return MatchStart(
        match_id=match_id if isinstance(match_id, str) else "recorded",
        game=game,
        seat=Seat(seat),
        names=names,
        control=Control(move_s=None, first_s=0.0),
        bot_seed=bot_seed,
    )
