"""Finds the user's mistake in what ended a run, and tells it with the logs of broken bots."""

from __future__ import annotations

from collections.abc import Iterator

from arena.errors import ArenaError, ConfigError
from arena.tournament.broken import BrokenBots
from arena.words import counted, printable

LOG_LINES = 20
"""How much of a broken bot's log is shown: Node says what is wrong above a dozen lines of its own."""


def the_mistake_in(group: BaseExceptionGroup[BaseException]) -> ConfigError | None:
    """The user's mistake that ended the run; None if anything else is in the group: a bug of ours."""
    leaves = list(_leaves(group))
    if not all(isinstance(leaf, ArenaError) for leaf in leaves):
        return None
    first = leaves[0]
    if isinstance(first, BrokenBots):
        return ConfigError("\n".join(_with_logs(first)))
    return first if isinstance(first, ConfigError) else ConfigError(str(first))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _with_logs(broken: BrokenBots) -> Iterator[str]:
    """All broken bots, each with the end of its log."""
    bots = counted(len(broken.broken), "bot")
    yield f"{bots} cannot play; fix them, or --leave-out-broken plays without them:"
    for bot in broken.broken:
        yield f"  {bot.name}: {printable(bot.told)}"
        yield from (f"    | {printable(line)}" for line in bot.log.strip().splitlines()[-LOG_LINES:])
