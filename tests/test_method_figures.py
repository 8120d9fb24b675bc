"""The tables of METHOD.md are those of the kept run of `python -m tests.bench --only trust`."""

from __future__ import annotations

import json
import re
from pathlib import Path

HOUSE = Path(__file__).parents[1]
METHOD = (HOUSE / "arena" / "analysis" / "METHOD.md").read_text()
KEPT = json.loads((HOUSE / "results" / "trust.json").read_text())["measures"]
FOUND = {row["what"]: row["value"] for row in KEPT}


def table(first: str) -> list[list[str]]:
    """The rows of the table whose first heading is this, without the heading and the rule below it."""
    lines = METHOD[METHOD.index(f"| {first} |") :].split("\n\n", 1)[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def number(cell: str) -> float:
    return float(re.sub(r"[ ×%]", "", cell))


def test_every_goal_was_met() -> None:
    assert [] == [row["what"] for row in KEPT if row["is_met"] is False]
    assert 60 < sum(row["is_met"] is True for row in KEPT)


def test_intervals() -> None:
    rows = table("design")
    assert 11 == len(rows)
    for design, *cells in rows:
        for series, cell in zip((1, 2, 10, 100), cells, strict=True):
            (what,) = [w for w in FOUND if w.startswith("95 %") and f"× {series} series: {design}" in w]
            assert number(cell) == round(FOUND[what], 1), what


def test_intervals_of_returns() -> None:
    rows = table("two bots, hands of a match")
    assert 10 == len(rows)
    for kind, *cells, alone in rows:
        what, hands = kind.rsplit(", ", 1)
        for name, shown in (
            ("95 % intervals of returns", cells),
            ("Student's t alone, returns", alone.split("/")),
        ):
            for series, cell in zip((10, 50, 200), shown, strict=True):
                of = f"{name}, two bots × {series} series, hands of a match {hands}: {what}"
                assert abs(number(cell) - FOUND[of]) <= 0.051, of


def test_true_ranks() -> None:
    rows = table("field | all intervals hold")
    assert 6 == len(rows)
    for field, held, wide in rows:
        assert abs(number(held) - FOUND[f"true ranks, {field}: all held"]) <= 0.051
        assert abs(number(wide) - FOUND[f"true ranks, {field}: mean width, of all places"]) <= 0.51


def test_the_fewest_series() -> None:
    rows = table("field | the fewest series")
    assert len(rows) == sum(what.endswith(": series ÷ the fewest") for what in FOUND) == 7
    for field, fewest, times, even, wrong in rows:
        of = f"--until: {field}: "
        assert number(fewest) == round(FOUND[f"{of}the fewest series of any rule"])
        assert abs(number(times) - FOUND[f"{of}series ÷ the fewest"]) <= 0.0051
        assert abs(number(even) - FOUND[f"{of}with --allocate even, ÷ the fewest"]) <= 0.0051
        assert number(wrong) == round(100 * FOUND[f"{of}wrong at 95 %"], 1)


def test_wrong_sets() -> None:
    rows = table("bots")
    assert 12 == len(rows)
    for bots, cycles, wrong in rows:
        named = f"--until: {bots}, {cycles} cycles: wrong at 95 %"
        if named not in FOUND:
            assert "covariances" in bots
            named = "--until: all even, arbitrary covariances, the largest error of the bound at 95 %"
        assert abs(number(wrong) - 100 * FOUND[named]) <= 0.051, bots


def test_comparisons() -> None:
    rows = table("series")
    assert 3 == len(rows)
    for series, better, worse, not_better, found, lengths, behind in rows:
        of = {
            w.split("): ", 1)[1]: v
            for w, v in FOUND.items()
            if w.startswith(f"compare, {series.split(' as ')[0]}") and "by wins" not in w
        }
        assert abs(number(better) - of["even: said to be better"]) <= 0.051
        assert number(worse) == round(of["even: said to be worse"], 1)
        assert abs(number(not_better) - of["ahead: said not to be"]) <= 0.051
        assert abs(number(found) - of["ahead: said to be better"]) <= 0.051
        for cell, what in zip(lengths.split("/"), ("even: series", "ahead: series"), strict=True):
            assert abs(number(cell) - of[what]) <= 0.5  # medians
        share, length = behind.split(",")
        assert abs(number(share) - of["twice as far behind: said to be worse"]) <= 0.051
        assert abs(number(length) - of["twice as far behind: series"]) <= 0.5


def test_keys_of_draws() -> None:
    rows = table("drawn by")
    assert 4 == len(rows)
    for drawn_by, key, gain, same, *deviates in rows:
        of = f"chance keyed by {key}, {drawn_by}: "
        (kept,) = [row for row in KEPT if row["what"] == f"{of}series that luck alone needs ÷ shared"]
        low, high = re.search(r"\((.*)–(.*)\)", gain).groups()  # type: ignore[union-attr]
        assert number(gain.split("(")[0]) == round(kept["value"], 1)
        assert [float(low), float(high)] == [float(f"{kept[end]:.2g}") for end in ("lowest", "highest")]
        assert number(same) == round(FOUND[f"{of}draws as in the other rotation"])
        assert 0 == FOUND[f"{of}draws that come twice"]
        measured = ("draws from uniform", "by cells", "by correlation")
        for cell, name in zip(deviates, measured, strict=True):
            (value,) = [v for w, v in FOUND.items() if w.startswith(of) and w.endswith(name)]
            assert number(cell) == round(value, 1)


def test_comparisons_that_take_means_for_normal() -> None:
    rows = table("kind, hands of a match")
    assert 10 == len(rows)
    for kind, even, ahead, lengths in rows:
        what, hands = kind.rsplit(", ", 1)
        of = f"compare, --tails normal, {what}, hands of a match {hands}: "
        assert abs(number(even) - FOUND[f"{of}even: said to be better"]) <= 0.051
        assert abs(number(ahead) - FOUND[f"{of}ahead: said to be not better"]) <= 0.051
        for cell, case in zip(lengths.split("/"), ("even", "ahead"), strict=True):
            assert abs(number(cell) - FOUND[f"{of}{case}: series"]) <= 0.5


def test_better_and_leads() -> None:
    rows = table("field, estimates")
    assert 10 == len(rows)
    for field, *cells in rows:
        name = " by ".join(field.rsplit(", ", 1))
        for verdict, (largest, sure) in zip(("better", "leads"), (cells[:2], cells[2:]), strict=True):
            of = f"{verdict}, {name}, "
            kept = [v for w, v in FOUND.items() if w.startswith(f"{of}told ") and w.endswith("told − right")]
            assert abs(number(largest) - max(kept)) <= 0.051, name
            of += "none nearly certain, told 70 to 99 %: "
            shown, cases = re.fullmatch(r"(.*)\(of (\d+)\)", sure).groups()  # type: ignore[union-attr]
            assert int(cases) == FOUND[f"{of}cases"]
            assert bool(shown) == (f"{of}told − right" in FOUND)
            assert not shown or abs(number(shown) - FOUND[f"{of}told − right"]) <= 0.051, name


def test_intervals_of_ratings() -> None:
    rows = table("tournament | intervals that hold")
    assert len(rows) == sum(what.startswith("95 % intervals of ratings: ") for what in FOUND)
    for tournament, held in rows:
        assert abs(number(held) - FOUND[f"95 % intervals of ratings: {tournament}"]) <= 0.051


def test_looks() -> None:
    rows = table("looks")
    assert 4 == len(rows)
    for looks, share in rows:
        what = f"95 % interval looked at {looks} times: the truth is outside at some look"
        assert abs(number(share) - FOUND[what]) <= 0.051
    widths = {
        length: FOUND[
            f"confidence sequence, {length} times the length it is made for: width ÷ that for one look"
        ]
        for length in ("0.25", "1", "10")
    }
    assert "be 1.55 times as wide" in METHOD
    assert 1.545 < widths["1"] < 1.555
    assert "1.66 times at a quarter or ten times" in " ".join(METHOD.split())
    assert all(1.655 < widths[length] < 1.665 for length in ("0.25", "10"))


def test_luck_adjusted_returns() -> None:
    rows = table("two bots on shared luck, hands of a match")
    assert 8 == len(rows)
    errors = [FOUND[what] for what in FOUND if what.endswith("luck ÷ its error")]
    assert max(errors) <= 2.3
    for kind, ratio, *lengths in rows:
        of = "adjusted for luck, {}, hands of a match {}: ".format(*kind.rsplit(", ", 1))
        assert number(ratio) == round(FOUND[f"{of}variance of a series ÷ adjusted"], 1)
        for tails, cell in zip(("any", "normal"), lengths, strict=True):
            asked = f"{of}compare --tails {tails}, asked "
            found = [
                value for what, value in FOUND.items() if what.startswith(asked) and what.endswith("series")
            ]
            shown = [number(length.replace(",", "")) for length in cell.split("/") if length]
            assert all(abs(one - other) <= 0.5 for one, other in zip(shown, found, strict=True)), kind


def test_luck_by_asking_the_bots() -> None:
    rows = table("game and bots")
    assert len(rows) == sum(what.startswith("bots asked, ") and what.endswith(": series") for what in FOUND)
    for bots, series, gain, asked in rows:
        of = f"bots asked, {bots}: "
        (kept,) = [row for row in KEPT if row["what"] == f"{of}variance of a series ÷ when asked"]
        low, high = re.search(r"\((.*)–(.*)\)", gain).groups()  # type: ignore[union-attr]
        assert number(series.replace(",", "")) == FOUND[f"{of}series"]
        assert number(gain.split("(")[0]) == round(kept["value"], 2)
        assert [float(low), float(high)] == [round(kept[end], 2) for end in ("lowest", "highest")]
        assert number(asked) == round(FOUND[f"{of}questions asked for each of a match"], 1)
        if "one other hand" not in bots:
            assert number(gain.split("(")[0]) < 1 + number(asked), "playing as many questions saves more"
    errors = [value for what, value in FOUND.items() if re.match(r"bots asked, .*luck ÷ its error", what)]
    (within,) = re.findall(r"0 within (\S+) of its errors in all of them", METHOD)
    assert max(errors) <= float(within)
