"""`arena bench`, as users have it: what it prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.bench.command import MEASURINGS as OF_USERS
from arena.cli import cli
from arena.cli.mistakes import told_mistake
from arena.errors import ArenaError

from .__main__ import main
from .command import MEASURINGS


def arena_bench(*words: object) -> None:
    cli.main(["bench", *map(str, words)], standalone_mode=False)


@pytest.mark.slow
@pytest.mark.parametrize("group", OF_USERS)
def test_every_group_is_measured(group: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`--json` prints figures of that group, each with its sample; `python -m tests.bench --show` reads them."""
    arena_bench("--json", "--only", group, "--repeats", 1, "--seconds", 0.01)
    said = capsys.readouterr().out
    measures = json.loads(said)["measures"]
    assert {group} == {measure["group"] for measure in measures}
    assert all([measure["value"]] == measure["samples"] and measure["value"] > 0 for measure in measures)
    (tmp_path / "kept.json").write_text(said)
    assert 0 == main(["--show", str(tmp_path / "kept.json")])
    assert 3 + len(measures) == len(capsys.readouterr().out.splitlines())


def test_help_names_what_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Every word for `--only` has its line in `arena bench --help`; in a clone more is measured."""
    arena_bench("--help")
    words = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [*OF_USERS] == [name for name in words if name in MEASURINGS]
    assert OF_USERS.keys() < MEASURINGS.keys()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--only", "luck"], '--only: found "luck", expected rules, tcp or runner'),
        (["--repeats", "0"], "--repeats: found 0, expected a whole number from 1"),
        (["--repeats", "many"], '--repeats: found "many", expected a whole number from 1'),
        (["--seconds", "0"], '--seconds: found "0", expected more than 0'),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else None,
)
def test_wrong_words_are_one_sentence(words: list[str], reason: str) -> None:
    """Told before anything is measured."""
    with pytest.raises(ArenaError) as raised:
        arena_bench(*words)
    assert told_mistake(raised.value).startswith(reason)
