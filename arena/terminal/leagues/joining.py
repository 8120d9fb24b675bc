"""Brings a bot of this machine to a league, and back there whenever the connection is lost."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import attrs
import msgspec

from arena.errors import ConfigError
from arena.players.entrant import Entrant
from arena.terminal.leagues.bot_here import BotHere, start_here
from arena.terminal.leagues.bot_socket import BotSocket
from arena.terminal.leagues.league_link import LeagueLink
from arena.terminal.link import NoAnswer, NoTls, nobody_answers
from arena.wire.connection import ArenaConnection
from arena.words import printable

SILENCE_S = 1.0
"""A bot that says nothing for so long has no name, as the protocol allows."""
AGAIN_S, AGAIN_MAX_S = 1.0, 30.0
"""The wait before the next attempt, at first and at most."""
STEADY_S = 30.0
"""After a connection that lasted so long the wait is as short as at first."""
PLAIN_S = 15.0
"""A bot that stays connected for so long was let in, though it has not heard so."""
SENT_AWAY, NOT_LET_IN = 1, 2
"""Exit codes: it played, and plays no more; it was never let in."""


@attrs.frozen
class Visit:
    """How one connection ended."""

    was_let_in: bool
    refusal: str = ""
    """What the server said last, if it said goodbye."""
    has_ended: bool = False
    """Whether the bot's own program ended first."""


def bring_bot(
    link: LeagueLink,
    bot: Entrant,
    name: str,
    say: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Plays for as long as the league lets the bot; returns the exit code.

    `name`: what the bot is called there.  Raises ConfigError if it cannot be started or nobody answers at
    first.
    """
    link.of_league("GET", "/me")  # else a program would be started in vain
    again_s, was_let_in, told = AGAIN_S, False, ""
    while True:
        began_at = time.monotonic()
        try:
            visit = _visit(link, bot, name, say)
        except NoAnswer as error:
            if not was_let_in or isinstance(error, NoTls):
                raise nobody_answers(error) from None
            visit = Visit(False, str(error))
        if visit.refusal and visit.was_let_in:
            say(f"it plays no more: {printable(visit.refusal)}")
            return SENT_AWAY
        if not visit.was_let_in and not was_let_in:
            why = "its program ended" if visit.has_ended else visit.refusal or "the connection was closed"
            say(f"{name or bot.name} was not let in: {printable(why)}")
            return NOT_LET_IN
        was_let_in = True
        if time.monotonic() - began_at > STEADY_S:
            again_s = AGAIN_S
        why = "its program ended" if visit.has_ended else visit.refusal or "the connection was lost"
        if why != told or visit.was_let_in:
            say(f"{printable(why)}: it comes back")
            told = why
        wait(again_s)
        again_s = min(AGAIN_MAX_S, 2 * again_s)


def _visit(link: LeagueLink, bot: Entrant, name: str, say: Callable[[str], None]) -> Visit:
    """One connection, with a program of its own, from its start to its end."""
    here = start_here(bot)
    try:
        connection, first = _introduced(here)
        server = BotSocket(link.url)
        try:
            called, is_full = name or connection.name or bot.name, connection.protocol is not None
            server.send(_hello(called, link.token, is_full))
            return _carry(here, first, server, say)
        finally:
            server.close()
    finally:
        here.end()


def _introduced(here: BotHere) -> tuple[ArenaConnection, bytes | None]:
    """What a bot says of itself, and what it said instead."""
    connection, line = ArenaConnection(), None
    with suppress(queue.Empty):
        line = here.line(SILENCE_S)
    connection.receive((line or b"{}") + b"\n")
    is_said = connection.name is not None or connection.protocol is not None
    return connection, None if is_said else line


def _hello(name: str, token: str, is_full: bool) -> str:
    said = {"name": name, "token": token}
    return msgspec.json.encode({"type": "hello", "protocol": 1, **said} if is_full else said).decode()


def _carry(here: BotHere, first: bytes | None, server: BotSocket, say: Callable[[str], None]) -> Visit:
    """Carries messages both ways until either end closes."""
    has_ended, began_at = threading.Event(), time.monotonic()

    def bring() -> None:
        line = first or here.line()
        while line is not None:
            if not server.send(line.decode("utf-8", "replace")):
                return
            line = here.line()
        has_ended.set()
        server.close()

    threading.Thread(target=bring, daemon=True).start()
    was_let_in, refusal = False, ""
    for message in server.messages():
        if reason := _goodbye(message):
            refusal = reason
            continue
        if not was_let_in:
            was_let_in = True
            say("it is connected; Ctrl-C ends it")
        try:
            here.send(message.encode() + b"\n")
        except (OSError, ValueError):
            has_ended.set()
            break
    # A plain bot hears nothing until it is asked something.
    was_let_in = was_let_in or time.monotonic() - began_at > PLAIN_S
    return Visit(was_let_in, refusal, has_ended.is_set())


class _Goodbye(msgspec.Struct, tag="bye"):
    reason: str


def _goodbye(message: str) -> str:
    """Why the server closes the connection, if this message says so."""
    if '"bye"' not in message:
        return ""
    try:
        return msgspec.json.decode(message, type=_Goodbye).reason
    except msgspec.DecodeError:
        return ""


def own_bot(spec: str) -> Entrant:
    """The bot of this machine that a spec names.  Raises ConfigError if it is none that a program plays."""
    from pathlib import Path

    from arena.tournament.bots.entrants import resolve

    bot = resolve(spec, base=Path.cwd())
    if bot.kind != "process":
        raise ConfigError(f"{printable(spec)} is no program: name a folder, a file or a command that runs")
    return bot
