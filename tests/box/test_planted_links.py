"""Links that a bot left wherever it can write, or brought along: nothing outside is read, written or mounted."""

from __future__ import annotations

import json
import secrets
import shutil
import sys
from pathlib import Path

import attrs
import pytest
import trio
from boxes import HOSTILE, LANDLOCK, OFF, PLAYS, SHIELD, STRICT, TRIES, by_means, need, program
from tournaments import BAD, faults, honest, play

from arena.box.box import open_box
from arena.box.places import FileView
from arena.errors import ConfigError
from arena.players.access import place_of
from arena.players.entrant import Entrant
from arena.players.folders import build_folder, scratch_folder, working_folder
from arena.players.start import BotBroken
from arena.tournament.bots.build import build
from arena.tournament.bots.entrants import resolve
from arena.tournament.bots.grants import granted

pytestmark = pytest.mark.slow

each_box = pytest.mark.parametrize("box", [STRICT, SHIELD, LANDLOCK], ids="-".join)


@pytest.fixture
def house(monkeypatch):
    """The current folder, with a bot's folder and what is none of its business; not in /tmp."""
    top = Path(__file__).resolve().parents[2] / ".arena" / f"links-{secrets.token_hex(4)}"
    for name in ("own/sub/x.txt", "outside/arena.db", "outside/inner/notes.txt"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("secret: 42")
    monkeypatch.chdir(top)
    yield top
    shutil.rmtree(top)


def bot(house: Path, code: str, *lines: str) -> Entrant:
    (house / "own" / "bot.py").write_text(TRIES + code + PLAYS)
    recipe = [
        f"run = {json.dumps([sys.executable, 'bot.py'])}",
        f"read = {json.dumps([str(HOSTILE), str(BAD)])}",
    ]
    (house / "own" / "bot.toml").write_text("\n".join([*recipe, *lines, ""]))
    (entrant,) = granted([resolve("own", base=house)], {})
    assert "process" == entrant.kind, entrant.problem
    return entrant


def outside(house: Path) -> dict[str, str]:
    top = house / "outside"
    return {str(path.relative_to(top)): path.read_text() if path.is_file() else "" for path in top.rglob("*")}


# Left by a bot.

PLANTS = """
scratch = os.environ["ARENA_SCRATCH"]
for folder in (scratch, "sub"):
    for name in ("bot.toml", "built", ".arena", "own-1.log", "arena.db", "results", "scratch", "files", "x.txt"):
        try:
            if name == "x.txt" and folder == "sub" and not os.path.islink("sub/x.txt"): os.unlink("sub/x.txt")
            os.symlink({outside!r}, os.path.join(folder, name))
            print("planted", flush=True)
        except OSError: pass
for name in ("bot.toml", ".arena", ".git", "sub", "bot.py", "results"):
    try:
        os.symlink({outside!r}, scratch + "/new")
        os.rename(scratch + "/new", name)
        print("planted at", name, flush=True)
    except OSError: pass
for path in (scratch, "../.arena/scratch", "../.arena"):
    try:
        os.rename(path, scratch + "x")
        print("moved", path, flush=True)
    except OSError: pass
"""


@by_means
async def test_links_that_a_bot_leaves_lead_nowhere(house, box, monkeypatch):
    """It plants them in all that it may write, and is run again twice, with results where it planted one too."""
    need(box)
    level, means = box
    if means == "landlock":
        monkeypatch.setattr("arena.box.box._means", lambda level: ("landlock",))
    acts = [("write", f"sub/{name}/arena.db") for name in ("results", ".arena", "files")]
    code = PLANTS.format(outside=str(house / "outside")) + f"tries(*{acts})\n"
    before = outside(house)
    entrant = bot(house, code, "writable = true")
    for run in range(3):
        out = house / "own" / "sub" / f"run-{run}" if run == 2 else house / "results" / f"run-{run}"
        with trio.fail_after(60):
            await play(out, (entrant, honest("ann")), series=1, sandbox=level)
        assert {} == faults(out)["own"]
        said = (out / "logs" / "own-1.log").read_text().splitlines()
        assert ["held write"] * len(acts) == [line for line in said if line.endswith("write")]
        assert not [line for line in said if line.startswith(("planted at", "moved"))]
        assert bool(run) != ("planted" in said)
        assert before == outside(house)
    assert (house / "own" / "sub" / "results").is_symlink(), "else nothing was tried"


ROLES = ["own", "hidden", "writes", "scratch", "read"]


@each_box
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("level", ["the last part", "a part above"])
async def test_no_mount_is_a_link(house, box, role, level):
    """Whatever a box shows or hides: nothing is started if its path has become a link."""
    need(box)
    own = house / "own"
    place = FileView(folder=own, own=(own,), hidden=(house / "results",), writes=(own / "sub",))
    if level == "the last part":
        path = house / "link" / "scratch" / "own" if role == "scratch" else house / "link"
        (house / "link").symlink_to(house / "outside")
    else:
        (house / "link").symlink_to(house / "outside")
        path = house / "link" / "inner" if role != "scratch" else house / "link" / "inner" / "scratch" / "own"
    value = path if role == "scratch" else (path,)
    more = {"folder": path} if role == "own" else {}
    before = outside(house)
    box_level, means = box
    with trio.fail_after(30):
        async with open_box(box_level, means=means) as opened:
            with pytest.RaisesGroup(pytest.RaisesExc(OSError, match="link")):
                async with program(
                    opened, attrs.evolve(place, **{role: value}, **more), "read", str(own / "sub/x.txt")
                ):
                    pass
    assert before == outside(house)


# Brought along, where a stranger's folder is the current one.


def brought(house: Path, entrant: Entrant, what: str) -> None:
    place = {
        "arena": house / ".arena",
        "all scratch": house / ".arena" / "scratch",
        "scratch": scratch_folder(entrant),
        "all builds": house / ".arena" / "builds",
        "build": build_folder(entrant),
        "copy": working_folder(entrant),
    }[what]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(house / "outside")


@pytest.mark.parametrize("what", ["arena", "all scratch", "scratch"])
async def test_links_that_lie_where_a_bot_would_write(house, what):
    """Are not followed, in any box: what is there is named."""
    entrant = bot(house, "")
    brought(house, entrant, what)
    before = outside(house)
    for box_level, means in (SHIELD, LANDLOCK, OFF):
        need((box_level, means))
        async with open_box(box_level, means=means) as opened:
            with pytest.RaisesGroup(
                pytest.RaisesExc(OSError, match="is a link or a file, where the arena keeps")
            ):
                async with program(opened, place_of(entrant, (), ()), "ignore"):
                    pass
    assert before == outside(house)


@pytest.mark.parametrize("what", ["arena", "all builds", "build", "copy"])
async def test_links_that_lie_where_a_bot_would_be_built(house, what, tmp_path):
    """Nothing is built through them, nor removed; a copy that is a link is made anew."""
    need(STRICT)
    entrant = bot(
        house, "", f"build = {json.dumps([sys.executable, '-c', 'open(chr(120), chr(119)).close()'])}"
    )
    brought(house, entrant, what)
    before = outside(house)
    async with open_box("strict") as box:
        if what == "copy":
            await build(entrant, box, place_of(entrant, (), ()), tmp_path / "log")
            assert not working_folder(entrant).is_symlink()
        else:
            with pytest.raises(BotBroken, match="is a link or a file, where the arena keeps a folder"):
                await build(entrant, box, place_of(entrant, (), ()), tmp_path / "log")
    assert before == outside(house)


async def test_a_copy_that_claims_to_be_built(house):
    """A link beside a note that it is ready is no folder to run in."""
    entrant = bot(house, "", "build = 'true'")
    build_folder(entrant).mkdir(parents=True)
    (build_folder(entrant) / "built").touch()
    working_folder(entrant).symlink_to(house / "outside")
    async with open_box("shield") as opened:
        with pytest.RaisesGroup(pytest.RaisesExc(OSError, match="a link leads to")):
            async with program(opened, place_of(entrant, (), ()), "ignore"):
                pass


async def test_an_artefact_that_is_a_link(house, tmp_path):
    """What it leads to is not read on the host, not even its first line."""
    need(STRICT)
    secret = house / "outside" / "secret"
    secret.write_text("#!/the/secret/of/the/host\n")
    secret.chmod(0o755)
    (house / "own" / "bot.toml").write_text(
        f"build = {json.dumps(['ln', '-s', str(secret), 'made'])}\nrun = './made'\nconnect_s = 2\n"
    )
    (entrant,) = granted([resolve("own", base=house)], {})
    async with open_box("strict") as box:
        await build(entrant, box, place_of(entrant, (), ()), tmp_path / "log")
    out = house / "results" / "out"
    with trio.fail_after(60):
        summary, _ = await play(
            out, (entrant, honest("ann"), honest("bob")), series=1, sandbox="strict", leave_out_broken=True
        )
    (broken,) = summary.left_out
    assert "secret/of" not in str(broken) + broken.log


def test_a_recipe_that_leads_elsewhere(house):
    """Is refused, unread; one that stays in the folder is a file like others."""
    (house / "own" / "bot.toml").symlink_to(house / "outside" / "arena.db")
    with pytest.raises(ConfigError, match=r"own/bot\.toml: it is a link that leads out of the bot's folder"):
        resolve("own", base=house)
    (house / "own" / "bot.toml").unlink()
    (house / "own" / "real.toml").write_text("run = 'true'")
    (house / "own" / "bot.toml").symlink_to("real.toml")
    assert ("true",) == resolve("own", base=house).run
