"""Which house rules of Hold'em do not fit each other."""

from __future__ import annotations

from typing import Any

from arena.errors import ConfigError

BIG_BLINDS_MAX = 10_000
"""The largest stack, in big blinds."""
PUSHED_MIN, PUSHED_MAX = 2, 15
"""The smallest and the largest stack with `push_or_fold`, in big blinds."""


def check_rules(game: Any) -> None:
    """Raises ConfigError if two of the game's rules do not fit each other."""
    rules = [("small_blind", "big_blind"), ("big_blind", "stack")]
    for low, high in rules[:1] if game.stacks else rules:
        if getattr(game, low) > getattr(game, high):
            raise ConfigError(
                f"House rule {low} of {game.name} is {getattr(game, low)}, but must not be more than "
                f"{high}, which is {getattr(game, high)}."
            )
    # Every turn is kept until the match is stored, and the least raise is a big blind.
    rule, most = ("stacks", max(game.stacks)) if game.stacks else ("stack", game.stack)
    if most > BIG_BLINDS_MAX * game.big_blind:
        raise ConfigError(
            f"House rule {rule} of {game.name} {'has' if game.stacks else 'is'} {most}, but must not be "
            f"more than {BIG_BLINDS_MAX} times big_blind, which is {game.big_blind}."
        )
    if game.stacks and game.push_or_fold:
        raise ConfigError(
            f"House rule stacks of {game.name} is for a freeze-out, and push_or_fold for hands that begin "
            f"alike: leave one of them out."
        )
    if game.stacks and game.reset_stacks:
        raise ConfigError(
            f"House rule stacks of {game.name} gives each seat chips of its own for the whole match, "
            f"but with reset_stacks = true every hand begins with equal ones: set it to false."
        )
    if game.push_or_fold:
        _check_push_or_fold(game)


def _check_push_or_fold(game: Any) -> None:
    if not game.reset_stacks:
        raise ConfigError(
            f"House rule push_or_fold of {game.name} is true, but in a freeze-out the stacks do not stay "
            f"small: set reset_stacks to true."
        )
    least, most = PUSHED_MIN * game.big_blind, PUSHED_MAX * game.big_blind
    if not least <= game.stack <= most:
        raise ConfigError(
            f"House rule stack of {game.name} is {game.stack}, but with push_or_fold = true it must be "
            f"{PUSHED_MIN} to {PUSHED_MAX} times big_blind, {least} to {most}."
        )
