"""`arena torture --box`: what is tried, its table, and SECURITY.md's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calls import call
from documents import block_named

from arena.trials.torture.attacks import ATTACKS
from arena.trials.torture.boxes import BoxResult, row_names, table_of
from arena.trials.torture.habits import habits
from arena.trials.torture.signals import CHANNELS, SHARED

PAGE = (Path(__file__).parents[1] / "SECURITY.md").read_text()
FOUND = [
    BoxResult("root", "shield (landlock)", "crash", "held"),
    BoxResult("root", "strict (bubblewrap)", "signal flock", "broken", "40 bits a second came through"),
    BoxResult("an ordinary user", "strict (bubblewrap)", "crash", "open"),
]


def test_every_name_is_one_row():
    """Habits, attacks and signals, each from the one list that it stands in."""
    names = row_names()
    assert len(set(names)) == len(names) == len(habits()) + len(ATTACKS) + len(CHANNELS)
    assert set(SHARED) < set(CHANNELS)


def test_the_table_has_a_column_for_each_box_and_user():
    """What was not tried is a dash; rows come in the order of all that could be tried."""
    lines = table_of(FOUND).splitlines()
    assert lines[:3] == [
        "1  shield (landlock), as root",
        "2  strict (bubblewrap), as root",
        "3  strict (bubblewrap), as an ordinary user",
    ]
    assert [["1", "2", "3"], ["crash", "held", "–", "open"], ["signal", "flock", "–", "broken", "–"]] == [
        line.split() for line in lines[4:]
    ]


def test_the_table_of_security_is_of_todays_attacks_and_boxes():
    """SECURITY.md shows a row for each attack and signal, in every box, by both users; no promise is broken."""
    lines = block_named("SECURITY.md", "text attacks").splitlines()
    boxes = ("shield (bubblewrap)", "shield (landlock)", "strict (bubblewrap)")
    columns = [f"{box}, as {user}" for user in ("root", "an ordinary user") for box in boxes]
    assert [f"{number}  {column}" for number, column in enumerate(columns, 1)] == lines[: len(columns)]
    rows = lines[len(columns) + 2 :]
    assert [name for name in row_names() if " " in name] == [re.split("  +", row)[0] for row in rows]
    assert [] == [row for row in rows if "broken" in row or "–" in row]
    for channel in CHANNELS:
        (row,) = (row for row in rows if row.startswith(f"signal {channel} "))
        strict = [re.findall(r"held|\d+ bit/s", row)[column] for column in (2, 5)]
        assert channel in SHARED or strict == ["held", "held"], channel


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--only", "attack kvn"), "--only attack kvn: no such habit, attack or signal (did you mean"),
        (("odds",), "--box tries its own programs in every box"),
        (("--sandbox", "strict"), "--box tries its own programs in every box"),
    ],
)
def test_a_mistake_is_told_before_anything_is_tried(capsys, monkeypatch, words, said):
    """Exit code 2 and one sentence."""
    code, _, err = call(capsys, monkeypatch, "torture", "--box", *words)
    assert (2, True) == (code, said in err), err


@pytest.mark.slow
def test_a_broken_promise_is_exit_code_1(capsys, monkeypatch):
    """An attack that gets through, in every box that there is."""
    monkeypatch.setattr("arena.trials.torture.boxes._found_by_user", lambda only, *, quick: [])
    monkeypatch.setattr("arena.trials.torture.boxes._found_here", lambda only, *, quick: iter(FOUND))
    code, out, err = call(capsys, monkeypatch, "torture", "--box")
    assert 1 == code
    assert "broken" in out
    assert "signal flock, strict (bubblewrap) as root: 40 bits a second came through" in err


@pytest.mark.slow
def test_an_attack_in_earnest(capsys, monkeypatch):
    """In every box of this machine, by this user."""
    monkeypatch.setattr("arena.trials.torture.boxes._found_by_user", lambda only, *, quick: [])
    code, out, err = call(capsys, monkeypatch, "torture", "--box", "--only", "attack vsock")
    assert 0 == code, err
    if "not tried: " not in err:
        assert ["attack", "vsock", "held", "held", "held"] == out.splitlines()[-1].split()
