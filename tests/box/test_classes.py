"""The box of a run is decided by whose code it plays: a folder of bots is other people's."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import classroom
import pytest
from boxes import SHIELD, STRICT, need
from calls import call

from arena.box import bubblewrap
from arena.box.kernel import landlock
from arena.cli.person import sitting_of
from arena.cli.runs.run_options import plan_of
from arena.tournament.plan import sandbox_of, warnings_of
from arena.tournament.prepare import prepare

QUICK = ("--series", "1", "--rule", "dice=1", "--out", "out", "-q")


@pytest.fixture
def base(tmp_path, monkeypatch) -> Path:
    """A folder of two bots, and two bots beside it."""
    monkeypatch.chdir(tmp_path)
    for name in ("subs/ann", "subs/bob", "mine", "yours"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "bot.py").write_text(classroom.GOOD)
    return tmp_path


def level(*words: str, resume: Path | None = None, **wishes: object) -> str:
    """The box of what these words play."""
    tournament = prepare(plan_of(words, resume, wishes), resume=resume)
    return sandbox_of(tournament.plan.sandbox, tournament.entrants)


def boxes(folder: str = "out") -> set[str]:
    with (Path(folder) / "bots.csv").open(newline="") as file:
        return {row["box"] for row in csv.DictReader(file)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("subs/",), "strict"),
        (("odds", "subs"), "strict"),
        (("subs", "mine"), "strict"),
        (("mine", "yours"), "shield"),
        (("subs/ann", "subs/bob"), "shield"),
        (("odds", "random"), "shield"),
        ((), "shield"),
    ],
)
def test_one_bot_of_a_folder_makes_the_box_strict(base, words, expected):
    """Bots that were named one by one, and house bots, are their user's own."""
    assert expected == level(*words)
    for said in ("shield", "strict", "off"):
        assert said == level(*words, sandbox=said)


def test_a_plan_decides_as_the_command_line_does(base):
    """By naming a folder, or by saying it."""
    (base / "plain.toml").write_text('bots = ["subs/", "odds"]')
    (base / "own.toml").write_text('bots = ["subs/"]\nsandbox = "shield"')
    assert ["strict", "shield"] == [level("plain.toml"), level("own.toml")]
    assert ["off", "strict"] == [level("plain.toml", sandbox="off"), level("own.toml", sandbox="strict")]


def test_a_folder_of_opponents_is_other_peoples(base):
    """Also where a person plays against them."""
    words = (("subs",), ("subs/ann", "mine"), ())
    found = [sitting_of("liars-dice", against, (), None, {"seats": 3}).sandbox for against in words]
    assert ["strict", "shield", "shield"] == found


def test_a_shield_for_a_folder_says_what_it_opens(base):
    """One line; nothing of it where it was not asked for, or bots were named one by one."""
    said = [
        warnings_of(prepare(plan_of(words, None, wishes)).plan)
        for words, wishes in (
            (("subs",), {"sandbox": "shield"}),
            (("subs",), {}),
            (("mine", "yours"), {"sandbox": "shield"}),
        )
    ]
    assert [1, 0, 0] == [len(lines) for lines in said]
    assert "can read and send what you can read" in said[0][0]


# Played.


@pytest.mark.slow
def test_a_folder_plays_in_strict(base, capsys, monkeypatch):
    """Named with a house bot, which then plays in the same box; and so it goes on, whoever joins or leaves."""
    need(STRICT)
    assert 0 == call(capsys, monkeypatch, "run", "subs/", "odds", *QUICK)[0]
    assert {"strict (bubblewrap)"} == boxes()
    assert "strict" == json.loads(Path("out/run.json").read_text())["plan"]["sandbox"]
    assert "strict" == level("mine", resume=Path("out"))
    words = ("run", "--resume", "out", "--replace", "ann=mine", "--replace", "bob=yours", "--yes", "-q")
    assert 0 == call(capsys, monkeypatch, *words)[0]
    assert {"strict (bubblewrap)"} == boxes()


@pytest.mark.slow
def test_a_folder_that_was_played_in_a_shield_goes_on_in_one(base, capsys, monkeypatch):
    """As was said when it began; and one of named bots becomes strict with the first that comes from a folder."""
    need(SHIELD)
    code, _, err = call(capsys, monkeypatch, "run", "subs/", "--sandbox", "shield", *QUICK)
    assert 0 == code
    assert "warning: in a shield the bots of a folder can read and send what you can read" in err
    assert ["shield", "shield"] == [level(resume=Path("out")), level("odds", resume=Path("out"))]
    quick = [word if word != "out" else "named" for word in QUICK]
    assert 0 == call(capsys, monkeypatch, "run", "mine", "yours", *quick)[0]
    assert ["shield", "strict"] == [level(resume=Path("named")), level("subs", resume=Path("named"))]


def test_where_no_strict_box_can_be_made_nothing_is_started(base, capsys, monkeypatch):
    """Exit code 2, the sentence that says what to install, the one for one's own bots; and that one plays."""
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    monkeypatch.setattr(landlock, "version", lambda: 0)
    for folder in ("ann", "bob"):
        (base / "subs" / folder / "bot.py").write_text(f"open('started', 'w')\n{classroom.GOOD}")
    code, _, err = call(capsys, monkeypatch, "run", "subs/", *QUICK)
    assert 2 == code
    said = err.splitlines()[-1]
    assert "bubblewrap is not installed, so no bot was started; to have bubblewrap: " in said
    assert said.endswith('; --sandbox shield plays your own bots, as does sandbox = "shield" in a plan')
    assert not list(base.glob("subs/*/started"))
    code, _, err = call(capsys, monkeypatch, "run", "subs/", "--sandbox", "shield", *QUICK)
    assert 0 == code, err
    assert {"shield (limits)"} == boxes()
    assert 2 == len(list(base.glob("subs/*/started")))


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["at its start", "in a match"])
def test_a_bot_that_needs_the_network_is_told_that_it_has_none(base, capsys, monkeypatch, moment):
    """Strict works, and this bot cannot play in it: the reason is in what is said of it."""
    need(STRICT)
    reach = "__import__('socket').create_connection(('192.0.2.1', 80), 3)"
    source = classroom.GOOD.replace("        return", f"        {reach}\n        return")
    if moment == "at its start":
        source = f"{reach}\n{classroom.GOOD}"
    (base / "subs/ann/bot.py").write_text(source)
    code, _, err = call(capsys, monkeypatch, "run", "subs/", *QUICK)
    assert (2 if moment == "at its start" else 0) == code
    why = err if code else " ".join(path.read_text() for path in Path("out/faults").glob("*"))
    assert "Network is unreachable; a strict box has no network but the connection to the arena" in why
