"""Results in a notebook: they show what is in them, and names stay names."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from synthetic import play

from arena.analysis import export, load
from arena.analysis.leaderboard import SHOWN
from arena.analysis.ranking import leaderboard


class Cells(HTMLParser):
    """The cells of all tables, and the elements there are."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.rows: list[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, text: str) -> None:
        if self.rows and self.lasttag in ("td", "th"):
            self.rows[-1].append(text)


def test_a_leaderboard_shows_itself(played):
    """A row a bot under the titles; below what it stands on."""
    html = leaderboard(played)._repr_html_()
    header, first, *_ = Cells(html).rows
    assert list(SHOWN) == header
    assert ["1", "ann", "6", "0.8333"] == first[:4]
    assert "Elo" in first


@pytest.mark.slow
def test_results_show_what_is_in_them(played):
    """The same table, from the database or the CSVs, under a line that counts."""
    export(played)
    html = load(played.folder)._repr_html_()
    assert "dice, 3 bots, 6 matches" in html
    assert [["1", "ann"], ["2", "bob"], ["3", "cat"]] == [row[:2] for row in Cells(html).rows[1:]]


def test_a_name_is_no_markup(store):
    """Whatever a bot calls itself."""
    store.add(play(0, 0, ("<script>alert(1)</script>", "&amp;")))
    cells = Cells(leaderboard(store)._repr_html_())
    assert "script" not in cells.elements
    assert "<script>alert(1)</script>" in "".join(cells.rows[1])
