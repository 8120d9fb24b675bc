"""What `python -m tests.release` finds wrong in a release, and the smoke test that every installation has."""

from __future__ import annotations

import pytest

from arena.games import GAMES
from arena.testing import __main__ as smoke
from arena.testing import rude
from tests.release import NAME, wrong_in_sdist, wrong_in_wheel

TRACKED = ["README.md", "arena/__init__.py", "bots/odds/bot.py", "tests/test_clock.py"]
WHEEL = ["arena/__init__.py", "arena/_bots/odds/bot.py", f"{NAME}.dist-info/METADATA"]


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        ([], []),
        (["arena/x.pyc"], ["the wheel holds arena/x.pyc, which does not belong there"]),
        (["tests/test_clock.py"], ["the wheel holds tests/test_clock.py, which does not belong there"]),
    ],
)
def test_what_a_wheel_holds(names: list[str], wrong: list[str]) -> None:
    """The package and its bots, and nothing else."""
    assert wrong == wrong_in_wheel(WHEEL + names, TRACKED)


def test_what_is_missing_is_named() -> None:
    """A forgotten file of either kind of release."""
    assert ["the wheel lacks arena/_bots/odds/bot.py"] == wrong_in_wheel(WHEEL[:1], TRACKED)
    assert ["the sdist lacks README.md"] == wrong_in_sdist(["PKG-INFO", *TRACKED[1:]], TRACKED)


@pytest.mark.slow
def test_an_installation_that_works_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for every game."""
    assert 0 == smoke.main()
    assert [f"{name}: ok" for name in GAMES] == capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_an_installation_that_does_not_work_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with each game, and exit code 1."""
    monkeypatch.setattr(smoke, "honest", rude)
    monkeypatch.setattr(smoke, "GAMES", {"liars-dice": GAMES["liars-dice"]})
    monkeypatch.setattr(smoke, "MATCHES", 1)
    assert 1 == smoke.main()
    assert "liars-dice: bot: malformed" in capsys.readouterr().out
