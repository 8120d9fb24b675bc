"""Finds the user's mistake in what ended a run."""

from __future__ import annotations

from collections.abc import Iterator

from arena.errors import ArenaError, ConfigError


def the_mistake_in(group: BaseExceptionGroup[BaseException]) -> ConfigError | None:
    """The user's mistake that ended the run; None if anything else is in the group: a bug of ours."""
    leaves = list(_leaves(group))
    if not all(isinstance(leaf, ArenaError) for leaf in leaves):
        return None
    first = leaves[0]
    return first if isinstance(first, ConfigError) else ConfigError(str(first))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
