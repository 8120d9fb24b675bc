"""What programs find in each box where folders above something hidden cannot be listed: the SDK, their own modules."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest
import trio
from boxes import LANDLOCK, OFF, SHIELD, STRICT, by_means_or_none, need, program

import arena
from arena.box import box as rooms
from arena.box.box import open_box
from arena.box.links import keep_compiled
from arena.box.places import FileView

pytestmark = pytest.mark.slow

HOUSE = Path(arena.__file__).resolve().parents[1]
"""What an editable install puts on the import path."""


@pytest.fixture
def own():
    """A bot's folder with something hidden two folders down; not in /tmp, where each box has one of its own."""
    top = HOUSE / ".arena" / f"imports-{secrets.token_hex(4)}"
    for name in ("results/run/arena.db", "pkg/inner.py", "pkg/hidden/other.py", "helper.py"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).touch()
    yield top
    shutil.rmtree(top)


def view(own: Path) -> FileView:
    hidden = (HOUSE / "results", own / "results", own / "pkg" / "hidden")
    return FileView(folder=own, own=(own,), hidden=hidden)


async def said(box: tuple[str, str], place: FileView, code: str) -> str:
    """The first line that this Python program, a file in its own folder, prints in the box."""
    need(box)
    level, means = box
    (place.folder / "bot.py").write_text(code)
    with trio.fail_after(30):
        async with (
            open_box(level, means=means) as opened,
            program(opened, place, sys.executable, "bot.py") as started,
        ):
            return started.text.partition("\n")[0]


def test_what_bots_import_of_the_arena_is_kept_compiled(tmp_path, monkeypatch):
    """In a fresh clone too, where no bot may keep it; what has changed is compiled anew."""
    source = tmp_path / "arena" / "sdk" / "bot.py"
    source.parent.mkdir(parents=True)
    source.write_text("x = 1")
    monkeypatch.setattr(arena, "__file__", str(tmp_path / "arena" / "__init__.py"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    compiled = Path(cache_from_source(str(source)))
    keep_compiled()
    before = compiled.read_bytes()
    source.write_text("x = 22")
    os.utime(source, (compiled.stat().st_mtime + 10,) * 2)
    keep_compiled()
    assert before != compiled.read_bytes()


@by_means_or_none
async def test_the_sdk_is_found_where_results_lie_beside_it(own, box):
    """As in a clone: its top is on the import path of an editable install, and holds `results/`."""
    code = "import arena.sdk, os\nprint(os.path.realpath(arena.sdk.__file__))"
    assert str(HOUSE / "arena" / "sdk" / "__init__.py") == await said(box, view(own), code)


@by_means_or_none
async def test_modules_beside_a_bot_are_found_where_its_folder_holds_results(own, box):
    """A sibling, and a package of its own in which another bot lies."""
    assert "found" == await said(box, view(own), "import helper, pkg.inner\nprint('found')")


@by_means_or_none
async def test_a_bot_lists_its_own_folder_without_what_is_hidden_there(own, box):
    """Landlock shows a folder of links, as the right to list a folder is one to list all below it."""
    code = "import json, os\nprint(json.dumps([n for _, fs, ns in os.walk('.', followlinks=True) for n in fs + ns]))"
    names = set(json.loads(await said(box, view(own), code)))
    assert {"bot.py", "helper.py", "inner.py", "pkg"} <= names
    if box != OFF:
        assert {"run", "arena.db", "other.py"}.isdisjoint(names)


@pytest.mark.parametrize("box", [STRICT, SHIELD, LANDLOCK], ids="-".join)
async def test_what_is_on_the_import_path_of_bots_is_not_theirs_to_change(own, box):
    """Another bot would import it. Without a box it has all the rights of its user."""
    code = """
import os
for folder in os.environ["PYTHONPATH"].split(os.pathsep):
    for act in (lambda: open(folder + "/random.py", "w"), lambda: os.rename(folder + "/arena", folder + "/b")):
        try:
            act()
        except OSError:
            print("held", end=" ")
        else:
            print("escaped", end=" ")
print(flush=True)
"""
    assert {"held"} == set((await said(box, view(own), code)).split())


def put_something_else(folder: Path) -> None:
    folder.mkdir()
    (folder / "arena.py").touch()


@pytest.mark.parametrize("box", [SHIELD, LANDLOCK], ids="-".join)
async def test_a_box_in_which_no_bot_finds_the_sdk_is_none(box, monkeypatch, tmp_path):
    """The trial before play imports it with the interpreter, the environment and the files of a bot."""
    need(box)
    monkeypatch.setattr(rooms, "_means", lambda level: (box[1],))
    monkeypatch.setattr(rooms, "link_package", put_something_else)
    lines: list[str] = []
    async with open_box("shield", secret=tmp_path / "arena.db", say=lines.append) as opened:
        assert "limits" == opened.means
    assert "a bot cannot import arena.sdk" in lines[0]


WITHOUT_BUBBLEWRAP = (
    "from arena.box import bubblewrap; bubblewrap.program = lambda: None\nfrom arena.cli import main; main()"
)


@pytest.mark.nightly
def test_a_run_in_a_bots_own_folder_by_landlock(own):
    """`arena run . random` twice: the results of the first lie in the bot's folder when the second begins.

    At every change tests/worlds does the same, where it can, and a box of its own is tried above.
    """
    need(LANDLOCK)
    code = "import helper, pkg.inner\n" + (HOUSE / "bots" / "random" / "random_bot.py").read_text()
    (own / "bot.py").write_text(code)
    for _ in range(2):
        words = [".", "random", "--series", "1", "--seed", "7"]
        ended = subprocess.run(
            [sys.executable, "-c", WITHOUT_BUBBLEWRAP, "run", *words],
            cwd=own, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert 0 == ended.returncode, ended.stderr
        assert "bots run in a shield (landlock)" in ended.stderr
    assert 2 == len(list((own / "results").glob("liars-dice-*/leaderboard.csv")))
