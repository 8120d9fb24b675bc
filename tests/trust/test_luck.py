"""What shared luck gains is measured as its page shows it, and a memory gains nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .luck import HEAD, MEETINGS

HOUSE = Path(__file__).parents[2]


def luck(folder: Path, *words: str, without: str = "") -> list[str]:
    """What `python -m tests.trust.luck` printed, by lines; `without` one of its lists.  It leaves nothing in the folder."""
    code = f"from tests.trust import luck; luck.{without} = (); luck.main()"
    script = ["-c", code] if without else ["-m", "tests.trust.luck"]
    result = subprocess.run(
        [sys.executable, *script, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HOUSE)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert [] == list(folder.iterdir())
    return result.stdout.splitlines()


def rows_of(lines: list[str]) -> dict[str, list[str]]:
    """The cells of a Markdown table, by the bots that a row names."""
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    return {cells[2]: cells for cells in rows}


@pytest.mark.slow
@pytest.mark.nightly
def test_shared_deals_shrink_the_interval(tmp_path: Path) -> None:
    """Two versions of a bot: shared deals say the same with fewer matches, and the table divides rightly."""
    rows = rows_of(luck(tmp_path, "--series", "40", "bluff"))
    assert {"bots", "---", "doubter : doubter-keen"} == set(rows)
    *_, matches, independent, shared, needs = rows["doubter : doubter-keen"]
    assert "80" == matches
    ratio, _, interval = needs.partition(" × ")
    assert float(ratio) == pytest.approx((float(independent) / float(shared)) ** 2, rel=0.06)
    low, high = map(float, interval.strip("()").split("–"))
    assert low < float(ratio) < high
    # Seeded.  Without an effect the interval holds 1.
    assert low > 1


@pytest.mark.slow
@pytest.mark.nightly
def test_every_meeting_of_a_game_is_played(tmp_path: Path) -> None:
    """Bots with chance of their own, and four at a table too: a row for each, in the order of the list."""
    shown = rows_of(luck(tmp_path, "--series", "2", "liars-dice", without="MEMORIES"))
    expected = [
        (each.names, each.draws, 2 * len(each.bots)) for each in MEETINGS if each.game == "liars-dice"
    ]
    assert [
        (" : ".join(names[:2]) + ", twice" * (len(names) > 2), "yes" if draws else "no", str(matches))
        for names, draws, matches in expected
    ] == [(bots, cells[3], cells[4]) for bots, cells in shown.items()][2:]


def test_the_luck_table_of_the_readme_has_the_rows_that_are_measured() -> None:
    """Whoever changes what is measured runs it again: the same columns, games and bots, in the same order."""
    text = (HOUSE / "tests" / "trust" / "README.md").read_text()
    shown = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    assert [*HEAD] == shown[0]
    measured = [
        (str(len(meeting.bots)), " : ".join(meeting.names[:2]), str(len(meeting.bots) * meeting.series))
        for meeting in MEETINGS
    ]
    assert measured == [
        (row[1], row[2].removesuffix(", twice"), row[4].replace(",", "")) for row in shown[2:]
    ]


@pytest.mark.slow
@pytest.mark.nightly
def test_who_remembers_deals_gains_nothing(tmp_path: Path) -> None:
    """Its interval holds even odds; with a memory across instances, the same bot would win clearly."""
    lines = [line.split() for line in luck(tmp_path, "--series", "20", "liars-dice", without="MEETINGS")]
    rows = {words[0]: words[1:] for words in lines if len(words) == 5}
    matches, _, low, high = map(float, rows["remembers"])
    assert 40 == matches
    assert low < 0.5 < high
    low_of_all = float(rows["remembers-all"][-2])
    assert low_of_all > 0.5
