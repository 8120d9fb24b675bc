"""Two runs of the bench compared: which figures changed, and by more than noise.

A figure has changed if its samples then and now differ more than those of one figure would by chance once in
a hundred times: Wilcoxon's rank-sum test, two-sided and exact, which assumes nothing about how times spread.
Five samples against five can say that much, and only if they do not overlap.

A machine that others use is faster at one hour than at another.  So a fixed loop is timed in every run, and a
figure with a unit of time has changed only if it has both as it stands and in units of that loop.
"""

from __future__ import annotations

import re
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from math import comb, erfc, sqrt
from typing import Any

import attrs

from arena.bench.measures import Measure, Report, short

LEVEL = 0.01
"""By chance, this share of the figures is said to have changed where nothing did."""
EXACT_MAX = 60
"""Samples of both runs, up to which chances are counted; beyond, the normal approximation is as good."""
NEW, SAME, ELSEWHERE = "no earlier figure", "within noise", "not comparable: another machine"
FEW = "too few samples to tell"


@attrs.frozen
class Change:
    """What became of a figure."""

    earlier: Measure | None
    said: str
    """For people: `12 % faster`, `within noise`."""
    is_real: bool = False
    """Whether it is beyond noise."""


def changes(now: Report, then: Report) -> list[Change]:
    """For each figure of now, what it was and whether it changed."""
    earlier = {_key(measure): measure for measure in then.measures}
    drift = _drift(now, then)
    are_alike = is_same_machine(now, then)
    return [_change(measure, earlier.get(_key(measure)), drift, are_alike) for measure in now.measures]


def is_same_machine(now: Report, then: Report) -> bool:
    """As far as a run tells: the same processor, as many cores."""
    return all(now.machine[key] == then.machine[key] for key in ("processor", "cores"))


def figures_gone(now: Report, then: Report) -> list[Measure]:
    """Earlier figures that are not there any more, of the groups that were measured now."""
    groups, there = {measure.group for measure in now.measures}, set(map(_key, now.measures))
    return [each for each in then.measures if each.group in groups and _key(each) not in there]


def change_notes(now: Report, then: Report, found: Sequence[Change]) -> list[str]:
    """What the reader of the changes has to know besides."""
    lines = []
    if not is_same_machine(now, then):
        lines.append(
            f"another machine: {_named(then.machine)} then, {_named(now.machine)} now; "
            "figures with units of time are not comparable, ratios are"
        )
    for key in ("system", "python", "trio"):
        if now.machine[key] != then.machine[key]:
            lines.append(f"{key}: {then.machine[key]} then, {now.machine[key]} now")
    drift = _drift(now, then)
    if drift is not None:
        lines.append(f"a fixed loop takes {drift:.2f} × the time it took then: so much is the machine's")
    elif is_same_machine(now, then):
        lines.append("the machine's speed then is not known: times may have changed by that alone")
    compared = sum(change.said != NEW and change.said != ELSEWHERE for change in found)
    beyond = sum(change.is_real for change in found)
    lines.append(
        f"{beyond} of {compared} figures changed beyond noise; "
        f"by chance about {LEVEL * compared:.1g} would if nothing had changed"
    )
    if left := figures_gone(now, then):
        lines.append("not measured any more: " + "; ".join(f"{each.group}: {each.what}" for each in left))
    return lines


def is_of_time(unit: str) -> bool:
    """Whether a figure depends on how fast its machine is: a time, or something per second."""
    return unit.endswith("/s") or re.match(r"(s|ms|µs)\b", unit) is not None


# One figure.


def _change(now: Measure, then: Measure | None, drift: float | None, are_alike: bool) -> Change:
    if then is None:
        return Change(None, NEW)
    is_time = is_of_time(now.unit)
    if is_time and not are_alike:
        return Change(then, ELSEWHERE)
    if _least_chance(len(now.samples), len(then.samples)) > LEVEL:
        return Change(then, FEW)
    directions = [_direction(now, then, 1.0)]
    if is_time and drift is not None:
        directions.append(_direction(now, then, drift if now.unit.endswith("/s") else 1 / drift))
    if len(set(directions)) > 1 or not directions[0]:
        return Change(then, SAME)
    return Change(then, _said(now, then), is_real=True)


def _direction(now: Measure, then: Measure, factor: float) -> int:
    """1 if the samples of now, times `factor`, are higher beyond noise, −1 if lower, 0 if neither."""
    scaled = tuple(factor * sample for sample in now.samples)
    if chance_of(scaled, then.samples) > LEVEL:
        return 0
    return 1 if statistics.median(scaled) > then.value else -1


def chance_of(ones: Sequence[float], others: Sequence[float]) -> float:
    """How probable it is that samples of one and the same figure differ as much as these (rank-sum test)."""
    both = sorted((*ones, *others))
    rank = {value: bisect_left(both, value) + bisect_right(both, value) + 1 for value in both}
    ranks = [rank[value] for value in both]  # twice the rank: so those of ties are whole numbers
    total, size = sum(rank[value] for value in ones), len(ones)
    mean = size * (len(both) + 1)
    if len(both) > EXACT_MAX:
        spread = sum((each - len(both) - 1) ** 2 for each in ranks) / (len(both) - 1)
        spread *= size * len(others) / len(both)
        return erfc(abs(total - mean) / sqrt(2 * spread)) if spread else 1.0
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]
    for each in ranks:  # how many choices of so many samples have which sum of ranks
        for chosen in range(size, 0, -1):
            for value, count in ways[chosen - 1].items():
                ways[chosen][value + each] = ways[chosen].get(value + each, 0) + count
    far = sum(count for value, count in ways[size].items() if abs(value - mean) >= abs(total - mean))
    return far / comb(len(both), size)


def _least_chance(ones: int, others: int) -> float:
    """Of two runs with so many samples that do not overlap."""
    return 2 / comb(ones + others, ones)


def _said(now: Measure, then: Measure) -> str:
    """`12 % faster`; percentages of the speed for times and rates, otherwise of the figure."""
    if now.unit.endswith(" more") or now.value <= 0 or then.value <= 0:
        sign = "+" if now.value > then.value else "−"
        return f"{sign}{short(abs(now.value - then.value))} {now.unit.removesuffix(' more')}"
    ratio = now.value / then.value
    if is_of_time(now.unit):
        speed = ratio if now.unit.endswith("/s") else 1 / ratio
        return f"{_percent(speed)} {'faster' if speed > 1 else 'slower'}"
    words = "more" if ratio > 1 else "less"
    if now.goal is not None:
        words += " (better)" if (ratio < 1) == now.goal.is_upper else " (worse)"
    return f"{_percent(ratio)} {words}"


def _percent(ratio: float) -> str:
    percent = 100 * abs(ratio - 1)
    return f"{percent:,.0f} %" if percent >= 10 else f"{percent:.2g} %"


# The two runs.


def _key(measure: Measure) -> tuple[str, str, str]:
    return measure.group, measure.what, measure.unit


def _drift(now: Report, then: Report) -> float | None:
    """How many times as long the fixed loop takes now."""
    if not now.loop_ms or not then.loop_ms:
        return None
    return statistics.median(now.loop_ms) / statistics.median(then.loop_ms)


def _named(machine: Mapping[str, Any]) -> str:
    return f"{machine['processor']}, {machine['cores']} cores"
