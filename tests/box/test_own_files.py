"""What a started bot may write: its scratch folder, and of its own files what it asks for and the host grants."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

import attrs
import pytest
import trio
from boxes import (
    HOSTILE,
    LANDLOCK,
    PLAYS,
    SHIELD,
    STRICT,
    TRIES,
    by_means,
    by_means_or_none,
    need,
    program,
)
from calls import call
from tournaments import BAD, faults, honest, play

from arena.box import limits
from arena.box.box import open_box
from arena.box.scratch import KeptFolders
from arena.players.access import place_of
from arena.players.entrant import Entrant, Rights
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.grants import granted

pytestmark = pytest.mark.slow

BOXES = [STRICT, SHIELD, LANDLOCK]
each_box = pytest.mark.parametrize("box", BOXES, ids="-".join)


@pytest.fixture
def house(monkeypatch):
    """The current folder, with a bot's folder in it; not in /tmp, where each box has one of its own."""
    top = Path(tempfile.mkdtemp(prefix="arena-own-", dir="/var/tmp"))
    for name in ("own/.git/config", "own/.git/hooks/pre-commit", "own/sub/x.txt", "own/notes.txt", ".bashrc"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("as it was")
    (top / ".git" / "hooks").mkdir(parents=True)
    monkeypatch.chdir(top)
    yield top
    shutil.rmtree(top)


def bot(house: Path, code: str, *lines: str, name: str = "own") -> Entrant:
    """A bot that does this first, and then plays."""
    (house / name).mkdir(exist_ok=True)
    (house / name / "bot.py").write_text(TRIES + code + PLAYS)
    recipe = [
        f"run = {json.dumps([sys.executable, 'bot.py'])}",
        f"read = {json.dumps([str(HOSTILE), str(BAD)])}",
    ]
    (house / name / "bot.toml").write_text("\n".join([*recipe, *lines, ""]))
    (entrant,) = granted([resolve(name, base=house)], {})
    assert "process" == entrant.kind, entrant.problem
    return entrant


async def said_in_play(monkeypatch, box, house: Path, entrant: Entrant, *others: Entrant) -> list[str]:
    """What the bot printed first in a run in which it played without a fault."""
    need(box)
    level, means = box
    if means == "landlock":
        monkeypatch.setattr("arena.box.box._means", lambda level: ("landlock",))
    out = house / "results" / secrets.token_hex(4)
    with trio.fail_after(60):
        summary, _ = await play(out, (entrant, honest("ann"), *others), series=1, sandbox=level)
    assert not summary.left_out
    assert {} == faults(out)[entrant.name]
    return (out / "logs" / f"{entrant.name}-1.log").read_text().partition("plays\n")[0].splitlines()


def state(folder: Path) -> dict[str, str]:
    """Every file with its text, and every link with where it leads."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_text()
    return found


TAMPERING = [
    ("write", "bot.toml"),
    ("write", "bot.py"),
    ("write", "notes.txt"),
    ("write", "sub/x.txt"),
    ("write", "new.txt"),
    ("write", ".git/config"),
    ("write", ".git/hooks/post-commit"),
    ("remove", "bot.toml"),
    ("move_away", ".git"),
    ("replace_by_link", "bot.toml"),
    ("replace_by_link", ".arena"),
    ("write", "../.bashrc"),
    ("write", "../.git/hooks/pre-commit"),
    ("write", "../.arena/scratch/x"),
]


@each_box
async def test_a_bot_cannot_change_its_own_files(house, box, monkeypatch):
    """Neither its bot.toml, so as to have more the next time, nor its repository, nor its code."""
    entrant = bot(house, f"tries(*{TAMPERING})\n")
    before = state(house / "own")
    said = await said_in_play(monkeypatch, box, house, entrant)
    assert [f"held {act}" for act, _ in TAMPERING] == said
    assert before == state(house / "own")
    assert "as it was" == (house / ".bashrc").read_text()


@by_means
async def test_a_bot_of_one_file_cannot_write_the_folder_that_it_lies_in(house, box, monkeypatch):
    """Often the user's home or a repository, whose files are run by others."""
    acts = [("write", name) for name in ("bot.py", ".bashrc", ".git/hooks/pre-commit", "new.txt")]
    (house / "bot.py").write_text(TRIES + f"tries(*{acts})\n" + PLAYS)
    (entrant,) = granted([resolve("bot.py", base=house)], {})
    entrant = attrs.evolve(entrant, read=(HOSTILE, BAD))  # which such a bot cannot ask for
    before = state(house)
    said = await said_in_play(monkeypatch, box, house, entrant)
    assert [f"held {act}" for act, _ in acts] == said
    shutil.rmtree(house / "results")
    assert before == state(house)


GRANTED = [("write", "notes.txt"), ("write", "sub/x.txt"), ("write", "sub/new.txt")]
NEVER = [act for act in TAMPERING if act not in GRANTED and act != ("write", "bot.py")]
LINKED = """
for source, target in (("bot.toml", "sub/link"), (".git/config", "sub/config")):
    try:
        os.link(source, target)
        open(target, "w").write("more")
    except OSError: pass
    else: print("escaped hard link", source)
"""


@by_means
async def test_a_bot_that_may_write_its_folder_cannot_change_what_the_arena_reads(house, box, monkeypatch):
    """`writable` opens the files and folders that are there, and nothing else."""
    entrant = bot(house, f"tries(*{GRANTED + NEVER})\n{LINKED}", "writable = true")
    before = state(house / "own")
    said = await said_in_play(monkeypatch, box, house, entrant)
    expected = [f"escaped {act}" for act, _ in GRANTED] + [f"held {act}" for act, _ in NEVER]
    assert expected == said
    assert before | {name: "I was here" for _, name in GRANTED} == state(house / "own")


def test_who_may_write(house):
    """A bot that its user names and that asks; a submission if the host grants it; no copy of a build."""
    asks = bot(house, "", "writable = true")
    opened = tuple(house / "own" / name for name in ("bot.py", "notes.txt", "sub"))
    assert opened == place_of(asks, (asks,), ()).writes
    silent = bot(house, "", name="silent")
    assert () == place_of(silent, (silent,), ()).writes
    submission = attrs.evolve(resolve("own", base=house), is_submission=True)
    (refused,) = granted([submission], {})
    assert ("allow", "own=writable") in [(hint.setting, hint.value) for hint in refused.hints]
    (allowed,) = granted([submission], {"own": Rights(writable=True, read=(HOSTILE, BAD))})
    assert opened == place_of(allowed, (allowed,), ()).writes
    assert () == place_of(attrs.evolve(asks, build=("true",)), (), ()).writes


def test_what_holds_something_hidden_is_not_opened(house):
    """There a bot could leave a link in the place of what is mounted the next time."""
    (house / "own" / "sub" / "results").mkdir()
    asks = bot(house, "", "writable = true")
    place = place_of(asks, (asks,), (house / "own" / "sub" / "results",))
    assert house / "own" / "sub" in place.writes
    assert (house / "own" / "bot.py", house / "own" / "notes.txt", place.scratch) == place.writable


# The folder that it writes to.

NOTES = """
scratch = os.environ["ARENA_SCRATCH"]
print(*sorted(os.listdir(scratch)) or ["nothing"], flush=True)
open(os.path.join(scratch, "note"), "w").write("mine")
"""


@by_means_or_none
async def test_what_a_bot_writes_is_there_in_the_next_run(house, box, monkeypatch):
    """In ARENA_SCRATCH; in a strict box if it may keep things, as `writable` says."""
    entrant = bot(house, NOTES, *(("writable = true",) if box == STRICT else ()))
    assert [["nothing"], ["note"]] == [await said_in_play(monkeypatch, box, house, entrant) for _ in range(2)]


async def test_other_peoples_bots_keep_nothing(house, monkeypatch):
    """An instance would learn from another one the hands that it is dealt again, from another seat."""
    entrant = bot(house, NOTES)
    for _ in range(2):
        said = await said_in_play(monkeypatch, STRICT, house, entrant)
        assert "note" not in said[0].split()
    assert not list(house.rglob("note"))


@by_means
async def test_no_bot_sees_what_another_one_writes(house, box, monkeypatch):
    """Not even the name of its folder; nor what is built of others."""
    other = house / ".arena" / "scratch" / "other-0123" / "note"
    other.parent.mkdir(parents=True)
    other.write_text("secret: 42")
    acts = [("read", str(other)), ("write", str(other)), ("remove", str(other))]
    looks = f"""
for folder in {[str(other.parents[n]) for n in range(3)]}:
    try: print(*os.listdir(folder), flush=True)
    except OSError: print("refused", flush=True)
"""
    said = await said_in_play(monkeypatch, box, house, bot(house, f"tries(*{acts})\n{looks}"))
    assert ["held read", "held write", "held remove"] == said[:3]
    assert not [line for line in said[3:] if "other-0123" in line or "note" in line]
    assert "secret: 42" == other.read_text()


async def test_a_scratch_folder_is_bounded(house, monkeypatch):
    """Whoever fills it is ended, and told why."""
    monkeypatch.setattr(limits, "TEMPORARY_BYTES_MAX", 4 << 20)
    fills = f"open(os.environ['ARENA_SCRATCH'] + '/much', 'wb').write(bytes({8 << 20})); time.sleep(60)"
    place = place_of(bot(house, ""), (), ())
    async with open_box("shield") as box:
        with trio.fail_after(30):
            async with program(box, place, sys.executable, "-c", f"import os, time; {fills}") as said:
                await said.running.ended.wait()
    assert "had more than 4 MB of files in ARENA_SCRATCH" == said.running.excess


async def test_where_nothing_can_be_kept_a_bot_writes_for_a_while(house, monkeypatch):
    """As where the current folder is read-only."""

    def refuses(self, path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(KeptFolders, "make", refuses)
    entrant = bot(house, NOTES)
    for _ in range(2):
        assert ["nothing"] == await said_in_play(monkeypatch, SHIELD, house, entrant)
    assert not list(house.rglob("note"))


def test_folders_that_stay_empty_are_removed(tmp_path):
    """Unless another arena has bots there; what was written stays."""
    one, two = KeptFolders(), KeptFolders()
    empty, used = (tmp_path / ".arena" / "scratch" / name for name in ("empty", "used"))
    for path in (empty, used):
        one.make(path)
        two.make(path)
    (used / "note").touch()
    one.close()
    assert empty.is_dir()
    two.close()
    assert (False, True) == (empty.exists(), (used / "note").exists())
    three = KeptFolders()
    shutil.rmtree(tmp_path / ".arena")
    three.make(empty)
    three.close()
    assert [] == os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [("", 1, "PermissionError"), ('read = ["../base"]', 2, "which is hidden from all bots")],
    ids=["opened", "asked for"],
)
def test_a_check_finds_that_a_bot_needs_the_bot_beside_it(house, line, code, said, monkeypatch, capsys):
    """A run with both could not start it."""
    need(LANDLOCK)
    monkeypatch.setattr("arena.box.box._means", lambda level: ("landlock",))
    for name in ("base", "mine"):
        (house / name).mkdir()
        (house / name / "bot.toml").write_text(f"run = {json.dumps([sys.executable, 'bot.py'])}\n{line}\n")
        (house / name / "bot.py").write_text("open('../base/bot.toml')\n")
    found, out, err = call(capsys, monkeypatch, "check", "./mine", "--sandbox", "shield")
    assert (code, True) == (found, said in out + err), out + err
