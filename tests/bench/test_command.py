"""`python -m tests.bench` as a tool: what it prints, keeps, reads back, compares and refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.bench.machine import machine, machine_line
from arena.bench.measures import Measure, Report, Threshold, as_text, at_least, at_most

from . import changes as module_of_changes
from .__main__ import main
from .changes import chance_of, changes
from .command import IF_NAMED, MEASURINGS
from .reports import read_report

HERE = {
    "commit": "50bb516bee",
    "system": "Linux",
    "processor": "AMD EPYC",
    "cores": 2,
    "load": 0.5,
    "python": "3.11.7",
    "trio": "0.35.0",
}
QUICK, SLOW = (10.0, 11.0, 12.0, 13.0, 14.0), (20.0, 21.0, 22.0, 23.0, 24.0)
MIXED = (9.0, 11.5, 12.5, 13.5, 25.0)
KEPT_RUN = Path(__file__).parents[2] / "results" / "bench.json"
"""A whole run as the bench kept it before it kept samples."""


def bench(*words: object) -> int:
    return main([*map(str, words)])


def report(*samples: Sequence[float], unit: str = "µs", goal: Threshold | None = None, **more: Any) -> Report:
    """A run with these figures, of one machine at one speed unless `more` says otherwise."""
    measures = tuple(Measure("tcp", f"figure {n}", unit, tuple(each), goal) for n, each in enumerate(samples))
    return Report(more.get("machine", HERE), measures, more.get("loop_ms", (5.0,)))


def kept(folder: Path, run: Report, name: str = "kept.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(run.as_json()))
    return path


# What is printed and kept.


@pytest.mark.slow
def test_json_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`--json` prints one object: the machine, and every measure with its goal and samples; it is read back."""
    bench("--json", "--only", "rules", "--only", "help", "--repeats", 1, "--seconds", 0.01)
    said = capsys.readouterr().out
    found = json.loads(said)
    assert {"format", "machine", "loop_ms", "measures"} == set(found)
    assert HERE.keys() == found["machine"].keys()
    assert {"rules", "help"} == {measure["group"] for measure in found["measures"]}
    shown = next(measure for measure in found["measures"] if measure["what"] == "arena --help")
    summary = {"group", "what", "unit", "value", "lowest", "highest", "repeats", "samples", "goal", "is_met"}
    assert summary == set(shown)
    assert ([shown["value"]], 1) == (shown["samples"], shown["repeats"])
    assert "≤ 0.2" == shown["goal"]
    assert (shown["value"] <= 0.2) == shown["is_met"]
    (tmp_path / "kept.json").write_text(said)
    assert found == json.loads(json.dumps(read_report(tmp_path / "kept.json", "--show").as_json()))


@pytest.mark.parametrize("goal", [None, at_most(0.2), at_least(50_000)], ids=str)
def test_what_is_kept_as_json_shows_the_same_table(
    goal: Threshold | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--show FILE` prints what the run printed; it measures nothing."""
    measures = (Measure("tcp", "ratio", "×", (3.0, 1.0, 2.5, 2.0, 0.012345), goal),)
    path = kept(tmp_path, Report(machine(), measures))
    bench("--show", path)
    assert f"{machine_line(machine() | read_report(path, '').machine)}\n{as_text(measures)}\n" == (
        capsys.readouterr().out
    )


def test_show_can_be_of_some_figures_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--show FILE --only NAME` leaves out the rows of other groups."""
    other = Measure("box", "a start", "ms", QUICK)
    path = kept(tmp_path, Report(HERE, (*report(QUICK).measures, other)))
    bench("--show", path, "--only", "box")
    assert ["box"] == [line.split()[0] for line in capsys.readouterr().out.splitlines()[3:]]


def test_help_names_everything_that_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Every word for `--only` has its line in `python -m tests.bench --help`."""
    with pytest.raises(SystemExit):
        bench("--help")
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [name for name in words if name in MEASURINGS | IF_NAMED] == [*MEASURINGS, *IF_NAMED]


# What changed.


CHANGES = [
    ("a time that fell", report(QUICK), report(SLOW), "83 % faster"),
    ("a time that rose", report(SLOW), report(QUICK), "45 % slower"),
    ("a rate that rose", report(SLOW, unit="hands/s"), report(QUICK, unit="hands/s"), "83 % faster"),
    ("a rate that fell", report(QUICK, unit="hands/s"), report(SLOW, unit="hands/s"), "45 % slower"),
    ("a ratio that fell", report(QUICK, unit="×"), report(SLOW, unit="×"), "45 % less"),
    (
        "a ratio that rose, of which less is wanted",
        report(SLOW, unit="×", goal=at_most(30)),
        report(QUICK, unit="×", goal=at_most(30)),
        "83 % more (worse)",
    ),
    (
        "a ratio that rose, of which more is wanted",
        report(SLOW, unit="×", goal=at_least(30)),
        report(QUICK, unit="×", goal=at_least(30)),
        "83 % more (better)",
    ),
    ("a difference", report(SLOW, unit="ms more"), report(QUICK, unit="ms more"), "+10 ms"),
    (
        "a time per question",
        report(SLOW, unit="µs/question"),
        report(QUICK, unit="µs/question"),
        "45 % slower",
    ),
    ("samples that overlap", report(MIXED), report(QUICK), "within noise"),
    ("the same", report(QUICK), report(QUICK), "within noise"),
    ("four samples", report(SLOW[:4]), report(QUICK), "too few samples to tell"),
    ("a new figure", report(QUICK), report(QUICK, unit="ms"), "no earlier figure"),
    (
        "a time on a machine that is slower by as much",
        report(SLOW, loop_ms=(9.0,)),
        report(QUICK, loop_ms=(5.0,)),
        "within noise",
    ),
    (
        "a ratio on a machine that is slower",
        report(SLOW, unit="×", loop_ms=(9.0,)),
        report(QUICK, unit="×", loop_ms=(5.0,)),
        "83 % more",
    ),
    (
        "a time on another machine",
        report(SLOW, machine=HERE | {"cores": 64}),
        report(QUICK),
        "not comparable: another machine",
    ),
    (
        "a ratio on another machine",
        report(SLOW, unit="×", machine=HERE | {"cores": 64}),
        report(QUICK, unit="×"),
        "83 % more",
    ),
]


@pytest.mark.parametrize(
    ("now", "then", "said"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_change(now: Report, then: Report, said: str) -> None:
    """What is said of a figure beside its earlier one; a change only if it is beyond noise."""
    (found,) = changes(now, then)
    assert said == found.said
    assert ("%" in said or said.startswith("+")) == found.is_real


@pytest.mark.parametrize(
    ("ones", "others", "chance"),
    [
        (QUICK, SLOW, 2 / 252),
        (QUICK, QUICK, 1.0),
        ((1.0, 2.0), (3.0, 4.0), 2 / 6),
        ((1.0, 4.0), (2.0, 3.0), 1.0),
        ((1.0, 1.0), (1.0, 2.0), 1.0),
    ],
)
def test_chance_of_a_difference(ones: Sequence[float], others: Sequence[float], chance: float) -> None:
    """The exact probability of the rank-sum test, by counting all choices; ties share their ranks."""
    assert chance == pytest.approx(chance_of(ones, others))
    assert chance_of(ones, others) == chance_of(others, ones)


def test_many_samples_have_nearly_the_exact_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond some number of samples the normal approximation is used, which differs by less than a point."""
    ones, others = [float(n) for n in range(0, 60, 2)], [float(n) + 9.5 for n in range(0, 60, 2)]
    exact = chance_of(ones, others)
    monkeypatch.setattr(module_of_changes, "EXACT_MAX", 10)
    assert chance_of(ones, others) == pytest.approx(exact, abs=0.01)
    assert 1.0 == chance_of([2.0] * 8, [2.0] * 8)


def test_against_prints_the_change_of_every_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two more columns; then the other run's machine, and what has to be known of both."""
    now = kept(tmp_path, report(SLOW, MIXED))
    then = kept(tmp_path, report(QUICK, QUICK, QUICK, machine=HERE | {"python": "3.10.1"}), "then.json")
    bench("--show", now, "--against", then)
    lines = capsys.readouterr().out.splitlines()
    assert ["45", "%", "slower"] == lines[3].split()[-3:]
    assert "12  within noise" == lines[4][-16:]
    assert f"compared with {machine_line(HERE | {'python': '3.10.1'})}" == lines[6]
    assert [
        "- python: 3.10.1 then, 3.11.7 now",
        "- a fixed loop takes 1.00 × the time it took then: so much is the machine's",
        "- 1 of 2 figures changed beyond noise; by chance about 0.02 would if nothing had changed",
        "- not measured any more: tcp: figure 2",
    ] == lines[7:]


def test_against_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` has the change of every measure too, and can be compared with again."""
    now, then = kept(tmp_path, report(SLOW)), kept(tmp_path, report(QUICK), "then.json")
    bench("--show", now, "--against", then, "--json")
    said = capsys.readouterr().out
    (measure,) = json.loads(said)["measures"]
    assert (12.0, "45 % slower") == (measure["earlier"], measure["change"])
    now.write_text(said)
    assert report(SLOW) == read_report(now, "--show")


# What is refused.


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no such file, expected what `python -m tests.bench --json` prints"),
        ("no JSON", "not JSON (JSON is malformed"),
        ('{"machine": ' * 100_000, "not JSON ("),
        (
            "{}",
            "not from the bench (Object missing required field `machine`), expected what `python -m tests.bench",
        ),
        ("[1]", "not from the bench ("),
        ('{"format": 9}', "of format 9, expected 2: another version of the arena made it"),
        (report(QUICK).as_json() | {"measures": [{"group": "tcp"}]}, "not from the bench ("),
    ],
    ids=["missing", "text", "deep", "empty", "list", "version", "measures"],
)
@pytest.mark.parametrize("option", ["--show", "--against"])
def test_what_is_no_run_is_refused(
    option: str, content: object, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is not there, or not from the bench, or of another version, is one sentence."""
    path = tmp_path / "kept.json"
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert 2 == bench(option, path)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tests.bench: {option}: {path}: {reason}")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--only", "luck"], '--only: found "luck", expected rules, hands, referee'),
        (["--repeats", "0"], "--repeats: found 0, expected a whole number from 1"),
        (["--repeats", "many"], '--repeats: found "many", expected a whole number from 1'),
        (["--seconds", "-1"], '--seconds: found "-1", expected'),
        (["--seconds", "0"], '--seconds: found "0", expected more than 0'),
        (["--show", KEPT_RUN, "--only", "trust"], "--only: "),
    ],
    ids=lambda words: " ".join(map(str, words)) if isinstance(words, list) else None,
)
def test_wrong_words_are_refused(
    words: list[object], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be measured is one sentence, before anything is measured."""
    assert 2 == bench(*words)
    printed = capsys.readouterr()
    assert ("", 1) == (printed.out, len(printed.err.splitlines()))
    assert printed.err.startswith(f"tests.bench: {reason}")
