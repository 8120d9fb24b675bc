"""Every example runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def arena(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "arena.cli", *words],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_no_example_is_forgotten() -> None:
    """Whoever adds an example says here how it is run."""
    known = {
        "two_seats.toml",
        "short_dice.toml",
        "open_house.toml",
        "first_bot.py",
        "plain_bot.py",
        "analyse.py",
    }
    assert known == {path.name for path in EXAMPLES.iterdir() if path.suffix in (".toml", ".py")}


@pytest.mark.slow
@pytest.mark.parametrize("plan", ["two_seats.toml", "short_dice.toml"])
def test_the_plans_are_played(plan: str, tmp_path: Path) -> None:
    """A plan of bots that the arena starts is played to its end, here with one series."""
    result = arena("run", str(EXAMPLES / plan), "--series", "1", "--strict", folder=tmp_path)
    assert result.returncode == 0, result.stderr


def test_the_open_house_is_planned(tmp_path: Path) -> None:
    """The plan that waits for others is right; who comes is played out in tests/test_runner.py."""
    result = arena("run", str(EXAMPLES / "open_house.toml"), "--dry-run", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "3 bots" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["first_bot.py", "plain_bot.py"])
def test_the_bots_play_without_a_fault(bot: str, tmp_path: Path) -> None:
    """The first bots play a few matches against a built-in one; `--strict` would tell of a fault."""
    result = arena("run", str(EXAMPLES / bot), "random", "--series", "2", "--strict", folder=tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_the_analysis_of_the_sample_runs() -> None:
    """`python examples/analyse.py` works on the sample tournament, from the project's folder."""
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / "analyse.py")],
        cwd=EXAMPLES.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "odds" in result.stdout
