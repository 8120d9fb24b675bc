"""Charts as small pure functions: numbers in, SVG out.

Rows of one chart share an axis.  Positions are percentages, so that a chart takes the width it is given and
its words keep their size; colours are the page's, by class, so that they follow light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

import attrs

from arena.words import measured, number

ROW_PX, COURSE_PX = 22, 300
LABEL_PX = 15
"""The distance between the labels of two lines."""
LEAST_S = 1e-7
"""The shortest time that clocks can tell."""
STEPS_OF_TEN = 3
"""How many bars of a histogram of times share a power of ten."""
COLOURS = 8
"""How many lines have a colour of their own; more cannot be told apart."""


@attrs.frozen
class Axis:
    """An axis from `low` to `high`, with its labelled ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    is_log: bool = False

    def at(self, value: float) -> float:
        """The position of a value, in percent from the left; values outside are put at the edge."""
        low, high, value = self.low, self.high, min(self.high, max(self.low, value))
        if self.is_log:
            low, high, value = log10(low), log10(high), log10(value)
        return round(100 * (value - low) / (high - low), 2)


def linear(values: Sequence[float], ticks: int = 5) -> Axis:
    """An axis that contains all these values, with about `ticks` round numbers on it."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    span = high - low or abs(high) or 1.0
    low, high = low - 0.04 * span, high + 0.04 * span
    step = _round_step((high - low) / ticks)
    first, last = ceil(low / step), floor(high / step)
    # Floats are inexact: 78 × 0.2 is a little above 15.6.
    return Axis(low, high, tuple(min(max(place * step, low), high) for place in range(first, last + 1)))


def _round_step(step: float) -> float:
    power = 10.0 ** floor(log10(step))
    return min((each * power for each in (1, 2, 5, 10)), key=lambda each: abs(each - step))


def logarithmic(values: Sequence[float]) -> Axis:
    """A logarithmic axis of times, in whole powers of ten, that contains all these values from LEAST_S on."""
    above = [value for value in values if value >= LEAST_S] or [1e-3, 1.0]
    low, high = floor(log10(min(above))), ceil(log10(max(above)))
    low -= 10.0**low > min(above)  # log10 rounds: that of 9999.999999999998 is 4.0
    high = max(high + (10.0**high < max(above)), low + 1)
    return Axis(10.0**low, 10.0**high, tuple(10.0**power for power in range(low, high + 1)), is_log=True)


def whisker(axis: Axis, value: float, low: float, high: float, said: str, middle: float | None = None) -> str:
    """A dot with its interval; `middle` is where the line for even is drawn."""
    x, start, end = axis.at(value), axis.at(low), axis.at(high)
    return _row(
        said,
        _grid(axis, middle)
        + f'<line class="range" x1="{start}%" x2="{end}%" y1="11" y2="11"/>'
        + f'<circle class="dot" cx="{x}%" cy="11" r="5"/>',
    )


def spent(axis: Axis, median_s: float, p99_s: float, max_s: float, said: str) -> str:
    """Three marks of thinking times: a dot for the median, lines for p99 and the longest."""
    median, p99, longest = (axis.at(time_s) for time_s in (median_s, p99_s, max_s))
    return _row(
        said,
        _grid(axis, None)
        + f'<line class="faint" x1="{median}%" x2="{longest}%" y1="11" y2="11"/>'
        + f'<line class="range" x1="{median}%" x2="{p99}%" y1="11" y2="11"/>'
        + f'<line class="mark" x1="{p99}%" x2="{p99}%" y1="5" y2="17"/>'
        + f'<line class="mark thin" x1="{longest}%" x2="{longest}%" y1="7" y2="15"/>'
        + f'<circle class="dot" cx="{median}%" cy="11" r="5"/>',
    )


def bars(counts: Sequence[int], limit_s: float | None, said: str) -> str:
    """A histogram of times from LEAST_S on, with a line for the limit of a move, over its scale.

    A bar's height is the root of its count: one slow answer among thousands must be seen.
    """
    starts = [LEAST_S * 10 ** (place / STEPS_OF_TEN) for place in range(len(counts) + 1)]
    held = [place for place, count in enumerate(counts) if count]
    edges = [starts[held[0]], starts[held[-1] + 1]] if held else []
    axis = logarithmic([*edges, *([limit_s] if limit_s else [])])
    most = max(counts, default=0) or 1
    drawn = ""
    for place in held:
        x, end = 10 * axis.at(starts[place]), 10 * axis.at(starts[place + 1])
        height = max(2, 100 * (counts[place] / most) ** 0.5)
        drawn += f"M{x:.0f} 100v-{height:.0f}h{end - x:.0f}V100z"
    line = ""
    if limit_s:
        x, said = round(10 * axis.at(limit_s)), f"{said}; the limit is {measured(limit_s)}"
        line = f'<path class="even" d="M{x} 0v100"/>'
    ticks = "".join(f"<span>{_named(axis, tick, 0)}</span>" for tick in axis.ticks)
    return (
        f'<svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(said)}"><path class="bar" d="{drawn}"/>{line}</svg>'
        f'<p class="scale" aria-hidden="true">{ticks}</p>'
    )


def scale(axis: Axis) -> str:
    """The row that labels the axis' ticks."""
    span = axis.ticks[1] - axis.ticks[0] if len(axis.ticks) > 1 else 1.0
    digits = max(0, -floor(log10(span)))
    texts = [_tick(axis, place, tick, digits) for place, tick in enumerate(axis.ticks)]
    return f'<svg class="row" width="100%" height="{ROW_PX}" aria-hidden="true">{"".join(texts)}</svg>'


def _tick(axis: Axis, place: int, tick: float, digits: int) -> str:
    """A tick's label; every second one disappears if there is little room."""
    kind, x = ' class="second"' if place % 2 else "", axis.at(tick)
    return f'<text{kind} x="{x}%" y="14" text-anchor="{_anchor(x)}">{_named(axis, tick, digits)}</text>'


def _named(axis: Axis, tick: float, digits: int) -> str:
    if axis.is_log:
        return (
            f"{tick:.0f} s" if tick >= 1 else f"{tick * 1000:g} ms" if tick >= 1e-3 else f"{tick * 1e6:g} µs"
        )
    return number(tick, digits)


def _anchor(x: float) -> str:
    return "start" if x < 4 else "end" if x > 96 else "middle"


def _row(said: str, marks: str) -> str:
    said = escape(said)
    head = f'<svg class="row" width="100%" height="{ROW_PX}" role="img" aria-label="{said}">'
    return f"{head}<title>{said}</title>{marks}</svg>"


def _grid(axis: Axis, middle: float | None) -> str:
    places = [axis.at(tick) for tick in axis.ticks]
    lines = [f'<line class="grid" x1="{x}%" x2="{x}%" y1="-3" y2="{ROW_PX + 3}"/>' for x in places]
    if middle is not None and axis.low < middle < axis.high:
        lines.append(
            f'<line class="even" x1="{axis.at(middle)}%" x2="{axis.at(middle)}%" y1="-3" y2="{ROW_PX + 3}"/>'
        )
    return "".join(lines)


# The course of a tournament.


@attrs.frozen
class Line:
    """One bot's score as the tournament went on."""

    bot: str
    points: tuple[tuple[float, float], ...]
    """The points from left to right, as (share of the tournament from 0 to 1, score)."""


def course(lines: Sequence[Line], unit: str) -> str:
    """The lines on one axis, each named where it ends; the first ones, which are the best, in colours."""
    settled = [score for line in lines for share, score in line.points if share >= 0.1]
    axis = linear(settled, 4)
    drawn = [_line(axis, place, line) for place, line in enumerate(lines) if line.points]
    ends = [(place, axis.at(line.points[-1][1]), line) for place, line in enumerate(lines) if line.points]
    return (
        '<div class="course"><div class="plot">'
        f'<svg width="100%" height="{COURSE_PX}" role="img" aria-label="{_course_said(lines, unit)}">'
        f"{_levels(axis)}"
        f'<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="{COURSE_PX}">'
        f"{''.join(reversed(drawn))}</svg></svg></div>"
        f'<ul class="ends" style="height:{COURSE_PX}px" aria-hidden="true">{_ends(ends)}</ul></div>'
    )


def _course_said(lines: Sequence[Line], unit: str) -> str:
    last = ", ".join(f"{line.bot} {number(line.points[-1][1], 3)}" for line in lines if line.points)
    return escape(f"Mean {unit} so far over the course of the tournament; at its end: {last}")


def _levels(axis: Axis) -> str:
    digits = max(0, -floor(log10(axis.ticks[1] - axis.ticks[0]))) if len(axis.ticks) > 1 else 2
    return "".join(
        f'<line class="grid" x2="100%" y1="{100 - axis.at(tick)}%" y2="{100 - axis.at(tick)}%"/>'
        f'<text x="0" y="{100 - axis.at(tick)}%" dy="-3">{number(tick, digits)}</text>'
        for tick in axis.ticks
    )


def _line(axis: Axis, place: int, line: Line) -> str:
    points = [(round(1000 * share), round(1000 - 10 * axis.at(score))) for share, score in line.points]
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline class="{_colour(place)}" points="{path}"><title>{escape(line.bot)}</title></polyline>'


def _colour(place: int) -> str:
    return f"c{place}" if place < COLOURS else "others"


def _ends(ends: Sequence[tuple[int, float, Line]]) -> str:
    """The names at the ends of their lines, moved apart; if there are very many, only those with a colour."""
    if len(ends) * LABEL_PX > COURSE_PX:
        ends = ends[:COLOURS]
    ordered = sorted(ends, key=lambda each: -each[1])
    tops = _apart([COURSE_PX * (100 - at) / 100 - LABEL_PX / 2 for _, at, _ in ordered])
    return "".join(
        f'<li class="{_colour(place)}" style="top:{top:.0f}px">{escape(line.bot)}</li>'
        for top, (place, _, line) in zip(tops, ordered, strict=True)
    )


def _apart(tops: Sequence[float]) -> list[float]:
    """The labels' positions from above, pushed apart until no two overlap, and kept inside."""
    placed: list[float] = []
    for top in tops:
        placed.append(max(top, placed[-1] + LABEL_PX if placed else 0.0))
    lowest = float(COURSE_PX - LABEL_PX)
    for place in range(len(placed) - 1, -1, -1):
        placed[place] = min(placed[place], lowest)
        lowest = placed[place] - LABEL_PX
    return placed


def time_said(median_s: float, p99_s: float, max_s: float) -> str:
    return f"median {measured(median_s)}, 99 % within {measured(p99_s)}, longest {measured(max_s)}"
