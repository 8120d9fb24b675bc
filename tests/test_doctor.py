"""`arena doctor`: what a machine has for a run, what keeps one from playing, and the remedies."""

from __future__ import annotations

import json
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from calls import call

from arena.box.box import Box, try_boxes
from arena.box.causes import Cause
from arena.trials import doctor

BOXES = ["shield (bubblewrap)", "shield (landlock)", "strict (bubblewrap)"]


@pytest.fixture
def seen(monkeypatch, tmp_path):
    """The points by name, in an empty folder; no box is tried, which takes long."""
    monkeypatch.chdir(tmp_path)
    boxes = []

    async def as_said():
        return boxes

    monkeypatch.setattr(doctor, "try_boxes", as_said)

    def points(*tried):
        boxes[:] = tried
        return {point.name: point for point in doctor.machine_points()}

    return points


def box(level="shield", means="landlock", failings=()):
    made = Box(level, means, None, Path(), None)
    made.failings = failings
    return made


@pytest.mark.slow
def test_a_machine_that_can_play(capsys, monkeypatch, tmp_path):
    """Exit code 0; every kind of box was tried, and everything else was looked at; nothing is left behind."""
    temporary, here = tmp_path / "temporary", tmp_path / "here"
    for folder in (temporary, here):
        folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.chdir(here)
    code, out, err = call(capsys, monkeypatch, "doctor", "--json")
    told = json.loads(out)
    assert (0, "", True) == (code, err, told["ok"])
    names = [point["name"] for point in told["points"]]
    assert ["python", *BOXES, "cgroups"] == names[:5]
    assert {"results", "temporary", "descriptors", "clock"} <= set(names)
    assert [] == [*here.iterdir(), *temporary.iterdir()]


async def test_each_box_that_fails_has_its_cause(monkeypatch):
    """By what is missing: here a bubblewrap and a Landlock."""
    monkeypatch.setattr("arena.box.bubblewrap.program", lambda: None)
    monkeypatch.setattr("arena.box.kernel.landlock.version", lambda: 0)
    monkeypatch.setattr("arena.box.kernel.landlock.refusal", lambda: 95)
    tried = {made.name: cause for made, cause in await try_boxes()}
    assert BOXES == list(tried)
    assert [
        "bubblewrap is not installed",
        "Landlock is not turned on here",
        "bubblewrap is not installed",
    ] == [cause.why for cause in tried.values()]


def test_boxes_in_words(seen):
    """A cause with its remedy; and what an older Landlock (here as versions 1 to 5 fail) cannot prevent."""
    missing = Cause("bubblewrap is not installed", "sudo apt install bubblewrap")
    points = seen((box("strict", "bubblewrap"), missing), (box(failings=("signal other processes",)), None))
    strict, shield = points["strict (bubblewrap)"], points["shield (landlock)"]
    refused = f"{missing.why}; folders of bots, which play in it, are refused here"
    assert ("note", refused, missing.remedy) == (strict.standing, strict.said, strict.advice)
    assert ("note", "Linux 6.12 or newer prevents that") == (shield.standing, shield.advice)
    assert shield.said.endswith("; bots can still signal other processes")
    assert "fine" == seen((box(), None))["shield (landlock)"].standing


def test_where_no_shield_works_it_is_said_what_bots_may_do(seen):
    """One of them is enough."""
    bubblewrap, landlock = box("shield", "bubblewrap"), box()
    missing = Cause("it is not installed", "install it")
    point = seen((bubblewrap, missing), (landlock, missing))["shield"]
    assert ("note", True) == (point.standing, "bots run with your permissions" in point.said)
    assert "shield" not in seen((bubblewrap, missing), (landlock, None))


@pytest.mark.parametrize("has_systemd", [True, False])
def test_a_clock_that_follows_none(has_systemd, seen, monkeypatch, tmp_path):
    """Where systemd does not run, as in a container, its command sets nothing."""
    monkeypatch.setattr(doctor, "_is_time_synchronized", lambda: False)
    monkeypatch.setattr(doctor, "_SYSTEMD", tmp_path if has_systemd else tmp_path / "none")
    point = seen()["clock"]
    assert has_systemd == (point.advice == "timedatectl set-ntp true")
    assert has_systemd != ("in a container, that of the host" in point.advice)


@pytest.mark.parametrize(("number", "standing"), [((0, 9, 0), "note"), ((0, 12, 0), "fine"), ((), "fine")])
def test_a_version_with_a_known_hole_is_named(number, standing, seen, monkeypatch):
    """With what its number does not tell, and what mends it."""
    monkeypatch.setattr("arena.box.bubblewrap.bubblewrap_version", lambda: number)
    point = seen((box("strict", "bubblewrap"), None))["strict (bubblewrap)"]
    assert standing == point.standing
    assert (standing == "note") == ("bubblewrap 0.9.0 has a known hole" in point.said) == bool(point.advice)
    assert (standing == "note") == ("unless your distribution has mended it" in point.said)


@pytest.mark.parametrize(
    ("hard", "standing"), [(resource.RLIM_INFINITY, "fine"), (4096, "fine"), (1024, "note"), (100, "mend")]
)
def test_descriptors(hard, standing, seen, monkeypatch):
    """Few are worth knowing; too few for any run are to be mended."""
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (64, hard))
    point = seen()["descriptors"]
    assert (standing, standing != "fine") == (point.standing, "ulimit -Hn 4096" in point.advice)


def test_a_folder_that_cannot_be_written(capsys, seen, monkeypatch):
    """No run can keep its results there: a sentence, and exit code 1."""
    monkeypatch.chdir("/sys" if os.path.isdir("/sys") else "/")
    assert "mend" == seen()["results"].standing
    code, out, err = call(capsys, monkeypatch, "doctor")
    assert (1, "") == (code, err)
    assert "cannot be written" in out
    assert "1 point to fix" in out


def test_no_place_for_temporary_files(seen, monkeypatch):
    """It is to be mended, and no box can be tried."""

    def none():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    points = seen((box(), None))
    assert ("mend", "set TMPDIR to a folder that can be written") == (
        points["temporary"].standing,
        points["temporary"].advice,
    )
    assert "open" == points["boxes"].standing


def test_programs_may_not_be_run_in_tmp(seen, monkeypatch):
    """It is a note: only compiled bots that lie there are concerned."""
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 30))
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_flag=os.ST_NOEXEC))
    point = seen()["temporary"]
    assert ("note", "keep compiled bots elsewhere") == (point.standing, point.advice)
    assert "noexec" in point.said


def test_what_is_missing_is_noted(seen, monkeypatch):
    """Compilers with Debian's packages, cgroups and a fine clock with what helps."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("arena.box.kernel.cgroups.made_for", lambda *_: [])
    monkeypatch.setattr(time, "get_clock_info", lambda name: SimpleNamespace(resolution=0.01))
    points = seen()
    assert ("note", "on Debian: apt-get install cargo librust-serde-json-dev") == (
        points["rust"].standing,
        points["rust"].advice,
    )
    assert ("note", True) == (points["cgroups"].standing, "as root" in points["cgroups"].advice)
    assert ("note", True) == (points["clock"].standing, "high-resolution" in points["clock"].advice)
