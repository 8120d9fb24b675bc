"""Bots that cannot play: the error that lists them all, and what their programs printed about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.errors import ConfigError, Hint
from arena.players.entrant import Entrant
from arena.players.start import BotBroken
from arena.tournament.plan import Plan
from arena.words import clipped, counted, printable

LOGS_SHOWN_MAX = 3
"""If more bots than this are broken, each gets one line, and the ends of their logs are not shown."""
LOG_LINES = 20
"""How much of a broken bot's log is shown: Node says what is wrong above a dozen lines of its own."""
REASON_WIDTH = 500
"""How many columns of a reason are shown: it repeats what others wrote."""


class BrokenBots(ConfigError):
    """Some bots cannot be found, built or started; `broken` has each of them with its reason and its log."""

    def __init__(
        self,
        broken: Sequence[BotBroken],
        *,
        bots: int = 0,
        seats: int = 0,
        head: str = "",
        logs: Path | None = None,
    ) -> None:
        """`bots`: how many there are, for `seats`; `head`: the first line, if not the usual one."""
        self.broken = tuple(broken)
        them = "it" if len(broken) == 1 else "them"
        hints = dict.fromkeys(hint for bot in broken for hint in bot.hints)
        if bots - len(broken) >= seats and not head:
            hints[Hint("leave_out_broken", f"plays without {them}")] = None
        head = head or f"{some_of(len(broken), bots)} cannot play; fix {them}:"
        super().__init__("\n".join([head, *_told(self.broken, logs)]), hints=hints)


def some_of(some: int, bots: int) -> str:
    """`1 of 40 bots`, or `2 bots` where the number of all is not known."""
    return f"{some:,} of {counted(bots, 'bot')}" if bots else counted(some, "bot")


def _told(broken: Sequence[BotBroken], logs: Path | None) -> Iterator[str]:
    if len(broken) <= LOGS_SHOWN_MAX:
        for bot in broken:
            yield f"  {said_of(bot)}"
            yield from (f"    | {printable(line)}" for line in bot.log.strip().splitlines()[-LOG_LINES:])
        return
    for bot in broken:
        yield f"  {clipped(printable(f'{bot.path or bot.name}: {bot.reason}'), REASON_WIDTH)}"
    if logs is not None and any(bot.log.strip() for bot in broken):
        yield f"what they printed is in {logs}"


def too_few_can_play(plan: Plan, here: int) -> str:
    """The message if this many bots are left to play, and that is not enough."""
    return f"{here} of the bots can play, and a table has {plan.seats} seats: fix some, or use fewer seats"


def said_of(bot: BotBroken) -> str:
    """`path: what is wrong with it`, on one line of bounded length."""
    return clipped(printable(str(bot)), REASON_WIDTH)


def found_broken(entrant: Entrant) -> BotBroken:
    """The error for a bot that is broken before it is started."""
    return BotBroken(entrant.name, entrant.problem, path=path_of(entrant), hints=entrant.hints)


def tried_in_vain(entrant: Entrant, error: BotBroken) -> BotBroken:
    """The error for a bot that could not be built or started."""
    return BotBroken(entrant.name, error.reason, error.log, error.log_path, path=path_of(entrant))


def path_of(entrant: Entrant) -> str:
    """How the user finds the bot: by the path that was given, and its name where that differs."""
    path = clipped(entrant.path, 100)
    if not path or path == entrant.name:
        return entrant.name
    return path if entrant.name in path else f"{entrant.name} ({path})"
