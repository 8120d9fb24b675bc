"""A point: one thing that a check has looked at; and words that several points need.  Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import attrs

from arena.errors import Hint
from arena.trials.check.findings import Asked, CheckFindings
from arena.words import counted

Standing: TypeAlias = Literal["fine", "mend", "note", "open"]
"""`mend`: something is wrong; `note`: nothing is, but it is worth knowing; `open`: could not be tried."""

OLD = "an answer to an old question"
"""The arena's note on such an answer."""
SAID_MAX = 200


@attrs.frozen
class CheckPoint:
    """One thing that was looked at, and how it stands."""

    name: str
    standing: Standing
    said: str
    advice: str = ""
    """What to do about it."""
    hints: tuple[Hint, ...] = ()
    """The settings that do it, unless `advice` names them."""

    def as_data(self) -> dict[str, str]:
        """The point for programs, whose `advice` names all that is to be done."""
        return attrs.asdict(self, filter=attrs.filters.exclude("hints"))


Look: TypeAlias = Callable[[CheckFindings], Iterator[CheckPoint]]


def of_answers(some: int, total: int) -> str:
    """The beginning of a sentence, such as `3 of 120 answers were`."""
    return f"{some:,} of {counted(total, 'answer')} {'was' if some == 1 else 'were'}"


def first_reason(asked: Sequence[Asked]) -> str:
    """Why the first of these answers failed, and at how many seats."""
    bad = next(each for each in asked if each.fault is not None)
    return f"{bad.reason} (first at {bad.seats} seats)"


def quoted(text: str) -> str:
    """A text from the bot, quoted and cut to what fits into a sentence."""
    return repr(text if len(text) <= SAID_MAX else f"{text[: SAID_MAX - 1]}…")


def provoked(found: CheckFindings) -> int:
    """How often the bot was charged with a fault that it had not committed."""
    return sum(asked.is_provoked for asked in found.asked)
