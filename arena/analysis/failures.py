"""The ways in which bots failed: a crash is listed once, reasons that differ only in numbers together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import attrs

from arena.store import FaultCount
from arena.words import clipped, counted, printable

SHOWN_MAX, BOTS_MAX = 10, 20
"""How many failures are shown; if more bots than that have failed, one for each of up to BOTS_MAX bots."""


@attrs.frozen
class Failure:
    """One way in which a bot failed, however often."""

    bot: str
    kind: str
    """The kind of the fault, or `crashed`."""
    reason: str
    """The reason, for a crash the exception: untrusted words of the bot or the game; may be empty."""
    count: int
    """How often it happened; a bot that is gone for the rest of a match counts once."""
    faults: int
    """How many decisions failed in this way, as the tables count them."""
    defaults: int = 0
    """How many default moves were played because the bot was gone, not counting the first of each match."""
    is_example: bool = False
    """Whether other cases differ from `reason`, in numbers or in what the bot printed last."""
    capsule: str = ""
    """The file with the evidence of one case, within the results folder; empty if there is none."""
    log: str = ""
    """The log of the instance that the capsule is about, within the results folder; empty if it has none."""
    replaced_by: str = ""
    """The bot that plays in its place, if this is an old version of it."""

    @property
    def who(self) -> str:
        """The bot's name: `bob`, or `bob (replaced by bob@2)`."""
        name = printable(self.bot)
        return f"{name} (replaced by {printable(self.replaced_by)})" if self.replaced_by else name

    @property
    def said(self) -> str:
        """The failure in words: `crashed: KeyError: 'hand'`, `illegal: e.g. bid [3, 2] …`."""
        return f"{self.kind}: {self.why}" if self.why else self.kind

    @property
    def why(self) -> str:
        """The reason in words, on one line; empty if there is none."""
        reason = f"e.g. {printable(self.reason)}" if self.is_example else printable(self.reason)
        return f"{reason} (and {counted(self.defaults, 'move')} by default)" if self.defaults else reason

    def within(self, most: int) -> Failure:
        """The failure with its reason cut to `most` columns."""
        return attrs.evolve(self, reason=clipped(self.reason, most))


def failures(
    faults: Iterable[FaultCount],
    log_of: Callable[[str], str] | None = None,
    successors: Mapping[str, str] = MappingProxyType({}),
) -> list[Failure]:
    """The ways in which each bot failed, those with most faults first, but those of old versions last.

    `log_of` returns the log that belongs to a capsule (`Store.log_of`), for failures to be shown.
    `successors` maps old versions to the bots that play in their place.
    """
    alike: dict[tuple[str, str, str], list[FaultCount]] = {}
    for row in faults:
        alike.setdefault((row.bot, row.fault, _pattern(row)), []).append(row)
    told = [
        attrs.evolve(each, replaced_by=successors.get(each.bot, "")) for each in map(_merged, alike.values())
    ]
    merged = sorted(told, key=lambda each: (bool(each.replaced_by), -each.faults, each.bot, each.kind))
    if log_of is not None:
        for place in most_telling(merged):
            if capsule := merged[place].capsule:
                merged[place] = attrs.evolve(merged[place], log=log_of(capsule))
    return merged


def most_telling(failed: Sequence[Failure]) -> list[int]:
    """The places of the failures to show, in order: the first of each bot, and more while there is room.

    So a bot with many different faults does not hide another one that crashed.
    """
    first: dict[str, int] = {}
    for place, each in enumerate(failed):
        first.setdefault(each.bot, place)
    chosen = set(list(first.values())[:BOTS_MAX])
    others = [place for place in range(len(failed)) if place not in chosen]
    return sorted([*chosen, *others[: max(0, SHOWN_MAX - len(chosen))]])


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PRINTED = re.compile(r"; it last printed: .*", re.DOTALL)
_CRASH = re.compile(
    r"(?:its process ended with exit code [1-9]\d*: |its process ended with (?=exit code [1-9])|raised "
    r"|was ended by (?=SIG(?:ABRT|BUS|FPE|ILL|SEGV|SYS|TRAP)\b))(.*)",
    re.DOTALL,
)
"""What players say about a bot that crashed; `why_ended` and `LocalPlayer` in `arena.players` word it."""


_CONSEQUENCE = "still owed the previous answer"
"""How players (`arena.players.stream`) word a fault that follows from another one, which is shown instead."""


def _pattern(row: FaultCount) -> str:
    """What reasons that are listed together have in common; all late answers are one."""
    return "" if row.fault == "too_late" else _NUMBER.sub("0", _PRINTED.sub("", row.reason))


def _merged(rows: list[FaultCount]) -> Failure:
    first = max(rows, key=lambda row: (not row.reason.startswith(_CONSEQUENCE), row.count))
    reason = first.reason
    is_gone = first.fault == "gone" and first.seats > 0
    crash = _CRASH.fullmatch(reason) if is_gone else None
    faults = sum(row.count for row in rows)
    count = sum(row.seats for row in rows) if is_gone else faults
    return Failure(
        bot=first.bot,
        kind="crashed" if crash else first.fault,
        reason=crash[1] if crash else reason,
        count=count,
        faults=faults,
        defaults=faults - count + sum(row.not_asked for row in rows) if is_gone else 0,
        is_example=len(rows) > 1 and bool(reason),
        capsule=next((row.capsule for row in (first, *rows) if row.capsule), ""),
    )
