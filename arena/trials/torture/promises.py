"""What the arena promises whatever a bot does, and whether one run kept it: arithmetic, no processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Literal, TypeAlias

import attrs

from arena.trials.torture.habits import Habit

MEMORY_MB = 100
"""The arena's memory stays below this, in 10⁶ bytes; with well-behaved bots it is about half of it."""
DELAY_MS = 1.0
"""How much the median thinking time of the honest bots may grow."""
TIMES_LEAST = 50
"""How many answers it takes for a median to say anything."""

TrialVerdict: TypeAlias = Literal["held", "broken", "open"]
"""`open`: it would be broken, but nothing was promised there."""


@attrs.frozen(kw_only=True)
class TrialTerms:
    """The terms on which a habit is tried."""

    series: int
    tables: int = 2
    move_s: float = 0.25
    limit_s: float = 2.0
    """The bank: how long a bot may think in a whole match."""
    first_s: float = 10.0
    """The limit of an instance's first answer."""
    grace_s: float = 2.0
    """How long starting and ending a bot may take for each match."""
    connect_s: float = 3.0
    sandbox: str = ""
    """The box that bots are started in; empty: the default."""
    means: str = ""
    """What makes that box; empty: the best there is."""

    def allowed_s(self, matches: int, startups_s: float = 0.0) -> float:
        """How long this many matches may take with a bot that uses up all its time."""
        return ((self.limit_s + self.grace_s) * matches + startups_s) / self.tables


@attrs.frozen(kw_only=True)
class Findings:
    """The results of one run."""

    exit_code: int | None
    """The exit code of the arena; None: it had to be killed."""
    seconds: float
    peak_mb: float | None
    """The peak memory of the arena's process; None if the system does not report it."""
    left: int | None
    """How many processes were alive after the arena had ended; None if that cannot be known."""
    faults: Mapping[str, int]
    """The faults of the bad bot, by kind."""
    honest_faults: Mapping[str, int]
    planned: int
    """How many matches the schedule had; 0 if the run never began."""
    played: int
    aborted: int
    times_s: Sequence[float]
    """The thinking times of the honest bots, sorted."""
    last_words: str
    """The last line on the arena's standard error."""
    obeyed: bool
    """Whether the arena printed any terminal escape sequence."""
    box: str = ""
    """The box that the bots ran in."""

    @property
    def median_ms(self) -> float | None:
        """The honest bots' median thinking time."""
        return self._quantile_ms(0.5)

    @property
    def p99_ms(self) -> float | None:
        """The thinking time that the honest bots exceed in one of a hundred answers."""
        return self._quantile_ms(0.99)

    def _quantile_ms(self, share: float) -> float | None:
        """The thinking time that this share of answers stays below; None if there are too few answers."""
        if len(self.times_s) < TIMES_LEAST:
            return None
        return 1000 * self.times_s[max(0, ceil(share * len(self.times_s)) - 1)]


@attrs.frozen(kw_only=True)
class TrialRow:
    """A habit with its results, and those of a run without it."""

    habit: Habit
    observed: Findings
    without: Findings
    """The results of the same run with an honest bot in its place, or without the strangers."""
    extra_s: float
    """How much time the habit may cost: (limit + grace) × matches."""

    @property
    def allowed_s(self) -> float:
        """How long the run may take: its time without the habit plus `extra_s`."""
        return self.without.seconds + self.extra_s

    @property
    def delay_ms(self) -> float | None:
        """How much the median thinking time of the honest bots grew; None if that is unknown."""
        return _difference(self.observed.median_ms, self.without.median_ms)

    @property
    def delay_p99_ms(self) -> float | None:
        """How much the thinking time grew that they exceed in one of a hundred answers; None if unknown."""
        return _difference(self.observed.p99_ms, self.without.p99_ms)

    @property
    def is_doubtful(self) -> bool:
        """Whether the times look as if the machine was busy, with the habit or without it."""
        has_hung = self.observed.exit_code is None
        is_slow = self.observed.seconds > self.allowed_s and not has_hung
        return is_slow or not -DELAY_MS / 2 <= (self.delay_ms or 0.0) <= DELAY_MS

    @property
    def breaches(self) -> list[str]:
        """The broken promises, a clause each, the worst first."""
        return list(_breaches(self))

    @property
    def verdict(self) -> TrialVerdict:
        if not self.breaches:
            return "held"
        return "open" if self.habit.box and not is_boxed(self.observed.box) else "broken"


def is_boxed(box: str) -> bool:
    """Whether the bots' box keeps them away from the arena's own process."""
    return box.startswith(("shield", "strict")) and "limits" not in box


def _difference(with_it: float | None, without: float | None) -> float | None:
    return None if with_it is None or without is None else with_it - without


def _breaches(row: TrialRow) -> Iterator[str]:
    habit, seen = row.habit, row.observed
    if seen.exit_code is None:
        yield f"the run hung: killed after {seen.seconds:.0f} s"
    elif habit.refused and seen.exit_code != 2:
        yield f"the run should have refused to start (exit code 2), but ended with exit code {seen.exit_code}"
    elif seen.exit_code not in ((0, 2) if habit.is_yours or habit.refused else (0,)):
        yield f"the arena ended with exit code {seen.exit_code}: {seen.last_words or 'without a word'}"
    if seen.exit_code == 0 and seen.played < seen.planned:
        yield f"{seen.planned - seen.played} of {seen.planned} matches are missing"
    if seen.aborted:
        yield f"{seen.aborted} matches were aborted by a bug of the arena"
    if seen.honest_faults:
        yield f"honest bots were charged with {as_words(seen.honest_faults)}"
    if seen.left:
        yield f"{seen.left} processes were left"
    if seen.peak_mb is not None and seen.peak_mb >= MEMORY_MB:
        yield f"the arena held {seen.peak_mb:.0f} MB; promised: less than {MEMORY_MB}"
    if seen.seconds > row.allowed_s and seen.exit_code is not None:
        yield f"it took {seen.seconds:.1f} s; promised: {row.allowed_s:.1f} s at most"
    if row.delay_ms is not None and row.delay_ms > DELAY_MS:
        yield f"the honest bots answered {row.delay_ms:.2f} ms later (median); promised: {DELAY_MS:g} ms"
    if seen.obeyed:
        yield "the arena printed terminal escape sequences"
    if not habit.is_yours and not habit.refused and seen.exit_code == 0:
        yield from _wrong_faults(habit, seen)


def _wrong_faults(habit: Habit, seen: Findings) -> Iterator[str]:
    """Yields a breach if the habit was not charged with what it did, or was charged with something else."""
    if habit.faults and not habit.faults & seen.faults.keys():
        yield f"it was not charged with {' or '.join(sorted(habit.faults))}"
    wrong = {kind: count for kind, count in seen.faults.items() if kind not in habit.faults | habit.may}
    if wrong:
        yield f"it was charged with {as_words(wrong)}, which it did not do"


def as_words(faults: Mapping[str, int]) -> str:
    """Faults in words, such as `too_late 3, gone 1`."""
    return ", ".join(f"{kind} {count}" for kind, count in faults.items())
