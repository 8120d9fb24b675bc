"""Axes, rows and labels of the report's pictures."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.page.report import charts
from arena.page.report.charts import COURSE_PX, LABEL_PX, LEAST_S, Line

numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


@given(st.lists(numbers, max_size=20))
@example([15.0])
def test_a_linear_axis_holds_its_values(values: list[float]) -> None:
    """All values lie inside, ticks rise within, and there are a few of them."""
    axis = charts.linear(values)
    assert all(axis.low <= value <= axis.high for value in values)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
    assert sorted(set(axis.ticks)) == list(axis.ticks)
    assert 2 <= len(axis.ticks) <= 12


@given(st.lists(st.floats(0, 1e4), max_size=20))
@example([9999.999999999998])
@example([1.0000000000000002])
def test_a_logarithmic_axis_holds_its_values(values: list[float]) -> None:
    """All times lie inside; what is shorter than clocks can tell is put at the left edge."""
    axis = charts.logarithmic(values)
    assert all(axis.low <= value <= axis.high * 1.001 for value in values if value >= LEAST_S)
    assert all(0 <= axis.at(value) <= 100 for value in values)
    assert 0 == axis.at(0.0)


@given(st.lists(st.floats(-50, COURSE_PX + 50), max_size=COURSE_PX // LABEL_PX).map(sorted))
def test_labels_never_overlap(tops: list[float]) -> None:
    """Labels keep their order and distance, and stay inside the picture."""
    placed = charts._apart(tops)
    assert len(tops) == len(placed)
    assert all(after - before >= LABEL_PX - 1e-6 for before, after in pairwise(placed))
    assert all(-1e-6 <= top <= COURSE_PX - LABEL_PX + 1e-6 for top in placed)


HOSTILE = "\"><script>alert('x')</script>&amp;"


@pytest.mark.parametrize(
    "picture",
    [
        charts.whisker(charts.linear([0, 1]), 0.5, 0.2, 0.9, HOSTILE, 0.5),
        charts.spent(charts.logarithmic([0.001, 1]), 0.001, 0.1, 1.0, HOSTILE),
        charts.scale(charts.linear([0, 1000])),
        charts.course(
            [Line(HOSTILE, ((0.1, 0.5), (1.0, 0.6))), Line("b", ((0.2, 0.5), (1.0, 0.5)))], HOSTILE
        ),
    ],
    ids=["whisker", "spent", "scale", "course"],
)
def test_pictures_are_well_formed(picture: str) -> None:
    """Whatever the names, a picture is one well-formed element without a script, and says what it shows."""
    root = ElementTree.fromstring(picture)
    assert [] == [each for each in root.iter() if each.tag == "script"]
    said = [each.get("aria-label") for each in root.iter() if each.get("role") == "img"]
    assert all(HOSTILE in (text or "") for text in said)
    assert said or "scale" in picture or root.get("aria-hidden") == "true"


def test_places_of_a_whisker() -> None:
    """The dot stands where the value is, the line from end to end of its interval."""
    root = ElementTree.fromstring(charts.whisker(charts.Axis(0, 10, (0, 5, 10)), 5, 2, 7.5, "x"))
    (dot,) = root.iter("circle")
    (line,) = [each for each in root.iter("line") if each.get("class") == "range"]
    assert ("50.0%", "20.0%", "75.0%") == (dot.get("cx"), line.get("x1"), line.get("x2"))


def test_of_very_many_lines_the_best_are_named() -> None:
    """Where names would not fit, the lines without a colour of their own go without."""
    lines = [Line(f"bot-{place}", ((0.5, place / 50), (1.0, place / 50))) for place in range(50)]
    root = ElementTree.fromstring(charts.course(lines, "points"))
    assert charts.COLOURS == len(list(root.iter("li")))
    assert 50 == len(list(root.iter("polyline")))


@given(st.lists(st.integers(0, 5000), max_size=40), st.none() | st.floats(1e-3, 60))
@example([], None)
@example([0, 0, 7], 1.0)
def test_a_histogram_shows_every_bar_and_the_limit(counts: list[int], limit_s: float | None) -> None:
    """A bar for each time that was taken, inside the picture, and seen however few there are."""
    drawn = ElementTree.fromstring(f"<div>{charts.bars(counts, limit_s, 'said')}</div>")
    path = drawn.find(".//path")
    assert path is not None
    bars = re.findall(r"M(\d+) 100v-(\d+)h(\d+)V100z", path.attrib["d"])
    assert sum(map(bool, counts)) == len(bars)
    for x, height, width in (map(int, bar) for bar in bars):
        assert 0 <= x <= x + width <= 1001
        assert 2 <= height <= 100
    assert (limit_s is not None) == (drawn.find(".//path[@class='even']") is not None)
